"""A new triangle set by hands: read as a whole, because nobody can follow fifteen reds through six arms."""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.ball import Ball, BallState
from tracker.detections.cover import near_cover
from tracker.events import Layout
from tracker.identity.names import lying
from tracker.layout import rack
from vision.detect.naming import likeliest
from vision.observation import ImageObservations

LEAST_MOVED = 3
"""Reds that lie where none lay after the last stroke: no stroke and no respot does that to three."""
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
            (b.rest.x_mm, b.rest.y_mm)
            for b in balls
            if b.colour in rack.racked(b.pieces) and b.state is BallState.REST
        )
        self.looks = 0

    def look(self, table: TableSpec, pieces: PieceSet, image: ImageObservations) -> Follower | None:
        """The balls named afresh, where whole looks in a row show a new triangle; else None."""
        if image.looked is not None:
            return None
        kinds = rack.racked(pieces)
        reds = sum(
            likeliest(o.colour_logp, pieces) in kinds and o.confidence >= _SURE for o in image.observations
        )
        fresh = _named(table, pieces, image) if reds >= rack.least(pieces) else None
        if fresh is None or not self._new(table, pieces, lying(fresh.balls), image):
            self.looks = 0
            return None
        self.looks += 1
        whole = sum(b.colour in kinds for b in fresh.balls) in rack.whole(pieces)
        return fresh if self.looks >= (_LOOKS if whole else _LOOKS_DOUBTFUL) else None

    def _new(self, table: TableSpec, pieces: PieceSet, layout: Layout, image: ImageObservations) -> bool:
        if not rack.is_triangle(table, layout, pieces):
            return False
        reds = [p for p in layout if p.colour in rack.racked(pieces)]
        reach = table.ball_diameter_mm
        if any(near_cover(image.covered, p.x_mm, p.y_mm, reach) for p in reds):
            return False  # still being set
        moved = sum(all(math.hypot(p.x_mm - x, p.y_mm - y) > reach / 2 for x, y in self.lay_mm) for p in reds)
        return moved >= LEAST_MOVED


def _named(table: TableSpec, pieces: PieceSet, image: ImageObservations) -> Follower:
    fresh = Follower(table, pieces)
    fresh.begin(image)
    return fresh


def expected(follower: Follower, t_s: float) -> list[Ball]:
    """The cue-ball and colours that do not lie on the table yet: a hand will bring them before the break."""
    there = {b.colour for b in follower.balls}
    missing = []
    for colour in follower.pieces.names:
        if colour not in follower.pieces.stay_down and colour not in there:
            ball = follower.new_ball(colour, colour, t_s)
            ball.state, ball.fate, ball.row_owed = BallState.GONE, "potted", False
            missing.append(ball)
    return missing
