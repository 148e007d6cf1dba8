"""Images built by hand: what is seen in them, and the cells at which they look."""

from __future__ import annotations

import math

from vision.observation import BALL_CLASSES, CellMask, Observation

CELL_MM, COLUMNS, ROWS, X0_MM, Y0_MM = 32.0, 64, 120, -1024.0, -136.0


def sight(
    colour: str, x_mm: float, y_mm: float, sigma_mm: float = 0.3, confidence: float = 0.95
) -> Observation:
    """A ball of that colour without doubt."""
    logp = tuple(0.0 if c == colour else -6.0 for c in BALL_CLASSES)
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, logp, confidence)


def cells(*places: tuple[float, float], reach_mm: float = 40.0) -> CellMask:
    """The cells within a distance of any of the places."""
    bits = bytearray(COLUMNS * ROWS)
    for j in range(ROWS):
        for i in range(COLUMNS):
            at = X0_MM + (i + 0.5) * CELL_MM, Y0_MM + (j + 0.5) * CELL_MM
            bits[j * COLUMNS + i] = any(math.dist(at, p) < reach_mm for p in places)
    return CellMask(X0_MM, Y0_MM, CELL_MM, COLUMNS, ROWS, bytes(bits))
