"""Finds a cue-ball that has another ball's name: it leaves its place first and drives another ball off.

Looks alone name a yellowed cue-ball after a pale stripe. Its stroke then looks like a hand's doing, because
the ball that is called the cue-ball lies still.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shapely import LineString, Point

from calibration.table.pieces import SNOOKER
from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState, Leg
from tracker.events import Layout
from tracker.identity.numbering import names_for
from tracker.layout.hands import runs_free
from vision.detect.naming import joint_colours

REACH_DIAMETERS = 1.25
"""Two balls touch at one diameter; the rest is what a way is off between two images of it."""
ORDER_S = 0.05
"""The driven ball may be found away from its place this much before the other: about an image."""
NAMED_RIGHT = 0.5
"""Probability of the new name at most (assumed): looks speak for the old one, the motion for the new one."""

BY_MOTION = 6.0
"""Nats by which the looks have to say otherwise again before the motion is doubted."""

Renamed = dict[str, tuple[str, str]]
"""Old name: new name and new kind."""


def cue_under_another_name(moving: Sequence[Ball], balls: Sequence[Ball], table: TableSpec) -> Ball | None:
    """The ball that was struck where the one that is called the cue-ball lies still, or there is none.

    `moving`: the balls that left their places. None where nothing tells: a hand rolls one ball away, but
    hardly one into another. None for snooker, whose white no ball resembles, and for discs.
    """
    if not moving or any(b.is_cue for b in moving):
        return None
    pieces = moving[0].pieces
    if pieces == SNOOKER or pieces.discs or len(pieces.struck) != 1:
        return None
    if any(b.is_cue and b.state is not BallState.REST for b in balls):
        return None
    first = min(moving, key=lambda b: b.legs[0].t_rest_s)
    if not runs_free(first.legs[0]):
        return None
    driven = (b for b in moving if b is not first and runs_free(b.legs[0]))
    reach = REACH_DIAMETERS * table.ball_diameter_mm
    return first if any(_drives_off(first, b.legs[0], reach) for b in driven) else None


def _drives_off(ball: Ball, leg: Leg, reach_mm: float) -> bool:
    """Whether a ball's way comes so near to the place of another that leaves it, by the time it is away."""
    away_s = min((p.t_s for p in leg.points), default=leg.t_rest_s) + ORDER_S
    way = ball.way_mm(away_s)
    return len(way) > 1 and LineString(way).distance(Point(leg.x0_mm, leg.y0_mm)) < reach_mm


def name_cue(struck: Ball, balls: Sequence[Ball]) -> Renamed:
    """Name the struck ball the cue-ball, and the one that had the name after what else it looks like.

    Returns what was renamed; nothing where no name is left for that one.
    """
    pieces = struck.pieces
    owner = next((b for b in balls if b.is_cue), None)
    renamed: Renamed = {struck.name: (pieces.cue, pieces.cue)}
    if owner is not None:
        others = [b for b in balls if b is not owner and b is not struck]
        kind = joint_colours([owner.logp], [pieces.cue, *(b.colour for b in others)], pieces)[0]
        name = names_for([kind], [b.name for b in others], pieces)[0]
        if kind is None or name is None:
            return {}
        renamed[owner.name] = (name, kind)
        owner.name, owner.colour, owner.rest.agreed = name, kind, 0
    struck.name, struck.colour, struck.rest.agreed = pieces.cue, pieces.cue, 0
    for ball in (struck, *([] if owner is None else [owner])):
        ball.expect(max(ball.logp) - ball.logp[ball.own] + BY_MOTION)
    return renamed


def layout_renamed(layout: Layout, renamed: Renamed) -> Layout:
    """The layout with the new names, none of them surer than the motion makes it."""
    return tuple(
        replace(
            p,
            ball=renamed[p.ball][0],
            colour=renamed[p.ball][1],
            confidence=min(p.confidence, NAMED_RIGHT),
        )
        if p.ball in renamed
        else p
        for p in layout
    )
