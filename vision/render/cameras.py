"""Random cameras above a table, and the rays of their pixels."""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import NDArray

from calibration.camera import Camera, FloatArray, rotation_vector
from calibration.table.specs import TableSpec
from vision.render.rays import Rays

F32 = NDArray[np.float32]
Rng = np.random.Generator


def look_at(
    position_mm: tuple[float, float, float], target_mm: tuple[float, float, float], up_deg: float
) -> FloatArray:
    """Camera-from-table rotation (3, 3) of a camera that looks at a target.

    `up_deg`: direction on the table, counter-clockwise from x, that points up in the picture.
    """
    forward = np.asarray(target_mm, float) - np.asarray(position_mm, float)
    forward /= np.linalg.norm(forward)
    a = math.radians(up_deg)
    up = np.array([math.cos(a), math.sin(a), 0.0])
    down = -(up - forward * (up @ forward))
    down /= np.linalg.norm(down)
    right = np.cross(down, forward)
    return np.stack([right, down, forward])


def make_camera(
    width_px: int,
    height_px: int,
    focal_px: float,
    distortion: tuple[float, ...],
    position_mm: tuple[float, float, float],
    rotation: FloatArray,
    centre_px: tuple[float, float] | None = None,
    fisheye: bool = False,
) -> Camera:
    """A camera from its place and rotation."""
    cx, cy = centre_px or ((width_px - 1) / 2, (height_px - 1) / 2)
    t = -rotation @ np.asarray(position_mm, float)
    return Camera(
        width_px,
        height_px,
        "fisheye" if fisheye else "radial",
        focal_px,
        cx,
        cy,
        distortion,
        rotation_vector(rotation),
        (float(t[0]), float(t[1]), float(t[2])),
    )


def random_camera(
    rng: Rng, table: TableSpec, width_px: int, height_px: int, tilt_deg: float = 35.0, margin: float = 0.03
) -> Camera:
    """A camera 1.9 to 3.2 m above a full-size table (in proportion above a small one) that sees all of it.

    Its lens is as long as it can be with the cushions and pockets in the picture, up to 120 degrees wide.
    """
    scale = table.length_mm / 3569.0
    mid = (0.0, table.length_mm / 2, 0.0)
    for _ in range(60):
        height = float(rng.uniform(1900, 3200)) * max(scale, 0.65)
        tilt = math.radians(
            abs(float(rng.normal(0, 4))) if rng.random() < 0.7 else float(rng.uniform(0, tilt_deg))
        )
        away = float(rng.uniform(0, 2 * math.pi)) if rng.random() < 0.5 else float(rng.choice([0, math.pi]))
        at = (
            height * math.tan(tilt) * math.cos(away),
            mid[1] + height * math.tan(tilt) * math.sin(away),
            height,
        )
        target = (float(rng.normal(0, 40)) * scale, mid[1] + float(rng.normal(0, 60)) * scale, 0.0)
        up = float(rng.choice([0.0, 180.0])) + float(rng.normal(0, 2.5))
        turn = look_at(at, target, up)
        k1 = float(rng.uniform(-0.28, 0.02))
        k2 = float(rng.uniform(0.0, 0.35)) * k1 * k1
        shift = (
            (width_px - 1) / 2 + float(rng.normal(0, 0.008)) * width_px,
            (height_px - 1) / 2 + float(rng.normal(0, 0.008)) * width_px,
        )
        camera = _fit_focal(table, width_px, height_px, (k1, k2), at, turn, shift, margin)
        if camera is not None and _distinct(camera, table):
            return camera
    raise RuntimeError("no camera sees the whole table; check the picture's size and the table")


def _outline(table: TableSpec, grow_mm: float) -> FloatArray:
    w, y0, y1 = table.half_width_mm + grow_mm, -grow_mm, table.length_mm + grow_mm
    s = np.linspace(0, 1, 9)
    sides = [((-w, y0), (w, y0)), ((w, y0), (w, y1)), ((w, y1), (-w, y1)), ((-w, y1), (-w, y0))]
    pts = [
        (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, table.nose_height_mm)
        for a, b in sides
        for t in s
    ]
    return np.asarray(pts)


