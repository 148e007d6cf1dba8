"""Random layouts of balls: scattered, in clusters, on cushions, in pockets' jaws, moving, on spots."""

from __future__ import annotations

import math

import numpy as np

from calibration.table.pockets import no_rest_place
from calibration.table.specs import Pocket, TableSpec
from vision.observation import BALL_CLASSES
from vision.render.scene import Ball

Rng = np.random.Generator
Point = tuple[float, float]
_AT_POCKET_MM = 60.0


def random_balls(
    rng: Rng,
    table: TableSpec,
    colours: list[str],
    moving: float = 0.0,
    area: tuple[float, float, float, float] | None = None,
    hanging: float = 0.0,
    lying: tuple[Ball, ...] = (),
) -> tuple[Ball, ...]:
    """Balls of the given colours, none overlapping, after those `lying` there. `area` (x0, x1, y0, y1)
    limits where they lie; `moving`: share of balls in motion; `hanging`: share that is put over the edge
    of a pocket, beyond those that fall there.
    """
    r = table.ball_radius_mm
    whole = (-table.half_width_mm, table.half_width_mm, 0.0, table.length_mm)
    x0, x1, y0, y1 = area or whole
    placed = list(lying)
    for colour in colours:
        for _ in range(40):
            p = (
                _candidate(rng, table, placed, (x0, x1, y0, y1), r, colour)
                if not hanging or rng.random() > hanging
                else _hanging(rng, table, (x0, x1, y0, y1))
            )
            if _allowed(p, table, placed, r):
                break
        else:
            continue
        velocity = (0.0, 0.0)
        if rng.random() < moving:
            speed, angle = float(rng.exponential(1500)), float(rng.uniform(0, 6.283))
            velocity = (speed * math.cos(angle), speed * math.sin(angle))
        placed.append(Ball(colour, p[0], p[1], velocity, None, int(rng.integers(0, 1 << 30))))
    return tuple(placed)


def random_pack(rng: Rng, table: TableSpec, centre: Point, mostly: str = "red") -> tuple[Ball, ...]:
    """Touching or nearly touching balls on a triangular lattice around a point, with gaps: racks, rings,
    rows.
    """
    r = table.ball_radius_mm
    step = 2 * r * (1 + float(rng.choice([0.0002, 0.004, 0.03])))
    turn = float(rng.uniform(0, 6.283)) if rng.random() < 0.6 else float(rng.choice([0.0, math.pi / 2]))
    reach = float(rng.uniform(1.05, 3.2)) * step
    ring = rng.random() < 0.3
    keep = 1.0 if ring else float(rng.uniform(0.45, 1.0))
    placed: list[Ball] = []
    for i in range(-4, 5):
        for j in range(-4, 5):
            u, v = step * (i + 0.5 * j), step * j * math.sqrt(3) / 2
            far = math.hypot(u, v)
            if far > reach or (ring and far < 0.5 * step) or rng.random() > keep:
                continue
            p = (
                centre[0] + u * math.cos(turn) - v * math.sin(turn),
                centre[1] + u * math.sin(turn) + v * math.cos(turn),
            )
            if not _allowed(p, table, placed, r):
                continue
            colour = mostly if rng.random() < 0.8 else BALL_CLASSES[int(rng.integers(0, 8))]
            placed.append(Ball(colour, p[0], p[1], (0.0, 0.0), None, int(rng.integers(0, 1 << 30))))
    return tuple(placed)


def _candidate(
    rng: Rng,
    table: TableSpec,
    placed: list[Ball],
    area: tuple[float, float, float, float],
    r: float,
    colour: str,
) -> Point:
    x0, x1, y0, y1 = area
    kind = rng.random()
    if kind < 0.35 and placed:
        other = placed[int(rng.integers(0, len(placed)))]
        gap = float(rng.choice([0.02, rng.exponential(3.0), rng.exponential(25.0)]))
        a = float(rng.uniform(0, 6.283))
        return other.x_mm + (2 * r + gap) * math.cos(a), other.y_mm + (2 * r + gap) * math.sin(a)
    x, y = float(rng.uniform(x0, x1)), float(rng.uniform(y0, y1))
    w, length = table.half_width_mm - r, table.length_mm - r
    if kind < 0.48:
        # frozen to the nearest cushion, or nearly
        gap = float(rng.choice([0.0, rng.exponential(6.0)]))
        sides = [
            (w - x, (w - gap, y)),
            (x + w, (-w + gap, y)),
            (y - r, (x, r + gap)),
            (length - y, (x, length - gap)),
        ]
        return min(sides)[1]
    if kind < 0.58:
        pocket = _pocket_in(table, area, int(rng.integers(0, 6)))
        reach = pocket.drop_radius_mm + float(rng.uniform(1, 60))
        a = math.atan2(table.length_mm / 2 - pocket.y_mm, -pocket.x_mm) + float(rng.normal(0, 0.4))
        return pocket.x_mm + reach * math.cos(a), pocket.y_mm + reach * math.sin(a)
    if kind < 0.72 and colour in table.spots:
        return table.spots[colour]
    return x, y


def _hanging(rng: Rng, table: TableSpec, area: tuple[float, float, float, float]) -> Point:
    """In the jaws of a pocket, a few millimetres from its drop."""
    pocket = _pocket_in(table, area, int(rng.integers(0, 6)))
    reach = pocket.drop_radius_mm * float(rng.uniform(1.01, 1.3))
    a = math.atan2(table.length_mm / 2 - pocket.y_mm, -pocket.x_mm) + float(rng.normal(0, 0.4))
    return pocket.x_mm + reach * math.cos(a), pocket.y_mm + reach * math.sin(a)


def _pocket_in(table: TableSpec, area: tuple[float, float, float, float], number: int) -> Pocket:
    """One of the pockets at an area; where there is none, the table's pocket `number`."""
    x0, x1, y0, y1 = area
    at = [
        p
        for p in table.pockets
        if x0 - _AT_POCKET_MM < p.x_mm < x1 + _AT_POCKET_MM
        and y0 - _AT_POCKET_MM < p.y_mm < y1 + _AT_POCKET_MM
    ]
    return at[number % len(at)] if at else table.pockets[number]


def _allowed(p: Point, table: TableSpec, placed: list[Ball], r: float) -> bool:
    """On the slate, not inside a cushion or a pocket's jaw, not overlapping."""
    if any(math.hypot(p[0] - b.x_mm, p[1] - b.y_mm) < 2 * r for b in placed):
        return False
    if any(math.hypot(p[0] - q.x_mm, p[1] - q.y_mm) < q.drop_radius_mm for q in table.pockets):
        return False
    inside = abs(p[0]) <= table.half_width_mm - r and r <= p[1] <= table.length_mm - r
    mouth = any(
        math.hypot(p[0] - q.x_mm, p[1] - q.y_mm) < q.drop_radius_mm + 1.2 * r
        and abs(p[0]) < table.half_width_mm + r * 0.2
        and -r * 0.2 < p[1] < table.length_mm + r * 0.2
        for q in table.pockets
    )
    return inside or (mouth and not no_rest_place(p[0], p[1], table, 1.0))


def frame_colours(rng: Rng, reds: int | None = None) -> list[str]:
    """The balls of a frame in progress: up to fifteen reds and the six colours, some gone."""
    n = int(rng.integers(0, 16)) if reds is None else reds
    colours = [c for c in BALL_CLASSES if c != "red"]
    if rng.random() < 0.3:
        colours = [c for c in colours if rng.random() < 0.8]
    return colours + ["red"] * n
