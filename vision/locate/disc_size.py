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

_WIDER, _AS_WIDE = 1.1, 0.95
"""A striker's outline is wider than a man's by more than the first, and no narrower than a striker's by the
second; a man's beside another one may be both."""
_STRIKER_LARGER, _MAN_LARGER = 0.95, 0.04
"""How often an outline is: 7 of 7 strikers, 5 of 124 men in seven path-traced rooms, seen from the side."""


def with_sizes(picture: Picture, calibration: Calibration, xy_mm: F64, logp: F64, pieces: PieceSet) -> F64:
    """Log-probabilities (B, kinds) of discs at (B, 2) mm, given their looks' `logp`, by their size too."""
    usual_mm = pieces.object_diameter_mm
    striker = np.array([k.diameter_mm > usual_mm for k in pieces.kinds])
    share = np.where(striker, _STRIKER_LARGER, _MAN_LARGER)
    by_man = _widths(picture, calibration, xy_mm, 1.0)
    by_striker = _widths(picture, calibration, xy_mm, pieces.kind(pieces.cue).diameter_mm / usual_mm)
    seen = np.isfinite(by_man + by_striker)[:, None]
    large = ((by_man > _WIDER) & (by_striker > _AS_WIDE))[:, None]
    nats = np.where(seen, np.where(large, np.log(share), np.log1p(-share)), 0.0)
    out = logp + nats
    return np.maximum(out - np.logaddexp.reduce(out, axis=1, keepdims=True), LEAST_LOGP)


def _widths(picture: Picture, calibration: Calibration, xy_mm: F64, times: float) -> F64:
    """Widths of outlines (B,) over that of a disc `times` as wide as a man; nan where none is seen."""
    table = calibration.table
    fits = fit_outlines(
        picture, calibration.camera, times * table.ball_radius_mm, xy_mm, top_mm=table.piece_height_mm
    )
    return np.array([np.nan if f is None else f.radius_ratio for f in fits])
