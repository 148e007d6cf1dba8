"""Lamps, tables and balls of the bench: other in kind than `vision/render/looks`, which training draws from.

Training: panels, shades and spots; rails with round dots; balls of any hue within broad ranges. Here:
tubes, window light from a side, rings of LED strip, canopies, glaring hot spots; rails of named woods with
sights, trim, bows and plates; leather, plastic or brass pockets; nap with ironed bands; three named sets of
balls.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibration.table.specs import TableSpec
from vision.render.looks import linear
from vision.render.scene import BallLook, Fittings, Lamp, Rgb, TableLook

Rng = np.random.Generator

CLOTHS: dict[str, tuple[float, float, float]] = {
    "green": (140.0, 0.74, 0.44),
    "blue": (213.0, 0.78, 0.5),
    "red": (355.0, 0.74, 0.42),
    "grey": (110.0, 0.05, 0.42),
}
"""Hue in degrees, saturation and value, as an ordinary camera shows the cloth."""
LAMPS = ("tubes", "window", "led_ring", "canopy", "hot_spots", "tubes_window")
RAILS: dict[str, tuple[float, float, float]] = {
    "mahogany": (12.0, 0.75, 0.3),
    "oak": (31.0, 0.55, 0.62),
    "black": (0.0, 0.05, 0.09),
    "white": (45.0, 0.06, 0.86),
    "grey": (220.0, 0.06, 0.45),
}
POCKETS = ("leather", "plastic", "brass")
_SETS: dict[str, dict[str, tuple[float, float, float]]] = {
    "match": {
        "white": (50, 0.09, 0.97),
        "red": (357, 0.9, 0.74),
        "yellow": (48, 0.92, 0.95),
        "green": (152, 0.85, 0.42),
        "brown": (20, 0.7, 0.42),
        "blue": (219, 0.86, 0.6),
        "pink": (350, 0.42, 0.97),
        "black": (0, 0.1, 0.08),
    },
    "club": {
        "white": (47, 0.16, 0.95),
        "red": (356, 0.86, 0.66),
        "yellow": (45, 0.85, 0.92),
        "green": (160, 0.8, 0.5),
        "brown": (17, 0.64, 0.44),
        "blue": (211, 0.78, 0.7),
        "pink": (347, 0.52, 0.95),
        "black": (0, 0.1, 0.11),
    },
    "worn": {
        "white": (44, 0.24, 0.9),
        "red": (0, 0.78, 0.62),
        "yellow": (43, 0.78, 0.86),
        "green": (146, 0.68, 0.4),
        "brown": (18, 0.56, 0.38),
        "blue": (216, 0.68, 0.52),
        "pink": (352, 0.45, 0.88),
        "black": (20, 0.1, 0.14),
    },
}
_TWO = ((-0.5, 0.0), (0.5, 0.0))


def ball_looks(rng: Rng) -> tuple[dict[str, BallLook], str]:
    """The looks of one set of balls, a little off its name, and that name."""
    name = str(rng.choice(list(_SETS), p=[0.4, 0.4, 0.2]))
    dots = 2 if rng.random() < 0.15 else 0
    looks = {}
    for colour, (h, s, v) in _SETS[name].items():
        body = linear(
            h + float(rng.normal(0, 2.0)), s * float(rng.normal(1, 0.03)), v * float(rng.normal(1, 0.03))
        )
        looks[colour] = BallLook(body, dots if colour == "white" else 0, linear(0, 0.9, 0.75))
    return looks, name


def lamps(rng: Rng, table: TableSpec) -> tuple[tuple[Lamp, ...], float, str]:
    """Lamps, the ambient light beside them, and their kind."""
    kind = str(rng.choice(LAMPS))
    ambient = float(rng.uniform(0.12, 0.4))
    if kind == "tubes":
        return _tubes(rng, table, 1.0), ambient, kind
    if kind == "window":
        return (*_canopy(rng, table, 0.45), *_window(rng, table, 0.55)), ambient + 0.1, kind
    if kind == "tubes_window":
        return (*_tubes(rng, table, 0.6), *_window(rng, table, 0.4)), ambient + 0.1, kind
    if kind == "led_ring":
        return _led_ring(rng, table), ambient, kind
    if kind == "canopy":
        return _canopy(rng, table, 1.0), ambient, kind
    return (*_canopy(rng, table, 0.65), *_hot_spots(rng, table)), ambient, kind


def _white(rng: Rng, warmth: float) -> Rgb:
    """A lamp's colour as it is left after the camera's white balance; `warmth` above 0 is redder."""
    t = warmth + float(rng.normal(0, 0.025))
    return (1 + t, 1.0, 1 - 1.4 * t)


def _tubes(rng: Rng, table: TableSpec, power: float) -> tuple[Lamp, ...]:
    """Two or three fluorescent tubes, along the table or across it."""
    n, z, tint = int(rng.integers(2, 4)), float(rng.uniform(950, 2400)), _white(rng, -0.02)
    mid = table.length_mm / 2
    if rng.random() < 0.5:
        along = ((0.0, -0.75), (0.0, -0.25), (0.0, 0.25), (0.0, 0.75))
        gap = float(rng.uniform(250, 700))
        return tuple(
            Lamp(
                ((k - (n - 1) / 2) * gap, mid, z),
                18.0,
                0.36 * table.length_mm,
                tint,
                power / n,
                1.0,
                False,
                along,
            )
            for k in range(n)
        )
    across = ((-0.6, 0.0), (0.0, 0.0), (0.6, 0.0))
    return tuple(
        Lamp(
            (0.0, mid + (k - (n - 1) / 2) * table.length_mm / n, z),
            600.0,
            18.0,
            tint,
            power / n,
            1.0,
            False,
            across,
        )
        for k in range(n)
    )


def _window(rng: Rng, table: TableSpec, power: float) -> tuple[Lamp, ...]:
    """Daylight from one side: bright near it, long soft shadows, cooler than the lamps."""
    side = float(rng.choice([-1.0, 1.0]))
    x, z = side * float(rng.uniform(2600, 4200)), float(rng.uniform(1500, 2300))
    y = table.length_mm * float(rng.uniform(0.1, 0.9))
    # a surface low at the side lights the middle by the cube of its height over its distance
    weak = (math.hypot(x, y - table.length_mm / 2, z) / z) ** 2
    ends = ((0.0, -0.5), (0.0, 0.5))
    return (Lamp((x, y, z), 150.0, 900.0, _white(rng, -0.07), power * weak, 0.0, False, ends),)


def _led_ring(rng: Rng, table: TableSpec) -> tuple[Lamp, ...]:
    """A rectangle of LED strip above the edge of the table: no shadow in the middle, many small mirrored
    lines.
    """
    z, grow = float(rng.uniform(900, 1500)), float(rng.uniform(-250, 200))
    w, mid, half = table.half_width_mm + grow, table.length_mm / 2, table.length_mm / 2 + grow
    tint = _white(rng, 0.0)
    along, across = ((0.0, -0.6), (0.0, 0.6)), ((-0.5, 0.0), (0.5, 0.0))
    sides = [Lamp((s * w, mid, z), 20.0, half, tint, 0.42, 1.0, False, along) for s in (-1.0, 1.0)]
    ends = [Lamp((0.0, mid + s * half, z), w, 20.0, tint, 0.55, 1.0, False, across) for s in (-1.0, 1.0)]
    return (*sides, *ends)


def _canopy(rng: Rng, table: TableSpec, power: float) -> tuple[Lamp, ...]:
    """A club's canopy: bulbs in a row under one long shade."""
    n, z, tint = int(rng.integers(3, 7)), float(rng.uniform(750, 1100)), _white(rng, 0.04)
    step = table.length_mm * 0.8 / n
    return tuple(
        Lamp(
            (0.0, table.length_mm / 2 + (k - (n - 1) / 2) * step, z),
            130.0,
            0.3 * step,
            tint,
            1.5 * power / n,
            1.0,
            False,
            _TWO if n < 5 else ((0.0, 0.0),),
        )
        for k in range(n)
    )


