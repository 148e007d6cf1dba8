"""From the outline of the cloth to a first camera: four corners, then all outline points at once."""

from __future__ import annotations

import itertools
import math

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, CameraModel, rotation_vector
from calibration.find.cloth import ClothRegion
from calibration.solve.model import Fit, Points, refit_residuals, solve
from calibration.solve.unknowns import MARGIN_NAMES
from calibration.table.specs import TableSpec

FloatArray = npt.NDArray[np.float64]

_OUTLINE_POINTS = 240
_CUSHION_MM = 38.0
"""The outline runs between the nose and the rail, mostly along the rail, about 50 mm outside the nose."""


def corners_of(hull_px: FloatArray) -> FloatArray:
    """The four corners (4, 2) of the largest quadrilateral in a convex outline, in order around it."""
    hull = hull_px.astype(np.float32).reshape(-1, 1, 2)
    around = cv2.arcLength(hull, True)
    thin = np.asarray(hull.reshape(-1, 2), dtype=np.float64)
    for share in (0.002, 0.004, 0.007, 0.01, 0.015):
        thin = np.asarray(cv2.approxPolyDP(hull, share * around, True), dtype=np.float64).reshape(-1, 2)
        if len(thin) <= 22:
            break
    if len(thin) < 4:
        return np.asarray(cv2.boxPoints(cv2.minAreaRect(hull)), dtype=np.float64)
    quads = np.array(list(itertools.combinations(range(len(thin)), 4)))
    p = thin[quads]
    diagonal, other = p[:, 2] - p[:, 0], p[:, 3] - p[:, 1]
    area = np.abs(diagonal[:, 0] * other[:, 1] - diagonal[:, 1] * other[:, 0])
    return np.asarray(p[int(np.argmax(area))], dtype=np.float64)


def _turned(corners: FloatArray) -> list[FloatArray]:
    """The corners as BL, BR, TR, TL seen from above, for both ways that the long side can lie.

    In a picture (y down) a table seen from above runs counter-clockwise in its own frame, so the order
    around is made negative there.
    """
    x, y = corners[:, 0], corners[:, 1]
    signed = float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))
    ring = corners if signed < 0 else corners[::-1]
    return [ring, np.roll(ring, 1, axis=0)]


def _assign(fit_camera: Camera, table: TableSpec, edge_px: FloatArray) -> Points:
    """Each outline point goes to the side it is nearest to in the first camera."""
    at = fit_camera.table_from_pixels(edge_px, table.nose_height_mm)
    at = np.nan_to_num(at, nan=1e5)
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
    inside = np.min(gaps, axis=1) < 0.12 * table.width_mm
    return Points(edge_px, mark, np.full(len(edge_px), 2.0), np.full(len(edge_px), True)).take(inside)


def rough_priors(table: TableSpec) -> dict[str, tuple[float, float]]:
    """Loose expectations of a camera above a table: any lens, any tilt; margins of a cushion's width."""
    share = table.width_mm / 1778.0
    priors = {
        "log_focal": (math.log(0.8), 0.6),
        "k1": (0.0, 0.15),
        "w0": (0.0, 2.0),
        "w1": (0.0, 2.0),
        "w2": (0.0, 2.0),
        "t0": (0.0, 5000.0),
        "t1": (0.0, 5000.0),
        "t2": (0.0, 5000.0),
    }
    for name in MARGIN_NAMES:
        priors[name] = (_CUSHION_MM * share**0.5, 20.0 * share**0.5)
    return priors


