"""Training patches of pool, black ball and carrom: numbered balls turned at random, two sizes, discs.

Sensor, compression, people and streaks are those of snooker's patches.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from calibration.table.board import CARROM_BOARD, SEATS
from calibration.table.specs import BRITISH_POOL_TABLE, WPA_TABLE, TableSpec
from vision.detect.looks import LOOKS
from vision.render.board import BoardLook, camera_height, render_board
from vision.render.discs import DISC_HEIGHT_MM, DiscLook
from vision.render.game_looks import board_look, british_looks, disc_looks, pool_cloth, pool_looks
from vision.render.layout_random import random_balls
from vision.render.looks import Rng, cloth_like, random_lamps, random_table_look
from vision.render.patches import (
    PX_PER_DIAMETER,
    SIZES_PX,
    Patch,
    Shot,
    area_about,
    bare_arm_near,
    camera_origin,
    focus,
    patch_of,
    patch_rays,
    photographed,
    set_rolling,
)
from vision.render.people import random_people
from vision.render.prints import FONTS
from vision.render.rays import Rays
from vision.render.scene import Ball, BallLook, Capsule, Fittings, Scene
from vision.render.scene_picture import Rendering, render

_MAN_MM, _STRIKER_MM = 31.8, 41.3
_BRITISH_CUE = 47.6 / 50.8  # the smaller cue-ball's diameter over the others'
_ARMS, _PEOPLE, _FAST = 0.22, 0.3, 0.28
_PACKED, _CAMOUFLAGED, _HANGING = 0.2, 0.25, 0.12
_STEEP, _STEEP_SLOPES, _PRINT_PX = 0.33, (0.8, 1.8), (10.0, 44.0)
"""Of pieces whose print is looked at: share seen from the side, tangents of the angles to the vertical, and
diameters of a ball in the picture."""
_RACKED = 0.2  # share of the pieces of a board with the rack of its beginning
_ON_CIRCLE = 0.25  # share with a disc over a printed circle, the centre's or one of the base lines'
_CIRCLES = tuple(
    (x, y + CARROM_BOARD.half_mm)
    for x, y in ((0.0, 0.0), *(at for seat in SEATS for at in CARROM_BOARD.base_circles(seat)))
)
_HANDS = 0.6  # share of the pieces of a carrom board with a hand or fingers
_DISC_SHARES = {"white disc": 0.34, "black disc": 0.34, "red disc": 0.12, "striker": 0.2}
_BRITISH_SHARES = {"white": 0.2, "red": 0.32, "yellow": 0.32, "black": 0.16}


def pool_patch(seed: int) -> Patch:
    """A piece of a pool table with numbered balls."""
    rng = np.random.default_rng([seed, 22])
    table, looks = _pool_table(rng), pool_looks(rng)
    shares = dict.fromkeys(looks, 1.0 / len(looks))
    return _ball_patch(rng, _ball_shot(seed, rng, table, looks, _drawn(shares)))


def pool_shot(seed: int) -> Shot:
    """A piece of a camera's picture with balls of one set, each at most once, and their print in sight where
    it is large enough; seen from above, or, in a third, from the side.
    """
    rng = np.random.default_rng([seed, 26])
    table, looks = _pool_table(rng), pool_looks(rng)
    font = int(rng.integers(0, FONTS))
    looks = {name: replace(look, font=font) for name, look in looks.items()}

    def some(rng: Rng, names: list[str]) -> list[str]:
        return [str(n) for n in rng.permutation(names)[: int(rng.integers(3, 17))]]

    return _ball_shot(seed, rng, table, looks, some, view=_print_view)


def _pool_table(rng: Rng) -> TableSpec:
    """Nine, eight and seven feet; with a head string and spots or without."""
    scale = float(rng.choice([1.0, 1.0, 0.88, 0.78]))
    table = _jaws(rng, replace(WPA_TABLE, length_mm=2540 * scale, width_mm=1270 * scale), (2, 12))
    if rng.random() < 0.6:
        table = replace(table, baulk_line_mm=table.length_mm / 4, d_radius_mm=0.5)
    return table


View = Callable[[Rng, TableSpec], tuple[tuple[float, float, float], tuple[float, float]]]
"""Draws a camera's centre, mm, and the smallest and largest diameter of a ball in its picture, px."""
Names = Callable[[Rng, list[str]], list[str]]
"""Draws the balls of a piece from the names of a set."""


