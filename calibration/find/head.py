"""Which end of a pool table is the head: by a rack on the foot spot, or by a single spot on the cloth.

A drawn head string or baulk line tells it better (`calibration/find/marks.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.find.bed import Bed, bed_of
from calibration.find.strips import ByteArray, FloatArray, sample
from calibration.table.specs import TableSpec

_RACK_BALLS = (6.5, 24.0)
"""Areas of balls that a rack covers as one piece: nine to fifteen touching balls with their gaps."""
_RACK_DIAMETERS = (-2.6, 5.2, 3.2)
"""Where a rack lies about the foot spot, in diameters: along the table from, to; to both sides. In black ball
the apex lies two rows nearer to baulk than the spot."""
_RACK_ODDS, _SPOT_ODDS = 6.0, 1.5
"""Log-odds of the foot end by a rack, and by the only spot on the cloth. Assumed: hardly any other pack of
nine balls lies centred there; about one table in five shows another single mark."""

_SPOT_MM, _RING_MM, _PATCH_MM = (
    5.0,
    (11.0, 20.0),
    22.0,
)  # radii: of a spot, of the cloth about it, of its patch
_ASIDE_MM = (-8.0, -4.0, 0.0, 4.0, 8.0)  # displacements from its place that are tried
_SPOT_CONTRAST, _SPOT_NOISES = 10.0, 5.0  # grey levels, and noise of the ring, from which a spot is seen


@dataclass(frozen=True)
class HeadEvidence:
    """Log-odds that the end y = 0 is the head end, and why, in plain sentences."""

    log_odds: float
    reasons: tuple[str, ...]


def head_evidence(images: Sequence[ByteArray], camera: Camera, table: TableSpec) -> HeadEvidence:
    """What racks and spots in pictures (H, W, 3) of one view say about the head end; 0 for nothing.

    The first picture is the steadiest one (a median): spots are sought in it, racks in all.
    """
    if table.foot_spot is None or not images:
        return HeadEvidence(0.0, ())
    foot = table.foot_spot[1]
    beds = [bed for bed in (bed_of(image, camera, table) for image in images) if bed is not None]
    odds, reasons = 0.0, []
    rack = _at_one_end(any(_has_rack(bed, table, turned) for bed in beds) for turned in (False, True))
    if rack:
        odds += rack * _RACK_ODDS
        reasons.append("the rack on the foot spot tells the head end")
    ends = (foot, table.length_mm - foot)
    spot = _at_one_end(_has_spot(images[0], camera, table, y) for y in ends)
    if spot and not (beds and any(_covered(beds[0], table, y) for y in ends)):
        odds += spot * _SPOT_ODDS
        reasons.append("the only spot on the cloth is taken for the foot spot, which tells the head end")
    return HeadEvidence(odds, tuple(reasons))


def _at_one_end(seen: Iterable[bool]) -> int:
    """1 or -1 for something that is seen at the first of two ends only, or at the second only; else 0."""
    first, second = seen
    return first - second


def _has_rack(bed: Bed, table: TableSpec, turned: bool) -> bool:
    """Whether one piece of the size of a rack lies about the foot spot; `turned`: with the foot at y = 0."""
    assert table.foot_spot is not None
    d = table.ball_diameter_mm
    count, _, stats, _ = cv2.connectedComponentsWithStats(bed.mask.astype(np.uint8))
    start, stop, aside = (v * d for v in _RACK_DIAMETERS)
    for left, top, width, height, area in stats[1:count].tolist():
        balls = area * bed.step_mm**2 / (np.pi / 4 * d * d)
        x0, y0 = bed.xy_mm(left, top)
        x1, y1 = bed.xy_mm(left + width - 1, top + height - 1)
        if turned:
            y0, y1 = table.length_mm - y1, table.length_mm - y0
        foot = table.foot_spot[1]
        within = foot + start < y0 and y1 < foot + stop and max(-x0, x1) < aside
        if within and _RACK_BALLS[0] < balls < _RACK_BALLS[1] and y0 < foot + d:
            return True
    return False


def _covered(bed: Bed, table: TableSpec, y_mm: float) -> bool:
    """Whether something lies on or beside the place (0, y) mm."""
    reach = max(1, round(0.6 * table.ball_diameter_mm / bed.step_mm))
    row, column = round((y_mm - bed.y0_mm) / bed.step_mm), round(-bed.x0_mm / bed.step_mm)
    near = bed.mask[max(0, row - reach) : row + reach + 1, max(0, column - reach) : column + reach + 1]
    return bool(near.mean() > 0.3) if near.size else True


def _has_spot(image: ByteArray, camera: Camera, table: TableSpec, y_mm: float) -> bool:
    """Whether a small round mark stands out from the cloth at about (0, y) mm."""
    offsets = np.arange(-_PATCH_MM, _PATCH_MM + 1.0, 2.0)
    dy, dx = np.meshgrid(offsets, offsets, indexing="ij")
    radius = np.hypot(dx, dy).ravel()
    centre, ring = radius < _SPOT_MM, (radius > _RING_MM[0]) & (radius < _RING_MM[1])
    return any(
        _stands_out(_patch(image, camera, dx + x, y_mm + y + dy), centre, ring)
        for x in _ASIDE_MM
        for y in _ASIDE_MM
    )


def _patch(image: ByteArray, camera: Camera, x_mm: FloatArray, y_mm: FloatArray) -> FloatArray:
    at = np.column_stack((x_mm.ravel(), y_mm.ravel(), np.zeros(x_mm.size)))
    return sample(image, camera.pixels_from_table(at))


def _stands_out(colour: FloatArray, centre: FloatArray, ring: FloatArray) -> bool:
    """Whether the centre's colour differs from the ring's, which is even."""
    about = colour[ring]
    if not np.isfinite(colour).all():
        return False
    typical = np.median(about, axis=0)
    noise = max(1.0, float(np.quantile(np.linalg.norm(about - typical, axis=1), 0.9)))
    contrast = float(np.linalg.norm(np.mean(colour[centre], axis=0) - typical))
    return contrast > max(_SPOT_CONTRAST, _SPOT_NOISES * noise)
