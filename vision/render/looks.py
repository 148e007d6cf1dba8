"""Random looks: ball colours, cloths, rails, pockets and lamps, wide but like what clubs have."""

from __future__ import annotations

import colorsys
from dataclasses import replace

import numpy as np

from calibration.table.specs import TableSpec
from vision.render.scene import BallLook, Lamp, Rgb, TableLook

Rng = np.random.Generator

# hue in degrees, saturation, value of what an ordinary camera shows under white light
_HSV: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
    "white": ((34, 62), (0.02, 0.28), (0.88, 1.0)),
    "red": ((-14, 5), (0.82, 1.0), (0.48, 0.98)),
    "yellow": ((38, 57), (0.72, 1.0), (0.82, 1.0)),
    "green": ((142, 184), (0.6, 1.0), (0.26, 0.62)),
    "brown": ((8, 30), (0.55, 0.92), (0.30, 0.66)),
    "blue": ((198, 234), (0.68, 1.0), (0.36, 0.86)),
    "pink": ((-22, 14), (0.32, 0.62), (0.86, 1.0)),
    "black": ((0, 360), (0.0, 0.4), (0.03, 0.2)),
}


def linear(hue_deg: float, saturation: float, value: float) -> Rgb:
    """Linear RGB of a colour given as a screen's hue, saturation and value."""
    r, g, b = colorsys.hsv_to_rgb((hue_deg % 360) / 360, min(saturation, 1.0), min(value, 1.0))
    return (r**2.2, g**2.2, b**2.2)


def random_ball_looks(rng: Rng) -> dict[str, BallLook]:
    """One look for each colour; brown may be nearly red, green nearly blue, pink loud."""
    hsv = {c: [float(rng.uniform(*span)) for span in spans] for c, spans in _HSV.items()}
    if rng.random() < 0.45:
        # cheap sets: the brown is a duller, more orange red
        red = hsv["red"] = [rng.uniform(-14, 2), rng.uniform(0.9, 1), rng.uniform(0.65, 0.98)]
        hsv["brown"] = [
            red[0] + rng.uniform(8, 20),
            red[1] * rng.uniform(0.72, 0.94),
            red[2] * rng.uniform(0.68, 1.0),
        ]
    if rng.random() < 0.3:
        # teal green beside a sky blue
        hsv["green"] = [rng.uniform(165, 184), rng.uniform(0.75, 1), rng.uniform(0.4, 0.62)]
        hsv["blue"] = [hsv["green"][0] + rng.uniform(20, 36), rng.uniform(0.75, 1), rng.uniform(0.6, 0.9)]
    if rng.random() < 0.3:
        hsv["pink"] = [rng.uniform(-24, -6), rng.uniform(0.5, 0.88), rng.uniform(0.9, 1)]
    mark = int(rng.choice([0, 0, 0, 0, 1])) if rng.random() < 0.8 else 1
    looks = {}
    for name, (h, s, v) in hsv.items():
        own = mark if name != "white" else int(rng.choice([0, 0, 0, 2]))
        tone = linear(rng.uniform(0, 360), 0.9, 0.8) if name == "white" else (0.85, 0.85, 0.85)
        looks[name] = BallLook(linear(h, s, v), own, tone)
    return looks


def random_cloth(rng: Rng) -> Rgb:
    """Cloth colour: mostly greens; teal, blue, red, grey, olive, camel as clubs have them."""
    kind = rng.random()
    if kind < 0.45:
        return linear(rng.uniform(100, 158), rng.uniform(0.5, 1), rng.uniform(0.22, 0.62))
    if kind < 0.65:
        return linear(rng.uniform(155, 188), rng.uniform(0.15, 0.75), rng.uniform(0.35, 0.68))
    if kind < 0.82:
        return linear(rng.uniform(192, 228), rng.uniform(0.4, 1), rng.uniform(0.3, 0.7))
    if kind < 0.88:
        return linear(rng.uniform(-12, 8), rng.uniform(0.5, 0.9), rng.uniform(0.22, 0.5))
    if kind < 0.94:
        return linear(rng.uniform(0, 360), rng.uniform(0.0, 0.15), rng.uniform(0.25, 0.6))
    return linear(rng.uniform(30, 95), rng.uniform(0.3, 0.7), rng.uniform(0.3, 0.6))


def cloth_like(rng: Rng, ball: BallLook) -> Rgb:
    """A cloth of nearly a ball's colour: what hides a ball best."""
    h, s, v = colorsys.rgb_to_hsv(*(c ** (1 / 2.2) for c in ball.albedo))
    return linear(
        360 * h + float(rng.normal(0, 7)),
        s * float(rng.uniform(0.7, 1.15)),
        v * float(np.exp(rng.normal(0, 0.22))),
    )


