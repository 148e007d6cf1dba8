"""Training patches: small pieces of random scenes as the detector sees them, with exact targets.

A patch is rendered at the resolution and in the axes of its camera's image, passes the sensor and its
compression there, and is then resampled to the ball plane at 12 px a diameter, as at run time.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import av
import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import WPA_TABLE, TableSpec, small_table
from vision.observation import BALL_CLASSES
from vision.render.bare_arms import random_bare_arm
from vision.render.layout_random import random_balls, random_pack
from vision.render.looks import cloth_like, linear, random_ball_looks, random_lamps, random_table_look
from vision.render.people import random_people
from vision.render.rays import Rays, grid_rays
from vision.render.scene import Ball, Capsule, Projection, Scene
from vision.render.scene_picture import Rendering, render
from vision.render.sensor import Sensor, cheap, develop, random_sensor

PX_PER_DIAMETER = 12
PATCH_PX = 128
SIZES_PX = (7.0, 24.0)  # of a ball's diameter in the picture: smallest and largest
_USUAL = np.array([0.12, 0.25, 0.08, 0.10, 0.15, 0.09, 0.11, 0.10])
_DARK = np.array([0.06, 0.16, 0.03, 0.18, 0.16, 0.15, 0.04, 0.22])
"""Shares of `BALL_CLASSES` among the balls of a piece."""
_CAMOUFLAGED = ("green", "green", "green", "blue", "blue", "red", "red", "brown", "black", "black")
"""Of what colour the cloth is taken."""
_AT_SPOT, _IN_JAWS = 0.2, 0.12
"""Shares of the pieces about a colour's spot, with its ball on it or the mark alone, and about a ball in a
pocket's jaws.
"""
_BARE_ARMS, _FAST, _CHEAP, _CODED = 0.22, 0.3, 0.25, 0.4
"""Shares of the pieces with an arm as real rooms show it, with balls that leave streaks, of a cheap
camera, and coded as a video at a low bit rate."""
_LONGEST = 8.0  # diameters; 8 m/s for 50 ms
_SPOT_TAKEN, _JAWS_HANGING, _HANGING = 0.6, 0.5, 0.12
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class Patch:
    """`image`: (P, P, 3) uint8 RGB in the ball plane; `cover`: (P/2, P/2) uint8 0..255 hidden by things;
    `balls`: (n, 6) float32 rows of x_px, y_px, class, visible share, and the way during the exposure,
    px (x, y)."""

    image: NDArray[np.uint8]
    cover: NDArray[np.uint8]
    balls: NDArray[np.float32]


def random_table(rng: Rng) -> TableSpec:
    """Full-size snooker mostly; small and pool tables, other jaws and nose heights."""
    kind = rng.random()
    if kind < 0.5:
        table = TableSpec(float(rng.uniform(3556, 3582)), float(rng.uniform(1765, 1791)))
    elif kind < 0.8:
        length = float(rng.uniform(1700, 3000))
        table = small_table(length, length / 2, float(rng.uniform(47, 57.5)))
    else:
        table = WPA_TABLE
    d = table.ball_diameter_mm
    return replace(
        table,
        nose_height_mm=d * float(rng.uniform(0.6, 0.7)),
        corner_mouth_mm=d * float(rng.uniform(1.6, 2.3)),
        centre_mouth_mm=d * float(rng.uniform(1.8, 2.5)),
        corner_jaw_radius_mm=float(rng.uniform(2, 80)),
        centre_jaw_radius_mm=float(rng.uniform(2, 80)),
    )


def random_scene(rng: Rng, table: TableSpec, camouflaged: str | None = None) -> Scene:
    """Table, lamps and ball colours; no balls or people yet. The cloth is nearly of the colour of
    `camouflaged` balls.
    """
    ambient = float(rng.uniform(0.06, 0.55))
    look, looks = random_table_look(rng), random_ball_looks(rng)
    if camouflaged is not None:
        look = replace(look, cloth=cloth_like(rng, looks[camouflaged]))
    return Scene(
        table,
        look,
        looks,
        random_lamps(rng, table),
        (ambient, ambient, ambient),
        float(rng.uniform(0.025, 0.09)),
        float(rng.uniform(0.3, 1.0)),
    )


def focus(rng: Rng, table: TableSpec) -> tuple[float, float]:
    """Where a patch is centred: anywhere, but often at pockets, cushions and marks."""
    kind = rng.random()
    w, length = table.half_width_mm, table.length_mm
    if kind < 0.3:
        p = table.pockets[int(rng.integers(0, 6))]
        return p.x_mm + float(rng.normal(0, 120)), p.y_mm + float(rng.normal(0, 120))
    if kind < 0.48:
        side = int(rng.integers(0, 4))
        x = float(rng.uniform(-w, w)) if side < 2 else (w if side == 2 else -w)
        y = (0.0 if side == 0 else length) if side < 2 else float(rng.uniform(0, length))
        return x + float(rng.normal(0, 80)), y + float(rng.normal(0, 80))
    return float(rng.uniform(-w, w)), float(rng.uniform(0, length))


def _occasion(
    rng: Rng, table: TableSpec, camouflaged: str | None, usual: tuple[float, float]
) -> tuple[tuple[float, float], tuple[Ball, ...], float]:
    """Where a piece is centred, the ball that lies there before all others, and the share of the others over
    a pocket's edge.

    The marks about a spot cut a ball of the cloth's colour into pieces, and are no ball once it is gone.
    """
    kind = rng.random()
    spots = [c for c in BALL_CLASSES if c in table.spots]
    if kind < _AT_SPOT and spots:
        own = camouflaged if camouflaged in spots and rng.random() < 0.6 else str(rng.choice(spots))
        x, y = table.spots[own]
        ball = Ball(
            own,
            x + float(rng.normal(0, 1)),
            y + float(rng.normal(0, 1)),
            (0.0, 0.0),
            None,
            int(rng.integers(0, 1 << 30)),
        )
        return (
            (x + float(rng.normal(0, 90)), y + float(rng.normal(0, 90))),
            (ball,) if rng.random() < _SPOT_TAKEN else (),
            _HANGING,
        )
    if _AT_SPOT < kind < _AT_SPOT + _IN_JAWS:
        p = table.pockets[int(rng.integers(0, 6))]
        return (p.x_mm + float(rng.normal(0, 60)), p.y_mm + float(rng.normal(0, 60))), (), _JAWS_HANGING
    return usual, (), _HANGING


def camera_origin(rng: Rng, table: TableSpec) -> tuple[float, float, float]:
    """Camera centre: above the middle, or off to a side as far as a tilt of 35 degrees asks."""
    h = (
        float(rng.uniform(0.55, 1.0) * table.length_mm)
        if rng.random() < 0.7
        else float(rng.uniform(1700, 3400))
    )
    off = abs(float(rng.normal(0, 0.08))) if rng.random() < 0.55 else float(rng.uniform(0, 0.9))
    a = float(rng.uniform(0, 6.283))
    return h * off * math.cos(a), table.length_mm / 2 + h * off * math.sin(a), h


def patch_rays(
    rng: Rng,
    origin: tuple[float, float, float],
    diameter_mm: float,
    plane_z_mm: float,
    centre: tuple[float, float],
    sizes_px: tuple[float, float] = SIZES_PX,
) -> tuple[Rays, NDArray[np.float64]]:
    """Rays of the camera's own pixels around a patch, and the 2x3 source-from-patch affine map.

    The patch lies in the plane z = `plane_z_mm`, 12 px a `diameter_mm`; `sizes_px`: as in `random_shot`.
    """
    d = diameter_mm
    px_mm = d / math.exp(rng.uniform(math.log(sizes_px[0]), math.log(sizes_px[1])))
    lean = np.array([centre[0] - origin[0], centre[1] - origin[1]]) / origin[2]
    axes = _mm_from_source(rng, lean) * px_mm
    mm_per_px = d / PX_PER_DIAMETER
    patch_axes = np.array([[mm_per_px, 0.0], [0.0, -mm_per_px]])
    source_from_patch = np.linalg.inv(axes) @ patch_axes
    half = (PATCH_PX - 1) / 2
    corners = source_from_patch @ np.array([[-half, half, half, -half], [-half, -half, half, half]])
    reach = np.abs(corners).max(axis=1)
    w, h = int(2 * reach[0] + 8), int(2 * reach[1] + 8)
    rays = grid_rays(
        origin,
        plane_z_mm,
        centre,
        ((float(axes[0, 0]), float(axes[1, 0])), (float(axes[0, 1]), float(axes[1, 1]))),
        (h, w),
    )
    shift = np.array([(w - 1) / 2, (h - 1) / 2]) - source_from_patch @ np.array([half, half])
    return rays, np.hstack([source_from_patch, shift[:, None]])


@dataclass(frozen=True, slots=True)
class Shot:
    """A piece of a random camera's picture. `picture`: (H, W, 3) uint8 RGB; `covered`: (H, W) 0..1 hidden
    by things; `rays`: where its pixels meet the plane of the ball centres; `source_from_patch`: (2, 3)
    affine map of pixels of the ball plane's patch around `centre`.
    """

    picture: NDArray[np.uint8]
    covered: NDArray[np.float32]
    scene: Scene
    rays: Rays
    source_from_patch: NDArray[np.float64]
    centre: tuple[float, float]
    visible: tuple[float, ...]
    exposure_s: float

    @staticmethod
    def of(
        scene: Scene,
        rays: Rays,
        source_from_patch: NDArray[np.float64],
        centre: tuple[float, float],
        exposure_s: float,
    ) -> Shot:
        """A shot whose picture is still to be drawn."""
        nothing = np.zeros((0, 0, 3), np.uint8), np.zeros((0, 0), np.float32)
        return Shot(*nothing, scene, rays, source_from_patch, centre, (), exposure_s)


def _mm_from_source(rng: Rng, lean: NDArray[np.float64]) -> NDArray[np.float64]:
    """How the pixels of a camera lie on the table, 1 mm each: columns right and down. They are rolled, and
    mostly foreshortened along the direction in which the ray leans.
    """
    slope = float(np.hypot(*lean))
    roll = float(rng.choice([rng.normal(0, 0.06), rng.uniform(0, 6.283)], p=[0.75, 0.25]))
    turn = np.array([[math.cos(roll), -math.sin(roll)], [math.sin(roll), math.cos(roll)]])
    stretch = np.eye(2)
    if slope > 0.05 and rng.random() < 0.6:
        u = lean / slope
        stretch += (math.hypot(1, slope) - 1) * np.outer(u, u)
    mm_from_source: NDArray[np.float64] = stretch @ turn * [1, -1]  # pictures' y points down
    return mm_from_source


def random_shot(
    seed: int, relit: Callable[[Scene], Scene] | None = None, sizes_px: tuple[float, float] = SIZES_PX
) -> Shot:
    """One random piece of a picture; the same seed gives the same. `relit` may change the scene before it is
    drawn; `sizes_px`: smallest and largest diameter of its balls in the picture.
    """
    rng = np.random.default_rng(seed)
    table = random_table(rng)
    hard = np.random.default_rng([seed, 4])
    camouflaged = str(hard.choice(_CAMOUFLAGED)) if hard.random() < 0.35 else None
    scene = random_scene(rng, table, camouflaged)
    centre, lying, hanging = _occasion(hard, table, camouflaged, focus(rng, table))
    few = (0, int(rng.integers(1, 5)), int(rng.integers(4, 13)), int(rng.integers(10, 22)))
    n = few[int(rng.choice(4, p=[0.05, 0.25, 0.5, 0.2]))]
    colours = _colours(rng, hard, n, camouflaged)
    balls, area = lying, area_about(table, centre, 40)
    if area[0] < area[1] and area[2] < area[3]:
        balls = random_balls(rng, table, colours, 0.12, area, hanging, lying)
    if rng.random() < 0.15 and not lying:
        at = (centre[0] + float(rng.normal(0, 60)), centre[1] + float(rng.normal(0, 60)))
        balls = random_pack(
            rng, table, at, "red" if rng.random() < 0.85 else BALL_CLASSES[int(rng.integers(0, 8))]
        )
    people = random_people(rng, table, centre) if rng.random() < 0.4 else ()
    exposure_s = float(rng.uniform(0.001, 0.012))
    real = np.random.default_rng([seed, 5])
    if real.random() < _BARE_ARMS:
        people = bare_arm_near(real, table, centre)
    if real.random() < _FAST:
        exposure_s = float(real.uniform(0.004, 0.022))
        balls = set_rolling(real, table, balls, exposure_s)
    scene = replace(scene, balls=balls, people=people, projection=_projection(rng, centre))
    scene = scene if relit is None else relit(scene)
    rays, source_from_patch = patch_rays(
        rng, camera_origin(rng, table), table.ball_diameter_mm, table.ball_radius_mm, centre, sizes_px
    )
    shot = Shot.of(scene, rays, source_from_patch, centre, exposure_s)
    return photographed(shot, render, rng, real)


Renderer = Callable[[Scene, Rays, float], Rendering]


def photographed(shot: Shot, draw: Renderer, rng: Rng, real: Rng) -> Shot:
    """The shot with its picture, as a random camera and its compression show what `draw` renders."""
    scene, rays, exposure_s = shot.scene, shot.rays, shot.exposure_s
    drawn = draw(scene, rays, exposure_s)
    sensor = random_sensor(rng)
    if real.random() < _CHEAP:
        sensor = cheap(sensor, real)
    picture = develop(drawn.linear, sensor, rng)
    if real.random() < _CODED:
        before = _pictures_before(real, shot, draw, sensor, drawn.linear)
        picture = coded([*before, picture], int(real.integers(22, 41)))
    if rng.random() < 0.08:
        _burn_in(rng, picture)
    return replace(shot, picture=picture, covered=drawn.covered, visible=drawn.visible)


def bare_arm_near(rng: Rng, table: TableSpec, centre: tuple[float, float]) -> tuple[Capsule, ...]:
    """An arm near the middle of the piece that comes from outside of the table, mostly."""
    at = (centre[0] + float(rng.normal(0, 90)), centre[1] + float(rng.normal(0, 90)))
    out = math.atan2(at[1] - table.length_mm / 2, at[0] * 2.0 + 1e-3) + float(rng.normal(0, 0.7))
    return random_bare_arm(rng, at, out)


def set_rolling(rng: Rng, table: TableSpec, balls: tuple[Ball, ...], exposure_s: float) -> tuple[Ball, ...]:
    """One to three of the balls roll fast: their streaks are half a diameter to `_LONGEST` diameters long."""
    fast = set(rng.permutation(len(balls))[: int(rng.integers(1, 4))].tolist())
    out = []
    for k, ball in enumerate(balls):
        if k in fast:
            length = float(rng.uniform(0.4, 3.5) if rng.random() < 0.8 else rng.uniform(3.5, _LONGEST))
            speed, angle = length * table.ball_diameter_mm / exposure_s, float(rng.uniform(0, 2 * math.pi))
            ball = replace(ball, velocity=(speed * math.cos(angle), speed * math.sin(angle)))
        out.append(ball)
    return tuple(out)


def _pictures_before(
    rng: Rng, shot: Shot, draw: Renderer, sensor: Sensor, linear_now: NDArray[np.float32]
) -> list[NDArray[np.uint8]]:
    """One or two pictures of a video before the scene's: what rolls is not there yet."""
    scene = shot.scene
    interval_s = float(rng.choice([1 / 25, 1 / 30, 1 / 50]))
    rolls = any(b.velocity != (0.0, 0.0) for b in scene.balls)
    earlier = []
    for back in range(int(rng.integers(1, 3)), 0, -1):
        ago_s = interval_s * back
        balls = tuple(
            replace(b, x_mm=b.x_mm - b.velocity[0] * ago_s, y_mm=b.y_mm - b.velocity[1] * ago_s)
            for b in scene.balls
        )
        before = draw(replace(scene, balls=balls), shot.rays, shot.exposure_s).linear if rolls else linear_now
        earlier.append(develop(before, sensor, rng))
    return earlier


