"""Which ball at rest has left its place: it is not seen there, and a track that began since can be it.

What became of it then is for its span's explanations to say. A departure opens a span, and tells where the
ball seems to be until it is known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from calibration.table.pieces import PieceSet
from calibration.table.specs import PointMm, TableSpec
from tracker.association.resting import off_place_mm
from tracker.ball import Ball, BallState
from tracker.detections.tentative import Tentative, each_once
from tracker.identity.numbering import accounted
from tracker.layout.hands import on_base_line
from tracker.params import COLOUR_FLOOR
from vision.observation import ImageObservations, Observation

PEAK_S = 0.3
"""A ball that has just given its speed away may have given it to another that was not seen since."""
SHORT_MM = 120.0
FAR_SURE = 0.55
"""An unsure observation starts a ball only if it is near: a knuckle far away is none."""
UNCAUSED_MM, UNCAUSED_UNLIKE = 80.0, 2.0
"""A ball at rest that nothing can have struck has not gone further than this, nor is it what looks like
another one: a hand's doing is seen later.
"""
CONTRADICTION = 5.0
"""With a colour this wrong a track is not that ball."""
UNCAUSED_COST, MISSED_COST, MOST_MISSED = 3.0, 2.0, 6.0
"""A ball that left its place some looks ago has been missed on its way in each of them."""
COVERED_MOST = 9.0
"""Under a cover a ball is missed at no cost; so much likelier must it be that the track is that ball."""
OF_ANOTHER_COLOUR = 2.5
"""Beside a hand, what looks this much more like a ball that is off the table is that ball."""
JUST_STRUCK_S, STRUCK_NEAR_MM = 0.1, 150.0
"""So soon after the strike what lay close to the cue-ball may have taken a speed that was never seen."""
MISREAD_COST, MISREAD_SURE = 3.0, 0.8
"""A ball that moves is read as a colour that lies elsewhere: blur, glare. Less sure than that it is rather no
ball at all.
"""
SURE_START = 0.7
"""Below it an outline does not set a ball off that nothing can have struck."""


@dataclass(frozen=True, slots=True)
class Departures:
    """What there is to tell departures in one image. `rolling`: tracks that may give a ball its speed;
    `missed`: balls at rest that it does not show where it should.
    """

    table: TableSpec
    pieces: PieceSet
    balls: Sequence[Ball]
    image: ImageObservations
    rolling: Sequence[Tentative]
    missed: Sequence[Ball]

    def told(self, tracks: Sequence[tuple[Tentative, Observation]]) -> list[tuple[Ball, Tentative]]:
        """The balls that have left, each with the track that may be it: the likeliest pairs first, each ball
        and each track once. `tracks`: those seen in this image, with what is seen.
        """
        found = each_once(
            (cost, i, k)
            for i, ball in enumerate(self.missed)
            for k, (track, obs) in enumerate(tracks)
            if (cost := self._cost(ball, track, obs)) is not None
        )
        return [(self.missed[i], tracks[k][0]) for i, k in found.items()]

    def _cost(self, ball: Ball, track: Tentative, obs: Observation) -> float | None:
        """What it costs that a track is a ball that lay at rest; None where it cannot be."""
        if track.of_ball or track.began.t_s <= ball.seen_s:
            return None  # it was there while the ball was still seen where it lay
        if not ball.is_cue and not self.rolling and obs.confidence < SURE_START:
            return None  # while nothing moves no ball sets itself off
        if track.points[-1].near_cover and self._brought(ball, obs):
            return None
        looks = _misread_cost(ball, obs, self._at_home())
        caused_mm = self._reach_mm(ball, track)
        reach_mm = caused_mm or UNCAUSED_MM
        away_mm = off_place_mm(ball, obs)
        if away_mm > reach_mm + 3 * obs.sigma_mm or (away_mm > SHORT_MM and obs.confidence < FAR_SURE):
            return None
        if looks > (CONTRADICTION if caused_mm else UNCAUSED_UNLIKE):
            return None
        cost = 4.0 * (away_mm / max(reach_mm, 1.0)) ** 2 + looks + (0.0 if caused_mm else UNCAUSED_COST)
        if not ball.is_cue:
            cost += min(MISSED_COST * max(ball.missed - 2, 0), MOST_MISSED)
        return None if ball.covered and cost > COVERED_MOST else cost

    def _brought(self, ball: Ball, obs: Observation) -> bool:
        """Whether a look beside a hand is rather of a ball that is off the table, which the hand brings."""
        lp, there = obs.colour_logp, {b.colour for b in self.balls if b.state is not BallState.GONE}
        absent = (k for k in self.pieces.names if k not in self.pieces.alike and k not in there)
        nats = max((lp[self.pieces.index[k]] for k in absent), default=-math.inf)
        return nats == max(lp) and nats - lp[ball.own] > OF_ANOTHER_COLOUR

    def _at_home(self) -> frozenset[int]:
        """Kinds whose only ball lies at rest and is seen there, or where nothing has changed."""
        missed = {b.own for b in self.missed}
        return frozenset(k for k in accounted(self.balls) if k not in missed)

    def _reach_mm(self, ball: Ball, track: Tentative) -> float:
        """How far a ball can have come since it was seen last, struck by what moves; 0 where nothing can have
        struck it.
        """
        since_s = max(self.image.t_s - ball.seen_s, 1e-3)
        if ball.is_cue and self._may_be_struck(ball):
            return self.pieces.fastest_mm_s * min(since_s, 0.25)
        lay_mm = ball.rest.x_mm, ball.rest.y_mm
        if any(math.dist(at, lay_mm) < STRUCK_NEAR_MM for at in self._struck_at()):
            return self.pieces.fastest_mm_s * min(since_s, 0.3)
        near_mm, reach_mm = 2.5 * self.table.ball_diameter_mm, 0.0
        for at, given_mm_s in self._sources(track, ball):
            way_mm = given_mm_s * min(since_s, 0.3)
            if math.dist(at, lay_mm) < way_mm + near_mm:
                reach_mm = max(reach_mm, way_mm)
        return reach_mm

    def _sources(self, track: Tentative, ball: Ball) -> list[tuple[PointMm, float]]:
        """What can set a ball in motion now, with the greatest speed that it can give: all that rolls but the
        track itself, and a cue-ball that may just have been struck.
        """
        out = [
            (i.last_mm, max(i.motion.speed_mm_s, i.peak_mm_s(self.image.t_s - PEAK_S)) * 1.3 + 200.0)
            for i in self.rolling
            if i is not track and i.motion is not None
        ]
        struck = (b for b in self.missed if b is not ball and b.is_cue and self._may_be_struck(b))
        return [*out, *(((b.rest.x_mm, b.rest.y_mm), self.pieces.fastest_mm_s) for b in struck)]

    def _may_be_struck(self, ball: Ball) -> bool:
        """Whether a cue-ball at rest can be struck where it lies: a striker only from its base lines."""
        return not ball.pieces.discs or on_base_line(self.table, ball.rest.x_mm, ball.rest.y_mm)

    def _struck_at(self) -> list[PointMm]:
        """Where cue-balls lay that have just been struck."""
        legs = (b.legs[-1] for b in self.balls if b.is_cue and b.state is BallState.LEFT and b.legs)
        return [(g.x0_mm, g.y0_mm) for g in legs if self.image.t_s - g.t_rest_s < JUST_STRUCK_S]


def _misread_cost(ball: Ball, obs: Observation, elsewhere: frozenset[int]) -> float:
    """Negative log-likelihood of a look being of that ball rather than of the best kind, bounded.
    `elsewhere`: kinds whose only ball is known to lie in another place; this cannot be it.
    """
    lp, own = obs.colour_logp, ball.own
    cost = min(max(lp) - lp[own], COLOUR_FLOOR)
    if elsewhere and own not in elsewhere and obs.confidence >= MISREAD_SURE:
        top = max(v for i, v in enumerate(lp) if i not in elsewhere)
        cost = min(cost, top - lp[own] + MISREAD_COST)
    return cost + 2.0 * (1.0 - obs.confidence)
