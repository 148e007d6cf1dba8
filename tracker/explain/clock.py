"""When the images of a span were taken, where a recording's times do not tell.

A video whose rate was changed, once or more often (25 images a second shown as 30, cut, shown as 25 again),
repeats images and leaves others out, so that an image may be one or two of the camera's away from its time.
The balls tell: in each interval of the camera a ball goes as far as in the one before, but for what friction
and meetings change. How many intervals lie between two images is found for all images of a span together
(dynamic programming), with the camera's rate.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from vision.observation import ImageObservations, Observation

LEAST_REPEATS = 3
"""Fewer repeated images tell no rate."""
RATES = {1.0: 0.0, 5 / 6: 4.0, 0.8: 5.0, 0.5: 5.0, 2 / 3: 7.0, 0.4: 7.0, 0.96: 9.0}
"""The camera's images a second as a share of the recording's, with what each costs (nats): the same; 25 shown
as 30; 24 as 30; 25 as 50; 20 as 30; 24 as 60; 24 as 25, which is rather played faster. Assumed.
"""
UNEVEN = 3.0
"""Cost of each interval more or fewer between two images than their times allow. Assumed."""
NEARLY = 0.02
"""Intervals by which times may be rounded."""
LAG, MOST_LAG = 0.2, 3
"""Cost of each image by the square of how far it is from its time, and the most of that, in intervals of the
camera. Assumed.
"""
SURE = 0.6
"""What is seen with less confidence tells no time."""
LIKELY = 0.5
"""What is seen with more confidence is rather a ball."""
FURTHEST_MM = 300.0
"""A ball goes no further between two images: 7.5 m/s at 25 images a second."""
ALONE = 1.5
"""The next nearest detection lies this much further away."""
MOVED_MM, MOVED_SIGMAS = 2.0, 2.0
"""A ball that has gone less far, or by less of its sigma, tells no time."""
SHARE, LEAST_MM = 0.08, 1.0
"""A ball's way in one interval differs from that in the one before by this share of it, and by this much: one
sigma. Friction takes 3 % of it at 2 m/s and 25 images a second, streaks are found less exactly.
"""
MOST_COST = 5.0
"""One ball argues no more than this for an interval: it may have met something."""
STILL_MM, STILL_SHARE = 0.3, 0.05
"""A copy of an image, coded anew, shows a ball within this much, or this share of its way: one sigma."""
MOST_COPIES = 3
"""An image is repeated no oftener: 24 images a second shown as 60 are shown three times at most."""
NEW = 2.0
"""Cost of a ball in a copy of an image that does not show it. Assumed."""

_Vector = tuple[float, float, float]
_Way = dict[int, _Vector]
"""How far each detection's ball has come since the image before: x, y and sigma, mm, by its index."""
_Links = dict[int, int]
"""Which detection of the image before is which of an image's, by its index."""


def by_camera(images: Sequence[ImageObservations], repeated: Sequence[float]) -> list[ImageObservations]:
    """The images by the camera's clock, which goes as the recording's on average, each once. `repeated`:
    times of the images that were found to show the one before again, which are not among `images`.

    Times are unchanged where few repeat, or the recording's images are not evenly spaced.
    """
    left = _each_once(images)
    repeats = len(repeated) + len(images) - len(left)
    t_s = [i.t_s for i in left]
    if repeats < LEAST_REPEATS or len(t_s) < 3:
        return left if repeated else list(images)
    interval_s = min(b - a for a, b in pairwise(sorted({*(i.t_s for i in images), *repeated})))
    if any(abs((t - t_s[0]) / interval_s - round((t - t_s[0]) / interval_s)) > 0.2 for t in t_s):
        return left
    timed = zip(left, _camera_times(left, interval_s), strict=True)
    return [replace(i, t_s=t) for i, t in timed if t is not None]


def _each_once(images: Sequence[ImageObservations]) -> list[ImageObservations]:
    """The images without those in which what moved stands where it stood in the one before, and goes on in
    the next. What stands longer has come to rest.
    """
    out, copies = list(images[:1]), list[ImageObservations]()
    came: _Way = {}
    for image in images[1:]:
        links = _links(out[-1], image)
        ways = _ways(out[-1], image, links)
        moved = [(ways[k], came[j]) for k, j in links.items() if j in came and _moves(came[j])]
        goes_on = sum(_goes_on(a, b) for a, b in moved)
        stands = moved and goes_on + NEW * len(_elsewhere(out[-1], image)) < 0.0
        if stands and len(copies) < MOST_COPIES:
            copies.append(image)
            continue
        out += [image] if any(_moves(way) for way, _ in moved) else [*copies, image]
        came, copies = ways, []
    return [*out, *copies]


def _moves(way: _Vector) -> bool:
    return math.hypot(*way[:2]) > MOVED_MM + MOVED_SIGMAS * way[2]


def _goes_on(way: _Vector, before: _Vector) -> float:
    """What speaks for a ball's going on as before, against its standing where it stood (nats)."""
    gone = math.hypot(*way[:2])
    stands = min(0.5 * (gone / max(STILL_MM, way[2], STILL_SHARE * math.hypot(*before[:2]))) ** 2, MOST_COST)
    return stands - _differ(way, before, 1, 1)


