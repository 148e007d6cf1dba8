"""Observations simulated from a truth: what vision would report, with its noise, losses and confusions.

`Truth` comes from the physics of `simulation.py` or from a clip's `.frames.npz` and `.json`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from vision.observation import CellMask, ImageObservations, Observation

CELL = 64.0
SETTLE_LOOKS_S = (0.2, 0.6, 1.2)  # as in vision.observer
CONFUSED = {
    "red": ("brown", "pink"),
    "brown": ("red",),
    "pink": ("red", "white"),
    "green": ("blue",),
    "blue": ("green",),
}


@dataclass
class Truth:
    """`t` (n,) s; `names` of the balls; `xy` (n, balls, 2) mm, nan when off the table; `events` as in
    score.py's JSON.

    `covers`: (start_s, end_s, x, y, dx, dy): a capsule of a hand and arm from (x, y) along (dx, dy).
    """

    table: TableSpec
    t: NDArray[np.float64]
    names: list[str]
    xy: NDArray[np.float64]
    events: list[dict] = field(default_factory=list)
    covers: list[tuple[float, float, float, float, float, float]] = field(default_factory=list)
    pieces: PieceSet = SNOOKER


@dataclass
class Noise:
    """How bad the observer is. `settle_looks`: the whole table is looked at some moments after the last
    change, as `vision.observer` does. `disguised`: sleeves of the cloth's colour, no cover to it; it sees
    that something changed.
    """

    sigma_mm: float = 0.7
    bias_mm: float = 0.2
    drop: float = 0.01
    drop_moving: float = 0.03
    false: float = 0.01
    confuse: float = 0.01
    full_look_s: float = 3.0
    repeat: float = 0.0
    cover_radius_mm: float = 60.0
    disguised: bool = False
    settle_looks: bool = False


def kind(name: str) -> str:
    """`red` for `red_3`."""
    return name.split("_")[0]


def confused_with(kind: str, pieces: PieceSet) -> tuple[str, ...]:
    """The kinds that one sight may take a piece for: of pool balls and C/m those of its colour and size."""
    if pieces.name == "snooker":
        return CONFUSED.get(kind, ())
    own = pieces.kind(kind)
    return tuple(
        k.name
        for k in pieces.kinds
        if k.name != kind and k.look.tint == own.look.tint and k.diameter_mm == own.diameter_mm
    )


class Observer:
    def __init__(self, truth: Truth, noise: Noise, seed: int) -> None:
        self.truth, self.noise = truth, noise
        self.rng = np.random.default_rng(seed)
        w, length = truth.table.half_width_mm, truth.table.length_mm
        self.x0, self.y0 = -w - 128.0, truth.table.bottom_mm - 128.0
        self.columns = math.ceil((2 * w + 256) / CELL)
        self.rows = math.ceil((length + 256) / CELL)
        self.bias = self.rng.normal(0, noise.bias_mm, (len(truth.names), 2))

    def mask(self, points: list[tuple[float, float, float]]) -> NDArray[np.uint8]:
        """Cells within a radius of points (x, y, r)."""
        m = np.zeros((self.rows, self.columns), np.uint8)
        for x, y, r in points:
            i0, i1 = int((x - r - self.x0) // CELL), int((x + r - self.x0) // CELL)
            j0, j1 = int((y - r - self.y0) // CELL), int((y + r - self.y0) // CELL)
            m[max(j0, 0) : max(j1 + 1, 0), max(i0, 0) : max(i1 + 1, 0)] = 1
        return m

    @staticmethod
    def changed(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
        """Whether any ball moved, came or went between two images."""
        gone = np.isnan(a[:, 0]) != np.isnan(b[:, 0])
        return bool(gone.any() or (np.hypot(*(a - b).T) > 0.25).any())

    def cells(self, m: NDArray[np.uint8]) -> CellMask:
        return CellMask(self.x0, self.y0, CELL, self.columns, self.rows, m.tobytes())

    def cover(self, t: float) -> list[tuple[float, float, float]]:
        out = []
        for a, b, x, y, dx, dy in self.truth.covers:
            if a <= t <= b:
                out += [(x + dx * k * 40, y + dy * k * 40, self.noise.cover_radius_mm) for k in range(30)]
        return out

    def images(self) -> Iterator[ImageObservations]:
        tr, nz, rng = self.truth, self.noise, self.rng
        last_full = -1e9
        previous_cover = np.zeros((self.rows, self.columns), np.uint8)
        last: NDArray[np.float64] | None = None
        due: list[float] = []
        for i, t in enumerate(tr.t):
            t = float(t)
            if nz.repeat and i and rng.random() < nz.repeat:
                yield ImageObservations(i, t, (), self.cells(np.zeros_like(previous_cover)), None, True)
                continue
            xy = tr.xy[i]
            cover_points = self.cover(t)
            covered = self.mask(cover_points)
            stirred = covered ^ previous_cover
            changed_now = bool(stirred.any()) or (last is not None and self.changed(last, xy))
            if changed_now and nz.settle_looks:
                due = [t + d for d in SETTLE_LOOKS_S]
            full = t - last_full > nz.full_look_s or bool(due and t >= due[0])
            due = [d for d in due if d > t]
            if full:
                last_full = t
                looked = np.ones_like(covered)
            else:
                looked = self.looked_at(last, xy) | stirred
                if cover_points and i % 2 == 0:
                    looked |= covered
            obs = [*self.balls_seen(last, xy, looked, cover_points), *self.clutter(looked)]
            yield ImageObservations(
                i,
                t,
                tuple(obs),
                None if full and i == 0 else self.cells(looked) if not full else None,
                self.cells(covered) if cover_points and not nz.disguised else None,
                altered=self.cells(covered) if cover_points and nz.disguised else None,
            )
            last, previous_cover = xy, covered

    def looked_at(self, last: NDArray[np.float64] | None, xy: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Cells about balls that moved, came or went since the last image."""
        points: list[tuple[float, float, float]] = []
        for a, b in zip(xy if last is None else last, xy, strict=True):
            if np.isnan(a[0]) != np.isnan(b[0]) or math.dist(a, b) > 0.25:
                points += [(*p, 32.0) for p in (a, b) if not np.isnan(p[0])]
        return self.mask(points)

    def balls_seen(
        self,
        last: NDArray[np.float64] | None,
        xy: NDArray[np.float64],
        looked: NDArray[np.uint8],
        cover_points: list[tuple[float, float, float]],
    ) -> Iterator[Observation]:
        """Observations of balls in cells that are looked at, under no cover."""
        tr, nz = self.truth, self.noise
        for k, name in enumerate(tr.names):
            x, y = xy[k]
            if np.isnan(x) or not self.in_cells(x, y, looked):
                continue
            if any(math.hypot(x - cx, y - cy) < r + 5 for cx, cy, r in cover_points):
                continue
            moving = last is not None and not np.isnan(last[k][0]) and math.dist(last[k], xy[k]) > 0.5
            if self.rng.random() < (nz.drop_moving if moving else nz.drop):
                continue
            seen_as = tr.pieces.kind_of.get(name, kind(name))
            yield self.observation(x + self.bias[k][0], y + self.bias[k][1], seen_as, moving)

    def in_cells(self, x: float, y: float, cells: NDArray[np.uint8]) -> bool:
        row, column = int((y - self.y0) // CELL), int((x - self.x0) // CELL)
        return 0 <= row < self.rows and 0 <= column < self.columns and bool(cells[row, column])

    def clutter(self, looked: NDArray[np.uint8]) -> Iterator[Observation]:
        """Now and then an observation that is no ball, in a cell that is looked at."""
        rng = self.rng
        if rng.random() < self.noise.false and looked.any():
            js, is_ = np.nonzero(looked)
            c = rng.integers(len(js))
            x = self.x0 + (is_[c] + rng.random()) * CELL
            y = self.y0 + (js[c] + rng.random()) * CELL
            colour = str(rng.choice(self.truth.pieces.names))
            yield self.observation(x, y, colour, False, rng.uniform(0.3, 0.8))

    def observation(
        self, x: float, y: float, colour: str, moving: bool, confidence: float | None = None
    ) -> Observation:
        rng, nz = self.rng, self.noise
        sigma = nz.sigma_mm * (1.5 if moving else 1.0) * rng.uniform(0.7, 1.4)
        seen, pieces = colour, self.truth.pieces
        others = confused_with(colour, pieces)
        if others and rng.random() < nz.confuse:
            seen = str(rng.choice(others))
        lp = np.full(len(pieces.kinds), -7.0) + rng.normal(0, 1, len(pieces.kinds))
        lp[pieces.index[seen]] = 0.0
        for other in confused_with(seen, pieces):
            lp[pieces.index[other]] = rng.uniform(-5, -1)
        lp -= math.log(np.exp(lp).sum())
        dx, dy = rng.normal(0, sigma, 2)
        return Observation(
            float(x + dx),
            float(y + dy),
            sigma,
            0.0,
            0.0,
            tuple(float(v) for v in lp),
            confidence if confidence is not None else float(rng.uniform(0.85, 1.0)),
        )