def _hot_spots(rng: Rng, table: TableSpec) -> tuple[Lamp, ...]:
    """Narrow beams that leave bright pools on the cloth."""
    out = []
    for _ in range(int(rng.integers(1, 4))):
        at = (
            float(rng.uniform(-0.8, 0.8)) * table.half_width_mm,
            float(rng.uniform(0.05, 0.95)) * table.length_mm,
            float(rng.uniform(1300, 2200)),
        )
        out.append(
            Lamp(
                at,
                45.0,
                45.0,
                _white(rng, 0.05),
                float(rng.uniform(0.25, 0.6)),
                float(rng.uniform(6, 16)),
                True,
            )
        )
    return tuple(out)


def table_look(rng: Rng) -> tuple[TableLook, str, tuple[str, str]]:
    """A table's look, its cloth's name, and the names of its rails and pockets."""
    cloth = str(rng.choice(list(CLOTHS), p=[0.49, 0.17, 0.17, 0.17]))
    h, s, v = CLOTHS[cloth]
    rails, pockets = str(rng.choice(list(RAILS))), str(rng.choice(POCKETS))
    tone = float(rng.uniform(0.55, 0.85))
    dark = float(rng.uniform(0.002, 0.015))
    rh, rs, rv = RAILS[rails]
    look = TableLook(
        cloth=linear(
            h + float(rng.normal(0, 4)), s * float(rng.uniform(0.88, 1.1)), v * float(rng.uniform(0.85, 1.15))
        ),
        cloth_contrast=float(rng.uniform(0.015, 0.06)),
        nap=float(rng.uniform(-0.1, 0.1)),
        wear=float(rng.uniform(0, 0.15)),
        mark=(tone, tone, tone * 0.95),
        mark_width_mm=float(rng.uniform(2.5, 5)),
        mark_opacity=float(rng.uniform(0.6, 1)),
        spot_radius_mm=float(rng.choice([0.0, 3.0, 4.0])),
        cushion_gain=float(rng.uniform(0.8, 1.15)),
        cushion_width_mm=float(rng.uniform(40, 56)),
        rail=linear(rh, rs, rv * float(rng.uniform(0.85, 1.1))),
        rail_width_mm=float(rng.uniform(70, 140)),
        rail_grain=float(rng.uniform(0.05, 0.25)) if rails in ("mahogany", "oak") else 0.03,
        spots_off_mm=_spots_off(rng),
        pocket_hole=(dark, dark, dark),
        specks=int(rng.integers(5, 50)),
        floor=linear(float(rng.uniform(0, 360)), float(rng.uniform(0, 0.4)), float(rng.uniform(0.05, 0.4))),
        seed=int(rng.integers(0, 1 << 30)),
    )
    return _with_pockets(rng, look, pockets), cloth, (rails, pockets)


