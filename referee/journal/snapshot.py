"""A graph of objects as data and back: how the state of a stopped run is kept without pickle.

`dump` writes the arrays as `.npy` members of a zip archive and everything else as one JSON table, in which an
object that is referred to twice stands once. `load` builds only classes of this project whose modules are
loaded already, calls none of their code, and reads arrays without objects: a file made by a stranger can give
wrong values, never run code.
"""

from __future__ import annotations

import dataclasses
import io
import json
import sys
import types
import typing
import zipfile
from collections import deque
from enum import Enum
from functools import cache
from typing import Any

import numpy as np

SCHEMA = 1
"""Version of the layout below; a reader refuses any other."""

_TABLE = "objects.json"
_PACKAGES = ("calibration.", "vision.", "tracker.", "referee.")
_SCALARS = (float, int, bool, str)


class SnapshotError(ValueError):
    """The bytes are no snapshot that this version can read."""


def dump(root: object) -> bytes:
    """The objects that hang together with `root`, as bytes.

    Scalars, lists, tuples, dicts, sets, deques, arrays, enum members and instances of this project's classes
    are kept. Raises TypeError for anything else.
    """
    writer = _Writer()
    first = writer.value(root)
    table = {"schema": SCHEMA, "root": first, "objects": writer.objects}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_TABLE, json.dumps(table, separators=(",", ":")))
        for number, array in enumerate(writer.arrays):
            with archive.open(f"{number}.npy", "w") as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
    return out.getvalue()


