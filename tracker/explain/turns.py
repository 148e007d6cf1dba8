"""How far from a cushion's face, as calibrated, a ball turned: by its looks just before and just after.

Across the face a ball comes in on one short curve and leaves on another. Where they cross it turned. A whole
segment of a way is no such curve: one parabola over sliding and rolling turned up to a millimetre early.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from calibration.table.specs import CUSHIONS, CushionName, TableSpec
from tracker.events import Turn
from tracker.explain.interactions import sides
from tracker.explain.trajectory import Event, Way
from tracker.params import BIASED_PART
from tracker.place import Point
from tracker.stroke.paths import STEADY_IMAGES, Segment, fit

LEAST_LOOKS = 3
"""Two looks and a jaw's or another ball's push between them lie on any line."""
REACH_S = 0.2
"""Looks further from the turn tell nothing of it: five images at 25 a second."""
ROUNDS = 8
LEAST_INTO_MM_S, LEAST_OUT_MM_S = 20.0, 10.0
"""A ball that comes or leaves slower than this across the face may lie on it: its turn has no moment."""
SHORTEST_S = 1e-4


def turn_at(way: Way, event: Event, cushion: CushionName, radius_mm: float, table: TableSpec) -> Turn | None:
    """Where a ball's centre turned at a cushion; None where too few looks tell.

    Its sigma is that of the looks: what they have in common does not average out (`BIASED_PART`).
    """
    others = [e.t_s for e in way.events if e is not event]
    before_s = max((t for t in others if t < event.t_s), default=-math.inf)
    after_s = min((t for t in others if t > event.t_s), default=math.inf)
    before = [p for p in way.seen if max(before_s, event.t_s - REACH_S) < p.t_s < event.t_s]
    after = [p for p in way.seen if event.t_s < p.t_s < min(after_s, event.t_s + REACH_S)]
    before, after = before[-STEADY_IMAGES:], after[:STEADY_IMAGES]
    if min(len(before), len(after)) < LEAST_LOOKS or any(p.near_cover for p in (*before, *after)):
        return None
    x, y = way.at(event.t_s)
    off_mm, nx, ny = sides(x, y, radius_mm, table)[CUSHIONS.index(cushion)]
    face_mm = x * nx + y * ny - off_mm
    into, out = _across(before, nx, ny), _across(after, nx, ny)
    t_s = _crossing(into, out, event.t_s)
    if t_s is None or not before[-1].t_s - REACH_S < t_s < after[0].t_s + REACH_S:
        return None
    came, left = -into.velocity(t_s)[0], out.velocity(t_s)[0]
    if came < LEAST_INTO_MM_S or left < LEAST_OUT_MM_S:
        return None
    # lines of both speeds that pass two places at one time cross at the mean of these, each weighed by the
    # other's speed
    at_mm = (left * into.at(t_s)[0] + came * out.at(t_s)[0]) / (came + left)
    own_mm = math.hypot(left * into.sigma(t_s), came * out.sigma(t_s)) / (came + left)
    common_mm = BIASED_PART * float(np.median([p.sigma_mm for p in (*before, *after)]))
    inwards = at_mm - (x * nx + y * ny)
    return Turn(
        x_mm=x + inwards * nx,
        y_mm=y + inwards * ny,
        off_mm=at_mm - face_mm,
        sigma_mm=math.hypot(own_mm, common_mm),
        into_mm_s=came,
    )


def _across(looks: Sequence[Point], nx: float, ny: float) -> Segment:
    """The curve across the face (its first coordinate, mm along (nx, ny)) of looks."""
    at = np.array([(p.x_mm * nx + p.y_mm * ny, 0.0) for p in looks])
    return fit(np.array([p.t_s for p in looks]), at, np.array([p.sigma_mm for p in looks]))


def _crossing(into: Segment, out: Segment, t_s: float) -> float | None:
    """When two curves across the face meet, near a time; None where they do not."""
    for _ in range(ROUNDS):
        turning = out.velocity(t_s)[0] - into.velocity(t_s)[0]
        if turning < LEAST_INTO_MM_S + LEAST_OUT_MM_S:
            return None
        step = (out.at(t_s)[0] - into.at(t_s)[0]) / turning
        t_s -= min(max(step, -REACH_S), REACH_S)
        if abs(step) < SHORTEST_S:
            break
    return t_s