def _spots_off(rng: Rng) -> tuple[tuple[str, float, float], ...]:
    """On some tables the marks lie a little beside the places that the dimensions give."""
    if rng.random() < 0.6:
        return ()
    return tuple(
        (c, float(rng.normal(0, 0.7)), float(rng.normal(0, 0.7)))
        for c in ("yellow", "green", "brown", "blue", "pink", "black")
    )


def _with_pockets(rng: Rng, look: TableLook, pockets: str) -> TableLook:
    fittings = Fittings(
        sights=int(rng.choice([0, 4, 8])),
        sight=("diamond", "bar", "dot")[int(rng.integers(0, 3))],
        sight_albedo=(0.85, 0.83, 0.75) if look.rail[0] < 0.4 else (0.05, 0.05, 0.05),
        trim_mm=float(rng.choice([0.0, 0.0, rng.uniform(4, 12)])),
        trim_albedo=(0.75, 0.6, 0.3) if rng.random() < 0.5 else (0.6, 0.62, 0.65),
        bow_mm=float(rng.uniform(8, 18)) if pockets == "brass" else 0.0,
        plate_mm=float(rng.uniform(40, 90)) if rng.random() < 0.3 else 0.0,
        bands=float(rng.uniform(0.015, 0.05)) if rng.random() < 0.35 else 0.0,
    )
    if pockets == "plastic":
        tone = float(rng.uniform(0.02, 0.12))
        return replace(
            look,
            fittings=fittings,
            plastic_corner=float(rng.uniform(35, 70)),
            leather_width_mm=float(rng.uniform(14, 30)),
            pocket_leather=(tone, tone, tone * 1.05),
        )
    net = float(rng.choice([0.0, 0.05, 0.15]))
    leather = linear(float(rng.uniform(22, 36)), float(rng.uniform(0.45, 0.7)), float(rng.uniform(0.15, 0.6)))
    return replace(
        look,
        fittings=fittings,
        pocket_net=net,
        pocket_leather=leather,
        leather_width_mm=float(rng.uniform(10, 26)),
    )
