"""Where a ball has come to lie."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.table.pockets import no_rest_place
from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState
from tracker.place import Point, Rest


def come_to_rest(ball: Ball, t_s: float, table: TableSpec, points: Sequence[Point]) -> None:
    """A ball that left its place lies still where it was seen at `points`; not over or beyond a drop."""
    if points and no_rest_place(points[-1].x_mm, points[-1].y_mm, table):
        return
    leg = ball.legs[-1]
    ball.rest = Rest(since_s=t_s)
    for p in points:
        ball.rest.add(p.t_s, p.x_mm, p.y_mm, p.sigma_mm)
    if not points:
        ball.rest.add(leg.t_rest_s, leg.x0_mm, leg.y0_mm, leg.sigma0_mm)
    leg.end, leg.t_end_s = (ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm), t_s
    ball.state, ball.track, ball.missed = BallState.REST, None, 0
