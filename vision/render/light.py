"""Light that reaches the cloth: lamps with extent, shadows of balls and limbs, soft contact darkening."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.rays import Rays
from vision.render.scene import Ball, Capsule, Lamp, Scene

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class LightPoint:
    """A point that stands for a part of a lamp; `soft_mm`: the size of the part it stands for."""

    x: float
    y: float
    z: float
    colour: tuple[float, float, float]
    gain: float
    beam: float
    soft_mm: float


def light_points(lamps: tuple[Lamp, ...], centre: tuple[float, float]) -> list[LightPoint]:
    """Points of all lamps, scaled so that the lamps' powers add up at the table's centre."""
    points = []
    for lamp in lamps:
        n = len(lamp.samples)
        for u, v in lamp.samples:
            x, y = lamp.position[0] + u * lamp.half_x_mm, lamp.position[1] + v * lamp.half_y_mm
            z = lamp.position[2]
            d2 = (x - centre[0]) ** 2 + (y - centre[1]) ** 2 + z * z
            soft = 1.2 * max(lamp.half_x_mm, lamp.half_y_mm) / n**0.5
            # normalised by the lamp straight above, so that far lamps are dim but none explodes
            gain = lamp.power / n * max(d2, z * z) ** 0.5 * z
            points.append(LightPoint(x, y, z, lamp.colour, gain, lamp.beam, soft))
    return points


def irradiance(p: LightPoint, x: F32, y: F32, z: float = 0.0) -> F32:
    """Light of one point on a horizontal surface at height z."""
    h = p.z - z
    d2 = (x - p.x) ** 2 + (y - p.y) ** 2 + h * h
    cos = h / np.sqrt(d2)
    return np.asarray(p.gain * cos ** (1 + p.beam) / d2, np.float32)


def _shadow_of_ball(p: LightPoint, ball: Ball, z: float, r: float, x: F32, y: F32) -> F32:
    """How much of the light point is visible (0..1) from cloth points past one ball."""
    dx, dy, dz = p.x - x, p.y - y, p.z
    cx, cy = ball.x_mm - x, ball.y_mm - y
    n2 = dx * dx + dy * dy + dz * dz
    along = (cx * dx + cy * dy + z * dz) / n2
    miss = np.sqrt(np.maximum(cx * cx + cy * cy + z * z - along * along * n2, 0))
    soft = p.soft_mm * np.maximum(along, 0.004) + 1.0
    return np.asarray(np.clip((miss - r) / (2 * soft) + 0.5, 0, 1), np.float32)


def limb_miss(
    a: tuple[float, float, float],
    b: tuple[float, float, float],
    ox: F32,
    oy: F32,
    oz: F32,
    dx: F32,
    dy: F32,
    dz: F32,
) -> tuple[F32, F32, F32]:
    """Closest approach of rays (origin, unit direction) to the segment a-b.

    Returns the distance, the place along the segment (0..1) and the distance along the ray.
    """
    ex, ey, ez = (np.float32(b[i] - a[i]) for i in range(3))
    wx, wy, wz = ox - a[0], oy - a[1], oz - a[2]
    ee = max(float(ex * ex + ey * ey + ez * ez), 1e-6)
    de = dx * ex + dy * ey + dz * ez
    dw = dx * wx + dy * wy + dz * wz
    ew = ex * wx + ey * wy + ez * wz
    s = np.clip((ew - de * dw) / np.maximum(ee - de * de, 1e-6), 0, 1)
    t = s * de - dw
    mx, my, mz = wx + t * dx - s * ex, wy + t * dy - s * ey, wz + t * dz - s * ez
    return np.asarray(np.sqrt(mx * mx + my * my + mz * mz), np.float32), np.asarray(s, np.float32), t


def _shadow_of_limb(p: LightPoint, limb: Capsule, x: F32, y: F32, step: int = 1) -> F32:
    if step > 1 and min(x.shape) > 4 * step:
        shade = _shadow_of_limb(
            p, limb, reduced(np.ascontiguousarray(x), step), reduced(np.ascontiguousarray(y), step)
        )
        return np.asarray(cv2.resize(shade, x.shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    dx, dy, dz = p.x - x, p.y - y, np.full_like(x, p.z)
    n = np.sqrt(dx * dx + dy * dy + dz * dz)
    miss, s, t = limb_miss(limb.a, limb.b, x, y, np.zeros_like(x), dx / n, dy / n, dz / n)
    radius = limb.radius_a_mm + s * (limb.radius_b_mm - limb.radius_a_mm)
    soft = p.soft_mm * np.maximum(t / n, 0.004) + 1.5
    return np.asarray(np.clip((miss - radius) / (2 * soft) + 0.5, 0, 1), np.float32)


def _shadow_of_nose(p: LightPoint, scene: Scene, x: F32, y: F32) -> F32:
    """Shadow that the straight cushion noses throw on the cloth (jaws left out: they are small)."""
    t, h = scene.table, scene.table.nose_height_mm / p.z
    qx, qy = x + (p.x - x) * h, y + (p.y - y) * h
    over = np.maximum(np.abs(qx) - t.half_width_mm, np.abs(qy - t.length_mm / 2) - t.length_mm / 2)
    soft = p.soft_mm * h + 1.5
    return np.asarray(np.clip(-over / (2 * soft) + 0.5, 0, 1), np.float32)


def reduced(values: F32, step: int) -> F32:
    """Means of about `step` x `step` pixels, so that resizing back with linear interpolation fits."""
    size = (max(2, values.shape[1] // step), max(2, values.shape[0] // step))
    return np.asarray(cv2.resize(values, size, interpolation=cv2.INTER_AREA), np.float32)


def _coarse(shape: tuple[int, int], step: int) -> tuple[slice, slice]:
    return np.s_[:: max(1, min(step, shape[0] // 4)), :: max(1, min(step, shape[1] // 4))]


def bare_light(scene: Scene, rays: Rays) -> list[F32]:
    """Light (H, W) of each of the scene's light points on the cloth plane past the noses, nothing on the
    table.
    """
    x, y = rays.at_plane(0.0)
    table = scene.table
    coarse = _coarse(x.shape, 8)
    xc, yc = np.ascontiguousarray(x[coarse]), np.ascontiguousarray(y[coarse])
    near_nose = bool(
        (np.abs(xc) > table.half_width_mm - 120).any()
        or (yc < 120).any()
        or (yc > table.length_mm - 120).any()
    )
    out = []
    for p in light_points(scene.lamps, (0.0, table.length_mm / 2)):
        e: F32 = np.asarray(
            cv2.resize(irradiance(p, xc, yc), x.shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32
        )
        out.append(e * _shadow_of_nose(p, scene, x, y) if near_nose else e)
    return out


def cloth_light(scene: Scene, rays: Rays, bare: list[F32] | None = None, limb_step: int = 1) -> F32:
    """Light (H, W, 3) on the cloth plane, shadows included. `bare`: as `bare_light` gives it for these rays,
    if known;
    `limb_step`: limbs' shadows, which are soft, are worked out for every so many pixels."""
    x, y = rays.at_plane(0.0)
    table = scene.table
    r = table.ball_radius_mm
    points = light_points(scene.lamps, (0.0, table.length_mm / 2))
    contact = _contact(scene, rays, x, y, r)
    out = contact[..., None] * np.asarray(scene.ambient, np.float32)
    boxes = [(b, _z(b, b.radius_mm or r), rays.box_around(b.x_mm, b.y_mm, 3.2 * r)) for b in scene.balls]
    limbs = [(c, limb_box(c, rays, 1.6)) for c in scene.people if c.solid]
    for p, light in zip(points, bare_light(scene, rays) if bare is None else bare, strict=True):
        e = light.copy()
        for ball, z, box in boxes:
            if box is not None and z > 0:
                e[box] = e[box] * _shadow_of_ball(p, ball, z, ball.radius_mm or r, x[box], y[box])
        for limb, box in limbs:
            if box is not None:
                e[box] = e[box] * _shadow_of_limb(p, limb, x[box], y[box], limb_step)
        out += e[..., None] * np.asarray(p.colour, np.float32)
    return np.asarray(out, np.float32)


