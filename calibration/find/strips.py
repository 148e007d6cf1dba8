"""Strips of the picture along cushions and marks, straightened by the camera.

A strip has stations along a mark (rows) and offsets across it (columns, mm, positive towards the middle of
the table). The camera turns an edge or line found at an offset back into exact pixels.
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


def median_of_known(values: FloatArray, axis: int) -> FloatArray:
    """`np.nanmedian`; nan, without numpy's warning, where all values are nan."""
    ordered = np.sort(values, axis=axis)  # nan last
    known = (~np.isnan(values)).sum(axis=axis, keepdims=True)
    low, high = np.maximum(known - 1, 0) // 2, np.minimum(known // 2, values.shape[axis] - 1)
    ends = np.take_along_axis(ordered, low, axis) + np.take_along_axis(ordered, high, axis)
    return np.asarray(ends.squeeze(axis) / 2, np.float64)


def peak_shift(left: FloatArray, middle: FloatArray, right: FloatArray, most: float) -> FloatArray:
    """How many columns, at `most`, the tops of the parabolas through three neighbours each lie right of the
    middle ones; 0 where there is no top.
    """
    bend = left - 2 * middle + right
    shift = np.where(bend < 0, 0.5 * (left - right) / np.minimum(bend, -1e-12), 0.0)
    return np.clip(shift, -most, most)


@dataclass(frozen=True)
class Strip:
    """N stations along a mark and M offsets across it.

    `colour` (N, M, 3): BGR, nan outside the picture. `base` (N, 2): mm on the mark. `inward` (N, 2): unit
    normals. `offset_mm` (M,). `z_mm`: height of the strip above the cloth.
    """

    colour: FloatArray
    base: FloatArray
    inward: FloatArray
    offset_mm: FloatArray
    z_mm: float

    @property
    def step_mm(self) -> float:
        """Distance of two columns, mm."""
        return float(self.offset_mm[1] - self.offset_mm[0])

    def table_points(self, rows: npt.NDArray[np.int_], offsets_mm: FloatArray) -> FloatArray:
        """Points (K, 3) mm of the table frame at rows (K,) and offsets (K,)."""
        flat = self.base[rows] + offsets_mm[:, None] * self.inward[rows]
        return np.column_stack((flat, np.full(len(flat), self.z_mm)))

    def pixels(self, camera: Camera, rows: npt.NDArray[np.int_], offsets_mm: FloatArray) -> FloatArray:
        """Pixels (K, 2) at rows (K,) and offsets (K,)."""
        return camera.pixels_from_table(self.table_points(rows, offsets_mm))


_NO_MAP = np.empty(0, np.float32)
_REMAP_COLUMNS, _REMAP_ROWS = 512, 16000  # OpenCV's remap takes maps of less than 32,768 rows


