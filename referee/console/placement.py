"""Compares where balls lie with where they belong: colours on spots, positions to be restored.

Pure; positions in mm, table frame. "Uncertainty" is two standard deviations of the distance's axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from calibration.table.board import SEATS, board_of, table_from_board, turned
from calibration.table.games import GAMES
from calibration.table.specs import PointMm, TableSpec
from referee.geometry import BallAt, spot_occupied
from referee.geometry.spots import BY_VALUE, Spotted, spot_colours
from referee.match.spotting import NEAR_SPOT_MM, TOLERANCE_MM, lies_on
from referee.outputs.document import SpottingJson
from referee.rules.common import racks

RESTORE_TOLERANCE_MM = 1.5  # a ball this near to its target counts as in place
COVERAGE = 2.0
"""Standard deviations that count as uncertainty (95 % of one axis)."""

Finding = Literal["on", "off", "unsure"]
_FINDINGS: dict[bool | None, Finding] = {True: "on", False: "off", None: "unsure"}


@dataclass(frozen=True, slots=True)
class SpotFinding:
    """One colour compared with the spot on which it lies or was put.

    `due`: the place where it belongs (its own spot, or the one due instead). `occupied_by`: the balls
    that keep it from its own spot. `t_s` None for a picture.
    """

    ball: str
    spot: str
    t_s: float | None
    due_mm: tuple[float, float]
    dx_mm: float
    dy_mm: float
    offset_mm: float
    sigma_mm: float
    finding: Finding
    occupied_by: tuple[str, ...]


def finding_of(offset_mm: float, sigma_mm: float, tolerance_mm: float = TOLERANCE_MM) -> Finding:
    """The answer of `lies_on` as a word."""
    return _FINDINGS[lies_on(offset_mm, sigma_mm, tolerance_mm)]


def due_place(check: SpottingJson, marks: Mapping[str, tuple[float, float]]) -> tuple[float, float] | None:
    """The place at which a colour was due in a spotting check; older reviews name the spot only."""
    due = check.get("due_mm")
    return (due[0], due[1]) if due else marks.get(check["spot"])


def spots_of_layout(
    layout: Sequence[BallAt], table: TableSpec, tolerance_mm: float = TOLERANCE_MM
) -> tuple[SpotFinding, ...]:
    """Every colour that lies near a spot, compared with that spot; colours in play are left out.

    A colour near another's spot counts as put there because its own is occupied, when it is.
    """
    out: list[SpotFinding] = []
    for ball in layout:
        if ball.colour not in table.spots:
            continue
        near = [s for s in BY_VALUE if math.dist(table.spots[s], ball.xy) <= NEAR_SPOT_MM]
        others = [b for b in layout if b is not ball]
        taken = occupants(ball.colour, others, table)
        if not near or (ball.colour not in near and not taken):
            continue
        spot = ball.colour if ball.colour in near else near[0]
        out.append(_compared(ball, spot, table.spots[spot], tolerance_mm, taken))
    return tuple(out)


def game_spots_of_layout(
    layout: Sequence[BallAt], game: str, table: TableSpec, tolerance_mm: float = TOLERANCE_MM
) -> tuple[SpotFinding, ...]:
    """Of a game other than snooker: for each spot the nearest piece that the rules put on it, compared with
    it; further off it is in play. `table`: with the sizes that calibration measured.
    """
    marks, out = table.marked_spots, []
    for spot in GAMES[game].spotted:
        due = marks.get(spot.mark)
        near = [b for b in layout if b.colour in spot.kinds and due and math.dist(due, b.xy) <= NEAR_SPOT_MM]
        if due is None or not near:
            continue
        ball = min(near, key=lambda b: math.dist(due, b.xy))
        out.append(_compared(ball, spot.name, due, tolerance_mm))
    return tuple(out)


RACKED_SHARE = 0.7
"""Share of a rack's places that must have a piece within a diameter, so that a layout counts as racked."""


def rack_of_layout(
    layout: Sequence[BallAt], game: str, table: TableSpec, tolerance_mm: float = TOLERANCE_MM
) -> tuple[SpotFinding, ...]:
    """Every piece of a racked layout compared with its place in the game's rack; empty where none is racked.

    `table`: with the sizes that calibration measured. Where the rules name the piece of a place (the one at
    the apex, the nine in the middle, the black on its spot, the Queen), another one there is off.
    """
    if not layout:
        return ()
    fits = [_fit_of(layout, due, table) for due in _places(game, table)]
    best = min(fits, key=lambda f: round(f.away_mm, _SAME_FIT))
    if len(best.pairs) < RACKED_SHARE * len(best.due_mm):
        return ()
    fixed = racks.fixed_pieces(game)
    return tuple(
        _in_rack(layout[ball], place, best.due_mm[place], fixed.get(place), tolerance_mm)
        for place, ball in best.pairs
    )


def _in_rack(ball: BallAt, place: int, due: PointMm, wanted: str | None, tolerance_mm: float) -> SpotFinding:
    """A piece compared with a place of the rack. `wanted`: the piece that the rules put there, if any."""
    spot = f"the {wanted}'s place" if wanted else f"place {place + 1}"
    found = _compared(ball, spot, due, tolerance_mm)
    return found if wanted in (None, ball.colour) else replace(found, finding="off")


@dataclass(frozen=True, slots=True)
class _Fit:
    """A layout against a rack.

    `due_mm`: the rack's places, table frame. `pairs`: index of a place and of the piece within a diameter of
    it. `away_mm`: sum of all distances, none counted as more than two diameters.
    """

    due_mm: tuple[PointMm, ...]
    pairs: tuple[tuple[int, int], ...]
    away_mm: float


