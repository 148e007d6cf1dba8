"""Players and referees as meshes: hands, arms with sleeves and watches, heads, bodies, cues and rests.

A person is drawn from a seed (`draw_person`) and then posed; all parts are skins about blended capsules, so
that a hand is one smooth surface. Millimetres in the table's frame, z up from the cloth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from referee.quality.bench.rooms.studio.draws import Rng, one_of
from referee.quality.bench.rooms.studio.meshes import Mesh, Place, bounds, capsules, joined, skin, tube

F64 = NDArray[np.float64]
Colour = tuple[float, float, float]
Capsule = tuple[Place, Place, float, float]
Stuff = Literal["skin", "cloth", "hair", "metal", "wood", "leather"]

SKINS: tuple[Colour, ...] = (
    (0.80, 0.56, 0.45),
    (0.68, 0.43, 0.32),
    (0.54, 0.32, 0.21),
    (0.38, 0.20, 0.12),
    (0.22, 0.11, 0.065),
    (0.10, 0.05, 0.032),
)
"""Linear reflectance of skin from the palest to the darkest, after measured spectra (Xiao et al., 2017)."""
_HAIR: tuple[Colour, ...] = ((0.01, 0.009, 0.008), (0.05, 0.03, 0.018), (0.25, 0.16, 0.07), (0.4, 0.4, 0.4))
_CLOTHES: tuple[Colour, ...] = (
    (0.008, 0.008, 0.01),
    (0.75, 0.75, 0.73),
    (0.02, 0.03, 0.09),
    (0.35, 0.02, 0.03),
    (0.25, 0.25, 0.27),
    (0.1, 0.2, 0.45),
    (0.45, 0.1, 0.25),
    (0.03, 0.12, 0.05),
)
_FINE_MM, _COARSE_MM = 3.5, 12.0
"""Grid of a hand's and of a body's skin; a finger is 16 mm thick."""
CUE_MM = 1470.0  # 1.45 to 1.48 m is usual


@dataclass(frozen=True, slots=True)
class Person:
    """What one person looks like. `sleeve`: share of the forearm, from the wrist, that is bare; `glove`:
    colour of a glove or None; `scale`: of hands and head.
    """

    skin: Colour
    hair: Colour | None
    shirt: Colour
    waistcoat: Colour
    sleeve: float
    glove: Colour | None
    watch: Colour | None
    scale: float
    stripes: float
    butt: Colour


@dataclass(frozen=True, slots=True)
class Part:
    """A mesh and what it is made of."""

    mesh: Mesh
    stuff: Stuff


def draw_person(rng: Rng, referee: bool = False) -> Person:
    """A person of a seed; referees often wear white or black gloves."""
    dark = float(rng.random()) < (0.6 if referee else 0.3)
    shirt = _CLOTHES[0] if dark else one_of(rng, _CLOTHES)
    glove = None
    if rng.random() < (0.5 if referee else 0.12):
        glove = one_of(rng, ((0.75, 0.75, 0.74), (0.012, 0.012, 0.014)))
    metal = one_of(rng, ((0.5, 0.5, 0.52), (0.55, 0.38, 0.1), (0.01, 0.01, 0.012)))
    skin_tone = np.asarray(one_of(rng, SKINS)) * rng.uniform(0.85, 1.15, 3)
    return Person(
        (float(skin_tone[0]), float(skin_tone[1]), float(skin_tone[2])),
        None if rng.random() < 0.2 else one_of(rng, _HAIR),
        shirt,
        _CLOTHES[int(rng.choice([0, 2, 4]))] if rng.random() < 0.5 else shirt,
        float(rng.choice([0.04, 0.15, 0.5, 1.0], p=[0.4, 0.2, 0.15, 0.25])),
        glove,
        metal if rng.random() < 0.5 else None,
        float(rng.uniform(0.88, 1.1)),
        float(rng.choice([0.0, 0.0, 0.5])),
        _CLOTHES[0] if rng.random() < 0.6 else (0.12, 0.04, 0.02),
    )


def bridge_hand(person: Person, rng: Rng, right: bool = False) -> list[Capsule]:
    """A hand flat on the cloth that carries a cue: wrist at the origin, fingers along x, palm down."""
    spread = float(rng.uniform(0.75, 1.2))
    arch = float(rng.uniform(26, 40))
    ys = (-34.0, -12.0, 11.0, 32.0)
    parts: list[Capsule] = [((0, 0, 30), (45, 0, 29), 27, 30), ((20, -14, 20), (70, -26, 24), 20, 15)]
    for k, y in enumerate(ys):
        knuckle = (84 - 4 * abs(k - 2), y, arch)
        reach = (52.0, 68.0, 72.0, 60.0)[k]
        middle = (knuckle[0] + 0.5 * reach, y * (1 + 0.45 * spread), arch * 0.75)
        tip = (knuckle[0] + reach, y * (1 + 0.9 * spread), 8.0)
        parts += [((40, 0.6 * y, 26), knuckle, 17, 11.5), (knuckle, middle, 11, 9.5), (middle, tip, 9.5, 7.5)]
    parts += [((22, 24, 24), (62, 48, arch), 16, 11), ((62, 48, arch), (98, 47, arch + 12), 11, 8.5)]
    return _sized(parts, person.scale, right)


def picking_hand(person: Person, rng: Rng, right: bool = False) -> list[Capsule]:
    """A hand about a ball, whose centre is the origin; the arm comes from -x."""
    up = float(rng.uniform(75, 95))
    parts: list[Capsule] = [((-105, 0, up + 20), (-45, 0, up), 27, 30)]
    for k, y in enumerate((-27.0, -9.0, 9.0, 27.0)):
        knuckle = (-12.0, y, up + 6)
        middle = (24.0, 0.9 * y, up - 22)
        tip = (27.0, 0.55 * y, 10.0 + 4 * abs(k - 1))
        parts += [((-45, 0.7 * y, up), knuckle, 18, 12), (knuckle, middle, 11.5, 10), (middle, tip, 9.5, 7.5)]
    parts += [((-50, 25, up - 8), (-42, 20, up - 45), 15, 11), ((-42, 20, up - 45), (-29, 6, 14), 11, 8.5)]
    return _sized(parts, person.scale, right)


def open_hand(person: Person, rng: Rng, right: bool = False) -> list[Capsule]:
    """A hand that rests on cloth or rail, fingers together or spread."""
    spread = float(rng.uniform(0.0, 0.7))
    parts: list[Capsule] = [((0, 0, 26), (50, 0, 29), 26, 30)]
    for k, y in enumerate((-30.0, -10.0, 10.0, 29.0)):
        reach = (62.0, 82.0, 88.0, 74.0)[k]
        tip = (86 + reach, y * (1 + spread), 9.0)
        parts += [((40, 0.7 * y, 20), (88, y, 15), 17, 11), ((88, y, 15), tip, 10.5, 7.5)]
    parts += [((20, 24, 18), (66, 58, 14), 16, 10), ((66, 58, 14), (92, 68, 10), 10, 8)]
    return _sized(parts, person.scale, right)


def _sized(parts: Sequence[Capsule], scale: float, right: bool) -> list[Capsule]:
    flip = np.array([1.0, -1.0 if right else 1.0, 1.0]) * scale
    return [(np.asarray(a) * flip, np.asarray(b) * flip, ra * scale, rb * scale) for a, b, ra, rb in parts]


def placed(parts: Sequence[Capsule], at_mm: Place, heading: float) -> list[Capsule]:
    """A hand's capsules with its origin at a place, its x along a direction (rad)."""
    c, s = math.cos(heading), math.sin(heading)
    turn = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    at = np.asarray(at_mm, float)
    return [(turn @ np.asarray(a) + at, turn @ np.asarray(b) + at, ra, rb) for a, b, ra, rb in parts]


