"""The marks on the cloth: baulk line and D, found at either end, measured to sub-pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, rotation_vector
from calibration.model import ARC, BAULK, Points
from calibration.strips import ByteArray, FloatArray, Strip, mm_per_px, smoothed_curve, strip_along
from calibration.table import TableSpec

_SIGMA_PX, _LOOSE_SIGMA_PX = 0.25, 0.5
"""One sigma of a point on a mark, correlation along the mark included: a thin line has no shadow side, and was
within 0.05 mm of the truth as a whole at 38 random cameras, where noses were within 0.3 mm. Loose: marks of tables that follow no rule, whose lines need not be straight."""

_ENOUGH = 7.0
"""A line's response over the noise across it; below, it is not taken for a line."""

_ASIDE_MM = (-4.0, 4.0, -8.0, 8.0, -12.0, 12.0, -16.0, 16.0)
"""How far aside a first camera may put the D: along a circle about another centre its line is smeared away."""


def turned(camera: Camera, table: TableSpec) -> Camera:
    """The same camera when the other end of the table is called baulk."""
    r = camera.matrix_camera_from_table
    t = np.asarray(camera.translation_mm) + r @ np.array([0.0, table.length_mm, 0.0])
    x, y, z = (float(c) for c in t)
    return replace(camera, rotation=rotation_vector(r @ np.diag([-1.0, -1.0, 1.0])), translation_mm=(x, y, z))


@dataclass(frozen=True)
class Line:
    """A mark found: its offset from where it was expected, colour direction, strength over noise."""

    offset_mm: float
    colour: FloatArray
    strength: float


@dataclass(frozen=True)
class BaulkMarks:
    """Baulk line and D at the end y = 0 of a camera; `arc` is None where no D was seen.

    `aside_mm`: how far beside the middle a camera that does not fit yet puts the D.
    """

    line_mm: float
    radius_mm: float
    line: Line
    arc: Line | None
    aside_mm: float = 0.0

    @property
    def strength(self) -> float:
        return self.line.strength + (self.arc.strength if self.arc else 0.0)


def _line_base(table: TableSpec, y_mm: float) -> tuple[FloatArray, FloatArray]:
    w = table.half_width_mm
    x = np.arange(-w * 0.92, w * 0.92, table.width_mm / 120)
    return np.column_stack((x, np.full_like(x, y_mm))), np.tile([0.0, 1.0], (len(x), 1))


def _arc_base(line_mm: float, radius_mm: float, x_mm: float = 0.0) -> tuple[FloatArray, FloatArray]:
    angle = np.radians(np.arange(186.0, 354.5, 1.5))
    out = np.column_stack((np.cos(angle), np.sin(angle)))
    return np.array([x_mm, line_mm]) + radius_mm * out, out


def _strip(
    image: ByteArray, camera: Camera, at: tuple[FloatArray, FloatArray], reach_mm: float, step_px: float
) -> tuple[Strip, float]:
    """Strip on the cloth about a mark and the millimetres of one pixel across it."""
    base, across = at
    scale = float(np.nanmedian(mm_per_px(camera, np.column_stack((base, np.zeros(len(base)))), across)))
    offsets = np.arange(-reach_mm, reach_mm + step_px * scale, step_px * scale)
    return strip_along(image, camera, base, across, offsets, 0.0), scale


