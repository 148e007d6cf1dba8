"""Cells of the table as vision tells them, where something covers it, and what changed: arrays, no
pictures.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from calibration.table.specs import TableSpec
from referee.quality.bench.tracks.play import Cover
from vision.observation import CellMask
from vision.plane import MARGIN_DIAMETERS

Bits = npt.NDArray[np.uint8]


class Capsule(NamedTuple):
    """What lies over the table, seen from above: an axis from a to b, and what lies about it."""

    ax_mm: float
    ay_mm: float
    bx_mm: float
    by_mm: float
    radius_mm: float


HAND_MM, ARM_MM, CUE_MM = 46.0, 62.0, 9.0
_ARM_FROM_MM, _ARM_TO_MM, _CUE_BUTT_MM = 130.0, 950.0, 1100.0


class Cells:
    """The grid of `vision.plane.BallPlane` for a table: cells of one diameter, (rows along y, columns along
    x).
    """

    def __init__(self, table: TableSpec) -> None:
        d = table.ball_diameter_mm
        self.columns = 2 * math.ceil(table.width_mm / d / 2) + 2 * MARGIN_DIAMETERS
        self.rows = 2 * math.ceil(table.length_mm / d / 2) + 2 * MARGIN_DIAMETERS
        self.cell_mm = d
        self.x0_mm = -self.columns * d / 2
        self.y0_mm = table.length_mm / 2 - self.rows * d / 2
        self.none = self.mask(np.zeros((self.rows, self.columns), np.uint8))

    def mask(self, bits: Bits) -> CellMask:
        """The border form of a map (rows, columns) of 0 and 1."""
        return CellMask(self.x0_mm, self.y0_mm, self.cell_mm, self.columns, self.rows, bits.tobytes())

    def box(self, x_mm: float, y_mm: float, reach_mm: float, grow: int = 0) -> tuple[slice, slice]:
        """The cells that a square around a place touches, grown by whole cells."""
        x, y, cell = x_mm - self.x0_mm, y_mm - self.y0_mm, self.cell_mm
        j0, j1 = int((y - reach_mm) // cell) - grow, int((y + reach_mm) // cell) + grow + 1
        i0, i1 = int((x - reach_mm) // cell) - grow, int((x + reach_mm) // cell) + grow + 1
        return slice(max(j0, 0), max(j1, 0)), slice(max(i0, 0), max(i1, 0))

    def index(self, x_mm: float, y_mm: float) -> tuple[int, int] | None:
        """Row and column of the cell under a place; None outside."""
        i, j = int((x_mm - self.x0_mm) // self.cell_mm), int((y_mm - self.y0_mm) // self.cell_mm)
        return (j, i) if 0 <= i < self.columns and 0 <= j < self.rows else None

    def under(self, capsules: Iterable[Capsule]) -> Bits:
        """The cells that capsules hide: those whose centres lie inside, cues not (they fill too little of a
        cell).
        """
        bits = np.zeros((self.rows, self.columns), np.uint8)
        for ax, ay, bx, by, radius in capsules:
            if radius <= CUE_MM:
                continue
            steps = max(int(math.hypot(bx - ax, by - ay) / 30.0), 1)
            for k in range(steps + 1):
                f = k / steps
                bits[self.box(ax + f * (bx - ax), ay + f * (by - ay), radius - 12.0)] = 1
        return bits


def capsules(cover: Cover, t_s: float) -> list[Capsule]:
    """Hand, arm and cue of a cover at a time; none while it is away."""
    if not cover.t0_s <= t_s <= cover.t1_s:
        return []
    back = cover.back_mm(t_s)

    def along(mm: float) -> tuple[float, float]:
        return cover.x + back * cover.dx + mm * cover.dx, cover.y + back * cover.dy + mm * cover.dy

    if cover.half_mm is not None:
        return [Capsule(*along(0.0), *along(_ARM_TO_MM), cover.half_mm)]
    out = [
        Capsule(*along(40.0), *along(_ARM_FROM_MM), HAND_MM),
        Capsule(*along(_ARM_FROM_MM), *along(_ARM_TO_MM), ARM_MM),
    ]
    if cover.cue:
        out.append(Capsule(*along(-170.0), *along(_CUE_BUTT_MM), CUE_MM))
    return out


def distance_mm(x: float, y: float, capsule: Capsule) -> float:
    """From a place to the capsule's axis."""
    ax, ay, bx, by, _ = capsule
    dx, dy = bx - ax, by - ay
    f = min(max(((x - ax) * dx + (y - ay) * dy) / max(dx * dx + dy * dy, 1e-9), 0.0), 1.0)
    return math.hypot(x - ax - f * dx, y - ay - f * dy)
