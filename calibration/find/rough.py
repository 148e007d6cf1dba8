"""From the outline of the cloth to a first camera: four corners, then all outline points at once."""

from __future__ import annotations

import itertools
import math

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, CameraModel, rotation_vector
from calibration.find.cloth import ClothRegion
from calibration.solve.cast import MISSED_MM
from calibration.solve.model import Fit, Points, refit_residuals, solve
from calibration.solve.unknowns import K1_SIGMA, MARGIN_NAMES, POSE_PRIORS
from calibration.table.specs import SNOOKER_TABLE, TableSpec

FloatArray = npt.NDArray[np.float64]

_OUTLINE_POINTS = 240
_CUSHION_MM, _CUSHION_SIGMA_MM = 38.0, 20.0
"""Distance of the cloth's outline outside the noses: it runs between nose and rail, mostly along the rail,
which is about 50 mm outside."""

_FRAME_MM = 4.0
"""The same for a carrom board, mean and sigma: its surface ends at the frame, but for a shadow."""

_FOCAL_WIDTHS, _FOCAL_LOG_SIGMA = 0.8, 0.6  # focal length over the width: any lens
_LENSES: tuple[tuple[CameraModel, float], ...] = (
    ("radial", 0.45),
    ("radial", 0.8),
    ("radial", 1.6),
    ("fisheye", 0.5),
)
"""Lenses to begin with: model, and focal length over the longer side of the picture."""

_FOCAL_LIMITS = (1.6, 8.0)
"""Over the longer side of the picture: longer than the lenses above, up to the longest that corners claim."""
_SIDE_MIDDLE, _SIDE_NEAR = 0.8, 0.06
"""Of a side of the first quadrilateral: the part that is no corner, and how near to it (of its length) the
outline's points are taken for its line."""

_THINNING = (0.002, 0.004, 0.007, 0.01, 0.015)  # of the outline's length: tolerances of fewer corners
_MOST_CORNERS = 22  # of a thinned outline: 7,315 quadrilaterals
_ASSIGNED_WIDTHS = 0.12  # table widths from a side within which an outline point belongs to it
_ASSIGNED_SHARE = 0.5  # of the outline that must belong to a side
_ROUGH_SIGMA_PX = 1.5  # of an outline point in the reduced picture
_MOST_SIGMAS = 3.0  # at which the misfit of an outline point is cut
_LEAST_HEIGHT_MM = 300.0  # of a camera above the cloth
_LEAST_OVERLAP = 0.85  # of the projected table and the cloth
_FAR_PX = 1e5  # a projection beyond this has left the picture
_LARGEST_ANGLE = 1.45  # radians from a fisheye's axis at which the plane of the table ends


def corners_of(hull_px: FloatArray) -> FloatArray:
    """Corners (4, 2) px of the largest quadrilateral in a convex outline (N, 2) px, in order around it."""
    hull = hull_px.astype(np.float32).reshape(-1, 1, 2)
    around = cv2.arcLength(hull, True)
    thin = np.asarray(hull.reshape(-1, 2), dtype=np.float64)
    for share in _THINNING:
        thin = np.asarray(cv2.approxPolyDP(hull, share * around, True), dtype=np.float64).reshape(-1, 2)
        if len(thin) <= _MOST_CORNERS:
            break
    if len(thin) < 4:
        return np.asarray(cv2.boxPoints(cv2.minAreaRect(hull)), dtype=np.float64)
    quads = np.array(list(itertools.combinations(range(len(thin)), 4)))
    p = thin[quads]
    diagonal, other = p[:, 2] - p[:, 0], p[:, 3] - p[:, 1]
    area = np.abs(diagonal[:, 0] * other[:, 1] - diagonal[:, 1] * other[:, 0])
    return np.asarray(p[int(np.argmax(area))], dtype=np.float64)


def crossed_corners(corners: FloatArray, edge_px: FloatArray) -> FloatArray:
    """Corners (4, 2) px where the lines of the four sides cross, from corners of the outline (N, 2) px.

    Corner pockets round the outline off, which turns its largest quadrilateral.
    """
    ring = corners
    for _ in range(3):
        lines = []
        for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True):
            length = max(float(np.hypot(*(b - a))), 1.0)
            u = (b - a) / length
            off = edge_px - a
            along, aside = off @ u / length, np.abs(off @ np.array([-u[1], u[0]])) / length
            near = edge_px[(np.abs(along - 0.5) < _SIDE_MIDDLE / 2) & (aside < _SIDE_NEAR)]
            if len(near) < 8:
                return corners
            vx, vy, x, y = cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
            lines.append(np.cross((x, y, 1.0), (x + vx, y + vy, 1.0)))
        crossings = [np.cross(a, b) for a, b in zip(np.roll(lines, 1, axis=0), lines, strict=True)]
        if any(abs(c[2]) < 1e-12 for c in crossings):
            return corners
        ring = np.array([c[:2] / c[2] for c in crossings])
    return ring


