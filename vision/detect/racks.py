"""A rack of numbered balls: nine in a diamond, ten or fifteen in a triangle, told by shape and count.

What a rack's balls look like tells little, as nine of fifteen are nine ball's, too; how many are set together
tells the game.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy

F64 = npt.NDArray[np.float64]

_ROWS: tuple[tuple[int, ...], ...] = ((1, 2, 3, 2, 1), (1, 2, 3, 4), (1, 2, 3, 4, 5))
"""Balls in each row of a rack: a diamond of nine (WPA 2.2), triangles of ten (9.2) and fifteen (3.2, 4.2)."""
_TOGETHER = 1.25
"""Diameters between the middles of balls that stand together; those of the next row but one are 1.7 apart."""
_OFF = 0.3
"""Diameters by which a ball may be seen beside its place in the rack: the detector's error in a pack is less
than a fifth, and a neighbour's place is a whole one away."""


def rack_of(places_mm: F64, diameter_mm: float) -> int | None:
    """How many balls the rack has that stands among `places_mm` (B, 2); None where none is seen whole."""
    if len(places_mm) == 0:
        return None
    near = scipy.spatial.distance.cdist(places_mm, places_mm) < _TOGETHER * diameter_mm
    _, group = scipy.sparse.csgraph.connected_components(near, directed=False)
    balls = places_mm[group == np.bincount(group).argmax()] / diameter_mm
    return next((sum(rows) for rows in _ROWS if sum(rows) == len(balls) and _fits(balls, rows)), None)


def _fits(balls: F64, rows: tuple[int, ...]) -> bool:
    """Whether balls (B, 2), in diameters, stand as a rack's rows do, with its apex to either end."""
    rack = np.array(
        [(j - (n - 1) / 2, k * np.sqrt(3) / 2) for k, n in enumerate(rows) for j in range(n)], np.float64
    )
    rack -= rack.mean(axis=0)
    middle = balls - balls.mean(axis=0)
    for up in (1.0, -1.0):
        off = scipy.spatial.distance.cdist(middle, rack * (1.0, up))
        if off[scipy.optimize.linear_sum_assignment(off)].max() < _OFF:
            return True
    return False
