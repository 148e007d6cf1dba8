"""Sights in a pool table's rails: dots at eighths of the length and quarters of the width.

They lie where noses are not seen: on the rail of a cushion whose face is turned away from the camera. Along
the rails they tell the scale; across them, with one common distance from the noses, where a hidden nose is.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.strips import ByteArray, FloatArray, peak_shift
from calibration.robust import robust_sigma
from calibration.solve.model import Points
from calibration.solve.unknowns import (
    BOTTOM,
    EIGHTHS,
    LEFT,
    QUARTERS,
    RIGHT,
    SIGHT_EIGHTHS,
    SIGHT_LIFT_MM,
    SIGHT_MM,
    SIGHT_QUARTERS,
    SIGHT_RAILS,
    TOP,
)
from calibration.table.specs import TableSpec

GrayArray = npt.NDArray[np.float32]

_REACH_MM, _STEP_MM = 36.0, 1.0
"""Half the side of the piece of rail that is looked at, and its step."""
_WITHIN_MM = 22.0
"""How far from where it is expected a sight is sought."""
_DOT_MM, _AROUND_MM = 3.5, 9.0
"""Sigmas of the two blurs whose difference answers to a dot of 8 to 14 mm."""
_CLEAR, _LEAST_SCATTER = 6.0, 0.3
"""A dot's answer over the scatter of the answers around it from which it is a sight; the least scatter, grey
levels.
"""
SIGHTS = 2 * (len(EIGHTHS) + len(QUARTERS))
"""So many a table has that has them; each is a point of its rail and one along it."""
_LEAST = 6
"""Fewer sights may be chalk, screws and light."""
_SIGMA_PX, _SIGMA_MM = 0.3, 1.0
"""One sigma of a sight: of its middle in the picture, and of where the maker set it."""
_SCALE_MM = 10.0  # over which the picture's scale is taken

Place = tuple[float, float, int, int]
"""Where a sight is expected (x, y) mm, and its two marks."""


@dataclass(frozen=True)
class _Dot:
    """A dot's middle `px` (2,), its `answer`, positive where it is brighter than the rail, and the scale."""

    px: FloatArray
    answer: float
    px_a_mm: float


def sight_points(image: ByteArray, camera: Camera, table: TableSpec) -> Points:
    """The sights that are seen where the camera has them, each as a point of its rail and one along it."""
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32)
    seen = [(place, _dot(gray, camera, table, place)) for place in _places(table)]
    found = [(place, dot) for place, dot in seen if dot is not None]
    bright = sum(dot.answer for _, dot in found) > 0  # all sights of a table are alike
    parts = []
    for (_, _, rail, cross), dot in found:
        if (dot.answer > 0) == bright:
            sigma = float(np.hypot(_SIGMA_PX, _SIGMA_MM * dot.px_a_mm))
            parts += [Points.of(dot.px[None], mark, sigma) for mark in (rail, cross)]
    if len(parts) < 2 * _LEAST:
        parts = []
    return Points.join(parts or [Points.of(np.zeros((0, 2)), SIGHT_RAILS[0], 1.0)])


def _places(table: TableSpec) -> list[Place]:
    w, length = table.half_width_mm + SIGHT_MM, table.length_mm
    long = [
        (s * w, share * length, SIGHT_RAILS[side], mark)
        for s, side in ((-1, LEFT), (1, RIGHT))
        for share, mark in zip(EIGHTHS, SIGHT_EIGHTHS, strict=True)
    ]
    short = [
        (share * table.width_mm, y, SIGHT_RAILS[side], mark)
        for y, side in ((-SIGHT_MM, BOTTOM), (length + SIGHT_MM, TOP))
        for share, mark in zip(QUARTERS, SIGHT_QUARTERS, strict=True)
    ]
    return [*long, *short]


def _dot(gray: GrayArray, camera: Camera, table: TableSpec, place: Place) -> _Dot | None:
    """The clearest dot about a place; None where there is none, or the picture ends."""
    steps = np.arange(-_REACH_MM, _REACH_MM + _STEP_MM, _STEP_MM)
    x, y = np.meshgrid(place[0] + steps, place[1] + steps)
    z = np.full(x.size, table.nose_height_mm + SIGHT_LIFT_MM)
    px = camera.pixels_from_table(np.column_stack((x.ravel(), y.ravel(), z))).reshape(*x.shape, 2)
    last = np.array(gray.shape[1::-1]) - 1.0
    if not (np.isfinite(px) & (px >= 0.0) & (px <= last)).all():
        return None
    column_px, row_px = (px[..., k].astype(np.float32) for k in (0, 1))
    piece = cv2.remap(gray, column_px, row_px, cv2.INTER_LINEAR)
    answer = cv2.GaussianBlur(piece, (0, 0), _DOT_MM) - cv2.GaussianBlur(piece, (0, 0), _AROUND_MM)
    inside = np.where(np.hypot(x - place[0], y - place[1]) < _WITHIN_MM, np.abs(answer), 0.0)
    row, column = divmod(int(inside.argmax()), len(steps))
    around = answer[np.hypot(x - x[row, column], y - y[row, column]) > 2 * _AROUND_MM]
    scatter = robust_sigma(around - np.median(around)) + _LEAST_SCATTER
    if inside[row, column] < _CLEAR * scatter:
        return None
    peak = np.abs(answer[row - 1 : row + 2, column - 1 : column + 2]).astype(np.float64)
    before, after = (np.array([peak[1, k], peak[k, 1]]) for k in (0, 2))  # along x and along y
    shift = _STEP_MM * peak_shift(before, peak[1, 1], after, most=1.0)
    at = x[row, column] + shift[0], y[row, column] + shift[1], float(z[0])
    middle, beside = camera.pixels_from_table([at, (at[0], at[1] + _SCALE_MM, at[2])])
    return _Dot(middle, float(answer[row, column]), float(np.hypot(*(beside - middle))) / _SCALE_MM)
