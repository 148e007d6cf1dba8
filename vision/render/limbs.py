"""People and their things: limbs, heads, cues and rests as tapered capsules over the table."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.light import irradiance, light_points, limb_box, limb_miss, reduced
from vision.render.noise import sample, tile
from vision.render.rays import Rays
from vision.render.scene import Capsule, Scene

F32 = NDArray[np.float32]


def draw_limbs(scene: Scene, rays: Rays, image: F32) -> F32:
    """Draw all capsules into `image`, lowest first; returns how much of each pixel they cover (H, W)."""
    covered = np.zeros(rays.x.shape, np.float32)
    for limb in sorted(scene.people, key=lambda c: min(c.a[2], c.b[2])):
        box = limb_box(limb, rays)
        if box is None:
            continue
        alpha, colour = _limb(scene, rays, box, limb)
        image[box] = image[box] * (1 - alpha[..., None]) + colour * alpha[..., None]
        covered[box] = np.maximum(covered[box], alpha)
    return covered


def _limb(scene: Scene, rays: Rays, box: tuple[slice, slice], limb: Capsule) -> tuple[F32, F32]:
    dx, dy, dz = rays.directions(box)
    o = [np.full_like(dx, v) for v in rays.origin]
    miss, s, t = limb_miss(limb.a, limb.b, o[0], o[1], o[2], dx, dy, dz)
    radius = limb.radius_a_mm + s * (limb.radius_b_mm - limb.radius_a_mm)
    width = rays.pitch[box] * np.float32(t.mean() / max(rays.origin[2] - rays.z_mm, 1.0))
    alpha = np.clip(0.5 - (miss - radius) / np.maximum(width, 0.1), 0, 1)
    # across the limb the surface turns away from above like a half cylinder
    round_ = np.sqrt(np.clip(1 - (miss / np.maximum(radius, 1e-3)) ** 2, 0, 1))
    px, py = o[0] + t * dx, o[1] + t * dy
    z = 0.5 * (limb.a[2] + limb.b[2])
    light = _light_on(scene, px, py, z) * (0.35 + 0.65 * round_)[..., None] + np.asarray(
        scene.ambient, np.float32
    )
    grain = sample(tile(4), np.asarray(px, np.float32), np.asarray(py, np.float32), 1.8)
    tone = np.clip(1 + limb.texture * grain, 0.2, 2.5) * (0.45 + 0.55 * round_)
    colour = np.asarray(limb.albedo, np.float32) * tone[..., None] * light
    if limb.gloss:
        colour = colour + (limb.gloss * round_**24)[..., None] * light
    return np.asarray(alpha, np.float32), np.asarray(colour, np.float32)


def _light_on(scene: Scene, px: F32, py: F32, z: float) -> F32:
    """Light (H, W, 3) of the lamps at places of one height; where there are many, between places 4 px
    apart.
    """
    shape = px.shape
    large = min(shape) > 16
    if large:
        px, py = reduced(px, 4), reduced(py, 4)
    light = np.zeros((*px.shape, 3), np.float32)
    for p in light_points(scene.lamps, (0.0, scene.table.length_mm / 2)):
        if p.z > z + 150:
            light += np.minimum(irradiance(p, px, py, z), 3.0)[..., None] * np.asarray(p.colour, np.float32)
    if large:
        light = np.asarray(cv2.resize(light, shape[::-1], interpolation=cv2.INTER_LINEAR), np.float32)
    return light
