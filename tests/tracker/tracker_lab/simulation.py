"""A small physics simulation of strokes with exact truth: sliding, rolling, contacts, cushions, jaws,
pockets.

Time steps of 0.5 ms with contact times interpolated inside the step; good enough to test a tracker that
claims milliseconds, and independent of the tracker's own motion model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import CUSHIONS, TableSpec

from .observer import Truth, kind

STEP_S = 0.0005
SLIDE, ROLL = 1960.0, 100.0
BALL_E, CUSHION_E = 0.95, 0.8
Pair = tuple[float, float]
Jaws = tuple[Pair, Pair]
OFF, STILL = (math.nan, math.nan), (0.0, 0.0)


@dataclass
class Stroke:
    """What one simulated stroke did; times from its own start."""

    path: NDArray[np.float64]  # (steps, balls, 2) at STEP_S, nan when off
    contacts: list[tuple[str, str, float]] = field(default_factory=list)
    cushions: list[tuple[str, str, float]] = field(default_factory=list)
    pots: list[tuple[str, str, float]] = field(default_factory=list)
    duration_s: float = 0.0


def simulate(
    table: TableSpec,
    layout: dict[str, tuple[float, float]],
    phi: float,
    speed: float,
    spin: float,
    limit_s: float = 15.0,
) -> Stroke:
    """Strike the white of a layout; `spin`: rolling part of its motion at the start (1 natural roll, <0
    screw).
    """
    names = list(layout)
    w = names.index("white")
    p = [(float(x), float(y)) for x, y in layout.values()]
    v, u = [STILL] * len(names), [STILL] * len(names)
    v[w] = speed * math.cos(phi), speed * math.sin(phi)
    u[w] = spin * v[w][0], spin * v[w][1]
    out = Stroke(np.empty((0, len(names), 2)))
    frames = [tuple(p)]
    pockets = table.pockets
    for k in range(int(limit_s / STEP_S)):
        moving = [i for i in range(len(names)) if v[i] != STILL or u[i] != STILL]
        if not moving:
            break
        t = k * STEP_S
        before = p.copy()
        for i in moving:
            v[i], u[i] = _friction(*v[i], *u[i])
            p[i] = p[i][0] + v[i][0] * STEP_S, p[i][1] + v[i][1] * STEP_S
        for i in moving:
            _walls(table, names, p, before, v, u, i, t, out)
        for i in moving:
            for j in _touching(p, i, table.ball_diameter_mm):
                _collide(names, p, before, v, i, j, t, table.ball_diameter_mm, out)
        for i in moving:
            for pocket in pockets:
                if pocket.dropped(*p[i]):
                    out.pots.append((names[i], pocket.name, t))
                    p[i], v[i], u[i] = OFF, STILL, STILL
        frames.append(tuple(p))
    out.path = np.fromiter(chain.from_iterable(chain.from_iterable(frames)), float).reshape(
        len(frames), -1, 2
    )
    out.duration_s = (len(frames) - 1) * STEP_S
    return out


def _friction(vx: float, vy: float, ux: float, uy: float) -> tuple[Pair, Pair]:
    """A ball's motion and roll one step later."""
    slip_x, slip_y = vx - ux, vy - uy
    size = math.hypot(slip_x, slip_y)
    if size > 3.5 * SLIDE * STEP_S:
        ax, ay = SLIDE * STEP_S * slip_x / size, SLIDE * STEP_S * slip_y / size
        return (vx - ax, vy - ay), (ux + 2.5 * ax, uy + 2.5 * ay)
    vx, vy = (5 * vx + 2 * ux) / 7, (5 * vy + 2 * uy) / 7
    speed = math.hypot(vx, vy)
    left = max(0.0, 1 - ROLL * STEP_S / speed) if speed > 0 else 0.0
    return (vx * left, vy * left), (vx * left, vy * left)


def _touching(p: list[Pair], i: int, d: float) -> list[int]:
    """The balls on the table that are nearer to one than a diameter."""
    x, y = p[i]
    near = [j for j, (u, v) in enumerate(p) if -d < u - x < d and -d < v - y < d and j != i]
    return [j for j in near if np.hypot(p[j][0] - x, p[j][1] - y) < d]


