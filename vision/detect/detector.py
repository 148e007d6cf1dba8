"""The piece detector: an ONNX network on the ball plane. Its contract is in models/MODEL_CARD.md.

The manifest says for each network which looks it tells apart (`classes`) and for which piece sets it is
used (`sets`), so that a game picks its network by data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.texts import unusable_input
from vision.detect.onnx_model import manifest_of, model_path, open_model
from vision.io.picture import F32
from vision.plane import PX_PER_DIAMETER

STRIDE = 2
"""Ball-plane pixels a pixel of the network's maps."""
LEAST_CONFIDENCE = 0.35
"""Probability below which a peak of the centre map is no detection."""
_APART_DIAMETERS = 0.6  # distance of two peaks that are different balls
_LEAST_LOGP = -12.0
# layout of the maps: centre logit, shift u, shift v, one logit a look, cover
_CLASSES = slice(3, -1)
_COVER = -1
_CELL = PX_PER_DIAMETER // STRIDE
_BESIDE = np.ones((3, 3), np.uint8)
_AROUND_CELL = np.ones((_CELL + 2, _CELL + 2), np.uint8)


@dataclass(frozen=True, slots=True)
class Detection:
    """A piece at ball-plane pixel (u, v), its probability and the log-probabilities of the network's looks.

    `look_logp`: in the order of `Detector.looks`.
    """

    u_px: float
    v_px: float
    confidence: float
    look_logp: tuple[float, ...]


class Detector:
    """Runs the network of a piece set.

    `looks`: names of the looks that it tells apart, as `vision.detect.looks` names them. Raises UnusableInput
    when the model file is absent or not the one in the manifest, or serves no such set.
    """

    def __init__(self, path: Path | None = None, threads: int = 1, pieces: PieceSet = SNOOKER) -> None:
        self.path = path or model_path(_model_for(pieces))
        self._session = open_model(self.path.stem, self.path, threads)
        self.looks: tuple[str, ...] = tuple(manifest_of(self.path)[self.path.stem]["classes"])

    def maps(self, rgb: F32) -> F32:
        """The network's maps (4 + looks, H/2, W/2) of RGB (3, H, W) 0..1, with H and W multiples of 8."""
        return np.asarray(self._session.run(["maps"], {"image": rgb[None]})[0][0], np.float32)


def _model_for(pieces: PieceSet) -> str:
    """The network for a piece set."""
    for name in ("ball_detector", "piece_detector", "disc_detector"):
        # each in its own manifest: a club's folder may hold one network alone
        if pieces.name in manifest_of(model_path(name)).get(name, {}).get("sets", ()):
            return name
    raise unusable_input("errors.network_for_the_pieces", name=pieces.name)


def decode(
    maps: F32,
    threshold: float = LEAST_CONFIDENCE,
    px_per_diameter: tuple[float, float] = (PX_PER_DIAMETER,) * 2,
) -> list[Detection]:
    """Peaks of the centre map above a probability `threshold`, best first, at least 0.6 diameters apart.

    `px_per_diameter`: ball-plane pixels of a diameter on the cloth along u and v, fewer where the plane is
    reduced: there balls that touch lie nearer together than they are wide.
    """
    du, dv = (_APART_DIAMETERS * p for p in px_per_diameter)
    heat = maps[0]
    logit = float(np.log(threshold / (1 - threshold)))
    high = heat > logit
    if not high.any():
        return []
    rows, cols = np.nonzero(high & (heat >= cv2.dilate(heat, _BESIDE)))
    order = np.argsort(-heat[rows, cols], kind="stable")
    found: list[Detection] = []
    for i, j in zip(rows[order], cols[order], strict=True):
        u = STRIDE * j + 0.5 + float(maps[1, i, j])
        v = STRIDE * i + 0.5 + float(maps[2, i, j])
        if any(((u - d.u_px) / du) ** 2 + ((v - d.v_px) / dv) ** 2 < 1.0 for d in found):
            continue
        found.append(Detection(u, v, float(_sigmoid(heat[i, j])), _looks(maps, i, j)))
    return found


def _looks(maps: F32, i: int, j: int) -> tuple[float, ...]:
    """Log-probabilities of the looks; the mean over 3 x 3 pixels reduces noise and highlights."""
    i0, i1, j0, j1 = max(i - 1, 0), i + 2, max(j - 1, 0), j + 2
    z = maps[_CLASSES, i0:i1, j0:j1].mean(axis=(1, 2)).tolist()
    top = max(z)
    total = top + math.log(sum(math.exp(v - top) for v in z))
    return tuple(max(v - total, _LEAST_LOGP) for v in z)


def by_cell(maps: F32) -> tuple[F32, F32]:
    """Cover and centres by cell, (H/12, W/12) each.

    The share of the cell that something foreign hides, and the highest logit of a ball's centre in it or one
    pixel beside it.
    """
    rows, cols = maps.shape[1] // _CELL, maps.shape[2] // _CELL
    # the shift of a centre may cross the border of two cells
    heat = cv2.dilate(maps[0], _AROUND_CELL, anchor=(1, 1))[::_CELL, ::_CELL]
    hidden = cv2.threshold(maps[_COVER], 0.0, 1.0, cv2.THRESH_BINARY)[1]
    share = cv2.resize(hidden, (cols, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(share, np.float32), np.asarray(heat, np.float32)


def _sigmoid(x: F32 | np.floating) -> F32:
    return np.asarray(1.0 / (1.0 + np.exp(-x)), np.float32)
