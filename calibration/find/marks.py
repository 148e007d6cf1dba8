"""The marks on the cloth: baulk line and D, found at either end, measured to sub-pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, rotation_vector
from calibration.find.strips import ByteArray, FloatArray, Strip, mm_per_px, smoothed_curve, strip_along
from calibration.solve.model import Points
from calibration.solve.unknowns import ARC, BAULK
from calibration.table.specs import TableSpec

_SIGMA_PX, _LOOSE_SIGMA_PX = 0.25, 0.5
"""One sigma of a point on a mark, correlation along the mark included: a thin line has no shadow side, and
was within 0.05 mm of the truth as a whole at 38 random cameras, where noses were within 0.3 mm. Loose:
marks of tables that follow no rule, whose lines need not be straight.
"""

_STEADY_PX = 0.1
"""Scatter of points along a clear mark: 0.02 to 0.12 px on 37 of 40 pictures, 0.2 on worn lines; 0.4 on one
that hardly shows.
"""

_ENOUGH = 7.0
"""A line's response over the noise across it; below, it is not taken for a line."""

_LINE_SIGMA_MM = 2.0
"""One sigma of the filter across a line: lines are 2 to 6 mm wide, and have one middle from a third of that
on.
"""

_LEAST_REACH_PX = 14.0
"""A strip about a mark shows at least this much cloth to either side: the mark's own response must not pass
for noise.
"""

PLAIN = 30.0
"""A line's response from which on it is not sought leaning."""

_LEANS_PX = tuple(0.75 * k for k in range(-16, 17))
"""How far a first camera may put the ends of the baulk line off a parallel to the cushion: it was posed by
the noses alone, which lie in another plane. A line that leans by more than its own width is smeared away
along a parallel.
"""

_ASIDE_MM = (-4.0, 4.0, -8.0, 8.0, -12.0, 12.0, -16.0, 16.0)
"""How far aside a first camera may put the D: along a circle about another centre its line is smeared away.
"""


def turned(camera: Camera, table: TableSpec) -> Camera:
    """The same camera when the other end of the table is called baulk."""
    r = camera.matrix_camera_from_table
    t = np.asarray(camera.translation_mm) + r @ np.array([0.0, table.length_mm, 0.0])
    x, y, z = (float(c) for c in t)
    return replace(camera, rotation=rotation_vector(r @ np.diag([-1.0, -1.0, 1.0])), translation_mm=(x, y, z))


@dataclass(frozen=True)
class Line:
    """A mark found: its offset from where it was expected, colour direction, strength over noise.

    `lean_mm`: how much farther off its last station is than its middle, the first as much nearer.
    """

    offset_mm: float
    colour: FloatArray
    strength: float
    lean_mm: float = 0.0


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
    reach_mm = max(reach_mm, _LEAST_REACH_PX * scale)
    offsets = np.arange(-reach_mm, reach_mm + step_px * scale, step_px * scale)
    return strip_along(image, camera, base, across, offsets, 0.0), scale


def _best_lines(strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """Thin lines along a strip: peaks of the median second derivative, strongest first."""
    return _lines_of(
        smoothed_curve(strip.colour, sigma_px / step_px) / step_px**2, strip, step_px, sigma_px, count
    )


def _leaning_lines(strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """As `_best_lines`, of lines that may lean against the strip; one line comes at several leans."""
    curve = smoothed_curve(strip.colour, sigma_px / step_px) / step_px**2
    stations, columns = np.arange(len(curve))[:, None], np.arange(curve.shape[1])
    found: list[Line] = []
    for lean_px in _LEANS_PX:
        at = columns + np.round(np.linspace(-lean_px, lean_px, len(curve)) / step_px).astype(int)[:, None]
        inside = (at >= 0) & (at < curve.shape[1])
        sheared = np.where(inside[:, :, None], curve[stations, np.clip(at, 0, curve.shape[1] - 1)], np.nan)
        lean_mm = lean_px / step_px * strip.step_mm
        found += [
            replace(line, lean_mm=lean_mm) for line in _lines_of(sheared, strip, step_px, sigma_px, count)
        ]
    return sorted(found, key=lambda item: -item.strength)[:count]


def _lines_of(curve: FloatArray, strip: Strip, step_px: float, sigma_px: float, count: int) -> list[Line]:
    """Lines in the second derivatives (N, M, 3) across a strip."""
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


def find_baulk(
    image: ByteArray, camera: Camera, table: TableSpec, leaning: bool = False
) -> BaulkMarks | None:
    """Baulk line and D at the end y = 0; None where there is no such line.

    Where the table's marks were not measured, they are searched within a fifth of their nominal places.
    `leaning`: the line may lean against the cushions, as a camera posed by the noses alone may put it.
    """
    if table.baulk_line_mm is None or table.d_radius_mm is None:
        return None
    loose = 0.2 if not table.marks_measured else 0.05
    y, r = table.baulk_line_mm, table.d_radius_mm
    reach = loose * y + 10.0
    strip, scale = _strip(image, camera, _line_base(table, y), reach, 0.5)
    sigma = max(1.0, _LINE_SIGMA_MM / scale)
    best: BaulkMarks | None = None
    lines = _best_lines(strip, 0.5, sigma, 4)
    if leaning:
        lines = sorted(lines + _leaning_lines(strip, 0.5, sigma, 4), key=lambda line: -line.strength)[:4]
    for line in (line for line in lines if abs(line.offset_mm) <= reach):
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


def line_px(camera: Camera, marks: BaulkMarks, table: TableSpec) -> FloatArray:
    """(N, 2) px of the baulk line where it was found, leaning as it does."""
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
    """The clearest line of the baulk line's colour along a D about (x, y) with a radius (mm)."""
    x, y, radius = circle_mm
    strip, _ = _strip(image, camera, _arc_base(y, radius, x), reach_mm, 0.5)
    near = (a for a in _best_lines(strip, 0.5, sigma_px, 4) if abs(a.offset_mm) <= reach_mm)
    return next((a for a in near if float(a.colour @ line.colour) > 0.5), None)


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


def _measured(
    image: ByteArray,
    camera: Camera,
    at: tuple[FloatArray, FloatArray],
    line: Line,
    mark: int,
    window_px: float,
    ruled: bool,
) -> Points:
    step_px = 0.25
    scale = float(np.nanmedian(mm_per_px(camera, np.column_stack((at[0], np.zeros(len(at[0])))), at[1])))
    # where a line is several pixels wide a finer filter finds its two edges
    sigma = max(1.0, _LINE_SIGMA_MM / scale)
    strip, _ = _strip(image, camera, at, (window_px + 5.0) * scale, step_px)
    response = smoothed_curve(strip.colour, sigma / step_px) @ line.colour / step_px**2
    rows, offset = peaks(response, strip, int(window_px / step_px))
    sigma_px = (_SIGMA_PX if ruled else _LOOSE_SIGMA_PX) * _unsteady(rows, offset / scale)
    return Points.of(strip.pixels(camera, rows, offset), mark, sigma_px)


def _unsteady(rows: npt.NDArray[np.int_], offset_px: FloatArray) -> float:
    """How much more than on a clear mark (1) the points scatter about a smooth run: grain in a line's
    place.
    """
    if len(rows) < 8:
        return 1.0
    run = np.polynomial.Polynomial.fit(rows, offset_px, 3)(rows)
    # by its tails: of a line that hardly shows some points lie on it and some on the cloth's grain
    return float(np.clip(np.quantile(np.abs(offset_px - run), 0.9) / (1.645 * _STEADY_PX), 1.0, 10.0))


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
