"""A room with its camera ready to be photographed: traced once empty, then only where something is.

What moves is traced in crops: each ball with its shadow, each person. A crop is traced with everything that
lies in it and kept, so that a picture in which nothing has changed costs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calibration.files import whole_file
from referee.quality.bench.rooms.setting import Setting
from referee.quality.bench.rooms.studio.meshes import lathed
from referee.quality.bench.rooms.studio.people import Part
from referee.quality.bench.rooms.studio.prints import any_turn, turn_at
from referee.quality.bench.rooms.studio.room import standing
from referee.quality.bench.rooms.studio.tracer import Crop, Sphere, Tracer, rgb, shape_of

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Places = Mapping[str, tuple[float, float]]
"""Balls' places, mm, by name (`red_3`)."""
_ROOM_SAMPLES, _CROP_SAMPLES = 8, 14
_SHADOW_MM = 34.0
"""Beyond a ball's edge in which its shadow and its light on the cloth are traced anew; farther off they are
fainter than a grey level."""
_RING_RADII = 1.9
"""Where about a ball the light on the cloth is taken; its own shadow covers less than half of the ring."""
_PERSON_PX = 14
_FEATHER_PX = 3
_SPARKS = ((0.0, 0.0), (0.6, 0.0), (-0.6, 0.0), (0.0, 0.6), (0.0, -0.6))
_STUFFS: dict[str, dict[str, Any]] = {
    "skin": {"roughness": 0.45, "specular": 0.4},
    "cloth": {"roughness": 0.9, "specular": 0.1, "sheen": 0.4},
    "hair": {"roughness": 0.5, "specular": 0.5},
    "metal": {"roughness": 0.25, "specular": 0.9, "metallic": 0.6},
    "wood": {"roughness": 0.25, "specular": 0.5},
    "leather": {"roughness": 0.5, "specular": 0.4},
}


@dataclass(frozen=True, slots=True)
class People:
    """People at a moment. `key` names pose and persons; equal keys are equal meshes."""

    key: str
    parts: tuple[Part, ...]


NOBODY = People("", ())


