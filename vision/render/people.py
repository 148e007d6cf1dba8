"""Random players over the table: arms with hands, a head, a cue, a rest, a hand that places a ball."""

from __future__ import annotations

import math

import numpy as np

from calibration.table.specs import TableSpec
from vision.render.looks import linear
from vision.render.scene import Capsule, Rgb, Vec3

Rng = np.random.Generator


def skin(rng: Rng) -> Rgb:
    """Skin from pale to dark."""
    v = rng.uniform(0.3, 0.95)
    return linear(rng.uniform(8, 28), rng.uniform(0.25, 0.6), v)


def sleeve(rng: Rng, bare: Rgb) -> Rgb:
    """Sleeve: black waistcoat, white or coloured shirt, or bare arm."""
    k = rng.random()
    if k < 0.35:
        return linear(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.02, 0.18))
    if k < 0.55:
        return linear(rng.uniform(0, 360), rng.uniform(0, 0.12), rng.uniform(0.6, 1))
    if k < 0.8:
        return linear(rng.uniform(0, 360), rng.uniform(0.3, 1), rng.uniform(0.15, 0.9))
    return bare


def along(p: Vec3, angle: float, length: float, rise: float) -> Vec3:
    """The place `length` mm from `p` in direction `angle` (radians), and `rise` mm higher."""
    return (p[0] + length * math.cos(angle), p[1] + length * math.sin(angle), p[2] + rise)


def hand(rng: Rng, at: tuple[float, float], angle: float, tone: Rgb, z: float = 18.0) -> list[Capsule]:
    """A hand whose fingers spread around `at` and whose wrist lies in direction `angle` (radians)."""
    palm: Vec3 = (at[0] + 70 * math.cos(angle), at[1] + 70 * math.sin(angle), z + 20)
    wrist = along(palm, angle, 60, 15)
    parts = [Capsule(palm, wrist, 38, 30, tone, 0.08)]
    for k in range(5):
        spread = angle + math.pi + (k - 2) * rng.uniform(0.25, 0.45)
        knuckle = along(palm, spread, 36, -6)
        tip = along(knuckle, spread + rng.normal(0, 0.15), rng.uniform(40, 70), -12)
        parts.append(Capsule(knuckle, tip, 11, 8, tone, 0.08))
    return parts


def arm(rng: Rng, at: tuple[float, float], angle: float, z: float = 18.0) -> list[Capsule]:
    """Hand, forearm and sleeve reaching in from direction `angle`."""
    tone = skin(rng)
    cloth = sleeve(rng, tone)
    parts = hand(rng, at, angle, tone, z)
    elbow_at = rng.uniform(260, 420)
    bend = angle + rng.normal(0, 0.25)
    wrist = along((at[0], at[1], z + 35), angle, 115, 0)
    elbow = along(wrist, bend, elbow_at, rng.uniform(20, 180))
    shoulder = along(elbow, bend + rng.normal(0, 0.4), 420, rng.uniform(60, 250))
    bare_to = rng.uniform(0.0, 1.0)
    mid = tuple(wrist[i] + bare_to * (elbow[i] - wrist[i]) for i in range(3))
    parts.append(Capsule(wrist, (mid[0], mid[1], mid[2]), 32, 40, tone, 0.08))
    parts.append(Capsule((mid[0], mid[1], mid[2]), elbow, 45, 58, cloth, 0.2))
    parts.append(Capsule(elbow, shoulder, 58, 85, cloth, 0.2))
    if rng.random() < 0.7:
        chest = along(shoulder, bend, 250, 60)
        parts.append(Capsule(shoulder, chest, 110, 220, cloth, 0.2))
    return parts


def head(rng: Rng, at: tuple[float, float], z: float) -> list[Capsule]:
    """A head from above: hair, nose side skin."""
    hair = linear(rng.uniform(5, 45), rng.uniform(0, 0.7), rng.uniform(0.05, 0.8))
    a = rng.uniform(0, 6.28)
    top = (at[0], at[1], z)
    return [
        Capsule(along(top, a, 45, -40), along(top, a, 50, -60), 62, 55, skin(rng), 0.08),
        Capsule(top, along(top, a + math.pi, 50, -10), 88, 84, hair, 0.35),
    ]


