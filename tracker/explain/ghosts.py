"""Ghosts: a ball that has just left is seen for an image or two where it lay.

Cameras against noise, and coders that are short of bits, keep a bit of the picture before. No ball is in two
places at once: what moves off beside a place at rest that is seen no more is the ball that lay there.
"""

from __future__ import annotations

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
LEAST_MOVING = 2
"""What moves off is seen as often. One that is struck hard has met something after two images."""


def without_ghosts(pieces: Sequence[Tracklet], found: Detections) -> list[Tracklet]:
    """The pieces in order; those at rest without looks at them in images that show the ball on its way."""
    moving = [p for p in pieces if p.n >= LEAST_MOVING and not p.still]
    return [_without_ghost(p, moving, found) if p.still else p for p in pieces]


def _without_ghost(piece: Tracklet, moving: Sequence[Tracklet], found: Detections) -> Tracklet:
    left = (
        q.first
        for q in moving
        if piece.first < q.first <= piece.last and _leads_back(q, piece) and _of_one_kind(piece, q, found)
    )
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


def _of_one_kind(a: Tracklet, b: Tracklet, found: Detections) -> bool:
    """Whether one kind is possible for both by their looks."""
    looks: list[NDArray[np.float64]] = [found.logp[list(p.rows)].mean(axis=0) for p in (a, b)]
    return bool((np.minimum(*looks) > MAY_BE).any())
