"""English billiards: where balls lie after a stroke, and where the referee puts them (3.8, 3.10(c), 3.13)."""

from __future__ import annotations

import math
from collections.abc import Iterable

from calibration.table.specs import PointMm, TableSpec
from referee.rules.english_billiards.types import (
    HAZARD_LIMIT,
    Ball,
    Placement,
    RedState,
    Spot,
    State,
    Stroke,
    index,
    other,
)

_RED_ORDER = (Spot.SPOT, Spot.PYRAMID, Spot.CENTRE)  # 3.8(a)
_RED_ORDER_AFTER_TWO = (Spot.CENTRE, Spot.PYRAMID, Spot.SPOT)  # 3.8(b)
POTS_TO_CENTRE = 2  # 3.8(b): potted twice in succession from the Spot or the Pyramid Spot


def layout_after(stroke: Stroke) -> dict[Ball, PointMm]:
    """Known places of the balls on the table at the end; a ball that the cue-ball left alone stayed."""
    gone: set[Ball] = {*stroke.potted, *stroke.off_table}
    if stroke.cue_ball != "on_table":
        gone.add("cue")
    moved: set[Ball] = {*stroke.object_contacts, "cue"}
    places: dict[Ball, PointMm] = {b.ball: (b.x_mm, b.y_mm) for b in stroke.before if b.ball not in moved}
    places.update({b.ball: (b.x_mm, b.y_mm) for b in stroke.after})
    return {ball: xy for ball, xy in places.items() if ball not in gone}


def in_baulk(xy: PointMm, table: TableSpec) -> bool:
    """2.14: a ball is in baulk when it rests on the baulk-line or below it."""
    return table.baulk_line_mm is not None and xy[1] <= table.baulk_line_mm


def occupied(spot: Spot, others: Iterable[PointMm], table: TableSpec) -> bool:
    """2.19: a ball cannot be placed on the spot without touching another ball."""
    x, y = spot.xy_mm(table)
    return any(math.hypot(x - a, y - b) <= table.ball_diameter_mm for a, b in others)


def placement(ball: Ball, spot: Spot, table: TableSpec) -> Placement:
    return Placement(ball, spot, *spot.xy_mm(table))


def first_free(order: tuple[Spot, ...], others: Iterable[PointMm], table: TableSpec) -> Spot:
    """The first spot of the order that is not occupied (three balls cannot occupy all three)."""
    places = tuple(others)
    return next((s for s in order if not occupied(s, places, table)), order[0])


def red_after(state: State, stroke: Stroke, fair_points: int | None) -> tuple[RedState, bool]:
    """The red's account after a stroke, and whether the Centre Spot is due to it (3.8(b), (c)).

    `fair_points`: what the stroke scored, None for a foul. A pot counts towards two in succession when
    it is the stroke's only score and the red lay on the Spot or the Pyramid Spot by hand, untouched.
    """
    red = state.red
    if "red" in stroke.potted and fair_points is not None:
        alone = fair_points == 3 and red.on in (Spot.SPOT, Spot.PYRAMID)
        pots = red.pots + 1 if alone else 0
        if pots >= POTS_TO_CENTRE:
            return RedState(None, 0, True), True
        return RedState(red.on if alone else None, pots, True), False
    if red.off_table or "red" in stroke.potted or "red" in stroke.off_table:
        return RedState(None, 0, True), False
    if "red" in stroke.object_contacts:
        return RedState(None, 0, False), False
    return RedState(red.on, red.pots if fair_points == 0 else 0, False), False


def spot_red(
    red: RedState, centre_due: bool, stroke: Stroke, table: TableSpec
) -> tuple[RedState, Placement | None]:
    """Spots a red that is off the table: 3.8(a), or 3.8(b) when it has been potted twice in succession.

    The count goes on only when the red comes back to the spot from which it was potted.
    """
    if not red.off_table:
        return red, None
    others = [xy for ball, xy in layout_after(stroke).items() if ball != "red"]
    spot = first_free(_RED_ORDER_AFTER_TWO if centre_due else _RED_ORDER, others, table)
    pots = red.pots if red.on is spot else 0
    return RedState(spot, pots), placement("red", spot, table)


def hazard_limit_placement(
    state: State, hazards: int, stroke: Stroke, red_at: PointMm | None
) -> Placement | None:
    """3.10(c): after the fifteenth hazard the non-striker's ball comes back if his own last stroke lost
    it.
    """
    owner = index(other(state.side))
    if hazards != HAZARD_LIMIT or not state.in_hand[owner] or not state.off_by_owner[owner]:
        return None
    table = state.rules.table
    others = [xy for ball, xy in layout_after(stroke).items() if ball != "white"]
    if red_at is not None:
        others.append(red_at)
    spot = first_free((Spot.BAULK_MIDDLE, Spot.D_RIGHT), others, table)
    return placement("white", spot, table)


def respot_for_in_hand(white_on_table: bool, table: TableSpec) -> tuple[Placement, ...]:
    """Red on the Spot and the object white on the Centre Spot: 3.13, 3.15(c)(ii)."""
    red = placement("red", Spot.SPOT, table)
    return (red, placement("white", Spot.CENTRE, table)) if white_on_table else (red,)