def hand_part(person: Person, parts: Sequence[Capsule], rng: Rng) -> Part:
    """The skin of a hand, or its glove."""
    low, high = bounds(parts, 2 * _FINE_MM)
    mesh = skin(capsules(parts, 9.0), low, high, _FINE_MM)
    if person.glove is not None:
        return Part(_coloured(mesh, person.glove, 0.05, rng), "cloth")
    return Part(_coloured(mesh, person.skin, 0.13, rng), "skin")


def arm_parts(person: Person, wrist: F64, elbow: F64, shoulder: F64, rng: Rng) -> list[Part]:
    """Forearm and upper arm: bare as far as the sleeve leaves it, with a watch where one is worn."""
    bare = wrist + person.sleeve * (elbow - wrist)
    out: list[Part] = []
    r_wrist, r_elbow = 27.0 * person.scale, 42.0 * person.scale
    r_bare = r_wrist + person.sleeve * (r_elbow - r_wrist)
    if person.sleeve > 0.02:
        upper = shoulder if person.sleeve >= 1.0 else bare
        limb: list[Capsule] = [(wrist, bare, r_wrist, r_bare)]
        if person.sleeve >= 1.0:
            limb.append((elbow, elbow + 0.5 * (upper - elbow), r_elbow, 48.0))
        out.append(Part(_coloured(_skin_of(limb, 12.0), person.skin, 0.1, rng), "skin"))
    cuff = bare if person.sleeve < 1.0 else elbow + 0.35 * (shoulder - elbow)
    sleeve: list[Capsule] = [(cuff, elbow, r_bare + 8, 54.0), (elbow, shoulder, 54.0, 70.0)]
    if person.sleeve >= 1.0:
        sleeve = [(cuff, shoulder, 62.0, 72.0)]
    out.append(Part(_clothed(_skin_of(sleeve, 25.0), person.shirt, person.stripes, rng), "cloth"))
    if person.watch is not None and person.sleeve > 0.1:
        out.append(_watch(person, wrist, elbow, r_wrist))
    return out


