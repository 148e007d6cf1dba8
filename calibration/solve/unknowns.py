"""The unknowns of a calibration: their order in the vector of values, and what each does.

The values change a base camera and describe the table:

- lens, as increments: logarithm of the focal length, k1, k2, principal point (px);
- pose, as increments: axis-angle rotation (rad) about the camera, then a shift (mm) in the camera's frame;
- table, absolute: height of the cushion noses, baulk line, radius of the D, x of the D's centre, margins (how
  far outside each nose the measured edge lies), length and width, a carrom board's distance from the frame to
  the outer base lines and between the base lines; how far above the noses a pool table's sights lie, and how
  far outside them; the height of ball centres, and how far inside a nose one is that turns at it (mm).
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, rotation_matrix, rotation_vector
from calibration.table.board import board_of
from calibration.table.pockets import cushion_ends_mm
from calibration.table.specs import TableSpec

FloatArray = npt.NDArray[np.float64]

BOTTOM, TOP, LEFT, RIGHT, BAULK, ARC = range(6)
"""Marks on which a point can lie: the four cushions (always in this order), the baulk line, the D."""

SIDES = (BOTTOM, TOP, LEFT, RIGHT)

BASES, INNER_BASES = (6, 7, 8, 9), (10, 11, 12, 13)
"""Further marks: a carrom board's outer and inner base lines, in the order of `SIDES`."""

ENDS = (14, 15, 16, 17, 18, 19)
"""Marks of the cushions' ends at the pockets: of a long side at y = 0, at its far end, below and above its
middle; of a short side at its left and at its right."""

SIGHT_RAILS = (20, 21, 22, 23)
"""Marks of the sights in a pool table's rails: each side's line of them, in the order of `SIDES`."""

SIGHT_EIGHTHS, SIGHT_QUARTERS = (24, 25, 26, 27, 28, 29), (30, 31, 32)
"""Marks of the same sights along the rails: at eighths of the length, at quarters of the width."""

TURNS = (33, 34, 35, 36)
"""Marks of ball centres that turned at a cushion, in the order of `SIDES`: at their own height, a radius
inside the nose."""

NOSES = (37, 38, 39, 40)
"""Marks on the noses themselves, in the order of `SIDES`: where a line on the cloth ends at one."""

EIGHTHS = (1 / 8, 2 / 8, 3 / 8, 5 / 8, 6 / 8, 7 / 8)
QUARTERS = (-1 / 4, 0.0, 1 / 4)
"""Where they lie: shares of the length from the bottom, and of the width from the middle (WPA)."""

MARGIN_NAMES = ("m0", "m1", "m2", "m3")
"""Names of the margins, in the order of `SIDES`."""

END_NAMES = ("corner", "middle")
"""Names of the cushions' ends: from a corner, and from the middle of a side."""

_LENS_NAMES = ("log_focal", "k1", "k2", "cx", "cy")
_ROTATION_NAMES, _SHIFT_NAMES = ("w0", "w1", "w2"), ("t0", "t1", "t2")
_SIZE_NAMES = ("length", "width", "base", "gap", *END_NAMES)
_HEIGHT_NAMES = ("nose", "lift", "centre")
_TABLE_NAMES = (*_HEIGHT_NAMES, "baulk", "radius", "arc_x", *MARGIN_NAMES, *_SIZE_NAMES, "sight", "reach")
NAMES = (*_LENS_NAMES, *_ROTATION_NAMES, *_SHIFT_NAMES, *_TABLE_NAMES)
INDEX = {name: n for n, name in enumerate(NAMES)}

LOG_FOCAL, K1, K2, CX, CY = range(len(_LENS_NAMES))
LENS = slice(LOG_FOCAL, CY + 1)
ROTATION = slice(INDEX["w0"], INDEX["w2"] + 1)
SHIFT = slice(INDEX["t0"], INDEX["t2"] + 1)
NOSE, LIFT, CENTRE, SIGHT, REACH = (INDEX[name] for name in (*_HEIGHT_NAMES, "sight", "reach"))
BAULK_Y, RADIUS, ARC_X = (INDEX[name] for name in ("baulk", "radius", "arc_x"))
MARGINS = slice(INDEX["m0"], INDEX["m3"] + 1)
LENGTH, WIDTH = INDEX["length"], INDEX["width"]
BASE, GAP, CORNER, MIDDLE = (INDEX[name] for name in ("base", "gap", "corner", "middle"))

