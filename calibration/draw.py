"""A calibration drawn over its picture."""

from __future__ import annotations

import math

import cv2
import numpy as np

from calibration.find.strips import ByteArray, FloatArray
from calibration.result import Calibration
from calibration.table.board import board_of, table_from_board
from calibration.table.lines import surface_lines

_SEGMENTS = 64  # of a line or circle
_FAR_PX = 1e5  # a projection beyond this is not drawn
_NOSE, _MARK, _SPOT, _POCKET = (0, 0, 255), (255, 0, 255), (0, 255, 255), (255, 255, 0)
_BESIDE_MM = 30.0
"""How far beyond the board's edge, on its frame, a letter stands."""
_FINE = 4
"""Fractional bits of OpenCV's sub-pixel coordinates."""


def draw_calibration(image: ByteArray, calibration: Calibration) -> ByteArray:
    """A copy of a (H, W, 3) BGR picture with noses, baulk line, D, spots and pockets."""
    out = image.copy()
    table = calibration.table
    w, top, z = table.half_width_mm, table.length_mm, table.nose_height_mm
    share = np.linspace(0.0, 1.0, _SEGMENTS)[:, None]
    ring = np.array([(-w, 0.0), (w, 0.0), (w, top), (-w, top)])
    for n in range(4):
        _line(out, calibration, ring[n] + share * (ring[(n + 1) % 4] - ring[n]), z, _NOSE)
    for pocket in table.pockets:
        _line(out, calibration, _circle(pocket.x_mm, pocket.y_mm, pocket.drop_radius_mm), 0.0, _POCKET)
    for points in surface_lines(table):
        straight = len(points) == 2
        line = points[0] + share * (points[1] - points[0]) if straight else points
        _line(out, calibration, line, 0.0, _MARK)
    if table.is_board:
        _seat(out, calibration)
    arm = table.ball_radius_mm / 2
    for x, y in table.marked_spots.values():
        _line(out, calibration, np.array([(x - arm, y), (x + arm, y)]), 0.0, _SPOT)
        _line(out, calibration, np.array([(x, y - arm), (x, y + arm)]), 0.0, _SPOT)
    return out


def _seat(out: ByteArray, calibration: Calibration) -> None:
    """The letter A on the frame where player A sits: a board looks the same from four sides."""
    board = board_of(calibration.table)
    beyond = -(board.side_mm / 2 + _BESIDE_MM)
    x, y = table_from_board((0.0, beyond), calibration.table)
    u, v = calibration.camera.pixels_from_table([(x, y, 0.0)])[0]
    if math.isfinite(u) and math.isfinite(v) and max(abs(u), abs(v)) < _FAR_PX:
        cv2.putText(
            out, "A", (round(u) - 8, round(v) + 8), cv2.FONT_HERSHEY_SIMPLEX, 0.8, _MARK, 2, cv2.LINE_AA
        )


def _circle(x: float, y: float, radius: float) -> FloatArray:
    angle = np.linspace(0.0, 2 * math.pi, _SEGMENTS)
    return np.column_stack((x + radius * np.cos(angle), y + radius * np.sin(angle)))


def _line(
    out: ByteArray, calibration: Calibration, flat_mm: FloatArray, z_mm: float, colour: tuple[int, int, int]
) -> None:
    px = calibration.camera.pixels_from_table(np.column_stack((flat_mm, np.full(len(flat_mm), z_mm))))
    if np.isfinite(px).all() and np.max(np.abs(px)) < _FAR_PX:
        points = np.round(px * 2**_FINE).astype(np.int32)
        cv2.polylines(out, [points], False, colour, 1, cv2.LINE_AA, _FINE)
