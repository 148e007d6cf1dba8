"""Balls of the cloth's colour are put towards the light: their dark side is taken for their shadow.

How much, follows from two things: how unsure the centre network is, and how far light leans on the balls
that are seen well (`vision.locate.highlights`). Put back by that, and asked again from there, it has the
faintest balls nearly twice as near.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.io.picture import Picture
from vision.locate.centres import CentreNet, brightness
from vision.locate.highlights import Lamps, lit_at

F64 = npt.NDArray[np.float64]

_UNSURE_RADII = 0.018  # one sigma below which nothing is put back
_AT_RADII, _AT, _POWER, _MOST = 0.03, 0.39, 2.45, 3.0
"""The network's error is this many times the lean of the light at that sigma, and grows with its power:
fitted to 313 balls of a hundred cameras (seed 1527933641), held against 263 of a hundred others.
"""
_DARK = 0.6  # brightness of the cloth's under which a ball has no lit side to be put to


def put_back(
    lamps: Lamps,
    net: CentreNet,
    picture: Picture,
    camera: Camera,
    radius_mm: float,
    xy_mm: F64,
    sigma_mm: F64,
    faint: npt.NDArray[np.bool_],
    thorough: bool,
) -> F64:
    """Centres (B, 2) mm of balls thought at `xy_mm` with one sigma per axis (B,) mm, the unsure `faint` ones
    away from the light.

    The network is asked again about all of these; dark ones are not put back first. Sigmas stay as they were.
    """
    ask = np.flatnonzero(faint & (sigma_mm > _UNSURE_RADII * radius_mm))
    lit = lit_at(lamps, xy_mm[ask])
    if not lit.any():
        return xy_mm
    bright, mm_from_unit = brightness(picture, camera, radius_mm, xy_mm[ask])
    share = np.minimum(_AT * (sigma_mm[ask] / (_AT_RADII * radius_mm)) ** _POWER, _MOST) * (bright > _DARK)
    start = xy_mm[ask] - np.einsum("bmc,bc->bm", mm_from_unit, share[:, None] * lit)
    shift, sigma, _ = net.shifts(picture, camera, radius_mm, start, thorough)
    out = xy_mm.copy()
    out[ask] = start + np.where(np.isfinite(sigma)[:, None], shift, 0.0)
    return out
