"""From looks to kinds: what the network sees of a piece, and which pieces of a game's set look like that.

A look is named by its tint and form: `yellow` (a ball of one colour, numbered or not: its number may face
away), `yellow stripe`, `white disc`; `striker` is the large disc of a carrom board, whatever is printed on
it. A stripe seen end-on looks like a white or coloured ball. No rule decides that here: the network
learned how often, and shares its probability among the looks that a detection may have.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.table.pieces import POOL_TINTS, SNOOKER, Kind, Look, PieceSet

F64 = npt.NDArray[np.float64]

LOOKS: tuple[str, ...] = (
    *SNOOKER.names,
    "purple",
    "orange",
    "maroon",
    *(f"{tint} stripe" for tint in (*POOL_TINTS, "pink")),
    "white disc",
    "black disc",
    "red disc",
    "striker",
)
"""All looks, in the order of the logits of the network that tells them apart; snooker's come first."""

LEAST_LOGP = -12.0
"""Least log-probability of a kind: the network cannot exclude one more surely than that."""

Looks = tuple[Look, ...]
"""The look of each kind of a set, in the order of `PieceSet.kinds`."""


def look_name(kind: Kind, look: Look, pieces: PieceSet) -> str:
    """The name of a kind's look among the network's classes."""
    if look.form == "disc":
        return "striker" if kind.name == pieces.cue else f"{look.tint} disc"
    return f"{look.tint} stripe" if look.form == "stripe" else look.tint


def kind_logp(look_logp: F64, looks: Sequence[str], pieces: PieceSet) -> F64:
    """Log-probabilities (B, kinds) of the set's kinds from those of the network's `looks` (B, looks).

    Kinds are taken as equally frequent beforehand, as in training.
    """
    names = [look_name(k, k.look, pieces) for k in pieces.kinds]
    chosen = np.asarray(look_logp, np.float64).reshape(-1, len(looks))
    if names == list(looks):
        return chosen
    chosen = chosen[:, [looks.index(n) for n in names]]
    total = np.logaddexp.reduce(chosen, axis=1, keepdims=True)
    return np.asarray(np.maximum(chosen - total, LEAST_LOGP), np.float64)
