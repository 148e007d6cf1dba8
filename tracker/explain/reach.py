"""Which balls at rest the cue-ball's first way leads to, and which of them first.

Times of two contacts between the same two images hang on each other; the one way on which the cue-ball came
tells their order better, because its errors of time are the same for both. And no way leads through a ball.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tracker.explain.arena import INTO, Arena
from tracker.explain.trajectory import Way
from tracker.stroke.paths import Segment

F64 = NDArray[np.float64]
Bits = NDArray[np.bool_]
EARLY_S = 0.02
"""A way that leads to a ball so long before it was seen to turn, or after, did not turn there."""
BEYOND_S, STEP_S = 0.05, 0.001
"""A way is drawn on to the image after the contact; in steps of 5 mm at 5 m/s."""
WAY_IMAGES = 4
"""A curve through so many images can be drawn on; through fewer, the straight way from where the ball lay."""
FURTHEST_MM, PLACE_MM = 20.0, 0.3
"""No way is taken to be less exact than the first, no place of a ball more exact than the second."""
SURELY = 0.99
"""Probability from which a way that is drawn on says that it leads to a ball, or to one before another."""
LIKELY = 0.5
"""What a straight way meets with less than this, and had left by then, something else set off more likely."""
HARDLY = 1e-3
"""What a way meets with less than this is not in it."""


@dataclass(frozen=True)
class Reach:
    """Balls at rest ahead of the cue-ball's first way. Arrays (n,): when it touches each, or is nearest to
    it; the probability that it meets it; one sigma of the time. `turned_s`: from when to when it turned.
    `past`: those into the middle of which it led before it was seen clear of them.
    """

    keys: tuple[int, ...]
    t_s: F64
    hit: F64
    sigma_s: F64
    turned_s: tuple[float, float]
    past: tuple[int, ...] = ()

    @cached_property
    def first(self) -> int | None:
        """The ball that it meets for certain, before any other, where it turns; None where it does not
        tell.
        """
        when = np.where(self.hit >= SURELY, self.t_s, np.nan)
        if np.isnan(when).all():
            return None
        nearest = int(np.nanargmin(when))
        early, late = self.turned_s
        there = early - EARLY_S < when[nearest] < late + EARLY_S
        ball = self.keys[nearest]
        return ball if there and self.meets_none_before(ball) >= SURELY else None

    def when(self, ball: int) -> tuple[float, float]:
        """When it comes to a ball, and one sigma of that."""
        k = self.keys.index(ball)
        return float(self.t_s[k]), float(self.sigma_s[k])

    def before(self, a: int, b: int) -> float | None:
        """Probability that of two balls that were met `a` was met before `b`; None where it does not tell.

        The first one lies on this way, and the other one not before it.
        """
        if a not in self.keys or b not in self.keys:
            return None
        i, j = self.keys.index(a), self.keys.index(b)
        if max(self.hit[i], self.hit[j]) < SURELY:
            return None
        sooner = self._sooner(i, j)
        a_first = self.hit[i] * (1.0 - self.hit[j] * (1.0 - sooner))
        b_first = self.hit[j] * (1.0 - self.hit[i] * sooner)
        return float(a_first / (a_first + b_first))

    def leads_to(self, ball: int, other: int) -> float | None:
        """Probability that it meets a ball, and that before another; None of a ball that had left."""
        if ball not in self.keys or other not in self.keys:
            return None
        i = self.keys.index(ball)
        return float(self.hit[i] * self._sooner(i, self.keys.index(other)))

    def meets_none_before(self, ball: int, met: frozenset[int] = frozenset()) -> float:
        """Probability that it comes to a ball past all others, but for those in `met`."""
        if ball not in self.keys:
            return 1.0
        shares = self._past[self.keys.index(ball)]
        return min(
            (p for p, k in zip(shares, self.keys, strict=True) if k != ball and k not in met), default=1.0
        )

    @cached_property
    def _past(self) -> list[list[float]]:
        """Probability that it comes to each ball (row) past each other one."""
        n = range(len(self.keys))
        return [[1.0 - float(self.hit[j]) * (1.0 - self._sooner(i, j)) for j in n] for i in n]

    def _sooner(self, i: int, j: int) -> float:
        return heavy_share(float(self.t_s[j] - self.t_s[i]) / math.hypot(self.sigma_s[i], self.sigma_s[j]))


def reach(ways: Mapping[int, Way], cue: int, arena: Arena) -> Reach | None:
    """What the cue-ball's way leads to until something else than a cushion turns it; None where it was not
    seen to go anywhere.
    """
    legs = list(_legs(ways[cue], arena, cue))
    if not legs:
        return None
    last, keys = legs[-1], tuple(k for k in ways if k != cue)
    if not keys:
        return None
    places = np.array([ways[k].place for k in keys])
    apart_mm = np.array([arena.apart_mm(cue, k) for k in keys])
    lay_s = np.array([(ways[k].since_s, _lay_until_s(ways[k])) for k in keys])
    found = [_reach(leg, places, apart_mm, lay_s) for leg in legs]
    beside = _beside_at_first(legs[0], places, apart_mm)
    t_s, hit, sigma_s, gap_mm = found[0]
    hit = np.where(beside, 0.0, hit)
    if not math.isfinite(legs[0].turned_s):
        for k in np.flatnonzero(lay_s[:, 1] <= last.curve.last_s):
            set_off = ways[keys[k]].events[0]
            late_s = t_s - set_off.t_s - ASIDE * np.hypot(sigma_s, set_off.sigma_s)
            if not _passed_on(places, arena.table.ball_diameter_mm, (hit >= LIKELY) & (late_s < 0.0))[k]:
                return None  # what sent that off had turned it before
    for later_s, later_hit, later_sigma_s, later_gap_mm in found[1:]:
        gap_mm = np.minimum(gap_mm, later_gap_mm)
        nearer = later_hit > np.maximum(hit, HARDLY)
        t_s, sigma_s = np.where(nearer, later_s, t_s), np.where(nearer, later_sigma_s, sigma_s)
        hit = np.maximum(hit, later_hit)
    x, y = last.curve.at(last.curve.last_s)
    clear = np.hypot(places[:, 0] - x, places[:, 1] - y) > apart_mm
    through = (hit >= SURELY) & (gap_mm < (INTO - 1.0) * apart_mm)
    past = np.flatnonzero(through & (t_s < last.curve.last_s) & clear)
    turned_s = last.curve.last_s, last.turned_s
    return Reach(keys, t_s, hit, sigma_s, turned_s, tuple(keys[k] for k in past))


def _passed_on(places: F64, diameter_mm: float, met: Bits) -> Bits:
    """(n,) which balls those that are `met` may set off at once: these, and what touches them in a row."""
    apart = np.hypot(places[:, None, 0] - places[:, 0], places[:, None, 1] - places[:, 1])
    touch = apart < diameter_mm + BESIDE_MM
    while (more := met | (touch & met).any(axis=1)).sum() > met.sum():
        met = more
    return met


def _beside_at_first(leg: _Leg, places: F64, apart_mm: F64) -> Bits:
    """(n,) whether the cue-ball, as it is struck, lies nearest to a ball and only goes away from it."""
    (x, y), (vx, vy) = leg.curve.at(leg.from_s), leg.curve.velocity(leg.from_s)
    dx, dy = places[:, 0] - x, places[:, 1] - y
    away: Bits = (dx * vx + dy * vy <= 0.0) & (np.hypot(dx, dy) < apart_mm + BESIDE_MM)
    return away


BESIDE_MM = 5.0
"""A ball that lies so near to the cue-ball may touch it, by the sigmas of both."""


def _lay_until_s(way: Way) -> float:
    """By when a ball is seen to have left its place."""
    return max(way.events[0].hi_s, way.start_s) if way.events else math.inf


@dataclass(frozen=True, slots=True)
class _Leg:
    """A curve of the cue-ball, from when to when it is followed, and by when the ball had turned from it."""

    curve: Segment
    from_s: float
    to_s: float
    turned_s: float


def _legs(way: Way, arena: Arena, cue: int) -> Iterator[_Leg]:
    """The cue-ball's curves up to the first turn that is not at a cushion."""
    curves, turns = list(way.segments), {id(e.before) for e in way.events if e.kind == "bend"}
    if way.turned_unseen:
        return
    if curves and curves[0].n < WAY_IMAGES:
        straight = _from_rest(way, curves[0])
        if straight is None:
            seen_once = _to_first_image(way, curves)
            if seen_once is not None:
                yield seen_once
            return
        curves[0] = straight
    since_s = way.start_s
    for k, curve in enumerate(curves):
        final = k + 1 == len(curves)
        after = curve.last_s + BEYOND_S if final else curves[k + 1].first_s
        turn_s = 0.5 * (curve.last_s + after)
        turned = final or id(way.segments[k]) in turns
        near_mm = arena.radius_mm(cue) + CUSHION_MM
        goes_on = not turned or (not final and arena.table.at_cushion(*curve.at(turn_s), near_mm))
        unseen_s = max(BEYOND_S, after - curve.last_s)  # under a cover: to where it is seen again
        drawn_s = 0.0 if k and curve.n < WAY_IMAGES else unseen_s
        yield _Leg(curve, since_s, turn_s if goes_on else curve.last_s + drawn_s, after)
        if not goes_on:
            return
        since_s = turn_s


