"""A ball's leg as a chain of smooth segments: optimal segmentation, then the instants between them.

Within a segment each coordinate is a parabola in time (sliding or rolling friction both are), with a
prior that keeps its acceleration physical. Breaks are found by dynamic programming over all places
for them, so that a contact is dated by the crossing of the two curves, better than the image interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracker.ball import Leg
from tracker.place import Point

Array = NDArray[np.float64]
BREAK_COST = 18.0
"""A break must explain this much chi-square: a parabola more has six parameters, noise earns 6 +- 3.5."""
ACCELERATION_PRIOR_MM_S2 = 1500.0
CLOCK_SIGMA_S = 0.0003
"""Spread of an image's true moment about its timestamp (rounding, rolling shutter)."""
WINDOW = 120
BLOCK = 32
"""Beginnings of segments that are weighed at once."""
OUTLIER_SIGMA = 3.5
STEADY_IMAGES, PREDICTED_SIGMAS = 4, 3.0
"""A piece of so many images is drawn on; what lies this near to it is its own."""
SLOW_START_MM = 12.0
PASSING_MM = 10.0
"""How near a way drawn back must pass a place to have begun there, compared with where it passes nearest."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Positions `c0 + c1 u + c2 u^2`, `u = t - t_ref_s`, mm; valid between its first and last point."""

    t_ref_s: float
    first_s: float
    last_s: float
    n: int
    x: tuple[float, float, float]
    y: tuple[float, float, float]
    cov: tuple[tuple[float, ...], ...]

    def at(self, t_s: float) -> tuple[float, float]:
        u = t_s - self.t_ref_s
        return (self.x[0] + u * (self.x[1] + u * self.x[2]), self.y[0] + u * (self.y[1] + u * self.y[2]))

    def velocity(self, t_s: float) -> tuple[float, float]:
        u = t_s - self.t_ref_s
        return self.x[1] + 2 * u * self.x[2], self.y[1] + 2 * u * self.y[2]

    def sigma(self, t_s: float) -> float:
        """Standard deviation of the position per axis at a time, mm."""
        u = t_s - self.t_ref_s
        b = (1.0, u, u * u)
        s = sum(b[i] * self.cov[i][j] * b[j] for i in range(3) for j in range(3))
        return math.sqrt(max(s, 1e-4))

    def sigma_velocity(self, t_s: float) -> float:
        u = t_s - self.t_ref_s
        b = (0.0, 1.0, 2 * u)
        s = sum(b[i] * self.cov[i][j] * b[j] for i in range(3) for j in range(3))
        return math.sqrt(max(s, 1e-2))


@dataclass(slots=True)
class Break:
    """An instant at which a path bends or changes speed, between images at `lo_s` and `hi_s`."""

    t_s: float
    lo_s: float
    hi_s: float


@dataclass(slots=True)
class Path:
    """A leg with its segments; `start` is the break with which it leaves its rest."""

    ball: str
    leg: Leg
    segments: list[Segment] = field(default_factory=list)
    breaks: list[Break] = field(default_factory=list)  # interior ones
    start: Break | None = None
    stop_s: float = 0.0  # at rest from here, or last seen

    def segment_at(self, t_s: float) -> Segment | None:
        """The segment in force at a time; None before the start and after the end."""
        if not self.segments or (self.start is not None and t_s < self.start.t_s):
            return None
        for b, s in zip(self.breaks, self.segments, strict=False):
            if t_s < b.t_s:
                return s
        return self.segments[-1]

    def at(self, t_s: float) -> tuple[float, float]:
        """Place at a time: the rest before the start, the end after it."""
        s = self.segment_at(t_s)
        if s is None:
            return self.leg.x0_mm, self.leg.y0_mm
        if t_s > self.stop_s and self.leg.end is not None:
            return self.leg.end[0], self.leg.end[1]
        return s.at(t_s)


