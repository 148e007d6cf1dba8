"""The pictures of a clip: a still background is developed once, only what changes is rendered again."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from vision.render.cameras import camera_rays, vignette
from vision.render.light import limb_box
from vision.render.play.director import Script
from vision.render.rays import Box, Rays
from vision.render.scene import Ball, Scene
from vision.render.scene_picture import Rendering, render
from vision.render.sensor import Sensor, develop

U8 = NDArray[np.uint8]
MARGIN_PX = 10


class Draw(Protocol):
    """Makes the linear picture of a scene along rays."""

    def __call__(self, scene: Scene, rays: Rays, exposure_s: float = 0.0) -> Rendering: ...


class Film:
    """Renders a script through one camera, image by image."""

    def __init__(
        self,
        script: Script,
        scene: Scene,
        camera: Camera,
        sensor: Sensor,
        exposure_s: float,
        seed: int,
        draw: Draw = render,
    ) -> None:
        """`draw`: what makes a linear picture of a scene: of a cue table, or of a board."""
        self._draw = draw
        self.script, self.scene, self.exposure_s = script, scene, exposure_s
        self.rays = camera_rays(camera, scene.table.ball_radius_mm)
        self.fall = vignette(camera, 0.2)
        # noise comes last and lies over everything alike; the compression is the video's own
        self.clean = replace(sensor, noise=0.0, read_noise=0.0, quality=0, chroma=1)
        rng = np.random.default_rng(seed)
        self.rng = rng
        self.dirt = rng.standard_normal((camera.height_px + 64, camera.width_px + 64, 3), np.float32)
        self.grain = 255 * (0.5 * sensor.noise + sensor.read_noise)
        self.key: tuple[Ball, ...] | None = None
        self.still: U8 = np.zeros((camera.height_px, camera.width_px, 3), np.uint8)

    def images(self, times: NDArray[np.float64]) -> Iterator[U8]:
        """RGB pictures (H, W, 3) at the given mid-exposure times."""
        for t in times:
            yield self.image(float(t))

    def image(self, t_s: float) -> U8:
        """One picture: the resting balls' picture, with everything that moves rendered over it."""
        balls = self.script.balls(t_s)
        resting = tuple(b for b in balls if b.velocity == (0.0, 0.0) and b.z_mm is None)
        self._background(resting)
        people = self.script.people(t_s)
        scene = replace(self.scene, balls=balls, people=people)
        out = self.still.copy()
        for box in self._changed(scene, resting):
            out[box] = self._piece(scene, box)
        i, j = (int(v) for v in self.rng.integers(0, 64, 2))
        h, w = out.shape[:2]
        noisy = out + self.dirt[i : i + h, j : j + w] * np.float32(self.grain)
        return np.asarray(np.clip(noisy + 0.5, 0, 255), np.uint8)

    def _background(self, resting: tuple[Ball, ...]) -> None:
        if resting == self.key:
            return
        scene = replace(self.scene, balls=resting, people=())
        if self.key is None:
            shot = self._draw(scene, self.rays)
            self.still = develop(shot.linear, self.clean, self.rng, self.fall)
        else:
            for ball in changed_balls(self.key, resting):
                box = self._around(ball)
                if box is not None:
                    self.still[box] = self._piece(scene, box)
        self.key = resting

    def _around(self, ball: Ball) -> Box | None:
        return box_of_ball(self.rays, ball, self.scene.table.ball_radius_mm, self.exposure_s)

    def _changed(self, scene: Scene, resting: tuple[Ball, ...]) -> list[Box]:
        boxes = [self._around(b) for b in scene.balls if b not in resting]
        boxes += [limb_box(limb, self.rays, 1.6) for limb in scene.people]
        return merged([b for b in boxes if b is not None])

    def _piece(self, scene: Scene, box: Box) -> U8:
        """The developed picture within a box, rendered with a margin for the lens blur."""
        big, inner = with_margin(box, self.rays, MARGIN_PX)
        shot = self._draw(scene, self.rays.part(big), self.exposure_s)
        return develop(shot.linear, self.clean, self.rng, self.fall[big])[inner]


def changed_balls(before: tuple[Ball, ...], now: tuple[Ball, ...]) -> list[Ball]:
    """Balls of one picture that are not in the other, in their order (a set's would differ from run to
    run).
    """
    return [b for b in before if b not in now] + [b for b in now if b not in before]


def box_of_ball(rays: Rays, ball: Ball, radius_mm: float, exposure_s: float) -> Box | None:
    """The box that a ball with its shadow can change, None when it is out of the picture."""
    lift = 0.0 if ball.z_mm is None else max(ball.z_mm, 0.0)
    return rays.box_around(
        ball.x_mm, ball.y_mm, 3.4 * radius_mm + lift + math.hypot(*ball.velocity) * exposure_s
    )


def with_margin(box: Box, rays: Rays, margin_px: int) -> tuple[Box, Box]:
    """The box grown by a margin for the lens blur, within the picture, and where the box lies in it."""
    h, w = rays.x.shape
    y0, y1, x0, x1 = box[0].start, box[0].stop, box[1].start, box[1].stop
    big = (
        slice(max(0, y0 - margin_px), min(h, y1 + margin_px)),
        slice(max(0, x0 - margin_px), min(w, x1 + margin_px)),
    )
    oy, ox = y0 - big[0].start, x0 - big[1].start
    return big, (slice(oy, oy + y1 - y0), slice(ox, ox + x1 - x0))


def merged(boxes: list[Box]) -> list[Box]:
    """Overlapping boxes joined, so that no pixel is rendered twice."""
    out: list[Box] = []
    for box in boxes:
        current = box
        again = True
        while again:
            again = False
            for other in out:
                a, b = current, other
                if (
                    a[0].start < b[0].stop
                    and b[0].start < a[0].stop
                    and a[1].start < b[1].stop
                    and b[1].start < a[1].stop
                ):
                    out.remove(other)
                    current = (
                        slice(min(a[0].start, b[0].start), max(a[0].stop, b[0].stop)),
                        slice(min(a[1].start, b[1].start), max(a[1].stop, b[1].stop)),
                    )
                    again = True
                    break
        out.append(current)
    return out