class Stage:
    """One camera's room; pictures are linear radiance as the lens shows it."""

    def __init__(self, setting: Setting, cache: Path | None = None) -> None:
        self.setting = setting
        self._tracer = Tracer(standing(setting.room), setting.view.pinhole)
        self._paints = setting.paints()
        self._pieces = setting.plan.pieces
        self._largest = max(self._pieces.size_share(p) for p in self._pieces.pieces)
        turns = np.random.default_rng([setting.paints_seed, 2])
        self._turns = {name: any_turn(turns) for name in self._pieces.pieces}
        self._sources = setting.view.sources()  # the same for every image
        self._kept: dict[tuple[Any, ...], F32] = {}
        self._shapes: dict[str, list[Any]] = {"": []}
        self._empty = self._room(cache)

    def light(self, exposure: Sequence[Places], still: Places, people: People = NOBODY) -> F32:
        """The picture of an exposure: `exposure` has the places of the moving balls at each of its moments,
        `still` those of the balls that lie.
        """
        out = self._empty.copy()
        if people.parts:
            crop = self._about_people(people)
            if crop is not None:
                self._lay(out, crop, [{}], still, people)
        crops = [self._about([p]) for p in still.values()]
        for crop in _merged([c for c in crops if c is not None]):
            self._lay(out, crop, [{}], still, people)
        moving = {n for moment in exposure for n in moment}
        ways = [self._about([m[n] for m in exposure if n in m]) for n in sorted(moving)]
        for crop in _merged([c for c in ways if c is not None]):
            self._lay(out, crop, exposure, still, people)
        return self.setting.view.bent(out, self._sources)

    def in_sight(self, still: Places, people: People = NOBODY) -> dict[str, float]:
        """The share of each ball that the camera sees."""
        shapes = [*self._meshes(people), *self._discs(still)]
        balls = self._spheres(still)
        if not self._pieces.discs:
            return dict(zip(still, self._tracer.in_sight(balls, shapes), strict=True))
        tops = [self._sparks(name, place) for name, place in still.items()]
        seen = self._tracer.in_sight([s for top in tops for s in top], shapes)
        each = len(_SPARKS)
        return {n: float(np.mean(seen[each * k : each * (k + 1)])) for k, n in enumerate(still)}

    def lit(self, still: Places, people: People = NOBODY) -> dict[str, float]:
        """The light on the cloth about each ball, as a share of the table's median."""
        light = self.light([], still, people).mean(axis=2)
        table, camera = self.setting.table, self.setting.view.camera
        x = np.linspace(-0.9, 0.9, 19) * table.half_width_mm
        y = np.linspace(0.05, 0.95, 37) * table.length_mm
        bed = _sampled(light, camera.pixels_from_table([(a, b, 0.0) for a in x for b in y]))
        angles = np.linspace(0.0, 2 * np.pi, 24, endpoint=False)
        out = {}
        for name, (bx, by) in still.items():
            r = _RING_RADII * self._radius(name)
            ring = [(bx + r * np.cos(a), by + r * np.sin(a), 0.0) for a in angles]
            about = _sampled(light, camera.pixels_from_table(ring))
            if len(about):
                out[name] = round(float(np.median(about) / np.median(bed)), 4)
        return out

    def _room(self, cache: Path | None) -> F32:
        plan = self.setting.plan
        file = None if cache is None else cache / f"{plan.seed}_{plan.number}.npy"
        if file is not None and file.is_file():
            return np.asarray(np.load(file), np.float32)
        empty = self._tracer.picture([], [], _ROOM_SAMPLES, plan.seed + plan.number)
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            with whole_file(file) as part, part.open("wb") as out:
                np.save(out, empty.astype(np.float16))
        return empty

    def _lay(self, out: F32, crop: Crop, exposure: Sequence[Places], still: Places, people: People) -> None:
        """Trace a crop, or take it as it was kept, and lay it into the picture with soft edges."""
        near = {n: p for n, p in still.items() if self._reaches(p, crop)}
        key = (
            crop,
            tuple(sorted(near.items())),
            people.key,
            tuple(tuple(sorted(m.items())) for m in exposure),
        )
        if key not in self._kept:
            shapes = self._meshes(people)
            moments = []
            for moment in exposure:
                lying = {**near, **moment}
                moments.append((self._spheres(lying), [*shapes, *self._discs(lying)]))
            seed = self.setting.plan.seed + len(self._kept) + 1
            self._kept[key] = self._tracer.exposed(moments, _CROP_SAMPLES, seed, crop)
            if len(self._kept) > 400:
                del self._kept[next(iter(self._kept))]
        traced = self._kept[key]
        share = _feathered(crop.height, crop.width)
        at = np.s_[crop.y : crop.y + crop.height, crop.x : crop.x + crop.width]
        out[at] = out[at] * (1 - share) + traced * share

    def _spheres(self, places: Places) -> list[Sphere]:
        if self._pieces.discs:
            return []
        out = []
        for name, (x, y) in places.items():
            r = self._radius(name)
            turn = turn_at((x, y), r, self._turns[name])
            out.append(Sphere((x, y, r), r, self._paints[self._pieces.kind_of[name]], turn))
        return out

    def _radius(self, name: str) -> float:
        return self._pieces.size_share(name) * self.setting.table.ball_radius_mm

    def _discs(self, places: Places) -> list[Any]:
        height = self.setting.table.piece_height_mm
        if height is None:
            return []
        out = []
        for name, place in places.items():
            r, paint = self._radius(name), self._paints[self._pieces.kind_of[name]]
            inwards = [(r * s, height) for s in (0.75, 0.5, 0.25, 0.01)]
            rim = [(r - 0.8, 0.0), (r, 1.2), (r, height - 1.2), (r - 0.8, height)]
            out.append(shape_of(lathed(np.array([*rim, *inwards]), place), paint))
        return out

    def _sparks(self, name: str, place: tuple[float, float]) -> list[Sphere]:
        """Small balls on a disc's top, of which as much is in sight as of the disc."""
        r, z = self._radius(name), (self.setting.table.piece_height_mm or 0.0) + 1.5
        return [Sphere((place[0] + u * r, place[1] + v * r, z), 1.0, None) for u, v in _SPARKS]

    def _meshes(self, people: People) -> list[Any]:
        if people.key not in self._shapes:
            while len(self._shapes) > 12:
                del self._shapes[next(k for k in self._shapes if k)]
            self._shapes[people.key] = [_shape(p) for p in people.parts]
        return self._shapes[people.key]

    def _reaches(self, place: tuple[float, float], crop: Crop) -> bool:
        """Whether a ball at a place, or its shadow, may show in a crop."""
        own = self._about([place])
        return own is not None and _overlap(own, crop, 2)

    def _about(self, places: Sequence[tuple[float, float]]) -> Crop | None:
        r = self.setting.table.ball_radius_mm * self._largest
        reach = r + _SHADOW_MM
        points = [
            (x + dx, y + dy, z)
            for x, y in places
            for dx in (-reach, reach)
            for dy in (-reach, reach)
            for z in (0.0, 2 * r)
        ]
        return self._crop(np.asarray(points), 1)

    def _about_people(self, people: People) -> Crop | None:
        points = np.concatenate([p.mesh.vertices for p in people.parts])
        grounded = points * (1, 1, 0)
        near = np.abs(points[:, 2]) < 400.0  # what is higher throws no shadow that is seen
        return self._crop(np.concatenate((points, grounded[near])), _PERSON_PX)

    def _crop(self, points: F64, grow: int) -> Crop | None:
        view = self.setting.view.pinhole
        px = view.project(points)
        low = np.maximum(np.floor(px.min(0)).astype(int) - grow, 0)
        high = np.minimum(np.ceil(px.max(0)).astype(int) + grow + 1, (view.width_px, view.height_px))
        if np.any(high - low < 2 * _FEATHER_PX + 2):
            return None
        return Crop(int(low[0]), int(low[1]), int(high[0] - low[0]), int(high[1] - low[1]))