def solve_leg(ball: str, leg: Leg, creeps: bool = True) -> Path:
    """Fit a leg's points; a leg without points has no segments.

    `creeps`: it may have been grazed, and have moved inside the noise before it was seen to leave. What a
    cue strikes was not, and a cue held to it moves its outline.
    """
    path = Path(ball, leg)
    if not leg.points:
        path.stop_s = leg.t_rest_s
        return path
    first = leg.points[0]
    slow = math.hypot(first.x_mm - leg.x0_mm, first.y_mm - leg.y0_mm) < SLOW_START_MM
    head = [p for p in leg.head if p.t_s < first.t_s] if slow and creeps else []
    points = head + leg.points
    t = np.array([p.t_s for p in points])
    xy = np.array([(p.x_mm, p.y_mm) for p in points])
    sigma = _effective_sigma(t, xy, points)
    still = _still_costs(xy[: len(head)], sigma[: len(head)], leg)
    ranges = _claimed(segmentation(t, xy, sigma, still), t, xy, sigma)
    ranges[0] = _left_at(ranges[0], leg, len(head), xy, sigma)
    rest_s = float(t[ranges[0][0] - 1]) if ranges[0][0] > 0 else min(leg.t_rest_s, float(t[0]))
    for i, j in ranges:
        if j - i > 1:
            path.segments.append(fit(t[i:j], xy[i:j], sigma[i:j]))
            continue
        t0, x0, y0 = (t[i - 1], xy[i - 1, 0], xy[i - 1, 1]) if i else (leg.t_rest_s, leg.x0_mm, leg.y0_mm)
        path.segments.append(_single(float(t0), float(x0), float(y0), points[i], float(sigma[i])))
    _drop_still_tail(path)
    _breaks(path)
    path.start = _start(path, rest_s)
    path.stop_s = _stop(path)
    return path


def _effective_sigma(t: Array, xy: Array, points: list[Point]) -> Array:
    sigma: Array = np.array([max(p.sigma_mm, 0.15) for p in points], dtype=np.float64)
    if len(t) > 1:
        step = np.linalg.norm(np.diff(xy, axis=0), axis=1) / np.maximum(np.diff(t), 1e-4)
        sigma = np.hypot(sigma, np.append(step, step[-1:]) * CLOCK_SIGMA_S)
    return sigma


def _still_costs(xy: Array, sigma: Array, leg: Leg) -> Array:
    """(k + 1,) chi-square of the first 0..k points lying still at the leg's rest place."""
    d2 = ((xy - (leg.x0_mm, leg.y0_mm)) ** 2).sum(axis=1) / (sigma**2 + leg.sigma0_mm**2)
    return np.concatenate([np.zeros(1), np.cumsum(d2)])


def segmentation(t: Array, xy: Array, sigma: Array, still: Array) -> list[tuple[int, int]]:
    """Index ranges [i, j) of the best chain of parabolas, by dynamic programming.

    `still[k]`: cost of leaving out the first k points because the ball still lay at rest.
    """
    n = len(t)
    best = np.full(n + 1, np.inf)
    best[: len(still)] = still - BREAK_COST
    back = np.full(n + 1, -1, dtype=int)
    for first in range(0, n, BLOCK):
        costs = _costs(t, xy, sigma, first, min(n, first + BLOCK))
        for i, row in enumerate(costs, first):
            j = min(n, i + WINDOW)
            total = best[i] + BREAK_COST + row[: j - i]
            better = total < best[i + 1 : j + 1]
            best[i + 1 : j + 1][better] = total[better]
            back[i + 1 : j + 1][better] = i
    out: list[tuple[int, int]] = []
    j = n
    while back[j] >= 0:
        out.append((int(back[j]), j))
        j = int(back[j])
    return out[::-1]


def _claimed(ranges: list[tuple[int, int]], t: Array, xy: Array, sigma: Array) -> list[tuple[int, int]]:
    """The same chain with what a long piece predicts taken from the short one beside it.

    Two images or three lie on any parabola: a short piece explains an image no better than the steady way
    before or behind it does, and would put the bend an image too early or late.
    """
    out = list(ranges)
    for k, (i, j) in enumerate(out):
        if j - i < STEADY_IMAGES:
            continue
        piece = fit(t[i:j], xy[i:j], sigma[i:j])
        if (
            k + 1 < len(out)
            and 1 < out[k + 1][1] - j < STEADY_IMAGES
            and _predicted_by(piece, t, xy, sigma, j)
        ):
            out[k], out[k + 1] = (i, j + 1), (j + 1, out[k + 1][1])
            j += 1
        if k and 1 < i - out[k - 1][0] < STEADY_IMAGES and _predicted_by(piece, t, xy, sigma, i - 1):
            out[k - 1], out[k] = (out[k - 1][0], i - 1), (i - 1, j)
    return out


