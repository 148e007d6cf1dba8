"""The marks on the cloth, baulk line and D: found at either end, measured to sub-pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, rotation_vector
from calibration.find.strips import (
    ByteArray,
    FloatArray,
    Strip,
    median_of_known,
    peak_shift,
    smoothed_curve,
    strip_along,
    usual_mm_per_px,
)
from calibration.robust import robust_sigma
from calibration.solve.model import Points
from calibration.solve.unknowns import ARC, BAULK
from calibration.table.specs import TableSpec

_SIGMA_PX, _LOOSE_SIGMA_PX = 0.25, 0.5
"""One sigma of a point on a mark, correlation along the mark included; loose on tables that follow no rule.

A thin line has no shadow side. As a whole it was within 0.05 mm of the truth at 38 random cameras, and noses
within 0.3 mm. On other tables lines need not be straight.
"""

_STEADY_PX = 0.1
"""Scatter of points along a clear mark.

Measured 0.02 to 0.12 px on 37 of 40 pictures, 0.2 on worn lines and 0.4 on a hardly visible one.
"""

_ENOUGH = 7.0
"""Least response of a line over the noise across it."""

_UNEXPECTED = 20.0
"""Least response of a line that need not be there. Measured on eight pool pictures: 57 to 60 for drawn head
strings, at most 12 for folds of the cloth and rows of balls that were taken for one."""

_TOGETHER = 8.0
"""Least response of a faint line and a faint D of its colour together.

At the wrong end of ten tables seen from their end no line had a D, and 6.2 was the most that one reached.
"""

_LINE_SIGMA_MM = 2.0
"""One sigma of the filter across a line: a third of the widest line (2 to 6 mm) gives it a single peak."""

_LEAST_REACH_PX = 14.0
"""Least cloth in a strip on both sides of a mark, so that the mark's response does not count as noise."""

PLAIN = 30.0
"""Response from which on leaning lines are not searched."""

_LEANS_PX = tuple(0.75 * k for k in range(-16, 17))
"""Displacements of the baulk line's ends from a parallel to the cushion that are tried.

The first camera is posed by the noses alone, which lie in another plane. A line that leans by more than its
width vanishes in the median along a parallel.
"""

_ASIDE_MM = (-4.0, 4.0, -8.0, 8.0, -12.0, 12.0, -16.0, 16.0)
"""Displacements of the D's centre that are tried; along a circle about another centre its line vanishes."""

_LINE_SHARE, _ARC_DEG = 0.92, (186.0, 354.5, 1.5)  # half widths of the line's strip; angles of the D's
_COLUMN_PX = 0.5  # step of the strips in which marks are searched, pixels
_MEASURE_STEP_PX, _MEASURE_BEYOND_PX = 0.25, 5.0  # of the strips in which they are measured
_LEAST_COLUMNS, _LEAST_NOISES = 20, 4.0
_SIDE_LOBE = 0.3  # curvature beside a line, relative to its own, above which it is an edge
_AGREE_SHARE, _MOST_RATIO = 0.35, 60.0
_MOST_LINES = 4
_LOOSE_SHARE, _RULED_SHARE, _MARGIN_MM = (
    0.2,
    0.05,
    10.0,
)  # search of marks: share of the nominal distance, plus mm
_SAME_COLOUR = 0.5  # cosine of the colours of line and D
_PEAK_LIMITS = (0.35, 4.0)  # of a station's peak over the typical one
_MOST_SHIFT = 0.6  # columns that a parabola may shift a peak
_CERTAINTY = 0.5  # log-odds of the baulk end a unit of strength


def turned(camera: Camera, table: TableSpec) -> Camera:
    """The same camera with the other end of the table as baulk end."""
    r = camera.matrix_camera_from_table
    t = np.asarray(camera.translation_mm) + r @ np.array([0.0, table.length_mm, 0.0])
    x, y, z = (float(c) for c in t)
    return replace(camera, rotation=rotation_vector(r @ np.diag([-1.0, -1.0, 1.0])), translation_mm=(x, y, z))


