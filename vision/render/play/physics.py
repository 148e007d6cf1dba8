"""Strokes simulated without further packages: sliding, rolling, impacts, cushions with rounded jaws, pots.

Small fixed time steps; the moment of an impact is refined inside its step. Millimetres and seconds. The
shape of cushions and pockets is the renderer's own (`table_shape.nose_outline`), so what is simulated
is what is seen. Constants are those of a napped cloth and phenolic balls; none comes from a rule.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from vision.render.table_shape import nose_outline

F64 = NDArray[np.float64]
GRAVITY_MM_S2 = 9810.0
SLIDE, ROLL = 0.20, 0.0105  # friction of a sliding and of a rolling ball on cloth
BALL_RESTITUTION, CUSHION_RESTITUTION, CUSHION_GRIP = 0.95, 0.78, 0.12
STEP_S = 0.001
LIMIT_S = 25.0


@dataclass(frozen=True, slots=True)
class Stroke:
    """What the cue does: direction (radians, from x counter-clockwise), speed, and follow (+) or draw (-)
    as a share of the natural roll."""

    direction: float
    speed_mm_s: float
    follow: float = 0.0


@dataclass(frozen=True, slots=True)
class Flight:
    """A simulated stroke. `t_s` (T,) from the strike; `xy_mm` (T, n, 2), nan once potted; events in time.

    `contacts`: (a, b, t); `cushions`: (ball, t); `pots`: (ball, pocket, t); `rest_s`: all at rest.
    """

    names: tuple[str, ...]
    t_s: F64
    xy_mm: F64
    contacts: tuple[tuple[str, str, float], ...]
    cushions: tuple[tuple[str, float], ...]
    pots: tuple[tuple[str, str, float], ...]
    rest_s: float

    def at(self, t_s: float) -> F64:
        """Positions (n, 2) at a time after the strike, interpolated; nan when potted."""
        k = np.clip(np.searchsorted(self.t_s, t_s) - 1, 0, max(len(self.t_s) - 2, 0))
        if len(self.t_s) < 2:
            return np.asarray(self.xy_mm[0])
        f = float(np.clip((t_s - self.t_s[k]) / (self.t_s[k + 1] - self.t_s[k]), 0, 1))
        if f <= 0:
            return np.asarray(self.xy_mm[k])
        return np.asarray(self.xy_mm[k + 1] if f >= 1 else (1 - f) * self.xy_mm[k] + f * self.xy_mm[k + 1])


@functools.cache
def pairs(count: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Each two of so many balls, the first in ascending order."""
    one, other = np.triu_indices(count, 1)
    return one, other