def _watch(person: Person, wrist: F64, elbow: F64, radius: float) -> Part:
    """A strap about the forearm and a dial on its upper side."""
    along = (elbow - wrist) / np.linalg.norm(elbow - wrist)
    at = wrist + 22.0 * along
    band = tube(np.array([at - 9 * along, at, at + 9 * along]), (radius + 4, radius + 5, radius + 4), 24)
    up = np.array([0.0, 0.0, 1.0]) - along[2] * along
    up /= np.linalg.norm(up)
    dial = tube(np.array([at + (radius + 1) * up, at + (radius + 11) * up]), (20.0, 18.0), 24)
    colour = np.asarray(person.watch)
    mesh = joined(
        [
            Mesh(band.vertices, band.faces, None, np.tile(colour * 0.8, (len(band.vertices), 1))),
            Mesh(dial.vertices, dial.faces, None, np.tile(colour, (len(dial.vertices), 1))),
        ]
    )
    return Part(mesh, "metal")


def head_part(person: Person, at: F64, facing: F64, rng: Rng) -> Part:
    """A head whose hair covers all but the face."""
    s = person.scale
    crown, jaw = at + np.array([0, 0, 35.0 * s]), at + np.array([0, 0, -55.0 * s]) + 25 * s * facing
    mesh = _skin_of([(crown, jaw, 92 * s, 62 * s), (crown - 20 * facing, crown, 90 * s, 90 * s)], 20.0)
    mesh = _coloured(mesh, person.skin, 0.1, rng)
    if person.hair is None or mesh.colours is None:
        return Part(mesh, "skin")
    off = mesh.vertices - crown
    hairy = (off @ facing < 45 * s) & (off[:, 2] > -70 * s)
    wild = rng.uniform(0.6, 1.5, (len(off), 1))
    colours = np.where(hairy[:, None], np.asarray(person.hair) * wild, mesh.colours)
    return Part(Mesh(mesh.vertices, mesh.faces, None, colours), "hair")


def body_part(person: Person, shoulders: tuple[F64, F64], hips: F64, rng: Rng) -> Part:
    """A trunk from two shoulders to the hips, in shirt or waistcoat."""
    left, right = shoulders
    middle = (left + right) / 2
    parts: list[Capsule] = [(left, right, 85.0, 85.0), (middle, hips, 150.0, 170.0)]
    parts += [(left, hips, 95.0, 120.0), (right, hips, 95.0, 120.0)]
    mesh = skin(capsules(parts, 70.0), *bounds(parts, 50.0), _COARSE_MM * 1.4)
    return Part(_clothed(mesh, person.waistcoat, person.stripes, rng), "cloth")