def _collide(
    names: list[str],
    p: list[Pair],
    before: list[Pair],
    v: list[Pair],
    i: int,
    j: int,
    t: float,
    d: float,
    out: Stroke,
) -> None:
    apart = np.subtract(p[j], p[i])
    n = apart / math.hypot(*apart)
    closing = float(np.subtract(v[i], v[j]) @ n)
    if closing <= 0:
        return
    g0 = math.dist(before[j], before[i]) - d
    g1 = math.hypot(*apart) - d
    f = min(max(g0 / (g0 - g1), 0.0), 1.0) if g0 > g1 else 0.0
    impulse = (1 + BALL_E) / 2 * closing * n
    v[i], v[j] = _pair(v[i] - impulse), _pair(v[j] + impulse)
    shift = (d - math.hypot(*apart)) / 2 * n
    p[i], p[j] = _pair(p[i] - shift), _pair(p[j] + shift)
    out.contacts.append((names[i], names[j], t + f * STEP_S))


def _walls(
    table: TableSpec,
    names: list[str],
    p: list[Pair],
    before: list[Pair],
    v: list[Pair],
    u: list[Pair],
    i: int,
    t: float,
    out: Stroke,
) -> None:
    r, w, length = table.ball_radius_mm, table.half_width_mm, table.length_mm
    x, y = p[i]
    if abs(x) < w - r and r < y < length - r:  # no nose is nearer than a radius, nor a jaw's round behind it
        return
    half, corner, rounds = _jaws(table)
    mouth_x, mouth_y = abs(corner[0][0]), corner[1][1]
    straight_side = mouth_y < y < half[0][1] or half[1][1] < y < length - mouth_y
    for name, axis, wall, sign, straight in (
        ("left", 0, -w + r, 1, straight_side),
        ("right", 0, w - r, -1, straight_side),
        ("bottom", 1, r, 1, abs(x) < mouth_x),
        ("top", 1, length - r, -1, abs(x) < mouth_x),
    ):
        if straight and (p[i][axis] - wall) * sign < 0 and v[i][axis] * sign < 0:
            f = (before[i][axis] - wall) / (before[i][axis] - p[i][axis])
            _bounce(v, u, i, np.array([sign, 0.0] if axis == 0 else [0.0, sign]))
            p[i] = (wall, p[i][1]) if axis == 0 else (p[i][0], wall)
            out.cushions.append((names[i], name, t + f * STEP_S))
    for c, jaw_radius, side in rounds:
        dist = math.dist(p[i], c)
        if dist < r + jaw_radius and float(np.dot(v[i], rel := np.subtract(p[i], c))) < 0:
            _bounce(v, u, i, rel / dist)
            p[i] = _pair(c + rel / dist * (r + jaw_radius))
            out.cushions.append((names[i], side, t))


@cache
def _jaws(table: TableSpec) -> tuple[Jaws, Jaws, list[tuple[Pair, float, str]]]:
    """Tips of a centre and of a corner pocket's jaws, and each jaw's round: centre, radius, cushion."""
    rounds = []
    for pocket in table.pockets:
        jr = table.centre_jaw_radius_mm if pocket.name[0] == "C" else table.corner_jaw_radius_mm
        for jx, jy in pocket.jaws:
            on_side = abs(abs(jx) - table.half_width_mm) < 1
            c = (jx + math.copysign(jr, jx), jy) if on_side else (jx, jy + (jr if jy > 1 else -jr))
            side = ("left" if jx < 0 else "right") if on_side else ("bottom" if jy < 1 else "top")
            rounds.append((c, jr, side))
    return table.pockets[2].jaws, table.pockets[0].jaws, rounds


def _bounce(v: list[Pair], u: list[Pair], i: int, n: NDArray) -> None:
    moving, rolling = np.array(v[i]), np.array(u[i])
    moving -= (1 + CUSHION_E) * float(moving @ n) * n
    moving -= 0.06 * (moving - float(moving @ n) * n)
    rolling -= 1.2 * float(rolling @ n) * n
    v[i], u[i] = _pair(moving), _pair(rolling)


def _pair(xy: NDArray) -> Pair:
    return float(xy[0]), float(xy[1])


