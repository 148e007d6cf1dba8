"""A room drawn from a seed: table, cloth, pockets, lamps, windows, walls, and what lies about.

`draw_room` draws numbers only; `standing` builds the shapes that the tracer keeps.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from referee.quality.bench.rooms.studio.board import board_shapes
from referee.quality.bench.rooms.studio.draws import Rng, one_of
from referee.quality.bench.rooms.studio.meshes import Mesh, box, cut_out, lathed, rectangle, swept
from referee.quality.bench.rooms.studio.outline import noses
from referee.quality.bench.rooms.studio.surfaces import (
    ClothLook,
    RailLook,
    Sheet,
    bed_area,
    cloth_sheet,
    clouds,
    rail_areas,
    rail_sheet,
)
from referee.quality.bench.rooms.studio.tracer import lamp_sphere, painted, rgb, shape_of
from referee.quality.bench.rooms.studio.views import Pinhole

F64 = NDArray[np.float64]
Colour = tuple[float, float, float]
LampKind = Literal["canopy", "panels", "globes", "rig"]
PocketKind = Literal["net", "leather", "plastic", "brass"]
FLOOR_MM = -860.0
"""Of the floor below the cloth; a bed stands 851 to 876 mm high (snooker 1.1(b))."""
_CLOTHS: dict[str, Colour] = {
    "green": (0.012, 0.13, 0.022),
    "bright green": (0.015, 0.2, 0.012),
    "blue green": (0.02, 0.14, 0.09),
    "grey green": (0.1, 0.17, 0.12),
    "blue": (0.015, 0.07, 0.22),
    "red": (0.22, 0.015, 0.02),
    "grey": (0.1, 0.1, 0.105),
}
_CLOTH_ODDS = (0.4, 0.2, 0.12, 0.08, 0.1, 0.05, 0.05)
_POOL_CLOTHS: dict[str, Colour] = {
    "tournament blue": (0.02, 0.16, 0.33),
    "electric blue": (0.01, 0.1, 0.4),
    "navy": (0.012, 0.03, 0.11),
    "green": (0.012, 0.13, 0.03),
    "grey": (0.1, 0.1, 0.105),
    "camel": (0.28, 0.17, 0.07),
    "burgundy": (0.14, 0.01, 0.02),
}
"""Cloths of pool tables, as makers' cards name them; one as likely as another."""
_WOODS: tuple[Colour, ...] = (
    (0.05, 0.012, 0.008),
    (0.1, 0.04, 0.015),
    (0.2, 0.1, 0.04),
    (0.008, 0.007, 0.007),
)
_TRIMS: dict[PocketKind, tuple[Colour, ...]] = {
    "net": ((0.45, 0.25, 0.1), (0.55, 0.33, 0.18), (0.3, 0.14, 0.05)),
    "leather": ((0.12, 0.05, 0.02), (0.3, 0.16, 0.07), (0.012, 0.01, 0.01)),
    "plastic": ((0.008, 0.008, 0.008), (0.03, 0.03, 0.032)),
    "brass": ((0.45, 0.33, 0.12),),
}
_FLOORS = ((0.05, 0.05, 0.055), (0.15, 0.02, 0.02), (0.12, 0.08, 0.05), (0.02, 0.03, 0.06))
_NETS = ((0.6, 0.6, 0.58), (0.02, 0.1, 0.03), (0.03, 0.03, 0.03))
_WALLS: tuple[Colour, ...] = (
    (0.5, 0.48, 0.44),
    (0.3, 0.05, 0.04),
    (0.06, 0.14, 0.09),
    (0.1, 0.14, 0.25),
    (0.45, 0.33, 0.16),
    (0.02, 0.02, 0.022),
)
_TRIES = 30
_NOSE_RADIUS_MM, _NOSE_STEPS = 3.0, 9
"""Of the rubber's tip with its cloth, 2 to 4 mm on snooker tables, and points about it."""
_TOP_MM, _FLAT_FROM_MM = 4.0, 22.0
"""Height of the cushion's flat top over its nose, and where it begins outside the nose."""


