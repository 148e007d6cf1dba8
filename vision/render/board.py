"""A carrom board as seen along rays: wood, lines and circles, corner pockets, the frame around.

The scene's table is the board: a square of `length_mm`, its bottom side at y = 0, the frame as high as
`nose_height_mm`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.table.board import CARROM_BOARD, CarromBoard, Seat
from vision.render import table_shape as shape
from vision.render.discs import DiscLook, clear_share, draw_discs, shadows
from vision.render.fittings import cover, mix
from vision.render.light import cloth_light
from vision.render.limbs import draw_limbs
from vision.render.noise import sample, tile
from vision.render.rays import Rays
from vision.render.scene import Rgb, Scene
from vision.render.scene_picture import Rendering
from vision.render.spheres import lamp_glow

F32 = NDArray[np.float32]
_FROM_ABOVE, _LEANING = 0.3, 0.5  # of the cameras over a board; the rest look from a side
_SEATS: tuple[Seat, ...] = ("bottom", "right", "top", "left")


@dataclass(frozen=True, slots=True)
class BoardLook:
    """Colours and styles of a board. `thick_mm`, `thin_mm`: widths of the two base lines; `petals`, `spokes`:
    of the figure in the outer circle, 0 for none; `net`: brightness of the pockets' nets. `arrow_mm`: where
    the corners' arrows begin, end and have their circle, along each axis from the middle, and its radius.
    """

    wood: Rgb
    line: Rgb
    circle: Rgb
    frame: Rgb
    frame_width_mm: float = 80.0
    grain: float = 0.12
    thick_mm: float = 5.5
    thin_mm: float = 2.0
    filled: bool = True
    petals: int = 8
    spokes: int = 0
    arrow_mm: tuple[float, float, float, float] = (150.0, 300.0, 165.0, 28.0)
    net: float = 0.1
    gloss: float = 0.02
    powder: float = 0.05
    floor: Rgb = (0.05, 0.05, 0.05)
    seed: int = 0
    board: CarromBoard = CARROM_BOARD


def render_board(
    scene: Scene, look: BoardLook, discs: dict[str, DiscLook], rays: Rays, exposure_s: float = 0.0
) -> Rendering:
    """The board with the scene's discs and people."""
    image = board_image(scene, look, rays)
    drawn = draw_discs(scene, discs, rays, image, exposure_s)
    image = _frame(scene, look, rays, image)
    covered = draw_limbs(scene, rays, image)
    return Rendering(image, covered, clear_share(drawn, scene, rays, covered))


def board_image(scene: Scene, look: BoardLook, rays: Rays) -> F32:
    """Linear RGB (H, W, 3) of the playing surface with its marks and pockets."""
    x, y = rays.at_plane(0.0)
    light = cloth_light(scene, rays) * shadows(scene, rays)[..., None]
    k = look.seed % 7
    grain = sample(tile(k), x, y, 9.0, 0.7) + 0.6 * sample(tile(k + 7), x, y, 2.0)
    tone = 1 + look.grain * 0.5 * grain
    wood = np.asarray(np.asarray(look.wood, np.float32) * np.clip(tone, 0.4, 1.8)[..., None], np.float32)
    albedo = mix(wood, np.array((0.8, 0.8, 0.78), np.float32), _powder(look, x, y))
    albedo = _marks(scene, look, rays, albedo, x, y)
    whole = np.s_[: x.shape[0], : x.shape[1]]
    image: F32 = np.asarray(albedo * light, np.float32) + lamp_glow(scene, rays, whole, 0.0, look.gloss)
    dark = np.full((*x.shape, 3), 0.006, np.float32)
    if look.net > 0:
        u, v = rays.at_plane(-15.0)
        weave = np.abs(np.sin(u * 0.9)) * np.abs(np.sin(v * 0.9))
        dark = dark + (look.net * weave)[..., None] * light
    return mix(image, np.asarray(dark, np.float32), cover(_pockets(scene, look, x, y), rays.pitch))


def _powder(look: BoardLook, x: F32, y: F32) -> F32:
    broad = sample(tile(look.seed % 7 + 3), x, y, 4.0)
    return np.asarray(np.clip(look.powder * (1 + broad), 0, 0.5), np.float32)


