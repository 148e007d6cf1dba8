"""Reads values of a case with one clear sentence when they are missing or of the wrong kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from referee.cases.model import CaseError


def whole(data: Mapping[str, Any], name: str, default: int = 0) -> int:
    """A whole number of at least 0 under `name`; `default` where it is not stated."""
    value = data.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf or value % 1:
        raise CaseError(f"{name} must be a whole number of at least 0, got {value!r}")
    return int(value)


def needed(data: Mapping[str, Any], name: str) -> Any:
    """What stands under `name`, which must be there."""
    if name not in data:
        raise CaseError(f"expected {name!r} in a step of type {data.get('type')!r}, got {sorted(data)!r}")
    return data[name]


def table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object under `name`; an empty one where it is not stated."""
    value = data.get(name, {})
    if not isinstance(value, Mapping):
        raise CaseError(f"{name} must be an object, got {value!r}")
    return value
