"""Balls: shading of spheres by the scene's lamps, drawn with exact soft outlines along the rays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.render.light import irradiance, light_points
from vision.render.prints import printed
from vision.render.rays import Box, Rays
from vision.render.scene import Ball, BallLook, Lamp, Scene

F32 = NDArray[np.float32]

_MOST_STEPS = 64
"""Places that stand for a ball's way during the exposure; 2 px apart for the longest streak that is drawn."""


@dataclass(frozen=True, slots=True)
class DrawnBall:
    """Where a ball was drawn: its pixel box and how much of each pixel it fills (H', W')."""

    index: int
    box: Box
    alpha: F32


def draw_balls(
    scene: Scene, rays: Rays, image: F32, exposure_s: float = 0.0, frame: F32 | None = None
) -> list[DrawnBall]:
    """Draw all balls into `image` (linear RGB) from far to near; returns their coverage.

    `frame` (H, W), 0..1: where cushions and rails are; they hide what of a ball lies behind and below the
    nose.
    """
    oz = rays.origin
    order = sorted(
        range(len(scene.balls)),
        key=lambda i: -((scene.balls[i].x_mm - oz[0]) ** 2 + (scene.balls[i].y_mm - oz[1]) ** 2),
    )
    drawn = []
    for i in order:
        one = _draw_moving(scene, rays, image, i, exposure_s, frame)
        if one is not None:
            drawn.append(one)
    return drawn


def _draw_moving(
    scene: Scene, rays: Rays, image: F32, index: int, exposure_s: float, frame: F32 | None = None
) -> DrawnBall | None:
    """One ball, averaged over the exposure (the scene's position is mid exposure)."""
    ball = scene.balls[index]
    r = ball.radius_mm or scene.table.ball_radius_mm
    z = r if ball.z_mm is None else ball.z_mm
    vx, vy = ball.velocity
    path = np.hypot(vx, vy) * exposure_s
    ox, oy, oz = rays.origin
    s = (oz - rays.z_mm) / (oz - z)
    lean = 1 + 0.5 * float(np.hypot(ball.x_mm - ox, ball.y_mm - oy)) / oz
    at = (ox + (ball.x_mm - ox) * s, oy + (ball.y_mm - oy) * s)
    box = rays.box_around(at[0], at[1], r * lean * s * 1.15 + path / 2 + 3)
    if box is None:
        return None
    pitch = float(np.median(rays.pitch[box]))
    steps = int(np.clip(np.ceil(path / (0.7 * pitch)), 1, _MOST_STEPS))
    alpha = np.zeros(rays.x[box].shape, np.float32)
    colour = np.zeros((*alpha.shape, 3), np.float32)
    for k in range(steps):
        t = ((k + 0.5) / steps - 0.5) * exposure_s
        way = (vx * t, vy * t)
        a, c = _sphere(scene, rays, box, ball, (ball.x_mm + way[0], ball.y_mm + way[1], z), k, way)
        alpha += a
        colour += c * a[..., None]
    alpha /= steps
    colour /= steps
    if frame is not None and frame[box].any():
        keep = 1 - frame[box] * _below_nose(scene, rays, box, (ball.x_mm, ball.y_mm, z))
        alpha, colour = alpha * keep, colour * keep[..., None]
    image[box] = image[box] * (1 - alpha[..., None]) + colour
    return DrawnBall(index, box, alpha)


def _below_nose(scene: Scene, rays: Rays, box: Box, centre: tuple[float, float, float]) -> F32:
    """1 where a ray over a box would meet the ball only below the height of the nose, 0 where it meets it
    above.
    """
    r = scene.table.ball_radius_mm
    dx, dy, dz = rays.directions(box)
    cx, cy, cz = (np.float32(centre[i] - rays.origin[i]) for i in range(3))
    along = dx * cx + dy * cy + dz * cz
    miss2 = (dy * cz - dz * cy) ** 2 + (dz * cx - dx * cz) ** 2 + (dx * cy - dy * cx) ** 2
    hit_z = rays.origin[2] + (along - np.sqrt(np.maximum(r * r - miss2, 0))) * dz
    return np.asarray(np.clip(0.5 + (scene.table.nose_height_mm - hit_z) / rays.pitch[box], 0, 1), np.float32)


