"""Finds false starts of motion: an outline that a cue moves there and back, or a stray observation before the
start.
"""

from __future__ import annotations

import math

from tracker.ball import Leg, Point
from tracker.params import DOUBTFUL_MM

WOBBLE_MM, WOBBLE_S = 30.0, 0.1
"""A cue held to a ball moves its outline there and back, by so much at most (27 mm were seen); a ball that
rolls leaves such a place for good.
"""
BACK_SIGMAS = 3.0
TURNS, TURN_SIGMAS, TURN_MM = 2, 3.0, 3.0
"""A cushion, or a ball close before it that it screws back from, turns a ball once; what turns oftener was
not struck.
"""
AGAIN_MM = 2.0
"""Two images in a row that show a ball so near to its place after it seemed to have left show that it had
not.
"""
STAND_MM, STAND_S = 60.0, 0.25
"""What is taken for a ball that somebody hides stands so near to its place, for so long, and is seen no
better.
"""
WAY_IMAGES, WAY_MM_S, WAY_ASIDE_MM = 4, 300.0, 5.0
"""A way of so many images and such speed leads back to where it began by this much."""
STRAYS, STRAY_PAUSE_S = 3, 0.25
"""So few first points, so long before the next, are no part of the motion if the ball is nearer to its place
then.
"""


def begin_for_good(legs: list[Leg]) -> list[Leg]:
    """The legs from where the ball has left its place for good; those before belong to what held or hid it.

    The first leg that remains begins where the ball lay; legs are changed in place.
    """
    while len(legs) > 1:
        first, second = legs[0], legs[1]
        joined = Leg(
            first.x0_mm, first.y0_mm, first.sigma0_mm, first.t_rest_s, [*first.points, *second.points]
        )
        last = _last_of_another(joined)
        if last < max(len(first.points) - 1, 0):
            last = _last_wobble(joined) if _stays(first) else -1
            if last < len(first.points):
                break
        second.x0_mm, second.y0_mm, second.sigma0_mm = first.x0_mm, first.y0_mm, first.sigma0_mm
        second.points, second.head = joined.points[last + 1 :], []
        second.t_rest_s = joined.points[last].t_s
        legs = legs[1:]
    legs = [leg for leg in legs if not (_stays(leg) and _turns(leg, len(leg.points)) >= TURNS)]
    for leg in legs:
        _leave_out_stray(leg)
        last = max(_last_wobble(leg), _last_of_another(leg))
        if last >= 0:
            leg.t_rest_s, leg.head = leg.points[last].t_s, []
            leg.points = leg.points[last + 1 :]
    return legs


def _stays(leg: Leg) -> bool:
    """Whether a leg nowhere goes further than a cue can move an outline."""
    far = (math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) for p in leg.points)
    return leg.end is not None and max(far, default=0.0) < WOBBLE_MM


def _turns(leg: Leg, until: int) -> int:
    """How often the way of a leg's first points turns back, beyond noise."""
    turns, x, y = 0, leg.x0_mm, leg.y0_mm
    ux, uy = 0.0, 0.0
    for p in leg.points[:until]:
        dx, dy = p.x_mm - x, p.y_mm - y
        if math.hypot(dx, dy) < max(TURN_SIGMAS * p.sigma_mm, TURN_MM):
            continue
        turns += dx * ux + dy * uy < 0.0
        x, y, ux, uy = p.x_mm, p.y_mm, dx, dy
    return turns


def _leave_out_stray(leg: Leg) -> None:
    """Take away the first points, few, after which and a pause the ball is nearer to its place: something
    else was seen there.
    """
    far = [math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) for p in leg.points[: STRAYS + 1]]
    for k in range(1, min(STRAYS + 1, len(leg.points) - 1)):
        if leg.points[k].t_s - leg.points[k - 1].t_s >= STRAY_PAUSE_S and far[k] < 0.5 * min(far[:k]):
            del leg.points[:k]
            return


def _last_wobble(leg: Leg) -> int:
    """Index of the last point at which the ball had not left for good, -1 for none.

    There it is nearer to its place than before, or on its other side, beyond noise; nothing until then is far
    away.
    """
    far = [math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) for p in leg.points]
    near = next((k for k, d in enumerate(far) if d > WOBBLE_MM), len(far))
    if near == len(far):
        return -1
    last, most = _lies_again(leg, far[:near]), 0.0
    for k, p in enumerate(leg.points[:near] if _turns(leg, near) >= TURNS else ()):
        if far[k] < most - BACK_SIGMAS * p.sigma_mm:
            last = max(last, k)
        elif _behind(leg, leg.points[:k], p):
            last = max(last, k - 1)  # this one may be on its way already
        most = max(most, far[k])
    return last if last >= 0 and leg.points[last].t_s - leg.points[0].t_s >= WOBBLE_S else -1


def _last_of_another(leg: Leg) -> int:
    """Index of the last point that is none of a ball hidden until it was struck, -1 for none.

    Doubtful observations lay about its place for a while (a knuckle, a cue's ferrule); the way behind them
    leads straight back to where the ball lay, at a time after them.
    """
    far = [math.hypot(p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm) for p in leg.points]
    k = next((k for k, d in enumerate(far) if d > STAND_MM), len(far))
    away = leg.points[k : k + WAY_IMAGES]
    if len(away) < WAY_IMAGES:
        return -1
    a, b = away[0], away[-1]
    vx, vy = (b.x_mm - a.x_mm) / (b.t_s - a.t_s), (b.y_mm - a.y_mm) / (b.t_s - a.t_s)
    speed = math.hypot(vx, vy)
    if speed < WAY_MM_S or abs(vx * (leg.y0_mm - a.y_mm) - vy * (leg.x0_mm - a.x_mm)) / speed > WAY_ASIDE_MM:
        return -1
    left_s = a.t_s - far[k] / speed
    before = [p for p in leg.points[:k] if p.t_s < left_s]
    doubtful = sum(p.sigma_mm > DOUBTFUL_MM for p in before)
    if not before or left_s - before[0].t_s < STAND_S or 2 * doubtful < len(before):
        return -1
    return len(before) - 1


def _lies_again(leg: Leg, far: list[float]) -> int:
    """Index of the last point at which the ball, after it seemed to have left, lies where it lay for two
    images; -1 for none.
    """
    away = [
        k for k, p in enumerate(leg.points[: len(far)]) if far[k] > max(TURN_SIGMAS * p.sigma_mm, TURN_MM)
    ]
    first = away[0] if away else len(far)
    for k in range(len(far) - 1, first + 1, -1):
        if max(far[k - 1], far[k]) < AGAIN_MM:
            return k
    return -1


def _behind(leg: Leg, earlier: list[Point], p: Point) -> bool:
    """Whether a point lies, beyond noise, on the other side of the rest place than one before it."""
    x, y = p.x_mm - leg.x0_mm, p.y_mm - leg.y0_mm
    d = math.hypot(x, y)
    if d < BACK_SIGMAS * p.sigma_mm:
        return False
    return any(
        (q.x_mm - leg.x0_mm) * x + (q.y_mm - leg.y0_mm) * y < -BACK_SIGMAS * q.sigma_mm * d for q in earlier
    )
