"""A carrom board in a picture: its base lines, and where its surface meets the frame.

The base lines of the four sides determine the camera: eight straight lines in one plane, at the board's own
distances from the frame. Pieces on them vanish in the median along a line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from calibration.camera import Camera, rotation_vector
from calibration.find.marks import Line, leaning_lines, lines_along, peaks
from calibration.find.strips import (
    ByteArray,
    FloatArray,
    Strip,
    beyond_noses_mm,
    median_of_known,
    side_line,
    smoothed_curve,
    smoothed_slope,
    strip_along,
    usual_mm_per_px,
)
from calibration.solve.model import Points
from calibration.solve.unknowns import BASES, BOTTOM, INNER_BASES, SIDES, TOP
from calibration.table.board import board_of
from calibration.table.specs import TableSpec

Direction = tuple[float, float]
"""A direction in the picture: x to the right, y down."""

_LINE_SHARE = 0.8  # of the straight part of a base line, clear of its circles
_STATIONS = 60
_COLUMN_PX, _FINE_PX = 0.5, 0.25  # steps across a line where it is sought and where it is measured
_SEARCH_MM = (45.0, 175.0)  # inset from the frame in which base lines are sought under a first camera
_PAIR_SIGMA_MM = 3.0  # one sigma of the distance of two lines under a first camera
_INSET_SIGMA_MM = 15.0  # and of their distance from the frame
_LINE_SIGMA_MM = 2.0  # of the filter across a line: base lines are 0.5 to 6 mm wide
_LEAST_LINE = 8.0  # response over noise of a base line
_MOST_LINES = 10
_EDGE_MM = 14.0  # on both sides of the frame's foot in which it is sought
_EDGE_SHARE = 0.5  # of the strongest edge there, from which the innermost one is the surface's end
_LINE_SIGMA_PX, _EDGE_SIGMA_PX = 0.3, 0.8
"""One sigma of a point on a line, and on the surface's end, where the frame's shadow lies."""
_BLUR_PX = 1.0
_FACE_HIDDEN = 0.0  # slope of the view from beyond a side at which the frame's top hides its face
_MARGIN_SHARE = 1.3  # of the pocket's diameter by which stations on the frame keep clear of pockets


@dataclass(frozen=True)
class BaseLines:
    """The two base lines of a side: insets from the frame (mm) and the lines as found."""

    side: int
    outer_mm: float
    inner_mm: float
    outer: Line
    inner: Line

    @property
    def strength(self) -> float:
        """Response of both over the noise."""
        return self.outer.strength + self.inner.strength


def base_stations(
    table: TableSpec, side: int, inset_mm: float, half_mm: float
) -> tuple[FloatArray, FloatArray]:
    """Stations (N, 2) mm on a line `inset_mm` inside a side, `half_mm` to both sides of its middle, and
    inward unit normals (N, 2).
    """
    middle = 0.0 if side in (BOTTOM, TOP) else table.length_mm / 2
    return side_line(table, side, middle + np.linspace(-half_mm, half_mm, _STATIONS), inset_mm)


def _half_line_mm(table: TableSpec) -> float:
    board = board_of(table)
    return _LINE_SHARE * (board.base_line_mm / 2 - board.base_gap_mm)


def find_base_lines(image: ByteArray, camera: Camera, table: TableSpec) -> list[BaseLines]:
    """The base lines of every side on which two stand out at about the board's distances."""
    found = (_lines_of_side(image, camera, table, side) for side in SIDES)
    return [f for f in found if f is not None]


def _lines_of_side(image: ByteArray, camera: Camera, table: TableSpec, side: int) -> BaseLines | None:
    low, high = _SEARCH_MM
    strip, scale = _strip(
        image, camera, base_stations(table, side, 0.0, _half_line_mm(table)), low, high, _COLUMN_PX
    )
    sigma = max(1.0, _LINE_SIGMA_MM / scale)
    straight = _best_pair(side, lines_along(strip, _COLUMN_PX, sigma, _MOST_LINES), table)
    if straight is not None:
        return straight
    return _best_pair(side, leaning_lines(strip, _COLUMN_PX, sigma, _MOST_LINES), table)


