"""One ball's way: at rest, then curves between events (a start, a contact, a cushion), then at rest again.

Between two events a ball slides, then rolls, so that each coordinate is one or two parabolas in time
(`tracker.stroke.paths.segmentation` finds the best chain of them). Where two parabolas join without a change
of velocity there was no event: the ball began to roll.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.robust import robust_sigma
from tracker.explain.detections import I64, Detections
from tracker.explain.joining import INTO_MM
from tracker.explain.tracklets import NOISE_MM, STILL_MM, Tracklet
from tracker.params import DETOUR_MM, DETOUR_S, ROLL_MM_S2, SLIDE_MM_S2
from tracker.place import Point
from tracker.stroke.paths import Segment, crossing, fit, segmentation

F64 = NDArray[np.float64]
HEAD_ROWS = 12
"""Detections at rest before a ball sets off that are fitted with its way: it may creep before it is seen to
move.
"""
LEAST_NUDGE_MM, SHIFT_CHI2 = 1.2, 9.0
"""A ball that never left the gate of its rest was moved if its mean place did so by this much (mm,
chi-square).
"""
ONSET_CHI2 = 4.0
"""Chi-square by which a time at which a nudge began may be worse than the best one: two sigmas."""
BIASED = 0.5
"""Share of a detection's sigma that does not average out over images: highlight, shadow."""
NUDGE_MM = 12.0
"""A way so short, at a speed that no curve shows, is a nudge."""
GAP_S = 0.09
"""Between two detections further apart than this a ball may have met several things."""
CUT_MM = 1.5
"""One sigma of what a cue or an arm beside a ball moves its outline by."""
CLOCK_SIGMA_S = 3e-4
"""Spread of an image's true moment about its timestamp (rounding, rolling shutter)."""
SLOWEST_MM_S = 25.0
"""A change of velocity smaller than this is no event: contours wander by as much."""
SIGNIFICANT = 3.0
"""Sigmas by which a velocity must change for an event."""
SLIP_SHARE = 0.3
"""Of the time between two images a ball slides about this share, and loses speed that no curve shows."""
PULL, PULL_ACROSS = 0.04, 0.01
"""Share of a ball's speed by which a parabola over sliding and rolling misjudges its velocity at the ends,
along its way and across it: friction slows a ball down, and turns it only where it spins aside.
"""


@dataclass(frozen=True, slots=True)
class Event:
    """An instant at which a ball's velocity changed: between `lo_s` and `hi_s`, best `t_s`.

    `before` None: the ball lay at rest at the way's `place`. `dv`: change of velocity, mm/s, one sigma
    `sigma_v`. `nudge_mm`: how far the ball went, where it is so little that light beside it may feign it;
    else 0. `detour`: it was turned on its way and nobody saw where. `early_s`: so much earlier than its curve
    says it may have set off, into a cushion and out again. `fell`: into a pocket, between two looks.
    `sigma_across`: one sigma of the change across `dv`, where that is known better than along it.
    """

    kind: Literal["start", "bend"]
    t_s: float
    sigma_s: float
    lo_s: float
    hi_s: float
    before: Segment | None
    after: Segment
    dv: tuple[float, float]
    sigma_v: float
    nudge_mm: float = 0.0
    detour: bool = False
    early_s: float = 0.0
    fell: bool = False
    sigma_across: float | None = None

    @property
    def size(self) -> float:
        return math.hypot(*self.dv)

    @property
    def sigmas(self) -> tuple[float, float]:
        """One sigma of the change along `dv`, and across it, mm/s."""
        return self.sigma_v, self.sigma_v if self.sigma_across is None else self.sigma_across


@dataclass(frozen=True, slots=True)
class Way:
    """Where a ball was at any time of the span. `place` (x, y, sigma): where it lay first; `end`: where
    last. `since_s`: from when on it lies there, where a hand put it there. `seen`: the looks at it that are
    not of its first place.
    """

    place: tuple[float, float, float]
    end: tuple[float, float, float]
    segments: tuple[Segment, ...]
    events: tuple[Event, ...]
    last_s: float
    since_s: float = -math.inf
    seen: tuple[Point, ...] = ()

    @property
    def moved(self) -> bool:
        return bool(self.segments)

    @property
    def start_s(self) -> float:
        return self.events[0].t_s if self.events else math.inf

    @property
    def turned_unseen(self) -> bool:
        """Whether it was turned before it was seen to have set off."""
        return any(e.detour for e in self.events)

    def segment_at(self, t_s: float) -> Segment | None:
        """The curve in force at a time; None while it lies where it lay first."""
        if not self.segments or t_s < self.start_s:
            return None
        for a, b in pairwise(self.segments):
            if t_s < 0.5 * (a.last_s + b.first_s):
                return a
        return self.segments[-1]

    def at(self, t_s: float) -> tuple[float, float]:
        s = self.segment_at(t_s)
        if s is None:
            return self.place[:2]
        return s.at(min(t_s, self.last_s))


