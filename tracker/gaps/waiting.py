"""Going back to where a wait began, once the next stroke has.

While a lost ball is waited for all else lies still, and the player need not wait. What sets off then is the
next stroke; but whether it rolls is known some images later only, and the balls that lie there have their
names from the span's end on. So the state is kept as the wait began, and what came since is taken once more.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field

from tracker.association.follower import awaited
from tracker.ball import BallState
from tracker.detections.tentative import ROLLS_CONFIDENCE, ROLLS_MM, SURE_MM, Tentative, rolled
from tracker.explain.window import STOOD_MM
from tracker.place import Point
from tracker.state import State
from vision.observation import ImageObservations


@dataclass(slots=True)
class Wait:
    """`kept`: the state as all lay still, at `since_s`, when something had rolled last at `rolled_s`. `came`:
    images since, and times of those passed over.
    """

    kept: State
    since_s: float
    rolled_s: float
    came: list[ImageObservations | float] = field(default_factory=list)

    @classmethod
    def begun(cls, s: State) -> Wait:
        """A wait that begins with the image taken last."""
        assert s.span is not None
        return cls(copy.deepcopy(s), s.any_s, s.span.rolled_s)


def set_off_s(s: State, wait: Wait) -> float | None:
    """When a ball set off, for certain, that lay still as a wait began; None where none has, or where the
    lost ball may have met it: the cue-ball, or another that rolls first, be it beside a hand.
    """
    if any(b.is_cue and awaited(b, wait.since_s) for b in wait.kept.follower.balls):
        return None
    if any(_rolls_beside_a_hand(track, wait.since_s) for track in wait.kept.follower.tentatives.items):
        return None
    left = [b for b in s.follower.balls if b.state is BallState.LEFT and b.legs]
    times_s = [b.legs[-1].opened_s for b in left if b.legs[-1].opened_s > wait.since_s]
    others_s = list[float]()
    for track in s.follower.tentatives.rolling(s.any_s):
        before = [p for p in track.points if p.t_s <= wait.since_s]
        if before and not rolled(before, wait.since_s, ROLLS_MM):
            gone_s = _left_s(track, before[-1])
            times_s += [] if gone_s is None else [gone_s]
        elif not track.of_ball:
            others_s.append(track.began.t_s)
    first_s = min(times_s, default=None)
    return None if first_s is None or min(others_s, default=math.inf) < first_s else first_s


def _rolls_beside_a_hand(track: Tentative, t_s: float) -> bool:
    """Whether a track as sure as a rolling ball's rolls at a time. A hand that moves may look so, too: a span
    does not wait for it.
    """
    return (
        track.confidence > ROLLS_CONFIDENCE
        and not track.misses
        and track.points[-1].t_s >= t_s
        and track.rolls(t_s)
    )


def _left_s(track: Tentative, lay: Point) -> float | None:
    """The first look at a track away from where it lay; None where it has not come far yet."""
    away_mm = [(p.t_s, math.dist((p.x_mm, p.y_mm), (lay.x_mm, lay.y_mm))) for p in track.points]
    if away_mm[-1][1] <= SURE_MM:
        return None
    return next(t_s for t_s, mm in away_mm if t_s > lay.t_s and mm > STOOD_MM)