def _best_pair(side: int, lines: list[Line], table: TableSpec) -> BaseLines | None:
    """The two lines that are likeliest to be a side's base lines."""
    board = board_of(table)
    lines = [line for line in lines if line.strength > _LEAST_LINE]
    best: tuple[float, BaseLines] | None = None
    for outer in lines:
        for inner in lines:
            gap = inner.offset_mm - outer.offset_mm
            pair_off = (gap - board.base_gap_mm) / _PAIR_SIGMA_MM
            inset_off = (outer.offset_mm - board.base_offset_mm) / _INSET_SIGMA_MM
            lean_off = (outer.lean_mm - inner.lean_mm) / _PAIR_SIGMA_MM
            if max(abs(pair_off), abs(inset_off), abs(lean_off)) > 3.0:
                continue
            score = outer.strength + inner.strength - 3.0 * (pair_off**2 + inset_off**2 + lean_off**2)
            if best is None or score > best[0]:
                best = score, BaseLines(side, outer.offset_mm, inner.offset_mm, outer, inner)
    return None if best is None else best[1]


def _strip(
    image: ByteArray,
    camera: Camera,
    at: tuple[FloatArray, FloatArray],
    low_mm: float,
    high_mm: float,
    step_px: float,
    z_mm: float = 0.0,
) -> tuple[Strip, float]:
    """Strip from `low_mm` to `high_mm` inside stations, and millimetres a pixel across it."""
    base, inward = at
    middle = base + inward * (low_mm + high_mm) / 2
    scale = usual_mm_per_px(camera, middle, inward)
    offsets = np.arange(low_mm, high_mm, step_px * scale)
    return strip_along(image, camera, base, inward, offsets, z_mm), scale


def rough_line_points(camera: Camera, table: TableSpec, lines: list[BaseLines]) -> Points:
    """Points on base lines where they were found, their lean included."""
    parts = []
    for found in lines:
        pairs = ((found.outer_mm, found.outer, BASES), (found.inner_mm, found.inner, INNER_BASES))
        for inset, line, marks in pairs:
            base, inward = base_stations(table, found.side, inset, _half_line_mm(table))
            at = base + np.linspace(-line.lean_mm, line.lean_mm, len(base))[:, None] * inward
            px = camera.pixels_from_table(np.column_stack((at, np.zeros(len(at)))))
            parts.append(Points.of(px, marks[found.side], 1.0))
    return Points.join(parts)


def measured_lines(
    image: ByteArray,
    camera: Camera,
    table: TableSpec,
    insets_mm: tuple[float, float],
    lines: list[BaseLines],
    window_px: float,
) -> Points:
    """Sub-pixel points on the base lines of a camera that fits to about a pixel.

    `insets_mm`: of outer and inner line from the frame.
    """
    parts = []
    for found in lines:
        for inset, line, marks in zip(
            insets_mm, (found.outer, found.inner), (BASES, INNER_BASES), strict=True
        ):
            at = base_stations(table, found.side, inset, _half_line_mm(table))
            px = _line_px(image, camera, at, line.colour, window_px)
            parts.append(Points.of(px, marks[found.side], _LINE_SIGMA_PX))
    return Points.join(parts)


def _line_px(
    image: ByteArray, camera: Camera, at: tuple[FloatArray, FloatArray], colour: FloatArray, window_px: float
) -> FloatArray:
    base, inward = at
    scale = usual_mm_per_px(camera, base, inward)
    reach = (window_px + 6.0) * scale
    strip, _ = _strip(image, camera, at, -reach, reach + _FINE_PX * scale, _FINE_PX)
    response = smoothed_curve(strip.colour, max(1.0, _LINE_SIGMA_MM / scale) / _FINE_PX) @ colour
    rows, offset = peaks(response, strip, int(window_px / _FINE_PX))
    return strip.pixels(camera, rows, offset)


