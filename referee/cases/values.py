"""Reads values of a case with one clear sentence when they are missing or of the wrong kind."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from referee.cases.model import CaseError


def whole(data: Mapping[str, Any], name: str, default: int = 0) -> int:
    """A whole number of at least 0 under `name`; `default` where it is not stated."""
    value = data.get(name, default)
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value < math.inf
        or value % 1
    ):
        raise CaseError(f"{name} must be a whole number of at least 0, got {value!r}")
    return int(value)


def needed(data: Mapping[str, Any], name: str) -> Any:
    """The value under `name`, which must be there."""
    if name not in data:
        raise CaseError(f"expected {name!r} in a step of type {data.get('type')!r}, got {sorted(data)!r}")
    return data[name]


def table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object under `name`; an empty one where it is not stated."""
    value = data.get(name, {})
    if not isinstance(value, Mapping):
        raise CaseError(f"{name} must be an object, got {value!r}")
    return value


def flag(data: Mapping[str, Any], name: str, default: bool = False) -> bool:
    """True or false under `name`; `default` where it is not stated."""
    value = data.get(name, default)
    if not isinstance(value, bool):
        raise CaseError(f"{name} must be true or false, got {value!r}")
    return value


def listed(data: Mapping[str, Any], name: str) -> list[Any]:
    """The list under `name`; an empty one where it is not stated or null."""
    value = data.get(name)
    value = [] if value is None else value
    if not isinstance(value, list):
        raise CaseError(f"{name} must be a list, got {value!r}")
    return value


def named(value: Any, names: Iterable[str], what: str) -> str:
    """A word that must be one of `names`."""
    known = list(names)
    if value not in known:
        raise CaseError(f"{what} must be one of {', '.join(known)}, got {value!r}")
    return str(value)


def only(data: Mapping[str, Any], names: Iterable[str], what: str) -> Mapping[str, Any]:
    """The same object, which must hold no other fields than `names`: none is ignored."""
    known = list(names)
    if unknown := sorted(set(data) - set(known)):
        raise CaseError(f"{what} has {', '.join(known)}, got {unknown[0]!r}")
    return data


def point_mm(value: Any, what: str) -> tuple[float, float]:
    """A place `[x, y]` in mm, both finite."""
    numbers = isinstance(value, list) and all(
        isinstance(v, int | float) and not isinstance(v, bool) for v in value
    )
    if not numbers or len(value) != 2 or not all(math.isfinite(v) for v in value):
        raise CaseError(f"{what} must be a place [x, y] in mm, got {value!r}")
    return float(value[0]), float(value[1])