def random_layout(table: TableSpec, rng: np.random.Generator, reds: int) -> dict[str, tuple[float, float]]:
    """Colours on their spots or anywhere, reds and white anywhere; some in jaws, on cushions, in pairs."""
    names = [
        "white",
        *(f"red_{i + 1:02d}" for i in range(reds)),
        "yellow",
        "green",
        "brown",
        "blue",
        "pink",
        "black",
    ]
    r, w, length = table.ball_radius_mm, table.half_width_mm - table.ball_radius_mm, table.length_mm
    out: dict[str, tuple[float, float]] = {}
    for name in names:
        for _ in range(200):
            x, y = rng.uniform(-w + 1, w - 1), rng.uniform(r + 1, length - r - 1)
            draw = rng.random()
            if name in table.spots and draw < 0.7:
                x, y = table.spots[name]
            elif name != "white" and draw < 0.12 and out:
                q = out[str(rng.choice(list(out)))]
                a, far = rng.uniform(0, 2 * math.pi), 2 * r + rng.choice([0.05, rng.uniform(0, 30)])
                x, y = q[0] + far * math.cos(a), q[1] + far * math.sin(a)
            elif name != "white" and draw < 0.2:
                x = math.copysign(w - rng.uniform(0.1, 5), x)
            elif name != "white" and draw < 0.26:
                pocket = table.pockets[int(rng.integers(6))]
                x, y = (
                    pocket.x_mm * rng.uniform(0.85, 0.93),
                    pocket.y_mm + (length / 2 - pocket.y_mm) * rng.uniform(0.03, 0.08),
                )
            if abs(x) > w or not r < y < length - r:
                continue
            if any(p.dropped(x, y) for p in table.pockets) or _in_jaw(table, x, y):
                continue
            if all(math.dist((x, y), q) > 2 * r + 0.01 for q in out.values()):
                out[name] = (float(x), float(y))
                break
    return out


def _in_jaw(table: TableSpec, x: float, y: float) -> bool:
    for pocket in table.pockets:
        for jx, jy in pocket.jaws:
            if (
                math.hypot(x - pocket.x_mm, y - pocket.y_mm) < 120
                and math.hypot(x - jx, y - jy) < table.ball_radius_mm + 12
            ):
                return True
    return False


def aim(table: TableSpec, layout: dict[str, tuple[float, float]], rng: np.random.Generator) -> float:
    """Towards some ball, mostly full enough to hit, sometimes thin, sometimes anywhere or at a cushion
    first.
    """
    if rng.random() < 0.15:
        return float(rng.uniform(-math.pi, math.pi))
    wx, wy = layout["white"]
    others = [k for k in layout if k != "white"]
    x, y = layout[str(rng.choice(others))]
    if rng.random() < 0.1:
        x = math.copysign(2 * (table.half_width_mm - table.ball_radius_mm), x) - x
    far = math.hypot(x - wx, y - wy)
    off = rng.uniform(-1.05, 1.05) * table.ball_diameter_mm
    return math.atan2(y - wy, x - wx) + math.asin(max(-1.0, min(1.0, off / far)))


def rack(table: TableSpec) -> dict[str, tuple[float, float]]:
    """The opening position: a tight triangle and the white in the D."""
    out = {"white": (120.0, table.baulk_line_mm or 700.0), **table.spots}
    d = table.ball_diameter_mm + 0.05
    y0, k = table.spots["pink"][1] + d + 1.0, 1
    for row in range(5):
        for i in range(row + 1):
            out[f"red_{k:02d}"] = ((i - row / 2) * d, y0 + row * d * math.sqrt(3) / 2)
            k += 1
    return out


