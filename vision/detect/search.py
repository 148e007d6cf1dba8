"""The detector on the cells of the table that are to be examined.

The ball plane is cut into cells of one ball diameter. The network runs on few rectangles of cells, each with
a cell of context around it. Its answers also say which cells something foreign covers and which are bare
cloth.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.detect.detector import Detection, Detector, by_cell, decode
from vision.io.picture import F32, Picture
from vision.plane import PX_PER_DIAMETER, BallPlane, Cell, Cells, cell_of

Box = tuple[int, int, int, int]
"""column0, row0, column1, row1 in cells; the second pair lies outside."""

CONTEXT_CELLS = 1
"""Cells of context around a box; answers with one and with two cells differ by less than 0.05 mm."""

_RUN_CELLS = 14
"""Fixed cost of one call of the network, in cells that it could compute in that time."""

_COVERED_SHARE = 0.3  # of a cell's area that something foreign hides
_EMPTY_LOGIT = -3.0  # highest logit of a ball's centre (5 %) in a cell that counts as bare cloth
_EMPTY_S = 4.9  # seconds for which a bare cell is believed; shorter than the pause between whole looks (5 s)

_BESIDE_PX = 3.0
"""Ball-plane pixels, a quarter of a diameter: the most by which network and outline fit differ on a ball."""
_AROUND = tuple(
    (a * _BESIDE_PX, b * _BESIDE_PX)
    for a, b in ((0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1))
)


@dataclass
class CellMemory:
    """The network's last answer for each cell (rows, columns).

    `covered`: something that is neither cloth nor ball hides the cell. `empty_until_s`: the cell is bare
    cloth until then, unless something stirs there; -inf where it is not known to be bare.
    """

    covered: Cells
    empty_until_s: npt.NDArray[np.float64]

    @staticmethod
    def unknown(shape: tuple[int, int]) -> CellMemory:
        """The memory before the first image: nothing covered, nothing known to be bare."""
        return CellMemory(np.zeros(shape, np.bool_), np.full(shape, -np.inf))

    def note(self, maps: F32, looked: Cells, box: Box, origin: tuple[int, int], now_s: float) -> None:
        """Take over the network's `maps` of the examined cells of `box`; `origin`: the maps' first cell."""
        (a0, b0), (j0, i0, j1, i1) = origin, box
        share, heat = by_cell(maps)
        part = (slice(b0, b0 + share.shape[0]), slice(a0, a0 + share.shape[1]))
        self.covered[part] = np.where(looked[part], share > _COVERED_SHARE, self.covered[part])
        inner, own = (slice(i0, i1), slice(j0, j1)), (slice(i0 - b0, i1 - b0), slice(j0 - a0, j1 - a0))
        empty = (heat[own] < _EMPTY_LOGIT) & (share[own] == 0.0) & looked[inner]
        self.empty_until_s[inner] = np.where(empty, now_s + _EMPTY_S, -np.inf)


def search(
    detector: Detector,
    plane: BallPlane,
    picture: Picture,
    looked: Cells,
    due: Cells,
    memory: CellMemory,
    now_s: float,
) -> list[Detection]:
    """Detections (ball-plane pixels) in the cells that are `looked` at; updates `memory`.

    `due` (rows, columns): those of the looked-at cells in which the network must run. The others are known to
    be bare cloth as before.
    """
    found: list[Detection] = []
    for box in boxes(due) if due.any() else ():
        j0, i0, j1, i1 = box
        a0, b0, a1, b1 = with_context(box, plane.columns, plane.rows)
        p = PX_PER_DIAMETER
        maps = detector.maps(plane.rgb(picture, a0 * p, b0 * p, a1 * p, b1 * p))
        memory.note(maps, looked, box, (a0, b0), now_s)
        for d in decode(maps, px_per_diameter=plane.px_per_diameter):
            u, v = d.u_px + a0 * p, d.v_px + b0 * p
            cell = looked_cell(u, v, looked)
            if cell is not None and i0 <= cell[0] < i1 and j0 <= cell[1] < j1:
                found.append(Detection(u, v, d.confidence, d.look_logp))
    return found


def looked_cell(u_px: float, v_px: float, cells: Cells) -> Cell | None:
    """The examined cell to which a detection belongs: its own, else a neighbour whose edge it lies beside.

    A ball at a cell's edge may be detected on one side of it and placed on the other by the outline fit. It
    counts as seen if either cell was examined, so that the tracker never misses a ball that lies there.
    """
    for du, dv in _AROUND:
        row, column = cell_of(u_px + du, v_px + dv)
        if 0 <= row < cells.shape[0] and 0 <= column < cells.shape[1] and cells[row, column]:
            return row, column
    return None


def boxes(cells: Cells) -> list[Box]:
    """Disjoint boxes over the set cells; two are merged where one run of the network is cheaper than two."""
    if cells.all():
        return [(0, 0, cells.shape[1], cells.shape[0])]
    _, _, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=8)
    found = [(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:].tolist()]
    while _merge_cheapest(found):
        pass
    return _disjoint(found)


def _merge_cheapest(found: list[Box]) -> bool:
    """Merge the first two boxes that are cheaper as one; False when there are none."""
    for a in range(len(found)):
        for b in range(a + 1, len(found)):
            both = _union(found[a], found[b])
            if _cost(both) <= _cost(found[a]) + _cost(found[b]):
                found[a] = both
                del found[b]
                return True
    return False


def with_context(box: Box, columns: int, rows: int) -> Box:
    """The part of the plane that the network sees for a box: an even number of cells in both directions."""
    j0, i0, j1, i1 = box
    a0, b0 = max(j0 - CONTEXT_CELLS, 0), max(i0 - CONTEXT_CELLS, 0)
    a1, b1 = min(j1 + CONTEXT_CELLS, columns), min(i1 + CONTEXT_CELLS, rows)
    # a cell has 12 px and the network takes multiples of 8
    a1, a0 = (a1, a0) if (a1 - a0) % 2 == 0 else (a1 + 1, a0) if a1 < columns else (a1, a0 - 1)
    b1, b0 = (b1, b0) if (b1 - b0) % 2 == 0 else (b1 + 1, b0) if b1 < rows else (b1, b0 - 1)
    return a0, b0, a1, b1


def _disjoint(found: list[Box]) -> list[Box]:
    # boxes that overlap would report a ball twice
    for a in range(len(found)):
        for b in range(a + 1, len(found)):
            p, q = found[a], found[b]
            if p[0] < q[2] and q[0] < p[2] and p[1] < q[3] and q[1] < p[3]:
                rest = [box for k, box in enumerate(found) if k not in (a, b)]
                return _disjoint([*rest, _union(p, q)])
    return found


def _union(a: Box, b: Box) -> Box:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _cost(box: Box) -> int:
    c = 2 * CONTEXT_CELLS
    return (box[2] - box[0] + c) * (box[3] - box[1] + c) + _RUN_CELLS
