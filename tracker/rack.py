"""A new triangle, a cut to other balls: the layout changes as no stroke and no hand's single move does."""

from __future__ import annotations

import math

from calibration.table.specs import TableSpec
from tracker.ball import BallState
from tracker.events import Layout
from tracker.follower import Follower
from vision.observation import ImageObservations

MIN_CHANGED = 6


def is_rack(table: TableSpec, layout: Layout) -> bool:
    """Whether the reds stand in a triangle: at least ten of them, packed, each near two others."""
    reds = [p for p in layout if p.colour == "red"]
    if len(reds) < 10:
        return False
    d = table.ball_diameter_mm
    packed = sum(
        sum(math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < 1.15 * d for b in reds if b is not a) >= 2
        for a in reds
    )
    return packed >= 0.9 * len(reds)


def is_triangle(table: TableSpec, layout: Layout) -> bool:
    """The same for a whole triangle as it is set, also the small one of six: every red in a close
    triangle.
    """
    reds = [p for p in layout if p.colour == "red"]
    if len(reds) >= 10:
        return is_rack(table, layout)
    d = table.ball_diameter_mm
    near = [
        sum(math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < 1.15 * d for b in reds if b is not a) for a in reds
    ]
    return len(reds) == 6 and sorted(near) == [2, 2, 2, 4, 4, 4]


def new_balls(follower: Follower, image: ImageObservations) -> bool:
    """Whether a full look shows another layout: many settled strangers, and as many of the known balls
    absent.

    A cover does not count: players in the picture hide balls, they do not add them.
    """
    if image.looked is not None:
        return False
    strangers = [
        i for i in follower.tentatives.items if i.rest.n >= 2 and i.confidence >= 0.5 and not i.misses
    ]
    if len(strangers) < MIN_CHANGED:
        return False
    known = [b for b in follower.balls if b.state is not BallState.GONE]
    absent = sum(b.missed >= 2 or b.state is BallState.LOST for b in known)
    return absent >= 0.5 * len(known) or len(known) + len(strangers) > 22