def way(chain: Sequence[Tracklet], found: Detections) -> Way:
    """The way of a ball through its pieces."""
    rows = np.array([r for p in chain for r in p.rows])
    found_way = _way(chain, rows, found)
    return replace(found_way, seen=_seen(rows, found, found_way.place))


def _seen(rows: I64, found: Detections, place: tuple[float, float, float]) -> tuple[Point, ...]:
    """The looks at a ball since it was seen first where it does not lie at first."""
    t, xy, sigma = found.t_s[rows], found.xy[rows], found.sigma[rows]
    away = np.hypot(xy[:, 0] - place[0], xy[:, 1] - place[1]) > np.maximum(STILL_MM, SIGNIFICANT * sigma)
    since = np.flatnonzero(away)
    if not len(since):
        return ()
    looks = zip(t, xy, sigma, found.near_cover[rows], found.layout[rows], strict=True)
    later = list(looks)[int(since[0]) :]
    return tuple(
        Point(-1, float(s), float(x), float(y), float(e), bool(c))
        for s, (x, y), e, c, lay in later
        if not lay
    )


def _way(chain: Sequence[Tracklet], rows: I64, found: Detections) -> Way:
    """The same, but for the looks at it."""
    t, xy = found.t_s[rows], found.xy[rows]
    stated = np.concatenate([_as_they_scatter(p, found) for p in chain])
    sigma = _effective_sigma(t, xy, np.hypot(stated, np.where(found.near_cover[rows], CUT_MM, 0.0)))
    left = _leaves(xy, sigma)
    place = _place(xy[:left], sigma[:left])
    if left == len(rows):
        return _nudged(t, xy, sigma, place)
    aside = np.hypot(xy[:, 0] - place[0], xy[:, 1] - place[1])
    if 3.0 * math.dist(xy[-LAST_LOOKS:].mean(axis=0), place[:2]) < aside.max() < BREADTH_MM:
        there = aside < NUDGE_MM  # something hid a part of it in the others, for no blow brings a ball back
        return _nudged(t[there], xy[there], sigma[there], place)
    begin, whole = _head(t, left), (t, xy, sigma)
    before_s = float(t[begin - 1]) if begin else float(t[0])
    t, xy, sigma, head = t[begin:], xy[begin:], sigma[begin:], left - begin
    ranges = _ranges(t, xy, sigma, _still_costs(xy[:head], sigma[:head], place))
    segments = _segments(ranges, t, xy, sigma, place, found.fastest_mm_s)
    lay, last = place, xy[-LAST_LOOKS:].mean(axis=0)
    while len(segments) > 1 and _lies(segments[0], place, (float(last[0]), float(last[1]))):
        place = _place(xy[: ranges[0][1]], sigma[: ranges[0][1]])
        del segments[0], ranges[0]
    hidden = _hidden_in_part(segments, ranges, t, xy, place)
    del segments[:hidden], ranges[:hidden]
    first = ranges[0][0]
    if not hidden and (lain := begin + first):  # the last of those at its place may be of its first curve
        place = _place(whole[1][:lain], whole[2][:lain])
    lo, hi = (float(t[first - 1]) if first else before_s), float(t[_seen_gone(ranges[0], xy, sigma, place)])
    events = [_start(segments[0], place, lo, hi)]
    end = _place(xy[-1:], sigma[-1:])
    if _goes_nowhere(segments[0], events[0], xy[first:], lay):
        place, pushed = _crept(*whole, end)
        events = [pushed]
    else:
        events = _detour(events[0], place)
    for a, b in pairwise(segments):
        event = _bend(a, b)
        if event is not None:
            events.append(event)
    return Way(place, end, tuple(segments), tuple(events), float(t[-1]))


