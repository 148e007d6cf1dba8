"""A carrom board of this world: plywood with lines and circles, holes in its corners, a frame about it."""

from __future__ import annotations

import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray
from shapely.geometry import Point
from shapely.geometry import box as flat_box

from calibration.table.board import SEATS, board_of, table_from_board
from calibration.table.specs import TableSpec
from referee.quality.bench.rooms.studio.draws import Rng, one_of
from referee.quality.bench.rooms.studio.meshes import box, cut_out, lathed
from referee.quality.bench.rooms.studio.surfaces import Sheet, clouds
from referee.quality.bench.rooms.studio.tracer import painted, rgb, shape_of

F32 = NDArray[np.float32]
_TEXEL_MM = 0.5
_SHIFT = 8  # fractional bits of OpenCV's drawing
_BASE_LINE_MM, _THIN_MM = 5.5, 1.6
"""Width of the outer base line and of all other lines; 5 to 6 and 1 to 3 are usual."""
_PLIES = ((0.62, 0.42, 0.2), (0.72, 0.55, 0.32), (0.5, 0.3, 0.12), (0.78, 0.66, 0.46))
_FRAMES = ((0.05, 0.02, 0.01), (0.16, 0.06, 0.025), (0.3, 0.17, 0.07), (0.012, 0.011, 0.01))
_INKS = ((0.015, 0.013, 0.012), (0.02, 0.02, 0.02), (0.3, 0.02, 0.015))
_THICK_MM = 16.0


def board_shapes(table: TableSpec, seed: int, floor_mm: float) -> list[Any]:
    """The board on a stool, as the tracer's shapes."""
    rng = np.random.default_rng([seed, 3])
    half, length, high = table.half_width_mm, table.length_mm, table.nose_height_mm
    wide = float(rng.uniform(50, 85))
    sheet = board_sheet(table, rng)
    area = flat_box(-half, 0.0, half, length)
    for p in table.pockets:
        area = area - Point(p.x_mm, p.y_mm).buffer(p.drop_radius_mm, 32)
    polish = {"type": "principled", "roughness": float(rng.uniform(0.2, 0.5)), "specular": 0.5}
    frame = {
        "type": "principled",
        "base_color": rgb(np.asarray(one_of(rng, _FRAMES)) * rng.uniform(0.8, 1.25)),
        "roughness": float(rng.uniform(0.25, 0.5)),
        "specular": 0.5,
    }
    shapes = [shape_of(cut_out(area, 0.0, sheet.low, sheet.high), painted(sheet, polish, "base_color"))]
    out = half + wide
    sides = [
        box((-out, -wide, -_THICK_MM), (-half, length + wide, high)),
        box((half, -wide, -_THICK_MM), (out, length + wide, high)),
        box((-half, -wide, -_THICK_MM), (half, 0.0, high)),
        box((-half, length, -_THICK_MM), (half, length + wide, high)),
    ]
    shapes += [shape_of(m, frame) for m in sides]
    net = {"type": "twosided", "b": {"type": "diffuse", "reflectance": rgb((0.03, 0.03, 0.03))}}
    for p in table.pockets:
        r = p.drop_radius_mm
        bag = lathed(np.array([(r, 0.0), (r, -_THICK_MM), (0.9 * r, -60.0), (0.5, -70.0)]), (p.x_mm, p.y_mm))
        shapes.append(shape_of(bag, net))
    stool = box((-0.6 * half, 0.2 * length, floor_mm), (0.6 * half, 0.8 * length, -80.0))
    shapes.append(shape_of(stool, {"type": "diffuse", "reflectance": rgb((0.08, 0.06, 0.05))}))
    return shapes


def board_sheet(table: TableSpec, rng: Rng) -> Sheet:
    """Plywood with its grain, worn in the middle, and all that is printed on it."""
    low, high = (-table.half_width_mm, 0.0), (table.half_width_mm, table.length_mm)
    shape = (round(table.length_mm / _TEXEL_MM), round(table.width_mm / _TEXEL_MM))
    ply = np.asarray(one_of(rng, _PLIES)) * rng.uniform(0.8, 1.15)
    grain: Any = cv2.resize(clouds(rng, (shape[0] // 40, shape[1]), 3.0), (shape[1], shape[0]))
    tone = 1 + float(rng.uniform(0.02, 0.1)) * grain + 0.04 * clouds(rng, shape, 300.0)
    colour: Any = (np.clip(tone, 0.5, 1.5)[..., None] * ply).astype(np.float32)
    ink = np.asarray(one_of(rng, _INKS), np.float32)
    red = np.asarray((0.4, 0.02, 0.02), np.float32)
    lines, fills = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    _lines(table, lines, fills, rng)
    for share, paint in ((fills, red), (lines, ink)):
        soft = np.asarray(cv2.GaussianBlur(share, (0, 0), 0.7), np.float32)[..., None]
        colour = colour * (1 - soft) + soft * paint
    return Sheet(np.asarray(colour, np.float32), low, high)


def _lines(table: TableSpec, lines: F32, fills: F32, rng: Rng) -> None:
    board = board_of(table)

    def texel(at: tuple[float, float]) -> tuple[int, int]:
        x, y = table_from_board(at, table)
        scale = 2**_SHIFT / _TEXEL_MM
        return round((x + table.half_width_mm) * scale), round(y * scale)

    def line(a: tuple[float, float], b: tuple[float, float], wide_mm: float) -> None:
        px = max(round(wide_mm / _TEXEL_MM), 1)
        cv2.line(lines, texel(a), texel(b), 1.0, px, cv2.LINE_8, _SHIFT)

    def circle(at: tuple[float, float], radius_mm: float, sheet: F32, wide_mm: float) -> None:
        px = -1 if wide_mm < 0 else max(round(wide_mm / _TEXEL_MM), 1)
        radius = round(radius_mm / _TEXEL_MM * 2**_SHIFT)
        cv2.circle(sheet, texel(at), radius, 1.0, px, cv2.LINE_8, _SHIFT)

    for seat in SEATS:
        outer, inner = board.base_lines(seat)
        line(*outer, _BASE_LINE_MM)
        line(*inner, _THIN_MM)
        for at in board.base_circles(seat):
            circle(at, board.base_gap_mm / 2, lines, _THIN_MM)
            circle(at, board.base_gap_mm / 2 - 3.2, fills, -1)
    circle((0.0, 0.0), board.outer_circle_mm / 2, lines, _THIN_MM)
    circle((0.0, 0.0), board.centre_circle_mm / 2, lines, _THIN_MM)
    circle((0.0, 0.0), board.centre_circle_mm / 2 - 2.0, fills, -1)
    rays = int(rng.choice([0, 6, 8, 12]))
    for k in range(rays):
        a = 2 * math.pi * k / rays
        near, far = board.centre_circle_mm / 2 + 3, board.outer_circle_mm / 2 - 6
        line((near * math.cos(a), near * math.sin(a)), (far * math.cos(a), far * math.sin(a)), _THIN_MM)
    for sx in (-1, 1):
        for sy in (-1, 1):
            line((sx * 300.0, sy * 300.0), (sx * 190.0, sy * 190.0), _THIN_MM)
            circle((sx * 178.0, sy * 178.0), 16.0, lines, _THIN_MM)
