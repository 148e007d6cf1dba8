"""When a ball in motion has come to rest, and where."""

from __future__ import annotations

import math

from calibration.table.pockets import no_rest_place
from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState, Point, Rest
from tracker.params import SETTLE_S

SURELY_MOVED_MM = 150.0
"""No noise at rest reaches as far within `SETTLE_S`."""


def settle(ball: Ball, t_s: float, table: TableSpec) -> None:
    """Put a moving ball at rest whose last observations agree with one place; lost if that is a pocket's
    net.
    """
    leg = ball.legs[-1]
    if len(leg.points) >= 4 and all(no_rest_place(p.x_mm, p.y_mm, table) for p in leg.points[-4:]):
        ball.state = BallState.LOST  # it lies in the net
        return
    first = len(leg.points)
    while first and leg.points[first - 1].t_s > t_s - SETTLE_S - 0.02:
        first -= 1
    window = leg.points[first:]
    if len(window) >= 4 and window[-1].t_s - window[0].t_s >= 0.7 * SETTLE_S and _agree(window):
        come_to_rest(ball, t_s, table, window)


def _agree(points: list[Point]) -> bool:
    """Whether observations are of one place: no speed beyond its error, none far from their mean."""
    a, b = points[0], points[-1]
    if abs(b.x_mm - a.x_mm) + abs(b.y_mm - a.y_mm) > SURELY_MOVED_MM:
        return False
    n = len(points)
    mean_t = sum(p.t_s for p in points) / n
    mean_x = sum(p.x_mm for p in points) / n
    mean_y = sum(p.y_mm for p in points) / n
    tt = sum((p.t_s - mean_t) ** 2 for p in points)
    vx = sum((p.t_s - mean_t) * (p.x_mm - mean_x) for p in points) / tt
    vy = sum((p.t_s - mean_t) * (p.y_mm - mean_y) for p in points) / tt
    sigma = math.sqrt(sum(p.sigma_mm**2 for p in points) / n)
    worst = max(math.hypot(p.x_mm - mean_x, p.y_mm - mean_y) for p in points)
    return math.hypot(vx, vy) < max(6.0, 2.5 * sigma / math.sqrt(tt)) and worst < max(1.5, 4 * sigma)


def come_to_rest(ball: Ball, t_s: float, table: TableSpec, window: list[Point] | None = None) -> None:
    """The ball lies still where it was last seen; lost instead where that is over or beyond a drop, or rather
    no piece.
    """
    leg = ball.legs[-1]
    hopped_s = ball.hopped_s
    if hopped_s is not None and ball.piece_probability < 0.5:  # rather a mark or leather: it went unseen
        leg.points = [p for p in leg.points if p.t_s < hopped_s]
        ball.state, ball.motion, ball.hopped_s = BallState.LOST, ball.before_hop, None
        return
    points = window or leg.points[-1:]
    if points and no_rest_place(points[-1].x_mm, points[-1].y_mm, table):
        ball.state = BallState.LOST
        return
    ball.rest = Rest(since_s=t_s)
    for p in points[-2:]:  # it still crept in those before, and looks at one rest err alike
        ball.rest.add(p.t_s, p.x_mm, p.y_mm, p.sigma_mm)
    if not points:
        ball.rest.add(leg.t_rest_s, leg.x0_mm, leg.y0_mm, leg.sigma0_mm)
    leg.end, leg.t_end_s = (ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm), t_s
    ball.state, ball.motion, ball.missed = BallState.REST, None, 0
