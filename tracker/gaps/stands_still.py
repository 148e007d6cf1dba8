"""An image that shows the last one again and does not say so: what rolls fast has not moved at all."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tracker.association.follower import Follower
from tracker.ball import Ball, BallState
from tracker.detections.tentative import Tentative
from tracker.params import DISC_MM_S2, ROLL_MM_S2
from tracker.place import Point, Rest
from vision.observation import ImageObservations, Observation

LEAST_CONFIDENCE = 0.6
"""What is seen less surely than that may be no ball."""
MAX_SKIPPED = 3
STILL_MM, STILL_SIGMAS = 0.5, 2.0
"""What is seen no further from its last place than that, the larger of both, has not moved. Television's end
view sees a far ball to 1.6 mm, and a repeated image that is coded anew shows it 0.9 mm off.
"""
EXPECTED_MM, EXPECTED_LIMITS, EXPECTED_SIGMAS = 8.0, 3.0, 2.0
"""A ball must have been about to move by so much, and by so many of these limits, however slow its speed may
have been: one that has just set off, or turned, may stand still at once.
"""
STRUCK_STEPS = 2.0
"""A ball that has just been struck goes on by half of its first step at least, unless it met something."""
REST_STILL_MM = 4.0
LEAST_LOOKS = 3
"""What no ball explains is known to roll after so many looks."""


def stands_still(follower: Follower, image: ImageObservations, skipped: int) -> bool:
    """Whether the picture is the last one again although it does not say so: what rolls fast has not moved at
    all.

    Every sure observation must lie where a ball or a thing was seen last (within 0.5 mm, or as exactly as it
    is seen), and one moving ball must have been about to move 8 mm or more, and much further than that.
    `skipped`: pictures left out in a row so far; a ball that a hand puts down looks the same, so that only a
    few are.
    """
    tracks = follower.tentatives.items
    slows = DISC_MM_S2 if follower.pieces.discs else ROLL_MM_S2
    ways = [*map(_way_of_ball, follower.balls), *(_way_of_track(i, follower.t_s, slows) for i in tracks)]
    if skipped >= MAX_SKIPPED or not any(_stopped(way, image) for way in ways if way is not None):
        return False
    last: list[tuple[Point | Rest, float]] = [(i.points[-1], STILL_MM) for i in follower.tentatives.items]
    last += [_last_place(b) for b in follower.balls if b.state is not BallState.GONE]
    return all(
        any(_same_place(o, place, least_mm) for place, least_mm in last)
        for o in follower.usable(image)
        if o.confidence > LEAST_CONFIDENCE
    )


def _last_place(ball: Ball) -> tuple[Point | Rest, float]:
    """Where a ball was seen last, and within how many mm it is there still, however exactly it is seen."""
    if ball.state is BallState.REST or ball.track is None:
        return ball.rest, REST_STILL_MM
    return ball.track.points[-1], STILL_MM


@dataclass(frozen=True, slots=True)
class _Way:
    """Where something rolling was seen last, and how far it goes on at least: `steps_mm` at once, and from
    then on at `mm_s`, which friction takes from it (`slows_mm_s2`).
    """

    last: Point
    steps_mm: float
    mm_s: float = 0.0
    slows_mm_s2: float = ROLL_MM_S2

    def far_mm(self, t_s: float) -> float:
        rolls_s = min(t_s - self.last.t_s, max(self.mm_s, 0.0) / self.slows_mm_s2)
        return self.steps_mm + rolls_s * (self.mm_s - 0.5 * self.slows_mm_s2 * rolls_s)


def _way_of_ball(ball: Ball) -> _Way | None:
    """The way of a ball that has just been struck: it goes on at least half as far as it came here."""
    track = ball.track
    if ball.state is not BallState.LEFT or track is None or len(track.points) != 1:
        return None
    return _Way(track.points[0], math.dist(track.last_mm, (ball.rest.x_mm, ball.rest.y_mm)) / STRUCK_STEPS)


def _way_of_track(item: Tentative, t_s: float, slows_mm_s2: float) -> _Way | None:
    """The way of what no ball at rest explains, and may be one, as surely as its speed is known."""
    may_stop = len(item.points) >= LEAST_LOOKS and not item.misses and item.may_roll and item.rolls(t_s)
    if not may_stop or item.motion is None:
        return None
    least_mm_s = item.motion.speed_mm_s - EXPECTED_SIGMAS * math.sqrt(item.motion.p_vv)
    return _Way(item.points[-1], 0.0, least_mm_s, slows_mm_s2)


def _stopped(way: _Way, image: ImageObservations) -> bool:
    """Whether what should have gone on is seen where it was seen last."""
    far_mm = way.far_mm(image.t_s)
    return far_mm > EXPECTED_MM and any(
        _same_place(o, way.last, STILL_MM) and far_mm > EXPECTED_LIMITS * _still_mm(o, way.last, STILL_MM)
        for o in image.observations
    )


def _same_place(obs: Observation, last: Point | Rest, least_mm: float) -> bool:
    return math.hypot(obs.x_mm - last.x_mm, obs.y_mm - last.y_mm) < _still_mm(obs, last, least_mm)


def _still_mm(obs: Observation, last: Point | Rest, least_mm: float) -> float:
    """How far apart two looks at one place may lie: as exactly as both were seen, and at least so much."""
    return max(least_mm, STILL_SIGMAS * math.hypot(obs.sigma_mm, last.sigma_mm))
