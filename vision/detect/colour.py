"""Colours of the balls compared with the reds of the same table.

Under a club's lamps a brown ball may look red, but not like that table's reds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.robust import robust_sigma
from vision.io.picture import Picture, median
from vision.observation import BALL_CLASSES

F64 = npt.NDArray[np.float64]

_INNER = 0.6  # radii within which a ball shows its own colour instead of the cloth's reflection
_GRID = 13  # samples along each axis
_DARKER = 0.7  # share of the samples without the lightest, which show the lamps' colour
_LEAST_LIGHT = 0.01  # added to RGB 0..1, so that black has a chromaticity
_REDDISH = tuple(BALL_CLASSES.index(c) for c in ("red", "brown", "pink"))
_RED = BALL_CLASSES.index("red")
_REDDISH_SHARE = 0.5  # probability of red, brown or pink from which a ball is reddish
_LEAST_REDS = 4  # reddish balls without which there is no reference
_CHROMA_FLOOR = 0.012  # one sigma of a ball's chromaticity by noise and compression
_PLAIN, _MOST = (
    2.5,
    6.0,
)  # sigmas up to which a difference costs nothing; largest log-likelihood that it costs


def ball_chroma(picture: Picture, centres_px: F64, radii_px: F64) -> F64:
    """Chromaticity (B, 2) of balls without their highlights: g and b as shares of r + g + b.

    `centres_px` (B, 2), `radii_px` (B,).
    """
    return seen_colour(picture, centres_px, radii_px)[:, :2]


def seen_colour(picture: Picture, centres_px: F64, radii_px: F64) -> F64:
    """The same and the logarithm of r + g + b, 0..3, (B, 3)."""
    if len(centres_px) == 0:
        return np.zeros((0, 3))
    reach = _INNER * _GRID / (_GRID - 1)  # windows end half a step beyond their outer samples
    found = picture.windows(centres_px, radii_px[:, None, None] * np.eye(2), reach, _GRID, 0)
    rgb = found.reshape(len(found), 3, -1)[:, :, _ON].transpose(0, 2, 1).astype(np.float64) + _LEAST_LIGHT
    level = rgb.sum(axis=2)
    order = np.argsort(level, axis=1)[:, : int(_DARKER * len(_ON))]
    middle = median(rgb[np.arange(len(rgb))[:, None], order], axis=1)
    light = middle.sum(axis=1, keepdims=True)
    return np.hstack((middle[:, 1:] / light, np.log(light))).astype(np.float64)


def disc(radius: float, samples: int) -> npt.NDArray[np.intp]:
    """Indices of a square grid's samples, row by row, that lie inside its inscribed disc."""
    axis = np.linspace(-radius, radius, samples)
    return np.flatnonzero((axis**2 + axis[:, None] ** 2).ravel() <= radius**2)


_ON = disc(_INNER, _GRID)


@dataclass(frozen=True, slots=True)
class RedReference:
    """Chromaticity (g, b) of the reds under this table's light, and its spread (one sigma)."""

    centre: tuple[float, float]
    spread: tuple[float, float]


def red_reference(logps: F64, chroma: F64) -> RedReference | None:
    """The reference from all balls of one look; None with too few reddish ones.

    `logps` (B, 8): class log-probabilities; `chroma` (B, 2).
    """
    reddish = np.exp(logps[:, _REDDISH]).sum(axis=1) > _REDDISH_SHARE
    if reddish.sum() < _LEAST_REDS:
        return None
    centre = np.median(chroma[reddish], axis=0)
    spread = robust_sigma(chroma[reddish] - centre, axis=0)
    spread = np.maximum(spread, _CHROMA_FLOOR)
    return RedReference((float(centre[0]), float(centre[1])), (float(spread[0]), float(spread[1])))


def related(logps: F64, chroma: F64, reference: RedReference | None) -> F64:
    """Log-probabilities (B, 8) corrected by the difference of reddish balls from this table's reds.

    An outlier among the reds loses likelihood of being red; a ball in their middle loses that of brown and
    pink. The sum over red, brown and pink stays the same, so that no other colour gains.
    """
    if reference is None or len(logps) == 0:
        return logps
    sigmas = np.linalg.norm((chroma - np.array(reference.centre)) / np.array(reference.spread), axis=1)
    reddish = np.exp(logps[:, _REDDISH]).sum(axis=1) > _REDDISH_SHARE
    out = logps.copy()
    odd = np.minimum(0.5 * np.maximum(sigmas - _PLAIN, 0.0) ** 2, _MOST)
    like = 0.5 * _MOST * np.maximum(1 - sigmas / _PLAIN, 0.0)
    out[reddish, _RED] -= odd[reddish]
    for c in _REDDISH:
        if c != _RED:
            out[reddish, c] -= like[reddish]
    family = np.ix_(reddish, _REDDISH)
    out[family] += _total(logps[family]) - _total(out[family])
    return np.asarray(out - _total(out), np.float64)


def _total(logps: F64) -> F64:
    """Logarithm of the sum of probabilities of each row, (B, 1)."""
    return np.asarray(np.log(np.exp(logps).sum(axis=1, keepdims=True)), np.float64)
