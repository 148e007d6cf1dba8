"""Decides which images need no examination: those close behind another while balls roll slowly or
undisturbed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.pockets import in_mouth
from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.association.motion import Motion
from tracker.ball import Ball, BallState

_CLOSE_S = 0.03
"""Slow balls are followed as well at 25 images a second as at 50."""
_SLOW_MM_S = 800.0
_FREE_S = 0.055
"""Balls that roll freely are followed by every second of 25 images a second, every third of 50."""
_ROOM_MM = 30.0
"""Left over between a ball and what it could meet."""
_ROOM_S = 0.015
"""The same as a time: a fast ball needs more room."""
_SLOWEST_MM_S = 45.0
"""Below it a ball soon stops, and when it did is read from many images."""
_KNOWN_SHARE, _KNOWN_MM_S = 0.04, 30.0
"""One sigma of the velocity of a ball that is known to roll freely: of its speed, and at least."""
_PAST_S = 0.3
"""So long after a meeting what was met may still creep inside the noise: its beginning is read from every
image.
"""
_APPROACH_S = 0.5
"""When the cue-ball meets the first ball is read from every image of its last way there, and of its setting
off.
"""
_LATELY_S = 0.3
"""A ball lost sight of no longer ago than this may reappear."""


def tells_nothing(f: Follower, last_s: float, t_s: float, passed: bool) -> bool:
    """Whether an image at `t_s` comes so soon behind the last one examined that what moves can be told
    without it.

    `passed`: an image between the two was passed over already.
    """
    since_s = t_s - last_s
    if not 0 < since_s < _FREE_S:
        return False
    rolling = f.tentatives.rolling(f.t_s)
    moving = [i.motion for i in rolling if i.motion is not None]
    until_s = t_s + since_s  # the next image is as far away again
    if any(_lately(b, f.t_s, until_s) for b in f.balls):
        return False
    if since_s < _CLOSE_S and all(m.speed_mm_s < _SLOW_MM_S for m in moving):
        return not _meet(f, moving, until_s)
    if not moving or not all(_known(m) and _inside(m, f.table, until_s) for m in moving):
        return False
    left = [b for b in f.balls if b.legs]
    if len(left) != 1 or not left[0].is_cue:
        return not _meet(f, moving, until_s)
    # on its way to the first ball
    if passed or until_s - left[0].legs[0].t_rest_s < _APPROACH_S:
        return False
    return not _meet(f, moving, until_s + _APPROACH_S)


def _lately(ball: Ball, last_s: float, until_s: float) -> bool:
    """Whether a ball has just left its place, or was just lost from sight on its way."""
    if ball.state is not BallState.LEFT:
        return False
    track = ball.track
    lost_s = track.seen_s if track is not None and track.seen_s < last_s else ball.seen_s
    return until_s - lost_s < _LATELY_S


def _meet(f: Follower, moving: Sequence[Motion], until_s: float) -> bool:
    """Whether something that rolls may meet a ball before that time, or may have met one a moment ago."""
    others = [b.place for b in f.balls if b.state is BallState.REST]
    others += [i.place_mm for i in f.tentatives.lying(f.t_s)]
    paths: list[tuple[Motion, float]] = []
    for m in moving:
        reach = f.table.ball_diameter_mm + _room_mm(m)
        if any(_nearest_mm(m, place, (0.0, 0.0), until_s) < reach for place in others):
            return True
        for n, other in paths:
            if _nearest_mm(m, _place_at(n, m.t_s), (n.vx_mm_s, n.vy_mm_s), until_s) < max(reach, other):
                return True
        paths.append((m, reach))
    return False


def _known(m: Motion) -> bool:
    return m.speed_mm_s > _SLOWEST_MM_S and math.sqrt(m.p_vv) < max(_KNOWN_MM_S, _KNOWN_SHARE * m.speed_mm_s)


def _room_mm(m: Motion) -> float:
    return _ROOM_MM + _ROOM_S * m.speed_mm_s


def _place_at(m: Motion, t_s: float) -> tuple[float, float]:
    return m.x_mm + m.vx_mm_s * (t_s - m.t_s), m.y_mm + m.vy_mm_s * (t_s - m.t_s)


def _inside(m: Motion, table: TableSpec, until_s: float) -> bool:
    """Whether it stays clear of cushions and pockets."""
    x, y = _place_at(m, until_s)
    inset = table.ball_radius_mm + _room_mm(m)
    clear = abs(x) < table.half_width_mm - inset and table.bottom_mm + inset < y < table.top_mm - inset
    return clear and not in_mouth(m.x_mm, m.y_mm, table)


def _nearest_mm(m: Motion, at_mm: tuple[float, float], v_mm_s: tuple[float, float], until_s: float) -> float:
    """How near a ball comes, or came lately, to a thing that is at a place when the ball is where it was seen
    last.
    """
    dx, dy = at_mm[0] - m.x_mm, at_mm[1] - m.y_mm
    vx, vy = m.vx_mm_s - v_mm_s[0], m.vy_mm_s - v_mm_s[1]
    vv = vx * vx + vy * vy
    t = min(max((dx * vx + dy * vy) / vv, -_PAST_S), until_s - m.t_s) if vv > 0 else 0.0
    return math.hypot(dx - vx * t, dy - vy * t)