def _usual_view(rng: Rng, table: TableSpec) -> tuple[tuple[float, float, float], tuple[float, float]]:
    return camera_origin(rng, table), SIZES_PX


def _print_view(rng: Rng, table: TableSpec) -> tuple[tuple[float, float, float], tuple[float, float]]:
    if rng.random() < _STEEP:
        h, a = float(rng.uniform(900, 2200)), float(rng.uniform(0, 2 * math.pi))
        off = h * float(rng.uniform(*_STEEP_SLOPES))
        return (off * math.cos(a), table.length_mm / 2 + off * math.sin(a), h), _PRINT_PX
    return camera_origin(rng, table), _PRINT_PX


def _drawn(shares: dict[str, float]) -> Names:
    def draw(rng: Rng, names: list[str]) -> list[str]:
        return [names[int(k)] for k in rng.choice(len(names), _count(rng), p=np.array(list(shares.values())))]

    return draw


def _ball_patch(rng: Rng, shot: Shot) -> Patch:
    return patch_of(shot, LOOKS, PX_PER_DIAMETER / shot.scene.table.ball_diameter_mm, rng)


def british_patch(seed: int) -> Patch:
    """A piece of a table with reds, yellows and mostly a smaller cue-ball."""
    rng = np.random.default_rng([seed, 23])
    scale = float(rng.choice([1.0, 1.0, 1.17]))
    table = BRITISH_POOL_TABLE
    table = replace(table, length_mm=table.length_mm * scale, width_mm=table.width_mm * scale)
    table = _jaws(rng, table, (20, 90))
    if rng.random() < 0.5:
        table = replace(table, d_radius_mm=0.5)
    looks, small_cue = british_looks(rng), rng.random() < 0.65
    return _ball_patch(rng, _ball_shot(seed, rng, table, looks, _drawn(_BRITISH_SHARES), small_cue))


def _jaws(rng: Rng, table: TableSpec, radius: tuple[float, float]) -> TableSpec:
    d = table.ball_diameter_mm
    return replace(
        table,
        nose_height_mm=d * float(rng.uniform(0.6, 0.7)),
        corner_mouth_mm=d * float(rng.uniform(1.6, 2.3)),
        centre_mouth_mm=d * float(rng.uniform(1.7, 2.5)),
        corner_jaw_radius_mm=float(rng.uniform(*radius)),
        centre_jaw_radius_mm=float(rng.uniform(*radius)),
    )


def _ball_shot(
    seed: int,
    rng: Rng,
    table: TableSpec,
    looks: dict[str, BallLook],
    names: Names,
    small_cue: bool = False,
    view: View = _usual_view,
) -> Shot:
    look = replace(random_table_look(rng), cloth=pool_cloth(rng), fittings=_fittings(rng))
    if rng.random() < _CAMOUFLAGED:
        like = looks[str(rng.choice(list(looks)))]
        look = replace(look, cloth=cloth_like(rng, replace(like, albedo=like.band or like.albedo)))
    ambient = float(rng.uniform(0.06, 0.55))
    centre = focus(rng, table)
    balls = _placed(rng, table, centre, names(rng, list(looks)))
    if small_cue:
        radius = table.ball_radius_mm * _BRITISH_CUE
        balls = tuple(replace(b, radius_mm=radius) if b.colour == "white" else b for b in balls)
    people = random_people(rng, table, centre) if rng.random() < _PEOPLE else ()
    if rng.random() < _ARMS:
        people = bare_arm_near(rng, table, centre)
    exposure_s = float(rng.uniform(0.001, 0.012))
    if rng.random() < _FAST:
        exposure_s = float(rng.uniform(0.004, 0.022))
        balls = set_rolling(rng, table, balls, exposure_s)
    scene = Scene(
        table,
        look,
        looks,
        random_lamps(rng, table),
        (ambient, ambient, ambient),
        float(rng.uniform(0.025, 0.09)),
        float(rng.uniform(0.3, 1.0)),
        balls,
        people,
    )
    d = table.ball_diameter_mm
    origin, sizes_px = view(rng, table)
    rays, from_patch = patch_rays(rng, origin, d, d / 2, centre, sizes_px)
    return photographed(Shot.of(scene, rays, from_patch, centre, exposure_s), render, rng, _real(seed))


def _real(seed: int) -> Rng:
    return np.random.default_rng([seed, 24])


