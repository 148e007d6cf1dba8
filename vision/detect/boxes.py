"""Which rectangles of cells the network looks at: few, and without much around what is to be examined."""

from __future__ import annotations

import cv2
import numpy as np

from vision.change.gate import Cells

CONTEXT_CELLS = 1
"""The network sees this far beyond the cells examined; two say the same within 0.05 mm."""
_RUN_CELLS = 14  # calling the network takes as long as computing this many cells more

Box = tuple[int, int, int, int]
"""column0, row0, column1, row1; the second pair lies outside."""


def boxes(cells: Cells) -> list[Box]:
    """Disjoint boxes over the set cells; near ones are merged where one run is cheaper than two."""
    if cells.all():
        return [(0, 0, cells.shape[1], cells.shape[0])]
    _, _, stats, _ = cv2.connectedComponentsWithStats(cells.astype(np.uint8), connectivity=8)
    found = [(x, y, x + w, y + h) for x, y, w, h, _ in stats[1:].tolist()]
    merged = True
    while merged:
        merged = False
        for a in range(len(found)):
            for b in range(a + 1, len(found)):
                both = _union(found[a], found[b])
                if _cost(both) <= _cost(found[a]) + _cost(found[b]):
                    found[a] = both
                    del found[b]
                    merged = True
                    break
            if merged:
                break
    return _disjoint(found)


def with_context(box: Box, columns: int, rows: int) -> Box:
    """The part of the plane that the network sees for a box: an even number of cells in both directions."""
    j0, i0, j1, i1 = box
    a0, b0 = max(j0 - CONTEXT_CELLS, 0), max(i0 - CONTEXT_CELLS, 0)
    a1, b1 = min(j1 + CONTEXT_CELLS, columns), min(i1 + CONTEXT_CELLS, rows)
    # cells are 12 px, the network wants multiples of 8
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
