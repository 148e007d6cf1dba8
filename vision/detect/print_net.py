"""What is printed on numbered balls, by a network that looks at all balls of a look together.

The detector sees a ball 12 px wide; here each is seen as large as the picture has it, so that its number or
the edge of its stripe shows. Which red is the 3 and which maroon the 7 hangs on the light and on the maker,
which all balls of a table share: each ball is compared with the others of the look and with those of an
earlier one. Contract: models/MODEL_CARD.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibration.table.pieces import PieceSet
from vision.detect.looks import LEAST_LOGP
from vision.detect.naming import assign_colours
from vision.detect.onnx_model import open_model
from vision.io.picture import F32, Picture

F64 = npt.NDArray[np.float64]

WINDOW_PX = 40
"""Pixels along each side of a window."""
SPAN_RADII = 1.2
"""Half the side of a window, radii."""
PRINTS: tuple[str, ...] = ("cue", *(str(n) for n in range(1, 16)), "none")
"""What the network tells apart: the cue-ball, each number, and what is no ball."""
_KEPT = 0.85  # probability of a kind, and of being a ball, from which others are compared with it later
_DETECTED, _SHOWS, _NEITHER, _LEAST_NONE = 0.70, 0.42, 2.5, -12.0
"""Weights of the log-odds of a ball by the detector and by the print network, fitted to 361 detections of
twenty path-traced rooms, 157 of them chalk, spots, leather and hands; and the least log-probability of none.
"""
_FINE_PX = 1.7  # picture pixels that a window's pixel covers at most


def print_windows(picture: Picture, middle_px: F64, px_from_unit: F64) -> F32:
    """Windows (B, 3, P, P), RGB 0..1, of silhouettes with middles (B, 2) px and frames (B, 2, 2)."""
    pitch = float(np.sqrt(np.median(np.abs(np.linalg.det(px_from_unit))))) * 2 * SPAN_RADII / WINDOW_PX
    level = max(0, int(np.ceil(np.log2(pitch / _FINE_PX))))
    return picture.windows(middle_px, px_from_unit, SPAN_RADII, WINDOW_PX, level)


@dataclass(frozen=True, slots=True)
class Prints:
    """What is read off each ball: log-probabilities (B, prints) of `PRINTS`, and what the network keeps of it
    (B, T) to compare others with.
    """

    logp: F64
    tokens: F32

    def confidence(self, detected: F64) -> F64:
        """Probability (B,) that each is a ball, given the detector's (B,); what shows no ball's print is less
        sure, nothing is surer.
        """
        none = np.clip(self.logp[:, -1], _LEAST_NONE, -1e-6)
        shows = np.log1p(-np.exp(none)) - none
        found = np.log(detected / (1.0 - detected))
        both = _DETECTED * found + _SHOWS * shows - _NEITHER
        return np.asarray(1.0 / (1.0 + np.exp(-np.minimum(found, both))), np.float64)

    def kind_logp(self, pieces: PieceSet) -> F64:
        """Log-probabilities (B, kinds) of the set's kinds, given that each is one of its balls."""
        own = self.logp[:, [PRINTS.index(name) for name in pieces.names]]
        return np.maximum(_normal(own), LEAST_LOGP)


@dataclass(frozen=True, slots=True)
class PrintMemory:
    """What the network kept of each kind when a whole look last showed it: by name, (T,) each."""

    tokens: tuple[tuple[str, tuple[float, ...]], ...] = ()

    def array(self, width: int) -> F32:
        """The tokens (K, T) as the network takes them."""
        return np.array([t for _, t in self.tokens], np.float32).reshape(-1, width)

    def after(self, prints: Prints, sure: F64, pieces: PieceSet) -> PrintMemory:
        """With the balls of one more whole look; `sure` (B,): confidence that each is a ball."""
        kept = dict(self.tokens)
        names = assign_colours(prints.kind_logp(pieces).tolist(), pieces)
        for (name, likely), ball, token in zip(names, sure, prints.tokens.tolist(), strict=True):
            if likely > _KEPT and ball > _KEPT:
                kept[name] = tuple(token)
        return PrintMemory(tuple(kept.items()))


class PrintNet:
    """Runs the network. Raises UnusableInput when the model file is absent or not the one in the manifest."""

    def __init__(self) -> None:
        self._session = open_model("ball_print")
        self._width = int(self._session.get_outputs()[1].shape[1])

    def read(self, windows: F32, known: PrintMemory, thorough: bool = True) -> Prints:
        """What is printed on the balls of one look, windows (B, 3, P, P) as `print_windows` gives them.

        `thorough`: each window is seen in four quarter turns, and the mean taken: print lies anyhow.
        """
        turned = [np.rot90(windows, k, (2, 3)) for k in range(4 if thorough else 1)]
        found = [self._answer(np.ascontiguousarray(w), known) for w in turned]
        logp = np.mean([logp for logp, _ in found], axis=0)
        return Prints(_normal(logp), found[0][1])

    def _answer(self, windows: F32, known: PrintMemory) -> tuple[F64, F32]:
        logits, tokens = self._session.run(
            ["logits", "tokens"], {"image": windows, "known": known.array(self._width)}
        )
        return _normal(np.asarray(logits, np.float64)), tokens


def _normal(logp: F64) -> F64:
    """Log-probabilities (B, n) that sum to one."""
    return np.asarray(logp - np.logaddexp.reduce(logp, axis=1, keepdims=True), np.float64)