def _fittings(rng: Rng) -> Fittings:
    """Diamonds or dots along the rails, as nearly every pool table has them."""
    return Fittings(
        int(rng.choice([0, 4, 4])),
        str(rng.choice(["diamond", "dot"])),  # type: ignore[arg-type]
        trim_mm=float(rng.choice([0.0, 0.0, 6.0])),
        bow_mm=float(rng.choice([0.0, rng.uniform(5, 30)])),
        bands=float(rng.choice([0.0, rng.uniform(0, 0.08)])),
    )


def _count(rng: Rng) -> int:
    few = (0, int(rng.integers(1, 5)), int(rng.integers(4, 13)), int(rng.integers(10, 22)))
    return few[int(rng.choice(4, p=[0.03, 0.22, 0.5, 0.25]))]


def _placed(
    rng: Rng, table: TableSpec, centre: tuple[float, float], names: Sequence[str]
) -> tuple[Ball, ...]:
    """Balls scattered over the piece; in some pieces touching, as in a rack."""
    area = area_about(table, centre, 30)
    if not (area[0] < area[1] and area[2] < area[3]):
        return ()
    lying: tuple[Ball, ...] = ()
    if rng.random() < _PACKED and len(names) > 3:
        at = (float(rng.uniform(*area[:2])), float(rng.uniform(*area[2:])))
        half = len(names) // 2
        lying = _pack(rng, table, at, names[:half])
        names = names[half:]
    return random_balls(rng, table, list(names), 0.12, area, _HANGING, lying)


def _pack(rng: Rng, table: TableSpec, at: tuple[float, float], names: Sequence[str]) -> tuple[Ball, ...]:
    """Balls on a triangular lattice, touching or nearly."""
    step = table.ball_diameter_mm * (1 + float(rng.choice([0.0003, 0.004, 0.03])))
    turn = float(rng.uniform(0, 2 * math.pi))
    lattice = [(i + 0.5 * j, j * math.sqrt(3) / 2) for i in range(-3, 4) for j in range(-3, 4)]
    lattice.sort(key=lambda p: math.hypot(*p))
    out = []
    w, length, r = table.half_width_mm, table.length_mm, table.ball_radius_mm
    for (u, v), name in zip(lattice, names, strict=False):
        x = at[0] + step * (u * math.cos(turn) - v * math.sin(turn))
        y = at[1] + step * (u * math.sin(turn) + v * math.cos(turn))
        if abs(x) <= w - r and r <= y <= length - r:
            out.append(Ball(name, x, y, spin_seed=int(rng.integers(0, 1 << 30))))
    return tuple(out)


def carrom_patch(seed: int) -> Patch:
    """A piece of a carrom board with its discs, often with fingers or a hand over them."""
    rng = np.random.default_rng([seed, 25])
    table = TableSpec(740.0, 740.0, _MAN_MM, None, None, nose_height_mm=float(rng.uniform(15, 26)))
    look = board_look(rng)
    discs = disc_looks(rng, look.wood)
    ambient = float(rng.uniform(0.1, 0.6))
    centre = (float(rng.uniform(-330, 330)), float(rng.uniform(40, 700)))
    circle = None
    if rng.random() < _ON_CIRCLE:
        circle = _CIRCLES[int(rng.integers(0, len(_CIRCLES)))]
        centre = (circle[0] + float(rng.normal(0, 60)), circle[1] + float(rng.normal(0, 60)))
    placed = _discs_at(rng, table, centre, circle)
    exposure_s = float(rng.uniform(0.001, 0.012))
    if rng.random() < _FAST:
        exposure_s = float(rng.uniform(0.004, 0.022))
        placed = set_rolling(rng, table, placed, exposure_s)
    lamps = tuple(
        replace(lamp, position=(lamp.position[0] * 0.6, lamp.position[1], lamp.position[2]))
        for lamp in random_lamps(rng, table)
    )
    people: tuple[Capsule, ...] = ()
    if rng.random() < _HANDS:
        people = bare_arm_near(rng, table, centre)
    scene = Scene(
        table,
        random_table_look(rng),
        {},
        lamps,
        (ambient, ambient, ambient),
        balls=placed,
        people=people,
    )
    rays, from_patch = patch_rays(rng, _above_board(rng), _MAN_MM, DISC_HEIGHT_MM, centre)
    shot = Shot.of(scene, rays, from_patch, centre, exposure_s)
    shot = photographed(shot, _BoardPicture(look, discs), rng, _real(seed))
    return patch_of(shot, LOOKS, PX_PER_DIAMETER / _MAN_MM, rng)