def _z(ball: Ball, radius: float) -> float:
    return radius if ball.z_mm is None else ball.z_mm


def _contact(scene: Scene, rays: Rays, x: F32, y: F32, r: float) -> F32:
    """The share of the sky's light that balls leave to the cloth under and beside them."""
    out = np.ones(x.shape, np.float32)
    for ball in scene.balls:
        box = rays.box_around(ball.x_mm, ball.y_mm, 3.5 * r)
        if box is None:
            continue
        z = max(_z(ball, r), 1.0)
        d2 = (x[box] - ball.x_mm) ** 2 + (y[box] - ball.y_mm) ** 2 + z * z
        # a sphere of radius r seen from a plane covers (r/d)^2 cos of the sky
        out[box] *= 1 - np.minimum(r * r * z / d2**1.5, 0.97)
    return out


def limb_box(limb: Capsule, rays: Rays, grow: float = 1.0) -> tuple[slice, slice] | None:
    """The pixel box in which a limb, and with `grow` > 1 its shadow, can appear."""
    ox, oy, oz = rays.origin
    pts = []
    for px, py, pz in (limb.a, limb.b):
        s = (oz - rays.z_mm) / max(oz - pz, 50.0)
        pts.append((ox + (px - ox) * s, oy + (py - oy) * s))
        pts.append((px, py))
    pad = max(limb.radius_a_mm, limb.radius_b_mm) * 1.6 + 6
    if grow > 1:
        pad += grow * 0.5 * max(limb.a[2], limb.b[2])
    xs, ys = [p[0] for p in pts], [p[1] for p in pts]
    return rays.box_of(min(xs) - pad, max(xs) + pad, min(ys) - pad, max(ys) + pad)