@dataclass(frozen=True, slots=True)
class Lamp:
    """A light: a rectangle that shines downwards (a globe where `radius_mm` is above 0)."""

    centre_mm: tuple[float, float, float]
    size_mm: tuple[float, float]
    light: Colour
    shade: bool
    radius_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Room:
    """Everything about a room but its camera, its balls and its people. `seed`: of its textures."""

    table: TableSpec
    cloth_name: str
    cloth: ClothLook
    rail: RailLook
    pockets: PocketKind
    net: Colour
    lamps: tuple[Lamp, ...]
    lamp_kind: LampKind
    window: tuple[int, float] | None
    walls: tuple[Colour, Colour, Colour, Colour]
    floor: Colour
    low: tuple[float, float, float]
    high: tuple[float, float, float]
    seed: int

    @property
    def words(self) -> str:
        """The room in a few words, for records."""
        day = ", window" if self.window is not None else ""
        return f"{self.lamp_kind} of {len(self.lamps)}{day}, {self.pockets} pockets"


def draw_room(rng: Rng, table: TableSpec, view: Pinhole) -> Room:
    """A room of a seed about a camera: no lamp hangs between the camera and the table."""
    pool = table.mark_set in ("pool", "british")
    name = str(rng.choice(list(_POOL_CLOTHS)) if pool else rng.choice(list(_CLOTHS), p=_CLOTH_ODDS))
    cloth = _cloth(rng, (_POOL_CLOTHS if pool else _CLOTHS)[name])
    pockets: PocketKind = ("net", "leather", "plastic", "brass")[int(rng.choice(4, p=[0.4, 0.3, 0.2, 0.1]))]
    rail = RailLook(
        one_of(rng, _WOODS),
        float(rng.uniform(0.05, 0.35)),
        float(rng.uniform(75, 125)),
        one_of(rng, _TRIMS[pockets]),
        float(rng.uniform(14, 34)),
        bool(rng.random() < 0.25) or table.mark_set == "pool",
        int(rng.integers(0, 3)),
    )
    low, high = _bounds(rng, table, view)
    kind, lamps = _lamps(rng, table, view, high[2])
    window = (int(rng.integers(4)), float(rng.uniform(2.0, 14.0))) if rng.random() < 0.35 else None
    walls = [one_of(rng, _WALLS) for _ in range(4)]
    floor, net = one_of(rng, _FLOORS), one_of(rng, _NETS)
    if table.mark_set == "pool":
        cloth = replace(cloth, string=bool(rng.random() < 0.5))
    return Room(
        table,
        name,
        cloth,
        rail,
        pockets,
        net,
        lamps,
        kind,
        window,
        (walls[0], walls[1], walls[2], walls[3]),
        floor,
        low,
        high,
        int(rng.integers(2**31)),
    )


def _cloth(rng: Rng, colour: Colour) -> ClothLook:
    own = np.asarray(colour) * rng.uniform(0.75, 1.3) * rng.uniform(0.9, 1.1, 3)
    pale = float(rng.uniform(0.25, 0.8))
    return ClothLook(
        (float(own[0]), float(own[1]), float(own[2])),
        float(rng.uniform(0.3, 1.5)),
        float(rng.choice([0.1, 0.6, 1.3])),
        float(rng.choice([0.0, 0.3, 1.0])),
        int(rng.integers(0, 14)),
        (pale, pale, 0.9 * pale) if rng.random() < 0.85 else (0.01, 0.01, 0.01),
        float(rng.uniform(2.0, 4.0)),
    )


