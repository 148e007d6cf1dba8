"""A ball at rest that the cue-ball passes so near that nothing shows whether the two touched.

An explanation in which that happens before any contact that is seen is two explanations: one in which they
touched, one in which they did not. Only a touch so thin, or so slow, that the ball at rest stays within the
noise of its place leaves no other trace.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tracker.explain.arena import Arena
from tracker.explain.interactions import MODEL_MM, Interaction
from tracker.explain.trajectory import Way
from tracker.params import ROLL_MM_S2

F64 = NDArray[np.float64]
STEP_S = 0.004
"""A curve is compared with a ball's place so often: 4 mm at 1 m/s."""
NEAR_SIGMAS = 4.0
"""What passes further off did not touch: less than 1 in 10,000."""
STAYS_MM = 1.0
"""A ball that moves by less is not seen to have moved: three sigmas of a place at rest."""
LEAST_SHARE = 1e-4
"""Touches less likely than this are not told apart."""

Shares = list[tuple[float, tuple[Interaction, ...]]]


@dataclass(slots=True)
class Grazes:
    """What the cue-ball passed in one span, worked out once for all explanations that share its way."""

    arena: Arena
    _passed: dict[tuple[object, ...], tuple[float, Interaction | None]] = field(default_factory=dict)

    def told_apart(self, ways: Mapping[int, Way], meetings: Sequence[Interaction], cue: int | None) -> Shares:
        """(share, meetings) without a touch that nothing shows, and with the likeliest one; shares sum to
        one.
        """
        way = None if cue is None else ways.get(cue)
        if cue is None or way is None or not way.moved:
            return [(1.0, tuple(meetings))]
        met = min((m for m in meetings if m.met_by(cue) is not None), key=_time, default=None)
        known, until = ({cue}, math.inf) if met is None else ({*met.balls}, met.t_s - 3 * met.sigma_s)
        still = [k for k, w in ways.items() if k not in known and _lies_still(w, until)]
        key = (id(way), until, *((k, id(ways[k])) for k in still))
        if key not in self._passed:
            self._passed[key] = self._touch(cue, way, {k: ways[k] for k in still}, until)
        share, touch = self._passed[key]
        if touch is None:
            return [(1.0, tuple(meetings))]
        with_touch = tuple(sorted((*meetings, touch), key=_time))
        return [(1.0 - share, tuple(meetings)), (share, with_touch)]

    def _touch(
        self, cue: int, way: Way, still: Mapping[int, Way], until_s: float
    ) -> tuple[float, Interaction | None]:
        """The likeliest touch, with its probability; none where all are hardly possible."""
        if not still:
            return 0.0, None
        keys = list(still)
        apart = np.array([self.arena.apart_mm(cue, k) for k in keys])
        lay = np.array([(*still[k].place, still[k].since_s) for k in keys])
        passed = _touched(way, lay, apart, until_s)
        share, which, t_s = max(passed, _touched_setting_off(way, lay, apart))
        if share < LEAST_SHARE:
            return 0.0, None
        return share, Interaction("contact", (cue, keys[which]), t_s, TIME_SIGMA_S, None)


TIME_SIGMA_S = 0.01
"""When a ball that was passed was touched is known no better than this."""


def _time(m: Interaction) -> float:
    return m.t_s


def _lies_still(way: Way, until_s: float) -> bool:
    """Whether a ball is not known to have moved before a time."""
    return not way.events or way.start_s > until_s


