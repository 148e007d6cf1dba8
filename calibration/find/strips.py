"""Looking along the cushions and the marks: strips of the picture straightened by the camera.

A strip has stations along a mark (rows) and offsets across it (columns, mm, positive towards the
middle of the table); an edge or a line found at an offset goes back to exact pixels through the camera.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.solve.unknowns import BOTTOM, LEFT, RIGHT, TOP
from calibration.table.specs import TableSpec

FloatArray = npt.NDArray[np.float64]
ByteArray = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Strip:
    """`colour` (N, M, 3); `base` (N, 2) mm and `inward` (N, 2) unit normals; `offset_mm` (M,)."""

    colour: FloatArray
    base: FloatArray
    inward: FloatArray
    offset_mm: FloatArray
    z_mm: float

    @property
    def step_mm(self) -> float:
        return float(self.offset_mm[1] - self.offset_mm[0])

    def table_points(self, rows: npt.NDArray[np.int_], offsets_mm: FloatArray) -> FloatArray:
        """(K, 3) points of the table frame at the given rows and offsets."""
        flat = self.base[rows] + offsets_mm[:, None] * self.inward[rows]
        return np.column_stack((flat, np.full(len(flat), self.z_mm)))

    def pixels(self, camera: Camera, rows: npt.NDArray[np.int_], offsets_mm: FloatArray) -> FloatArray:
        return camera.pixels_from_table(self.table_points(rows, offsets_mm))


_NO_MAP = np.empty(0, np.float32)


def sample(image: ByteArray, px: FloatArray) -> FloatArray:
    """Bicubic colours (N, 3) at (N, 2) pixels; nan outside the picture."""
    h, w = image.shape[:2]
    good = np.isfinite(px).all(axis=1)
    good &= (px[:, 0] >= 0) & (px[:, 1] >= 0) & (px[:, 0] <= w - 1) & (px[:, 1] <= h - 1)
    safe = np.where(good[:, None], px, 0.0).astype(np.float32)
    rows = 512
    padded = -len(safe) % rows
    grid = np.concatenate((safe, np.zeros((padded, 2), np.float32))).reshape(-1, rows, 2)
    out = np.concatenate(
        [
            cv2.remap(image, part, _NO_MAP, cv2.INTER_CUBIC).astype(np.float64)
            for part in np.array_split(grid, max(1, len(grid) // 16000))
        ]
    ).reshape(-1, 3)[: len(px)]
    out[~good] = np.nan
    return out


def strip_along(
    image: ByteArray, camera: Camera, base: FloatArray, inward: FloatArray, offset_mm: FloatArray, z_mm: float
) -> Strip:
    """Straighten the picture along `base` (N, 2) mm with unit normals `inward`."""
    flat = base[:, None, :] + offset_mm[None, :, None] * inward[:, None, :]
    points = np.concatenate((flat, np.full((*flat.shape[:2], 1), z_mm)), axis=2).reshape(-1, 3)
    colour = sample(image, camera.pixels_from_table(points)).reshape(len(base), len(offset_mm), 3)
    return Strip(colour, base, inward, offset_mm, z_mm)


def side_stations(
    table: TableSpec, side: int, spacing_mm: float, clear_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Points on a nose line (N, 2), away from the pockets by `clear_mm` beyond the jaws; inward normals."""
    w, top = table.half_width_mm, table.length_mm
    corner = table.half_width_mm - abs(table.pocket("BL").jaws[0][0]) + clear_mm
    if side in (BOTTOM, TOP):
        x = np.arange(-w + corner, w - corner, spacing_mm)
        y = np.full_like(x, 0.0 if side == BOTTOM else top)
        return np.column_stack((x, y)), np.tile([0.0, 1.0 if side == BOTTOM else -1.0], (len(x), 1))
    assert side in (LEFT, RIGHT)
    gap = table.pocket("CR").jaws[1][1] - top / 2 + clear_mm
    y = np.concatenate(
        (np.arange(corner, top / 2 - gap, spacing_mm), np.arange(top / 2 + gap, top - corner, spacing_mm))
    )
    x = np.full_like(y, -w if side == LEFT else w)
    return np.column_stack((x, y)), np.tile([1.0 if side == LEFT else -1.0, 0.0], (len(y), 1))


def mm_per_px(camera: Camera, points_mm: FloatArray, direction: FloatArray) -> FloatArray:
    """Millimetres per pixel at (N, 3) points along unit (N, 2) directions in the table plane."""
    step = np.column_stack((direction, np.zeros(len(direction))))
    moved = camera.pixels_from_table(points_mm + step) - camera.pixels_from_table(points_mm)
    return 1.0 / np.maximum(np.hypot(moved[:, 0], moved[:, 1]), 1e-6)


def smoothed_slope(values: FloatArray, sigma: float) -> FloatArray:
    """Derivative (per column) of a Gaussian-smoothed (N, M, C) strip along its columns; nan as 0 slope."""
    return _filtered(values, _gauss(sigma, 1))


def smoothed_curve(values: FloatArray, sigma: float) -> FloatArray:
    """Second derivative (per column squared), see `smoothed_slope`: positive in dark lines."""
    return _filtered(values, _gauss(sigma, 2))


def _gauss(sigma: float, order: int) -> FloatArray:
    reach = max(2, int(np.ceil(4 * sigma)))
    x = np.arange(-reach, reach + 1, dtype=np.float64)
    g = np.exp(-0.5 * (x / sigma) ** 2)
    g /= g.sum()
    if order == 1:
        # normalised so that a ramp of slope 1 gives 1
        k = x * g
        return np.asarray(k / np.sum(k * x), dtype=np.float64)
    k = (x**2 / sigma**2 - 1) * g / sigma**2
    k -= k.mean()
    return np.asarray(2 * k / np.sum(k * x**2), dtype=np.float64)


def _filtered(values: FloatArray, kernel: FloatArray) -> FloatArray:
    n, m, c = values.shape
    filled = values.copy()
    bad = ~np.isfinite(filled)
    filled[bad] = 0.0
    flat = np.ascontiguousarray(np.moveaxis(filled, 2, 1).reshape(n * c, m))
    out = cv2.filter2D(flat, cv2.CV_64F, kernel[None, :], borderType=cv2.BORDER_REPLICATE)
    out = np.moveaxis(out.reshape(n, c, m), 1, 2).copy()
    if bad.any():
        reach = len(kernel) // 2
        touched = (
            cv2.dilate(np.asarray(bad.any(axis=2), dtype=np.uint8), np.ones((1, 2 * reach + 1), np.uint8)) > 0
        )
        out[touched] = np.nan
    return np.asarray(out, dtype=np.float64)
