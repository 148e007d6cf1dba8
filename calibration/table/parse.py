"""The table that a user names: `3569x1778`, a ball diameter and a nose height, checked."""

from __future__ import annotations

import re
from dataclasses import replace

from calibration.errors import UnusableInput
from calibration.table.specs import TableSpec, small_table

DEFAULT_TABLE = "~3569x1778"
"""The table where nobody names one: full size by snooker 1.1(a), not measured."""

DEFAULT_BALL_MM = 52.5
"""Ball diameter, snooker 1.2(a)."""
POOL_BALL_MM = 57.15
"""Ball diameter, WPA equipment specification (2 1/4 inches)."""
_POOL_TABLE_MM = (2540.0, 1270.0)
"""Playing area of a nine-foot pool table, WPA equipment specification."""
_SIZE_TOLERANCE_MM = 13.0
"""How far a playing area may be from `_POOL_TABLE_MM` and still be one; snooker 1.1(a) allows as much."""

_BALL_RANGE_MM = (20.0, 80.0)
_SIDE_RANGE_MM = (600.0, 5000.0)
_RATIO_RANGE = (1.6, 2.4)  # length to width; every cue sport's table is near 2
_UNMEASURED = 3.0 / 3569.0  # one sigma of a size over its length: 1.1(a) allows 13 mm, most are nearer
_NOSE_RANGE = (0.55, 0.8)  # of the ball's diameter: 0.64 to 0.70 is usual, none can work outside this
_NOSE_READ_MM = 0.4  # one sigma of a height read off a rule held to a rounded nose


def parse_table(text: str, ball_mm: float | None, nose_mm: float | None = None) -> TableSpec:
    """The table of a size such as `3569x1778` (length x width, mm), a ball diameter and a nose height.

    `~3569x1778` is not measured: calibration estimates length and width, and every sigma includes that
    uncertainty. A nose height of None is estimated too. Without a ball diameter the size decides it.
    Raises UnusableInput, which names the option, for what no table can have.
    """
    match = re.fullmatch(r"\s*(~?)\s*(\d+(?:\.\d+)?)\s*[xX×]\s*(\d+(?:\.\d+)?)\s*", text)
    if match is None:
        raise UnusableInput(f"--table: expected LENGTHxWIDTH in mm such as 3569x1778, found {text!r}")
    length, width = sorted((float(match[2]), float(match[3])), reverse=True)
    table = _table(length, width, _ball_diameter(length, width) if ball_mm is None else ball_mm)
    if nose_mm is not None:
        table = _with_nose(table, nose_mm)
    return replace(table, dimension_sigma_mm=_UNMEASURED * length) if match[1] else table


def _ball_diameter(length_mm: float, width_mm: float) -> float:
    pool_length, pool_width = _POOL_TABLE_MM
    pool = (
        abs(length_mm - pool_length) <= _SIZE_TOLERANCE_MM
        and abs(width_mm - pool_width) <= _SIZE_TOLERANCE_MM
    )
    return POOL_BALL_MM if pool else DEFAULT_BALL_MM


def _table(length_mm: float, width_mm: float, ball_mm: float) -> TableSpec:
    smallest, largest = _BALL_RANGE_MM
    if not smallest <= ball_mm <= largest:
        raise UnusableInput(
            f"--ball: expected a diameter of {smallest:g} to {largest:g} mm, found {ball_mm:g}"
        )
    shortest, longest = _SIDE_RANGE_MM
    low, high = _RATIO_RANGE
    if not (shortest <= width_mm <= length_mm <= longest) or not low <= length_mm / width_mm <= high:
        raise UnusableInput(
            f"--table: expected a playing area about twice as long as wide, {shortest:g} to {longest:g} mm,"
            f" found {length_mm:g} x {width_mm:g}"
        )
    try:
        return small_table(length_mm, width_mm, ball_mm)
    except ValueError as error:
        raise UnusableInput(f"--table, --ball: {error}") from None


def _with_nose(table: TableSpec, nose_mm: float) -> TableSpec:
    low, high = (round(share * table.ball_diameter_mm, 1) for share in _NOSE_RANGE)
    if not low <= nose_mm <= high:
        raise UnusableInput(
            f"--nose: expected a height of {low:g} to {high:g} mm above the cloth, found {nose_mm:g}"
        )
    return replace(table, nose_height_mm=nose_mm, nose_height_sigma_mm=_NOSE_READ_MM)