def focal_of(corners_px: FloatArray, corners_mm: FloatArray, image_size: tuple[int, int]) -> float | None:
    """Focal length (px) under which corners (4, 2) px are those of a rectangle at (4, 2) mm.

    The two constraints of one homography on a camera with square pixels and its axis in the picture's
    middle (Zhang 2000, section 3.1), by least squares. None where they claim none: a view from above.
    """
    middle = (np.asarray(image_size, float) - 1) / 2
    size = float(max(image_size))
    h = _homography((corners_px - middle) / size, corners_mm)
    a, b = h[:, 0], h[:, 1]
    with_focal = np.array([a[:2] @ b[:2], a[:2] @ a[:2] - b[:2] @ b[:2]])
    without = np.array([a[2] * b[2], a[2] ** 2 - b[2] ** 2])
    inverse_square = -float(with_focal @ without) / max(float(with_focal @ with_focal), 1e-18)
    lowest, highest = _FOCAL_LIMITS
    if not highest**-2 < inverse_square < lowest**-2:
        return None
    return size / math.sqrt(inverse_square)


def _homography(flat: FloatArray, corners_mm: FloatArray) -> FloatArray:
    """The homography (3, 3) from metres on the table to the plane at distance 1, by direct linear
    transformation; the table lies before the camera."""
    rows = []
    for (x, y), (u, w) in zip(corners_mm / 1000.0, flat, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -w * x, -w * y, -w])
    h = np.asarray(np.linalg.svd(np.asarray(rows))[2][-1].reshape(3, 3), dtype=np.float64)
    return -h if h[2, 2] < 0 else h


def _turned(corners: FloatArray) -> list[FloatArray]:
    """The corners as BL, BR, TR, TL, for both directions in which the long side can lie.

    A table seen from above runs counter-clockwise in its own frame. In a picture (y down) that is a negative
    signed area.
    """
    x, y = corners[:, 0], corners[:, 1]
    signed = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    ring = corners if signed < 0 else corners[::-1]
    return [ring, np.roll(ring, 1, axis=0)]


def _assign(fit_camera: Camera, table: TableSpec, edge_px: FloatArray) -> Points:
    """The outline points (N, 2) px, each assigned to the side that is nearest under the camera."""
    at = fit_camera.table_from_pixels(edge_px, table.nose_height_mm)
    at = np.nan_to_num(at, nan=MISSED_MM)
    x, y = at[:, 0], at[:, 1]
    gaps = np.stack(
        (
            np.abs(y),
            np.abs(table.length_mm - y),
            np.abs(x + table.half_width_mm),
            np.abs(table.half_width_mm - x),
        ),
        axis=1,
    )
    mark = np.argmin(gaps, axis=1)
    inside = np.min(gaps, axis=1) < _ASSIGNED_WIDTHS * table.width_mm
    return Points(edge_px, mark, np.full(len(edge_px), 2.0), np.full(len(edge_px), True)).take(inside)


def _outside_mm(table: TableSpec) -> float:
    """How far outside the noses the outline of the cloth, or of a board's surface, usually lies."""
    return _FRAME_MM if table.is_board else _CUSHION_MM


def rough_priors(table: TableSpec) -> dict[str, tuple[float, float]]:
    """Wide priors of a camera above a table: any lens, any tilt, margins of about a cushion's width."""
    share = (table.width_mm / SNOOKER_TABLE.width_mm) ** 0.5
    mean, sigma = (
        (_FRAME_MM, _FRAME_MM) if table.is_board else (_CUSHION_MM * share, _CUSHION_SIGMA_MM * share)
    )
    priors = {
        "log_focal": (math.log(_FOCAL_WIDTHS), _FOCAL_LOG_SIGMA),
        "k1": (0.0, K1_SIGMA),
        **POSE_PRIORS,
    }
    for name in MARGIN_NAMES:
        priors[name] = (mean, sigma)
    return priors


def rough_cameras(image_size: tuple[int, int], region: ClothRegion, table: TableSpec) -> list[Fit]:
    """First cameras, best first, with the long side in both directions and several lenses.

    `image_size`: width and height, px. Only cameras whose table covers the cloth's outline; may be empty.
    """
    width, height = image_size
    corners = corners_of(region.hull_px)
    pick = np.linspace(0, len(region.edge_px) - 1, min(_OUTLINE_POINTS, len(region.edge_px))).astype(int)
    outline = region.edge_px[pick]
    w, length, m = table.half_width_mm, table.length_mm, _outside_mm(table)
    corners_mm = np.array([(-w - m, -m), (w + m, -m), (w + m, length + m), (-w - m, length + m)])
    size = max(width, height)
    fits: list[tuple[float, Fit]] = []
    starts: list[tuple[CameraModel, float, FloatArray]] = [
        (model, share * size, ring) for ring in _turned(corners) for model, share in _LENSES
    ]
    for ring in _turned(crossed_corners(corners, region.edge_px)):
        focal = focal_of(ring, corners_mm, image_size)
        if focal is not None:
            starts.append(("radial", focal, ring))
    for model, focal_px, ring in starts:
        camera = looking_down(width, height, model, focal_px, ring, corners_mm)
        if camera.centre_mm[2] < _LEAST_HEIGHT_MM:
            continue
        fit = _improved(camera, table, outline, region.scale)
        if fit is None or overlap(fit.camera, table, region.hull_px) < _LEAST_OVERLAP:
            continue
        fits.append((_score(fit, table, outline, region.scale), fit))
    fits.sort(key=lambda item: item[0])
    return [f for _, f in fits]


