"""How far apart the colours that light confuses lie in this video: brown and red, green and blue, and
others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.robust import robust_sigma
from referee.quality.certify.survey import Look, SeenBall
from vision.observation import BALL_CLASSES

F64 = npt.NDArray[np.float64]

CONFUSED = (("brown", "red"), ("green", "blue"), ("pink", "red"), ("white", "yellow"))

MARGIN_SIGMAS = (3.0, 2.0)
"""Sigmas from a colour to the middle between the two (amber, red below): 1 in 740, 1 in 44 on the wrong side.
"""

_FLOOR = 0.012  # one sigma of chromaticity that noise and compression cause (vision/detect/colour.py)
_LEAST = 6  # balls seen of a colour


@dataclass(frozen=True, slots=True)
class Margin:
    """Two colours: how often each was seen, sigmas from either to the middle between them (None: one of
    them was not seen enough), and the share of single looks in which the detector alone prefers the right
    one.
    """

    pair: tuple[str, str]
    seen: tuple[int, int]
    sigmas: float | None
    alone_right: float | None


def margins_of(looks: Sequence[Look]) -> tuple[Margin, ...]:
    """From the names that all balls of a look have together, which colours' own chromaticity confirms or
    not.
    """
    balls = [b for look in looks for b in look.balls]
    return tuple(_margin(pair, balls) for pair in CONFUSED)


def _margin(pair: tuple[str, str], balls: Sequence[SeenBall]) -> Margin:
    groups = [[b for b in balls if b.colour == c] for c in pair]
    seen = (len(groups[0]), len(groups[1]))
    if min(seen) < _LEAST:
        return Margin(pair, seen, None, None)
    values = [np.array([b.chroma for b in g]) for g in groups]
    between = np.median(values[0], axis=0) - np.median(values[1], axis=0)
    spread = [_spread(v) for v in values]
    # along the line between the two colours, each with its own spread
    length = float(np.linalg.norm(between))
    unit = between / max(length, 1e-9)
    own = [float(np.sqrt(unit @ np.diag(s**2) @ unit)) for s in spread]
    i, j = (BALL_CLASSES.index(c) for c in pair)
    right = [b.logp[i] > b.logp[j] for b in groups[0]] + [b.logp[j] > b.logp[i] for b in groups[1]]
    return Margin(pair, seen, length / (own[0] + own[1]), float(np.mean(right)))


def _spread(values: F64) -> F64:
    """One robust sigma of each chromaticity, (2,)."""
    middle = np.median(values, axis=0)
    return np.asarray(np.maximum(robust_sigma(values - middle, axis=0), _FLOOR), np.float64)
