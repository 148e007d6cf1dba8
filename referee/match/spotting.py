"""Whether a piece went back on its spot: where a hand put it, against where it was due."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.specs import PointMm, TableSpec
from referee.facts.judged import SpottingCheck
from referee.facts.seen import SeenBall, SeenHand
from referee.geometry import BallAt
from referee.geometry.spots import occupied

TOLERANCE_MM = 2.0
"""Between half of this and one and a half either word is fair: a ball up to 1 mm from its spot is on it,
from 3 mm it is not (no rule gives a number; a mark is about 5 mm wide, and a hand puts a ball back to
about a millimetre).
"""

NEAR_SPOT_MM = 40.0
"""A piece this near to a spot is taken to have been put on it; further off it is in play."""

_Z = 2.326
"""One wrong word in a hundred is allowed (one-sided)."""

_SAME_SPOT_MM = 12.0
"""A visible mark this close to the computed spot is that spot's (a mark covers 5 to 8 mm)."""


ASTRAY_MM = 20.0
"""A colour that stood this near to its computed spot stood on it: in real rooms calibration erred by up to
12 mm.
"""

_PLACED_MM = 1.0
"""One sigma with which a hand puts a ball on its spot: the ball that stood there before is off by as much."""

_AGREE = 3.0
"""Sigmas by which the mark and the place where the ball stood before may differ."""

Reference = Literal["before", "mark", "computed"]


@dataclass(frozen=True, slots=True)
class Stood:
    """Where a colour stood on its spot so far: mean place (mm) of so many times that a hand put it there."""

    ball: str
    x_mm: float
    y_mm: float
    times: int = 1

    def again(self, x_mm: float, y_mm: float) -> Stood:
        """With one more place."""
        n = self.times + 1
        return Stood(self.ball, self.x_mm + (x_mm - self.x_mm) / n, self.y_mm + (y_mm - self.y_mm) / n, n)


@dataclass(frozen=True, slots=True)
class Due:
    """Where a piece is due: `spot` by its name, `marked` if it is that spot and no place beside it.
    `occupied_by`: the pieces that keep it from its own spot.
    """

    spot: str
    at_mm: PointMm
    marked: bool
    occupied_by: tuple[str, ...] = ()


def compared(hand: SeenHand, due: Due, stood: Sequence[Stood] = ()) -> SpottingCheck | None:
    """Where a hand put a piece, against where it was due; None where nobody saw where it was put.

    `stood`: where pieces stood on their spots. That place and the spot's visible mark were seen through the
    same camera, so that its errors cancel; the computed spot is the last resort.
    """
    if hand.to_mm is None:
        return None
    goal, (x, y, sigma) = due.at_mm, hand.to_mm
    reference: Reference = "computed"
    if due.marked and hand.own_sigma_mm is not None:
        here = next((s for s in stood if s.ball == due.spot), None)
        reference, goal, sigma = _seen_goal(hand, hand.own_sigma_mm, goal, sigma, here)
    dx, dy = x - goal[0], y - goal[1]
    offset = math.hypot(dx, dy)
    return SpottingCheck(
        ball=hand.ball,
        spot=due.spot,
        t_s=hand.t_s,
        dx_mm=dx,
        dy_mm=dy,
        offset_mm=offset,
        sigma_mm=sigma,
        ok=lies_on(offset, sigma),
        due_mm=(float(goal[0]), float(goal[1])),
        occupied_by=due.occupied_by,
        reference=reference,
    )


def _seen_goal(
    hand: SeenHand, own: float, goal: tuple[float, float], sigma: float, here: Stood | None
) -> tuple[Reference, tuple[float, float], float]:
    """What the place is compared with, where that is, and the sigma of the comparison (mm).

    `own`: sigma of the ball's place as seen. The mark knows more; it is another thing's where it lies too
    far from where the ball stood before.
    """
    mark = hand.mark_mm
    if mark is not None and math.dist(mark[:2], goal) >= _SAME_SPOT_MM:
        mark = None
    before: tuple[float, float] | None = None
    spread = math.hypot(own, _PLACED_MM / math.sqrt(here.times)) if here is not None else 0.0
    if here is not None and math.dist((here.x_mm, here.y_mm), goal) < ASTRAY_MM:
        before = here.x_mm, here.y_mm
    if mark is not None and before is not None:
        apart = math.dist(mark[:2], before)
        mark = mark if apart < _AGREE * math.hypot(mark[2], spread) else None
    if mark is not None:
        return "mark", (mark[0], mark[1]), math.hypot(own, mark[2])
    if before is not None:
        return "before", before, math.hypot(own, spread)
    return "computed", goal, sigma


def occupants(spot_mm: PointMm, ball: str, layout: Sequence[SeenBall], table: TableSpec) -> tuple[str, ...]:
    """The other pieces that one on that spot would touch (snooker 2.18)."""
    others = (BallAt(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm) for b in layout if b.ball != ball)
    return tuple(b.ball for b in others if occupied(spot_mm, [b], table).likely)


def lies_on(offset_mm: float, sigma_mm: float, tolerance_mm: float = TOLERANCE_MM) -> bool | None:
    """Whether a ball measured `offset_mm` from its spot lies on it; None where the measurement cannot tell.

    Off is said only when half of the tolerance or less can be ruled out (1 mm), on only when one and a
    half of it or more can (3 mm).
    """
    not_on = offset_mm - _Z * sigma_mm > tolerance_mm / 2
    not_off = offset_mm + _Z * sigma_mm < 1.5 * tolerance_mm
    if not_on and not_off:
        return offset_mm <= tolerance_mm
    return None if not_on == not_off else not_off