MOVERS = CENTRE + 1
"""The first unknowns (lens, pose, heights) move the places of points; the others move marks."""

K1_SIGMA, K2_SIGMA = 0.15, 0.05
"""One sigma of the distortion of usual lenses, from straight to strongly barrel-shaped."""

POSE_PRIORS = {
    **dict.fromkeys(_ROTATION_NAMES, (0.0, 2.0)),  # radians: any pose
    **dict.fromkeys(_SHIFT_NAMES, (0.0, 5000.0)),  # mm: anywhere in a room
}
"""Priors (mean, sigma) of the pose's increments, wide enough to say nothing."""

SIGHT_MM, SIGHT_LIFT_MM = 95.0, 6.0
"""Distance of the sights from the noses (WPA: 93.7), and the rail's height above these (assumed)."""

LARGEST_LOG_FOCAL = 3.0
"""Limit of the focal length's logarithm, so that a step of the solver cannot overflow."""

SCALE = np.zeros(len(NAMES))
"""Typical steps: one scaled unit of any unknown moves the picture by about as much."""
SCALE[LENS] = 0.1, 0.1, 0.05, 10, 10
SCALE[ROTATION] = 0.02
SCALE[SHIFT] = 20, 20, 50
SCALE[[NOSE, LIFT, CENTRE, SIGHT, REACH]] = 5
SCALE[[BAULK_Y, RADIUS, ARC_X, LENGTH, WIDTH, BASE, GAP, CORNER, MIDDLE]] = 5
SCALE[MARGINS] = 10


def start_values(table: TableSpec) -> FloatArray:
    """The values before solving: no increments, the table as its specification has it."""
    v = np.zeros(len(NAMES))
    v[NOSE] = table.nose_height_mm
    v[LIFT], v[SIGHT] = SIGHT_LIFT_MM, SIGHT_MM
    v[CENTRE], v[REACH] = table.piece_plane_mm, table.ball_radius_mm
    v[BAULK_Y] = table.cross_line_mm or 0.0
    v[RADIUS] = table.d_radius_mm or 0.0
    v[LENGTH] = table.length_mm
    v[WIDTH] = table.width_mm
    if table.is_board:
        board = board_of(table)
        v[BASE], v[GAP] = board.base_offset_mm, board.base_gap_mm
    else:
        v[CORNER], v[MIDDLE] = cushion_ends_mm(table)
    return v


def lens_coefficients(base: Camera) -> tuple[float, float]:
    """k1 and k2 of a camera, 0 where it has none."""
    k1, k2, *_ = (*base.distortion, 0.0, 0.0)
    return k1, k2


def increment_rotation(v: FloatArray) -> FloatArray:
    """The (3, 3) rotation by which the values turn the base camera."""
    x, y, z = (float(w) for w in v[ROTATION])
    return rotation_matrix((x, y, z))


def camera_of(base: Camera, v: FloatArray) -> Camera:
    """The base camera changed by the increments in `v` (len(NAMES),)."""
    turn = increment_rotation(v)
    rotation = rotation_vector(turn @ base.matrix_camera_from_table)
    x, y, z = (float(t) for t in turn @ np.asarray(base.translation_mm) + v[SHIFT])
    k1, k2 = lens_coefficients(base)
    log_focal = float(np.clip(v[LOG_FOCAL], -LARGEST_LOG_FOCAL, LARGEST_LOG_FOCAL))
    return replace(
        base,
        focal_px=base.focal_px * math.exp(log_focal),
        cx_px=base.cx_px + float(v[CX]),
        cy_px=base.cy_px + float(v[CY]),
        distortion=(k1 + float(v[K1]), k2 + float(v[K2])),
        rotation=rotation,
        translation_mm=(x, y, z),
    )


def base_values(base: Camera) -> FloatArray:
    """Values of the base camera for the unknowns whose priors are absolute, else 0.

    These are the lens's: logarithm of focal length over the longer side, k1, k2, principal point from the
    middle of the picture (px).
    """
    out = np.zeros(len(NAMES))
    out[LOG_FOCAL] = math.log(base.focal_px / max(base.width_px, base.height_px))
    out[K1], out[K2] = lens_coefficients(base)
    out[CX] = base.cx_px - (base.width_px - 1) / 2
    out[CY] = base.cy_px - (base.height_px - 1) / 2
    return out
