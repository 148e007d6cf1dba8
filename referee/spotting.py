"""Whether a colour went back on its spot: where a hand put it, against where it was due (snooker 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from calibration.table import TableSpec
from referee.facts import COLOURS, Placement
from referee.geometry import BallAt, spot_occupied
from referee.records import SeenBall, SeenHand, SpottingCheck

TOLERANCE_MM = 2.0
"""A ball this far off its spot still covers the mark (no rule gives a number; a mark is about 5 mm wide)."""


def check_spotting(
    hand: SeenHand, due: Iterable[Placement], table: TableSpec, layout: Sequence[SeenBall] = ()
) -> SpottingCheck | None:
    """The check of one act of a hand; None where nothing was spotted. `layout`: the balls at rest before it."""
    if hand.to_mm is None or hand.ball not in COLOURS or not table.spots:
        return None
    x, y, sigma = hand.to_mm
    place = next((p for p in due if p.ball == hand.ball), None)
    goal = place.xy_mm if place is not None else table.spots[hand.ball]
    spot = place.spot or hand.ball if place is not None else hand.ball
    dx, dy = x - goal[0], y - goal[1]
    offset = math.hypot(dx, dy)
    if place is None and hand.type != "respot":
        return None  # moved, but not to be spotted
    doubt = abs(offset - TOLERANCE_MM) < 2 * sigma
    ok = None if doubt else offset <= TOLERANCE_MM
    due_mm = (float(goal[0]), float(goal[1]))
    taken = () if place is None or place.spot == hand.ball else _occupants(hand.ball, layout, table)
    return SpottingCheck(hand.ball, spot, hand.t_s, dx, dy, offset, sigma, ok, due_mm, taken)


def _occupants(colour: str, layout: Sequence[SeenBall], table: TableSpec) -> tuple[str, ...]:
    """The balls that a ball on the colour's own spot would touch (snooker 2.18)."""
    balls = (BallAt(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm) for b in layout if b.ball != colour)
    return tuple(b.ball for b in balls if spot_occupied(colour, [b], table).likely)
