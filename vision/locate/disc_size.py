"""Which discs are as large as a striker: what is printed on it, and in which colour, is anybody's choice."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from calibration.table.pieces import PieceSet
from vision.detect.looks import LEAST_LOGP
from vision.io.picture import Picture
from vision.locate.outline import fit_outlines

F64 = npt.NDArray[np.float64]

_LARGER = 1.1
"""Outlines this much wider than a man's are a striker's (30 % wider), or a man's beside another one."""
_STRIKER_LARGER, _MAN_LARGER = 0.95, 0.08
"""How often an outline is: 7 of 7 strikers, 10 of 124 men in seven path-traced rooms, seen from the side."""


def with_sizes(picture: Picture, calibration: Calibration, xy_mm: F64, logp: F64, pieces: PieceSet) -> F64:
    """Log-probabilities (B, kinds) of discs at (B, 2) mm, given their looks' `logp`, by their size too."""
    table = calibration.table
    fits = fit_outlines(
        picture, calibration.camera, table.ball_radius_mm, xy_mm, top_mm=table.piece_height_mm
    )
    large = np.array([np.nan if f is None else float(f.radius_ratio > _LARGER) for f in fits])[:, None]
    usual_mm = pieces.object_diameter_mm
    share = np.array([_STRIKER_LARGER if k.diameter_mm > usual_mm else _MAN_LARGER for k in pieces.kinds])
    nats = np.where(large > 0.5, np.log(share), np.log1p(-share))
    out = logp + np.where(np.isnan(large), 0.0, nats)
    return np.maximum(out - np.logaddexp.reduce(out, axis=1, keepdims=True), LEAST_LOGP)