@dataclass(frozen=True)
class Line:
    """A line found: offset (mm) from its expected place, colour direction (3,), strength over noise.

    `lean_mm`: offset of its last station from its middle; the first has the opposite one.
    """

    offset_mm: float
    colour: FloatArray
    strength: float
    lean_mm: float = 0.0


@dataclass(frozen=True)
class BaulkMarks:
    """Baulk line and D at the end y = 0 of a camera; `arc` is None where no D was seen.

    `aside_mm`: displacement of the D's centre under a camera that does not fit yet.
    """

    line_mm: float
    radius_mm: float
    line: Line
    arc: Line | None
    aside_mm: float = 0.0

    @property
    def strength(self) -> float:
        """Strength of line and D together."""
        return self.line.strength + (self.arc.strength if self.arc else 0.0)


def _line_base(table: TableSpec, y_mm: float) -> tuple[FloatArray, FloatArray]:
    w = table.half_width_mm
    x = np.arange(-w * _LINE_SHARE, w * _LINE_SHARE, table.width_mm / 120)
    return np.column_stack((x, np.full_like(x, y_mm))), np.tile([0.0, 1.0], (len(x), 1))


def _arc_base(line_mm: float, radius_mm: float, x_mm: float = 0.0) -> tuple[FloatArray, FloatArray]:
    angle = np.radians(np.arange(*_ARC_DEG))
    out = np.column_stack((np.cos(angle), np.sin(angle)))
    return np.array([x_mm, line_mm]) + radius_mm * out, out


def _strip(
    image: ByteArray, camera: Camera, at: tuple[FloatArray, FloatArray], reach_mm: float, step_px: float
) -> tuple[Strip, float]:
    """Strip on the cloth along a mark, and millimetres a pixel across it."""
    base, across = at
    scale = usual_mm_per_px(camera, base, across)
    reach_mm = max(reach_mm, _LEAST_REACH_PX * scale)
    offsets = np.arange(-reach_mm, reach_mm + step_px * scale, step_px * scale)
    return strip_along(image, camera, base, across, offsets, 0.0), scale