CUSHION_MM = 25.0
"""A way that turns so near to a nose, beside the ball's radius, was turned there."""


def _from_rest(way: Way, first: Segment) -> Segment | None:
    """The straight way from where a ball lay to where it was seen last on a short curve; None where
    its images do not lie on it: something turned it before.
    """
    x, y, sigma = way.place
    to, seen = first.at(first.last_s), min(first.sigma(first.last_s), FURTHEST_MM)
    by_x, by_y = first.at(first.first_s)
    far = math.hypot(to[0] - x, to[1] - y)
    aside = abs((by_x - x) * (to[1] - y) - (by_y - y) * (to[0] - x)) / max(far, 1.0)
    if first.n < 2 or aside > ASIDE * math.hypot(sigma, seen):
        return None
    return _straight(way, to, seen, first.last_s, first.n + 1)


def _to_first_image(way: Way, curves: Sequence[Segment]) -> _Leg | None:
    """The straight way from where a ball lay to its first image, drawn on as far again, where it was turned
    after that; None where it had been turned before: the images from the first on lie on one curve.

    How fast it was is not known: its start lies anywhere in an interval.
    """
    first = curves[0]
    later = curves[1] if len(curves) > 1 else None
    if later is None or later.n < 2:
        return None
    to, seen = first.at(first.first_s), min(first.sigma(first.first_s), FURTHEST_MM)
    back = math.hypot(min(later.sigma(first.first_s), FURTHEST_MM), seen)
    if math.dist(later.at(first.first_s), to) < ASIDE * back:
        return None
    straight = _straight(way, to, seen, first.first_s, 2)
    if straight is None:
        return None
    return _Leg(straight, way.start_s, 2 * first.first_s - way.start_s, math.inf)