def _crept(
    t: F64, xy: F64, sigma: F64, end: tuple[float, float, float]
) -> tuple[tuple[float, float, float], Event]:
    """Where a ball lay that only came to lie a little beside it, and what pushed it."""
    i, j = _rolled_since(t, xy, sigma, _shift(xy, sigma) or len(t) - 1)
    place = _place(xy[:i], sigma[:i])
    return place, _pushed(place, end, float(t[i - 1]) - CREEPS_S, float(t[j]))


def _goes_nowhere(first: Segment, start: Event, xy: F64, lay: tuple[float, float, float]) -> bool:
    """Whether a ball that left its place, with detections since, only came to lie a little beside it: slower
    than a roll, or seen once on its way, which tells no speed.
    """
    if start.size < SLOWEST_MM_S:
        return math.dist(xy[-1], lay[:2]) < NUDGE_MM
    return first.n == 1 and float(np.hypot(xy[:, 0] - lay[0], xy[:, 1] - lay[1]).max()) < NUDGE_MM


def _as_they_scatter(p: Tracklet, found: Detections) -> F64:
    """(n,) sigmas of a piece's detections: of a ball at rest no less than they scatter from one to the next,
    which a shift between two of them does not change.
    """
    rows = np.array(p.rows)
    sigma: F64 = found.sigma[rows]
    if not p.still or p.n < SCATTER_LOOKS:
        return sigma
    xy = found.xy[rows]
    scatter = robust_sigma(np.diff(xy, axis=0)) / math.sqrt(2.0)
    return np.maximum(sigma, scatter)


SCATTER_LOOKS = 5
"""Fewer looks at a ball at rest tell nothing of how they scatter."""


def _seen_gone(curve: tuple[int, int], xy: F64, sigma: F64, place: tuple[float, float, float]) -> int:
    """Index of the first detection on a ball's first curve that cannot be of the ball at its place still."""
    i, j = curve
    away = np.hypot(xy[i:j, 0] - place[0], xy[i:j, 1] - place[1]) / np.hypot(sigma[i:j], place[2])
    gone = np.flatnonzero(away > SIGNIFICANT)
    return i + int(gone[0]) if len(gone) else i


def _head(t: F64, left: int) -> int:
    """Index of the first detection at rest that may belong to the first curve: none before a gap does."""
    gaps = np.flatnonzero(np.diff(t[: left + 1]) > GAP_S)
    return max(left - HEAD_ROWS, int(gaps[-1]) + 1 if len(gaps) else 0, 0)


def _effective_sigma(t: F64, xy: F64, sigma: F64) -> F64:
    out: F64 = sigma + NOISE_MM
    if len(t) > 1:
        step = np.linalg.norm(np.diff(xy, axis=0), axis=1) / np.maximum(np.diff(t), 1e-4)
        out = np.hypot(out, np.append(step, step[-1:]) * CLOCK_SIGMA_S)
    return out


def _leaves(xy: F64, sigma: F64) -> int:
    """How many of the first detections show the ball where it lay; at least one."""
    x, y = float(xy[0, 0]), float(xy[0, 1])
    for k in range(1, len(xy)):
        away = math.hypot(float(xy[k, 0]) - x, float(xy[k, 1]) - y)
        if away > max(STILL_MM, 3.0 * float(sigma[k])):
            return k
        w = 1.0 / min(k + 1, 20)
        x, y = x + w * (float(xy[k, 0]) - x), y + w * (float(xy[k, 1]) - y)
    return len(xy)


def _place(xy: F64, sigma: F64) -> tuple[float, float, float]:
    w = 1.0 / sigma**2
    x, y = (xy * w[:, None]).sum(axis=0) / w.sum()
    return float(x), float(y), math.sqrt(max(float(1.0 / w.sum()), 0.3**2))


def _nudged(t: F64, xy: F64, sigma: F64, place: tuple[float, float, float]) -> Way:
    """A ball that never leaves the gate of its rest: it lies still, or something has pushed it a little."""
    k = _shift(xy, sigma)
    if k == 0:
        return Way(place, _place(xy, sigma), (), (), float(t[-1]))
    i, j = _rolled_since(t, xy, sigma, k)
    before, after = _place(xy[:i], sigma[:i]), _place(xy[k:], sigma[k:])
    event = _pushed(before, after, float(t[i - 1]) - CREEPS_S, float(t[j]))
    return Way(before, after, (event.after,), (event,), float(t[-1]))


