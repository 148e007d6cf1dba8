"""Where the cushions end at the pockets: landmarks of a table whose noses are hardly seen.

Behind its nose a cushion's top has the cloth's colour; in a pocket's mouth lies leather, brass, rail or
darkness. Seen to a few millimetres at best, these ends decide nothing where noses are clear. They tell a
nose from another edge where it is not.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.edges import unlike_cloth
from calibration.find.strips import ByteArray, FloatArray, mm_per_px, side_line, strip_along
from calibration.solve.model import Points
from calibration.solve.unknowns import END_NAMES, ENDS, LEFT, RIGHT, SIDES
from calibration.table.pockets import BEHIND_NOSE_MM, cushion_ends_mm, cushion_share
from calibration.table.specs import TableSpec

_BESIDE_MM = (-8.0, -4.0, 0.0, 4.0, 8.0)  # rows of the strip about the line behind the nose
_STEP_MM = 4.0
_PART_MM = 40.0  # of mouth and of cushion on the two sides of an end
_REACH_MM = 160.0  # from where the camera has it, within which an end is sought
_CLEAR_MM = 60.0  # cushion that is kept away from where its ends are expected
_BLOCK_MM = 300.0  # of cushion whose median is the cloth's colour there
_MOST_UNLIKE, _LEAST_STEP = 1.5, 0.4
"""Difference from the cloth at which it is clipped, and the least step of it at a cushion's end."""
_SIGMA_MM = 6.0
"""One sigma of one end about the mean of all ends: 4 to 6 mm in path-traced rooms."""

_BIAS_SIGMA_MM = 25.0
"""One sigma of the offset from the jaws' arcs that all ends at the corners share, and of that of all ends in
the middle: makers' jaws differ, and a jaw's face may have the cloth's colour or be dark. -16 to 15 mm in
path-traced rooms, 43 in the middle in the training's renderer."""


def end_priors(table: TableSpec) -> dict[str, tuple[float, float]]:
    """Priors (mean, sigma) of where the cushions seem to end; none for a carrom board."""
    if table.is_board:
        return {}
    ends = zip(END_NAMES, cushion_ends_mm(table), strict=True)
    return {name: (mm, _BIAS_SIGMA_MM) for name, mm in ends}


def end_points(image: ByteArray, camera: Camera, table: TableSpec) -> Points:
    """The ends of the cushions that are seen within reach of where the camera has them, with their marks."""
    parts = [_side_ends(image, camera, table, side) for side in SIDES]
    return Points.join([p for ends in parts for p in ends] or [Points.of(np.zeros((0, 2)), ENDS[0], 1.0)])


def _side_ends(image: ByteArray, camera: Camera, table: TableSpec, side: int) -> list[Points]:
    long = side in (LEFT, RIGHT)
    length, origin = (table.length_mm, 0.0) if long else (table.width_mm, -table.half_width_mm)
    along = np.arange(-_REACH_MM - _CLEAR_MM, length + _REACH_MM + _CLEAR_MM, _STEP_MM)
    base, inward = side_line(table, side, along + origin)
    share = cushion_share(table)
    offsets = -share * (BEHIND_NOSE_MM + np.array(_BESIDE_MM))[::-1]
    colour = strip_along(image, camera, base, inward, offsets, table.nose_height_mm).colour.mean(axis=1)
    ends = _expected(table, long)
    cushion = np.isfinite(colour).all(axis=1) & (along > 0) & (along < length)
    for _, at, opens in ends:
        beside = (along - at) * opens
        cushion &= (beside < -_CLEAR_MM) | (beside > 2 * _CLEAR_MM)
    cloth = _cloth_along(colour, along, cushion)
    if cloth is None:
        return []
    unlike = np.minimum(unlike_cloth(np.nan_to_num(colour), cloth), _MOST_UNLIKE)
    unlike[~np.isfinite(colour).all(axis=1)] = np.nan
    behind = -share * BEHIND_NOSE_MM
    out = []
    for mark, at, opens in ends:
        found = _step(along, unlike, at, opens)
        if found is None:
            continue
        place, normal = side_line(table, side, np.array([found + origin]))
        point = np.column_stack((place + behind * normal, [table.nose_height_mm]))
        way = np.array([[0.0, 1.0]]) if long else np.array([[1.0, 0.0]])
        scale = float(mm_per_px(camera, point, way)[0])
        out.append(Points.of(camera.pixels_from_table(point), mark, max(_SIGMA_MM / scale, 1.0)))
    return out


_OPENS = dict(zip(ENDS, (-1, 1, 1, -1, -1, 1), strict=True))
"""In which direction along its side each end's mouth lies."""


def seen_at_their_feet(points: Points, camera: Camera, table: TableSpec) -> Points:
    """The points, of which ends whose jaws face the camera are what is seen of their jaws' feet.

    A jaw's face is dark, or has the cloth's colour: then the cushion seems to end at the face's foot, which
    from the mouth's side is seen beyond its top edge. One table's jaws look alike.
    """
    px = points.px.copy()
    x, y, height = camera.centre_mm
    for k in np.flatnonzero(points.on_end):
        mark = int(points.mark[k])
        along, (axis, eye) = np.zeros(3), (1, y) if mark in ENDS[:4] else (0, x)
        at = np.append(camera.table_from_pixels(px[k : k + 1], table.nose_height_mm)[0], table.nose_height_mm)
        slope = _OPENS[mark] * (eye - at[axis]) / max(height - table.nose_height_mm, 1.0)
        if slope > 0:
            along[axis] = _OPENS[mark] * table.nose_height_mm * slope
            px[k] = camera.pixels_from_table([at - along])[0]
    return replace(points, px=px)


def _expected(table: TableSpec, long: bool) -> list[tuple[int, float, int]]:
    """Each end of a side: its mark, where along the side it is, and the direction in which its mouth lies."""
    corner, middle = cushion_ends_mm(table)
    low, high, below, above, left, right = ENDS
    half = table.length_mm / 2
    places = {low: corner, high: table.length_mm - corner, below: half - middle, above: half + middle}
    if not long:
        places = {left: corner, right: table.width_mm - corner}
    return [(mark, at, _OPENS[mark]) for mark, at in places.items()]


def _cloth_along(colour: FloatArray, along: FloatArray, cushion: npt.NDArray[np.bool_]) -> FloatArray | None:
    """The cloth's colour (N, 3) near each station, as lamps are uneven; None where no cushion is seen."""
    at = np.flatnonzero(cushion)
    if len(at) * _STEP_MM < _BLOCK_MM:
        return None
    blocks = np.array_split(at, max(1, round(len(at) * _STEP_MM / _BLOCK_MM)))
    middles = [float(np.mean(along[b])) for b in blocks]
    medians = np.array([np.median(colour[b], axis=0) for b in blocks])
    return np.column_stack([np.interp(along, middles, medians[:, k]) for k in range(3)])


def _step(along: FloatArray, unlike: FloatArray, at_mm: float, opens: int) -> float | None:
    """Where the cloth ends towards `opens`: the largest step from cushion to mouth; None for none."""
    n = round(_PART_MM / _STEP_MM)
    parts = np.lib.stride_tricks.sliding_window_view(unlike, n).mean(axis=1)
    step = opens * (parts[n:] - parts[:-n])
    place = along[n - 1 : -n] + _STEP_MM / 2
    near = np.abs(place - at_mm) <= _REACH_MM
    if not near.any() or np.all(np.isnan(step[near])):
        return None
    best = int(np.nanargmax(np.where(near, step, np.nan)))
    return float(place[best]) if step[best] > _LEAST_STEP else None
