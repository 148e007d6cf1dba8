"""Colours of balls, and of the bare cloth about them."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from calibration.table.pockets import on_bed
from vision.detect.colour import seen_colour
from vision.io.picture import Picture

F64 = npt.NDArray[np.float64]

_AROUND_DIAMETERS = (2.0, 2.5, 3.0, 3.5)  # distances from a place at which the cloth about it is looked at
_WAYS = 6  # in which it is looked at about every ball of a look
_CLEAR_DIAMETERS = 1.3  # of the cloth that is looked at, from any ball


def cloth_about(calibration: Calibration, xy_mm: F64, at_mm: F64, ways: int = 24) -> F64:
    """Places (N, 2) mm of bare cloth about one in so many `ways`, where balls lie at `xy_mm` (B, 2)."""
    table = calibration.table
    angle = np.arange(ways) * (2 * math.pi / ways)
    unit = np.column_stack((np.cos(angle), np.sin(angle)))
    around = np.concatenate([at_mm + d * table.ball_diameter_mm * unit for d in _AROUND_DIAMETERS])
    clear = np.linalg.norm(around[:, None] - xy_mm, axis=2).min(axis=1)
    bare = clear > _CLEAR_DIAMETERS * table.ball_diameter_mm
    bare &= np.array([on_bed(x, y, table) for x, y in around.tolist()])
    return np.asarray(around[bare], np.float64)


def colours_at(picture: Picture, calibration: Calibration, xy_mm: F64) -> F64:
    """Chromaticity and logarithm of the light (N, 3) of balls, or of cloth, at places (N, 2) mm."""
    table = calibration.table
    centres = np.column_stack((xy_mm, np.full(len(xy_mm), table.piece_plane_mm)))
    px = calibration.camera.pixels_from_table(centres)
    return seen_colour(picture, px, table.ball_radius_mm / calibration.pixel_sizes_mm(xy_mm))


def cloth_colours(picture: Picture, calibration: Calibration, xy_mm: F64) -> F64:
    """Colour (B, 3) of the cloth about each ball at `xy_mm` (B, 2), NaN where none is seen."""
    out = np.full((len(xy_mm), 3), np.nan)
    bare = [cloth_about(calibration, xy_mm, at, _WAYS) for at in xy_mm]
    of = np.repeat(np.arange(len(xy_mm)), [len(b) for b in bare])
    colours = colours_at(picture, calibration, np.concatenate(bare)) if len(of) else np.zeros((0, 3))
    for k in np.unique(of).tolist():
        out[k] = np.median(colours[of == k], axis=0)
    return out