def _straight(way: Way, to: tuple[float, float], seen_mm: float, at_s: float, n: int) -> Segment | None:
    """An even way from where a ball lay to where it was at a time, known to `seen_mm`; None of a ball that
    has hardly moved.
    """
    (x, y, sigma), (to_x, to_y), taken_s = way.place, to, at_s - way.start_s
    if taken_s <= 0.0 or math.hypot(to_x - x, to_y - y) < ASIDE * math.hypot(sigma, seen_mm):
        return None
    slant = -(sigma**2) / taken_s
    cov = (
        (sigma**2, slant, 0.0),
        (slant, (sigma**2 + seen_mm**2) / taken_s**2, 0.0),
        (0.0, 0.0, 0.0),
    )
    xs, ys = (x, (to_x - x) / taken_s, 0.0), (y, (to_y - y) / taken_s, 0.0)
    return Segment(way.start_s, way.start_s, at_s, n, xs, ys, cov)


ASIDE = 3.0
"""Sigmas that a ball must have gone for its direction to be known; places lie no further beside one way."""


def heavy_share(sigmas: float) -> float:
    """Probability of a difference below so many sigmas, for places of which a few are far beyond theirs (a
    cut outline, a shadow): Student's t with four degrees of freedom, assumed.
    """
    square = sigmas * sigmas
    rooted = math.sqrt(1.0 + square / 4.0)
    return 0.5 + 0.375 * sigmas / rooted * (1.0 - square / (12.0 * (1.0 + square / 4.0)))


def _reach(leg: _Leg, places: F64, apart_mm: F64, lay_s: F64) -> tuple[F64, F64, F64, F64]:
    """When a curve comes to balls that lie at `places` (n, 3) from a time to a time (n, 2), with what
    probability and sigma, and how near (less than none: into them), each (n,).
    """
    curve, t = leg.curve, np.arange(leg.from_s, max(leg.to_s, leg.from_s) + STEP_S, STEP_S)
    u = t - curve.t_ref_s
    x, y = (c[0] + u * (c[1] + u * c[2]) for c in (curve.x, curve.y))
    gaps = np.hypot(x[:, None] - places[:, 0], y[:, None] - places[:, 1]) - apart_mm
    if math.isfinite(leg.turned_s):  # else its times are those of no image
        gaps[t[:, None] > np.maximum(lay_s[:, 1], t[0])] = np.inf  # it lies there no more
        gaps[t[:, None] < lay_s[:, 0]] = np.inf  # nor before it was put there
    nearest = gaps.argmin(axis=0)
    least, at = gaps[nearest, np.arange(len(places))], t[nearest]
    beyond = at > curve.last_s + BEYOND_S
    sigma = np.array([curve.sigma(s) for s in at])
    sigma = np.where(beyond, sigma, np.minimum(sigma, FURTHEST_MM))
    spread = np.hypot(sigma, np.maximum(places[:, 2], PLACE_MM))
    speed = np.array([max(math.hypot(*curve.velocity(s)), 1.0) for s in at])
    hit = np.array([0.5 * math.erfc(z / math.sqrt(2.0)) for z in least / spread])
    when = np.where((gaps <= 0.0).any(axis=0), t[(gaps <= 0.0).argmax(axis=0)], at)
    return when, hit, spread / speed, least