def _bounds(
    rng: Rng, table: TableSpec, view: Pinhole
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """The room's corners: at least 1.2 m about the table, and the camera within."""
    x, y, z = view.centre_mm
    grow = rng.uniform(1300, 3000, 4)
    low = (min(-table.half_width_mm - grow[0], x - 500), min(-grow[1], y - 500), FLOOR_MM)
    top = max(float(rng.uniform(1700, 2600)), z + 250)
    high = (
        max(table.half_width_mm + grow[2], x + 500),
        max(table.length_mm + grow[3], y + 500),
        top,
    )
    return (float(low[0]), float(low[1]), low[2]), (float(high[0]), float(high[1]), float(high[2]))


def _lamps(rng: Rng, table: TableSpec, view: Pinhole, top_mm: float) -> tuple[LampKind, tuple[Lamp, ...]]:
    for n in range(_TRIES):
        kind = one_of(rng, tuple(_LAMPS)) if n < _TRIES - 1 else "panels"
        lamps = _drawn_lamps(rng, kind, table, top_mm)
        free = tuple(lamp for lamp in lamps if not _hides(lamp, view, table))
        if len(free) == len(lamps) or n == _TRIES - 1:
            return kind, free or (
                Lamp((0.0, table.length_mm / 2, top_mm - 5), (2000.0, 3000.0), (8.0, 8.0, 8.0), False),
            )
    raise AssertionError("the last try always returns")


def _drawn_lamps(rng: Rng, kind: LampKind, table: TableSpec, top_mm: float) -> list[Lamp]:
    warm = float(rng.uniform(0.65, 1.1))
    power, drawn = _LAMPS[kind]
    return drawn(rng, np.array([1.0, 0.5 + 0.5 * warm, warm]) * power, table.length_mm, top_mm)


def _canopy(rng: Rng, light: F64, length: float, top_mm: float) -> list[Lamp]:
    """Square shades low over the table, in one row or two."""
    n, rows = int(rng.integers(2, 5)), int(rng.integers(1, 3))
    z = float(rng.uniform(820, 1150)) if rng.random() < 0.6 else float(rng.uniform(1200, top_mm - 60))
    xs = (0.0,) if rows == 1 else (-330.0, 330.0)
    n = n if rows == 2 else n + 2
    return [_lamp((x, y, z), 240.0, 240.0, light, rng, True) for x in xs for y in _spread(length, n)]


def _panels(rng: Rng, light: F64, length: float, top_mm: float) -> list[Lamp]:
    """Panels in the ceiling on both sides of the table."""
    n, aside = int(rng.integers(2, 4)), float(rng.uniform(250, 1300))
    size = (600.0, 600.0) if rng.random() < 0.5 else (300.0, 1200.0)
    places = [(s * aside, y, top_mm - 8) for s in (-1, 1) for y in _spread(length, n)]
    return [_lamp(place, *size, light, rng, False) for place in places]


def _globes(rng: Rng, light: F64, length: float, top_mm: float) -> list[Lamp]:
    """A row of globes over the middle line."""
    z, n = float(rng.uniform(1000, top_mm - 100)), int(rng.integers(3, 6))
    return [Lamp((0.0, y, z), (180.0, 180.0), _tinted(light, rng), False, 90.0) for y in _spread(length, n)]


def _rig(rng: Rng, light: F64, length: float, top_mm: float) -> list[Lamp]:
    """Television's large lamps, high on both sides."""
    z, aside = float(rng.uniform(min(1500, top_mm - 200), top_mm - 50)), float(rng.uniform(700, 1200))
    places = [(s * aside, y, z) for s in (-1, 1) for y in _spread(length, 4)]
    return [_lamp(place, 350.0, 700.0, light, rng, True) for place in places]


_LAMPS: dict[LampKind, tuple[float, Callable[[Rng, F64, float, float], list[Lamp]]]] = {
    "canopy": (34, _canopy),
    "panels": (14, _panels),
    "globes": (45, _globes),
    "rig": (22, _rig),
}
"""Power of a kind's lamps, and how they are drawn."""


def _spread(length: float, n: int) -> list[float]:
    return [length * (k + 0.5) / n for k in range(n)]


def _tinted(light: F64, rng: Rng) -> Colour:
    own = light * rng.uniform(0.75, 1.1)
    return (float(own[0]), float(own[1]), float(own[2]))


def _lamp(
    centre: tuple[float, float, float], width: float, length: float, light: F64, rng: Rng, shade: bool
) -> Lamp:
    return Lamp(centre, (width, length), _tinted(light, rng), shade)


def _hides(lamp: Lamp, view: Pinhole, table: TableSpec) -> bool:
    """Whether a lamp, its shade included, stands before any part of the table."""
    grow = 140.0
    half = np.array([lamp.size_mm[0] / 2 + grow, lamp.size_mm[1] / 2 + grow, 160.0])
    low, high = np.asarray(lamp.centre_mm) - half, np.asarray(lamp.centre_mm) + half
    eye = np.asarray(view.centre_mm)
    w, length = table.half_width_mm + 150, table.length_mm
    xs, ys = np.meshgrid(np.linspace(-w, w, 7), np.linspace(-150, length + 150, 11))
    for x, y in zip(xs.ravel(), ys.ravel(), strict=True):
        way = np.array([x, y, 30.0]) - eye
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b = (low - eye) / way, (high - eye) / way
        near, far = np.nanmax(np.minimum(a, b)), np.nanmin(np.maximum(a, b))
        if near < far and far > 0 and near < 1:
            return True
    return False


def standing(room: Room) -> list[Any]:
    """All that stands still, as the tracer's shapes."""
    table = board_shapes(room.table, room.seed, FLOOR_MM) if room.table.is_board else _table(room)
    return [*table, *_around(room), *_lights(room)]


def _table(room: Room) -> list[Any]:
    table, look = room.table, room.cloth
    rng = np.random.default_rng([room.seed, 1])
    felt = {"type": "principled", "roughness": 0.9, "specular": 0.12, "sheen": 0.5 * min(look.nap, 1.0)}
    top_mm = table.nose_height_mm + _TOP_MM
    bed = cloth_sheet(table, look, rng)
    rails = rail_sheet(table, room.rail, look.colour, rng)
    clothed, hard = rail_areas(table, room.rail)
    varnish = {"type": "principled", "roughness": 0.35, "specular": 0.4}
    shapes = [
        shape_of(cut_out(bed_area(table), 0.0, bed.low, bed.high), painted(bed, felt, "base_color")),
        *(
            shape_of(cut_out(area, top_mm, rails.low, rails.high), painted(rails, surface, "base_color"))
            for area, surface in ((clothed, felt), (hard, varnish))
        ),
    ]
    cushion = {**felt, "base_color": rgb(look.colour)}
    for nose in noses(table):
        body = swept(nose.points, nose.normals, cushion_section(table.nose_height_mm), nose.most_out_mm)
        shapes.append(shape_of(body, {"type": "twosided", "b": cushion}, smooth=True))
    shapes += _bags(room)
    wood = {"type": "principled", "base_color": rgb(room.rail.wood), "roughness": 0.3, "specular": 0.5}
    (x0, y0), (x1, y1) = rails.low, rails.high
    skirt = [
        box((x0 - 8, y0 - 8, -140), (x0 + 4, y1 + 8, top_mm - 2)),
        box((x1 - 4, y0 - 8, -140), (x1 + 8, y1 + 8, top_mm - 2)),
        box((x0 - 8, y0 - 8, -140), (x1 + 8, y0 + 4, top_mm - 2)),
        box((x0 - 8, y1 - 4, -140), (x1 + 8, y1 + 8, top_mm - 2)),
        box((x0 + 60, y0 + 60, FLOOR_MM), (x1 - 60, y1 - 60, -220)),
    ]
    shapes += [shape_of(m, wood) for m in skirt]
    for _ in range(room.rail.chalk):
        side = float(rng.choice([-1, 1]))
        x, y = side * (table.half_width_mm + 46 + 40), float(rng.uniform(200, table.length_mm - 200))
        cube = box((x - 11, y - 11, top_mm), (x + 11, y + 11, top_mm + 21))
        shapes.append(shape_of(cube, {"type": "diffuse", "reflectance": rgb((0.04, 0.14, 0.3))}))
    return shapes


def _flat(sheet: Sheet, z_mm: float) -> Mesh:
    (x0, y0), (x1, y1) = sheet.low, sheet.high
    return rectangle((x0, y0, z_mm), (x1 - x0, 0, 0), (0, y1 - y0, 0))


def cushion_section(nose_mm: float) -> F64:
    """A cushion's section (K, 2), (out, up) mm: undercut below a round nose, a level slope above it.

    The tracer shades between the points' normals, so that they lie near each other where the section bends.
    """
    r = _NOSE_RADIUS_MM
    slope = math.atan2(_TOP_MM - r, _FLAT_FROM_MM - r)
    turn = np.linspace(-math.pi / 3, math.pi / 2 - slope, _NOSE_STEPS)
    nose = np.stack((r - r * np.cos(turn), nose_mm + r * np.sin(turn)), axis=1)
    rise = np.array([math.cos(slope), math.sin(slope)])
    end = np.array([_FLAT_FROM_MM, nose_mm + _TOP_MM])
    return np.concatenate(([(14.0, 0.0), (5.5, nose_mm - 10.0)], nose, [nose[-1] + rise, end - rise, end]))


def _bags(room: Room) -> list[Any]:
    """Below each pocket a bag, open above: netting, leather or plastic, dark at its bottom."""
    table = room.table
    colour = room.net if room.pockets == "net" else room.rail.trim
    shapes = []
    for p in table.pockets:
        r = p.drop_radius_mm + 6
        shift_x = 12 * math.copysign(1.0, p.x_mm)
        profile = np.array([(r, table.nose_height_mm), (r, -20.0), (0.8 * r, -110.0), (0.5, -130.0)])
        bag = lathed(profile, (p.x_mm + shift_x, p.y_mm))
        paint: dict[str, Any] = {"type": "diffuse", "reflectance": rgb(colour)}
        if room.pockets == "net":
            paint = painted(_netting(colour), {"type": "diffuse"}, "reflectance")
        else:
            paint = {"type": "twosided", "b": paint}
        shapes.append(shape_of(bag, paint, smooth=False))
    return shapes


def _netting(colour: Colour) -> Sheet:
    """Knotted cord about open meshes."""
    y, x = np.mgrid[0:256, 0:512]
    wave = np.minimum(np.abs(np.sin((x + y) * np.pi / 21)), np.abs(np.sin((x - y) * np.pi / 21)))
    there = (wave < 0.33).astype(np.float32)
    there[:40] = 1.0  # the rim
    flat = np.broadcast_to(np.asarray(colour, np.float32), (256, 512, 3)).copy()
    return Sheet(flat, (0.0, 0.0), (1.0, 1.0), there)


def _around(room: Room) -> list[Any]:
    (x0, y0, z0), (x1, y1, z1) = room.low, room.high
    dx, dy, dz = (x1 - x0, 0, 0), (0, y1 - y0, 0), (0, 0, z1 - z0)
    faces = [
        rectangle((x0, y0, z0), dz, dy),
        rectangle((x1, y0, z0), dy, dz),
        rectangle((x0, y0, z0), dx, dz),
        rectangle((x0, y1, z0), dz, dx),
    ]
    shapes = [
        shape_of(f, {"type": "twosided", "b": {"type": "diffuse", "reflectance": rgb(c)}})
        for f, c in zip(faces, room.walls, strict=True)
    ]
    ceiling = {"type": "twosided", "b": {"type": "diffuse", "reflectance": rgb((0.35, 0.35, 0.34))}}
    shapes.append(shape_of(rectangle((x0, y0, z1), dy, dx), ceiling))
    rng = np.random.default_rng([room.seed, 2])
    worn = np.clip(1 + 0.15 * clouds(rng, (256, 256), 4.0), 0.3, 2.0)[..., None] * np.asarray(room.floor)
    carpet = Sheet(worn.astype(np.float32), (x0, y0), (x1, y1))
    shapes.append(shape_of(_flat(carpet, z0), painted(carpet, {"type": "diffuse"}, "reflectance")))
    return shapes


def _lights(room: Room) -> list[Any]:
    shapes = []
    for lamp in room.lamps:
        x, y, z = lamp.centre_mm
        if lamp.radius_mm:
            shapes.append(lamp_sphere(lamp.centre_mm, lamp.radius_mm, lamp.light))
            continue
        w, h = lamp.size_mm
        face = rectangle((x - w / 2, y - h / 2, z), (0, h, 0), (w, 0, 0))
        dark = {"type": "diffuse", "reflectance": rgb((0.4, 0.4, 0.4))}
        shapes.append(shape_of(face, dark, light=lamp.light))
        if lamp.shade:
            rim = {"type": "twosided", "b": {"type": "diffuse", "reflectance": rgb((0.03, 0.06, 0.04))}}
            shapes.append(shape_of(box((x - w / 2, y - h / 2, z + 2), (x + w / 2, y + h / 2, z + 60)), rim))
    if room.window is not None:
        shapes.append(_window(room, *room.window))
    return shapes


def _window(room: Room, wall: int, light: float) -> Any:
    """Daylight from one wall: bluish, wide, low enough to reach half the table."""
    (x0, y0, _), (x1, y1, _) = room.low, room.high
    along_x, up = 0.5 * (x1 - x0), (0.0, 0.0, 1100.0)
    along_y = 0.5 * (y1 - y0)
    face = (
        rectangle((x0 + 5, y0 + along_y / 2, 200), (0, along_y, 0), up),
        rectangle((x1 - 5, y0 + along_y / 2, 200), up, (0, along_y, 0)),
        rectangle((x0 + along_x / 2, y0 + 5, 200), up, (along_x, 0, 0)),
        rectangle((x0 + along_x / 2, y1 - 5, 200), (along_x, 0, 0), up),
    )[wall]
    dark = {"type": "diffuse", "reflectance": rgb((0.4, 0.4, 0.4))}
    return shape_of(face, dark, light=(0.8 * light, 0.95 * light, 1.15 * light))
