"""Pieces of track of a ball at rest that nothing came near: one ball's, however badly it was seen.

No ball sets off by itself. A camera that sees a ball badly (small, dark, coded hard) loses it and finds it
again some millimetres aside, time after time; while no ball and no hand came near, that was the same ball.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracker.explain.detections import Detections, Views
from tracker.explain.tracklets import STAYED_MM, Tracklet, at_rest

F64 = NDArray[np.float64]
NEAR_MM, BESIDE_S = 200.0, 0.1
"""What comes nearer, so long before or after, may have moved it: a ball of 2 m/s between two looks."""
MOVES_MM = 30.0
"""A piece that goes further is of something that moves; a bad look jumps less far."""


def undisturbed(pieces: Sequence[Tracklet], found: Detections, views: Views) -> list[Tracklet]:
    """The pieces in order, those of one ball at rest in one: nothing came near between them, or they were
    seen by turns.
    """
    moving = _moving(pieces, found)
    out: list[Tracklet] = []
    resting: list[int] = []
    for b in pieces:
        k = next((k for k in reversed(resting) if b.first > 0 and _same(out[k], b, found)), None)
        if k is not None and (b.first < out[k].last or not _came_near(out[k], b, moving, views)):
            out[k] = _joined(out[k], b, found, views)
            continue
        if b.still:
            resting.append(len(out))
        out.append(b)
    return [replace(p, number=number) for number, p in enumerate(out)]


def _moving(pieces: Sequence[Tracklet], found: Detections) -> F64:
    """(n, 3) times and places of what moves, and of what is seen once: it may be a ball on its way."""
    rows = [
        r
        for p in pieces
        if p.first > 0 and (p.n == 1 or math.dist(found.xy[p.rows[0]], found.xy[p.rows[-1]]) > MOVES_MM)
        for r in p.rows
    ]
    return np.column_stack([found.t_s[rows], found.xy[rows]])


def _same(a: Tracklet, b: Tracklet, found: Detections) -> bool:
    """Whether all of a piece lies where a ball lies that is in none of its images."""
    place = a.tail.x, a.tail.y
    if math.dist(found.xy[b.rows[0]], place) >= STAYED_MM:
        return False
    if np.hypot(*(found.xy[list(b.rows)] - place).T).max() >= STAYED_MM:
        return False
    return not np.isin(found.image[list(b.rows)], found.image[list(a.rows)]).any()


def _came_near(a: Tracklet, b: Tracklet, moving: F64, views: Views) -> bool:
    """Whether something that moves, or a cover, came near the place of both between them."""
    x, y = a.tail.x, a.tail.y
    if views.covered_share(a.last, b.first + 1, x, y) > 0.0:
        return True
    then = moving[(moving[:, 0] > a.tail.t_s - BESIDE_S) & (moving[:, 0] < b.head.t_s + BESIDE_S)]
    away = np.hypot(then[:, 1] - x, then[:, 2] - y)
    return bool(((away < NEAR_MM) & (away > STAYED_MM)).any())


def _joined(a: Tracklet, b: Tracklet, found: Detections, views: Views) -> Tracklet:
    rows = tuple(sorted((*a.rows, *b.rows)))
    missed = sum(views.sees(k, a.tail.x, a.tail.y) for k in range(a.last + 1, b.first))
    head, tail = at_rest(rows, found)
    last = max(a.last, b.last)
    return Tracklet(a.number, rows, a.first, last, head, tail, True, a.misses + b.misses + missed)