def sample(image: ByteArray, px: FloatArray) -> FloatArray:
    """Bicubic colours (N, 3) at (N, 2) pixels; nan outside the picture."""
    h, w = image.shape[:2]
    good = np.isfinite(px).all(axis=1)
    good &= (px[:, 0] >= 0) & (px[:, 1] >= 0) & (px[:, 0] <= w - 1) & (px[:, 1] <= h - 1)
    safe = np.where(good[:, None], px, 0.0).astype(np.float32)
    padded = -len(safe) % _REMAP_COLUMNS
    grid = np.concatenate((safe, np.zeros((padded, 2), np.float32))).reshape(-1, _REMAP_COLUMNS, 2)
    out = np.concatenate(
        [
            cv2.remap(image, part, _NO_MAP, cv2.INTER_CUBIC).astype(np.float64)
            for part in np.array_split(grid, max(1, len(grid) // _REMAP_ROWS))
        ]
    ).reshape(-1, 3)[: len(px)]
    out[~good] = np.nan
    return out


def strip_along(
    image: ByteArray, camera: Camera, base: FloatArray, inward: FloatArray, offset_mm: FloatArray, z_mm: float
) -> Strip:
    """The strip along `base` (N, 2) mm with unit normals `inward` (N, 2) at offsets (M,) mm."""
    flat = base[:, None, :] + offset_mm[None, :, None] * inward[:, None, :]
    points = np.concatenate((flat, np.full((*flat.shape[:2], 1), z_mm)), axis=2).reshape(-1, 3)
    colour = sample(image, camera.pixels_from_table(points)).reshape(len(base), len(offset_mm), 3)
    return Strip(colour, base, inward, offset_mm, z_mm)


def side_line(
    table: TableSpec, side: int, at_mm: FloatArray, inset_mm: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """Places (N, 2) mm on a line `inset_mm` inside a side's nose line, and inward unit normals (N, 2).

    `at_mm` (N,): y on a long side, x on a short one.
    """
    w, n = table.half_width_mm, len(at_mm)
    if side in (BOTTOM, TOP):
        y = np.full(n, inset_mm if side == BOTTOM else table.length_mm - inset_mm)
        return np.column_stack((at_mm, y)), np.tile([0.0, 1.0 if side == BOTTOM else -1.0], (n, 1))
    assert side in (LEFT, RIGHT)
    x = np.full(n, inset_mm - w if side == LEFT else w - inset_mm)
    return np.column_stack((x, at_mm)), np.tile([1.0 if side == LEFT else -1.0, 0.0], (n, 1))


def beyond_noses_mm(camera: Camera, table: TableSpec) -> tuple[float, float, float, float]:
    """How far (mm) outside each nose line the camera stands, in the order of `SIDES`; inside it below 0."""
    x, y, _ = camera.centre_mm
    return -y, y - table.length_mm, -table.half_width_mm - x, x - table.half_width_mm


def side_stations(
    table: TableSpec, side: int, spacing_mm: float, clear_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Points (N, 2) mm on a nose line, at least `clear_mm` away from the jaws, and inward unit normals."""
    w, top = table.half_width_mm, table.length_mm
    hole = table.corner_mouth_mm if table.is_board else 0.0
    corner = max(hole, table.half_width_mm - abs(table.pocket("BL").jaws[0][0])) + clear_mm
    if side in (BOTTOM, TOP):
        return side_line(table, side, np.arange(-w + corner, w - corner, spacing_mm))
    centre = next((p for p in table.pockets if p.name == "CR"), None)
    if centre is None:
        return side_line(table, side, np.arange(corner, top - corner, spacing_mm))
    gap = centre.jaws[1][1] - top / 2 + clear_mm
    parts = [(corner, top / 2 - gap), (top / 2 + gap, top - corner)]
    return side_line(table, side, np.concatenate([np.arange(*part, spacing_mm) for part in parts]))


def mm_per_px(camera: Camera, points_mm: FloatArray, direction: FloatArray) -> FloatArray:
    """Millimetres a pixel (N,) at points (N, 3) along unit directions (N, 2) in the table plane."""
    step = np.column_stack((direction, np.zeros(len(direction))))
    moved = camera.pixels_from_table(points_mm + step) - camera.pixels_from_table(points_mm)
    return 1.0 / np.maximum(np.hypot(moved[:, 0], moved[:, 1]), 1e-6)


def usual_mm_per_px(camera: Camera, base_mm: FloatArray, direction: FloatArray, z_mm: float = 0.0) -> float:
    """Millimetres a pixel along `direction` (N, 2) at stations (N, 2) at a height: their median; nan where
    the camera sees none.
    """
    at = np.column_stack((base_mm, np.full(len(base_mm), z_mm)))
    return float(median_of_known(mm_per_px(camera, at, direction), axis=0))


_KERNEL_SIGMAS = 4.0  # reach of a Gaussian kernel


def smoothed_slope(values: FloatArray, sigma: float) -> FloatArray:
    """Derivative (per column) of a strip (N, M, C) smoothed over `sigma` columns; nan stays nan."""
    return _filtered(values, _gauss(sigma, 1))


def smoothed_curve(values: FloatArray, sigma: float) -> FloatArray:
    """Second derivative (per column squared) in the same way; positive on dark lines."""
    return _filtered(values, _gauss(sigma, 2))


def _gauss(sigma: float, order: int) -> FloatArray:
    """Kernel of a Gaussian's first or second derivative, exact on a ramp or a parabola."""
    reach = max(2, int(np.ceil(_KERNEL_SIGMAS * sigma)))
    x = np.arange(-reach, reach + 1, dtype=np.float64)
    g = np.exp(-0.5 * (x / sigma) ** 2)
    g /= g.sum()
    if order == 1:
        k = x * g
        return np.asarray(k / np.sum(k * x), dtype=np.float64)
    k = (x**2 / sigma**2 - 1) * g / sigma**2
    k -= k.mean()
    return np.asarray(2 * k / np.sum(k * x**2), dtype=np.float64)


def _filtered(values: FloatArray, kernel: FloatArray) -> FloatArray:
    """Correlation of a strip (N, M, C) with a kernel along its columns; nan within its reach of a nan."""
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
