"""What the balls' own pixels say of their colours: club light makes a brown look red, but not like its
table's reds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.io.picture import Picture, median
from vision.observation import BALL_CLASSES

F64 = npt.NDArray[np.float64]

_INNER = 0.6  # of the radius: inside it a ball shows its own colour, not the cloth's reflection
_GRID = 13
_REDDISH = tuple(BALL_CLASSES.index(c) for c in ("red", "brown", "pink"))
_RED = BALL_CLASSES.index("red")
_LEAST_REDS = 4  # fewer do not show what this light makes of red
_CHROMA_FLOOR = 0.012  # one sigma of a ball's chromaticity that noise and compression cause
_PLAIN, _MOST = 2.5, 6.0  # sigmas without consequence; most log-likelihood that a difference may cost


def ball_chroma(picture: Picture, centres_px: F64, radii_px: F64) -> F64:
    """Chromaticity (g, b as shares of r + g + b) of each ball without its highlights, (B, 2)."""
    if len(centres_px) == 0:
        return np.zeros((0, 2))
    reach = _INNER * _GRID / (_GRID - 1)  # windows end half a step beyond their outer samples
    found = picture.windows(centres_px, radii_px[:, None, None] * np.eye(2), reach, _GRID, 0)
    rgb = found.reshape(len(found), 3, -1)[:, :, _ON].transpose(0, 2, 1).astype(np.float64) + 0.01
    level = rgb.sum(axis=2)
    # the darker 70 %: highlights show the lamp's colour
    order = np.argsort(level, axis=1)[:, : int(0.7 * len(_ON))]
    middle = median(rgb[np.arange(len(rgb))[:, None], order], axis=1)
    return np.asarray(middle[:, 1:] / middle.sum(axis=1, keepdims=True), np.float64)


def _disc() -> npt.NDArray[np.intp]:
    """Which places of a grid over the ball, row by row, lie inside it."""
    axis = np.linspace(-_INNER, _INNER, _GRID)
    return np.flatnonzero((axis**2 + axis[:, None] ** 2).ravel() <= _INNER**2)


_ON = _disc()


@dataclass(frozen=True, slots=True)
class RedReference:
    """What this table's light makes of red: chromaticity (g, b) and its spread, from a look at many reds."""

    centre: tuple[float, float]
    spread: tuple[float, float]


def red_reference(logps: F64, chroma: F64) -> RedReference | None:
    """From all balls of one look: the middle of those that look red; None with too few of them."""
    reddish = np.exp(logps[:, _REDDISH]).sum(axis=1) > 0.5
    if reddish.sum() < _LEAST_REDS:
        return None
    centre = np.median(chroma[reddish], axis=0)
    spread = 1.4826 * np.median(np.abs(chroma[reddish] - centre), axis=0)
    spread = np.maximum(spread, _CHROMA_FLOOR)
    return RedReference((float(centre[0]), float(centre[1])), (float(spread[0]), float(spread[1])))


def related(logps: F64, chroma: F64, reference: RedReference | None) -> F64:
    """Log-probabilities corrected by how a reddish ball differs from this table's other reds.

    A brown may look redder than the reds of another club, but not as its own table's reds do: an
    outlier among them loses likelihood of being red, one in their middle that of brown and pink. It stays
    as reddish as it was: what red loses goes to brown and pink, not to what the network hardly thought of.
    """
    if reference is None or len(logps) == 0:
        return logps
    sigmas = np.linalg.norm((chroma - np.array(reference.centre)) / np.array(reference.spread), axis=1)
    reddish = np.exp(logps[:, _REDDISH]).sum(axis=1) > 0.5
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
