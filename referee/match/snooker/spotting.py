"""Whether a colour went back on its spot: where a hand put it, against where it was due (snooker 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.specs import TableSpec
from referee.facts.judged import SpottingCheck
from referee.facts.seen import SeenBall, SeenHand
from referee.geometry import BallAt, spot_occupied
from referee.rules.snooker.facts import COLOURS, Placement

TOLERANCE_MM = 2.0
"""Between half of this and one and a half either word is fair: a ball up to 1 mm from its spot is on it,
from 3 mm it is not (no rule gives a number; a mark is about 5 mm wide, and a hand puts a ball back to
about a millimetre).
"""

_Z = 2.326
"""One wrong word in a hundred is allowed (one-sided)."""

_SAME_SPOT_MM = 12.0
"""A visible mark this close to the computed spot is that spot's (a mark covers 5 to 8 mm)."""


_ASTRAY_MM = 20.0
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


def stood_at_first(layout: Sequence[SeenBall], table: TableSpec) -> tuple[Stood, ...]:
    """The colours that stand on their spots in the first layout of a frame or recording."""
    spots = table.spots
    return tuple(
        Stood(b.colour, b.x_mm, b.y_mm)
        for b in layout
        if b.colour in spots and math.dist(spots[b.colour], (b.x_mm, b.y_mm)) < _ASTRAY_MM
    )


def with_respot(stood: tuple[Stood, ...], hand: SeenHand, check: SpottingCheck) -> tuple[Stood, ...]:
    """The places with a respot that was not off its own spot."""
    if hand.to_mm is None or check.ok is False or check.spot != check.ball:
        return stood
    x, y, _ = hand.to_mm
    known = next((s for s in stood if s.ball == hand.ball), None)
    rest = tuple(s for s in stood if s is not known)
    return (*rest, Stood(hand.ball, x, y) if known is None else known.again(x, y))


def check_spotting(
    hand: SeenHand,
    due: Iterable[Placement],
    table: TableSpec,
    layout: Sequence[SeenBall] = (),
    stood: Sequence[Stood] = (),
) -> SpottingCheck | None:
    """The check of one act of a hand; None where nothing was spotted.

    `layout`: the balls at rest before it. `stood`: where colours stood on their spots. That place and the
    spot's visible mark were seen through the same camera, so that its errors cancel; the computed spot is
    the last resort.
    """
    if hand.to_mm is None or hand.ball not in COLOURS or not table.spots:
        return None
    place = next((p for p in due if p.ball == hand.ball), None)
    if place is None and hand.type != "respot":
        return None  # moved, but not to be spotted
    place = place or Placement(hand.ball, hand.ball, table.spots[hand.ball], "")
    spot, goal = place.spot or hand.ball, place.on(table)
    x, y, sigma = hand.to_mm
    reference: Reference = "computed"
    if place.spot is not None and hand.own_sigma_mm is not None:
        here = next((s for s in stood if s.ball == spot), None)
        reference, goal, sigma = _seen_goal(hand, hand.own_sigma_mm, goal, sigma, here)
    dx, dy = x - goal[0], y - goal[1]
    offset = math.hypot(dx, dy)
    return SpottingCheck(
        ball=hand.ball,
        spot=spot,
        t_s=hand.t_s,
        dx_mm=dx,
        dy_mm=dy,
        offset_mm=offset,
        sigma_mm=sigma,
        ok=lies_on(offset, sigma),
        due_mm=(float(goal[0]), float(goal[1])),
        occupied_by=() if place.spot == hand.ball else _occupants(hand.ball, layout, table),
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
    if here is not None and math.dist((here.x_mm, here.y_mm), goal) < _ASTRAY_MM:
        before = here.x_mm, here.y_mm
    if mark is not None and before is not None:
        apart = math.dist(mark[:2], before)
        mark = mark if apart < _AGREE * math.hypot(mark[2], spread) else None
    if mark is not None:
        return "mark", (mark[0], mark[1]), math.hypot(own, mark[2])
    if before is not None:
        return "before", before, math.hypot(own, spread)
    return "computed", goal, sigma


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


def _occupants(colour: str, layout: Sequence[SeenBall], table: TableSpec) -> tuple[str, ...]:
    """The balls that a ball on the colour's own spot would touch (snooker 2.18)."""
    balls = (BallAt(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm) for b in layout if b.ball != colour)
    return tuple(b.ball for b in balls if spot_occupied(colour, [b], table).likely)
