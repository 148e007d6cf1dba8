"""One camera over one table, photographed many times: only what lies on the table is rendered again.

The empty table is rendered once, with the light of each lamp apart. A box of a picture then costs the
shadows, balls and limbs in it. Noise comes last, over the whole picture. A rolling shutter shows each
ball where it is when its row is read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from vision.render import table_shape as shape
from vision.render.cameras import camera_rays, vignette
from vision.render.film import box_of_ball, changed_balls, merged, with_margin
from vision.render.fittings import cover
from vision.render.grain import Grain, GrainMaker
from vision.render.light import bare_light, cloth_light, limb_box
from vision.render.play.director import Script
from vision.render.rays import Box, Rays
from vision.render.scene import Ball, Capsule, Scene
from vision.render.scene_picture import render
from vision.render.sensor import Sensor, develop
from vision.render.surfaces import cloth_image, table_image

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
_MARGIN_PX = 8
_LIMB_STEP = 3


@dataclass(frozen=True, slots=True)
class Shutter:
    """`exposure_s`: how long each row sees light; `readout_s`: from the first row's moment to the last
    row's.
    """

    exposure_s: float = 0.004
    readout_s: float = 0.0

    def row_delay_s(self, row_px: float, height_px: int) -> float:
        """When a row of a picture is read, counted from the middle row."""
        return float(np.clip(row_px / height_px - 0.5, -0.5, 0.5)) * self.readout_s


class Studio:
    """Photographs a scene's table (its own balls and people are left out) with any balls and people on it."""

    def __init__(
        self,
        scene: Scene,
        camera: Camera,
        sensor: Sensor,
        shutter: Shutter,
        grain: Grain,
        falloff: float = 0.2,
        seed: int = 0,
    ) -> None:
        self.scene = replace(scene, balls=(), people=())
        self.camera, self.shutter = camera, shutter
        self.rays = camera_rays(camera, scene.table.ball_radius_mm)
        self.falloff = vignette(camera, falloff)
        self.clean = replace(sensor, noise=0.0, read_noise=0.0, quality=0, chroma=1)
        self.grain = GrainMaker(grain, camera.height_px, camera.width_px, shutter.readout_s, seed)
        self._rng = np.random.default_rng(
            seed
        )  # `develop` asks for one; without noise nothing is drawn from it
        self._prepare()
        self._resting: tuple[Ball, ...] = ()
        self._still = self.empty.copy()

    def _prepare(self) -> None:
        rays = self.rays
        self.bare = bare_light(self.scene, rays)
        self.lit = cloth_light(self.scene, rays, self.bare)
        self.table: F32 = table_image(self.scene, rays)
        x, y = rays.at_plane(self.scene.table.nose_height_mm)
        self.frame: F32 = cover(-shape.nose_outline(x, y, self.scene.table), rays.pitch)
        # the cloth's share of each pixel, over the light that it was seen in: times another light it is that
        # light's
        open_cloth = cloth_image(self.scene, rays, self.lit) * (1 - self.frame)[..., None]
        self.cloth: F32 = np.asarray(open_cloth / np.maximum(self.lit, 1e-6), np.float32)
        self.empty: U8 = develop(self.table, self.clean, self._rng, self.falloff)

    def picture(self, balls: tuple[Ball, ...], people: tuple[Capsule, ...] = (), t_s: float = 0.0) -> U8:
        """RGB (H, W, 3) with noise. Balls at rest are kept from picture to picture and only drawn when they
        change.
        """
        return self.grain.lay(self.shown(balls, people), t_s)

    def shown(self, balls: tuple[Ball, ...], people: tuple[Capsule, ...] = ()) -> U8:
        """The picture before the noise."""
        resting = tuple(b for b in balls if b.velocity == (0.0, 0.0) and b.z_mm is None)
        self._rest(resting)
        boxes = [self._around(b) for b in balls if b.velocity != (0.0, 0.0) or b.z_mm is not None]
        boxes += [limb_box(limb, self.rays, 1.6) for limb in people]
        out = self._still.copy()
        scene = replace(self.scene, balls=balls, people=people)
        for box in merged([b for b in boxes if b is not None]):
            out[box] = self._piece(scene, box)
        return out

    def _rest(self, resting: tuple[Ball, ...]) -> None:
        changed = changed_balls(self._resting, resting)
        if not changed:
            return
        scene = replace(self.scene, balls=resting)
        for box in merged([b for b in (self._around(ball) for ball in changed) if b is not None]):
            self._still[box] = self._piece(scene, box)
        self._resting = resting

    def _around(self, ball: Ball) -> Box | None:
        return box_of_ball(self.rays, ball, self.scene.table.ball_radius_mm, self.shutter.exposure_s)

    def _piece(self, scene: Scene, box: Box) -> U8:
        """The developed picture within a box, rendered with a margin for the lens blur."""
        big, inner = with_margin(box, self.rays, _MARGIN_PX)
        rays = self.rays.part(big)
        near = replace(scene, balls=tuple(b for b in scene.balls if self._reaches(b, rays)))
        light = cloth_light(near, rays, [e[big] for e in self.bare], _LIMB_STEP)
        background = self.table[big] + self.cloth[big] * (light - self.lit[big])
        shot = render(
            near, rays, self.shutter.exposure_s, np.asarray(background, np.float32), self.frame[big]
        )
        return develop(shot.linear, self.clean, self._rng, self.falloff[big])[inner]

    def _reaches(self, ball: Ball, rays: Rays) -> bool:
        r = self.scene.table.ball_radius_mm
        return rays.box_around(ball.x_mm, ball.y_mm, 4 * r) is not None

    def row_delay_s(self, x_mm: float, y_mm: float) -> float:
        """When the row that shows a ball is read, counted from the middle row."""
        (px,) = self.camera.pixels_from_table([(x_mm, y_mm, self.scene.table.ball_radius_mm)])
        return self.shutter.row_delay_s(float(px[1]), self.camera.height_px)

    def filmed(self, script: Script, t_s: float) -> tuple[Ball, ...]:
        """The balls of a script as the shutter finds them at an image's time: each at its own row's
        moment.
        """
        balls = script.balls(t_s)
        if self.shutter.readout_s <= 0:
            return balls
        return tuple(self._rolled(b, k, script, t_s) for k, b in enumerate(balls))

    def _rolled(self, ball: Ball, k: int, script: Script, t_s: float) -> Ball:
        if ball.velocity == (0.0, 0.0) or ball.z_mm is not None:
            return ball
        delay = self.row_delay_s(ball.x_mm, ball.y_mm)
        names = list(script.layout(t_s))
        there = script.layout(t_s + delay).get(names[k]) if k < len(names) else None
        if there is None:
            return ball
        velocity = script.velocities(t_s + delay).get(names[k], (0.0, 0.0))
        # a ball that rests at its row's moment keeps a trace of motion, so that it is not kept as one at rest
        return replace(
            ball, x_mm=there[0], y_mm=there[1], velocity=velocity if velocity != (0.0, 0.0) else (1e-3, 0.0)
        )
