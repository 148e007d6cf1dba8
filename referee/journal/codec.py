"""Frozen dataclasses to canonical JSON and back, by their type hints; the same value gives the same bytes."""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from collections.abc import Callable
from enum import Enum
from functools import lru_cache
from typing import Any, TypeVar, cast

T = TypeVar("T")


def canonical(value: object) -> bytes:
    """Plain JSON values as bytes: sorted keys, no spaces; floats keep every digit. No NaN."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8")


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text changed; keys are words of the format."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [with_texts(v, change) for v in value]
    if isinstance(value, dict):
        return {k: with_texts(v, change) for k, v in value.items()}
    return value


def encode(value: object) -> Any:
    """A dataclass (nested, with tuples and enums) as plain JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: encode(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [encode(v) for v in value]
    if isinstance(value, frozenset):
        return sorted(encode(v) for v in value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"a journalled number must be finite, got {value!r}")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(
        f"only dataclasses, tuples, sets, enums and JSON's scalars are journalled, got {type(value).__name__}"
    )


@lru_cache(maxsize=256)
def _fields(cls: type) -> tuple[tuple[str, Any, bool], ...]:
    hints = typing.get_type_hints(cls)
    return tuple(
        (f.name, hints[f.name], f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING)
        for f in dataclasses.fields(cls)
    )


def decode(cls: type[T], data: object) -> T:
    """The dataclass that `encode` wrote. Raises ValueError naming the field that does not fit."""
    return cast(T, _decode(cls, data, cls.__name__))


def _decode(hint: Any, data: Any, where: str) -> Any:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        if data is None and type(None) in args:
            return None
        (only,) = [a for a in args if a is not type(None)]
        return _decode(only, data, where)
    if origin is tuple:
        return _decode_tuple(args, data, where)
    if origin is frozenset:
        return frozenset(_decode_tuple((*args, ...), data, where))
    if origin is typing.Literal:
        if data not in args:
            raise ValueError(f"{where}: expected one of {args}, got {data!r}")
        return data
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _decode_object(hint, data, where)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint(data)
    return _scalar(hint, data, where)


def _scalar(hint: Any, data: Any, where: str) -> Any:
    if hint is float and isinstance(data, int | float) and not isinstance(data, bool):
        return float(data)
    if isinstance(data, hint) and (hint is not int or not isinstance(data, bool)):
        return data
    raise ValueError(f"{where}: expected {hint.__name__}, got {data!r}")


def _decode_tuple(args: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise ValueError(f"{where}: expected a list, got {data!r}")
    if len(args) == 2 and args[1] is Ellipsis:
        return tuple(_decode(args[0], v, f"{where}[{i}]") for i, v in enumerate(data))
    if len(args) != len(data):
        raise ValueError(f"{where}: expected {len(args)} values, got {len(data)}")
    return tuple(_decode(a, v, f"{where}[{i}]") for i, (a, v) in enumerate(zip(args, data, strict=True)))


def _decode_object(cls: type, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected an object, got {data!r}")
    fields = _fields(cls)
    unknown = sorted(set(data) - {name for name, _, _ in fields})
    if unknown:
        raise ValueError(f"{where}: unknown {', '.join(unknown)}")
    given = {}
    for name, hint, required in fields:
        if name in data:
            given[name] = _decode(hint, data[name], f"{where}.{name}")
        elif required:
            raise ValueError(f"{where}: no {name}")
    return cls(**given)
