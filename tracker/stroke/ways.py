"""The cue-ball's path before a moment, extrapolated: which balls it leads to, and when."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracker.ball import Point
from tracker.stroke.paths import STEADY_IMAGES, Path, Segment
from tracker.stroke.world import World

ORDER_S = 0.006
"""Times of two contacts between the same two images hang on each other: their order is no surer than this."""
EARLY_S = 0.02
"""A ball that began to move so long before the cue-ball's first contact was not set off by it."""
BEYOND_S, STEP_S = 0.05, 0.002
"""A path that ends is followed to the image after it; in steps of 10 mm at 5 m/s."""
WAY_IMAGES = 3
"""A way through so many images can be drawn on to the next."""
STRUCK_LATE = 0.2
"""Share of the interval between two images by which a strike came before the second of them, at least."""
ASIDE = 3.0
"""Sigmas by which points lie beside one straight way at most."""


def normal_share(sigmas: float) -> float:
    return 0.5 * (1 + math.erf(sigmas / math.sqrt(2)))


def lay_until(world: World, ball: str, t_s: float) -> bool:
    """Whether a ball may have lain where it lay before the stroke until about that time."""
    legs = world.paths.get(ball, [])
    start = legs[0].start if legs else None
    return ball in world.places and (start is None or start.hi_s > t_s - EARLY_S)


def way_up_to(world: World, t_s: float) -> Segment | None:
    """The cue-ball's last steady piece before a time, if it bends nowhere between."""
    legs = world.paths.get(world.cue or "", [])
    pieces = [p for p in (legs[0].segments if legs else []) if p.first_s < t_s]
    if not pieces or pieces[-1].n < STEADY_IMAGES or pieces[-1].last_s > t_s + EARLY_S:
        pieces = [p for p in pieces if p.last_s <= t_s + ORDER_S]
    if pieces and pieces[-1].n >= WAY_IMAGES:
        return pieces[-1]
    return way_from_rest(world, t_s)


def way_from_rest(world: World, t_s: float) -> Segment | None:
    """The straight way of a cue-ball that was seen once or twice between where it lay and a time.

    None where it was not seen lying there or is not seen before the time, and where its places lie on no one
    line.
    """
    legs = world.paths.get(world.cue or "", [])
    lay = world.places.get(world.cue or "")
    if not legs or legs[0].start is None or lay is None:
        return None
    points = [p for p in legs[0].leg.points if p.t_s <= t_s + ORDER_S]
    if not 0 < len(points) < WAY_IMAGES or not _on_line(lay, points):
        return None
    last = points[-1]
    struck_s = _struck_s(legs[0], points)
    taken_s = last.t_s - struck_s
    x, y, sigma = lay
    straight = (last.x_mm - x) / taken_s, (last.y_mm - y) / taken_s
    own, seen = sigma * sigma, last.sigma_mm * last.sigma_mm
    cov = (
        (own, -own / taken_s, 0.0),
        (-own / taken_s, (own + seen) / taken_s**2, 0.0),
        (0.0, 0.0, 0.0),
    )
    return Segment(
        struck_s, struck_s, last.t_s, len(points) + 1, (x, straight[0], 0.0), (y, straight[1], 0.0), cov
    )


def _struck_s(path: Path, points: Sequence[Point]) -> float:
    """When the cue-ball was struck: after it was last seen at rest, before it was first seen elsewhere."""
    first, last, rest_s = points[0], points[-1], path.leg.t_rest_s
    latest = first.t_s - STRUCK_LATE * max(first.t_s - rest_s, 1e-3)
    if last is not first:  # its speed between the two says it
        gone = math.dist((first.x_mm, first.y_mm), (path.leg.x0_mm, path.leg.y0_mm))
        between = math.dist((first.x_mm, first.y_mm), (last.x_mm, last.y_mm))
        return min(first.t_s - gone / max(between, 1.0) * (last.t_s - first.t_s), latest)
    assert path.start is not None
    return min(max(path.start.t_s, rest_s), latest)


def _on_line(lay: tuple[float, float, float], points: Sequence[Point]) -> bool:
    """Whether points lie on the straight line from where the ball lay to the last of them."""
    x, y, sigma = lay
    last = points[-1]
    dx, dy = last.x_mm - x, last.y_mm - y
    far = math.hypot(dx, dy)
    if far < ASIDE * math.hypot(sigma, last.sigma_mm):
        return False
    aside = ((abs((p.x_mm - x) * dy - (p.y_mm - y) * dx) / far, p.sigma_mm) for p in points[:-1])
    return all(a < ASIDE * math.hypot(sigma, s, last.sigma_mm) for a, s in aside)


def reach_of(world: World, way: Segment, ball: str, t_s: float) -> tuple[float | None, float, float]:
    """Where a way, drawn on, comes to a ball at rest: (time or None, weight that it meets it, sigma in s)."""
    x, y, sigma = world.places[ball]
    reach = world.reach_mm(world.cue, ball)
    ts = [way.first_s + k * STEP_S / 2 for k in range(int((t_s + BEYOND_S - way.first_s) * 2 / STEP_S) + 1)]
    gaps = [math.dist(way.at(t), (x, y)) - reach for t in ts]
    if not gaps:
        return None, 0.0, 1.0
    k = min(range(len(gaps)), key=gaps.__getitem__)
    spread = math.hypot(min(way.sigma(ts[k]), 20.0), max(sigma, 0.3))
    speed = max(math.hypot(*way.velocity(ts[k])), 1.0)
    hit = normal_share(-gaps[k] / spread)
    at = next((t for t, gap in zip(ts, gaps, strict=True) if gap <= 0.0), None)
    return at, hit, spread / speed