def _sphere(
    scene: Scene,
    rays: Rays,
    box: Box,
    ball: Ball,
    centre: tuple[float, float, float],
    step: int,
    way_mm: tuple[float, float],
) -> tuple[F32, F32]:
    """Coverage and linear RGB of a sphere over a box of pixels."""
    r = ball.radius_mm or scene.table.ball_radius_mm
    dx, dy, dz = rays.directions(box)
    cx, cy, cz = (np.float32(centre[i] - rays.origin[i]) for i in range(3))
    along = dx * cx + dy * cy + dz * cz
    # by the cross product: the difference of the squares loses millimetres in single precision
    miss2 = (dy * cz - dz * cy) ** 2 + (dz * cx - dx * cz) ** 2 + (dx * cy - dy * cx) ** 2
    miss = np.sqrt(miss2)
    # a pixel's width across the ray, at the ball
    width = rays.pitch[box] * np.sqrt(np.maximum(-dz, 0.2))
    alpha = np.clip(0.5 - (miss - r) / width, 0, 1)
    depth = along - np.sqrt(np.maximum(r * r - miss2, 0))
    nx, ny, nz = (depth * dx - cx) / r, (depth * dy - cy) / r, (depth * dz - cz) / r
    n = 1 / np.sqrt(nx * nx + ny * ny + nz * nz)
    nx, ny, nz = nx * n, ny * n, nz * n
    shade = _shade(scene, ball, centre, (dx, dy, dz), (nx, ny, nz), step, rays.pitch[box], way_mm)
    return np.asarray(alpha, np.float32), shade


def _shade(
    scene: Scene,
    ball: Ball,
    centre: tuple[float, float, float],
    d: tuple[F32, F32, F32],
    normal: tuple[F32, F32, F32],
    step: int,
    pitch: F32,
    way_mm: tuple[float, float],
) -> F32:
    look = scene.ball_looks[ball.colour]
    nx, ny, nz = normal
    floor = np.clip(0.5 - 0.5 * nz, 0, 1)
    light = (1 - floor)[..., None] * np.asarray(scene.ambient, np.float32)
    level = _cloth_level(scene, centre)
    bounce = np.asarray(scene.look.cloth, np.float32) * level * scene.bounce
    # light from the cloth fails near the contact, where the ball stands in its own shadow
    open_floor = floor * (0.35 + 0.65 * np.clip(1 + nz, 0, 1))
    light = light + open_floor[..., None] * bounce
    for p in light_points(scene.lamps, (0.0, scene.table.length_mm / 2)):
        lx, ly, lz = p.x - centre[0], p.y - centre[1], p.z - centre[2]
        n = (lx * lx + ly * ly + lz * lz) ** 0.5
        cos = np.clip((nx * lx + ny * ly + nz * lz) / n, 0, None)
        e = p.gain * (lz / n) ** p.beam / (n * n)
        light = light + (e * cos)[..., None] * np.asarray(p.colour, np.float32)
    albedo = printed(look, ball, normal, way_mm) if look.mark == 4 else _albedo(look, ball, normal, step)
    return np.asarray(albedo * light + _gloss(scene, centre, d, normal, level, pitch), np.float32)


def _cloth_level(scene: Scene, centre: tuple[float, float, float]) -> F32:
    """Light on the cloth around a ball (3,), shadows left out."""
    total = np.asarray(scene.ambient, np.float32).copy()
    x, y = np.array([centre[0]], np.float32), np.array([centre[1]], np.float32)
    for p in light_points(scene.lamps, (0.0, scene.table.length_mm / 2)):
        total += irradiance(p, x, y)[0] * np.asarray(p.colour, np.float32)
    return total


def _albedo(look: BallLook, ball: Ball, normal: tuple[F32, F32, F32], step: int) -> F32:
    """Body colour with its printed marks, turned by the ball's random attitude."""
    nx, ny, nz = normal
    albedo = np.broadcast_to(np.asarray(look.albedo, np.float32), (*nx.shape, 3))
    if look.mark == 0:
        return albedo
    rng = np.random.default_rng(ball.spin_seed * 31 + step)
    if look.mark == 3:
        return _banded(albedo, look, normal, rng)
    mask = np.zeros(nx.shape, np.float32)
    for _ in range(1 if look.mark == 1 else 6):
        ax = rng.standard_normal(3)
        if look.mark == 1:
            ax[2] = abs(ax[2]) + 1.5
        ax /= np.linalg.norm(ax)
        cos = nx * ax[0] + ny * ax[1] + nz * ax[2]
        size = 0.93 if look.mark == 1 else 0.985
        mask = np.maximum(mask, np.clip((cos - size) / 0.02 + 0.5, 0, 1))
    strokes = 0.5 if look.mark == 1 else 0.9
    return np.asarray(
        albedo + (np.asarray(look.mark_albedo, np.float32) - albedo) * (mask * strokes)[..., None], np.float32
    )