def _fit_focal(
    table: TableSpec,
    width: int,
    height: int,
    distortion: tuple[float, float],
    at: tuple[float, float, float],
    turn: FloatArray,
    shift: tuple[float, float],
    margin: float,
) -> Camera | None:
    """The longest focal length with the table and its pockets inside the picture, or None."""
    outline = _outline(table, 90.0)
    low, high = 0.2 * width, 2.5 * width
    best = None
    for _ in range(18):
        f = 0.5 * (low + high)
        camera = make_camera(width, height, f, distortion, at, turn, shift)
        px = camera.pixels_from_table(outline)
        inside = bool(
            np.isfinite(px).all()
            and (px[:, 0] > margin * width).all()
            and (px[:, 1] > margin * height).all()
            and (px[:, 0] < (1 - margin) * width).all()
            and (px[:, 1] < (1 - margin) * height).all()
        )
        low, high = (f, high) if inside else (low, f)
        best = camera if inside else best
    half = math.degrees(math.atan(width / 2 / best.focal_px)) if best else 90.0
    return best if best is not None and half <= 60.0 else None


def camera_sees(table: TableSpec, base: Camera, turn: FloatArray, margin: float) -> Camera | None:
    """`base` turned another way, its lens as long as it can be with the table in the picture; None: it cannot
    be seen.
    """
    k1, k2 = base.distortion[0], base.distortion[1]
    camera = _fit_focal(
        table, base.width_px, base.height_px, (k1, k2), base.centre_mm, turn, (base.cx_px, base.cy_px), margin
    )
    return camera if camera is not None and _distinct(camera, table) else None


def _distinct(camera: Camera, table: TableSpec) -> bool:
    """Whether the lens model is monotonous over the whole picture, so that every pixel has a ray."""
    w, h = camera.width_px - 1, camera.height_px - 1
    return bool(np.isfinite(camera.rays_from_pixels([(0, 0), (w, 0), (0, h), (w, h)])).all())


def camera_rays(camera: Camera, plane_z_mm: float, step: int = 8) -> Rays:
    """The rays of all pixels. Exact on a grid of `step` px, cubic between (below 0.001 px on real lenses)."""
    w, h = camera.width_px, camera.height_px
    us = np.arange(-2 * step, w + 3 * step, step, dtype=float)
    vs = np.arange(-2 * step, h + 3 * step, step, dtype=float)
    gu, gv = np.meshgrid(us, vs)
    rays = camera.rays_from_pixels(np.stack([gu.ravel(), gv.ravel()], 1))
    rays[:, 2] = np.minimum(rays[:, 2], -0.05)  # above the horizon: far away on the floor
    o = camera.centre_mm
    reach = (plane_z_mm - o[2]) / rays[:, 2]
    xy = (np.asarray(o[:2]) + rays[:, :2] * reach[:, None]).reshape(*gu.shape, 2)
    x, y = (_upsample(xy[..., k], us, vs, w, h) for k in (0, 1))
    jx = np.gradient(xy[..., 0], vs, us)
    jy = np.gradient(xy[..., 1], vs, us)
    area = np.abs(jx[1] * jy[0] - jx[0] * jy[1])
    pitch = _upsample(np.sqrt(np.maximum(area, 1e-9)), us, vs, w, h)
    return Rays(o, x.astype(np.float32), y.astype(np.float32), plane_z_mm, pitch.astype(np.float32))


def _upsample(values: FloatArray, us: FloatArray, vs: FloatArray, w: int, h: int) -> FloatArray:
    values = np.nan_to_num(values, nan=float(np.nanmax(np.abs(values))))
    # fitpack on the full grid is slow for millions of points only when they are scattered: grids are fast
    spline = scipy.interpolate.RectBivariateSpline(vs, us, values, kx=3, ky=3)
    return np.asarray(spline(np.arange(h), np.arange(w)), np.float64)


def vignette(camera: Camera, strength: float) -> F32:
    """Fall-off of light towards the corners (H, W), 1 in the middle."""
    x = (np.arange(camera.width_px, dtype=np.float32) - np.float32(camera.cx_px)) / camera.width_px
    y = (np.arange(camera.height_px, dtype=np.float32) - np.float32(camera.cy_px)) / camera.width_px
    r2 = x[None] ** 2 + y[:, None] ** 2
    return np.asarray(1 / (1 + np.float32(strength) * 4 * r2) ** 2, np.float32)
