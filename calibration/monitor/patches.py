"""Patches of the calibrated view and their shifts in a later picture (Lucas & Kanade, 1981).

A patch with edges in one direction only (a nose) gives its shift across that edge; the covariance shows it.
Lamps may change, so that each patch has a gain and an offset of its own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.strips import side_stations
from calibration.result import Calibration
from calibration.table.specs import TableSpec

ByteArray = npt.NDArray[np.uint8]
FloatArray = npt.NDArray[np.float64]

SIZE_PX = 48
"""Side of a patch."""
CROP_PX = SIZE_PX + 8
"""Side of the crop that is blurred and then cut to `SIZE_PX`."""

_BLUR_PX = 1.0
_LEAST_CONTRAST = 4.0  # standard deviation of a patch, grey levels
_WORST_MISFIT = 0.35  # standard deviation of the residual over the patch's own
_NOISY_MISFIT = 1.2  # the same over the picture's noise, so that a dark patch does not count as covered
_GAINS = (0.4, 2.5)  # of the light
_ALIKE_PX = 4.0  # residuals of neighbouring pixels are correlated: one independent sample in so many
_FLOOR_PX = 0.04  # one sigma of a clear patch's place by resampling and compression
_WALK_PX = 3.0  # largest linear step
_LIKE = 0.6  # normalised correlation of a patch found far from its place
_BORDER_PX = 4  # that a search leaves out at a patch's border
_PRIOR, _WEAK_PRIOR = 1.0, 1e-6  # on shift, and on gain and offset, in the normal equations
_CURVATURE_NOISE = 1.65  # median of |second difference| of white noise, in its sigmas


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A patch of the view: a point of the table (mm), the patch's middle (px), and its pixels.

    `rest_px`: middle minus the projection of the point at that time. `raw` (CROP, CROP): uint8. Computed:
    `basis` (SIZE^2, 4), [d/dx, d/dy, piece, 1]; `inverse` (4, 4) of its normal equations, whose first (2, 2)
    is the covariance of the shift for residuals of one grey level; `noise` of the picture.
    """

    point_mm: tuple[float, float, float]
    at_px: tuple[float, float]
    rest_px: tuple[float, float]
    raw: ByteArray
    piece: FloatArray = field(init=False)
    basis: FloatArray = field(init=False)
    inverse: FloatArray = field(init=False)
    noise: float = field(init=False)

    def __post_init__(self) -> None:
        piece = _softened(self.raw.astype(np.float32))
        gx, gy = np.gradient(piece, axis=1).ravel(), np.gradient(piece, axis=0).ravel()
        basis = np.stack((gx, gy, piece.ravel(), np.ones(piece.size)), axis=1)
        inverse = np.linalg.inv(basis.T @ basis + np.diag([_PRIOR, _PRIOR, _WEAK_PRIOR, _WEAK_PRIOR]))
        rough = self.raw.astype(np.float64)
        curve = np.abs(rough[:, 2:] - 2 * rough[:, 1:-1] + rough[:, :-2])
        computed = {
            "piece": piece,
            "basis": basis,
            "inverse": inverse,
            "noise": float(np.median(curve)) / _CURVATURE_NOISE,
        }
        for name, value in computed.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[type[Patch], tuple[object, ...]]:
        # what is computed need not be stored in a review's checkpoint
        return Patch, (self.point_mm, self.at_px, self.rest_px, self.raw)


@dataclass(frozen=True, slots=True, eq=False)
class Shifts:
    """Places (P, 2) px of patches, covariances (P, 2, 2), and which were `seen` (P,); zeros elsewhere."""

    at_px: FloatArray
    covariance: FloatArray
    seen: npt.NDArray[np.bool_]


def crop(luma: ByteArray, at_px: npt.ArrayLike) -> FloatArray:
    """A slightly blurred patch (SIZE, SIZE) of a picture (H, W) around a sub-pixel place."""
    x, y = (float(v) for v in np.asarray(at_px))
    raw = cv2.getRectSubPix(luma, (CROP_PX, CROP_PX), (x, y), patchType=cv2.CV_32F)
    return _softened(np.asarray(raw, dtype=np.float32))


def _softened(raw: npt.NDArray[np.float32]) -> FloatArray:
    """Blurred crops one below the other (n * CROP, CROP), each cut to its size: (n * SIZE, SIZE)."""
    edge = (CROP_PX - SIZE_PX) // 2  # as wide as the blur, so that neighbouring crops do not mix
    blurred = cv2.GaussianBlur(raw, (0, 0), _BLUR_PX).reshape(-1, CROP_PX, CROP_PX)[:, edge:-edge, edge:-edge]
    return np.asarray(blurred, dtype=np.float64).reshape(-1, SIZE_PX)


def patch_of(luma: ByteArray, point_mm: tuple[float, float, float], seen_px: FloatArray) -> Patch | None:
    """The patch around a point seen at `seen_px`; None at the picture's border or without contrast."""
    half = CROP_PX // 2
    h, w = luma.shape
    if not (
        np.isfinite(seen_px).all() and half <= seen_px[0] < w - half - 1 and half <= seen_px[1] < h - half - 1
    ):
        return None
    # the size is even, so that a middle at half a pixel needs no resampling
    x, y = (int(v) for v in np.floor(seen_px))
    raw = luma[y - half + 1 : y + half + 1, x - half + 1 : x + half + 1].copy()
    if raw.std() < _LEAST_CONTRAST:
        return None
    return Patch(
        point_mm, (x + 0.5, y + 0.5), (float(x + 0.5 - seen_px[0]), float(y + 0.5 - seen_px[1])), raw
    )