_SAME_FIT = 6
"""Decimals of a millimetre: half a turn of carrom's rack has the same places but for rounding."""


def _places(game: str, table: TableSpec) -> list[tuple[PointMm, ...]]:
    """The places of the rack, table frame, in every way that the game allows.

    A carrom board looks the same from four sides, and law 41(a) names none of them for its rack, whose
    hexagon a quarter turn changes.
    """
    if not table.is_board:
        return [tuple(b.xy_mm for b in racks.rack(game, surface=table).balls)]
    balls = racks.rack(game, surface=board_of(table)).balls
    return [tuple(table_from_board(turned(b.xy_mm, seat), table) for b in balls) for seat in SEATS]


def _fit_of(layout: Sequence[BallAt], due: tuple[PointMm, ...], table: TableSpec) -> _Fit:
    """The pieces of a layout on the places of a rack so that their distances are least."""
    diameter = table.ball_diameter_mm
    away = np.array([[math.dist(b.xy, place) for b in layout] for place in due])
    capped = np.minimum(away, 2 * diameter)
    rows, columns = scipy.optimize.linear_sum_assignment(capped)
    pairs = tuple((int(r), int(c)) for r, c in zip(rows, columns, strict=True) if away[r, c] < diameter)
    return _Fit(due, pairs, float(capped[rows, columns].sum()))


def occupants(spot: str, layout: Sequence[BallAt], table: TableSpec) -> tuple[str, ...]:
    """The balls that a ball on that spot would touch (snooker 2.18)."""
    return tuple(b.ball for b in layout if spot_occupied(spot, [b], table).likely)


def due_now(layout: Sequence[BallAt], table: TableSpec) -> dict[str, Spotted]:
    """For each colour whose spot another ball occupies: where it would have to go (snooker 3.7)."""
    out: dict[str, Spotted] = {}
    for colour in table.spots:
        others = [b for b in layout if b.colour != colour]
        if occupants(colour, others, table):
            out[colour] = spot_colours([colour], others, table)[0]
    return out


def _compared(
    ball: BallAt, spot: str, due: PointMm, tolerance_mm: float, taken: tuple[str, ...] = ()
) -> SpotFinding:
    """A piece compared with the place where it is due. `taken`: the balls that keep it from there."""
    dx, dy = ball.x_mm - due[0], ball.y_mm - due[1]
    offset = math.hypot(dx, dy)
    found = finding_of(offset, ball.sigma_mm, tolerance_mm)
    return SpotFinding(ball.colour, spot, None, due, dx, dy, offset, ball.sigma_mm, found, taken)


@dataclass(frozen=True, slots=True)
class BallToPlace:
    """One ball of a position that is to be restored.

    `target_mm` None: the ball was not on the table and comes off. `now_mm` None: it is missing and goes
    on. `left_mm`: what is still to go, None when one side is missing. `was_on_spot`: it lay on its spot.
    """

    colour: str
    target_mm: tuple[float, float] | None
    now_mm: tuple[float, float] | None
    left_mm: float | None
    dx_mm: float | None
    dy_mm: float | None
    sigma_mm: float
    done: bool
    was_on_spot: bool


def compare(
    target: Mapping[str, Sequence[Sequence[float]]],
    now: Mapping[str, Sequence[Sequence[float]]],
    table: TableSpec,
    tolerance_mm: float = RESTORE_TOLERANCE_MM,
) -> tuple[BallToPlace, ...]:
    """Every ball that is or was on the table, colour by colour; `[x_mm, y_mm, sigma_mm]` by colour.

    Balls of one colour are paired so that the sum of the distances is least: reds have no names.
    """
    out: list[BallToPlace] = []
    for colour in dict.fromkeys((*target, *now)):
        a, b = list(target.get(colour, ())), list(now.get(colour, ()))
        pairs = _pairs(a, b)
        used_a, used_b = {i for i, _ in pairs}, {j for _, j in pairs}
        out += [_to_place(colour, a[i], b[j], table, tolerance_mm) for i, j in pairs]
        out += [_to_place(colour, p, None, table, tolerance_mm) for i, p in enumerate(a) if i not in used_a]
        out += [_to_place(colour, None, p, table, tolerance_mm) for j, p in enumerate(b) if j not in used_b]
    return tuple(out)


def _to_place(
    colour: str,
    target: Sequence[float] | None,
    now: Sequence[float] | None,
    table: TableSpec,
    tolerance_mm: float,
) -> BallToPlace:
    spot = table.spots.get(colour)
    on_spot = (
        target is not None
        and spot is not None
        and math.dist(spot, target[:2]) <= TOLERANCE_MM + COVERAGE * target[2]
    )
    a = (target[0], target[1]) if target is not None else None
    b = (now[0], now[1]) if now is not None else None
    sigma = math.hypot(target[2] if target is not None else 0.0, now[2] if now is not None else 0.0)
    if a is None or b is None:
        return BallToPlace(colour, a, b, None, None, None, sigma, False, on_spot)
    dx, dy = a[0] - b[0], a[1] - b[1]
    left = math.hypot(dx, dy)
    return BallToPlace(
        colour, a, b, left, dx, dy, sigma, left <= max(tolerance_mm, COVERAGE * sigma), on_spot
    )


def _pairs(a: Sequence[Sequence[float]], b: Sequence[Sequence[float]]) -> list[tuple[int, int]]:
    if not a or not b:
        return []

    cost = np.array([[math.dist(p[:2], q[:2]) for q in b] for p in a])
    rows, columns = scipy.optimize.linear_sum_assignment(cost)
    return [(int(i), int(j)) for i, j in zip(rows, columns, strict=True)]