def area_about(
    table: TableSpec, centre: tuple[float, float], margin_mm: float
) -> tuple[float, float, float, float]:
    """The part (x0, x1, y0, y1) of the bed in a piece and a margin about it; empty, x0 >= x1 or y0 >= y1, off
    the table.
    """
    half = PATCH_PX / 2 * table.ball_diameter_mm / PX_PER_DIAMETER + margin_mm
    return (
        max(centre[0] - half, -table.half_width_mm),
        min(centre[0] + half, table.half_width_mm),
        max(centre[1] - half, 0.0),
        min(centre[1] + half, table.length_mm),
    )


def _colours(rng: Rng, hard: Rng, count: int, camouflaged: str | None) -> list[str]:
    """The balls of a piece: of all colours; in some pieces mostly dark ones, which shadows and pockets hide,
    or ones like the cloth.
    """
    dark = hard.random() < 0.25
    drawn = [BALL_CLASSES[i] for i in rng.choice(8, count, p=_DARK if dark else _USUAL)]
    return [c if camouflaged is None or hard.random() > 0.35 else camouflaged for c in drawn]


def random_patch(seed: int) -> Patch:
    """One random patch; the same seed gives the same patch."""
    shot = random_shot(seed)
    scale = PX_PER_DIAMETER / shot.scene.table.ball_diameter_mm
    return patch_of(shot, BALL_CLASSES, scale, np.random.default_rng([seed, 1]))