def match(
    table: TableSpec,
    rng: np.random.Generator,
    strokes: int,
    rate: float,
    reds: int = 6,
    opening: bool = False,
    hand: bool = True,
) -> Truth:
    """Several strokes on end with hands that respot colours and place the white, sampled at an image rate.

    Long because it is one pass over time: stroke, hand, next stroke.
    """
    layout = rack(table) if opening else random_layout(table, rng, reds)
    names = list(layout)
    truth = Truth(table, np.empty(0), names, np.empty((0, len(names), 2)))
    t = 1.0 + rng.uniform(0, 1 / rate)
    pieces: list[tuple[float, NDArray]] = []
    rests: list[tuple[float, dict[str, tuple[float, float]]]] = [(0.0, dict(layout))]
    for k in range(strokes):
        phi = (
            aim(table, layout, rng)
            if not (opening and k == 0)
            else math.atan2(table.spots["pink"][1] - layout["white"][1] + 60, -60 - layout["white"][0])
        )
        speed = (
            float(rng.choice([rng.uniform(300, 1500), rng.uniform(1500, 4500)]))
            if not (opening and k == 0)
            else 4500.0
        )
        s = simulate(table, layout, phi, speed, float(rng.uniform(-0.5, 1.0)))
        start = {n: (p[0] / 1000, p[1] / 1000) for n, p in layout.items()}
        piece = np.full((len(s.path[::4]), len(names), 2), np.nan)
        piece[:, [names.index(n) for n in layout]] = s.path[::4]
        pieces.append((t, piece))
        end = {
            n: (float(s.path[-1, i, 0]), float(s.path[-1, i, 1]))
            for i, n in enumerate(layout)
            if not np.isnan(s.path[-1, i, 0])
        }
        first = next((c for c in s.contacts if "white" in c[:2]), None)
        truth.events.append(
            {
                "type": "stroke",
                "t_strike": t,
                "t_rest": t + s.duration_s,
                "phi": phi,
                "speed": speed,
                "first_contact": [first[0] if first[1] == "white" else first[1], t + first[2]]
                if first
                else None,
                "contacts": [[a, b, t + u] for a, b, u in s.contacts],
                "cushions": [[a, c, t + u] for a, c, u in s.cushions],
                "pots": [[a, pk, t + u] for a, pk, u in s.pots],
                "start": start,
                "end": {n: (p[0] / 1000, p[1] / 1000) for n, p in end.items()},
            }
        )
        if hand:
            dx, dy = -math.cos(phi), -math.sin(phi)
            truth.covers.append(
                (t - 0.9, t + 0.4, layout["white"][0] + 150 * dx, layout["white"][1] + 150 * dy, dx, dy)
            )
        layout = end
        t += s.duration_s
        rests.append((t, dict(layout)))
        for name, _, _ in s.pots:
            if kind(name) == "red":
                continue
            t += rng.uniform(1.5, 2.5)
            place = _free(table, layout, name, rng)
            layout[name] = place
            layout = {n: layout[n] for n in names if n in layout}
            truth.events.append(
                {
                    "type": "in_hand" if name == "white" else "respot",
                    "ball": name,
                    "t": t,
                    "xy": [v / 1000 for v in place],
                }
            )
            if hand:
                truth.covers.append((t - 0.7, t + 0.5, *place, 1.0 if place[0] > 0 else -1.0, 0.0))
            rests.append((t, dict(layout)))
        t += rng.uniform(1.2, 3.0)
    total = int(t * rate)
    truth.t = np.arange(total) / rate
    truth.xy = np.full((total, len(names), 2), np.nan)
    for i, u in enumerate(truth.t):
        played = next(((s, p) for s, p in pieces if s <= u < s + (len(p) - 1) * STEP_S * 4), None)
        if played is not None:
            f = (u - played[0]) / (STEP_S * 4)
            a, b = played[1][int(f)], played[1][int(f) + 1]
            truth.xy[i] = a + (b - a) * (f - int(f))
            continue
        lay = [lay for s, lay in rests if s <= u][-1]
        for j, n in enumerate(names):
            if n in lay:
                truth.xy[i, j] = lay[n]
    assert set(
        c for _, c, _ in [c for e in truth.events if e["type"] == "stroke" for c in e["cushions"]]
    ) <= set(CUSHIONS)
    return truth


def _free(
    table: TableSpec, layout: dict[str, tuple[float, float]], name: str, rng: np.random.Generator
) -> tuple[float, float]:
    for _ in range(500):
        if name == "white":
            x, y = rng.uniform(-200, 200), (table.baulk_line_mm or 700.0) - rng.uniform(0, 150)
        else:
            x, y = table.spots[name]
            y -= (
                rng.uniform(0, 300)
                if any(math.dist((x, y), q) < table.ball_diameter_mm for q in layout.values())
                else 0.0
            )
        if all(math.dist((x, y), q) > table.ball_diameter_mm for q in layout.values()):
            return float(x), float(y)
    raise AssertionError("no free place")
