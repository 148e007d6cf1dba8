"""Where the baulk line ends at a cushion that is turned away from the camera: there its nose begins.

Such a nose hides its own shadow, and cloth lies on cloth without an edge. The line is drawn on the cloth from
cushion to cushion, and its end is where the nose covers it.
"""

from __future__ import annotations

import math

import numpy as np

from calibration.camera import Camera
from calibration.find.marks import BaulkMarks, line_width_sigma
from calibration.find.strips import (
    ByteArray,
    FloatArray,
    beyond_noses_mm,
    smoothed_curve,
    strip_along,
    usual_mm_per_px,
)
from calibration.solve.model import Points
from calibration.solve.unknowns import LEFT, NOSES, RIGHT
from calibration.table.specs import TableSpec

_INSIDE_MM, _OUTSIDE_MM = 160.0, 60.0
"""How far inside and outside of where the camera has the nose the line's end is sought."""

_SURE_MM = 100.0  # further inside the line is seen, whatever the first camera's error
_STEP_PX = 0.5  # of stations along the line, and of columns across it
_ASIDE_PX = 2.0  # how far beside where it is expected the line may be
_CLEAR = 4.0  # contrast of the line over its noise from which its end is known
_NOSE_MM, _SIGMA_PX = 2.0, 1.0
"""One sigma of a line's end: noses are rounded, and a picture is blurred."""


def line_ends(image: ByteArray, camera: Camera, table: TableSpec, marks: BaulkMarks) -> Points:
    """The line's ends (at most one a side) on noses whose faces are turned away, with the marks `NOSES`."""
    beyond = beyond_noses_mm(camera, table)
    parts = [_end(image, camera, table, marks, side) for side in (LEFT, RIGHT) if beyond[side] > 0]
    return Points.join([*parts, Points.of(np.zeros((0, 2)), NOSES[LEFT], 1.0)])


def _end(image: ByteArray, camera: Camera, table: TableSpec, marks: BaulkMarks, side: int) -> Points:
    outward = -1.0 if side == LEFT else 1.0
    nose = np.array([[outward * table.half_width_mm, marks.line_mm]])
    along_px = usual_mm_per_px(camera, nose, np.array([[outward, 0.0]]))
    across_px = usual_mm_per_px(camera, nose, np.array([[0.0, 1.0]]))
    beyond = np.arange(-_INSIDE_MM, _OUTSIDE_MM, _STEP_PX * along_px)
    base = np.column_stack((outward * (table.half_width_mm + beyond), np.full(len(beyond), marks.line_mm)))
    sigma = line_width_sigma(across_px)
    reach = (_ASIDE_PX + 4 * sigma) * across_px
    offsets = np.arange(-reach, reach, _STEP_PX * across_px)
    strip = strip_along(image, camera, base, np.tile([0.0, 1.0], (len(base), 1)), offsets, 0.0)
    response = smoothed_curve(strip.colour, sigma / _STEP_PX) @ marks.line.colour
    end = line_end(_on_line(response, np.abs(offsets) <= _ASIDE_PX * across_px, beyond), beyond)
    if end is None:
        return Points.of(np.zeros((0, 2)), NOSES[side], 1.0)
    px = camera.pixels_from_table([(outward * (table.half_width_mm + end), marks.line_mm, 0.0)])
    return Points.of(px, NOSES[side], math.hypot(_SIGMA_PX, _NOSE_MM / along_px))


def _on_line(response: FloatArray, near: FloatArray, beyond_mm: FloatArray) -> FloatArray:
    """The response (N,) in the column that is on the line where it is surely seen."""
    sure = np.nan_to_num(response[beyond_mm < -_SURE_MM]).mean(axis=0)
    return np.asarray(response[:, int(np.argmax(np.where(near, sure, -np.inf)))], np.float64)


def line_end(response: FloatArray, beyond_mm: FloatArray) -> float | None:
    """Where a line's response (N,) falls to nothing along places (N,) mm, increasing; None where it does not.

    The likeliest place under equal noise on both sides.
    """
    if not np.isfinite(response).all():
        return None
    inside = response[beyond_mm < -_SURE_MM]
    level, noise = float(np.median(inside)), float(np.std(np.diff(response))) / math.sqrt(2)
    if level <= 0 or level < _CLEAR * max(noise, float(np.std(inside))):
        return None
    end = int(np.argmax(np.cumsum(response - level / 2)))
    rest = response[end + 1 :]
    if len(rest) < 2 or abs(float(np.mean(rest))) > level / 3:
        return None
    return float(beyond_mm[end : end + 2].mean())  # between the last place on the line and the first beyond
