"""Counts tries from the strokes of a match: which began from the position, and what became of them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calibration.table.pieces import colour_of
from calibration.table.specs import TableSpec
from referee.console.placement import compare
from referee.console.practice.positions import Position
from referee.outputs.document import Stroke


@dataclass(frozen=True, slots=True)
class Try:
    """One try that began at `at_s` of the match's clock. `made`: balls potted; of `tries` 0 or 1. `by`: who
    said so, None: as the camera saw it. `counts` False: a person took it out.
    """

    at_s: float
    made: int
    by: str | None = None
    counts: bool = True


def tries_of(strokes: Sequence[Stroke], position: Position, table: TableSpec, since_s: float) -> list[Try]:
    """The tries among the strokes from a moment on.

    A try begins where the balls lie as in the position: each within a ball's diameter of its place, and no
    other on the table. Strokes in between, such as one that clears the table, are none.
    """
    later = [s for s in strokes if s["start_s"] is not None and s["start_s"] >= since_s]
    begins = [k for k, s in enumerate(later) if from_position(s, position, table)]
    if position.kind == "tries":
        return [Try(later[k]["start_s"], int(_potted(later[k], position) > 0)) for k in begins]
    out: list[Try] = []
    ended = 0
    for k in begins:
        if k >= ended:
            run, ended = _run(later, k, position)
            out.append(Try(later[k]["start_s"], run))
    return out


def from_position(stroke: Stroke, position: Position, table: TableSpec) -> bool:
    """Whether a stroke began from the position."""
    found = compare(position.by_colour(), stroke["before"], table)
    return all(b.left_mm is not None and b.left_mm <= table.ball_diameter_mm for b in found)


def _potted(stroke: Stroke, position: Position) -> int:
    """Object balls potted that count; none where the cue-ball or another ball left the table."""
    if stroke["cue_ball"] != "on_table" or stroke["off_table"]:
        return 0
    fallen = [colour_of(p["ball"]) for p in stroke["potted"]]
    return sum(position.target in (None, colour) for colour in fallen)


def _run(strokes: Sequence[Stroke], begin: int, position: Position) -> tuple[int, int]:
    """Balls potted from a stroke on until one pots nothing, and the stroke after the run."""
    total = 0
    for k in range(begin, len(strokes)):
        potted = _potted(strokes[k], position)
        if not potted:
            return total, k + 1
        total += potted
    return total, len(strokes)
