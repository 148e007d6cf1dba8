"""Where a person, or what changed about a place, covers the cloth: cells of the image's masks."""

from __future__ import annotations

import math

from calibration.table.specs import PointMm
from vision.observation import CellMask

AROUND_DIAMETERS, SIDES, ALTERED_SIDES = 1.3, 8, 3
"""Around a ball, beyond its own shadow. A cue across it, or a ball that lies there now, changes two of the
sides.
"""


def altered_about(altered: CellMask, x_mm: float, y_mm: float, diameter_mm: float) -> bool:
    """Whether the table looks otherwise than at rest about a place, not only where a ball lay or comes by."""
    return sum(altered.at(*side) for side in sides_mm(x_mm, y_mm, diameter_mm)) >= ALTERED_SIDES


def sides_mm(x_mm: float, y_mm: float, diameter_mm: float) -> list[PointMm]:
    """The places around a ball at which the cloth tells whether something stands there."""
    r, turns = AROUND_DIAMETERS * diameter_mm, (2 * math.pi * k / SIDES for k in range(SIDES))
    return [(x_mm + r * math.cos(a), y_mm + r * math.sin(a)) for a in turns]


def near_cover(covered: CellMask | None, x_mm: float, y_mm: float, reach_mm: float) -> bool:
    """Whether a covered cell lies within about `reach_mm` of the place."""
    if covered is None:
        return False
    bits, columns, rows, cell = covered.bits, covered.columns, covered.rows, covered.cell_mm
    x, y = x_mm - covered.x0_mm, y_mm - covered.y0_mm
    across = {int((x - reach_mm) // cell), int(x // cell), int((x + reach_mm) // cell)}
    for j in {int((y - reach_mm) // cell), int(y // cell), int((y + reach_mm) // cell)}:
        if 0 <= j < rows and any(0 <= i < columns and bits[j * columns + i] for i in across):
            return True
    return False
