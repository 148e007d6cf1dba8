"""Which set of pieces lies on a table: the likelihood of a whole layout under each set.

One detection says little (a red ball is of snooker, pool and black ball alike); a layout with a purple
ball and five stripes is no snooker. A set that explains the layout a thousand times better than the
declared one is reported; no set is ever taken instead of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from calibration.table.pieces import (
    BILLIARDS,
    CARROM,
    POOL_9,
    POOL_10,
    POOL_15,
    RED_YELLOW,
    SNOOKER,
    PieceSet,
)
from calibration.texts import game_title, sentence
from vision.detect.looks import Looks, look_name

F64 = npt.NDArray[np.float64]

FAMILIES: dict[str, str] = {
    SNOOKER.name: "snooker",
    BILLIARDS.name: "billiards",
    POOL_15.name: "numbered",
    POOL_10.name: "numbered",
    POOL_9.name: "numbered",
    RED_YELLOW.name: "red_yellow",
    CARROM.name: "carrom",
}
"""Sets whose pieces people call the same, as the texts name them."""
CANDIDATES = (SNOOKER, POOL_15, RED_YELLOW, CARROM)
"""Sets that a layout may be of; the others are parts of these."""
LEAST_SIGHT_LOGP = -5.0
"""Least log-probability of one detection under a set: a shadow or a misread piece does not decide alone."""
_TOGETHER = 2.0
"""What the looks of one picture tell counts so many times too much: its light and its coding tint all of
them. Assumed.
"""
_EVIDENCE = _TOGETHER * math.log(1000.0)  # by which another set must explain the layout better
_LEAST_BEYOND = 3
"""Pieces that only a larger set of one family explains, from which it is told: one or two may be misread."""
_EXPLAINED = math.log(0.5)  # log-probability of its look from which a piece is explained


@dataclass(frozen=True, slots=True)
class OtherSet:
    """A set that explains a layout better than the declared one: `explained` of `seen` pieces are its.

    `larger`: the declared set is a part of it, as nine ball's is of fifteen balls.
    """

    pieces: PieceSet
    explained: int
    seen: int
    larger: bool = False

    def sentence(self, game: str) -> str:
        """What people are told."""
        pieces = sentence(f"pieces.{'fifteen' if self.larger else FAMILIES[self.pieces.name]}")
        return sentence(
            "errors.looks_like_another_game",
            pieces=pieces,
            game=game_title(game),
            explained=self.explained,
            seen=self.seen,
        )


def layout_logp(look_logp: F64, looks: Sequence[str], pieces: PieceSet, scheme: Looks) -> F64:
    """Log-probabilities (B,) of the pieces' looks (B, looks) under the best assignment to a set's kinds.

    No kind is taken more often than the set has it. A surplus piece has the least log-probability.
    """
    count = len(look_logp)
    slots = [
        looks.index(look_name(k, look, pieces))
        for k, look in zip(pieces.kinds, scheme, strict=True)
        for _ in range(min(k.count, count))
        if look_name(k, look, pieces) in looks
    ]
    gain = np.full((count, len(slots) + count), LEAST_SIGHT_LOGP)
    gain[:, : len(slots)] = np.maximum(look_logp[:, slots], LEAST_SIGHT_LOGP)
    rows, columns = scipy.optimize.linear_sum_assignment(gain, maximize=True)
    return np.asarray(gain[rows, columns], np.float64)


@dataclass(frozen=True, slots=True)
class Explained:
    """How well a set explains a layout: log-likelihood beyond that of pieces of no set, pieces explained."""

    pieces: PieceSet
    gain: float
    explained: int
    seen: int


def explained_by(look_logp: F64, looks: Sequence[str], pieces: PieceSet) -> Explained:
    """The explanation of a layout (B, looks) by a set, in the colouring that suits it best."""
    if len(look_logp) == 0:
        return Explained(pieces, 0.0, 0, 0)
    best = max((layout_logp(look_logp, looks, pieces, s) for s in pieces.looks), key=lambda g: float(g.sum()))
    gain = float((best - LEAST_SIGHT_LOGP).sum())
    return Explained(pieces, gain, int((best > _EXPLAINED).sum()), len(look_logp))


def other_set(declared: Explained, others: Sequence[Explained]) -> OtherSet | None:
    """The set that explains a layout far better than the declared one; None as a rule.

    Fifteen balls told as nine ball are known by what lies beyond the 9; nine balls told as eight ball may be
    the rest of fifteen.
    """
    best = max(others, key=lambda e: e.gain)
    if best.pieces.name == declared.pieces.name:  # in another proportion to the table
        return None
    larger = FAMILIES[best.pieces.name] == FAMILIES[declared.pieces.name]
    beyond = best.explained - declared.explained
    if best.gain - declared.gain < _EVIDENCE or (larger and beyond < _LEAST_BEYOND):
        return None
    return OtherSet(best.pieces, best.explained, best.seen, larger)
