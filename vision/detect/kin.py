"""How sure a detection is a ball, by the balls of its kind that lie on the same table.

A ball in a pack, in shade or half behind a cushion is detected with less confidence, but has the colour of
the others of its kind under this light; a mark mostly has the colour of the cloth about it. Kinds of which a
set has one piece have no kin: of those only the cloth tells.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from vision.detect.naming import SLOPE, ball_log_odds, kin_weights, kind_shares
from vision.observation import Observation

F64 = npt.NDArray[np.float64]

_KIN, _CLOTH = np.array([0.03, 0.045, 0.3]), np.array([0.06, 0.06, 0.3])
"""One sigma of two balls of a kind on one table, and of a mark beside the cloth about it: chromaticity (g, b)
and the logarithm of the light."""
_DISCS = np.array([0.01, 0.015, 0.1])
"""The same of two discs of a kind, and of a board's print beside its wood: of 22 whites and 16 rings on four
path-traced boards 0.003 to 0.01, 0.007 to 0.015, 0.05 to 0.1."""
_ANY, _ANY_SPREAD = np.array([0.34, 0.27, 0.2]), np.array([0.14, 0.15, 0.6])
"""Colours of everything on a table: mean and sigma."""
_LIKE_CLOTH = 0.5
"""Share of what is no ball that has the cloth's colour; the rest has any: leather, hands, chalk on wood."""
_CHALK, _NO_CHALK = -0.6, 0.5
"""Added to the log-odds of a ball on a cloth, which has chalk's marks, and on a board, which has none. The
first was chosen with the sigmas on 624 detections of 45 path-traced rooms, 121 of them marks, leather and
hands: log-loss 28 nats before, 13 after, the same with colours counted 0.8 to 1.3 times; the second is what
seven boards gave (`naming._OFFSET`).
"""
_OTHERWISE = 0.5  # balls of a kind that are as anything: worth so many that are seen. Assumed
_LEAST_CONFIDENCE = 0.01  # ball_log_odds tells no more apart


def confidence_by_kin(
    seen: Sequence[Observation], colours: F64, cloths: F64, table: TableSpec, pieces: PieceSet
) -> F64:
    """The confidence (B,) that each of a whole look's detections is a ball, those of its kind considered.

    `colours` (B, 3): chromaticity and light as `seen_colour` gives them; `cloths` (B, 3): of the cloth about
    each, NaN where none is seen.
    """
    if not seen:
        return np.zeros(0)
    confidence = np.array([o.confidence for o in seen])
    named = kind_shares(seen)
    balls = named / (1.0 + np.exp(-ball_log_odds(seen, table, pieces=pieces)))[:, None]
    weights = kin_weights(balls, pieces)
    more = _colour_nats(named, weights, *_alike_nats(table, colours, cloths))
    more = more + (_NO_CHALK if table.is_board else _CHALK)
    sure = np.clip(confidence, _LEAST_CONFIDENCE, 1.0 - _LEAST_CONFIDENCE)
    odds = np.log(sure / (1.0 - sure)) + more / SLOPE
    return np.asarray(1.0 / (1.0 + np.exp(-odds)), np.float64)


def _alike_nats(table: TableSpec, colours: F64, cloths: F64) -> tuple[F64, F64]:
    """Log-ratios of each one's colour if it is of a kind with each other one (B, B), and if it is no ball
    (B,), to its colour if it is a ball without kin: that has any colour, on a board often the wood's.
    """
    kin, mark = (_DISCS, _DISCS) if table.is_board else (_KIN, _CLOTH)
    anything = _gauss(colours, _ANY, _ANY_SPREAD)
    like_cloth = np.where(np.isnan(cloths[:, 0]), anything, _gauss(colours, cloths, mark))
    none = np.logaddexp(np.log(_LIKE_CLOTH) + like_cloth, np.log1p(-_LIKE_CLOTH) + anything)
    alone = none if table.is_board else anything
    return _gauss(colours[:, None], colours, kin) - alone[:, None], none - alone


def _colour_nats(named: F64, weights: F64, alike: F64, none: F64) -> F64:
    """Log-ratio (B,) of a detection's colour if it is a ball and if it is none (see `_alike_nats`)."""
    by_kind = (_OTHERWISE + (weights * np.exp(alike)).sum(axis=2)) / (_OTHERWISE + weights.sum(axis=2))
    return np.asarray(np.log((named * by_kind.T).sum(axis=1)) - none, np.float64)


def _gauss(x: F64, mean: F64, sigma: F64) -> F64:
    """Log-density of independent Gaussians over the last axis, without the factor of pi."""
    return np.asarray(-0.5 * (((x - mean) / sigma) ** 2).sum(axis=-1) - np.log(sigma).sum(), np.float64)
