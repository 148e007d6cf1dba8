"""The table that a user names: `3569x1778`, a ball diameter and a nose height, checked."""

from __future__ import annotations

import re
from dataclasses import replace

from calibration.table.board import board_table
from calibration.table.games import GAMES, POOL_BALL_MM, POOL_TABLE_MM
from calibration.table.specs import TableSpec, british_table, pool_table, small_table, usual_sizes
from calibration.texts import unusable_input

DEFAULT_TABLE = "usual"
"""The game's usual table, not measured: what is meant where nobody names one."""

DEFAULT_BALL_MM = 52.5
"""Ball diameter, snooker 1.2(a)."""
_SIZE_TOLERANCE_MM = 13.0
"""How far a playing area may be from `POOL_TABLE_MM` and still be one; snooker 1.1(a) allows as much."""

_BALL_RANGE_MM = (20.0, 80.0)
_SIDE_RANGE_MM = (600.0, 5000.0)
_RATIO_RANGE = (1.6, 2.4)  # length to width; every cue sport's table is near 2
_BOARD_RANGE_MM, _BOARD_TOLERANCE_MM = (500.0, 900.0), 5.0  # side of a carrom board; how far from square
_FRAME_RANGE_MM, _MAN_RANGE_MM = (10.0, 40.0), (25.0, 38.0)  # height of its frame; diameter of its C/m
ANY_SIZE = 0.12
"""One sigma of a pool table's size over its length where nobody tells it: tables of 9, 8, 7 and 6 ft."""
UNMEASURED = 3.0 / 3569.0  # one sigma of a size over its length: 1.1(a) allows 13 mm, most are nearer
_NOSE_RANGE = (0.55, 0.8)  # of the ball's diameter: 0.64 to 0.70 is usual, none can work outside this
_NOSE_READ_MM = 0.4  # one sigma of a height read off a rule held to a rounded nose


def parse_table(
    text: str | None, ball_mm: float | None, nose_mm: float | None = None, game: str = "snooker"
) -> TableSpec:
    """The table of a game, of a size such as `3569x1778` (length x width, mm) or `9ft`, a ball diameter and a
    nose height.

    `~3569x1778` is not measured: calibration estimates length and width, and every sigma includes that
    uncertainty. No text, or `usual`, is the game's usual table, not measured. A nose height of None is
    estimated too. Without a ball diameter game and size decide it. Raises UnusableInput, which names the
    option, for what no table can have.
    """
    if game not in GAMES:
        raise unusable_input("errors.game_expected_one_of_found", known=", ".join(GAMES), game=repr(game))
    if game == "carrom":
        return _board(None if text == DEFAULT_TABLE else text, ball_mm, nose_mm)
    usual = GAMES[game].table()
    untold = text is None or text == DEFAULT_TABLE
    if text is None or text == DEFAULT_TABLE:
        text = f"~{usual.length_mm:g}x{usual.width_mm:g}"
    told, length, width = _size(text, usual)
    table = _table(length, width, ball_mm, usual)
    if nose_mm is not None:
        table = _with_nose(table, nose_mm)
    if untold and usual.mark_set != "snooker":
        return replace(table, dimension_sigma_mm=ANY_SIZE * length)
    return table if told else replace(table, dimension_sigma_mm=UNMEASURED * length)


def _size(text: str, usual: TableSpec) -> tuple[bool, float, float]:
    """Whether a size was measured, its length and its width (mm)."""
    feet = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(?:ft|')\s*", text)
    if feet is not None:
        for name, length, width in usual_sizes(usual):
            if name == f"{float(feet[1]):g} ft":
                return False, length, width
        known = ", ".join(name.replace(" ft", "ft") for name, _, _ in usual_sizes(usual))
        raise unusable_input("errors.or_lengthxwidth_in_mm", known=known, text=repr(text))
    match = re.fullmatch(r"\s*(~?)\s*(\d+(?:\.\d+)?)\s*[xX×]\s*(\d+(?:\.\d+)?)\s*", text)
    if match is None:
        raise unusable_input("errors.lengthxwidth_in_mm", text=repr(text))
    length, width = sorted((float(match[2]), float(match[3])), reverse=True)
    return not match[1], length, width


def _board(text: str | None, ball_mm: float | None, nose_mm: float | None) -> TableSpec:
    """A carrom board: its side, its C/m's diameter and its frame's height where they are told."""
    table = board_table()
    if text is not None:
        _, length, width = _size(text, table)
        low, high = _BOARD_RANGE_MM
        if not (low <= width <= high and abs(length - width) <= _BOARD_TOLERANCE_MM):
            raise unusable_input(
                "errors.square_board_of_to_mm_inside",
                low=f"{low:g}",
                high=f"{high:g}",
                length=f"{length:g}",
                width=f"{width:g}",
            )
        table = replace(table, length_mm=length, width_mm=width)
    if nose_mm is not None:
        _check(_FRAME_RANGE_MM, "errors.frame_of_to_mm_above_the_board", nose_mm=nose_mm)
        table = replace(table, nose_height_mm=nose_mm, nose_height_sigma_mm=_NOSE_READ_MM)
    if ball_mm is not None:
        _check(_MAN_RANGE_MM, "errors.c_m_of_to_mm_in_diameter", ball_mm=ball_mm)
        table = replace(table, ball_diameter_mm=ball_mm)
    return table


def _check(limits: tuple[float, float], key: str, **value: float) -> None:
    """Raise the error of a text whose one value lies outside its limits."""
    low, high = limits
    ((field, found),) = value.items()
    if not low <= found <= high:
        raise unusable_input(key, low=f"{low:g}", high=f"{high:g}", **{field: f"{found:g}"})


def _ball_diameter(length_mm: float, width_mm: float) -> float:
    pool_length, pool_width = POOL_TABLE_MM
    pool = (
        abs(length_mm - pool_length) <= _SIZE_TOLERANCE_MM
        and abs(width_mm - pool_width) <= _SIZE_TOLERANCE_MM
    )
    return POOL_BALL_MM if pool else DEFAULT_BALL_MM


def _table(length_mm: float, width_mm: float, told_ball_mm: float | None, usual: TableSpec) -> TableSpec:
    snooker = usual.mark_set == "snooker"
    usual_mm = _ball_diameter(length_mm, width_mm) if snooker else usual.ball_diameter_mm
    ball_mm = usual_mm if told_ball_mm is None else told_ball_mm
    _check(_BALL_RANGE_MM, "errors.diameter_of_to_mm", ball_mm=ball_mm)
    shortest, longest = _SIDE_RANGE_MM
    low, high = _RATIO_RANGE
    if not (shortest <= width_mm <= length_mm <= longest) or not low <= length_mm / width_mm <= high:
        raise unusable_input(
            "errors.playing_area_about_twice_as_long",
            shortest=f"{shortest:g}",
            longest=f"{longest:g}",
            length_mm=f"{length_mm:g}",
            width_mm=f"{width_mm:g}",
        )
    make = {"pool": pool_table, "british": british_table}.get(usual.mark_set, small_table)
    try:
        return make(length_mm, width_mm, ball_mm)
    except ValueError as error:
        raise unusable_input("errors.table_ball", error=error) from None


def _with_nose(table: TableSpec, nose_mm: float) -> TableSpec:
    low, high = (round(share * table.ball_diameter_mm, 1) for share in _NOSE_RANGE)
    _check((low, high), "errors.height_of_to_mm_above_the_cloth", nose_mm=nose_mm)
    return replace(table, nose_height_mm=nose_mm, nose_height_sigma_mm=_NOSE_READ_MM)