def _improved(camera: Camera, table: TableSpec, outline: FloatArray, scale: float) -> Fit | None:
    """The camera solved from all outline points, assigned to sides again after the first solution."""
    start = dict.fromkeys(MARGIN_NAMES, _outside_mm(table))
    fit: Fit | None = None
    for _ in range(2):
        points = _assign(camera, table, outline)
        if len(points.px) < _ASSIGNED_SHARE * len(outline):
            return fit
        points = Points(
            points.px, points.mark, np.full(len(points.px), _ROUGH_SIGMA_PX / scale), points.on_nose
        )
        fit = solve(camera, table, points, rough_priors(table), start, rounds=1, steps=15)
        camera = fit.camera
        start = dict(zip(MARGIN_NAMES, fit.margins_mm, strict=True))
        if camera.centre_mm[2] < _LEAST_HEIGHT_MM:
            return None
    return fit


def table_outline(table: TableSpec, margin_mm: float, z_mm: float, steps: int = 24) -> FloatArray:
    """(4 * steps, 3) points around the playing area, `margin_mm` outside the noses: BL, BR, TR, TL."""
    w, top, m = table.half_width_mm, table.length_mm, margin_mm
    ring = np.array([(-w - m, -m), (w + m, -m), (w + m, top + m), (-w - m, top + m)])
    share = np.arange(steps)[:, None] / steps
    sides = [ring[n] + share * (ring[(n + 1) % 4] - ring[n]) for n in range(4)]
    flat = np.concatenate(sides)
    return np.column_stack((flat, np.full(len(flat), z_mm)))


def overlap(camera: Camera, table: TableSpec, hull_px: FloatArray) -> float:
    """Intersection over union of the projected table, half a cushion included, and a hull (N, 2) px."""
    px = camera.pixels_from_table(table_outline(table, _outside_mm(table), table.nose_height_mm))
    if not np.all(np.isfinite(px)) or np.max(np.abs(px)) > _FAR_PX:
        return 0.0
    seen = cv2.convexHull(px.astype(np.float32))
    hull = cv2.convexHull(hull_px.astype(np.float32))
    both = float(cv2.intersectConvexConvex(seen, hull)[0])
    return both / max(1.0, float(cv2.contourArea(seen)) + float(cv2.contourArea(hull)) - both)


def _score(fit: Fit, table: TableSpec, outline: FloatArray, scale: float) -> float:
    """Robust misfit of the outline, points without a side included, plus the priors' share of the cost."""
    points = _assign(fit.camera, table, outline)
    missing = len(outline) - len(points.px)
    residual = np.abs(refit_residuals(fit, points)) * scale
    misfit = float(np.sum(np.minimum(residual / _ROUGH_SIGMA_PX, _MOST_SIGMAS) ** 2))
    return misfit + _MOST_SIGMAS**2 * missing + (fit.cost - fit.data_cost)


def looking_down(
    width_px: int,
    height_px: int,
    model: CameraModel,
    focal_px: float,
    table_px: FloatArray,
    corners_mm: FloatArray,
) -> Camera:
    """A first camera that sees the corners at `corners_mm` (4, 2), z = 0, at `table_px` (4, 2).

    Homography by direct linear transformation, pose by its decomposition (Zhang, A Flexible New Technique for
    Camera Calibration, 2000, section 3.1).
    """
    cx, cy = (width_px - 1) / 2, (height_px - 1) / 2
    flat = (table_px - (cx, cy)) / focal_px
    if model == "fisheye":
        radius = np.maximum(np.hypot(*flat.T), 1e-9)[:, None]
        flat = flat * np.tan(np.minimum(radius, _LARGEST_ANGLE)) / radius
    h = _homography(flat, corners_mm)
    size = math.sqrt(max(float(np.linalg.norm(h[:, 0]) * np.linalg.norm(h[:, 1])), 1e-12))
    h = h / size
    r0, r1 = h[:, 0], h[:, 1]
    u3, _, vt = np.linalg.svd(np.column_stack((r0, r1, np.cross(r0, r1))))
    rotation = u3 @ np.diag([1.0, 1.0, float(np.linalg.det(u3 @ vt))]) @ vt
    t = h[:, 2] * 1000.0
    return Camera(
        width_px,
        height_px,
        model,
        focal_px,
        cx,
        cy,
        (0.0, 0.0),
        rotation_vector(rotation),
        (float(t[0]), float(t[1]), float(t[2])),
    )