class _BoardPicture:
    """Draws scenes of one board; the scene's balls are its discs."""

    def __init__(self, look: BoardLook, discs: dict[str, DiscLook]) -> None:
        self._look, self._discs = look, discs

    def __call__(self, scene: Scene, rays: Rays, exposure_s: float) -> Rendering:
        return render_board(scene, self._look, self._discs, rays, exposure_s)


def _above_board(rng: Rng) -> tuple[float, float, float]:
    h, off = camera_height(rng)
    a = float(rng.uniform(0, 2 * math.pi))
    return h * off * math.cos(a), 370 + h * off * math.sin(a), h


def _discs_at(
    rng: Rng, table: TableSpec, centre: tuple[float, float], circle: tuple[float, float] | None
) -> tuple[Ball, ...]:
    """Discs scattered, side by side, at the frame and at pockets, the first of them over a part of a printed
    `circle`; none overlaps another.
    """
    names, shares = list(_DISC_SHARES), list(_DISC_SHARES.values())
    man = _MAN_MM * float(rng.uniform(0.95, 1.01))
    half = table.length_mm / 2
    around = area_about(table, centre, 30)
    placed = _rack(rng, around, man / 2) if rng.random() < _RACKED else []
    pack = rng.random() < 0.3
    for _ in range(_count(rng) + (6 if pack else 0)):
        name = names[int(rng.choice(len(names), p=shares))]
        radius = _STRIKER_MM / 2 * float(rng.uniform(0.97, 1.0)) if name == "striker" else man / 2
        for _ in range(20):
            x, y = float(rng.uniform(*around[:2])), float(rng.uniform(*around[2:]))
            kind = rng.random()
            if circle is not None and not placed:
                x, y = circle[0] + float(rng.normal(0, 11)), circle[1] + float(rng.normal(0, 11))
            elif placed and kind < (0.75 if pack else 0.3):
                other = placed[int(rng.integers(0, len(placed)))]
                gap = float(rng.choice([0.1, rng.exponential(2.0), rng.exponential(12.0)]))
                a, far = float(rng.uniform(0, 2 * math.pi)), (other.radius_mm or radius) + radius + gap
                x, y = other.x_mm + far * math.cos(a), other.y_mm + far * math.sin(a)
            elif kind > 0.88:
                x = math.copysign(half - radius - float(rng.exponential(3.0)), x)
            if _fits(x, y, radius, half, placed):
                placed.append(Ball(name, x, y, spin_seed=int(rng.integers(0, 1 << 30)), radius_mm=radius))
                break
    return tuple(placed)


def _rack(rng: Rng, around: tuple[float, float, float, float], radius: float) -> list[Ball]:
    """The men in two rings about the Queen, touching or nearly, as a board begins; or some that are left."""
    x, y = float(rng.uniform(*around[:2])), float(rng.uniform(*around[2:]))
    turn = float(rng.uniform(0, 2 * math.pi))
    step = 2 * radius * (1 + float(rng.choice([0.002, 0.01, 0.05])))
    cells = [(i, j) for i in range(-2, 3) for j in range(-2, 3) if abs(i + j) <= 2]
    left = float(rng.choice([1.0, 1.0, 0.8, 0.5]))
    out = []
    for i, j in cells:
        if rng.random() > left:
            continue
        u, v = step * (i + 0.5 * j), step * j * math.sqrt(3) / 2
        name = "red disc" if (i, j) == (0, 0) else str(rng.choice(["white disc", "black disc"]))
        at = x + u * math.cos(turn) - v * math.sin(turn), y + u * math.sin(turn) + v * math.cos(turn)
        if around[0] < at[0] < around[1] and around[2] < at[1] < around[3]:
            out.append(Ball(name, *at, spin_seed=int(rng.integers(0, 1 << 30)), radius_mm=radius))
    return out


def _fits(x: float, y: float, radius: float, half: float, placed: list[Ball]) -> bool:
    """Inside the frame, not over a pocket's middle, and beside all other discs."""
    if abs(x) > half - radius or abs(y - half) > half - radius:
        return False
    if math.hypot(half - 22.25 - abs(x), half - 22.25 - abs(y - half)) < 22.25:
        return False
    return all(math.hypot(x - b.x_mm, y - b.y_mm) >= radius + (b.radius_mm or radius) for b in placed)


def random_game_patch(seed: int) -> Patch:
    """A patch of pool (half of them), black ball or carrom; the same seed gives the same patch."""
    return (pool_patch, british_patch, pool_patch, carrom_patch)[seed % 4](seed)
