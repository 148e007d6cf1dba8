"""Gaps in a ring of balls, which the detector takes for balls: round, and as large as one.

A gap's outline, the neighbours' own, is too wide, and it shows the cloth. A ball of the cloth's own colour in
the middle of six, its outline widened by them, would be lost.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from vision.io.picture import Picture
from vision.locate.cloth_colour import cloth_about, colours_at
from vision.locate.outline import fit_outlines

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_NEIGHBOUR_DIAMETERS = 1.2  # distance of centres up to which two balls of a ring are neighbours
_CROWDED_DIAMETERS = 0.93  # centres cannot be nearer; errors of fit and calibration are smaller than the rest
_RING, _FULL_RING = 3, 5  # neighbours of a gap in a ring of three to five balls, and of six
_WIDE_RATIO = 1.0  # radius of an outline over a ball's: balls measure 0.93 to 1.00 but in packs, gaps more
_CLOTH_SIGMAS = np.array([0.03, 0.03, 0.25])
"""One sigma of a gap's colour beside that of the cloth about it: chromaticity (g, b), logarithm of its light.
In path-traced rooms 0.01 to 0.06 in chromaticity, 0.86 to 1.14 times the light; balls 0.17 to 0.45, but for
red ones on red cloth 0.07 (docs/lab/2026-11-30-fresh-rooms-and-rare-wrong-strokes.md).
"""
_LIKE_SIGMAS = 3.0


def gaps_in_rings(picture: Picture, calibration: Calibration, xy_mm: F64, noise: float) -> Mask:
    """Which places (B, 2) mm of what was found are gaps in a ring of balls. `noise`: of the picture, grey
    levels.
    """
    table, camera = calibration.table, calibration.camera
    gaps = may_be_gaps(xy_mm / table.ball_diameter_mm)
    if gaps.any():
        fits = fit_outlines(picture, camera, table.ball_radius_mm, xy_mm[gaps], noise=noise)
        gaps[gaps] = [f is not None and f.radius_ratio > _WIDE_RATIO for f in fits]
    for k in np.flatnonzero(gaps):
        gaps[k] = _shows_cloth(picture, calibration, xy_mm, int(k))
    return gaps


def may_be_gaps(places: F64) -> Mask:
    """Which places (N, 2), in ball diameters, may be the gap in a ring of balls rather than a ball.

    In a ring of three to five balls the gap is nearer to them than a ball could be. In a ring of six it is as
    large as a ball.
    """
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9.0 * np.eye(len(places))
    near = (apart < _NEIGHBOUR_DIAMETERS).sum(axis=1)
    return np.asarray((near >= _FULL_RING) | ((near >= _RING) & (apart.min(axis=1) < _CROWDED_DIAMETERS)))


def _shows_cloth(picture: Picture, calibration: Calibration, xy_mm: F64, k: int) -> bool:
    """Whether what is seen at the k-th place is nearer in colour to the cloth about it than to a ball beside
    it. Where no cloth is seen, nothing speaks against it.
    """
    diameter = calibration.table.ball_diameter_mm
    apart = np.linalg.norm(xy_mm - xy_mm[k], axis=1)
    beside = np.flatnonzero((apart > 0.0) & (apart < _NEIGHBOUR_DIAMETERS * diameter))
    cloth = cloth_about(calibration, xy_mm, xy_mm[k])
    if not len(cloth):
        return True
    colours = colours_at(picture, calibration, np.vstack((xy_mm[[k, *beside]], cloth)))
    own, balls, bed = colours[0], colours[1 : 1 + len(beside)], colours[1 + len(beside) :]
    to_cloth = float(np.linalg.norm((own - np.median(bed, axis=0)) / _CLOTH_SIGMAS))
    to_balls = np.linalg.norm((own - balls) / _CLOTH_SIGMAS, axis=1)
    return to_cloth < min(_LIKE_SIGMAS, float(to_balls.min(initial=math.inf)))
