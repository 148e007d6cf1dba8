"""The notes of a calibration: what was assumed or is ambiguous, in plain sentences."""

from __future__ import annotations

from collections.abc import Iterator

from calibration.find.table import Found
from calibration.solve.model import Fit, Points
from calibration.solve.size import LIKELIER, is_told
from calibration.solve.unknowns import ARC, BAULK
from calibration.table.specs import TableSpec

AS_TOLD = "as told"
"""Stands in place of the reason for a table's end where a person said which one it is; it gives no note."""

ASSUMED_END = 0.5
"""Certainty of a board's bottom side where nothing shows it."""

BOARD_ASSUMED = "nobody told where player A sits: the side at the bottom of the picture is taken"


def notes_of(
    found: Found, points: Points, table: TableSpec, fit: Fit, end_told_by: tuple[str, ...]
) -> Iterator[str]:
    """All notes of a solution. `table`: as given, before it was measured. `end_told_by`: reasons for the end
    y = 0 where no mark of the cloth shows it.
    """
    if table.is_board:
        if found.baulk_certainty <= ASSUMED_END:
            yield BOARD_ASSUMED
        return
    if found.marks is None:
        yield from _end_notes(found, table, end_told_by)
    else:
        yield from _mark_notes(found, points, table)
    yield from _size_notes(table, fit)


def _end_notes(found: Found, table: TableSpec, end_told_by: tuple[str, ...]) -> Iterator[str]:
    """How the ends are told apart where no mark of the cloth shows them."""
    if found.spotted is not None:
        yield f"no baulk line was seen: {found.spotted.count} colours on their spots tell which end it is"
    elif end_told_by:
        yield from (reason for reason in end_told_by if reason != AS_TOLD)
    elif table.cross_line_mm is None:
        yield "this table has no baulk marks: the end at the left or bottom of the picture is called baulk"
    else:
        mark, end = ("baulk line", "baulk") if table.line_is_drawn else ("head string", "head")
        yield f"no {mark} was seen: the end at the left or bottom of the picture is called {end}"


def _mark_notes(found: Found, points: Points, table: TableSpec) -> Iterator[str]:
    """Which marks of the cloth are missing, and which were measured in the picture."""
    assert found.marks is not None
    has_d = table.d_radius_mm is not None
    if has_d and (found.marks.arc is None or not (points.mark == ARC).any()):
        yield "the baulk line was seen but not the D"
    if not table.marks_measured:
        which = "baulk line and D were" if has_d else "the baulk line was"
        roughly = "" if (points.mark == BAULK).any() else " roughly"
        yield f"{which} measured in the picture{roughly}"


def _size_notes(table: TableSpec, fit: Fit) -> Iterator[str]:
    """Whether the table's size was given, and whether the picture agrees with it."""
    size = f"{fit.table.length_mm:.0f} x {fit.table.width_mm:.0f} mm"
    told = f"{table.length_mm:.0f} x {table.width_mm:.0f} mm"
    if fit.as_told < LIKELIER:
        yield (
            f"the table was told to be {told} and looks like one of {size}: measure it again, from nose to"
            " nose; positions are stated with that doubt"
        )
    elif fit.as_told < 1.0:
        yield (
            f"the table was told to be {told} and does not quite look like it: positions are stated with that"
            " doubt"
        )
    if not is_told(table) and table.mark_set == "snooker":
        yield (
            f"the table's size was not given: {size}, estimated from its marks; positions are stated with"
            " that doubt"
        )