def shifts_of(patches: Sequence[Patch], luma: ByteArray, expected_px: FloatArray) -> Shifts:
    """The shifts by one linear step from the expected places (P, 2) px; covered patches are not seen."""
    count, (h, w) = len(patches), luma.shape
    inside = (
        np.isfinite(expected_px).all(axis=1)
        & (expected_px >= 0).all(axis=1)
        & (expected_px < (w, h)).all(axis=1)
    )
    raw = np.zeros((count, CROP_PX, CROP_PX), np.float32)
    for n in np.flatnonzero(inside).tolist():
        x, y = expected_px[n].tolist()
        cv2.getRectSubPix(luma, (CROP_PX, CROP_PX), (x, y), raw[n], cv2.CV_32F)
    now = _softened(raw.reshape(-1, CROP_PX)).reshape(count, -1)
    product = np.array([row @ p.basis for row, p in zip(now, patches, strict=True)])
    inverse = np.array([p.inverse for p in patches])
    solved = np.einsum("pij,pj->pi", inverse, product)
    gain = np.where(inside, solved[:, 2], 0.0)
    inside &= (gain > _GAINS[0]) & (gain < _GAINS[1])
    gain = np.where(inside, gain, 1.0)
    # the residual of a least-squares solution follows from the products
    left = np.maximum((now * now).mean(axis=1) - (solved * product).sum(axis=1) / now.shape[1], 0.0)
    spread, step = np.sqrt(left), -solved[:, :2] / gain[:, None]
    noise = np.array([p.noise for p in patches])
    worst = np.maximum(_WORST_MISFIT * now.std(axis=1), _NOISY_MISFIT * noise)
    seen = inside & (spread <= worst) & (np.hypot(*step.T) <= _WALK_PX)
    variance = (_ALIKE_PX * spread / gain) ** 2
    covariance = variance[:, None, None] * inverse[:, :2, :2] + np.eye(2) * _FLOOR_PX**2
    return Shifts(
        np.where(seen[:, None], expected_px + step, 0.0),
        np.where(seen[:, None, None], covariance, np.eye(2)),
        seen,
    )


def found_again(patch: Patch, luma: ByteArray, reach_px: int) -> FloatArray | None:
    """The best matching place (2,) px within `reach_px` of a patch's old one; None without a match."""
    x, y = (round(v) for v in patch.at_px)
    half = SIZE_PX // 2 - _BORDER_PX
    size, h, w = 2 * half, *luma.shape
    x0, y0 = max(0, x - half - reach_px), max(0, y - half - reach_px)
    x1, y1 = min(w, x + half + reach_px), min(h, y + half + reach_px)
    if x1 - x0 < size or y1 - y0 < size:
        return None
    middle = SIZE_PX // 2
    inner = patch.piece[middle - half : middle + half, middle - half : middle + half].astype(np.float32)
    score = cv2.matchTemplate(luma[y0:y1, x0:x1].astype(np.float32), inner, cv2.TM_CCOEFF_NORMED)
    _, best, _, (column, row) = cv2.minMaxLoc(score)
    if best < _LIKE:
        return None
    return np.array([x0 + column + half - 0.5, y0 + row + half - 0.5])


def choose_patches(calibration: Calibration, luma: ByteArray, shrink: int) -> tuple[Patch, ...]:
    """Patches at jaws, pockets, noses, baulk line and D of a picture (H, W) shrunk `shrink` times."""
    table = calibration.table
    points = _points(table)
    px = shrunk_px(calibration.camera, points, shrink)
    found = [
        patch_of(luma, (float(x), float(y), float(z)), at) for (x, y, z), at in zip(points, px, strict=True)
    ]
    return tuple(p for p in found if p is not None)


def shrunk_px(camera: Camera, points_mm: FloatArray, shrink: int) -> FloatArray:
    """Projections (N, 2) px of points (N, 3) mm in a picture shrunk by a whole number."""
    return (camera.pixels_from_table(points_mm) + 0.5) / shrink - 0.5


def _points(table: TableSpec) -> FloatArray:
    """Points (N, 3) mm of the table about which patches are taken."""
    z = table.nose_height_mm
    places = [(x, y, z) for p in table.pockets for x, y in (*p.jaws, (p.x_mm, p.y_mm))]
    for side in range(4):
        base, _ = side_stations(table, side, table.width_mm / 5, 0.08 * table.width_mm)
        places += [(float(x), float(y), z) for x, y in base]
    if table.baulk_line_mm is not None and table.d_radius_mm is not None:
        line, radius = table.baulk_line_mm, table.d_radius_mm
        places += [
            (radius * math.cos(a), line - radius * math.sin(a), 0.0) for a in np.linspace(0, math.pi, 5)
        ]
        places += [(share * table.half_width_mm, line, 0.0) for share in (-0.8, -0.55, 0.0, 0.55, 0.8)]
    return np.array(places)