def _rolled_since(t: F64, xy: F64, sigma: F64, k: int) -> tuple[int, int]:
    """The first and the last detection that may be the first on the way of a ball that was displaced a little
    by its `k`th: it rolled there, which takes some images, or was moved at once.
    """
    (ax, ay, _), (bx, by, _) = _place(xy[:k], sigma[:k]), _place(xy[k:], sigma[k:])
    takes_s = math.sqrt(2.0 * max(math.hypot(bx - ax, by - ay), 1e-3) / ROLL_MM_S2)
    since = int(np.searchsorted(t, t[k] - takes_s))
    onsets = np.arange(max(since, 1), k + 1)
    gone_s = t - 0.5 * (t[onsets - 1] + t[onsets])[:, None]
    rolled = 1.0 - (1.0 - np.clip(gone_s / takes_s, 0.0, 1.0)) ** 2
    w = 1.0 / sigma**2
    aside = xy - (w[:, None] * xy).sum(axis=0) / w.sum()
    explained = np.maximum(_explained(rolled, aside, w), _explained((gone_s > 0.0).astype(float), aside, w))
    likely = onsets[explained > explained.max() - ONSET_CHI2]
    return int(likely[0]), int(likely[-1])


def _explained(shapes: F64, aside: F64, w: F64) -> F64:
    """(n,) chi-square that each of n courses (n, looks) from one place to another explains."""
    off = shapes - (shapes @ w / w.sum())[:, None]
    found: F64 = (((off * w) @ aside) ** 2).sum(axis=1) / ((off * off) @ w)
    return found


def _shift(xy: F64, sigma: F64) -> int:
    """Index of the first detection after a small displacement; 0 where there is none."""
    best, where = SHIFT_CHI2, 0
    for k in range(1, len(xy)):
        a, b = _place(xy[:k], sigma[:k]), _place(xy[k:], sigma[k:])
        away = math.hypot(a[0] - b[0], a[1] - b[1])
        variance = a[2] ** 2 + b[2] ** 2 + 2 * (BIASED * float(np.median(sigma))) ** 2
        if away > LEAST_NUDGE_MM and away * away / variance > best:
            best, where = away * away / variance, k
    return where


def _pushed(
    before: tuple[float, float, float], after: tuple[float, float, float], lo: float, hi: float
) -> Event:
    """The event of a ball that was pushed a little: its speed is that which rolls as far."""
    dx, dy = after[0] - before[0], after[1] - before[1]
    far = max(math.hypot(dx, dy), 1e-3)
    speed = math.sqrt(2 * 2 * ROLL_MM_S2 * far)
    t = 0.5 * (lo + hi)
    rest = Segment(hi, hi, hi, 1, (after[0], 0.0, 0.0), (after[1], 0.0, 0.0), _REST_COV)
    dv = speed * dx / far, speed * dy / far
    sigma_v = math.hypot(0.5 * speed, speed * before[2] / far)
    return Event("start", t, max(0.29 * (hi - lo), 0.01), lo, hi, None, rest, dv, sigma_v, far)


LAST_LOOKS = 5
"""So many looks tell where a ball lies in the end."""
BREADTH_MM = 50.0
"""Where something that vision does not call a cover hides a part of a ball, the middle of the rest lies no
further aside than this: half a ball, twice that where a slanting view shortens it.
"""
CREEPS_S = 0.1
"""A ball that goes a few mm is inside the noise of its rest for so long."""
_REST_COV = ((0.25, 0.0, 0.0), (0.0, 100.0, 0.0), (0.0, 0.0, 1.0))


def _still_costs(xy: F64, sigma: F64, place: tuple[float, float, float]) -> F64:
    """(k + 1,) chi-square of the first 0..k detections lying still."""
    d2 = ((xy - place[:2]) ** 2).sum(axis=1) / (sigma**2 + place[2] ** 2)
    out: F64 = np.concatenate([np.zeros(1), np.cumsum(d2)])
    return out


