"""Whether a colour went back on its spot (snooker 3.7)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from calibration.table.specs import TableSpec
from referee.facts.judged import SpottingCheck
from referee.facts.seen import SeenBall, SeenHand
from referee.match.spotting import ASTRAY_MM, Due, Stood, compared, occupants
from referee.rules.snooker.facts import COLOURS, Placement


def stood_at_first(layout: Sequence[SeenBall], table: TableSpec) -> tuple[Stood, ...]:
    """The colours that stand on their spots in the first layout of a frame or recording."""
    spots = table.spots
    return tuple(
        Stood(b.colour, b.x_mm, b.y_mm)
        for b in layout
        if b.colour in spots and math.dist(spots[b.colour], (b.x_mm, b.y_mm)) < ASTRAY_MM
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
    """The check of one act of a hand; None where nothing was spotted. `layout`: the balls at rest before it;
    `stood`: where colours stood on their spots.
    """
    if hand.ball not in COLOURS or not table.spots:
        return None
    place = next((p for p in due if p.ball == hand.ball), None)
    if place is None and hand.type != "respot":
        return None  # moved, but not to be spotted
    place = place or Placement(hand.ball, hand.ball, table.spots[hand.ball], "")
    taken = () if place.spot == hand.ball else occupants(table.spots[hand.ball], hand.ball, layout, table)
    at = Due(place.spot or hand.ball, place.on(table), place.spot is not None, taken)
    return compared(hand, at, stood)
