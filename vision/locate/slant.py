"""Sigma of a ball's place along the view: a camera at a slant places it less surely in depth than across.

A pixel covers `1 / cos` as much cloth along the view as across, where the view leans by an angle from the
vertical; and a ball's shaded lower side, which looks like its shadow, shifts its outline along the view
only. Against true cameras sigma along the view is that across it times the square of `1 / cos` (fitted
exponent 1.99, 207 balls of the second world, docs/lab/2026-11-25-second-world.md).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera

F64 = npt.NDArray[np.float64]


def slants(camera: Camera, xy_mm: F64) -> tuple[F64, F64]:
    """Unit directions (N, 2) on the table in which places (N, 2) mm lie from the camera, and how many times
    (N,) as large sigma is along them as across.
    """
    x, y, height = camera.centre_mm
    away = np.asarray(xy_mm, np.float64).reshape(-1, 2) - (x, y)
    far = np.linalg.norm(away, axis=1)
    # right below the camera every direction is along the view as much as across it
    direction = np.where(far[:, None] > 1e-6, away / np.maximum(far, 1e-6)[:, None], (1.0, 0.0))
    return np.asarray(direction, np.float64), 1.0 + (far / max(height, 1.0)) ** 2


def per_axis_mm(camera: Camera, x_mm: float, y_mm: float, across_mm: float) -> float:
    """One sigma (mm) of a place along any axis, from that across the view: the root mean square."""
    times = slants(camera, np.array([[x_mm, y_mm]]))[1][0]
    return float(across_mm * np.sqrt((1.0 + times**2) / 2.0))


def along_axes(sigma_mm: F64, direction: F64, times: F64) -> F64:
    """One sigma (N, 2) mm along x and along y of the table, from that across the view (N,)."""
    share = direction**2
    return np.asarray(sigma_mm[:, None] * np.sqrt(share * (times**2)[:, None] + (1.0 - share)), np.float64)
