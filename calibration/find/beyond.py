"""Whether the cloth goes on where a table is said to end: beyond a nose lie 50 mm of cushion, then a rail."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.edges import nose_stations
from calibration.find.strips import ByteArray
from calibration.solve.unknowns import SIDES
from calibration.table.specs import TableSpec

FloatArray = npt.NDArray[np.float64]

_INSIDE_MM, _BEYOND_MM = 100.0, (65.0, 80.0, 95.0)
"""Distance inside the nose at which the cloth's colour is read, and distances outside it at which no cloth is
expected: a cushion is 50 mm wide at most. In views from an end a rail or the floor may have the cloth's
colour at one of these distances, but not at all three."""
_ALIKE_LAB = 8.0
"""Largest difference (CIE Lab) between two such places of one cloth. Assumed."""
_BLUR_PX = 5  # side of the square whose mean colour is read, against noise
_MOST, _OPPOSITE = 0.6, 0.2
"""Share of a side's stations above which the cloth goes on there, and below which it ends. Assumed."""


def cloth_beyond(image: ByteArray, camera: Camera, table: TableSpec) -> FloatArray:
    """(4,) share of each side's stations at which all that lies beyond the nose has the cloth's colour; sides
    as in `SIDES`. `image` (H, W, 3) BGR.
    """
    smooth = cv2.blur(image, (_BLUR_PX, _BLUR_PX))
    last = (camera.width_px - 1, camera.height_px - 1)
    shares = []
    for side in SIDES:
        base, inward = nose_stations(table, side)
        z = np.full(len(base), table.nose_height_mm)
        places = [base + mm * inward for mm in (_INSIDE_MM, *(-mm for mm in _BEYOND_MM))]
        px = np.array([camera.pixels_from_table(np.column_stack((p, z))) for p in places])
        seen = (np.isfinite(px) & (px >= 0) & (px <= last)).all(axis=(0, 2))
        if not seen.any():
            shares.append(0.0)
            continue
        u, v = np.rint(px[:, seen]).astype(int).transpose(2, 0, 1)
        lab = cv2.cvtColor(smooth[v, u].astype(np.float32) / 255, cv2.COLOR_BGR2Lab)
        alike = np.linalg.norm(lab[1:] - lab[0], axis=2) < _ALIKE_LAB
        shares.append(float(alike.all(axis=0).mean()))
    return np.array(shares)


def goes_on(shares: FloatArray) -> bool:
    """Whether the cloth goes on beyond one side alone: its nose lies further out. Where rails have the
    cloth's colour, or nearly, the side across has them too.
    """
    bottom, top, left, right = shares
    pairs = ((bottom, top), (top, bottom), (left, right), (right, left))
    return any(here > _MOST and across < _OPPOSITE for here, across in pairs)
