"""JSON that others wrote: numbers that a program can count with, or one sentence why not."""

from __future__ import annotations

import json
import math
from typing import Any

MOST_DIGITS = 18
"""Of a whole number: what has more fits no 64-bit integer, and no ball, time or score needs it."""


def loads(text: str | bytes, **more: Any) -> Any:
    """The JSON value of a text. Raises ValueError also for NaN, infinity, numbers too large, halves of
    characters and brackets nested too deep.
    """
    try:
        found = json.loads(text, parse_int=_whole, parse_float=_finite, parse_constant=_constant, **more)
        if (b"\\u" if isinstance(text, bytes) else "\\u") in text:  # type: ignore[operator]
            json.dumps(found, ensure_ascii=False).encode()  # half of a surrogate pair can be written nowhere
    except RecursionError:
        raise ValueError("brackets nested too deep") from None
    except UnicodeEncodeError:
        raise ValueError("half of a surrogate pair") from None
    return found


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An `object_pairs_hook`: an object whose names are given once each. Raises ValueError for others, of
    which JSON takes the last and says nothing.
    """
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name!r} is given twice in one object")
        found[name] = value
    return found


def _whole(digits: str) -> int:
    if len(digits.lstrip("-")) > MOST_DIGITS:
        raise ValueError("a number of too many digits")
    return int(digits)


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"a number that is too large ({digits[:20]})")
    return value


def _constant(name: str) -> float:
    raise ValueError(f"{name}, which is no number of JSON")
