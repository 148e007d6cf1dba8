"""The state of a ball that an image does not show: hidden, lying unwatched, lost or fallen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from calibration.table.pockets import in_mouth
from calibration.table.specs import TableSpec
from tracker.ball import Ball, BallState, Point
from tracker.detections.people import beside, near_cover
from tracker.params import DOUBTFUL_MM, SETTLE_S
from tracker.rest.settling import come_to_rest
from vision.observation import ImageObservations

RECENT_COVER_S = 6.0
"""A ball that is missed this soon after a cover lay over it was probably taken."""
STOPPING_MM_S = 60.0
"""A ball this fast does not come to rest between two images."""
MET_MM, MET_S = 20.0, 0.15
"""Another ball whose way leads this near to touching it, so soon before or after it was missed, has met
it. Three images at 25 a second, for it is hidden by the other at first; what both are off together, and a
cushion between two images.
"""
LEFT_LOOKS = 3
"""What rolls by seldom hides a ball that lies there in so many looks; if it does, the ball is seen again."""
LIES_BESIDE = 1.5
"""Diameters: of two balls side by side one may be missed in look after look."""
MOUTH_MM = 120.0
ALIKE_MM = 4.0
"""Of two looks at one place 99.7 in 100 differ by less (200,000 pairs of the 6,359 sights of balls at rest in
the shipped error model of the pixel tier).
"""


def missed(ball: Ball, balls: Sequence[Ball], image: ImageObservations, table: TableSpec) -> None:
    """Take note that an image does not show the ball where it was; `balls`: all of them."""
    x, y = ball.place
    if ball.motion is not None and ball.state is BallState.MOVING:
        p = ball.motion.predicted(image.t_s, table)
        x, y = p.x_mm, p.y_mm
    reach = table.ball_radius_mm * (1.0 if ball.state is BallState.REST else 1.5)
    if near_cover(image.covered, x, y, reach) or _may_be_hidden(ball, balls, image, table):
        ball.covered = True
        ball.covered_s = image.t_s
        if ball.state is BallState.MOVING and image.t_s - ball.seen_s > SETTLE_S:
            ball.state = BallState.LOST
        return
    px, py = ball.place
    looked = image.looked is None or image.looked.at(px, py) or image.looked.at(x, y)
    if not looked:
        unwatched(ball, balls, image.t_s, table)
        return
    ball.covered = False
    ball.missed += 1
    if ball.missed == 1:
        ball.missed_since_s = image.t_s
    _maybe_lost(ball, balls, image.t_s, table)


def _may_be_hidden(ball: Ball, balls: Sequence[Ball], image: ImageObservations, table: TableSpec) -> bool:
    """Whether somebody is at a missing ball, while nothing rolls that can have met it.

    A sleeve of the cloth's colour is no cover to the network. The cue-ball is left out: who plays it stands
    there.
    """
    return ball.state is BallState.REST and not ball.is_cue and beside(ball, balls, image, table)


def unwatched(ball: Ball, balls: Sequence[Ball], t_s: float, table: TableSpec) -> None:
    """Nothing changes where the ball was: it lies there, or it had gone before the last change."""
    ball.covered = False
    if ball.state is BallState.REST and left_as_met(ball, balls, table):
        ball.set_off(t_s)
        ball.state = BallState.LOST
    if ball.state is not BallState.MOVING or ball.motion is None or t_s - ball.seen_s < 0.06:
        return
    m = ball.motion
    fast, at_pocket = m.speed_mm_s > STOPPING_MM_S, in_mouth(m.x_mm, m.y_mm, table)
    if not ball.missed and _hardly_left(ball):
        come_to_rest(ball, t_s, table)
    elif (ball.missed and (fast or at_pocket)) or (fast and at_pocket):
        ball.state = BallState.LOST
    elif _once_and_doubtful(ball, table):
        ball.stays()
    elif not ball.missed or t_s - ball.seen_s > SETTLE_S:
        come_to_rest(ball, t_s, table)


def _hardly_left(ball: Ball) -> bool:
    """Whether one observation alone set a ball off, and no further than two looks at one place differ."""
    leg = ball.legs[-1]
    if len(leg.points) != 1:
        return False
    return math.hypot(leg.points[0].x_mm - leg.x0_mm, leg.points[0].y_mm - leg.y0_mm) < ALIKE_MM


def _once_and_doubtful(ball: Ball, table: TableSpec) -> bool:
    """Whether one observation alone led a ball away, not beside it, of what is hardly a ball: a knuckle."""
    leg = ball.legs[-1]
    if len(leg.points) != 1 or leg.points[0].sigma_mm <= DOUBTFUL_MM:
        return False
    away_mm = math.hypot(leg.points[0].x_mm - leg.x0_mm, leg.points[0].y_mm - leg.y0_mm)
    return away_mm > 2.0 * table.ball_diameter_mm  # nearer it may have been nudged, and lie there unwatched


def left_as_met(ball: Ball, balls: Sequence[Ball], table: TableSpec) -> bool:
    """Whether a ball at rest was missed just as another came to it, and in more looks than one: it was sent
    off unseen. From a pocket's mouth it fell.
    """
    looks = 2 if in_mouth(ball.rest.x_mm, ball.rest.y_mm, table) else LEFT_LOOKS
    return ball.missed >= looks and _met(ball, balls, table)


def _met(ball: Ball, balls: Sequence[Ball], table: TableSpec) -> bool:
    """Whether a ball at rest was missed just as another, that had not lain beside it, came to it."""
    place = ball.rest.x_mm, ball.rest.y_mm
    for b in balls:
        if (
            b is ball
            or b.state is BallState.GONE
            or math.dist(b.place, place) < LIES_BESIDE * table.ball_diameter_mm
        ):
            continue
        late = [p for leg in b.legs for p in leg.points if abs(p.t_s - ball.missed_since_s) < MET_S]
        if any(_way_to_mm(p, q, place) < table.ball_diameter_mm + MET_MM for p, q in pairwise(late)):
            return True
    return False


def _way_to_mm(a: Point, b: Point, place: tuple[float, float]) -> float:
    """How near the straight way between two observations passes a place, mm."""
    dx, dy = b.x_mm - a.x_mm, b.y_mm - a.y_mm
    along = (place[0] - a.x_mm) * dx + (place[1] - a.y_mm) * dy
    share = min(max(along / max(dx * dx + dy * dy, 1e-9), 0.0), 1.0)
    return math.hypot(a.x_mm + share * dx - place[0], a.y_mm + share * dy - place[1])


def _maybe_lost(ball: Ball, balls: Sequence[Ball], t_s: float, table: TableSpec) -> None:
    away = t_s - ball.seen_s
    if ball.state is BallState.MOVING and ball.missed >= 3 and away > 0.1:
        ball.state = BallState.LOST
    busy = any(b.state is BallState.MOVING for b in balls)
    needed = 2 if t_s - ball.covered_s < RECENT_COVER_S and not busy else 3
    if ball.state is BallState.REST and ball.missed >= needed and t_s - ball.missed_since_s > 0.3:
        ball.set_off(t_s)
        ball.state = BallState.LOST