def _camera_times(images: Sequence[ImageObservations], interval_s: float) -> list[float | None]:
    """The times of the images; None of one in which nothing moves and that falls together with the one
    before. A recorder that repeats images because it lost some keeps the times of the others.
    """
    t_s = [i.t_s for i in images]
    links = [_links(a, b) for a, b in pairwise(images)]
    ways = [_ways(a, b, k) for (a, b), k in zip(pairwise(images), links, strict=True)]
    moves = [
        any(map(_moves, w.values())) or bool(_elsewhere(a, b))
        for (a, b), w in zip(pairwise(images), ways, strict=True)
    ]
    steps = [_Step(moved, _pairs(links, ways, k)) for k, moved in enumerate(moves)]
    found = [(_best(t_s, interval_s / rate, steps), rate) for rate in RATES]
    (_, counts), rate = min(found, key=lambda f: f[0][0] + RATES[f[1]])
    if rate == 1.0:
        return list(t_s)
    camera_s = [c * interval_s / rate for c in counts]
    late_s = sum(t - c for t, c in zip(t_s, camera_s, strict=True)) / len(t_s)
    again = (False, *(a == b for a, b in pairwise(counts)))
    return [None if copy else c + late_s for c, copy in zip(camera_s, again, strict=True)]


def _links(before: ImageObservations, after: ImageObservations) -> _Links:
    """Which detection of the one image is which of the next, where both are sure and have no rival: what
    stands where it stood is no other's rival.
    """
    old = [k for k, o in enumerate(before.observations) if o.confidence > SURE]
    new = [k for k, o in enumerate(after.observations) if o.confidence > SURE]
    standing = {
        k: j for k in new for j in old if not _moves(_way(before.observations[j], after.observations[k]))
    }
    left = [j for j in old if j not in standing.values()]
    came = [k for k in new if k not in standing]
    out = dict(standing)
    for k in came:
        j = _nearest(after.observations[k], before.observations, left)
        if j is not None and _nearest(before.observations[j], after.observations, came) == k:
            out[k] = j
    return out


def _elsewhere(before: ImageObservations, after: ImageObservations) -> list[Observation]:
    """The balls that are seen where nothing was in the image before."""
    likely = (o for o in after.observations if o.confidence > LIKELY)
    return [o for o in likely if all(_moves(_way(p, o)) for p in before.observations)]


def _nearest(o: Observation, others: Sequence[Observation], among: Sequence[int]) -> int | None:
    """The one that lies nearest, if none lies nearly as near."""
    away = sorted((math.hypot(others[k].x_mm - o.x_mm, others[k].y_mm - o.y_mm), k) for k in among)
    if not away or away[0][0] > FURTHEST_MM or (len(away) > 1 and away[1][0] < ALONE * away[0][0] + MOVED_MM):
        return None
    return away[0][1]


def _ways(before: ImageObservations, after: ImageObservations, links: _Links) -> _Way:
    return {k: _way(before.observations[j], after.observations[k]) for k, j in links.items()}


def _way(a: Observation, b: Observation) -> _Vector:
    return b.x_mm - a.x_mm, b.y_mm - a.y_mm, math.hypot(a.sigma_mm, b.sigma_mm)


@dataclass(frozen=True, slots=True)
class _Step:
    """From one image to the next: whether something moves (else a copy is not seen), and the ways of balls in
    this step and in the one before.
    """

    moves: bool
    pairs: list[tuple[_Vector, _Vector]]


_Path = tuple[int, "_Path | None"]
"""The number of an image's interval, and the path to the image before."""


def _best(t_s: Sequence[float], interval_s: float, steps: Sequence[_Step]) -> tuple[float, list[int]]:
    """The least cost for a camera's interval, and the number of its interval in which each image was taken;
    infinite where the images are more than it has.
    """
    states: dict[tuple[int, int], tuple[float, _Path]] = {
        (n, 0): (LAG * n * n, (n, None)) for n in range(-1, 2)
    }
    for k, at in enumerate(steps, start=1):
        told = (t_s[k] - t_s[k - 1]) / interval_s
        options = range(max(int(at.moves), math.floor(told) - 1), math.ceil(told) + 2)
        odd = {n: max(0, n - math.ceil(told - NEARLY), math.floor(told + NEARLY) - n) for n in options}
        grown: dict[tuple[int, int], tuple[float, _Path]] = {}
        for (count, step), (cost, path) in states.items():
            for n in options:
                lag = count + n - (t_s[k] - t_s[0]) / interval_s
                if abs(lag) > MOST_LAG:
                    continue
                by_balls = sum(_differ(a, b, n, step) for a, b in at.pairs) if n and step else 0.0
                whole = cost + by_balls + UNEVEN * odd[n] + LAG * lag * lag
                if whole < grown.get((count + n, n), (math.inf, path))[0]:
                    grown[count + n, n] = whole, (count + n, path)
        states = grown
    if not states:
        return math.inf, []
    cost, path = min(states.values(), key=lambda s: s[0])
    return cost, [*_backwards(path)][::-1]


def _backwards(path: _Path | None) -> Iterator[int]:
    while path is not None:
        count, path = path
        yield count


def _pairs(links: Sequence[_Links], ways: Sequence[_Way], k: int) -> list[tuple[_Vector, _Vector]]:
    """The ways of balls that move, in step `k` and in the one before it. In the interval in which a ball was
    struck it moved for a part of it only.
    """
    out = []
    for new, old in links[k].items() if k > 1 else ():
        first = links[k - 1].get(old)
        if first is not None and first in ways[k - 2] and _moves(ways[k - 2][first]):
            now, before = ways[k][new], ways[k - 1][old]
            if _moves(before) or _moves(now):
                out.append((now, before))
    return out


def _differ(now: _Vector, before: _Vector, n: int, step: int) -> float:
    """How badly a ball's ways agree if they took so many intervals."""
    a, b = (now[0] / n, now[1] / n), (before[0] / step, before[1] / step)
    noise = math.hypot(now[2] / n, before[2] / step, SHARE * max(math.hypot(*a), math.hypot(*b)), LEAST_MM)
    return min(0.5 * (math.dist(a, b) / noise) ** 2, MOST_COST)
