"""Places at which balls turned at cushions, as points of a calibration: a match checks its own table.

Such a point is the image of a ball's centre at its own height, which lies one radius inside a nose. What all
turns share (`calibration.monitor.turns`) is an unknown of the solution, and so is the place of an edge that
balls show to be none of a nose (`calibration.solve.refine.with_loose_sides`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera, FloatArray
from calibration.monitor.turns import ONE_CUSHION_MM, SCATTER_MM, Bounce, gives_mm
from calibration.result import Calibration
from calibration.solve.model import Points
from calibration.solve.unknowns import SIDES, TURNS
from calibration.table.specs import CUSHIONS, TableSpec
from calibration.texts import unusable_input

_SAME_VIEW_SHARE = 0.02
"""Share of the picture's width by which a table's corners may lie elsewhere in two readings of one view: a
table read 36 mm off. Another view is further off.
"""
_INWARD = np.array([(0.0, 1.0), (0.0, -1.0), (1.0, 0.0), (-1.0, 0.0)])


@dataclass(frozen=True, slots=True)
class SeenTurn:
    """A bounce, with where the ball's centre turned (mm)."""

    bounce: Bounce
    x_mm: float
    y_mm: float


@dataclass(frozen=True, slots=True)
class SeenTurns:
    """The bounces of a match, with the calibration under which they were seen."""

    calibration: Calibration
    turns: tuple[SeenTurn, ...]


def turn_points(seen: SeenTurns, camera: Camera, table: TableSpec) -> Points:
    """The turns as points of another solution of the same view, by camera and table as they are known there.

    Raises UnusableInput where that is another view.
    """
    _check_view(seen, camera, table)
    z = seen.calibration.table.piece_plane_mm
    own = np.array([CUSHIONS.index(t.bounce.cushion) for t in seen.turns], dtype=np.int64)
    into = np.array([t.bounce.into_mm_s for t in seen.turns]) / 1000.0
    inward = _INWARD[own]
    bounces = [t.bounce for t in seen.turns]
    gives, gives_sigma = gives_mm(bounces)
    at = np.array([(t.x_mm, t.y_mm) for t in seen.turns]) - gives * into[:, None] * inward
    px, deeper = (
        seen.calibration.camera.pixels_from_table(np.column_stack((places, np.full(len(at), z))))
        for places in (at, at + inward)
    )
    # what the bounces of a cushion share is as much as this to each of them
    common_mm = ONE_CUSHION_MM * np.sqrt(np.bincount(own, minlength=len(SIDES))[own])
    sigma_mm = np.array(
        [
            math.hypot(b.sigma_mm, SCATTER_MM, gives_sigma * speed, common)
            for b, speed, common in zip(bounces, into, common_mm, strict=True)
        ]
    )
    side = _nearest_side(camera.table_from_pixels(px, z), table)
    return Points(
        px=px,
        mark=np.array(TURNS)[side],
        sigma_px=sigma_mm * np.hypot(*(deeper - px).T),
        on_nose=np.zeros(len(px), dtype=np.bool_),
    )


def _nearest_side(at: FloatArray, table: TableSpec) -> npt.NDArray[np.int64]:
    """Which of `SIDES` places (N, 2) mm lie nearest to: another one may call the other end the bottom."""
    x, y, w = at[:, 0], at[:, 1], table.half_width_mm
    gaps = np.stack((y, table.length_mm - y, x + w, w - x), axis=1)
    return np.asarray(np.argmin(np.abs(gaps), axis=1), dtype=np.int64)


def _check_view(seen: SeenTurns, camera: Camera, table: TableSpec) -> None:
    """Raise UnusableInput unless both cameras see a table of the same corners in pictures of one size."""
    other = seen.calibration
    if (camera.width_px, camera.height_px) == (other.camera.width_px, other.camera.height_px):
        here, there = _corners(camera, table), _corners(other.camera, other.table)
        apart = np.hypot(*(here[:, None] - there[None, :]).transpose(2, 0, 1)).min(axis=1)
        if float(np.max(apart)) < _SAME_VIEW_SHARE * camera.width_px:
            return
    raise unusable_input("errors.match_of_another_view")


def _corners(camera: Camera, table: TableSpec) -> FloatArray:
    """Pixels (4, 2) of the corners of the playing area."""
    w, length, z = table.half_width_mm, table.length_mm, table.nose_height_mm
    return camera.pixels_from_table([(x, y, z) for x in (-w, w) for y in (0.0, length)])