def rough_cameras(image_size: tuple[int, int], region: ClothRegion, table: TableSpec) -> list[Fit]:
    """First cameras (best first), the long side both ways and several lenses; `image_size` (w, h) px.

    Only cameras whose table covers the cloth's outline are given; may be empty.
    """
    width, height = image_size
    corners = corners_of(region.hull_px)
    pick = np.linspace(0, len(region.edge_px) - 1, min(_OUTLINE_POINTS, len(region.edge_px))).astype(int)
    outline = region.edge_px[pick]
    w, length, m = table.half_width_mm, table.length_mm, _CUSHION_MM
    corners_mm = np.array([(-w - m, -m), (w + m, -m), (w + m, length + m), (-w - m, length + m)])
    size = max(width, height)
    lenses: list[tuple[CameraModel, float]] = [
        ("radial", 0.45),
        ("radial", 0.8),
        ("radial", 1.6),
        ("fisheye", 0.5),
    ]
    fits: list[tuple[float, Fit]] = []
    for ring in _turned(corners):
        for model, share in lenses:
            camera = looking_down(width, height, model, share * size, ring, corners_mm)
            if camera.centre_mm[2] < 300.0:
                continue
            fit = _improved(camera, table, outline, region.scale)
            if fit is None or overlap(fit.camera, table, region.hull_px) < 0.85:
                continue
            fits.append((_score(fit, table, outline, region.scale), fit))
    fits.sort(key=lambda item: item[0])
    return [f for _, f in fits]


def _improved(camera: Camera, table: TableSpec, outline: FloatArray, scale: float) -> Fit | None:
    """All outline points at once, assigned to their sides anew after the first solution."""
    start = dict.fromkeys(MARGIN_NAMES, _CUSHION_MM)
    fit: Fit | None = None
    for _ in range(2):
        points = _assign(camera, table, outline)
        if len(points.px) < 0.5 * len(outline):
            return fit
        points = Points(points.px, points.mark, np.full(len(points.px), 1.5 / scale), points.on_nose)
        fit = solve(camera, table, points, rough_priors(table), start, rounds=1, steps=15)
        camera = fit.camera
        start = dict(zip(MARGIN_NAMES, fit.margins_mm, strict=True))
        if camera.centre_mm[2] < 300.0:
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
    """Intersection over union of the projected table (with half a cushion) and an outline in the picture."""
    px = camera.pixels_from_table(table_outline(table, _CUSHION_MM, table.nose_height_mm))
    if not np.all(np.isfinite(px)) or np.max(np.abs(px)) > 1e5:
        return 0.0
    seen = cv2.convexHull(px.astype(np.float32))
    hull = cv2.convexHull(hull_px.astype(np.float32))
    both = float(cv2.intersectConvexConvex(seen, hull)[0])
    return both / max(1.0, float(cv2.contourArea(seen)) + float(cv2.contourArea(hull)) - both)


def _score(fit: Fit, table: TableSpec, outline: FloatArray, scale: float) -> float:
    """Robust misfit of the whole outline (unassigned points count), plus the priors' share of the cost."""
    points = _assign(fit.camera, table, outline)
    missing = len(outline) - len(points.px)
    residual = np.abs(refit_residuals(fit, points)) * scale
    return float(np.sum(np.minimum(residual / 1.5, 3.0) ** 2)) + 9.0 * missing + (fit.cost - fit.data_cost)


def looking_down(
    width_px: int,
    height_px: int,
    model: CameraModel,
    focal_px: float,
    table_px: FloatArray,
    corners_mm: FloatArray,
) -> Camera:
    """A first camera from four corners: `table_px` (4, 2) px seen where `corners_mm` (4, 2) lie, z = 0."""
    cx, cy = (width_px - 1) / 2, (height_px - 1) / 2
    flat = (table_px - (cx, cy)) / focal_px
    if model == "fisheye":
        radius = np.maximum(np.hypot(*flat.T), 1e-9)[:, None]
        flat = flat * np.tan(np.minimum(radius, 1.45)) / radius
    rows = []
    for (x, y), (u, w) in zip(corners_mm / 1000.0, flat, strict=True):
        rows.append([x, y, 1, 0, 0, 0, -u * x, -u * y, -u])
        rows.append([0, 0, 0, x, y, 1, -w * x, -w * y, -w])
    h = np.linalg.svd(np.asarray(rows))[2][-1].reshape(3, 3)
    if h[2, 2] < 0:
        h = -h
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