def _left_at(first: tuple[int, int], leg: Leg, still: int, xy: Array, sigma: Array) -> tuple[int, int]:
    """The first piece, if short, without the images at rest (the first `still` points) that show the ball
    where it lay.
    """
    i, j = first
    if j - i >= STEADY_IMAGES:
        return first
    place = (leg.x0_mm, leg.y0_mm)
    while i < min(still, j - 1) and math.dist(place, xy[i]) < PREDICTED_SIGMAS * math.hypot(
        float(sigma[i]), leg.sigma0_mm
    ):
        i += 1
    return i, j


def _predicted_by(piece: Segment, t: Array, xy: Array, sigma: Array, k: int) -> bool:
    """Whether a point lies on a piece that is drawn on to it, within noise."""
    x, y = piece.at(float(t[k]))
    return math.dist((x, y), xy[k]) < PREDICTED_SIGMAS * math.hypot(float(sigma[k]), piece.sigma(float(t[k])))


def _costs(t: Array, xy: Array, sigma: Array, first: int, last: int) -> Array:
    """(last - first, WINDOW) chi-square (with prior) of one parabola through points i to i + k, from i =
    first on.

    Places beyond the last point are filled with the cost up to it. The normal equations (3 x 3, symmetric,
    made positive by the prior) are solved by elimination for all ranges at once.
    """
    index = np.arange(first, last)[:, None] + np.arange(min(WINDOW, len(t) - first))
    inside = index < len(t)
    index = np.minimum(index, len(t) - 1)
    u = t[index] - t[first:last, None]
    w = np.where(inside, (1.0 / sigma**2)[index], 0.0)
    dx, dy = xy[index, 0] - xy[first:last, :1], xy[index, 1] - xy[first:last, 1:]
    wu = w * u
    wuu = wu * u
    m0, m1, m2 = np.cumsum(w, axis=1), np.cumsum(wu, axis=1), np.cumsum(wuu, axis=1)
    m3, m4 = np.cumsum(wuu * u, axis=1), np.cumsum(wuu * u * u, axis=1)
    m0 += 1e-9
    speed = m2 + (1e-8 + 1e-9)  # speeds up to 10 m/s are free
    bend = m4 + ((2.0 / ACCELERATION_PRIOR_MM_S2) ** 2 + 1e-9)
    l1, l2 = m1 / m0, m2 / m0
    speed -= l1 * m1
    cross = m3 - l1 * m2
    l3 = cross / speed
    bend -= l2 * m2 + l3 * cross
    explained = np.zeros_like(m0)
    for d in (dx, dy):
        r0 = np.cumsum(w * d, axis=1)
        r1 = np.cumsum(wu * d, axis=1) - l1 * r0
        r2 = np.cumsum(wuu * d, axis=1) - l2 * r0 - l3 * r1
        explained += r0 * r0 / m0 + r1 * r1 / speed + r2 * r2 / bend
    total = np.cumsum(w * (dx * dx + dy * dy), axis=1)
    return np.asarray(np.maximum(total - explained, 0.0), dtype=np.float64)


def fit(t: Array, xy: Array, sigma: Array) -> Segment:
    """One parabola by weighted least squares with the acceleration prior; outliers weigh less."""
    ref = float(t.mean())
    u = t - ref
    design = np.stack([np.ones_like(u), u, u * u], axis=1)
    prior = np.diag([0.0, 1e-8, (2.0 / ACCELERATION_PRIOR_MM_S2) ** 2])
    w: Array = np.asarray(1.0 / sigma**2, dtype=np.float64)
    c: Array = np.zeros((3, 2))
    cov: Array = np.eye(3)
    for _ in range(3 if len(t) > 5 else 1):
        cov = np.asarray(np.linalg.inv((design * w[:, None]).T @ design + prior), dtype=np.float64)
        c = np.asarray(cov @ (design * w[:, None]).T @ xy, dtype=np.float64)
        r = np.linalg.norm(xy - design @ c, axis=1) / sigma
        w = np.asarray(np.where(r > OUTLIER_SIGMA, OUTLIER_SIGMA / np.maximum(r, 1e-9), 1.0) / sigma**2)
    x, y = c[:, 0], c[:, 1]
    return Segment(
        ref,
        float(t[0]),
        float(t[-1]),
        len(t),
        (float(x[0]), float(x[1]), float(x[2])),
        (float(y[0]), float(y[1]), float(y[2])),
        tuple(tuple(float(v) for v in row) for row in cov),
    )


