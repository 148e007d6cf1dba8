"""Flat discs on a board: carrom men and strikers, with rim, side wall, shadow and print."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.render.fittings import cover, mix
from vision.render.light import irradiance, light_points
from vision.render.noise import sample, tile
from vision.render.rays import Rays
from vision.render.scene import Ball, Scene, Vec3
from vision.render.spheres import DrawnBall, lamp_glow

F32 = NDArray[np.float32]

DISC_HEIGHT_MM = 8.0
"""Of men and strikers; the plane in which they are seen lies at their tops (reading of the equipment)."""
_MOST_STEPS = 24
_WALL_LAYERS = 3


@dataclass(frozen=True, slots=True)
class DiscLook:
    """One kind of disc. `rings`: (radius, half width) as shares of the disc's radius, with their colour;
    `star`: number of points of a printed star, 0 for none. `wall`: light of its side over its top's.
    """

    albedo: Vec3
    rings: tuple[tuple[float, float, Vec3], ...] = ()
    star: int = 0
    star_albedo: Vec3 = (0.5, 0.05, 0.05)
    gloss: float = 0.03
    grain: float = 0.05
    wall: float = 0.45


def shadows(scene: Scene, rays: Rays) -> F32:
    """Share of the light (H, W) that discs leave to the board around them."""
    out = np.ones(rays.x.shape, np.float32)
    points = light_points(scene.lamps, (0.0, scene.table.length_mm / 2))
    total = sum(p.gain / p.z**2 for p in points) or 1.0
    for disc in scene.balls:
        radius = disc.radius_mm or scene.table.ball_radius_mm
        box = rays.box_around(disc.x_mm, disc.y_mm, 2.2 * radius)
        if box is None:
            continue
        x, y = rays.at_plane(0.0, box)
        near = np.hypot(x - disc.x_mm, y - disc.y_mm) - radius
        dark = 0.35 * np.clip(1 - near / (0.45 * DISC_HEIGHT_MM), 0, 1)
        for p in points:
            sx = disc.x_mm - (p.x - disc.x_mm) * DISC_HEIGHT_MM / p.z
            sy = disc.y_mm - (p.y - disc.y_mm) * DISC_HEIGHT_MM / p.z
            soft = max(p.soft_mm * DISC_HEIGHT_MM / p.z, 0.8)
            cast = np.clip(0.5 - (np.hypot(x - sx, y - sy) - radius) / (2 * soft), 0, 1)
            dark = dark + 0.65 * p.gain / p.z**2 / total * cast
        out[box] *= 1 - np.clip(dark, 0, 0.95)
    return out


def draw_discs(
    scene: Scene, looks: dict[str, DiscLook], rays: Rays, image: F32, exposure_s: float
) -> list[DrawnBall]:
    """Draw all discs into `image` (linear RGB); returns what each covers with its top."""
    return [
        one
        for i, disc in enumerate(scene.balls)
        if (one := _draw(scene, looks[disc.colour], rays, image, i, disc, exposure_s)) is not None
    ]


def _draw(
    scene: Scene, look: DiscLook, rays: Rays, image: F32, index: int, disc: Ball, exposure_s: float
) -> DrawnBall | None:
    radius = disc.radius_mm or scene.table.ball_radius_mm
    way = np.hypot(*disc.velocity) * exposure_s
    box = rays.box_around(disc.x_mm, disc.y_mm, radius + way / 2 + 2 * DISC_HEIGHT_MM)
    if box is None:
        return None
    pitch = rays.pitch[box]
    steps = int(np.clip(np.ceil(way / (0.7 * float(np.median(pitch)))), 1, _MOST_STEPS))
    shape = pitch.shape
    alpha, top, colour = (
        np.zeros(shape, np.float32),
        np.zeros(shape, np.float32),
        np.zeros((*shape, 3), np.float32),
    )
    light = _light(scene, disc)
    wall = np.asarray(look.albedo, np.float32) * light * look.wall
    x, y = rays.at_plane(DISC_HEIGHT_MM, box)
    levels = [rays.at_plane(DISC_HEIGHT_MM * k / _WALL_LAYERS, box) for k in range(_WALL_LAYERS)]
    for k in range(steps):
        t = ((k + 0.5) / steps - 0.5) * exposure_s
        cx, cy = disc.x_mm + disc.velocity[0] * t, disc.y_mm + disc.velocity[1] * t
        a = cover(np.asarray(np.hypot(x - cx, y - cy) - radius, np.float32), pitch)
        side = np.maximum.reduce(
            [cover(np.asarray(np.hypot(u - cx, v - cy) - radius, np.float32), pitch) for u, v in levels]
        )
        both = np.maximum(a, side)
        face = _face(look, disc, (x - cx) / radius, (y - cy) / radius) * light
        colour += face * a[..., None] + wall * (both - a)[..., None]
        alpha += both
        top += a
    alpha /= steps
    top /= steps
    colour /= steps
    colour += lamp_glow(scene, rays, box, DISC_HEIGHT_MM, look.gloss) * top[..., None]
    image[box] = image[box] * (1 - alpha[..., None]) + colour
    return DrawnBall(index, box, np.asarray(top, np.float32))


def _light(scene: Scene, disc: Ball) -> F32:
    total = np.asarray(scene.ambient, np.float32).copy()
    x, y = np.array([disc.x_mm], np.float32), np.array([disc.y_mm], np.float32)
    for p in light_points(scene.lamps, (0.0, scene.table.length_mm / 2)):
        total += irradiance(p, x, y, DISC_HEIGHT_MM)[0] * np.asarray(p.colour, np.float32)
    return total


def _face(look: DiscLook, disc: Ball, u: F32, v: F32) -> F32:
    """Colours (H, W, 3) of a disc's top; `u`, `v`: radii from its centre."""
    far = np.hypot(u, v)
    tone = 1 + look.grain * sample(tile(disc.spin_seed % 7), u * 9 + disc.spin_seed % 97, v * 9, 1.0)
    out: F32 = np.asarray(look.albedo, np.float32) * np.clip(tone, 0.4, 1.8)[..., None]
    if look.star:
        turn = disc.spin_seed % 628 / 100
        angle = np.arctan2(v, u) * look.star + turn
        inside = np.asarray(far - (0.42 + 0.16 * np.cos(angle)), np.float32)
        out = mix(out, np.asarray(look.star_albedo, np.float32), np.clip(0.5 - inside / 0.06, 0, 1))
    for at, half, rgb in look.rings:
        share = np.clip(0.5 - (np.abs(far - at) - half) / 0.05, 0, 1)
        out = mix(out, np.asarray(rgb, np.float32), np.asarray(share, np.float32))
    # the rim is rounded and falls into shade
    return np.asarray(out * (1 - 0.35 * np.clip((far - 0.9) / 0.1, 0, 1))[..., None], np.float32)


def clear_share(drawn: list[DrawnBall], scene: Scene, rays: Rays, covered: F32) -> tuple[float, ...]:
    """For each disc the share of its top that is in the picture and not hidden."""
    out = [0.0] * len(scene.balls)
    for one in drawn:
        r = scene.balls[one.index].radius_mm or scene.table.ball_radius_mm
        full = max(float(one.alpha.sum()), np.pi * r * r / float(np.median(rays.pitch[one.box])) ** 2)
        out[one.index] = float((one.alpha * (1 - covered[one.box])).sum()) / full
    return tuple(out)