def cue_part(person: Person, tip: F64, direction: F64, length_mm: float = CUE_MM) -> Part:
    """A cue: chalked tip, brass ferrule, ash shaft, dark butt; `direction` points to the tip."""
    share = np.array([0.0, 0.004, 0.0042, 0.012, 0.0125, 0.3, 0.68, 0.69, 1.0])
    radius = np.array([4.2, 4.8, 4.9, 5.0, 5.0, 7.8, 11.5, 11.6, 14.5])
    ash, brass, blue = (0.55, 0.37, 0.18), (0.5, 0.35, 0.12), (0.05, 0.2, 0.35)
    colours = [blue, blue, brass, brass, ash, ash, ash, person.butt, person.butt]
    points = tip[None] - share[:, None] * length_mm * direction
    mesh = tube(points, radius.tolist(), 14)
    rings = np.repeat(np.array([colours[0], *colours, colours[-1]]), 15, axis=0)
    return Part(Mesh(mesh.vertices, mesh.faces, None, rings), "wood")


def rest_part(head: F64, direction: F64) -> Part:
    """A rest: a pole on the cloth whose cross carries the cue; `direction` points to the cross."""
    pole = tube(np.array([head, head - 1400.0 * direction + (0, 0, 90.0)]), (7.0, 11.0), 12)
    aside = np.cross(direction, (0.0, 0.0, 1.0))
    bars = [
        tube(np.array([head + s * 28 * aside - (0, 0, 8.0), head - s * 28 * aside + (0, 0, 42.0)]), (4, 4), 8)
        for s in (-1, 1)
    ]
    wood, brass = np.array([0.3, 0.18, 0.08]), np.array([0.45, 0.33, 0.12])
    meshes = [Mesh(pole.vertices, pole.faces, None, np.tile(wood, (len(pole.vertices), 1)))]
    meshes += [Mesh(b.vertices, b.faces, None, np.tile(brass, (len(b.vertices), 1))) for b in bars]
    return Part(joined(meshes), "wood")


def _skin_of(parts: Sequence[Capsule], blend_mm: float) -> Mesh:
    return skin(capsules(parts, blend_mm), *bounds(parts, _COARSE_MM + blend_mm / 2), _COARSE_MM)


def _waves(points: F64, size_mm: float, rng: Rng) -> F64:
    """Smooth noise over space (N,), about -1 to 1: a few random plane waves."""
    k = rng.normal(0, 2 * math.pi / size_mm, (6, 3))
    return np.asarray(np.sin(points @ k.T + rng.uniform(0, 2 * math.pi, 6)).mean(1) * 1.6)


def _coloured(mesh: Mesh, colour: Colour, uneven: float, rng: Rng) -> Mesh:
    """Unevenly coloured, redder where it is darker, as skin is."""
    wave = _waves(mesh.vertices, 45.0, rng)[:, None] + 0.5 * _waves(mesh.vertices, 14.0, rng)[:, None]
    tint = np.array([0.6, 1.0, 1.1])
    colours = np.asarray(colour) * np.clip(1 + uneven * tint * wave, 0.3, 1.7)
    return Mesh(mesh.vertices, mesh.faces, None, np.clip(colours, 0.0, 0.95))


def _clothed(mesh: Mesh, colour: Colour, stripes: float, rng: Rng) -> Mesh:
    """Cloth with folds of light and, on some shirts, stripes."""
    wave = 0.12 * _waves(mesh.vertices, 90.0, rng)
    if stripes:
        wave = wave - stripes * (np.sin(mesh.vertices @ rng.normal(0, 2 * math.pi / 60, 3)) > 0.4)
    colours = np.asarray(colour) * np.clip(1 + wave, 0.2, 1.6)[:, None]
    return Mesh(mesh.vertices, mesh.faces, None, np.clip(colours, 0.0, 0.95))
