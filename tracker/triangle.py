"""A new triangle set by hands: read as a whole, because nobody can follow fifteen reds through six arms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.specs import TableSpec
from tracker import rack
from tracker.ball import Ball, BallState
from tracker.events import Layout
from tracker.follower import Follower
from tracker.people import near_cover
from vision.observation import BALL_CLASSES, ImageObservations

LEAST_MOVED = 3
"""Reds that lie where none lay after the last stroke: no stroke and no respot does that to three."""
_LEAST_REDS = 6
_WHOLE = (6, 10, 15)
_LOOKS, _LOOKS_DOUBTFUL = 2, 4
_SURE = 0.5


@dataclass(slots=True)
class TriangleWatch:
    """Looks for a triangle that hands have set since the last stroke. `lay_mm`: where the reds lay then.

    `looks`: whole looks in a row that showed it. The second confirms it, later ones where a red is missing.
    """

    lay_mm: tuple[tuple[float, float], ...] = ()
    looks: int = 0

    def settled(self, balls: list[Ball]) -> None:
        """A stroke is over, or a layout was read: what comes later is compared with this."""
        self.lay_mm = tuple(
            (b.rest.x_mm, b.rest.y_mm) for b in balls if b.colour == "red" and b.state is BallState.REST
        )
        self.looks = 0

    def look(self, table: TableSpec, image: ImageObservations) -> Follower | None:
        """The balls named afresh, where whole looks in a row show a new triangle; else None."""
        if image.looked is not None:
            return None
        reds = sum(o.colour == "red" and o.confidence >= _SURE for o in image.observations)
        fresh = _named(table, image) if reds >= _LEAST_REDS else None
        if fresh is None or not self._new(table, _lying(fresh), image):
            self.looks = 0
            return None
        self.looks += 1
        whole = sum(b.colour == "red" for b in fresh.balls) in _WHOLE
        return fresh if self.looks >= (_LOOKS if whole else _LOOKS_DOUBTFUL) else None

    def _new(self, table: TableSpec, layout: Layout, image: ImageObservations) -> bool:
        if not rack.is_triangle(table, layout):
            return False
        reds = [p for p in layout if p.colour == "red"]
        reach = table.ball_diameter_mm
        if any(near_cover(image.covered, p.x_mm, p.y_mm, reach) for p in reds):
            return False  # still being set
        moved = sum(all(math.hypot(p.x_mm - x, p.y_mm - y) > reach / 2 for x, y in self.lay_mm) for p in reds)
        return moved >= LEAST_MOVED


def _named(table: TableSpec, image: ImageObservations) -> Follower:
    fresh = Follower(table)
    fresh.begin(image)
    return fresh


def _lying(follower: Follower) -> Layout:
    return tuple(b.placed() for b in follower.balls if b.state is BallState.REST)


def expected(follower: Follower, t_s: float) -> list[Ball]:
    """The cue-ball and colours that do not lie on the table yet: a hand will bring them before the break."""
    there = {b.colour for b in follower.balls}
    missing = []
    for colour in BALL_CLASSES:
        if colour != "red" and colour not in there:
            ball = follower.new_ball(colour, colour, t_s)
            ball.state, ball.fate, ball.row_owed = BallState.GONE, "potted", False
            missing.append(ball)
    return missing
