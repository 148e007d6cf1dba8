"""A new triangle, a cut to other balls: the layout changes as no stroke and no hand's single move does."""

from __future__ import annotations

import math

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.ball import BallState
from tracker.events import Layout
from vision.observation import ImageObservations

MIN_CHANGED = 6
LEAST_REDS = 10
"""Of snooker's triangle so many are seen at once; of six-red's all six."""
PACKED = 1.15
"""Diameters between the centres of balls that a rack sets side by side."""


def racked(pieces: PieceSet) -> frozenset[str]:
    """The kinds that a rack sets together: snooker's reds, elsewhere all that is not struck."""
    return frozenset(("red",)) if pieces == SNOOKER else frozenset(pieces.names) - pieces.struck


def _full(pieces: PieceSet) -> int:
    return sum(pieces.count(k) for k in racked(pieces))


def whole(pieces: PieceSet) -> tuple[int, ...]:
    """How many balls a whole rack may have: 14.1 racks fourteen too (WPA 4.5)."""
    return (6, 10, 15) if pieces == SNOOKER else (_full(pieces), _full(pieces) - 1)


def least(pieces: PieceSet) -> int:
    """The fewest balls that are looked at as a rack."""
    return 6 if pieces == SNOOKER else max(_full(pieces) - 1, 6)


def is_rack(table: TableSpec, layout: Layout, pieces: PieceSet = SNOOKER) -> bool:
    """Whether the balls stand in a rack: packed, each near two others; of snooker's reds at least ten."""
    balls = [p for p in layout if p.colour in racked(pieces)]
    if len(balls) < (LEAST_REDS if pieces == SNOOKER else least(pieces)):
        return False
    reach = PACKED * table.ball_diameter_mm
    packed = sum(
        sum(math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < reach for b in balls if b is not a) >= 2
        for a in balls
    )
    return packed >= 0.9 * len(balls)


def is_triangle(table: TableSpec, layout: Layout, pieces: PieceSet = SNOOKER) -> bool:
    """The same for a whole rack as it is set, also the small one of six reds, each in a close triangle."""
    reds = [p for p in layout if p.colour in racked(pieces)]
    if len(reds) >= LEAST_REDS or pieces != SNOOKER:
        return is_rack(table, layout, pieces)
    reach = PACKED * table.ball_diameter_mm
    near = [
        sum(math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < reach for b in reds if b is not a) for a in reds
    ]
    return len(reds) == 6 and sorted(near) == [2, 2, 2, 4, 4, 4]


def new_balls(follower: Follower, image: ImageObservations) -> bool:
    """Whether a full look shows another layout: many settled strangers, and as many of the known balls
    absent.

    A cover does not count: players in the picture hide balls, they do not add them. Nor does a known ball
    that is followed to where it lies.
    """
    if image.looked is not None:
        return False
    followed = [b.track for b in follower.balls if b.state is BallState.LEFT and b.track is not None]
    strangers = [
        i
        for i in follower.tentatives.items
        if i.rest.n >= 2 and i.confidence >= 0.5 and not i.misses and not i.is_mark and i.lay_there
        if all(i is not track for track in followed)
    ]
    if len(strangers) < MIN_CHANGED:
        return False
    known = [b for b in follower.balls if b.state is not BallState.GONE]
    absent = sum(b.missed >= 2 or b.state is BallState.LEFT for b in known)
    return absent >= 0.5 * len(known) or len(known) + len(strangers) > len(follower.pieces.pieces)
