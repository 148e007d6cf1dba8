"""What a hand did between strokes, from where balls lay before and lie after."""

from __future__ import annotations

import math
from itertools import pairwise

from calibration.table import TableSpec
from tracker.ball import Ball, Leg, Rest
from tracker.events import HandMove

SAME_PLACE_DIAMETERS = 0.75
"""A ball put back within this of its old place counts as replaced there."""
CARRIED_SHARE = 0.6
MIN_STROKE_MM = 3.0


def returned(ball: str, colour: str, from_mm: tuple[float, float] | None, rest: Rest, t_s: float) -> HandMove:
    """A ball that was off the table lies on it again."""
    return HandMove(
        "in_hand" if colour == "white" else "respot",
        ball, from_mm, (rest.x_mm, rest.y_mm, rest.sigma_mm), t_s,
    )


def moved(
    table: TableSpec, ball: str, from_mm: tuple[float, float], rest: Rest | None, t_s: float,
    earlier_mm: tuple[float, float] | None,
) -> HandMove:
    """A hand took a ball from one place to another. `earlier_mm`: where it lay before the last stroke."""
    if rest is None:
        return HandMove("moved", ball, from_mm, None, t_s)
    near = SAME_PLACE_DIAMETERS * table.ball_diameter_mm
    back = earlier_mm is not None and math.hypot(rest.x_mm - earlier_mm[0], rest.y_mm - earlier_mm[1]) < near
    return HandMove(
        "replaced" if back else "moved", ball, from_mm, (rest.x_mm, rest.y_mm, rest.sigma_mm), t_s
    )


def went_nowhere(leg: Leg) -> bool:
    """Whether a leg ends where it began without having been anywhere else: a false start."""
    if leg.end is None or not leg.points:
        return False
    gate = max(1.5, 4 * math.hypot(leg.end[2], leg.sigma0_mm))
    if math.hypot(leg.end[0] - leg.x0_mm, leg.end[1] - leg.y0_mm) > gate:
        return False
    away = [p for p in leg.points if math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) > gate + 4 * p.sigma_mm]
    return len(away) <= 1


def runs_free(leg: Leg) -> bool:
    """Whether a leg is a ball rolling, not one in a hand: it is seen on its way, outside the covered cells.

    A bridge hand or cue covers the first moments of every stroke; a carried ball is covered all the way
    and is seen only where it was taken and where it is put down.
    """
    points = leg.points
    if not points:
        return False
    last = points[-1]
    end = leg.end[:2] if leg.end is not None else None
    way = 0
    free = 0
    for p in points:
        gate = max(3.0, 4 * p.sigma_mm)
        if math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) < gate:
            continue
        if end is not None and math.hypot(p.x_mm - end[0], p.y_mm - end[1]) < gate:
            continue
        way += 1
        free += not p.near_cover
    far = max(math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) for p in points)
    if far < MIN_STROKE_MM:
        return False
    if leg.jumped:
        return free >= 1 or not last.near_cover
    if end is None:
        return free >= 1 or (free == 0 and way >= 3)  # it fell close to the hand that struck it
    return free >= 2 and free > (1 - CARRIED_SHARE) * 0.5 * way


def travelled(leg: Leg) -> float:
    """Length of the observed polyline of a leg, mm."""
    p = leg.points
    return sum(math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm) for a, b in pairwise(p))


def struck_first(ball: Ball) -> bool:
    """Whether any leg of a ball is a free roll."""
    return any(runs_free(leg) for leg in ball.legs)
