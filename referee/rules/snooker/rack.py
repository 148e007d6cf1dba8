"""Where the balls stand at the start of a frame (3.2(a)), in millimetres."""

from __future__ import annotations

import math

from calibration.table.specs import SNOOKER_TABLE, PointMm, TableSpec

APEX_GAP_MM = 1.0  # "as close to the pink as possible without touching it": no rule gives a number
_ROW = {1: 1, 3: 2, 6: 3, 10: 4, 15: 5}


def reds_triangle(
    reds: int = 15, table: TableSpec = SNOOKER_TABLE, gap_mm: float = APEX_GAP_MM
) -> tuple[PointMm, ...]:
    """The reds, apex first, base towards the top cushion, tightly packed (3.2(a)(i)).

    Raises ValueError for a number of reds that makes no triangle or a table without a pink spot.
    """
    if reds not in _ROW:
        raise ValueError(f"a triangle takes {', '.join(map(str, _ROW))} reds, got {reds}")
    if "pink" not in table.spots:
        raise ValueError("this table has no pyramid spot")
    d = table.ball_diameter_mm
    _, pink_y = table.spots["pink"]
    out = []
    for row in range(_ROW[reds]):
        y = pink_y + d + gap_mm + row * d * math.sqrt(3) / 2
        out += [((place - row / 2) * d, y) for place in range(row + 1)]
    return tuple(out)


def start_layout(reds: int = 15, table: TableSpec = SNOOKER_TABLE) -> dict[str, PointMm]:
    """Every object ball of a new frame by name: the colours on their spots, `red_1` the apex."""
    layout = dict(table.spots)
    for number, place in enumerate(reds_triangle(reds, table), 1):
        layout[f"red_{number}"] = place
    return layout