def _ranges(t: F64, xy: F64, sigma: F64, still: F64) -> list[tuple[int, int]]:
    """Index ranges of the best curves; none leads over a gap, in which anything may have happened."""
    cuts = [len(still) + int(k) for k in np.flatnonzero(np.diff(t[len(still) - 1 :]) > GAP_S)]
    out: list[tuple[int, int]] = []
    for i, j in zip([0, *cuts], [*cuts, len(t)], strict=True):
        if j > i:
            part = segmentation(t[i:j], xy[i:j], sigma[i:j], still if i == 0 else np.zeros(1))
            out += [(i + a, i + b) for a, b in part]
    return out


def _segments(
    ranges: list[tuple[int, int]],
    t: F64,
    xy: F64,
    sigma: F64,
    place: tuple[float, float, float],
    fastest_mm_s: float,
) -> list[Segment]:
    out: list[Segment] = []
    for i, j in ranges:
        if j - i > 1:
            out.append(fit(t[i:j], xy[i:j], sigma[i:j]))
            continue
        took_s = max(math.dist(xy[i], place[:2]) / fastest_mm_s, 0.04)  # at most: nobody saw it leave
        t0, x0, y0 = (float(t[i - 1]), *xy[i - 1]) if i else (float(t[i]) - took_s, *place[:2])
        out.append(_single(t0, float(x0), float(y0), float(t[i]), xy[i], float(sigma[i])))
    return out


def _lies(seg: Segment, place: tuple[float, float, float], last: tuple[float, float]) -> bool:
    """Whether a first curve is the ball at rest still, its outline moved by a hand or cue beside it; not
    where the curve leads to where the ball lies in the end.
    """
    there = seg.at(seg.last_s)
    slow = math.hypot(*seg.velocity(0.5 * (seg.first_s + seg.last_s))) < SLOWEST_MM_S
    came = math.dist(last, there) < math.dist(last, place[:2]) < 0.5 * BREADTH_MM
    return slow and seg.n > 1 and not came and math.dist(there, place[:2]) < 0.5 * BREADTH_MM


def _hidden_in_part(
    segments: Sequence[Segment],
    ranges: Sequence[tuple[int, int]],
    t: F64,
    xy: F64,
    place: tuple[float, float, float],
) -> int:
    """How many of the first curves are the ball at rest still, because something hid a part of it: it lies
    still beside its place, and the curve on which it sets off leads back to the place, not to where it seemed
    to lie.
    """
    aside = np.hypot(xy[:, 0] - place[0], xy[:, 1] - place[1])
    gone = np.flatnonzero(aside[ranges[0][0] :] > 0.5 * BREADTH_MM)
    k = next((k for k, (_, end) in enumerate(ranges) if len(gone) and end > ranges[0][0] + gone[0]), 0)
    there = [n for n in range(ranges[0][0], ranges[k][0]) if aside[n] > STILL_MM]
    if not there or segments[k].n < 2 or (lay_s := float(t[there[-1]] - t[there[0]])) < CREEPS_S:
        return 0
    if math.dist(xy[there[-1]], xy[there[0]]) > SLOWEST_MM_S * lay_s:
        return 0
    x, y = xy[there].mean(axis=0)
    near, far = (_passes_mm(segments[k], float(t[there[-1]]), p) for p in (place[:2], (x, y)))
    return k if near < SIGNIFICANT * math.hypot(place[2], segments[k].sigma(segments[k].first_s)) < far else 0


def _passes_mm(seg: Segment, since_s: float, place: tuple[float, float]) -> float:
    """How near a curve comes to a place from a time to its first look."""
    half_s = 0.5 * (seg.first_s - since_s)
    t_s = _nearest_s(seg, place, since_s + half_s, half_s)
    return math.dist(seg.at(t_s), place)


def _single(t0_s: float, x0: float, y0: float, t_s: float, xy: F64, sigma: float) -> Segment:
    """A segment of one detection: its direction is that from the place before, its speed hardly known."""
    dt = max(t_s - t0_s, 1e-3)
    vx, vy = (float(xy[0]) - x0) / dt, (float(xy[1]) - y0) / dt
    var_v = max(math.hypot(vx, vy), 100.0) ** 2
    cov = ((sigma * sigma, 0.0, 0.0), (0.0, var_v, 0.0), (0.0, 0.0, 1.0))
    return Segment(t_s, t_s, t_s, 1, (float(xy[0]), vx, 0.0), (float(xy[1]), vy, 0.0), cov)