def _pockets(scene: Scene, look: BoardLook, x: F32, y: F32) -> F32:
    middle = scene.table.length_mm / 2
    d = [np.hypot(x - px, y - middle - py) for px, py in look.board.pockets.values()]
    return np.asarray(np.minimum.reduce(d) - look.board.pocket_diameter_mm / 2, np.float32)


def _marks(scene: Scene, look: BoardLook, rays: Rays, albedo: F32, x: F32, y: F32) -> F32:
    """Base lines and circles of the four seats, arrows, and the circles in the middle."""
    b, middle = look.board, scene.table.length_mm / 2
    yc = np.asarray(y - middle, np.float32)

    def line(d: NDArray[np.floating], rgb: Rgb) -> None:
        nonlocal albedo
        albedo = mix(albedo, np.asarray(rgb, np.float32), cover(np.asarray(d, np.float32), rays.pitch) * 0.92)

    for seat in _SEATS:
        for (p, q), width in zip(b.base_lines(seat), (look.thick_mm, look.thin_mm), strict=True):
            line(shape.segment(x, yc, *p, *q) - width / 2, look.line)
        for cx, cy in b.base_circles(seat):
            d = np.hypot(x - cx, yc - cy) - b.base_gap_mm / 2
            line(d, look.wood if not look.filled else look.circle)
            line(np.abs(d) - look.thin_mm / 2, look.line)
    begin, end, at, ring = look.arrow_mm
    for sx, sy in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        line(shape.segment(x, yc, sx * begin, sy * begin, sx * end, sy * end) - look.thin_mm / 2, look.line)
        arc = np.abs(np.hypot(x - sx * at, yc - sy * at) - ring) - look.thin_mm / 2
        line(arc, look.line)
    far, outer = np.hypot(x, yc), b.outer_circle_mm / 2
    line(np.abs(far - outer) - look.thin_mm / 2, look.line)
    if look.petals:
        wave = outer * (0.55 + 0.4 * np.cos(np.arctan2(yc, x) * look.petals))
        line(np.where(far < outer, np.abs(far - wave) - look.thin_mm / 2, 9.0), look.circle)
    for k in range(look.spokes):
        a = 2 * math.pi * k / look.spokes
        u, v = math.cos(a), math.sin(a)
        spoke = shape.segment(x, yc, u * outer * 0.3, v * outer * 0.3, u * outer * 0.95, v * outer * 0.95)
        line(spoke - look.thin_mm / 2, look.circle)
    line(far - b.centre_circle_mm / 2, look.circle if look.filled else look.wood)
    line(np.abs(far - b.centre_circle_mm / 2) - look.thin_mm / 2, look.line)
    return albedo


def _frame(scene: Scene, look: BoardLook, rays: Rays, image: F32) -> F32:
    """The frame's inner faces and its top, and the floor around."""
    table = scene.table
    light = np.asarray(scene.ambient, np.float32) + np.float32(0.8)
    x0, y0 = rays.at_plane(0.0)
    face = shape.rectangle(x0, y0, table)
    inner = np.asarray(np.asarray(look.frame, np.float32) * light * 0.4, np.float32)
    image = mix(image, inner, cover(-face, rays.pitch))
    x, y = rays.at_plane(table.nose_height_mm)
    edge = shape.rectangle(x, y, table)
    grain = sample(tile(look.seed % 7 + 2), x, y, 7.0, 0.9)
    top = np.asarray(look.frame, np.float32) * np.clip(1 + 0.3 * grain, 0.3, 2)[..., None] * light
    outer = shape.rectangle(x, y, table, look.frame_width_mm, 8.0)
    floor = np.broadcast_to(np.asarray(look.floor, np.float32), top.shape)
    top = mix(np.asarray(top, np.float32), np.asarray(floor, np.float32), cover(-outer, rays.pitch))
    return mix(image, top, cover(-edge, rays.pitch))


def camera_height(rng: np.random.Generator) -> tuple[float, float]:
    """A camera's height over the board, and how far it stands off the middle as a share of that."""
    kind = rng.random()
    if kind < _FROM_ABOVE:
        off = abs(float(rng.normal(0, 0.1)))
    else:
        off = float(rng.uniform(0, 0.8) if kind < _LEANING else rng.uniform(0.7, 1.8))
    return float(math.exp(rng.uniform(math.log(800), math.log(2600)))), off
