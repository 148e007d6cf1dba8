"""Whether a colour went back on its spot: where a hand put it, against where it was due (snooker 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

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


def check_spotting(
    hand: SeenHand, due: Iterable[Placement], table: TableSpec, layout: Sequence[SeenBall] = ()
) -> SpottingCheck | None:
    """The check of one act of a hand; None where nothing was spotted. `layout`: the balls at rest before
    it.
    """
    if hand.to_mm is None or hand.ball not in COLOURS or not table.spots:
        return None
    x, y, sigma = hand.to_mm
    place = next((p for p in due if p.ball == hand.ball), None)
    goal = place.xy_mm if place is not None else table.spots[hand.ball]
    spot = place.spot or hand.ball if place is not None else hand.ball
    if place is None and hand.type != "respot":
        return None  # moved, but not to be spotted
    on_spot = place is None or place.spot is not None
    mark, own = hand.mark_mm, hand.own_sigma_mm
    against_mark = (
        on_spot and mark is not None and own is not None and math.dist(mark[:2], goal) < _SAME_SPOT_MM
    )
    if against_mark:
        assert mark is not None and own is not None
        goal, sigma = (mark[0], mark[1]), math.hypot(own, mark[2])
    dx, dy = x - goal[0], y - goal[1]
    offset = math.hypot(dx, dy)
    due_mm = (float(goal[0]), float(goal[1]))
    taken = () if place is None or place.spot == hand.ball else _occupants(hand.ball, layout, table)
    return SpottingCheck(
        hand.ball,
        spot,
        hand.t_s,
        dx,
        dy,
        offset,
        sigma,
        lies_on(offset, sigma),
        due_mm,
        taken,
        "mark" if against_mark else "computed",
    )


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