def _start(seg: Segment, place: tuple[float, float, float], lo: float, hi: float) -> Event:
    """The instant at which the first curve leaves the place of rest."""
    t, sigma = 0.5 * (lo + hi), 0.29 * (hi - lo)
    if seg.n >= 2 and hi > lo:
        back = max(lo - 0.04, seg.first_s - 0.6)
        grid = np.linspace(back, hi, 61)
        u = grid - seg.t_ref_s
        dx = seg.x[0] + u * (seg.x[1] + u * seg.x[2]) - place[0]
        dy = seg.y[0] + u * (seg.y[1] + u * seg.y[2]) - place[1]
        k = _last_near(np.hypot(dx, dy))
        t = _nearest_s(seg, place, float(grid[k]), (hi - back) / (len(grid) - 1))
        v = max(math.hypot(*seg.velocity(t)), 1.0)
        sigma = min(math.hypot(seg.sigma(t), place[2]) / v, 0.3 * (hi - lo) + 0.01)
    vx, vy = seg.velocity(t)
    if (
        vx * (seg.at(hi)[0] - place[0]) + vy * (seg.at(hi)[1] - place[1]) < 0
    ):  # the parabola turns before it: a slow start
        vx, vy = seg.velocity(hi)
    slack = SLIP_SHARE * SLIDE_MM_S2 * max(seg.first_s - t, 0.0)
    sigma_v = math.hypot(seg.sigma_velocity(t), PULL * math.hypot(vx, vy) + slack)
    return Event("start", t, sigma, min(lo, t - 2 * sigma), max(hi, t), None, seg, (vx, vy), sigma_v)


def _nearest_s(seg: Segment, place: tuple[float, ...], about_s: float, within_s: float) -> float:
    """When a curve comes nearest to a place, about a time: a fast ball goes several times its size in a step
    of `within_s`.
    """
    t = about_s
    for _ in range(3):
        (x, y), (vx, vy) = seg.at(t), seg.velocity(t)
        ahead = (place[0] - x) * vx + (place[1] - y) * vy
        t += ahead / max(vx * vx + vy * vy, 1.0)
        t = min(max(t, about_s - within_s), about_s + within_s)
    return t


def _detour(start: Event, place: tuple[float, float, float]) -> list[Event]:
    """The start alone where its curve leads back to the place of rest; else the ball set off otherwise, and
    was turned before it was seen.
    """
    seg = start.after
    aside = math.dist(seg.at(start.t_s), place[:2])
    if seg.n < 2 or aside < max(DETOUR_MM, 5.0 * math.hypot(min(seg.sigma(start.t_s), 20.0), place[2])):
        return [start]
    x, y = seg.at(seg.first_s)
    unseen_s = math.dist((x, y), place[:2]) / max(math.hypot(*seg.velocity(seg.first_s)), 1.0)
    lo = max(start.lo_s, seg.first_s - max(unseen_s, DETOUR_S))
    leg = _single(lo, *place[:2], seg.first_s, np.array([x, y]), place[2])
    u, v = leg.velocity(seg.first_s), seg.velocity(seg.first_s)
    t, sigma = 0.5 * (lo + seg.first_s), 0.29 * (seg.first_s - lo)
    speed = max(math.hypot(*u), math.hypot(*v), 100.0)
    turn = Event("bend", t, sigma, lo, seg.first_s, leg, seg, (v[0] - u[0], v[1] - u[1]), speed, detour=True)
    return [Event("start", lo, sigma, start.lo_s, seg.first_s, None, leg, u, speed), turn]


def fallen_unseen(way: Way, towards: tuple[float, float], seen_s: float, missed_s: float) -> Way:
    """A way that ends in a pocket though nobody saw the ball set off: it was sent there between two looks,
    nobody knows how fast.
    """
    x, y, sigma = way.end
    far = max(math.dist((x, y), towards), 1.0)
    speed = FALLEN_MM_S
    v = speed * (towards[0] - x) / far, speed * (towards[1] - y) / far
    t = 0.5 * (seen_s + missed_s)
    seg = Segment(t, t, missed_s, 1, (x, v[0], 0.0), (y, v[1], 0.0), _REST_COV)
    rest = Segment(t, seen_s, t, 1, (x, 0.0, 0.0), (y, 0.0, 0.0), _REST_COV) if way.events else None
    start = Event(
        "start",
        t,
        0.29 * (missed_s - seen_s),
        seen_s,
        missed_s,
        rest,
        seg,
        v,
        FALLEN_SHARE * speed,
        fell=True,
        sigma_across=min(FALLEN_SHARE, INTO_MM / far) * speed,
    )
    return Way(way.place, (*towards, sigma), (*way.segments, seg), (*way.events, start), missed_s)


