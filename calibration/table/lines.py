"""The lines on a table's surface, as data for whoever draws them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.table.board import SEATS, CarromBoard, board_of, table_from_board
from calibration.table.specs import TableSpec

_CIRCLE_STEPS = 48


def surface_lines(table: TableSpec) -> list[NDArray[np.float64]]:
    """Each line's points, (N, 2) mm in the table's frame; a straight one has two.

    The cross line of the game (baulk line, head string) and the D (snooker 1.1, billiards 1.1), or a
    carrom board's base lines, base circles and middle circles (`CarromBoard`).
    """
    if table.is_board:
        return _board_lines(board_of(table), table)
    out = []
    if table.cross_line_mm is not None:
        w, y = table.half_width_mm, table.cross_line_mm
        out.append(np.array([(-w, y), (w, y)]))
    if table.baulk_line_mm is not None and table.d_radius_mm is not None:
        out.append(_arc(0.0, table.baulk_line_mm, table.d_radius_mm, 180.0, 360.0))
    return out


def _board_lines(board: CarromBoard, table: TableSpec) -> list[NDArray[np.float64]]:
    circles = [((0.0, 0.0), board.outer_circle_mm), ((0.0, 0.0), board.centre_circle_mm)]
    out = []
    for seat in SEATS:
        circles += [(place, board.base_gap_mm) for place in board.base_circles(seat)]
        out += [np.array([table_from_board(p, table) for p in ends]) for ends in board.base_lines(seat)]
    return out + [_arc(*table_from_board(at, table), diameter / 2, 0.0, 360.0) for at, diameter in circles]


def _arc(
    x_mm: float, y_mm: float, radius_mm: float, start_deg: float, stop_deg: float
) -> NDArray[np.float64]:
    angle = np.linspace(math.radians(start_deg), math.radians(stop_deg), _CIRCLE_STEPS + 1)
    return np.column_stack((x_mm + radius_mm * np.cos(angle), y_mm + radius_mm * np.sin(angle)))
