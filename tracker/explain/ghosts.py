"""Ghosts: a ball that has just left is seen for an image or two where it lay.

Cameras against noise, and coders that are short of bits, keep a bit of the picture before. No ball is in two
places at once: what moves off beside a place at rest that is seen no more is the ball that lay there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracker.explain.detections import MAY_BE, Detections
from tracker.explain.tracklets import Tracklet, at_rest

MOST_GHOSTS, MOST_GHOST_S = 2, 0.15
"""A ball is seen in no more images where it lay, and no longer. Assumed."""
ASIDE, ASIDE_MM = 0.25, 15.0
"""Its way leads back to where it lay: so far aside at most, as a share of that way, and besides."""
STRAIGHT = 0.5
"""A ball is driven on within 60 degrees of the way of what meets it, but by the thinnest contacts."""


def without_ghosts(pieces: Sequence[Tracklet], found: Detections) -> list[Tracklet]:
    """The pieces in order; those at rest without looks at them in images that show the ball on its way."""
    moving = [p for p in pieces if p.n > 1 and not p.still]
    ways = {p.number: [q for q in moving if _leads_back(q, p)] for p in pieces if p.still}
    return [_without_ghost(p, ways.get(p.number, ()), found) for p in pieces]


def left_sooner(pieces: Sequence[Tracklet], found: Detections) -> list[Tracklet]:
    """The pieces in order, if what was seen once were balls on their way that something had driven there, and
    their looks at rest since then ghosts. One struck hard falls, or meets something, within an image or two.
    """
    moving = [p for p in pieces if p.n > 1 and not p.still]
    once = [p for p in pieces if p.n == 1]
    ways = {
        p.number: [q for q in once if any(_drives(m, p, q, found) for m in moving)]
        for p in pieces
        if p.still and p.n > 1
    }
    return [_without_ghost(p, ways.get(p.number, ()), found) for p in pieces]


def _without_ghost(piece: Tracklet, ways: Sequence[Tracklet], found: Detections) -> Tracklet:
    """`ways`: pieces that may show the ball on its way from there."""
    left = (q.first for q in ways if piece.first < q.first <= piece.last and _of_one_kind(piece, q, found))
    since = min(left, default=piece.last + 1)
    rows = tuple(r for r in piece.rows if found.image[r] < since)
    if not rows or not 0 < piece.n - len(rows) <= MOST_GHOSTS:
        return piece
    head, tail = at_rest(rows, found)
    return replace(piece, rows=rows, last=int(found.image[rows[-1]]), head=head, tail=tail)


def _leads_back(moving: Tracklet, resting: Tracklet) -> bool:
    """Whether the way of what moves leads back to a place at rest."""
    head = moving.head
    dx, dy = head.x - resting.tail.x, head.y - resting.tail.y
    ux, uy = head.vx / max(head.speed, 1e-6), head.vy / max(head.speed, 1e-6)
    along, aside = dx * ux + dy * uy, abs(dx * uy - dy * ux)
    most_mm = max(moving.top_speed, head.speed) * MOST_GHOST_S + ASIDE_MM
    return 0.0 < along < most_mm and aside < ASIDE * along + ASIDE_MM


def _drives(moving: Tracklet, resting: Tracklet, off: Tracklet, found: Detections) -> bool:
    """Whether what moves comes to a ball at rest, and may have driven it to where something is seen once."""
    rows = [r for r in moving.rows if found.image[r] <= off.first]
    if len(rows) < 2:
        return False
    (ax, ay), (bx, by) = found.xy[rows[-2]], found.xy[rows[-1]]
    step_mm = math.hypot(bx - ax, by - ay)
    dx, dy = off.head.x - resting.tail.x, off.head.y - resting.tail.y
    gone_mm = math.hypot(dx, dy)
    most_mm = step_mm / (found.t_s[rows[-1]] - found.t_s[rows[-2]]) * MOST_GHOST_S + ASIDE_MM
    straight = dx * (bx - ax) + dy * (by - ay) > STRAIGHT * gone_mm * step_mm
    comes_mm = math.hypot(bx - resting.tail.x, by - resting.tail.y)
    return straight and ASIDE_MM < gone_mm < most_mm and comes_mm < found.apart_mm + step_mm


def _of_one_kind(a: Tracklet, b: Tracklet, found: Detections) -> bool:
    """Whether one kind is possible for both by their looks."""
    looks: list[NDArray[np.float64]] = [found.logp[list(p.rows)].mean(axis=0) for p in (a, b)]
    return bool((np.minimum(*looks) > MAY_BE).any())
