"""The colours of numbered balls compared with one another: a solid and its stripe have one maker's tint.

A maroon stripe under warm light looks like anybody's red one, but not like this table's red ball. Whole looks
learn what each tint looks like here from balls that are certain; uncertain balls are compared with that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.table.pieces import PieceSet
from vision.detect.colour import disc
from vision.detect.looks import LEAST_LOGP, Looks
from vision.detect.naming import assign_colours
from vision.io.picture import Picture

F64 = npt.NDArray[np.float64]

_INNER, _GRID = 0.72, 15  # radii within which a ball's own colour is sought; samples along each axis
_COLOURED = 0.25  # share of the samples, the most coloured ones, whose median is a ball's tint
_LEAST_LIGHT = 0.02  # added to RGB 0..1: black has a chromaticity too
_SPREAD = np.array([0.035, 0.035, 0.35])
"""One sigma of a tint about its reference: chromaticity g and b, logarithm of the light. A solid and its
stripe differ by 0.02 and 0.1 where measured; other rooms are less even.
"""
_WHITE_SPREAD = 0.04  # of the chromaticity of white parts: lamps of several colours
_CERTAIN = 0.85  # probability of a kind from which a ball is a reference
_SHOWN = 0.8  # how surely such a ball shows a colour
_KEPT = 0.7  # weight of the reference so far against a new whole look
_MOST, _LEAST = 2.0, -5.0  # log-likelihood that a comparison can add or take: one tint, one light


@dataclass(frozen=True, slots=True)
class TintReference:
    """What a tint looks like on this table: chromaticity g and b, logarithm of the light."""

    tint: str
    features: tuple[float, float, float]


def ball_tints(picture: Picture, centres_px: F64, radii_px: F64) -> F64:
    """Features (B, 3) of the most coloured parts of balls: chromaticity g and b, log of the light.

    `centres_px` (B, 2), `radii_px` (B,). White parts of stripes and numbers' circles drop out.
    """
    if len(centres_px) == 0:
        return np.zeros((0, 3))
    reach = _INNER * _GRID / (_GRID - 1)
    found = picture.windows(centres_px, radii_px[:, None, None] * np.eye(2), reach, _GRID, 0)
    rgb = (
        found.reshape(len(found), 3, -1)[:, :, disc(_INNER, _GRID)].transpose(0, 2, 1).astype(np.float64)
        + _LEAST_LIGHT
    )
    coloured = (rgb.max(axis=2) - rgb.min(axis=2)) / rgb.max(axis=2)
    count = max(1, round(_COLOURED * rgb.shape[1]))
    order = np.argsort(-coloured, axis=1)[:, :count]
    own = np.median(rgb[np.arange(len(rgb))[:, None], order], axis=1)
    total = own.sum(axis=1, keepdims=True)
    return np.concatenate((own[:, 1:] / total, np.log(total)), axis=1)


def learned(
    known: Sequence[TintReference], logps: F64, features: F64, pieces: PieceSet, scheme: Looks
) -> tuple[TintReference, ...]:
    """The references after a whole look: kinds (B, kinds) and features (B, 3) of its balls.

    Balls are named together first: with one 3 on the table a second red ball is the 7.
    """
    seen: dict[str, list[F64]] = {}
    out = {r.tint: np.array(r.features) for r in known}
    shown = _coloured(features, out.get("white"))
    for (name, sure), own, colour in zip(
        assign_colours(logps.tolist(), pieces), features, shown.tolist(), strict=True
    ):
        tint = scheme[pieces.index[name]].tint
        if sure > _CERTAIN and (colour > _SHOWN or tint in ("white", "black")):
            seen.setdefault(tint, []).append(own)
    for name, found in seen.items():
        new = np.median(found, axis=0)
        out[name] = new if name not in out else _KEPT * out[name] + (1 - _KEPT) * new
    return tuple(TintReference(t, (float(f[0]), float(f[1]), float(f[2]))) for t, f in out.items())


def compared(logps: F64, features: F64, references: Sequence[TintReference], scheme: Looks) -> F64:
    """Log-probabilities (B, kinds) with each ball's tint compared with the references.

    A tint without a reference gains and loses nothing.
    """
    if not references or not len(logps):
        return logps
    known = {r.tint: np.array(r.features) for r in references}
    gain = np.zeros_like(logps)
    for k, look in enumerate(scheme):
        if look.tint in known and look.tint != "white":
            z2 = (((features - known[look.tint]) / _SPREAD) ** 2).sum(axis=1)
            gain[:, k] = np.clip(_MOST - 0.5 * z2, _LEAST, _MOST)
    gain *= _coloured(features, known.get("white"))[:, None]
    out = logps + gain
    out -= np.logaddexp.reduce(out, axis=1, keepdims=True)
    return np.asarray(np.maximum(out, LEAST_LOGP), np.float64)


def _coloured(features: F64, white: F64 | None) -> F64:
    """How surely (B,) balls show a colour: one that shows its white side alone has no tint to compare."""
    middle = np.array([1 / 3, 1 / 3, 0.0]) if white is None else white
    far2 = (((features - middle)[:, :2] / _WHITE_SPREAD) ** 2).sum(axis=1)
    return np.asarray(1 - np.exp(-0.5 * far2), np.float64)