class _World:
    """Mutable state of one simulation; local to `simulate`."""

    def __init__(self, layout: dict[str, tuple[float, float]], table: TableSpec) -> None:
        self.names = tuple(layout)
        self.table = table
        self.r = table.ball_radius_mm
        self.p: F64 = np.array([layout[n] for n in self.names], float)
        self.v: F64 = np.zeros_like(self.p)
        self.w: F64 = np.zeros_like(self.p)  # speed at which the ball's turning would roll it
        self.on = np.ones(len(self.names), bool)
        self.contacts: list[tuple[str, str, float]] = []
        self.cushions: list[tuple[str, float]] = []
        self.pots: list[tuple[str, str, float]] = []

    def step(self, t: float) -> None:
        """Move on by one step to a time."""
        self.p = self.p + self.v * STEP_S
        self.friction(STEP_S)
        self.impacts(t)
        self.walls(t)

    def friction(self, dt: float) -> None:
        """Sliding brings speed and turning together by 2:5; rolling slows both.

        Ball by ball in plain floats: few move, and an operation on a small array costs more than its numbers.
        """
        loss, roll = SLIDE * GRAVITY_MM_S2 * dt, ROLL * GRAVITY_MM_S2 * dt
        v, w = self.v.tolist(), self.w.tolist()
        for i, ((vx, vy), (wx, wy)) in enumerate(zip(v, w, strict=True)):
            if not (vx or vy or wx or wy):
                continue
            sx, sy = vx - wx, vy - wy
            size = math.sqrt(sx * sx + sy * sy)
            if size > loss * 3.5:
                ux, uy = sx / max(size, 1e-9), sy / max(size, 1e-9)
                v[i] = [vx - loss * ux, vy - loss * uy]
                w[i] = [wx + 2.5 * loss * ux, wy + 2.5 * loss * uy]
            else:
                cx, cy = (5 * vx + 2 * wx) / 7, (5 * vy + 2 * wy) / 7
                speed = math.sqrt(cx * cx + cy * cy)
                slower = max(speed - roll, 0.0) / max(speed, 1e-9)
                v[i], w[i] = [cx * slower, cy * slower], [cx * slower, cy * slower]
        self.v, self.w = np.array(v), np.array(w)

    def impacts(self, t: float) -> None:
        live = np.nonzero(self.on)[0]
        one, other = pairs(len(live))
        x, y = self.p.take(live, 0).T.copy()
        dx, dy = x.take(one) - x.take(other), y.take(one) - y.take(other)
        (close,) = (dx * dx + dy * dy < (2 * self.r) ** 2).nonzero()
        for a, b in zip(one[close], other[close], strict=True):
            i, j = int(live[a]), int(live[b])
            gap = self.p[i] - self.p[j]
            dist = float(np.linalg.norm(gap))
            n = gap / max(dist, 1e-9)
            closing = float((self.v[j] - self.v[i]) @ n)
            if closing <= 0:
                continue
            impulse = 0.5 * (1 + BALL_RESTITUTION) * closing
            self.v[i] += impulse * n
            self.v[j] -= impulse * n
            overlap = 2 * self.r - dist
            self.p[i] += 0.5 * overlap * n
            self.p[j] -= 0.5 * overlap * n
            if closing > 2.0:
                self.contacts.append((self.names[i], self.names[j], t - min(overlap / closing, STEP_S)))

    def walls(self, t: float) -> None:
        table, r = self.table, self.r
        aside, top = table.half_width_mm - r, table.length_mm - r
        near = [
            i
            for i, ((x, y), (vx, vy), on) in enumerate(
                zip(self.p.tolist(), self.v.tolist(), self.on.tolist(), strict=True)
            )
            if on and (vx or vy) and (abs(x) > aside or y < r or y > top)
        ]
        for i in near:
            if self._potted(i, t):
                continue
            x, y = self.p[i]
            e = 0.5
            xs = np.array([[x, x + e, x - e, x, x]], np.float32)
            ys = np.array([[y, y, y, y + e, y - e]], np.float32)
            s = nose_outline(xs, ys, table)[0].astype(float)
            depth = s[0] + r
            n = np.array([s[1] - s[2], s[3] - s[4]])
            n /= max(float(np.linalg.norm(n)), 1e-9)
            into = float(self.v[i] @ n)
            if depth <= 0 or into <= 0:
                continue
            along = self.v[i] - into * n
            self.v[i] = -CUSHION_RESTITUTION * into * n + (1 - CUSHION_GRIP) * along
            self.w[i] = 0.4 * (self.w[i] - 2 * float(self.w[i] @ n) * n) * CUSHION_RESTITUTION
            self.p[i] -= depth * n
            self.cushions.append((self.names[i], t - min(float(depth) / into, STEP_S)))

    def _potted(self, i: int, t: float) -> bool:
        for pocket in self.table.pockets:
            if pocket.dropped(float(self.p[i, 0]), float(self.p[i, 1])):
                self.pots.append((self.names[i], pocket.name, t))
                self.on[i] = False
                self.v[i] = self.w[i] = 0
                return True
        return False


def simulate(
    layout: dict[str, tuple[float, float]], stroke: Stroke, table: TableSpec, cue_ball: str = "white"
) -> Flight:
    """Play a stroke on a layout (ball -> x, y mm); deterministic."""
    world = _World(layout, table)
    k = world.names.index(cue_ball)
    aim = np.array([np.cos(stroke.direction), np.sin(stroke.direction)])
    world.v[k] = stroke.speed_mm_s * aim
    world.w[k] = stroke.follow * stroke.speed_mm_s * aim
    return flight(world)


class Simulated(Protocol):
    """Things that move by steps of `STEP_S`; rows of `p` and `v` (mm, mm/s) follow `names`."""

    names: tuple[str, ...]
    p: F64
    v: F64
    on: NDArray[np.bool_]
    contacts: list[tuple[str, str, float]]
    cushions: list[tuple[str, float]]
    pots: list[tuple[str, str, float]]

    def step(self, t: float) -> None:
        """Move on by one step to a time."""


def flight(world: Simulated) -> Flight:
    """Step until all is still."""
    times, track = [0.0], [world.p.copy()]
    t = 0.0
    while t < LIMIT_S and np.abs(world.v).max() > 0.5:
        t += STEP_S
        world.step(t)
        here = world.p.copy()
        here[~world.on] = np.nan
        times.append(t)
        track.append(here)
    return Flight(
        world.names,
        np.array(times),
        np.array(track),
        tuple(world.contacts),
        tuple(world.cushions),
        tuple(world.pots),
        t,
    )
