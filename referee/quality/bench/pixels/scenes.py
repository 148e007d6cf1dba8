"""One camera of the bench: where it hangs, how it sees, what it looks at, how its file is packed. Drawn from
a seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from calibration.camera import Camera
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.table.specs import SNOOKER_TABLE, TableSpec
from referee.quality.bench.pixels.looks import ball_looks, lamps, table_look
from referee.quality.bench.records import Told, Where
from vision.render.cameras import camera_sees, look_at, random_camera
from vision.render.grain import Grain
from vision.render.light import irradiance, light_points
from vision.render.scene import Scene
from vision.render.sensor import Sensor
from vision.render.studio import Shutter, Studio

Rng = np.random.Generator
MAX_TILT_DEG = 35.0
Codec = Literal["h264", "h264_thin", "mjpeg"]


@dataclass(frozen=True, slots=True)
class Packing:
    """How a clip is encoded: `crf` for h264, `kbit_s` for h264_thin (a stream's rate), `quality` for mjpeg;
    `jpeg`: quality of single pictures, 0: PNG; `gop_s`: between key images."""

    codec: Codec
    crf: int
    kbit_s: int
    quality: int
    jpeg: int
    gop_s: float

    @property
    def words(self) -> str:
        if self.codec == "h264":
            return f"h264 crf {self.crf}"
        return f"h264 {self.kbit_s} kbit/s" if self.codec == "h264_thin" else f"mjpeg q {self.quality}"


@dataclass(frozen=True, slots=True)
class Setting:
    """Everything about one camera that its clips and pictures share. `tells`: what its owner says of the
    table.
    """

    scene: Scene
    camera: Camera
    sensor: Sensor
    shutter: Shutter
    grain: Grain
    falloff: float
    packing: Packing
    tells: Told
    words: str
    cloth: str
    tilt_deg: float
    lens_deg: float

    @property
    def told(self) -> TableSpec:
        """The table as the program is told it, the only thing of the scene that it hears of."""
        return as_told(self.scene.table, self.tells)

    def studio(self, seed: int) -> Studio:
        """What photographs it; `seed` draws the grain."""
        return Studio(self.scene, self.camera, self.sensor, self.shutter, self.grain, self.falloff, seed)

    def where(
        self, camera: int, seed: int, source: Literal["clip", "layout"], item: int, image_hz: float
    ) -> Where:
        """The circumstances that records of this camera carry."""
        c = self.camera
        middle = (0.0, self.scene.table.length_mm / 2)
        still = "png" if self.packing.jpeg == 0 else f"jpeg {self.packing.jpeg}"
        return Where(
            camera,
            seed,
            source,
            item,
            self.words,
            self.cloth,
            c.width_px,
            c.height_px,
            image_hz,
            round(self.shutter.exposure_s, 5),
            round(mm_per_px(c, *middle), 4),
            round(c.centre_mm[2], 1),
            round(self.tilt_deg, 2),
            round(self.lens_deg, 2),
            still if source == "layout" else self.packing.words,
            self.tells,
        )


def as_told(table: TableSpec, tells: Told) -> TableSpec:
    """What the program takes for a table when its owner types what he tells, as a tape and a rule give it.

    What is not told does not get through: it goes by the command line's words.
    """
    if tells == "nothing":
        return parse_table(DEFAULT_TABLE, None)
    read_mm = round(2 * table.nose_height_mm) / 2  # a rule is read to half a millimetre
    nose_mm = read_mm if tells == "all" else None
    return parse_table(f"{table.length_mm:.1f}x{table.width_mm:.1f}", None, nose_mm)


def mm_per_px(camera: Camera, x_mm: float, y_mm: float) -> float:
    """Size of a pixel on the cloth near (x, y): square root of the area that it covers."""
    p = camera.pixels_from_table([(x_mm, y_mm, 0.0), (x_mm + 1.0, y_mm, 0.0), (x_mm, y_mm + 1.0, 0.0)])
    (ax, ay), (bx, by) = p[1] - p[0], p[2] - p[0]
    return float(1.0 / math.sqrt(max(abs(ax * by - ay * bx), 1e-12)))


def draw_setting(seed: tuple[int, ...], width_px: int, height_px: int, image_hz: float) -> Setting:
    """The camera of a seed, for pictures of a size; the same seed gives the same setting."""
    rng = np.random.default_rng([*seed, 1])
    table, tells = _table(rng)
    looks, balls = ball_looks(rng)
    lights, ambient, kind = lamps(rng, table)
    look, cloth, (rails, pockets) = table_look(rng)
    scene = Scene(
        table,
        look,
        looks,
        lights,
        (ambient, ambient, ambient * 1.03),
        float(rng.uniform(0.03, 0.07)),
        float(rng.uniform(0.4, 0.9)),
    )
    camera, tilt = _camera(rng, table, width_px, height_px)
    exposure = float(np.exp(rng.uniform(math.log(0.0015), math.log(min(0.014, 0.6 / image_hz)))))
    readout = float(rng.uniform(0.002, 0.012)) if rng.random() < 0.8 else 0.0
    words = f"{kind}, {rails} rails, {pockets} pockets, {balls} balls, shutter rolls {readout * 1000:.0f} ms"
    lens = 2 * math.degrees(math.atan(width_px / 2 / camera.focal_px))
    return Setting(
        scene,
        camera,
        _sensor(rng, scene),
        Shutter(exposure, readout),
        _grain(rng, exposure),
        float(rng.uniform(0.05, 0.6)),
        _packing(rng, width_px, height_px, image_hz),
        tells,
        words,
        cloth,
        tilt,
        lens,
    )


def _table(rng: Rng) -> tuple[TableSpec, Told]:
    """A full-size table as built, and what its owner tells: of eight two nothing, three the size, three all.

    Half of all tables have the rules' size, and their owners tell it. No rule gives a nose height: none is
    nominal. One number decides all of it, so that what is told changes nothing else of a scene.
    """
    d = SNOOKER_TABLE.ball_diameter_mm
    kind = rng.random()
    size = (SNOOKER_TABLE.length_mm, SNOOKER_TABLE.width_mm)
    if kind >= 0.5:
        # 1.1(a) allows 13 mm; most tables are nearer
        size = (
            size[0] + float(np.clip(rng.normal(0, 3), -10, 10)),
            size[1] + float(np.clip(rng.normal(0, 2), -8, 8)),
        )
    table = TableSpec(
        size[0],
        size[1],
        nose_height_mm=d * float(rng.uniform(0.64, 0.70)),
        corner_mouth_mm=float(rng.uniform(86, 92)),
        centre_mouth_mm=float(rng.uniform(102, 108)),
        corner_jaw_radius_mm=float(rng.uniform(45, 75)),
        centre_jaw_radius_mm=float(rng.uniform(45, 75)),
    )
    return table, "nothing" if kind >= 0.75 else "all" if kind % 0.25 >= 0.125 else "size"


def _camera(rng: Rng, table: TableSpec, width: int, height: int) -> tuple[Camera, float]:
    """A camera 1.9 to 3.2 m up, tilted to 35 degrees, rolled, with a lens to 120 degrees, and its tilt in
    degrees.
    """
    for _ in range(200):
        base = random_camera(rng, table, width, height, MAX_TILT_DEG, float(rng.uniform(0.008, 0.09)))
        ox, oy, oz = base.centre_mm
        if not 1899.0 <= oz <= 3201.0:
            continue
        aim = (float(rng.normal(0, 40)), table.length_mm / 2 + float(rng.normal(0, 70)), 0.0)
        up = float(rng.choice([0.0, 180.0])) + float(rng.normal(0, 4.0))
        turn = look_at((ox, oy, oz), aim, up)
        camera = camera_sees(table, base, turn, float(rng.uniform(0.008, 0.09)))
        if camera is not None:
            tilt = math.degrees(math.acos(float(np.clip(-turn[2, 2], -1, 1))))
            return camera, tilt
    raise RuntimeError("no camera sees the whole table")


def _sensor(rng: Rng, scene: Scene) -> Sensor:
    """Processing with automatic exposure: the cloth's light in the middle decides the gain."""
    x, y = np.zeros((1, 1), np.float32), np.full((1, 1), scene.table.length_mm / 2, np.float32)
    points = light_points(scene.lamps, (0.0, scene.table.length_mm / 2))
    level = scene.ambient[1] + sum(float(irradiance(p, x, y)[0, 0]) * p.colour[1] for p in points)
    tint = rng.normal(0, 0.03, 2)
    return Sensor(
        gain=float(rng.uniform(0.85, 1.35)) / max(level, 0.2),
        balance=(float(1 + tint[0]), 1.0, float(1 + tint[1])),
        saturation=float(rng.uniform(0.9, 1.35)),
        gamma=float(rng.uniform(2.0, 2.4)),
        contrast=float(rng.uniform(0, 0.35)),
        lift=float(rng.choice([0.0, rng.uniform(0, 0.04)])),
        blur_px=float(rng.uniform(0.45, 1.0)),
        halo=float(rng.choice([0.0, rng.uniform(0.1, 0.7)])),
        hue_deg=float(rng.normal(0, 1.5)),
    )


def _grain(rng: Rng, exposure_s: float) -> Grain:
    """Short exposures are noisier; rows, columns, bad pixels and mains flicker in some cameras."""
    poor = (0.004 / exposure_s) ** 0.5 * float(rng.uniform(0.5, 1.3))
    return Grain(
        dark=float(np.clip(1.2 * poor, 0.4, 3.5)),
        bright=float(np.clip(2.2 * poor, 0.8, 5.0)),
        clumped=float(rng.uniform(0, 0.8)),
        rows=float(rng.choice([0.0, rng.uniform(0.2, 1.2)])),
        columns=float(rng.choice([0.0, rng.uniform(0.2, 1.0)])),
        bad_pixels=float(rng.choice([0.0, 2e-6, 1e-5])),
        flicker=float(rng.choice([0.0, 0.0, rng.uniform(0.004, 0.025)])),
    )


def _packing(rng: Rng, width: int, height: int, image_hz: float) -> Packing:
    codec: Codec = ("h264", "h264_thin", "mjpeg")[int(rng.choice(3, p=[0.5, 0.3, 0.2]))]
    # what network cameras are set to: 0.06 to 0.12 bit a pixel at 25 images a second
    bits = float(rng.uniform(0.06, 0.12)) * width * height * 25 * (image_hz / 25) ** 0.6
    return Packing(
        codec,
        int(rng.integers(20, 29)),
        round(bits / 1000),
        int(rng.integers(3, 9)),
        0 if rng.random() < 0.15 else int(rng.integers(62, 94)),
        float(rng.choice([1.0, 2.0, 8.0])),
    )