def lines_along(strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """Thin lines along a strip, strongest first: peaks of the median second derivative."""
    return _lines_of(
        smoothed_curve(strip.colour, sigma_px / step_px) / step_px**2, strip, step_px, sigma_px, count
    )


def leaning_lines(strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """As `lines_along`, for lines that may lean; the same line may appear with several leans."""
    curve = smoothed_curve(strip.colour, sigma_px / step_px) / step_px**2
    reach = math.ceil(max(_LEANS_PX) / step_px)
    beyond = np.pad(curve, ((0, 0), (reach, reach), (0, 0)), constant_values=np.nan)
    first = np.arange(len(curve))[:, None] * beyond.shape[1] + np.arange(reach, reach + curve.shape[1])
    found: list[Line] = []
    for lean_px in _LEANS_PX:
        shift = np.round(np.linspace(-lean_px, lean_px, len(curve)) / step_px).astype(int)[:, None]
        sheared = beyond.reshape(-1, 3).take(first + shift, axis=0)
        lean_mm = lean_px / step_px * strip.step_mm
        found += [
            replace(line, lean_mm=lean_mm) for line in _lines_of(sheared, strip, step_px, sigma_px, count)
        ]
    return sorted(found, key=lambda item: -item.strength)[:count]


def _lines_of(curve: FloatArray, strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """Lines in the second derivatives (N, M, 3) across a strip, strongest first."""
    seen = np.isfinite(curve[:, :, 0]).mean(axis=0) > 0.5
    if seen.sum() < _LEAST_COLUMNS:
        return []
    middle = np.zeros(curve.shape[1:])
    middle[seen] = median_of_known(curve[:, seen], axis=0)
    size = np.linalg.norm(middle, axis=1)
    noise = max(robust_sigma(size[seen]), 0.02)
    reach = max(2, int(3 * sigma_px / step_px))
    lines = []
    most = np.lib.stride_tricks.sliding_window_view(size, 2 * reach + 1).max(axis=1)
    inner = size[reach : len(size) - reach]
    for k in reach + np.flatnonzero((inner >= most) & (inner >= _LEAST_NOISES * noise)):
        # the curvature changes sign on both sides of a line, and on one side of an edge
        sides = [float(middle[k - j] @ middle[k]) / size[k] ** 2 for j in (-reach, reach)]
        if max(sides) > _SIDE_LOBE:
            continue
        agree = float(np.nanmean(curve[:, k] @ middle[k] > _AGREE_SHARE * size[k] ** 2))
        lines.append(
            Line(float(strip.offset_mm[k]), middle[k] / size[k], min(size[k] / noise, _MOST_RATIO) * agree)
        )
    return sorted(lines, key=lambda item: -item.strength)[:count]


def find_baulk(
    image: ByteArray, camera: Camera, table: TableSpec, leaning: bool = False, far: bool = False
) -> BaulkMarks | None:
    """Baulk line and D at the end y = 0; None where there is no such line.

    Marks that are not measured yet are searched within a fifth of their nominal places. `leaning`: the line
    may lean against the cushions, as it does under a camera posed by the noses alone. `far`: it may lie as
    far off as marks that are not measured; from the end of a table its noses alone tell little of depth.
    """
    if table.cross_line_mm is None:
        return None
    loose = _RULED_SHARE if table.marks_measured and not far else _LOOSE_SHARE
    y, r = table.cross_line_mm, table.d_radius_mm
    reach = loose * y + _MARGIN_MM
    strip, scale = _strip(image, camera, _line_base(table, y), reach, _COLUMN_PX)
    sigma = line_width_sigma(scale)
    lines = lines_along(strip, _COLUMN_PX, sigma, _MOST_LINES)
    if leaning:
        lines += leaning_lines(strip, _COLUMN_PX, sigma, _MOST_LINES)
        lines = sorted(lines, key=lambda line: -line.strength)[:_MOST_LINES]

    def with_arc(line: Line) -> BaulkMarks:
        line_mm = y + line.offset_mm
        if r is None:
            return BaulkMarks(line_mm, 0.0, line, None)
        arc = _arc_about(image, camera, (0.0, line_mm, r), line, loose * r + _MARGIN_MM, sigma)
        return BaulkMarks(line_mm, r + (arc.offset_mm if arc else 0.0), line, arc)

    found = (with_arc(line) for line in lines if abs(line.offset_mm) <= reach)
    best = max(found, key=lambda marks: marks.strength, default=None)
    if best is None or not stands_out(best, table.line_is_drawn):
        return None
    if best.arc is not None or r is None:
        return best
    return _with_arc_aside(image, camera, best, r, loose * r + _MARGIN_MM, sigma)


def _with_arc_aside(
    image: ByteArray, camera: Camera, marks: BaulkMarks, radius_mm: float, reach_mm: float, sigma: float
) -> BaulkMarks:
    """A line with the clearest D whose centre lies beside the middle of the line, if there is one."""
    best = marks
    for x in _ASIDE_MM:
        arc = _arc_about(image, camera, (x, marks.line_mm, radius_mm), marks.line, reach_mm, sigma)
        if arc is not None and arc.strength > max(_ENOUGH, best.arc.strength if best.arc else 0.0):
            best = replace(marks, arc=arc, radius_mm=radius_mm + arc.offset_mm, aside_mm=x)
    return best


def stands_out(marks: BaulkMarks, drawn: bool) -> bool:
    """Whether a line is none of the cloth's grain: clear by itself, or with a D where it belongs."""
    if marks.arc is not None and drawn and marks.strength > _TOGETHER:
        return True
    return bool(marks.line.strength > (_ENOUGH if drawn else _UNEXPECTED))


def line_px(camera: Camera, marks: BaulkMarks, table: TableSpec) -> FloatArray:
    """Pixels (N, 2) of the baulk line where it was found, its lean included."""
    base, across = _line_base(table, marks.line_mm)
    at = base + np.linspace(-marks.line.lean_mm, marks.line.lean_mm, len(base))[:, None] * across
    return camera.pixels_from_table(np.column_stack((at, np.zeros(len(at)))))


def _arc_about(
    image: ByteArray,
    camera: Camera,
    circle_mm: tuple[float, float, float],
    line: Line,
    reach_mm: float,
    sigma_px: float,
) -> Line | None:
    """The clearest line of the baulk line's colour along a D with centre (x, y) and radius, mm."""
    x, y, radius = circle_mm
    strip, _ = _strip(image, camera, _arc_base(y, radius, x), reach_mm, _COLUMN_PX)
    near = (a for a in lines_along(strip, _COLUMN_PX, sigma_px, _MOST_LINES) if abs(a.offset_mm) <= reach_mm)
    return next((a for a in near if float(a.colour @ line.colour) > _SAME_COLOUR), None)


def measure_baulk(
    image: ByteArray, camera: Camera, marks: BaulkMarks, table: TableSpec, window_px: float
) -> Points:
    """Sub-pixel points on the baulk line and the D of a camera that already fits to about a pixel."""
    parts = [
        _measured(
            image,
            camera,
            _line_base(table, marks.line_mm),
            marks.line,
            BAULK,
            window_px,
            table.marks_measured,
        )
    ]
    if marks.arc is not None:
        at = _arc_base(marks.line_mm, marks.radius_mm, marks.aside_mm)
        parts.append(_measured(image, camera, at, marks.arc, ARC, window_px, table.marks_measured))
    return Points.join(parts)


def line_width_sigma(mm_per_px: float) -> float:
    """One sigma (px) of the filter across a line; a finer one would find the two edges of a wide line."""
    return max(1.0, _LINE_SIGMA_MM / mm_per_px)


def _measured(
    image: ByteArray,
    camera: Camera,
    at: tuple[FloatArray, FloatArray],
    line: Line,
    mark: int,
    window_px: float,
    ruled: bool,
) -> Points:
    step_px = _MEASURE_STEP_PX
    scale = usual_mm_per_px(camera, *at)
    sigma = line_width_sigma(scale)
    strip, _ = _strip(image, camera, at, (window_px + _MEASURE_BEYOND_PX) * scale, step_px)
    response = smoothed_curve(strip.colour, sigma / step_px) @ line.colour / step_px**2
    rows, offset = peaks(response, strip, int(window_px / step_px))
    sigma_px = (_SIGMA_PX if ruled else _LOOSE_SIGMA_PX) * _unsteady(rows, offset / scale)
    return Points.of(strip.pixels(camera, rows, offset), mark, sigma_px)


def _unsteady(rows: npt.NDArray[np.int_], offset_px: FloatArray) -> float:
    """Scatter of the points about a smooth run, over that on a clear mark (1 to 10)."""
    if len(rows) < 8:
        return 1.0
    run = np.polynomial.Polynomial.fit(rows, offset_px, 3)(rows)
    # by the tails: on a hardly visible line some points lie on the cloth's grain
    return float(np.clip(np.quantile(np.abs(offset_px - run), 0.9) / (1.645 * _STEADY_PX), 1.0, 10.0))


def peaks(response: FloatArray, strip: Strip, reach: int) -> tuple[npt.NDArray[np.int_], FloatArray]:
    """Rows (K,) and offsets (K,) mm of the stations' response peaks within `reach` columns of the middle.

    Weak peaks and those at the window's border are left out.
    """
    middle = response.shape[1] // 2
    part = np.nan_to_num(response[:, middle - reach : middle + reach + 1], nan=-1e9)
    k = np.argmax(part, axis=1)
    rows = np.arange(len(part))
    peak = part[rows, k]
    good = (k > 0) & (k < part.shape[1] - 1) & (peak > 0)
    typical = float(np.median(peak[good])) if good.any() else 0.0
    good &= (peak > _PEAK_LIMITS[0] * typical) & (peak < _PEAK_LIMITS[1] * typical)
    rows, k = rows[good], k[good]
    shift = peak_shift(part[rows, k - 1], part[rows, k], part[rows, k + 1], _MOST_SHIFT)
    at = strip.offset_mm[middle - reach + k] + shift * strip.step_mm
    return rows, at


def certainty(own: float, other: float) -> float:
    """Probability that the end with the stronger marks is the baulk end."""
    return 1.0 / (1.0 + math.exp(-_CERTAINTY * (own - other)))
