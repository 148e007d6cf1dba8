"""Placing a ball on a line as near as possible to a spot: the geometry only.

Which line, which way first, and whether balls may touch differ by game and are arguments.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from calibration.table.specs import PointMm

TOUCH_TOLERANCE_MM = 1e-6


@dataclass(frozen=True)
class Obstacle:
    """A ball in the way: `reach_mm` is the centre distance at contact.

    `apart_mm` 0: the placed ball may touch it. Above 0: contact is not allowed, and when the ball has to
    move for this obstacle it is left `apart_mm` clear of it.
    """

    ball: str
    point_mm: PointMm
    reach_mm: float
    apart_mm: float

    def blocks(self, x_mm: float, y_mm: float) -> bool:
        """Whether a ball centred at (x, y) would overlap, or touch where touching is not allowed."""
        distance = math.hypot(x_mm - self.point_mm[0], y_mm - self.point_mm[1])
        if self.apart_mm > 0:
            return distance <= self.reach_mm + TOUCH_TOLERANCE_MM
        return distance < self.reach_mm - TOUCH_TOLERANCE_MM

    def exit_y_mm(self, x_mm: float, way: int) -> float:
        """The y beyond this obstacle, on the line at x, in direction `way` (+1 or -1)."""
        reach = self.reach_mm + self.apart_mm
        dx = x_mm - self.point_mm[0]
        return self.point_mm[1] + way * math.sqrt(max(0.0, reach * reach - dx * dx))


@dataclass(frozen=True)
class Placed:
    """Where the ball goes, and the ball it had to give way to last (None: the spot was free)."""

    point_mm: PointMm
    beside: Obstacle | None


def place_along(spot: PointMm, way: int, limit_y_mm: float, obstacles: tuple[Obstacle, ...]) -> Placed | None:
    """The first free place from `spot` in direction `way` (+1 up the table, -1 down) up to `limit_y_mm`.

    Returns None when the line is full as far as the limit. Each step passes the obstacle that reaches
    furthest, so it ends after at most one step for each obstacle.
    """
    x, y = spot
    beside: Obstacle | None = None
    for _ in range(len(obstacles) + 1):
        blocking = [o for o in obstacles if o.blocks(x, y)]
        if not blocking:
            return Placed((x, y), beside)
        beside = max(blocking, key=lambda o: way * o.exit_y_mm(x, way))
        y = beside.exit_y_mm(x, way)
        if way * (limit_y_mm - y) < 0:
            return None
    return None


def nearest_on_line(
    spot: PointMm, first_way: int, limits_y_mm: tuple[float, float], obstacles: tuple[Obstacle, ...]
) -> Placed | None:
    """From the spot first in `first_way` up to its limit, then the other way up to the other limit."""
    found = place_along(spot, first_way, limits_y_mm[0], obstacles)
    return found if found is not None else place_along(spot, -first_way, limits_y_mm[1], obstacles)