def _single(t0_s: float, x0_mm: float, y0_mm: float, point: Point, sigma: float) -> Segment:
    """A segment of one point: its direction is that from the place before, its speed at least as much."""
    dt = max(point.t_s - t0_s, 1e-3)
    vx, vy = (point.x_mm - x0_mm) / dt, (point.y_mm - y0_mm) / dt
    var_v = max(math.hypot(vx, vy), 100.0) ** 2
    cov = ((sigma * sigma, 0.0, 0.0), (0.0, var_v, 0.0), (0.0, 0.0, 1.0))
    return Segment(point.t_s, point.t_s, point.t_s, 1, (point.x_mm, vx, 0.0), (point.y_mm, vy, 0.0), cov)


def crossing(a: Segment, b: Segment, lo_s: float, hi_s: float) -> tuple[float, float]:
    """The time in [lo, hi] at which two curves of one ball come closest, and its sigma."""
    if hi_s <= lo_s:
        return lo_s, 1e-3
    grid = np.linspace(lo_s, hi_s, 41)
    d = np.array([math.dist(a.at(float(g)), b.at(float(g))) for g in grid])
    k = int(d.argmin())
    t = float(grid[k])
    if 0 < k < 40:
        y0, y1, y2 = d[k - 1] ** 2, d[k] ** 2, d[k + 1] ** 2
        den = y0 - 2 * y1 + y2
        if den > 1e-12:
            t += float(0.5 * (y0 - y2) / den * (grid[1] - grid[0]))
    va, vb = a.velocity(t), b.velocity(t)
    dv = math.hypot(va[0] - vb[0], va[1] - vb[1])
    noise = math.hypot(min(a.sigma(t), 50.0), min(b.sigma(t), 50.0))
    apart = max(math.dist(a.at(t), b.at(t)) - noise, 0.0)  # what is left between them: they cross elsewhere
    return t, min(math.hypot(noise, apart) / max(dv, 1.0), 0.3 * (hi_s - lo_s))


def _breaks(path: Path) -> None:
    for a, b in zip(path.segments, path.segments[1:], strict=False):
        lo, hi = a.last_s, b.first_s
        t = (lo + hi) / 2 if a.n == 1 or b.n == 1 else crossing(a, b, lo, hi)[0]
        path.breaks.append(Break(t, lo, hi))


def _start(path: Path, lo: float) -> Break:
    """The moment at which the first segment leaves the rest place; `lo`: the ball still lay there then."""
    leg, seg = path.leg, path.segments[0]
    hi = max(seg.first_s, lo)
    t, sigma = (lo + hi) / 2, 0.29 * (hi - lo)
    if seg.n >= 2 and hi > lo:
        # search a little before t_rest too: a slow start is inside the noise of the rest for some images
        grid = np.linspace(lo - 0.04, hi, 81)
        d = np.array([math.dist(seg.at(float(g)), (leg.x0_mm, leg.y0_mm)) for g in grid])
        t = float(grid[_last_passing(d)])
        v = math.hypot(*seg.velocity(t))
        sigma = min(math.hypot(seg.sigma(t), leg.sigma0_mm) / max(v, 1.0), 0.3 * (hi - lo) + 0.005)
    return Break(t, min(lo, t - 2 * sigma - 0.005), max(hi, t))


def _last_passing(distance: Array) -> int:
    """Index of the least distance; of the last as little one, where a parabola drawn far back passes a place
    twice.
    """
    k = len(distance) - 1
    while k and distance[k - 1] < distance[k]:
        k -= 1
    return k if distance[k] < distance.min() + PASSING_MM else int(distance.argmin())


def _drop_still_tail(path: Path) -> None:
    """Segments of the settled end are rest, not motion."""
    if path.leg.end is None:
        return
    while len(path.segments) > 1:
        s = path.segments[-1]
        mid = s.t_ref_s
        v = math.hypot(*s.velocity(mid))
        far = math.dist(s.at(mid), path.leg.end[:2])
        if s.n < 3 or v > max(8.0, 2.5 * s.sigma_velocity(mid)) or far > max(2.0, 4 * s.sigma(mid)):
            return
        path.segments.pop()


def _stop(path: Path) -> float:
    """When the last segment's speed along its path reaches zero, bounded by what was seen."""
    s = path.segments[-1]
    last = s.last_s
    if path.leg.end is None:
        return last
    lo = s.first_s
    hi = max(path.leg.t_end_s or last, last)
    v = s.velocity(lo)
    speed = math.hypot(*v)
    if speed < 1.0:
        return lo
    along = 2 * (s.x[2] * v[0] + s.y[2] * v[1]) / speed
    if along < -1.0:
        return float(min(max(lo - speed / along, lo), hi))
    return last
