"""Positions to practise from: what one is, and those that every table knows.

Line-ups and shots are those that coaches use; their places are ours, made from the table's own measures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.board import origin_of_records_mm
from calibration.table.games import PIECES
from calibration.table.specs import TableSpec
from calibration.texts import unusable_input
from referee.outputs.document import LayoutByColour

Kind = Literal["tries", "run"]
"""`tries`: a pot or a miss from one position, over and over. `run`: balls potted in one visit."""
MOST_BALLS = 22

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Position:
    """Balls to be put on the table. `layout`: `(colour, x_mm, y_mm)` each; `target`: the colour whose pot
    counts, None: any object ball. `own`: a person stored it.
    """

    id: str
    name: str
    kind: Kind
    layout: tuple[tuple[str, float, float], ...]
    target: str | None = None
    own: bool = True

    def by_colour(self) -> LayoutByColour:
        """As the match document has layouts; a place that is meant has no doubt."""
        out: LayoutByColour = {}
        for colour, x, y in self.layout:
            out.setdefault(colour, []).append([x, y, 0.0])
        return out


def layout_of(
    balls: Mapping[str, Sequence[Sequence[float]]], table: TableSpec
) -> tuple[tuple[str, float, float], ...]:
    """A layout from places by colour. Raises UnusableInput for one that no table can hold."""
    found = tuple(
        (colour, round(float(p[0]), 1), round(float(p[1]), 1))
        for colour, places in balls.items()
        for p in places
    )
    known = {k.name for s in PIECES.values() for k in s.kinds} | {"white", "red"}
    up = origin_of_records_mm(table)
    inside = all(
        abs(x) <= table.half_width_mm and table.bottom_mm <= y + up <= table.top_mm for _, x, y in found
    )
    if not found or len(found) > MOST_BALLS or not inside or any(c not in known for c, _, _ in found):
        raise unusable_input("practice.error_layout", most=MOST_BALLS, n=len(found))
    return found


def standard_positions(table: TableSpec) -> tuple[Position, ...]:
    """The line-ups and shots that every snooker table knows; none for other tables."""
    spots = table.spots
    if "black" not in spots or "blue" not in spots or table.baulk_line_mm is None:
        return ()
    return *_line_ups(table), *_shots(table, table.baulk_line_mm)


def _line_ups(table: TableSpec) -> Iterator[Position]:
    """Runs: reds on the middle line, in a cross and in a T, and the colours alone."""
    spots, d = table.spots, 2 * table.ball_radius_mm
    blue, pink, black = spots["blue"][1], spots["pink"][1], spots["black"][1]
    colours = tuple((c, x, y) for c, (x, y) in spots.items())
    line = [blue + k * (pink - blue) / 6 for k in range(1, 6)]
    line += [pink + k * (black - pink) / 6 for k in range(1, 6)]
    line += [black + k * (table.length_mm - black) / 6 for k in range(1, 6)]
    cross = [(x * 4 * d, (blue + pink) / 2) for x in (-2, -1, 1, 2)] + [(0.0, y) for y in line[:10:2]]
    tee = [(x * 3 * d, pink + 4 * d) for x in (-2, -1, 1, 2)] + [(0.0, y) for y in line[5:10]]
    white = ("white", -0.3 * table.half_width_mm, blue - 6 * d)
    runs: dict[str, list[Place]] = {
        "line_up": [(0.0, y) for y in line],
        "cross": cross,
        "tee": tee,
        "colours": [],
    }
    for key, reds in runs.items():
        yield _standard(key, "run", (*colours, *(("red", x, y) for x, y in reds), white))


def _shots(table: TableSpec, baulk: float) -> Iterator[Position]:
    """Single shots, tried again and again."""
    spots, half, d = table.spots, table.half_width_mm, 2 * table.ball_radius_mm
    blue, pink, black = spots["blue"][1], spots["pink"][1], spots["black"][1]
    shots: dict[str, tuple[str, Place, Place]] = {
        "long_straight": ("red", (0.5 * half, blue), _behind(half, blue, baulk)),
        "black_off_spot": ("black", spots["black"], (-0.45 * half, black - 9 * d)),
        "blue_to_middle": ("blue", spots["blue"], (-0.35 * half, blue - 7 * d)),
        "pink_thin": ("pink", spots["pink"], (-0.2 * half, pink + 6 * d)),
        "cushion_red": ("red", (half - d / 2 - 1.0, pink), (0.3 * half, pink - 10 * d)),
    }
    for key, (ball, place, white) in shots.items():
        yield _standard(key, "tries", ((ball, *place), ("white", *white)))


def _behind(half: float, blue: float, baulk: float) -> Place:
    """The cue-ball on the line from the top right pocket through the red of the long straight pot."""
    red: Place = (0.5 * half, blue)
    pocket: Place = (half, 2 * blue)
    share = (red[1] - (baulk - 120.0)) / (pocket[1] - red[1])
    return red[0] - share * (pocket[0] - red[0]), baulk - 120.0


def _standard(key: str, kind: Kind, layout: tuple[tuple[str, float, float], ...]) -> Position:
    rounded = tuple((c, round(x, 1), round(y, 1)) for c, x, y in layout)
    return Position(f"std-{key}", key, kind, rounded, own=False)