def cue(rng: Rng, tip: tuple[float, float], angle: float, z: float = 30.0) -> list[Capsule]:
    """A cue with its tip at a point, its butt in direction `angle`, rising."""
    wood = linear(rng.uniform(25, 45), rng.uniform(0.2, 0.65), rng.uniform(0.5, 1))
    butt = linear(rng.uniform(0, 360), rng.uniform(0.1, 0.8), rng.uniform(0.05, 0.6))
    rise = rng.uniform(0.03, 0.15)
    a: Vec3 = (tip[0], tip[1], z)
    f = along(a, angle, 6, 0.5)
    g = along(a, angle, 28, 28 * rise)
    m = along(a, angle, 1000, 1000 * rise)
    e = along(a, angle, 1460, 1460 * rise)
    return [
        Capsule(a, f, 4.6, 4.8, linear(rng.uniform(190, 230), rng.uniform(0, 0.8), 0.5), 0.1),
        Capsule(f, g, 4.9, 5.2, (0.7, 0.65, 0.45), 0.0, 0.2),
        Capsule(g, m, 5.2, 10.5, wood, 0.1, 0.15),
        Capsule(m, e, 10.5, 15, butt, 0.1, 0.15),
    ]


def rest(rng: Rng, at: tuple[float, float], angle: float) -> list[Capsule]:
    """A rest: a metal cross or spider on a stick."""
    metal = linear(45, rng.uniform(0.1, 0.6), rng.uniform(0.5, 0.9))
    a: Vec3 = (at[0], at[1], 45)
    end = along(a, angle, 1400, 60)
    stick = linear(rng.uniform(25, 40), 0.5, rng.uniform(0.3, 0.9))
    parts = [Capsule(a, end, 9, 12, stick, 0.1)]
    for side in (0.8, -0.8, math.pi - 0.8, math.pi + 0.8):
        parts.append(Capsule(a, along(a, angle + side, 38, rng.uniform(-35, 10)), 4, 4, metal, 0.0, 0.3))
    return parts


def chalk(rng: Rng, at: tuple[float, float], z: float) -> list[Capsule]:
    """A cube of chalk, drawn as a short thick capsule."""
    tone = linear(rng.uniform(170, 230), rng.uniform(0.3, 0.9), rng.uniform(0.3, 0.9))
    return [Capsule((at[0] - 5, at[1], z), (at[0] + 5, at[1], z), 10, 10, tone, 0.15)]


def random_people(rng: Rng, table: TableSpec, near: tuple[float, float]) -> tuple[Capsule, ...]:
    """Something that people put over the table, close to a point."""
    at = (near[0] + float(rng.normal(0, 110)), near[1] + float(rng.normal(0, 110)))
    # people stand outside: arms come from the nearer side, mostly
    out = math.atan2(at[1] - table.length_mm / 2, at[0] * 2.0 + 1e-3) + float(rng.normal(0, 0.7))
    kind = rng.random()
    if kind < 0.35:
        parts = arm(rng, at, out)
        if rng.random() < 0.6:
            parts += cue(rng, _shift(at, out + math.pi, rng.uniform(60, 260)), out + rng.normal(0, 0.08))
    elif kind < 0.6:
        parts = cue(rng, at, float(rng.uniform(0, 6.28)))
    elif kind < 0.75:
        parts = arm(rng, at, out, float(rng.uniform(20, 90)))
    elif kind < 0.87:
        parts = head(rng, at, float(rng.uniform(250, 450))) + arm(rng, _shift(at, out + 2.5, 350), out)
    elif kind < 0.94:
        parts = rest(rng, at, out) + cue(rng, _shift(at, out + math.pi, 150), out)
    else:
        parts = chalk(rng, at, 12.0)
    return tuple(parts)


def _shift(p: tuple[float, float], angle: float, length: float) -> tuple[float, float]:
    return (p[0] + length * math.cos(angle), p[1] + length * math.sin(angle))