def _banded(
    albedo: NDArray[np.float32], look: BallLook, normal: tuple[F32, F32, F32], rng: np.random.Generator
) -> F32:
    """A striped pool ball: a band of colour, about half of the diameter wide, around a random axis."""
    axis = rng.standard_normal(3)
    axis /= np.linalg.norm(axis)
    cos = np.abs(normal[0] * axis[0] + normal[1] * axis[1] + normal[2] * axis[2])
    mask = np.clip((0.52 - cos) / 0.04 + 0.5, 0, 1)
    return np.asarray(
        albedo + (np.asarray(look.mark_albedo, np.float32) - albedo) * mask[..., None], np.float32
    )


def _gloss(
    scene: Scene,
    centre: tuple[float, float, float],
    d: tuple[F32, F32, F32],
    normal: tuple[F32, F32, F32],
    level: F32,
    pitch: F32,
) -> F32:
    """Mirror images of lamps above and of the cloth below on the polished surface; `pitch`: mm a pixel at the
    ball.
    """
    r = scene.table.ball_radius_mm
    nx, ny, nz = normal
    facing = -(d[0] * nx + d[1] * ny + d[2] * nz)
    fresnel = scene.ball_gloss + (1 - scene.ball_gloss) * 0.7 * np.clip(1 - facing, 0, 1) ** 5
    rx, ry, rz = (d[i] + 2 * facing * normal[i] for i in range(3))
    out = np.where(
        rz[..., None] < 0,
        np.asarray(scene.look.cloth, np.float32) * level * 0.8,
        np.asarray(scene.ambient, np.float32) * 0.5,
    )
    out = out * fresnel[..., None]
    at = (centre[0] + r * nx, centre[1] + r * ny, centre[2] + r * nz)
    for lamp in scene.lamps:
        seen = _lamp_seen(lamp, at, (rx, ry, rz), 2 * pitch / r)
        area = max(4 * lamp.half_x_mm * lamp.half_y_mm, 400.0)
        # radiance that gives the lamp's power: irradiance * distance squared / area
        radiance = min(lamp.power * lamp.position[2] ** 2 / area, 400.0)
        out = out + (seen * fresnel * radiance)[..., None] * np.asarray(lamp.colour, np.float32)
    return np.asarray(out, np.float32)


def lamp_glow(scene: Scene, rays: Rays, box: Box, z_mm: float, gloss: float) -> F32:
    """Linear RGB (H, W, 3) of the lamps that a flat, slightly rough surface at a height mirrors."""
    dx, dy, dz = rays.directions(box)
    x, y = rays.at_plane(z_mm, box)
    out = np.zeros((*x.shape, 3), np.float32)
    at = (x, y, np.full_like(x, z_mm))
    for lamp in scene.lamps:
        area = max(4 * lamp.half_x_mm * lamp.half_y_mm, 400.0)
        radiance = min(lamp.power * lamp.position[2] ** 2 / area, 400.0)
        seen = _lamp_seen(lamp, at, (dx, dy, -dz), np.full_like(x, 0.25))
        out += (seen * gloss * radiance)[..., None] * np.asarray(lamp.colour, np.float32)
    return out


def _lamp_seen(lamp: Lamp, at: tuple[F32, F32, F32], ray: tuple[F32, F32, F32], spread: F32) -> F32:
    """Share of a pixel's mirrored cone, which opens by `spread` radians, that meets the lamp.

    The mirror image of a lamp is often smaller than a pixel: what is taken is the mean over the pixel, not a
    sample.
    """
    h = lamp.position[2] - at[2]
    t = h / np.maximum(ray[2], 0.05)
    u: F32 = np.asarray(at[0] + ray[0] * t - lamp.position[0], np.float32)
    v: F32 = np.asarray(at[1] + ray[1] * t - lamp.position[1], np.float32)
    # polish is not perfect: 0.06 rad
    foot: F32 = np.asarray(np.hypot(0.06 * h, spread * t), np.float32)
    if lamp.round and lamp.half_x_mm > foot.min():
        seen = np.asarray(np.clip(0.5 - (np.hypot(u, v) - lamp.half_x_mm) / foot, 0, 1), np.float32)
    else:
        # a disc smaller than the cone is as bright as the square of its area
        side = math.sqrt(math.pi) / 2 if lamp.round else 1.0
        seen = np.asarray(
            _overlap(u, lamp.half_x_mm * side, foot) * _overlap(v, lamp.half_y_mm * side, foot), np.float32
        )
    return np.asarray(np.where(ray[2] > 0.05, seen, 0), np.float32)


def _overlap(u: F32, half: float, foot: F32) -> F32:
    """Share of a length `foot` about u that lies within `half` of 0."""
    return np.asarray(
        np.clip(np.minimum(u + foot / 2, half) - np.maximum(u - foot / 2, -half), 0, None) / foot, np.float32
    )
