"""Discs seen from the side, by the far rims of their tops.

The centre network takes the whole outline for the top's. A dark disc's wall looks like its top, so that its
place came out half a disc's height nearer to the camera than it is, a pale one's partly so. Over the far rim
there is nothing but the board, whatever the wall looks like.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.result import Calibration
from vision.io.picture import Picture
from vision.locate.balls import PlacedBalls
from vision.locate.outline import Body, rim_shifts
from vision.locate.slant import slants

EDGE_MM, EDGE_SIGMA_MM = 1.3, 0.5
"""Radius of a disc's rounded edge, with one sigma: a far rim is seen so much lower (assumed, for discs of 7
to 9 mm)."""
_ROUNDS = 3  # of fitting the rim where the last round had it
_LEAST_TAN = 0.2
"""Slope of the view (tangent from straight above) below which a disc's wall hides nothing to speak of."""
_SHORT = 0.8
"""One sigma of how much of a wall the network takes for the top, over half of the wall."""
_SIGMA_MM = 0.4
"""One sigma of a fitted rim beside its own: of 66 path-traced discs (docs/lab/2026-11-28-tables.md)."""


def placed_by_far_rims(picture: Picture, calibration: Calibration, discs: PlacedBalls) -> PlacedBalls:
    """The discs of a picture where their far rims have them, weighed against where the centre network does.

    Along the view the network's place lies up to a wall's width short, as likely here as there. Across the
    view it stays.
    """
    camera, xy_mm, top_mm = calibration.camera, discs.xy_mm, calibration.table.piece_plane_mm
    away, times = slants(camera, xy_mm)
    tan = np.sqrt(times - 1.0) * camera.centre_mm[2] / (camera.centre_mm[2] - top_mm)
    short_mm = np.where(tan > _LEAST_TAN, top_mm * tan / 4, 0.0)
    middle = xy_mm + away * short_mm[:, None]
    shift, spread_mm = np.zeros_like(xy_mm), np.full(len(xy_mm), np.inf)
    for radius in np.unique(discs.radius_mm).tolist():
        own = (discs.radius_mm == radius) & (tan > _LEAST_TAN)
        if own.any():
            body = Body(radius, top_mm)
            shift[own], spread_mm[own] = rim_shifts(picture, camera, body, middle[own], away[own], _ROUNDS)
    cos = 1.0 / np.hypot(1.0, tan)
    lower = (cos + tan * cos - 1.0) / cos  # a rounded edge's support from the side, on the surface
    along_mm = np.sum(shift * away, axis=1) + EDGE_MM * lower
    network = np.hypot(discs.sigma_mm, _SHORT * short_mm) ** 2
    rim = spread_mm**2 + _SIGMA_MM**2 + (EDGE_SIGMA_MM * lower) ** 2
    share = network / (network + rim)
    sigma_mm = np.sqrt(((1.0 - share) * network + discs.sigma_mm**2) / 2)
    return replace(discs, xy_mm=middle + away * (share * along_mm)[:, None], sigma_mm=sigma_mm)
