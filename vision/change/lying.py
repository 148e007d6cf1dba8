"""Where balls lie as they were last seen, and which of them an image looked at.

The table is examined in cells of one ball's diameter. A ball beside a cell's edge may be found on one side
of it and placed on the other by the fit: it counts as seen where either cell was examined, so that the
tracker, which asks about the cell of its place, never misses a ball that lies there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from vision.change.gate import Cells
from vision.plane import PX_PER_DIAMETER, BallPlane

F64 = npt.NDArray[np.float64]
Cell = tuple[int, int]

_BESIDE_PX = (
    3.0  # of the ball plane, a quarter of a diameter: network and fit put a ball at most so far apart
)
_ONE_BALL_DIAMETERS = 0.6  # no two balls lie nearer, whatever places err by in a pack
_AROUND = tuple(
    (a * _BESIDE_PX, b * _BESIDE_PX)
    for a, b in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
)


def cell_of(u_px: float, v_px: float) -> Cell:
    """Row and column of the cell of a ball-plane pixel."""
    return int((v_px + 0.5) // PX_PER_DIAMETER), int((u_px + 0.5) // PX_PER_DIAMETER)


def looked_cell(u_px: float, v_px: float, cells: Cells) -> Cell | None:
    """The examined cell that a find belongs to: its own, else one whose edge it lies beside; None without
    any.
    """
    for du, dv in _AROUND:
        row, column = cell_of(u_px + du, v_px + dv)
        if 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1] and cells[row, column]:
            return row, column
    return None


@dataclass
class Lying:
    """Row and column of its cell and place in mm of each ball, as last seen: where nothing changed it lies
    there.
    """

    balls: list[tuple[int, int, float, float]] = field(default_factory=list)

    def besides(self, cells: Cells, places_mm: F64, diameter_mm: float) -> F64:
        """Forget what lay in the cells that were examined or is seen again at `places_mm` (B, 2); places of
        the rest.
        """
        there = np.array([b[2:] for b in self.balls]).reshape(-1, 2)
        again = (np.linalg.norm(there[:, None] - places_mm, axis=2) < _ONE_BALL_DIAMETERS * diameter_mm).any(
            axis=1
        )
        kept = [
            not seen and not cells[b[0], b[1]] for b, seen in zip(self.balls, again.tolist(), strict=True)
        ]
        self.balls = [b for b, keep in zip(self.balls, kept, strict=True) if keep]
        return there[kept]

    def add(self, plane: BallPlane, places_mm: F64) -> None:
        """Balls were seen at these places (B, 2)."""
        self.balls += [
            (*cell, x, y) for cell, (x, y) in zip(cells_of(plane, places_mm), places_mm.tolist(), strict=True)
        ]


def cells_of(plane: BallPlane, places_mm: F64) -> Iterator[Cell]:
    """Row and column of the cell of each place (B, 2), within the plane."""
    for x, y in places_mm.tolist():
        row, column = cell_of(*plane.plane_from_mm(x, y))
        yield min(max(row, 0), plane.rows - 1), min(max(column, 0), plane.columns - 1)
