"""Arms as real rooms show them: bare, with a watch, a bracelet or a glove; fists and bridge hands.

A wrist between a sleeve and a watch is a pale disc of a ball's size, which is what a detector must know.
"""

from __future__ import annotations

import math

import numpy as np

from vision.render.looks import linear
from vision.render.people import along, cue, hand, skin, sleeve
from vision.render.scene import Capsule, Rgb, Vec3

Rng = np.random.Generator


def random_bare_arm(rng: Rng, at: tuple[float, float], towards: float) -> tuple[Capsule, ...]:
    """A hand at a place (mm), its arm reaching out in direction `towards` (radians), sometimes with a cue."""
    tone = skin(rng)
    z = float(rng.uniform(16, 90))
    parts = _hand(rng, at, towards, tone, z)
    wrist = along((at[0], at[1], z + 30), towards, float(rng.uniform(60, 130)), 0.0)
    bend = towards + float(rng.normal(0, 0.2))
    length, rise = float(rng.uniform(230, 300)), float(rng.uniform(0, 160))
    elbow = along(wrist, bend, length, rise)
    thin, thick = float(rng.uniform(24, 32)), float(rng.uniform(38, 55))
    texture = float(rng.uniform(0.03, 0.3))  # hair, tattoos
    parts.append(Capsule(wrist, elbow, thin, thick, tone, texture))
    cloth = sleeve(rng, tone)
    shoulder = along(elbow, bend + float(rng.normal(0, 0.4)), 300, float(rng.uniform(60, 250)))
    parts.append(Capsule(elbow, shoulder, thick + 2, 75, cloth, 0.2))
    if rng.random() < 0.6:  # a sleeve from somewhere between wrist and elbow on
        begin = float(rng.uniform(0.05, 0.9))
        start = _between(wrist, elbow, begin)
        parts.append(Capsule(start, elbow, thin + 8 + begin * 12, thick + 9, cloth, 0.2))
        if rng.random() < 0.3:  # a cuff of another colour
            cuff = sleeve(rng, tone)
            parts.append(Capsule(_between(wrist, elbow, begin - 0.05), start, thin + 6, thin + 8, cuff, 0.1))
    parts += _worn(rng, wrist, elbow, thin)
    if rng.random() < 0.3:
        tip = (at[0] - math.cos(towards) * 150, at[1] - math.sin(towards) * 150)
        parts += cue(rng, tip, towards + float(rng.normal(0, 0.1)))
    return tuple(parts)


def _hand(rng: Rng, at: tuple[float, float], towards: float, tone: Rgb, z: float) -> list[Capsule]:
    """Spread fingers, a fist, or a flat hand with its fingers together; some wear a glove."""
    gloved = rng.random() < 0.15
    colour = linear(rng.uniform(0, 360), rng.uniform(0, 0.8), rng.uniform(0.02, 0.95)) if gloved else tone
    kind = rng.random()
    if kind < 0.4:
        return hand(rng, at, towards, colour, z)
    palm: Vec3 = (at[0], at[1], z + 16)
    back = along(palm, towards, float(rng.uniform(40, 75)), 10)
    parts = [Capsule(palm, back, float(rng.uniform(30, 40)), 29, colour, 0.1)]
    reach = 22.0 if kind < 0.7 else float(rng.uniform(50, 80))  # folded, or stretched out side by side
    for k in range(4):
        across = (k - 1.5) * 18
        root = (palm[0] - math.sin(towards) * across, palm[1] + math.cos(towards) * across, palm[2])
        tip = along(root, towards + math.pi + float(rng.normal(0, 0.08)), 28 + reach, -8)
        parts.append(Capsule(root, tip, 10.5, 8.5, tone if gloved and k == 3 else colour, 0.1))
    thumb = along(palm, towards + math.pi / 2 * (1 if rng.random() < 0.5 else -1), 30, -4)
    parts.append(Capsule(thumb, along(thumb, towards + math.pi, 45, -8), 11, 9, colour, 0.1))
    return parts


def _worn(rng: Rng, wrist: Vec3, elbow: Vec3, thin: float) -> list[Capsule]:
    """A watch with its dial, or a bracelet, or nothing."""
    kind = rng.random()
    if kind > 0.5:
        return []
    tone = linear(rng.uniform(0, 360), rng.uniform(0, 0.6), rng.uniform(0.02, 0.9))
    at = float(rng.uniform(0.03, 0.2))
    if kind < 0.15:
        end = _between(wrist, elbow, at + 0.02)
        return [Capsule(_between(wrist, elbow, at), end, thin + 3, thin + 3, tone, 0.1, 0.5)]
    begin, end = _between(wrist, elbow, at), _between(wrist, elbow, at + float(rng.uniform(0.05, 0.09)))
    band = Capsule(begin, end, thin + 2.5, thin + 3, tone, 0.05, 0.1)
    face = linear(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.choice([0.03, 0.1, 0.6, 0.95]))
    middle = _between(begin, end, 0.5)
    dial = (middle[0], middle[1], middle[2] + 8)
    return [band, Capsule(dial, (dial[0] + 1, dial[1], dial[2]), 21, 21, face, 0.05, 0.4)]


def _between(a: Vec3, b: Vec3, share: float) -> Vec3:
    return (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2]))
