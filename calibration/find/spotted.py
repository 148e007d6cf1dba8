"""Colours on their spots: they tell the baulk end, and how deep the table lies, where a line is too faint.

A ball is sought as a thing of another colour than the cloth about it, of a ball's size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from calibration.find.strips import ByteArray, FloatArray, mm_per_px
from calibration.table.specs import TableSpec

_CLOTH_WIDTHS = 0.03  # of the picture: the neighbourhood whose median colour is the cloth's
_LEAST_APART, _APART_SIGMAS = 14.0, 6.0  # difference in Lab from the cloth: absolute, and over its usual one
_AREA, _ASPECT = (0.3, 1.8), 2.2  # of a ball's disc; longer side over shorter one
_ASIDE_MM, _DEPTH_SHARE, _LEVEL_MM = 30.0, 0.2, 60.0
"""How far beside its spot a ball may be seen under a first camera; how wrong the depth of the baulk line may
be, over its own; and how well the balls on that line agree about it."""
_AXIS_MM = 220.0  # how wrong the depth of the other spots may be
_STRENGTH = 4.0
"""Of one ball on its spot beside the strength of a line: two more at one end make it 50 to 1. Assumed."""
_LEAST_SPOTTED = 3


@dataclass(frozen=True)
class Spotted:
    """Balls on spots under a camera: `line_px` (N, 2), where those on the baulk line touch the cloth;
    `count`, how many stand on any spot."""

    line_px: FloatArray
    count: int

    @property
    def strength(self) -> float:
        """How strongly the balls show the baulk end, on the scale of a line's strength."""
        return _STRENGTH * self.count


@dataclass(frozen=True, eq=False)
class Contrast:
    """How unlike the cloth about it each pixel of a (H, W, 3) BGR picture is: one for all cameras tried."""

    image: ByteArray

    @cached_property
    def apart(self) -> npt.NDArray[np.float32]:
        """Difference (H, W) in Lab; worked out when it is first asked for."""
        lab = cv2.cvtColor(self.image, cv2.COLOR_BGR2LAB)
        cloth = cv2.medianBlur(lab, int(_CLOTH_WIDTHS * self.image.shape[1]) | 1)
        return np.asarray(
            np.linalg.norm(lab.astype(np.float32) - cloth.astype(np.float32), axis=2), np.float32
        )


def ball_places(contrast: Contrast, camera: Camera, table: TableSpec) -> tuple[FloatArray, FloatArray]:
    """Things of a ball's size on the cloth of a picture: (N, 2) px, and (N, 2) mm in the plane of the ball
    centres."""
    height, width = contrast.image.shape[:2]
    inset = table.ball_diameter_mm
    w, top, z = table.half_width_mm - inset, table.length_mm - inset, table.ball_radius_mm
    ring = camera.pixels_from_table(
        np.array([(-w, inset, z), (w, inset, z), (w, top, z), (-w, top, z)], dtype=np.float64)
    )
    none = np.empty((0, 2))
    if not np.isfinite(ring).all():
        return none, none
    bed = cv2.fillConvexPoly(np.zeros((height, width), np.uint8), np.round(ring).astype(np.int32), (1,)) > 0
    if not bed.any():
        return none, none
    apart = contrast.apart
    limit = max(_LEAST_APART, _APART_SIGMAS * float(np.median(apart[bed])))
    count, _, stats, centres = cv2.connectedComponentsWithStats(((apart > limit) & bed).astype(np.uint8))
    if count < 2:
        return none, none
    px = np.asarray(centres[1:], dtype=np.float64)
    at = camera.table_from_pixels(px, z)
    disc = np.pi * radii_px(camera, table, at) ** 2
    sides = np.sort(stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]], axis=1)
    share = stats[1:, cv2.CC_STAT_AREA] / disc
    good = (share > _AREA[0]) & (share < _AREA[1]) & (sides[:, 1] < _ASPECT * sides[:, 0])
    return px[good], at[good]


def radii_px(camera: Camera, table: TableSpec, at_mm: FloatArray) -> FloatArray:
    """How large balls at places (N, 2) look: their radii (N,) px across the table."""
    centres = np.column_stack((at_mm, np.full(len(at_mm), table.ball_radius_mm)))
    return np.asarray(table.ball_radius_mm / mm_per_px(camera, centres, np.tile((1.0, 0.0), (len(at_mm), 1))))


def find_spotted(contrast: Contrast, camera: Camera, table: TableSpec) -> Spotted | None:
    """Balls on the spots under a camera whose end y = 0 is taken for the baulk end; None where too few are.

    One of them at least on the baulk line, which says how deep the table lies.
    """
    if table.baulk_line_mm is None or not table.spots:
        return None
    px, at = ball_places(contrast, camera, table)
    if not len(px):
        return None
    line = table.baulk_line_mm

    def things_at(x: float, y: float, depth_mm: float) -> list[int]:
        near = (np.abs(at[:, 0] - x) < _ASIDE_MM) & (np.abs(at[:, 1] - y) < depth_mm)
        return [int(k) for k in np.flatnonzero(near)]

    on_line = [
        things_at(x, line, _DEPTH_SHARE * line) for x, y in table.spots.values() if abs(y - line) < 1.0
    ]
    beyond = [things_at(x, y, _AXIS_MM) for x, y in table.spots.values() if abs(y - line) >= 1.0]
    level = (_level_with(at[k, 1], on_line, at[:, 1]) for things in on_line for k in things)
    best = max(level, key=len, default=[])
    count = len(best) + sum(bool(things) for things in beyond)
    if not best or count < _LEAST_SPOTTED:
        return None
    flat = at[best]
    z = np.full(len(best), table.ball_radius_mm)
    sunk = camera.pixels_from_table(np.column_stack((flat, 0.0 * z)))
    raised = camera.pixels_from_table(np.column_stack((flat, z)))
    return Spotted(px[best] + sunk - raised, count)


def _level_with(y_mm: float, on_line: list[list[int]], all_y_mm: FloatArray) -> list[int]:
    """The thing of each spot on the baulk line that is nearest to the depth `y_mm`, if it is near enough."""
    nearest = (min(things, key=lambda k: abs(all_y_mm[k] - y_mm)) for things in on_line if things)
    return [k for k in nearest if abs(all_y_mm[k] - y_mm) < _LEVEL_MM]
