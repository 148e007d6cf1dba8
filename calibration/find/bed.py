"""Detects objects on the bed of a table under a solved camera: patches of another colour than the cloth."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.strips import ByteArray, FloatArray
from calibration.table.specs import TableSpec

_STEPS = 8.0  # of the grid, a ball diameter
_LEAST_APART, _APART_NOISES = 16.0, 6.0  # difference from the cloth in Lab: absolute, and over the usual one
_FIT_ROUNDS, _FIT_NOISES = 4, 3.0  # of the cloth's colour over the bed, and residuals that still belong to it
_FAR_PX = 1e4
_LIGHTNESS_WEIGHT = 0.6  # of lightness against colour: shadows change it alone


@dataclass(frozen=True)
class Bed:
    """The bed resampled to the plane of the pieces: `apart` (R, C), difference of each place from the cloth.

    `limit`: difference from which a place is not cloth. Row r and column c lie at x = `x0_mm` + c `step_mm`,
    y = `y0_mm` + r `step_mm`.
    """

    apart: FloatArray
    limit: float
    x0_mm: float
    y0_mm: float
    step_mm: float

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """Where something lies on the cloth (R, C)."""
        return self.apart > self.limit

    def xy_mm(self, column: float, row: float) -> tuple[float, float]:
        """The place (mm) of a column and row."""
        return self.x0_mm + column * self.step_mm, self.y0_mm + row * self.step_mm


def bed_of(image: ByteArray, camera: Camera, table: TableSpec) -> Bed | None:
    """The bed of a (H, W, 3) BGR picture; None where the camera does not see all of it."""
    d = table.ball_diameter_mm
    step, inset = d / _STEPS, d / 2
    xs = np.arange(-table.half_width_mm + inset, table.half_width_mm - inset, step)
    ys = np.arange(inset, table.length_mm - inset, step)
    yy, xx = np.meshgrid(ys, xs, indexing="ij")
    at = np.column_stack((xx.ravel(), yy.ravel(), np.full(xx.size, table.piece_plane_mm)))
    px = camera.pixels_from_table(at)
    if not np.isfinite(px).all() or np.abs(px).max() > _FAR_PX:
        return None
    maps = px.reshape(*xx.shape, 2).astype(np.float32)
    soft = cv2.GaussianBlur(image, (0, 0), 0.8)
    seen = cv2.remap(soft, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR).astype(np.float32) / 255.0
    lab = cv2.cvtColor(seen, cv2.COLOR_BGR2LAB).astype(np.float64) * (_LIGHTNESS_WEIGHT, 1.0, 1.0)
    apart = _from_cloth(lab)
    return Bed(
        apart,
        max(_LEAST_APART, _APART_NOISES * float(np.median(apart))),
        float(xs[0]),
        float(ys[0]),
        float(step),
    )


def _from_cloth(lab: FloatArray) -> FloatArray:
    """Difference (R, C) of colours (R, C, 3) from a cloth whose colour is a quadratic over the bed."""
    rows, columns = lab.shape[:2]
    v, u = np.mgrid[-1 : 1 : rows * 1j, -1 : 1 : columns * 1j]
    basis = np.stack((np.ones_like(u), u, v, u * u, u * v, v * v), axis=-1).reshape(-1, 6)
    colours = lab.reshape(-1, 3)
    part = np.linalg.norm(colours - np.median(colours, axis=0), axis=1)
    for _ in range(_FIT_ROUNDS):
        keep = part <= max(_FIT_NOISES * float(np.median(part)), 1e-6)
        terms = basis[keep]
        fitted = np.linalg.solve(terms.T @ terms + 1e-9 * np.eye(6), terms.T @ colours[keep])
        part = np.linalg.norm(colours - basis @ fitted, axis=1)
    return np.asarray(part.reshape(rows, columns), dtype=np.float64)