def surface_ends(image: ByteArray, camera: Camera, table: TableSpec, window_px: float) -> Points:
    """Points where the visible surface ends at each side of the frame.

    That is the foot of the frame's face where the camera sees the face, and else the frame's inner top edge,
    which hides it.
    """
    half = table.half_width_mm - _MARGIN_SHARE * table.corner_mouth_mm
    parts = []
    for side in SIDES:
        raised = _face_is_hidden(camera, table, side)
        at = base_stations(table, side, 0.0, half)
        z = table.nose_height_mm if raised else 0.0
        strip, scale = _strip(image, camera, at, -_EDGE_MM, _EDGE_MM, _FINE_PX, z)
        slope = smoothed_slope(strip.colour, _BLUR_PX / _FINE_PX)
        profile = np.nan_to_num(median_of_known(slope, axis=0))
        column = _innermost_edge(np.linalg.norm(profile, axis=1))
        if column is None:
            continue
        direction = profile[column] / max(float(np.linalg.norm(profile[column])), 1e-9)
        offset = float(strip.offset_mm[column])
        reach = (window_px + 4.0) * scale
        fine, _ = _strip(image, camera, at, offset - reach, offset + reach + _FINE_PX * scale, _FINE_PX, z)
        response = smoothed_slope(fine.colour, _BLUR_PX / _FINE_PX) @ direction
        rows, where = peaks(response, fine, int(window_px / _FINE_PX))
        points = Points.of(fine.pixels(camera, rows, where), side, _EDGE_SIGMA_PX)
        parts.append(replace(points, on_nose=np.full(len(rows), raised)))
    return Points.join(parts) if parts else _no_points()


def _no_points() -> Points:
    return Points.of(np.empty((0, 2)), BOTTOM, 1.0)


def _innermost_edge(size: FloatArray) -> int | None:
    """The last column whose slope is a peak of at least half the strongest one's size."""
    limit = _EDGE_SHARE * float(size.max(initial=0.0))
    peaks_at = [
        k for k in range(2, len(size) - 2) if size[k] >= limit > 0 and size[k] == size[k - 2 : k + 3].max()
    ]
    return peaks_at[-1] if peaks_at else None


def _face_is_hidden(camera: Camera, table: TableSpec, side: int) -> bool:
    """Whether the camera is beyond a side, so that the frame's top hides its inner face."""
    height = max(camera.centre_mm[2] - table.nose_height_mm, 1.0)
    return beyond_noses_mm(camera, table)[side] / height > _FACE_HIDDEN


def quarter_turned(camera: Camera, table: TableSpec, quarters: int) -> Camera:
    """The same view with the board's frame turned by so many quarters: another side becomes the bottom."""
    angle = quarters * np.pi / 2
    c, s = round(float(np.cos(angle))), round(float(np.sin(angle)))
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    middle = np.array([0.0, table.length_mm / 2, 0.0])
    r = camera.matrix_camera_from_table
    t = np.asarray(camera.translation_mm) + r @ (middle - turn @ middle)
    x, y, z = (float(v) for v in t)
    return replace(camera, rotation=rotation_vector(r @ turn), translation_mm=(x, y, z))


def with_bottom_at(camera: Camera, table: TableSpec, towards: Direction) -> Camera:
    """The camera whose bottom side lies furthest in the direction `towards` of the picture."""

    def reach(quarters: int) -> float:
        turned = quarter_turned(camera, table, quarters)
        near, middle = turned.pixels_from_table([(0.0, 0.0, 0.0), (0.0, table.length_mm / 2, 0.0)])
        return float((near - middle) @ np.asarray(towards) / max(float(np.hypot(*(near - middle))), 1e-9))

    return quarter_turned(camera, table, max(range(4), key=reach))