def load(data: bytes) -> Any:
    """The object that `dump` wrote. Raises SnapshotError for bytes that are not a snapshot of this schema."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            table = json.loads(archive.read(_TABLE))
            if table["schema"] != SCHEMA:
                raise SnapshotError(f"expected schema {SCHEMA}, got {table['schema']!r}")
            return _Reader(table["objects"], archive).value(table["root"])
    except SnapshotError:
        raise
    except Exception as error:  # a damaged archive, table or array raises anything
        raise SnapshotError(f"expected a snapshot, got {type(error).__name__}: {error}") from error


class _Writer:
    """Numbers objects as they are met; `objects[n]` is `[kind, ...]` with references in place of values."""

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self.arrays: list[np.ndarray[Any, Any]] = []
        self._numbers: dict[int, int] = {}
        self._kept: list[object] = []  # an id stays taken as long as its object lives

    def value(self, value: object) -> Any:
        """A scalar as it is, anything else as a reference `[number]`."""
        if value is None or type(value) in _SCALARS:
            return value
        number = self._numbers.get(id(value))
        if number is None:
            number = len(self.objects)
            self._numbers[id(value)] = number
            self._kept.append(value)
            self.objects.append(None)
            self.objects[number] = self._described(value)
        return [number]

    def _described(self, value: object) -> list[Any]:
        if isinstance(value, np.ndarray):
            self.arrays.append(value)
            return ["array", len(self.arrays) - 1]
        if isinstance(value, np.generic):
            self.arrays.append(np.asarray(value))
            return ["scalar", len(self.arrays) - 1]
        if isinstance(value, Enum):
            return ["enum", *_name(type(value)), value.name]
        kind = type(value)
        if kind is dict:
            return ["dict", [[self.value(k), self.value(v)] for k, v in value.items()]]  # type: ignore[attr-defined]
        if kind is deque:
            return ["deque", value.maxlen, [self.value(v) for v in value]]  # type: ignore[attr-defined]
        if kind in _SEQUENCES.values():
            return [kind.__name__, [self.value(v) for v in value]]  # type: ignore[attr-defined]
        if not kind.__module__.startswith(_PACKAGES):
            raise TypeError(
                f"a snapshot holds data of this project, got {kind.__module__}.{kind.__qualname__}"
            )
        return ["object", *_name(kind), {k: self.value(v) for k, v in _attributes(value).items()}]


class _Reader:
    """Builds the objects of a table; each once, however often it is referred to."""

    def __init__(self, objects: list[Any], archive: zipfile.ZipFile) -> None:
        self._objects, self._archive = objects, archive
        self._built: dict[int, Any] = {}
        self._begun: set[int] = set()

    def value(self, value: Any) -> Any:
        if not isinstance(value, list):
            return value
        (number,) = value
        if number not in self._built:
            if number in self._begun:
                raise SnapshotError("expected values that can be built in order, got a circle of tuples")
            self._begun.add(number)
            self._built[number] = self._build(number, self._objects[number])
        return self._built[number]

    def _build(self, number: int, described: list[Any]) -> Any:
        kind, *rest = described
        if kind in ("array", "scalar"):
            with self._archive.open(f"{rest[0]}.npy") as member:
                array = np.lib.format.read_array(member, allow_pickle=False)
            return array if kind == "array" else array[()]
        if kind == "enum":
            return _class(rest[0], rest[1], Enum)[rest[2]]
        if kind == "object":
            return self._object(number, *rest)
        if kind in ("tuple", "set", "frozenset"):
            return _SEQUENCES[kind](self.value(v) for v in rest[0])
        return self._filled(number, kind, rest)

    def _filled(self, number: int, kind: str, rest: list[Any]) -> Any:
        """A container that others may refer to before it is full."""
        if kind == "dict":
            made: Any = self._built.setdefault(number, {})
            made.update((self.value(k), self.value(v)) for k, v in rest[0])
            return made
        made = self._built.setdefault(
            number, deque(maxlen=rest[0]) if kind == "deque" else _SEQUENCES[kind]()
        )
        made.extend(self.value(v) for v in rest[-1])
        return made

    def _object(self, number: int, module: str, name: str, attributes: dict[str, Any]) -> Any:
        cls = _class(module, name, object)
        made = self._built.setdefault(number, object.__new__(cls))
        for key, value in attributes.items():
            object.__setattr__(made, key, self.value(value))
        _check(made, attributes)
        return made


_SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}


def _name(cls: type) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


def _class(module: str, name: str, base: type) -> Any:
    """A class of this project by its name; modules are never imported for the sake of a file."""
    found = getattr(sys.modules.get(module), name, None) if module.startswith(_PACKAGES) else None
    if not isinstance(found, type) or not issubclass(found, base) or found.__module__ != module:
        raise SnapshotError(f"expected a class of this project, got {module}.{name}")
    return found


def _attributes(value: object) -> dict[str, Any]:
    """What an instance carries, from its slots and its `__dict__`."""
    slots = [s for c in type(value).__mro__ for s in _slots(c)]
    found = {s: getattr(value, s) for s in slots if hasattr(value, s)}
    return found | dict(getattr(value, "__dict__", {}))


def _slots(cls: type) -> tuple[str, ...]:
    slots = vars(cls).get("__slots__", ())
    names = (slots,) if isinstance(slots, str) else tuple(slots)
    return tuple(s for s in names if s not in ("__dict__", "__weakref__"))


@cache
def _plain_fields(cls: Any) -> dict[str, tuple[type, ...]]:
    """Fields of a dataclass that are scalars by their hint, with the types that they may have."""
    if not dataclasses.is_dataclass(cls):
        return {}
    hints = typing.get_type_hints(cls)
    found = {}
    for field in dataclasses.fields(cls):
        hint = hints[field.name]
        union = isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union
        kinds = typing.get_args(hint) if union else (hint,)
        if all(k in (*_SCALARS, type(None)) for k in kinds):
            found[field.name] = (*kinds, int) if float in kinds else tuple(kinds)
    return found


def _check(made: Any, attributes: dict[str, Any]) -> None:
    """Every field of a dataclass is there, and those that are scalars have their type."""
    cls: Any = type(made)
    if dataclasses.is_dataclass(cls):
        missing = {f.name for f in dataclasses.fields(cls)} - set(attributes)
        if missing:
            raise SnapshotError(f"expected {type(made).__name__}.{min(missing)}, got no such field")
    for name, kinds in _plain_fields(cls).items():
        if not isinstance(getattr(made, name), kinds):
            raise SnapshotError(f"expected {cls.__name__}.{name} as {kinds}, got {getattr(made, name)!r}")
