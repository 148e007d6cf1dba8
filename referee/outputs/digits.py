"""Rounding of numbers in written files: well below the precision to which each can be known."""

from __future__ import annotations

import math

_DECIMALS = {
    "mm": 2,  # a ball's place is known to 0.1 mm at best
    "s": 3,  # images are 20 ms apart, contacts are solved to 1 ms at best
    "px": 3,  # edges are fitted to 0.05 px at best
    "confidence": 6,  # a verdict is certain from 0.999 on
    "weight": 6,
}
_PLACES = ("before", "after", "from", "to", "due")
"""Fields whose numbers are millimetres, without the unit in the name."""
_SOLVED = ("camera",)
"""A model from which places are computed again: its digits stand for less than 0.001 mm on the table."""
_SOLVED_DIGITS = 8
_OTHER_DECIMALS = 6


def meant(value: object, name: str = "") -> object:
    """A JSON value with its numbers rounded by the unit in the name of the field that holds them."""
    if isinstance(value, dict):
        solved = name in _SOLVED
        return {k: meant(v, name if solved or name in _PLACES else str(k)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [meant(v, name) for v in value]
    return _rounded(value, name) if isinstance(value, float) and math.isfinite(value) else value


def _rounded(value: float, name: str) -> float:
    if name in _SOLVED:
        return float(f"{value:.{_SOLVED_DIGITS}g}")
    if name in _PLACES:
        return round(value, _DECIMALS["mm"])
    return round(value, _DECIMALS.get(name, _DECIMALS.get(name.rpartition("_")[2], _OTHER_DECIMALS)))
