"""How much of each ball a camera can see past people, other balls and the edge of the picture: truth, without
a picture.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from vision.render.light import limb_miss
from vision.render.scene import Ball, Capsule

_SAMPLES = 61


def _disc() -> NDArray[np.float64]:
    """Points (n, 2) spread evenly over a unit disc (sunflower)."""
    k = np.arange(_SAMPLES) + 0.5
    radius, angle = np.sqrt(k / _SAMPLES), k * math.pi * (3 - math.sqrt(5))
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)


def visible_shares(
    camera: Camera,
    balls: tuple[Ball, ...],
    people: tuple[Capsule, ...],
    radius_mm: float,
    wanted: tuple[int, ...] | None = None,
) -> tuple[float, ...]:
    """Share of each ball's disc, as the camera sees it, that lies in the picture and is hidden by nothing.

    `wanted`: of which of the balls; the others only hide.
    """
    return tuple(
        _share(camera, i, balls, people, radius_mm) for i in (range(len(balls)) if wanted is None else wanted)
    )


def _share(
    camera: Camera, index: int, balls: tuple[Ball, ...], people: tuple[Capsule, ...], radius_mm: float
) -> float:
    origin = np.asarray(camera.centre_mm)
    centre = _centre(balls[index], radius_mm)
    ahead = centre - origin
    far = float(np.linalg.norm(ahead))
    ahead /= far
    right = np.cross(ahead, (0.0, 1.0, 0.0))
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    disc = _disc() * 0.97 * radius_mm
    points = centre + disc[:, :1] * right + disc[:, 1:] * up
    px = camera.pixels_from_table(points)
    clear = (
        np.isfinite(px).all(1)
        & (px[:, 0] > -0.5)
        & (px[:, 0] < camera.width_px - 0.5)
        & (px[:, 1] > -0.5)
        & (px[:, 1] < camera.height_px - 0.5)
    )
    d = points - origin
    reach = np.linalg.norm(d, axis=1)
    d /= reach[:, None]
    for k, other in enumerate(balls):
        there = _centre(other, radius_mm) - origin
        if (
            k != index
            and float(np.linalg.norm(there)) < far
            and np.linalg.norm(_centre(other, radius_mm) - centre) < 6 * radius_mm
        ):
            clear &= np.linalg.norm(np.cross(d, there), axis=1) > radius_mm
    dx, dy, dz = (np.asarray(d[:, i], np.float32)[None] for i in range(3))
    o = [np.full_like(dx, v) for v in origin]
    for limb in people:
        miss, s, t = limb_miss(limb.a, limb.b, o[0], o[1], o[2], dx, dy, dz)
        thick = limb.radius_a_mm + s * (limb.radius_b_mm - limb.radius_a_mm)
        clear &= ~((miss < thick) & (t < reach))[0]
    return float(clear.mean())


def _centre(ball: Ball, radius_mm: float) -> NDArray[np.float64]:
    return np.array([ball.x_mm, ball.y_mm, radius_mm if ball.z_mm is None else ball.z_mm])
