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

_AS_WIDE, _NEARLY, _WIDER = 1.02, 0.95, 1.1
"""An outline that is sought at a striker's width is as wide as one, or nearly so, where one that is sought at
a man's width is wider than that or not seen at all. A ring on a striker is as wide as a man."""
_STRIKER, _MAN = np.log([0.5, 0.45, 0.05]), np.log([0.01, 0.03, 0.96])
"""How often each is as wide as a striker, nearly so, and neither. Of 9 looks at strikers on seven path-traced
boards 5, 4 and 0; of about 155 at men 0, 1 and the rest. On seven boards before, seen from the side, 7 of 7
strikers were one of the first two, and 5 of 124 men, as beside another one."""


def with_sizes(picture: Picture, calibration: Calibration, xy_mm: F64, logp: F64, pieces: PieceSet) -> F64:
    """Log-probabilities (B, kinds) of discs at (B, 2) mm, given their looks' `logp`, by their size too."""
    usual_mm = pieces.object_diameter_mm
    striker = np.array([k.diameter_mm > usual_mm for k in pieces.kinds])
    by_man = _widths(picture, calibration, xy_mm, 1.0)
    by_striker = _widths(picture, calibration, xy_mm, pieces.kind(pieces.cue).diameter_mm / usual_mm)
    nearly = (by_striker > _NEARLY) & ~(by_man <= _WIDER)
    size = np.where(by_striker > _AS_WIDE, 0, np.where(nearly, 1, 2))
    nats = np.where(striker, _STRIKER[size][:, None], _MAN[size][:, None])
    out = logp + np.where(np.isfinite(by_striker)[:, None], nats, 0.0)
    return np.maximum(out - np.logaddexp.reduce(out, axis=1, keepdims=True), LEAST_LOGP)


def _widths(picture: Picture, calibration: Calibration, xy_mm: F64, times: float) -> F64:
    """Widths of outlines (B,) over that of a disc `times` as wide as a man; nan where none is seen."""
    table = calibration.table
    fits = fit_outlines(
        picture, calibration.camera, times * table.ball_radius_mm, xy_mm, top_mm=table.piece_height_mm
    )
    return np.array([np.nan if f is None else f.radius_ratio for f in fits])
