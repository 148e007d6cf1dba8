"""Single pictures of random layouts from random cameras, with their exact truth."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from calibration.camera import Camera
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from vision.render.cameras import camera_rays, random_camera, vignette
from vision.render.layout_random import frame_colours, random_balls
from vision.render.patches import random_scene
from vision.render.people import random_people
from vision.render.scene import Scene
from vision.render.scene_picture import render
from vision.render.sensor import Sensor, develop, random_sensor


@dataclass(frozen=True, slots=True)
class BallTruth:
    """One ball: centre on the cloth in mm, image of its centre in px, share of its outline in sight."""

    colour: str
    x_mm: float
    y_mm: float
    x_px: float
    y_px: float
    visible: float


@dataclass(frozen=True, slots=True)
class LayoutTruth:
    """What is in a picture: the exact camera and table, and every ball."""

    camera: Camera
    table: TableSpec
    balls: tuple[BallTruth, ...]


def random_layout_scene(
    seed: int,
    width: int,
    height: int,
    table: TableSpec = SNOOKER_TABLE,
    *,
    people: float = 0.3,
    balls: bool = True,
    tilt_deg: float = 35.0,
) -> tuple[Scene, Camera, Sensor]:
    """The scene, camera and sensor of a random picture; `people`: chance that somebody is in it."""
    rng = np.random.default_rng(seed)
    d = table.ball_diameter_mm
    table = replace(table, nose_height_mm=d * float(rng.uniform(0.62, 0.67)))
    scene = random_scene(rng, table)
    # visible marks: a camera for which the table itself shows nothing is another test
    scene = replace(
        scene,
        look=replace(
            scene.look,
            mark_width_mm=max(scene.look.mark_width_mm, 2.5),
            mark_opacity=max(scene.look.mark_opacity, 0.6),
        ),
    )
    camera = random_camera(rng, table, width, height, tilt_deg)
    if balls:
        scene = replace(scene, balls=random_balls(rng, table, frame_colours(rng)))
    if rng.random() < people:
        near = (float(rng.uniform(-0.6, 0.6) * table.width_mm), float(rng.uniform(0, table.length_mm)))
        scene = replace(scene, people=random_people(rng, table, near))
    sensor = random_sensor(rng)
    sensor = replace(sensor, gain=float(np.clip(sensor.gain, 0.6, 1.6)), contrast=max(0.0, sensor.contrast))
    return scene, camera, sensor


@cache  # several tests look at one picture, and the larger ones take seconds
def random_layout_image(
    seed: int,
    width: int = 1280,
    height: int = 720,
    table: TableSpec = SNOOKER_TABLE,
    *,
    people: float = 0.3,
    balls: bool = True,
    tilt_deg: float = 35.0,
) -> tuple[NDArray[np.uint8], LayoutTruth]:
    """An RGB picture (H, W, 3) uint8, read-only, and its truth; the same seed gives the same picture."""
    scene, camera, sensor = random_layout_scene(
        seed, width, height, table, people=people, balls=balls, tilt_deg=tilt_deg
    )
    picture, truth = photograph(scene, camera, sensor, seed)
    picture.flags.writeable = False
    return picture, truth


def photograph(
    scene: Scene, camera: Camera, sensor: Sensor, seed: int, exposure_s: float = 0.004
) -> tuple[NDArray[np.uint8], LayoutTruth]:
    """Render a scene through a camera and a sensor."""
    rng = np.random.default_rng(seed + 7)
    rays = camera_rays(camera, scene.table.ball_radius_mm)
    shot = render(scene, rays, exposure_s)
    picture = develop(shot.linear, sensor, rng, vignette(camera, float(rng.uniform(0, 0.5))))
    return picture, LayoutTruth(camera, scene.table, ball_truths(scene, camera, shot.visible))


def ball_truths(scene: Scene, camera: Camera, visible: tuple[float, ...]) -> tuple[BallTruth, ...]:
    """Every ball of a scene with the image of its centre."""
    if not scene.balls:
        return ()
    r = scene.table.ball_radius_mm
    px = camera.pixels_from_table([(b.x_mm, b.y_mm, r if b.z_mm is None else b.z_mm) for b in scene.balls])
    return tuple(
        BallTruth(b.colour, b.x_mm, b.y_mm, float(p[0]), float(p[1]), v)
        for b, p, v in zip(scene.balls, px, visible, strict=True)
    )