def _best_lines(strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """Thin lines along a strip: peaks of the median second derivative, strongest first."""
    curve = smoothed_curve(strip.colour, sigma_px / step_px) / step_px**2
    seen = np.isfinite(curve[:, :, 0]).mean(axis=0) > 0.5
    if seen.sum() < 20:
        return []
    middle = np.zeros(curve.shape[1:])
    with np.errstate(all="ignore"):
        middle[seen] = np.nanmedian(curve[:, seen], axis=0)
    size = np.linalg.norm(middle, axis=1)
    noise = max(1.4826 * float(np.median(size[seen])), 0.02)
    reach = max(2, int(3 * sigma_px / step_px))
    lines = []
    for k in range(reach, len(size) - reach):
        if size[k] < size[k - reach : k + reach + 1].max() or size[k] < 4.0 * noise:
            continue
        # beside a line the curvature swings the other way; an edge does so on one side only
        sides = [float(middle[k - j] @ middle[k]) / size[k] ** 2 for j in (-reach, reach)]
        if max(sides) > 0.3:
            continue
        agree = float(np.nanmean(curve[:, k] @ middle[k] > 0.35 * size[k] ** 2))
        lines.append(Line(float(strip.offset_mm[k]), middle[k] / size[k], min(size[k] / noise, 60.0) * agree))
    return sorted(lines, key=lambda item: -item.strength)[:count]


def find_baulk(image: ByteArray, camera: Camera, table: TableSpec) -> BaulkMarks | None:
    """Baulk line and D at the end y = 0; None where there is no such line.

    Where the table's marks were not measured, they are searched within a fifth of their nominal places.
    """
    if table.baulk_line_mm is None or table.d_radius_mm is None:
        return None
    loose = 0.2 if not table.marks_measured else 0.05
    y, r = table.baulk_line_mm, table.d_radius_mm
    strip, scale = _strip(image, camera, _line_base(table, y), loose * y + 10.0, 0.5)
    # a thin line: about 4 mm, and at least a pixel
    sigma = max(1.0, 0.7 / scale)
    best: BaulkMarks | None = None
    for line in _best_lines(strip, 0.5, sigma, 4):
        place = y + line.offset_mm
        arc = _arc_about(image, camera, (0.0, place, r), line, loose * r + 10.0, sigma)
        marks = BaulkMarks(place, r + (arc.offset_mm if arc else 0.0), line, arc)
        if best is None or marks.strength > best.strength:
            best = marks
    if best is None or best.line.strength <= _ENOUGH:
        return None
    if best.arc is None:
        for x in _ASIDE_MM:
            arc = _arc_about(image, camera, (x, best.line_mm, r), best.line, loose * r + 10.0, sigma)
            if arc is not None and arc.strength > max(_ENOUGH, best.arc.strength if best.arc else 0.0):
                best = replace(best, arc=arc, radius_mm=r + arc.offset_mm, aside_mm=x)
    return best


def _arc_about(
    image: ByteArray, camera: Camera, circle_mm: tuple[float, float, float], line: Line, reach_mm: float, sigma_px: float
) -> Line | None:
    """The clearest line of the baulk line's colour along a D about (x, y) with a radius (mm)."""
    x, y, radius = circle_mm
    strip, _ = _strip(image, camera, _arc_base(y, radius, x), reach_mm, 0.5)
    return next((a for a in _best_lines(strip, 0.5, sigma_px, 4) if float(a.colour @ line.colour) > 0.5), None)


def measure_baulk(image: ByteArray, camera: Camera, marks: BaulkMarks, table: TableSpec, window_px: float) -> Points:
    """Sub-pixel points on the baulk line and the D of a camera that already fits to about a pixel."""
    parts = [_measured(image, camera, _line_base(table, marks.line_mm), marks.line, BAULK, window_px, table.marks_measured)]
    if marks.arc is not None:
        at = _arc_base(marks.line_mm, marks.radius_mm, marks.aside_mm)
        parts.append(_measured(image, camera, at, marks.arc, ARC, window_px, table.marks_measured))
    return Points.join(parts)


def _measured(
    image: ByteArray, camera: Camera, at: tuple[FloatArray, FloatArray], line: Line, mark: int, window_px: float,
    ruled: bool,
) -> Points:
    step_px, sigma = 0.25, 1.0
    scale = float(np.nanmedian(mm_per_px(camera, np.column_stack((at[0], np.zeros(len(at[0])))), at[1])))
    strip, _ = _strip(image, camera, at, (window_px + 5.0) * scale, step_px)
    response = smoothed_curve(strip.colour, sigma / step_px) @ line.colour / step_px**2
    rows, offset = peaks(response, strip, int(window_px / step_px))
    return Points.of(strip.pixels(camera, rows, offset), mark, _SIGMA_PX if ruled else _LOOSE_SIGMA_PX)


def peaks(response: FloatArray, strip: Strip, reach: int) -> tuple[npt.NDArray[np.int_], FloatArray]:
    """Rows and offsets (mm) of each station's response peak near the middle; weak and cut ones left out."""
    middle = response.shape[1] // 2
    part = np.nan_to_num(response[:, middle - reach : middle + reach + 1], nan=-1e9)
    k = np.argmax(part, axis=1)
    rows = np.arange(len(part))
    peak = part[rows, k]
    good = (k > 0) & (k < part.shape[1] - 1) & (peak > 0)
    typical = float(np.median(peak[good])) if good.any() else 0.0
    good &= (peak > 0.35 * typical) & (peak < 4.0 * typical)
    rows, k = rows[good], k[good]
    left, mid, right = part[rows, k - 1], part[rows, k], part[rows, k + 1]
    bend = left - 2 * mid + right
    shift = np.where(bend < 0, 0.5 * (left - right) / np.minimum(bend, -1e-12), 0.0)
    at = strip.offset_mm[middle - reach + k] + np.clip(shift, -0.6, 0.6) * strip.step_mm
    return rows, at


def certainty(own: float, other: float) -> float:
    """Probability that the end with the stronger marks is the baulk end."""
    return 1.0 / (1.0 + math.exp(-0.5 * (own - other)))
