"""Colours on their spots as points of a solution: a second set of known places, at another height than the
noses.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.camera import Camera
from calibration.find.strips import FloatArray, mm_per_px
from calibration.solve.model import Points
from calibration.solve.unknowns import (
    BAULK,
    SPOT_AXIS,
    SPOT_BLACK,
    SPOT_LEFT,
    SPOT_MIDDLE,
    SPOT_PINK,
    SPOT_RIGHT,
)
from calibration.table.specs import TableSpec

_MARKS: dict[str, tuple[int, int]] = {
    "yellow": (SPOT_RIGHT, BAULK),
    "green": (SPOT_LEFT, BAULK),
    "brown": (SPOT_AXIS, BAULK),
    "blue": (SPOT_AXIS, SPOT_MIDDLE),
    "pink": (SPOT_AXIS, SPOT_PINK),
    "black": (SPOT_AXIS, SPOT_BLACK),
}
"""The lines through each colour's spot: one of known x, one of known y."""


def spot_points(
    camera: Camera, table: TableSpec, colours: Sequence[str], px: FloatArray, sigma_mm: FloatArray
) -> Points:
    """Balls of `colours` on their spots, seen at centres `px` (N, 2), as two points each (one a line).

    The points lie where the balls touch the cloth under `camera`, which is right to a few millimetres.
    `sigma_mm` (N, 2): of each centre against its spot, along x and along y.
    """
    z = table.ball_radius_mm
    at = camera.table_from_pixels(px, z)
    cloth, centre = (np.column_stack((at, np.full(len(at), h))) for h in (0.0, z))
    touch = px + camera.pixels_from_table(cloth) - camera.pixels_from_table(centre)
    parts = []
    for axis, direction in enumerate(((1.0, 0.0), (0.0, 1.0))):
        scale = mm_per_px(camera, cloth, np.tile(direction, (len(at), 1)))
        mark = np.array([_MARKS[c][axis] for c in colours], dtype=np.int_)
        parts.append(Points(touch, mark, sigma_mm[:, axis] / scale, np.zeros(len(at), dtype=np.bool_)))
    return Points.join(parts)
