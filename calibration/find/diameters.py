"""The balls' diameter in the picture, the only evidence of a table's absolute size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from calibration.camera import Camera
from calibration.find.bed import Bed, bed_of
from calibration.find.strips import ByteArray, FloatArray, mm_per_px, sample, smoothed_slope
from calibration.robust import robust_sigma
from calibration.table.specs import TableSpec

_AREA, _LONGEST = (0.35, 2.4), 1.5  # of a ball's disc; longer side of a blob over the shorter one
_RAYS = 40
_RADII = np.arange(0.3, 2.0, 0.03)  # of a nominal ball, at which rays are sampled
_LEAST_RADIUS = 0.55  # below it lie number circles and stripes
_SMOOTH_COLUMNS = 1.5
_ROUND = 0.05  # spread of a ball's outline, over its radius, up to which it is one ball
_SHRUNK_PX, _SHRUNK_SIGMA_PX, _SHARE_SIGMA = 0.6, 0.3, 0.012
"""How much smaller than its outline a radius is measured, with one sigma, and one sigma over the radius.

Polish mirrors the cloth at the limb, and chroma is halved. Measured 0.4 to 0.8 px on four clips (18 balls).
The errors are common to all balls of a picture.
"""


@dataclass(frozen=True)
class BallsSeen:
    """The diameter (mm, in the table's scale) that balls have under a camera, one sigma, and how many."""

    diameter_mm: float
    sigma_mm: float
    count: int


_TIMES = (4 / 3, 16 / 9)
"""Sizes of larger balls that are sought, over the table's own; a search finds 0.6 to 1.5 times its size."""
LEAST_LARGER = 3
"""Least number of larger things that show that balls look larger: a single one is a plate or a cap."""
_SURELY_FOUND = 1.3  # times the size looked for; of larger balls few are found


def seen_diameter(looks: Sequence[ByteArray], camera: Camera, table: TableSpec) -> BallsSeen | None:
    """The balls' diameter as it looks in pictures (H, W, 3) of one view; None where no ball is seen.

    On a table that is smaller than assumed, balls look larger than their own size.
    """
    own = _seen_about(looks, camera, table)
    if own is not None and own.diameter_mm < _SURELY_FOUND * table.ball_diameter_mm:
        return own
    for times in _TIMES:
        about = replace(table, ball_diameter_mm=times * table.ball_diameter_mm)
        seen = _seen_about(looks, camera, about)
        if seen is None or seen.count < LEAST_LARGER:
            continue
        if seen.diameter_mm < _SURELY_FOUND * about.ball_diameter_mm:
            return seen
    return own


def _seen_about(looks: Sequence[ByteArray], camera: Camera, table: TableSpec) -> BallsSeen | None:
    radii: list[float] = []
    for image in looks:
        bed = bed_of(image, camera, table)
        if bed is not None:
            radii += [
                r
                for at in _single_balls(bed, table)
                if (r := _radius_mm(image, camera, table, at)) is not None
            ]
    if not radii:
        return None
    centre = np.array([[0.0, table.length_mm / 2, table.ball_radius_mm]])
    px_mm = float(mm_per_px(camera, centre, np.array([[1.0, 0.0]]))[0])
    middle = float(np.median(radii)) + _SHRUNK_PX * px_mm
    spread = robust_sigma(np.array(radii) + _SHRUNK_PX * px_mm - middle)
    common = np.hypot(_SHARE_SIGMA * middle, _SHRUNK_SIGMA_PX * px_mm)
    sigma = float(np.hypot(common, spread / np.sqrt(len(radii))))
    return BallsSeen(2 * middle, 2 * sigma, len(radii))


def _single_balls(bed: Bed, table: TableSpec) -> list[tuple[float, float]]:
    """Centres (mm) of blobs of about a ball's size."""
    count, _, stats, centres = cv2.connectedComponentsWithStats(bed.mask.astype(np.uint8))
    rows, columns = bed.apart.shape
    disc = np.pi / 4 * (table.ball_diameter_mm / bed.step_mm) ** 2
    found = []
    for (left, top, width, height, area), (u, v) in zip(
        stats[1:count].tolist(), centres[1:count].tolist(), strict=True
    ):
        inside = left > 0 and top > 0 and left + width < columns and top + height < rows
        if (
            inside
            and _AREA[0] < area / disc < _AREA[1]
            and max(width, height) < _LONGEST * min(width, height)
        ):
            found.append(bed.xy_mm(u, v))
    return found


def _radius_mm(
    image: ByteArray, camera: Camera, table: TableSpec, at_mm: tuple[float, float]
) -> float | None:
    """Radius of the sphere whose outline lies about a place; None where it is not round."""
    z = table.ball_radius_mm
    angle = np.arange(_RAYS) * (2 * np.pi / _RAYS)
    directions = np.asarray(angle[: _RAYS // 2], dtype=np.float64)
    out = np.column_stack((np.cos(angle), np.sin(angle)))
    reach = _RADII * z
    flat = np.asarray(at_mm) + reach[None, :, None] * out[:, None, :]
    points = np.concatenate((flat, np.full((*flat.shape[:2], 1), z)), axis=2).reshape(-1, 3)
    colour = sample(image, camera.pixels_from_table(points)).reshape(_RAYS, len(reach), 3)
    slope = np.linalg.norm(np.nan_to_num(smoothed_slope(colour, _SMOOTH_COLUMNS)), axis=2)
    slope[:, _RADII < _LEAST_RADIUS] = 0.0
    edge = reach[np.argmax(slope, axis=1)]
    # the centroid need not be the centre: the mean of opposite rays is free of that
    across = (edge[: _RAYS // 2] + edge[_RAYS // 2 :]) / 2 / _stretch(camera, at_mm, z, directions)
    middle = float(np.median(across))
    spread = robust_sigma(across - middle)
    return middle if spread < _ROUND * middle else None


def _stretch(camera: Camera, at_mm: tuple[float, float], z: float, angle: FloatArray) -> FloatArray:
    """How much longer than its radius a sphere's outline is in the plane of its centre, along angles (N,).

    The outline is an ellipse there, longer along the view by one over the sine of the view's height.
    """
    x, y, h = camera.centre_mm
    away = np.array([x - at_mm[0], y - at_mm[1]])
    distance = float(np.hypot(*away))
    steep = (h - z) / float(np.hypot(distance, h - z))
    azimuth = np.arctan2(away[1], away[0])
    along, aside = np.cos(angle - azimuth), np.sin(angle - azimuth)
    return np.asarray(1.0 / np.sqrt((along * steep) ** 2 + aside**2), dtype=np.float64)