FALLEN_MM_S, FALLEN_SHARE = 1500.0, 0.6
"""Speed of a ball that falls unseen, and one sigma as a share: what is slower is seen on its way."""


def _last_near(distance: F64) -> int:
    """Index of the least distance; of two as small the last: a parabola drawn far back returns."""
    k = len(distance) - 1
    while k and distance[k - 1] < distance[k]:
        k -= 1
    return k if distance[k] < distance.min() + 10.0 else int(distance.argmin())


def _bend(a: Segment, b: Segment) -> Event | None:
    """The event between two curves; None where the velocity goes on unchanged in images that show it."""
    lo, hi = a.last_s, b.first_s
    if a.n == 1 or b.n == 1:
        t, sigma = 0.5 * (lo + hi), 0.29 * (hi - lo)
    else:
        t, sigma = crossing(a, b, lo, hi)
    va, vb = a.velocity(t), b.velocity(t)
    dv = vb[0] - va[0], vb[1] - va[1]
    speed = max(math.hypot(*va), math.hypot(*vb))
    curves, slips = math.hypot(a.sigma_velocity(t), b.sigma_velocity(t)), SLIP_SHARE * SLIDE_MM_S2 * (hi - lo)
    along, across = (math.hypot(curves, slips + pull * speed) for pull in (PULL, PULL_ACROSS))
    ux, uy = _direction(va, vb)
    size = math.hypot(*dv)
    cos, sin = ((ux * dv[0] + uy * dv[1]) / size, (ux * dv[1] - uy * dv[0]) / size) if size else (1.0, 0.0)
    in_gap = hi - lo > GAP_S and speed > 2 * SLOWEST_MM_S  # what it met there need not show in its curves
    if hi - lo > GAP_S and _rolls_on(a, b):
        return None
    if not in_gap and (size < SLOWEST_MM_S or size * math.hypot(cos / along, sin / across) < SIGNIFICANT):
        return None
    sigma_v, aside = math.hypot(cos * along, sin * across), math.hypot(sin * along, cos * across)
    return Event("bend", t, max(sigma, 2e-4), lo, hi, a, b, dv, sigma_v, sigma_across=aside)


def _direction(*velocities: tuple[float, float]) -> tuple[float, float]:
    """The unit vector along the faster of velocities."""
    vx, vy = max(velocities, key=lambda v: math.hypot(*v))
    speed = math.hypot(vx, vy) or 1.0
    return vx / speed, vy / speed


def _rolls_on(a: Segment, b: Segment) -> bool:
    """Whether rolling alone leads from the end of one curve to the beginning of the next, over a gap."""
    vx, vy = a.velocity(a.last_s)
    speed = max(math.hypot(vx, vy), 1e-6)
    gone_s = min(b.first_s - a.last_s, speed / ROLL_MM_S2)
    far, left = speed * gone_s - 0.5 * ROLL_MM_S2 * gone_s**2, speed - ROLL_MM_S2 * gone_s
    x, y = a.at(a.last_s)
    away = math.dist((x + vx / speed * far, y + vy / speed * far), b.at(b.first_s))
    sigma = math.hypot(a.sigma(a.last_s), b.sigma(b.first_s), ROLLS_ON_SHARE * far, 1.0)
    if away > SIGNIFICANT * math.hypot(sigma, min(a.sigma_velocity(a.last_s), 0.2 * speed) * gone_s):
        return False
    if b.n == 1:
        return True
    ux, uy = b.velocity(b.first_s)
    other = math.hypot(ux - vx / speed * left, uy - vy / speed * left)
    return other < SLOWEST_MM_S + SIGNIFICANT * math.hypot(b.sigma_velocity(b.first_s), 0.1 * left)


ROLLS_ON_SHARE = 0.05
"""Share of a way over a gap by which cloth and nap turn or slow a rolling ball otherwise than said."""
