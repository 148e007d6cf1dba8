"""What a ball can come to that still rolls in the last image, where the images end or turn to something else.

Television cuts away from a ball that all but lies still. How far it can run on at most is known; if nothing
lies within that, it only comes to rest, and the stroke is known to its end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from shapely import Point as ShapelyPoint
from shapely import Polygon, box
from shapely.geometry.base import BaseGeometry

from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.ball import BallState
from tracker.detections.tentative import Tentative
from tracker.params import DISC_MM_S2, DISC_SLOWEST_MM_S2
from tracker.place import Point

STOPPING_IMAGES, STOPPING_S = 4, 0.4
"""How fast a ball rolled at last is read from so many images of so long."""
RUN_SIGMAS = 3.0
ROLLS_OFF = 0.1
"""A slow ball leaves its line by no more than this share of its way: cloth and table are not quite even."""
ROLLING_MM_S2 = 300.0
"""Slow cloth and nap slow a rolling ball by no more; sliding takes 2 m/s^2."""
NEAR_MM, BOARD_NEAR_MM = 130.0, 60.0
"""Within this of a pocket's centre a ball is in its mouth; a disc within two radii of a board's hole."""
SLOWING_MM_S2 = 60.0
"""A fast cloth (rolling resistance 0.006): no ball rolls further than this lets it."""


def run_mm(points: Sequence[Point], table: TableSpec) -> float | None:
    """How far a ball runs on at most after the points of its way; None where too few images tell its speed.

    It rolled no faster at the end than on the way there.
    """
    late = _late(points)
    if len(late) < STOPPING_IMAGES:
        return None
    way_mm, sigma_mm = _way(late[0], late[-1])
    speed = (way_mm + RUN_SIGMAS * sigma_mm) / (late[-1].t_s - late[0].t_s)
    return speed * speed / (2.0 * (DISC_SLOWEST_MM_S2 if table.is_board else SLOWING_MM_S2))


def reachable(points: Sequence[Point], run: float, table: TableSpec) -> BaseGeometry:
    """Where a ball's centre may come to that runs on so far (mm) after the points of its way. One that rolls
    keeps its direction, but for how well that is known; one that still slides may turn back by its spin, and
    from a cushion it may turn anywhere.
    """
    late = _late(points)
    first, last = late[0], late[-1]
    way_mm, sigma_mm = _way(first, last)
    aside = RUN_SIGMAS * sigma_mm / max(way_mm, 1e-6) + ROLLS_OFF
    if aside < 1.0 and _keeps_its_way(late, 2 * DISC_MM_S2 if table.is_board else ROLLING_MM_S2):
        turn = math.atan2(last.y_mm - first.y_mm, last.x_mm - first.x_mm)
        angles = [turn + math.atan(aside) * k / 2 for k in (-2, -1, 0, 1, 2)]
        ends = [(last.x_mm + run * math.cos(a), last.y_mm + run * math.sin(a)) for a in angles]
        ahead = Polygon([(last.x_mm, last.y_mm), *ends])
        half_mm, r = table.half_width_mm, table.ball_radius_mm
        if box(r - half_mm, r, half_mm - r, table.length_mm - r).contains(ahead):
            return ahead
    return ShapelyPoint(last.x_mm, last.y_mm).buffer(run)


def _keeps_its_way(late: Sequence[Point], slowing_mm_s2: float) -> bool:
    """Whether a ball is no more slowed or turned than rolling does, a disc than sliding does."""
    first, middle, last = late[0], late[len(late) // 2], late[-1]
    if not first.t_s < middle.t_s < last.t_s:
        return False
    before_s, after_s = middle.t_s - first.t_s, last.t_s - middle.t_s
    change = [
        (b - m) / after_s - (m - a) / before_s
        for a, m, b in ((first.x_mm, middle.x_mm, last.x_mm), (first.y_mm, middle.y_mm, last.y_mm))
    ]
    sigma = 2.0 * max(p.sigma_mm for p in late) / min(before_s, after_s)
    return math.hypot(*change) < slowing_mm_s2 * (before_s + after_s) / 2 + RUN_SIGMAS * sigma


def _late(points: Sequence[Point]) -> list[Point]:
    return [p for p in points if p.t_s > points[-1].t_s - STOPPING_S]


def _way(first: Point, last: Point) -> tuple[float, float]:
    """From the one to the other, and its sigma, mm."""
    way_mm = math.hypot(last.x_mm - first.x_mm, last.y_mm - first.y_mm)
    return way_mm, math.hypot(first.sigma_mm, last.sigma_mm)


def near_pocket(area: BaseGeometry, table: TableSpec) -> bool:
    """Whether a ball that stays in the area may come into a pocket's mouth."""
    near_mm = BOARD_NEAR_MM if table.is_board else NEAR_MM
    return any(area.distance(ShapelyPoint(p.x_mm, p.y_mm)) < near_mm for p in table.pockets)


def all_but_lies(points: Sequence[Point], table: TableSpec) -> bool:
    """Whether a ball was so slow when it was seen last that it runs on by less than its radius, and into no
    pocket.
    """
    run = run_mm(points, table)
    if run is None or run > table.ball_radius_mm:
        return False
    return not near_pocket(reachable(points, run, table), table)


def only_stops(f: Follower, most_mm: float = math.inf) -> bool:
    """Whether all that still rolls only comes to rest: it reaches no ball, no pocket.

    `most_mm`: and none of it may run on further than that. Never where it was missed in the last image.
    """
    table = f.table
    rolling = f.tentatives.moving(f.t_s)
    lying = [b.place for b in f.balls if b.state is BallState.REST]
    lying += [i.place_mm for i in f.tentatives.lying(f.t_s)]
    areas: list[BaseGeometry] = []
    for item in rolling:
        run = _run_mm(item, table)
        if run is None or run > most_mm:
            return False
        areas.append(reachable(item.points, run, table))
    if any(near_pocket(area, table) for area in areas):
        return False
    others = [*map(ShapelyPoint, lying)]
    return all(
        area.distance(other) > table.ball_diameter_mm
        for k, area in enumerate(areas)
        for other in (*others, *areas[:k])
    )


def let_stop(f: Follower, t_s: float) -> None:
    """Put what still rolls at rest halfway to where it can run, and as unsure as that."""
    for item in f.tentatives.moving(f.t_s):
        half_mm, motion, sigma_mm = (
            0.5 * (_run_mm(item, f.table) or 0.0),
            item.motion,
            item.points[-1].sigma_mm,
        )
        on = 0.0 if motion is None else half_mm / max(motion.speed_mm_s, 1e-6)
        x, y = item.last_mm
        if motion is not None:
            x, y = x + on * motion.vx_mm_s, y + on * motion.vy_mm_s
        item.comes_to_lie(t_s, x, y, math.hypot(sigma_mm, half_mm))


def _run_mm(item: Tentative, table: TableSpec) -> float | None:
    return None if item.misses or item.covered else run_mm(item.points, table)
