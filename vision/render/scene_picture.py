"""One picture of a scene in linear light along any set of rays, with the truth of what hides what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.render import table_shape as shape
from vision.render.fittings import cover
from vision.render.limbs import draw_limbs
from vision.render.rays import Rays
from vision.render.scene import Scene
from vision.render.spheres import draw_balls
from vision.render.surfaces import table_image

F32 = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rendering:
    """`linear`: (H, W, 3) linear RGB; `covered`: (H, W) 0..1 hidden by people and things;
    `visible`: for each ball of the scene the share of its outline that is in the picture and not hidden.
    """

    linear: F32
    covered: F32
    visible: tuple[float, ...]


def render(
    scene: Scene, rays: Rays, exposure_s: float = 0.0, background: F32 | None = None, frame: F32 | None = None
) -> Rendering:
    """Shade every ray. `background`: the table without balls' and people's own pixels, if known;
    `frame`: where cushions hide what lies behind them, see `draw_balls`."""
    image = table_image(scene, rays) if background is None else background.copy()
    if scene.projection.figures:
        image = _project(scene, rays, image)
    drawn = draw_balls(scene, rays, image, exposure_s, frame)
    covered = draw_limbs(scene, rays, image)
    hidden = np.maximum(covered, 0)
    visible = [0.0] * len(scene.balls)
    above = np.zeros(covered.shape, np.float32)
    for one in reversed(drawn):
        total = float(one.alpha.sum())
        r = scene.balls[one.index].radius_mm or scene.table.ball_radius_mm
        full = max(total, np.pi * r * r / float(np.median(rays.pitch[one.box])) ** 2)
        clear = one.alpha * (1 - hidden[one.box]) * (1 - above[one.box])
        visible[one.index] = float(clear.sum()) / full
        above[one.box] = np.maximum(above[one.box], one.alpha)
    return Rendering(image, covered, tuple(visible))


def _project(scene: Scene, rays: Rays, image: F32) -> F32:
    """Thin figures of light added to whatever lies on the table."""
    p = scene.projection
    x, y = rays.at_plane(0.0)
    strength = np.zeros(x.shape, np.float32)
    for x0, y0, x1, y1 in p.figures:
        d = np.abs(np.hypot(x - x0, y - y0) - x1) if np.isnan(y1) else shape.segment(x, y, x0, y0, x1, y1)
        strength = np.maximum(strength, cover(np.asarray(d - p.width_mm / 2, np.float32), rays.pitch))
    glow = np.asarray(p.colour, np.float32) * p.strength
    lit = image * (1 + 2 * glow) + 0.1 * glow
    return np.asarray(image + (lit - image) * strength[..., None], np.float32)
