"""What a ball can come to that still rolls in the last image, where the images end or turn to something else.

Television cuts away from a ball that all but lies still. How far it can run on at most is known; if nothing
lies within that, it only comes to rest, and the stroke is known to its end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState, Point, Rest
from tracker.params import DISC_SLOWEST_MM_S2
from tracker.rest.settling import come_to_rest

STOPPING_IMAGES, STOPPING_S = 4, 0.4
"""How fast a ball rolled at last is read from so many images of so long."""
RUN_SIGMAS = 3.0
NEAR_MM, BOARD_NEAR_MM = 130.0, 60.0
"""Within this of a pocket's centre a ball is in its mouth; a disc within two radii of a board's hole."""
SLOWING_MM_S2 = 60.0
"""A fast cloth (rolling resistance 0.006): no ball rolls further than this lets it."""


def run_mm(points: Sequence[Point], table: TableSpec) -> float | None:
    """How far a ball runs on at most after the points of its way; None where too few images tell its speed.

    It rolled no faster at the end than on the way there.
    """
    late = [p for p in points if p.t_s > points[-1].t_s - STOPPING_S]
    if len(late) < STOPPING_IMAGES:
        return None
    first, last = late[0], late[-1]
    sigma_mm = math.hypot(first.sigma_mm, last.sigma_mm)
    way_mm = math.hypot(last.x_mm - first.x_mm, last.y_mm - first.y_mm) + RUN_SIGMAS * sigma_mm
    speed = way_mm / (last.t_s - first.t_s)
    return speed * speed / (2.0 * (DISC_SLOWEST_MM_S2 if table.is_board else SLOWING_MM_S2))


def near_pocket(last: Point, run: float, table: TableSpec) -> bool:
    """Whether a ball may come into a pocket's mouth that runs on so far (mm) from where it was seen last."""
    reach_mm = run + (BOARD_NEAR_MM if table.is_board else NEAR_MM)
    return any(math.dist((last.x_mm, last.y_mm), (p.x_mm, p.y_mm)) < reach_mm for p in table.pockets)


def only_stops(balls: Sequence[Ball], table: TableSpec, most_mm: float = math.inf) -> bool:
    """Whether all that still rolls only comes to rest: wherever it turns, it reaches no ball, no pocket.

    `most_mm`: and none of it may run on further than that.
    """
    runs = {b.name: _run_mm(b, table) for b in balls if b.state is BallState.MOVING}
    there = [b for b in balls if b.state in (BallState.MOVING, BallState.REST)]
    for ball in (b for b in balls if b.name in runs):
        run = runs[ball.name]
        if run is None or run > most_mm or near_pocket(ball.legs[-1].points[-1], run, table):
            return False
        for other in there:
            room_mm = math.dist(ball.place, other.place) - table.ball_diameter_mm
            if other is not ball and room_mm < run + (runs.get(other.name) or 0.0):
                return False
    return True


def let_stop(balls: Sequence[Ball], t_s: float, table: TableSpec) -> None:
    """Put what still rolls at rest halfway to where it can run, and as unsure as that."""
    for ball in (b for b in balls if b.state is BallState.MOVING):
        half_mm, motion = 0.5 * (_run_mm(ball, table) or 0.0), ball.motion
        come_to_rest(ball, t_s, table)
        if ball.state is not BallState.REST or motion is None:
            continue
        seen, on = ball.rest, half_mm / max(motion.speed_mm_s, 1e-6)
        x, y = seen.x_mm + on * motion.vx_mm_s, seen.y_mm + on * motion.vy_mm_s
        ball.rest = Rest(since_s=t_s)
        ball.rest.add(t_s, x, y, math.hypot(seen.sigma_mm, half_mm))
        ball.legs[-1].end = x, y, ball.rest.sigma_mm


def _run_mm(ball: Ball, table: TableSpec) -> float | None:
    points = ball.legs[-1].points if ball.legs else []
    return None if not points or ball.missed or ball.covered else run_mm(points, table)
