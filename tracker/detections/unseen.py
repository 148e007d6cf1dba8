"""The state of a ball that an image does not show: hidden, lying unwatched, lost or fallen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from calibration.table.pockets import in_mouth
from calibration.table.specs import TableSpec
from tracker.ball import Ball
from tracker.detections.cover import near_cover
from tracker.detections.people import beside
from tracker.detections.tentative import Tentative
from tracker.place import Point
from vision.observation import ImageObservations

RECENT_COVER_S = 6.0
"""A ball that is missed this soon after a cover lay over it was probably taken."""
MET_MM, MET_S = 20.0, 0.15
"""Another ball whose way leads this near to touching it, so soon before or after it was missed, has met
it. Three images at 25 a second, for it is hidden by the other at first; what both are off together, and a
cushion between two images.
"""
LIES_BESIDE = 1.5
"""Diameters between two balls that lie side by side."""
LEFT_LOOKS = 3
"""What rolls by seldom hides a ball that lies there in so many looks; if it does, the ball is seen again."""


def missed(ball: Ball, rolling: Sequence[Tentative], image: ImageObservations, table: TableSpec) -> None:
    """Take note that an image does not show a ball where it lies. `rolling`: what may be a moving ball."""
    at = ball.place
    if near_cover(image.covered, *at, table.ball_radius_mm) or _may_be_hidden(ball, rolling, image, table):
        ball.covered, ball.covered_s = True, image.t_s
        return
    if image.looked is not None and not image.looked.at(*at):
        unwatched(ball, rolling, image.t_s, table)
        return
    ball.covered = False
    ball.missed += 1
    if ball.missed == 1:
        ball.missed_since_s = image.t_s
    _maybe_left(ball, rolling, image.t_s)


def _may_be_hidden(
    ball: Ball, rolling: Sequence[Tentative], image: ImageObservations, table: TableSpec
) -> bool:
    """Whether somebody is at a missing ball, while nothing rolls that can have met it.

    A sleeve of the cloth's colour is no cover to the network. The cue-ball is left out: who plays it stands
    there.
    """
    return not ball.is_cue and beside(ball, rolling, image, table)


def unwatched(ball: Ball, rolling: Sequence[Tentative], t_s: float, table: TableSpec) -> None:
    """Nothing changes where the ball lies: it lies there, or it had gone before the last change."""
    ball.covered = False
    if left_as_met(ball, rolling, table):
        ball.set_off(t_s)
    else:
        _maybe_left(ball, rolling, t_s)


def left_as_met(ball: Ball, rolling: Sequence[Tentative], table: TableSpec) -> bool:
    """Whether a ball at rest was missed just as something came to it, and in more looks than one: it was sent
    off unseen. From a pocket's mouth it fell.
    """
    looks = 2 if in_mouth(ball.rest.x_mm, ball.rest.y_mm, table) else LEFT_LOOKS
    return ball.missed >= looks and _met(ball, rolling, table)


def _met(ball: Ball, rolling: Sequence[Tentative], table: TableSpec) -> bool:
    """Whether a ball at rest was missed just as something came to it, and went on or away: of two that lie
    side by side one may be missed in look after look.
    """
    place = ball.rest.x_mm, ball.rest.y_mm
    for item in rolling:
        if math.dist(item.last_mm, place) < LIES_BESIDE * table.ball_diameter_mm:
            continue
        late = [p for p in item.points if abs(p.t_s - ball.missed_since_s) < MET_S]
        if any(_way_to_mm(p, q, place) < table.ball_diameter_mm + MET_MM for p, q in pairwise(late)):
            return True
    return False


def _way_to_mm(a: Point, b: Point, place: tuple[float, float]) -> float:
    """How near the straight way between two observations passes a place, mm."""
    dx, dy = b.x_mm - a.x_mm, b.y_mm - a.y_mm
    along = (place[0] - a.x_mm) * dx + (place[1] - a.y_mm) * dy
    share = min(max(along / max(dx * dx + dy * dy, 1e-9), 0.0), 1.0)
    return math.hypot(a.x_mm + share * dx - place[0], a.y_mm + share * dy - place[1])


def _maybe_left(ball: Ball, rolling: Sequence[Tentative], t_s: float) -> None:
    """A ball that is missed in look after look has left, though nobody saw it go: after a time, in which
    something changes there or nothing.
    """
    needed = 2 if t_s - ball.covered_s < RECENT_COVER_S and not rolling else 3
    if ball.missed >= needed and t_s - ball.missed_since_s > 0.3:
        ball.set_off(t_s)