def patch_of(shot: Shot, classes: Sequence[str], px_per_mm: float, rng: Rng) -> Patch:
    """The shot resampled to the plane, with its truth; `classes`: names of the balls' colours in order."""
    image = _resample(rng, shot.picture, shot.source_from_patch, cv2.BORDER_REPLICATE)
    cover = _resample(
        rng, np.asarray(shot.covered * 255, np.uint8), shot.source_from_patch, cv2.BORDER_CONSTANT
    )
    small = cv2.resize(cover, (PATCH_PX // 2, PATCH_PX // 2), interpolation=cv2.INTER_AREA)
    return Patch(image, np.asarray(small, np.uint8), _truth_rows(shot, classes, px_per_mm))


def _truth_rows(shot: Shot, classes: Sequence[str], k: float) -> NDArray[np.float32]:
    mid = (PATCH_PX - 1) / 2
    rows = []
    for b, v in zip(shot.scene.balls, shot.visible, strict=True):
        x, y = _seen_at(b, shot.rays)
        rows.append(
            (
                (x - shot.centre[0]) * k + mid,
                -(y - shot.centre[1]) * k + mid,
                classes.index(b.colour),
                v,
                b.velocity[0] * shot.exposure_s * k,
                -b.velocity[1] * shot.exposure_s * k,
            )
        )
    return np.asarray(rows, np.float32).reshape(-1, 6)


def _seen_at(ball: Ball, rays: Rays) -> tuple[float, float]:
    """Where the line of sight of a ball's centre meets the patch's plane; a smaller ball lies below it."""
    if ball.radius_mm is None:
        return ball.x_mm, ball.y_mm
    z = min(ball.radius_mm, rays.z_mm)  # a disc's top lies in the plane
    ox, oy, oz = rays.origin
    s = (oz - rays.z_mm) / (oz - z)
    return ox + (ball.x_mm - ox) * s, oy + (ball.y_mm - oy) * s


def _projection(rng: Rng, centre: tuple[float, float]) -> Projection:
    """Thin lines and circles of a projector, in one scene out of eight."""
    if rng.random() > 0.12:
        return Projection()
    figures = []
    for _ in range(int(rng.integers(1, 6))):
        p = [float(v) for v in rng.normal(0, 200, 4)]
        if rng.random() < 0.5:
            figures.append((centre[0] + p[0], centre[1] + p[1], float(rng.uniform(20, 60)), math.nan))
        else:
            figures.append((centre[0] + p[0], centre[1] + p[1], centre[0] + p[2] * 4, centre[1] + p[3] * 4))
    return Projection(
        tuple(figures),
        linear(rng.uniform(0, 360), rng.uniform(0, 0.8), 1.0),
        float(rng.uniform(2, 9)),
        float(rng.uniform(0.3, 2)),
    )


def _burn_in(rng: Rng, picture: NDArray[np.uint8]) -> None:
    """Boxes, text and trails that other software has drawn into the picture."""
    h, w = picture.shape[:2]
    tone = tuple(int(v) for v in rng.integers(0, 256, 3))
    for _ in range(int(rng.integers(1, 3))):
        x, y = int(rng.integers(0, w)), int(rng.integers(0, h))
        bw, bh = int(rng.integers(10, 60)), int(rng.integers(10, 60))
        cv2.rectangle(picture, (x, y), (x + bw, y + bh), tone, int(rng.integers(1, 3)))
        if rng.random() < 0.5:
            cv2.rectangle(picture, (x, y - 12), (x + 90, y), tone, -1)
            cv2.putText(
                picture, "ball 0.26", (x + 2, y - 3), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (255, 255, 255), 1
            )


def _resample(
    rng: Rng, picture: NDArray[np.uint8], source_from_patch: NDArray[np.float64], border: int
) -> NDArray[np.uint8]:
    scale = math.sqrt(abs(float(np.linalg.det(source_from_patch[:, :2]))))
    if scale > 1.25:
        picture = np.asarray(
            cv2.GaussianBlur(picture, (0, 0), float(rng.uniform(0.25, 0.5)) * scale), np.uint8
        )
    return np.asarray(
        cv2.warpAffine(
            picture,
            source_from_patch,
            (PATCH_PX, PATCH_PX),
            flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
            borderMode=border,
        ),
        np.uint8,
    )


def coded(pictures: Sequence[NDArray[np.uint8]], quantiser: int) -> NDArray[np.uint8]:
    """The last of the RGB pictures (H, W, 3) after H.264, 4:2:0, at a fixed quantiser (18 good, 42 poor).

    A still picture's compression does not show what a codec at a low bit rate leaves: what stirs is predicted
    from the picture before, and a faint streak survives as a few blocks or not at all.
    """
    height, width = pictures[0].shape[:2]
    right, below = -width % 16, -height % 16
    memory = io.BytesIO()
    with av.open(memory, "w", format="matroska") as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = width + right, height + below, "yuv420p"
        stream.options = {"preset": "veryfast", "qp": str(quantiser), "bf": "0", "threads": "1"}
        for picture in pictures:
            whole = np.pad(picture, ((0, below), (0, right), (0, 0)), mode="edge")
            out.mux(stream.encode(av.VideoFrame.from_ndarray(whole, format="rgb24")))
        out.mux(stream.encode(None))
    memory.seek(0)
    with av.open(memory, "r") as back:
        last = [frame.to_ndarray(format="rgb24") for frame in back.decode(video=0)][-1]
    return np.ascontiguousarray(last[:height, :width])