def random_table_look(rng: Rng) -> TableLook:
    """Cloth, marks, rails and pockets of one table."""
    cloth = random_cloth(rng)
    light_marks = rng.random() < 0.6
    tone = rng.uniform(0.45, 0.9) if light_marks else rng.uniform(0.0, 0.04)
    rail, leather = _random_rail(rng), _random_leather(rng)
    dark = float(rng.uniform(0.0, 0.02))
    look = TableLook(
        cloth=cloth,
        cloth_contrast=float(rng.uniform(0.01, 0.10)),
        nap=float(rng.uniform(-0.15, 0.15)),
        wear=float(rng.uniform(0, 0.25)),
        mark=(tone, tone, tone * 0.95),
        mark_width_mm=float(rng.uniform(1.5, 5.5)),
        mark_opacity=float(rng.uniform(0.25, 1)),
        spot_radius_mm=float(rng.choice([0.0, 3.0, 5.0, 8.0])),
        cushion_gain=float(rng.uniform(0.75, 1.2)),
        cushion_width_mm=float(rng.uniform(36, 60)),
        rail=rail,
        rail_width_mm=float(rng.uniform(60, 150)),
        rail_grain=float(rng.uniform(0, 0.35)),
        rail_dots=int(rng.choice([0, 0, 4, 8])),
        pocket_hole=(dark, dark, dark),
        pocket_net=float(rng.choice([0, 0, 0.02, 0.1, 0.3])),
        pocket_lip=float(rng.choice([0.0, 0.0, rng.uniform(0.15, 1.1)])),
        pocket_lip_tone=linear(rng.uniform(0, 360), rng.uniform(0, 0.4), rng.uniform(0.1, 0.75)),
        pocket_leather=leather,
        leather_width_mm=float(rng.uniform(4, 32)),
        plastic_corner=float(rng.choice([0, 0, rng.uniform(30, 90)])),
        floor=linear(rng.uniform(0, 360), rng.uniform(0, 0.5), rng.uniform(0.02, 0.45)),
        markers=int(rng.choice([0, 0, 3, 8])),
        specks=int(rng.integers(0, 90)),
        seed=int(rng.integers(0, 1 << 30)),
    )
    # from a generator of their own, so that the looks of earlier seeds stay what they were
    own = np.random.default_rng(look.seed + 29)
    return replace(
        look,
        well_shift_mm=float(own.uniform(0, 80)),
        well_radius=float(own.choice([0.0, own.uniform(0.7, 1.35)])),
    )


def _random_rail(rng: Rng) -> Rgb:
    """Wood, or paint of little colour."""
    if rng.random() < 0.75:
        return linear(rng.uniform(0, 32), rng.uniform(0.4, 0.95), rng.uniform(0.15, 0.6))
    return linear(rng.uniform(0, 360), rng.uniform(0, 0.2), rng.uniform(0.03, 0.8))


def _random_leather(rng: Rng) -> Rgb:
    """Brown leather, or a dark tone of any hue."""
    if rng.random() < 0.6:
        return linear(rng.uniform(20, 45), rng.uniform(0.2, 0.7), rng.uniform(0.1, 0.95))
    return linear(rng.uniform(0, 360), 0.1, rng.uniform(0.03, 0.4))


def _warm(rng: Rng) -> Rgb:
    """Colour of a lamp from warm to cool white, as left over after the camera's white balance."""
    t = rng.normal(0, 0.07)
    return (float(1 + t), 1.0, float(1 - 1.3 * t))


QUARTERS = ((-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5))
"""Points of a large lamp from which light is cast, in its half widths."""


def random_lamps(rng: Rng, table: TableSpec) -> tuple[Lamp, ...]:
    """Panels, a row of shades, spots, or one far ceiling lamp; powers add up to about one."""
    kind = rng.random()
    z, tint = float(rng.uniform(800, 2300)), _warm(rng)
    if kind < 0.3:
        return _panels(rng, table, z, tint)
    if kind < 0.55:
        return _shades(rng, table, z, tint)
    if kind < 0.9:
        return _spots(rng, table)
    half = float(rng.uniform(200, 900))
    x, y = float(rng.normal(0, 700)), float(table.length_mm / 2 + rng.normal(0, 900))
    return (Lamp((x, y, float(rng.uniform(1800, 3000))), half, half * 0.5, tint, 1.0, 1.0, False, QUARTERS),)


def _panels(rng: Rng, table: TableSpec, z: float, tint: Rgb) -> tuple[Lamp, ...]:
    """One to three panels along the table."""
    n = int(rng.integers(1, 4))
    half_y = float(rng.uniform(0.15, 0.45) * table.length_mm / n)
    half_x = float(rng.uniform(80, 450))
    pitch = table.length_mm / n
    return tuple(
        Lamp(
            (float(rng.normal(0, 60)), (k + 0.5) * pitch, z),
            half_x,
            half_y,
            tint,
            1.0 / n,
            1.0,
            False,
            QUARTERS,
        )
        for k in range(n)
    )


def _shades(rng: Rng, table: TableSpec, z: float, tint: Rgb) -> tuple[Lamp, ...]:
    """A row of round shades along the table, or two rows."""
    n = int(rng.integers(2, 6))
    side = float(rng.choice([0.0, 0.0, rng.uniform(200, 600)]))
    mid = table.length_mm / 2
    return tuple(
        Lamp(
            (side * (-1) ** k, mid + (k - (n - 1) / 2) * table.length_mm / n * 0.9, z),
            (radius := float(rng.uniform(40, 260))),
            radius,
            tint,
            1.3 / n,
            float(rng.uniform(0.5, 2.5)),
            True,
            QUARTERS,
        )
        for k in range(n)
    )


def _spots(rng: Rng, table: TableSpec) -> tuple[Lamp, ...]:
    """One to six small lamps anywhere above the table, of unlike power and colour."""
    lamps = []
    for _ in range(int(rng.integers(1, 7))):
        at = (
            float(rng.uniform(-1.6, 1.6) * table.half_width_mm),
            float(table.length_mm / 2 + rng.uniform(-0.6, 0.6) * table.length_mm),
            float(rng.uniform(1000, 2600)),
        )
        radius = float(rng.uniform(15, 90))
        lamps.append(Lamp(at, radius, radius, _warm(rng), float(rng.uniform(0.3, 1)), 0.5, True))
    total = sum(lamp.power for lamp in lamps)
    return tuple(replace(lamp, power=1.1 * lamp.power / total) for lamp in lamps)
