"""Strokes of carrom simulated: discs that slide until friction stops them, a frame, and holes in the board.

Small fixed time steps, as `physics.simulate` for balls. The striker is the piece named `white` in a clip. No
law gives the constants: friction of a powdered board is 0.05 to 0.15, weights are those of usual equipment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import CARROM
from calibration.table.specs import TableSpec
from vision.render.play.physics import GRAVITY_MM_S2, STEP_S, Flight, Stroke, flight, pairs

F64 = NDArray[np.float64]
FRICTION = 0.09
RIM_RESTITUTION, FRAME_RESTITUTION, FRAME_GRIP = 0.9, 0.75, 0.1
STRIKER_G, MAN_G = 15.0, 5.25
STRIKER = "white"


class _Board:
    """Mutable state of one simulation; local to `slide`."""

    def __init__(self, layout: dict[str, tuple[float, float]], table: TableSpec) -> None:
        self.names, self.table = tuple(layout), table
        struck = np.array([n == STRIKER for n in self.names])
        striker_mm, man_mm = (CARROM.kind(k).diameter_mm / 2 for k in ("striker", "queen"))
        self.r = np.where(struck, striker_mm, man_mm)
        self.mass = np.where(struck, STRIKER_G, MAN_G)
        self.p: F64 = np.array([layout[n] for n in self.names], float)
        self.v: F64 = np.zeros_like(self.p)
        self.on = np.ones(len(self.names), bool)
        self.contacts: list[tuple[str, str, float]] = []
        self.cushions: list[tuple[str, float]] = []
        self.pots: list[tuple[str, str, float]] = []

    def step(self, t: float) -> None:
        """Move on by one step to a time."""
        self.p = self.p + self.v * STEP_S
        speed = np.linalg.norm(self.v, axis=1)
        slower = np.maximum(speed - FRICTION * GRAVITY_MM_S2 * STEP_S, 0.0) / np.maximum(speed, 1e-9)
        self.v = self.v * slower[:, None]
        self._rims(t)
        self._frame(t)
        self._holes(t)

    def _rims(self, t: float) -> None:
        live = np.nonzero(self.on)[0]
        one, other = pairs(len(live))
        x, y = self.p.take(live, 0).T.copy()
        r = self.r.take(live)
        dx, dy, reach = x.take(one) - x.take(other), y.take(one) - y.take(other), r.take(one) + r.take(other)
        (close,) = (dx * dx + dy * dy < reach * reach).nonzero()
        for a, b in zip(one[close], other[close], strict=True):
            i, j = int(live[a]), int(live[b])
            gap = self.p[i] - self.p[j]
            dist = max(float(np.linalg.norm(gap)), 1e-9)
            n = gap / dist
            closing = float((self.v[j] - self.v[i]) @ n)
            if closing <= 0:
                continue
            impulse = (1 + RIM_RESTITUTION) * closing / (1 / self.mass[i] + 1 / self.mass[j])
            self.v[i] += impulse / self.mass[i] * n
            self.v[j] -= impulse / self.mass[j] * n
            overlap = self.r[i] + self.r[j] - dist
            self.p[i] += 0.5 * overlap * n
            self.p[j] -= 0.5 * overlap * n
            if closing > 2.0:
                self.contacts.append((self.names[i], self.names[j], t - min(overlap / closing, STEP_S)))

    def _frame(self, t: float) -> None:
        half, length = self.table.half_width_mm, self.table.length_mm
        for i in np.nonzero(self.on)[0]:
            for axis, low, high in ((0, -half, half), (1, 0.0, length)):
                for wall, sign in ((low + self.r[i], 1.0), (high - self.r[i], -1.0)):
                    if (self.p[i, axis] - wall) * sign >= 0 or self.v[i, axis] * sign >= 0:
                        continue
                    self.p[i, axis] = wall
                    self.v[i, axis] *= -FRAME_RESTITUTION
                    self.v[i, 1 - axis] *= 1 - FRAME_GRIP
                    self.cushions.append((self.names[i], t))

    def _holes(self, t: float) -> None:
        for i, ((x, y), on) in enumerate(zip(self.p.tolist(), self.on.tolist(), strict=True)):
            for hole in self.table.pockets if on else ():
                if hole.dropped(x, y):
                    self.pots.append((self.names[i], hole.name, t))
                    self.on[i], self.v[i] = False, 0.0
                    break


def slide(layout: dict[str, tuple[float, float]], stroke: Stroke, table: TableSpec) -> Flight:
    """Flick the striker on a board's layout (piece -> x, y mm); deterministic."""
    board = _Board(layout, table)
    aim = np.array([np.cos(stroke.direction), np.sin(stroke.direction)])
    board.v[board.names.index(STRIKER)] = stroke.speed_mm_s * aim
    return flight(board)