def _shape(part: Part) -> Any:
    colour = {"type": "mesh_attribute", "name": "vertex_colour"}
    paint = {"type": "principled", **_STUFFS[part.stuff], "base_color": colour}
    if part.mesh.colours is None:
        paint["base_color"] = rgb((0.5, 0.5, 0.5))
    return shape_of(part.mesh, {"type": "twosided", "b": paint}, smooth=True)


def _sampled(light: F32, px: F64) -> F32:
    """The light at those of the pixels (N, 2) that lie in the picture."""
    at = np.round(px).astype(int)
    inside = (at >= 0).all(axis=1) & (at[:, 0] < light.shape[1]) & (at[:, 1] < light.shape[0])
    return np.asarray(light[at[inside, 1], at[inside, 0]])


def _feathered(height: int, width: int) -> F32:
    """Weights (H, W, 1) that rise from the edge over `_FEATHER_PX`."""
    y = np.minimum(np.arange(height) + 1, np.arange(height, 0, -1))[:, None]
    x = np.minimum(np.arange(width) + 1, np.arange(width, 0, -1))[None, :]
    return np.asarray(np.clip(np.minimum(x, y) / (_FEATHER_PX + 1), 0, 1)[..., None], np.float32)


def _overlap(a: Crop, b: Crop, slack: int = 0) -> bool:
    apart_x = a.x > b.x + b.width + slack or b.x > a.x + a.width + slack
    return not (apart_x or a.y > b.y + b.height + slack or b.y > a.y + a.height + slack)


def _merged(crops: Sequence[Crop]) -> list[Crop]:
    """Crops that overlap as one, in an order of their places."""
    left = sorted(crops, key=lambda c: (c.y, c.x))
    out: list[Crop] = []
    for crop in left:
        own = crop
        while (other := next((c for c in out if _overlap(c, own)), None)) is not None:
            out.remove(other)
            own = _both(own, other)
        out.append(own)
    return out


def _both(a: Crop, b: Crop) -> Crop:
    x, y = min(a.x, b.x), min(a.y, b.y)
    right, bottom = max(a.x + a.width, b.x + b.width), max(a.y + a.height, b.y + b.height)
    return Crop(x, y, right - x, bottom - y)