def _touched(way: Way, places: F64, apart_mm: F64, until_s: float) -> tuple[float, int, float]:
    """The probability that a ball on its way touched one at rest that shows nothing of it, which, and when.

    `places`: (n, 4) where the others lie, with sigma, and since when; `apart_mm`: (n,) centres of balls that
    touch.
    """
    best = (0.0, 0, 0.0)
    half_s = [max(0.5 * (b.first_s - a.last_s), LEAD_S) for a, b in pairwise(way.segments)]
    turned = {id(e.before) for e in way.events} | {id(e.after) for e in way.events}
    for k, seg in enumerate(way.segments):
        since = seg.first_s - half_s[k - 1] if k else way.start_s
        end = seg.last_s + (half_s[k] if k < len(half_s) else LEAD_S)
        t = np.arange(max(since, way.start_s), min(end, until_s), STEP_S)
        if not len(t):
            continue
        u = t - seg.t_ref_s
        x, y = (c[0] + u * (c[1] + u * c[2]) for c in (seg.x, seg.y))
        gaps = np.hypot(x[:, None] - places[:, 0], y[:, None] - places[:, 1]) - apart_mm
        gaps[t[:, None] < places[:, 3]] = np.inf
        nearest = gaps.argmin(axis=0)
        gap = gaps[nearest, np.arange(len(places))]
        # what it only leaves as it sets off, or comes to as something unknown turns it, it does not pass
        beside = (nearest == 0) | ((nearest == len(t) - 1) & math.isinf(until_s))
        beside &= id(seg) in turned
        for n in np.flatnonzero((np.abs(gap) < NEAR_SIGMAS * FURTHEST_MM) & ~beside):
            at = float(t[nearest[n]])
            spread = math.hypot(min(seg.sigma(at), FURTHEST_MM), float(places[n, 2]), MODEL_MM)
            if abs(gap[n]) < NEAR_SIGMAS * spread:  # deeper in, its way leads over or through
                speed = math.hypot(*seg.velocity(float(t[max(int(nearest[n]) - 1, 0)])))
                share = touch_share(float(gap[n]), spread, _depth_mm(speed, float(apart_mm[n])))
                best = max(best, (share, int(n), at))
    return best


def _touched_setting_off(way: Way, places: F64, apart_mm: F64) -> tuple[float, int, float]:
    """The same of a ball beside which the cue-ball lay, and that it left nearly along their common tangent.

    Where its direction closes in by an angle `a`, the centres come `apart * a**2 / 2` nearer: more than is
    between two balls that all but touch.
    """
    seg = way.segments[0]
    t_s = max(seg.first_s - LEAD_S, way.start_s)
    velocity = np.array(seg.velocity(t_s))
    speed = max(float(np.hypot(*velocity)), 1.0)
    to_ball = places[:, :2] - way.place[:2]
    distance = np.hypot(*to_ball.T)
    spread = np.hypot(places[:, 2], way.place[2])
    best = (0.0, 0, 0.0)
    for n in np.flatnonzero((np.abs(distance - apart_mm) < NEAR_SIGMAS * spread) & (places[:, 3] <= t_s)):
        closing = float(to_ball[n] @ velocity) / (float(distance[n]) * speed)
        sigma = math.hypot(seg.sigma_velocity(t_s) / speed, float(spread[n] / distance[n]))
        nearer = 0.5 * float(apart_mm[n]) * _mean_square_above(closing, sigma)
        nearer = min(nearer, _depth_mm(speed, float(apart_mm[n])))
        gap = float(distance[n] - apart_mm[n])
        best = max(best, (touch_share(gap - nearer, float(spread[n]), nearer), int(n), t_s))
    return best


def _mean_square_above(mean: float, sigma: float) -> float:
    """Mean square of the positive part of a normal variable."""
    z = mean / sigma
    density = math.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    return (mean * mean + sigma * sigma) * 0.5 * math.erfc(-z / math.sqrt(2)) + mean * sigma * density


FURTHEST_MM = 20.0
"""No curve is taken to be less exact than this."""
LEAD_S = 0.02
"""A curve holds so much beyond the images that show it, and half of a longer pause: half an image interval of
most cameras."""


def _depth_mm(speed_mm_s: float, apart_mm: float) -> float:
    """How far the ways of two balls may overlap without sending the one at rest further than `STAYS_MM`."""
    slow = math.sqrt(2 * ROLL_MM_S2 * STAYS_MM)
    cosine = slow / max(speed_mm_s, 1.0)
    return apart_mm * (1.0 - math.sqrt(1.0 - cosine * cosine)) if cosine < 1.0 else MOST_MM


MOST_MM = 5.0
"""A ball so slow gives the other less than shows, however full it meets it; no way is wrong by more."""


def touch_share(gap_mm: float, spread_mm: float, depth_mm: float) -> float:
    """Probability of an overlap of up to `depth_mm`, against that and none: deeper ones would show. It is
    never certain: `1 - LEAST_SHARE` at most.
    """

    def below(x: float) -> float:
        return 0.5 * math.erfc(-x / (math.sqrt(2) * spread_mm))

    touched = below(-gap_mm) - below(-gap_mm - depth_mm)
    return min(touched / max(touched + 1.0 - below(-gap_mm), 1e-9), 1.0 - LEAST_SHARE)
