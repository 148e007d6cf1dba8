"""Names of numbered balls, whatever colouring their set has: television's has a pink 4 and a purple 5.

Which colouring lies on a table is a hypothesis like others: each names the balls, and what it says of them
weighs as much as the layouts seen so far are likelier under it. A lone purple ball is the 4 or the 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from calibration.table.pieces import PieceSet
from vision.detect.looks import LEAST_LOGP, kind_logp, kinds_share_logp
from vision.detect.set_colours import TintReference, compared, learned, named_together

F64 = npt.NDArray[np.float64]

_UNUSUAL = 0.3
"""Share of sets that do not have the usual colours: as in training, assumed."""
_TOGETHER = 2.0
"""What a layout's balls tell counts so many times too much: one light tints all of them. Assumed."""
_NEGLECTED = 1e-4  # weight below which a colouring is left out


@dataclass(frozen=True, slots=True)
class SetMemory:
    """What whole looks have told of a table's set.

    `tints`: what its tints look like here. `told`: sum of what each look told of the colourings
    (log-likelihoods) times how much that was, `much`: the sum of how much. A look with many balls tells more
    than one of the last three, and goes on counting when those are left.
    """

    tints: tuple[TintReference, ...] = ()
    told: tuple[float, ...] = ()
    much: float = 0.0

    def after(self, logp: F64) -> SetMemory:
        """With the log-likelihoods (colourings,) of one more look."""
        apart = float(logp.max() - logp.min())
        old = np.array(self.told) if self.told else np.zeros(len(logp))
        return replace(self, told=tuple((old + apart * logp).tolist()), much=self.much + apart)

    def weights(self, colourings: int) -> F64:
        """The weight (colourings,) of each; they sum to one."""
        prior = np.full(colourings, _UNUSUAL / max(1, colourings - 1))
        prior[0] = 1.0 - _UNUSUAL if colourings > 1 else 1.0
        logp = np.log(prior)
        if self.much > 0.0:
            logp = logp + np.array(self.told) / self.much / _TOGETHER
        out = np.exp(logp - logp.max())
        return np.asarray(out / out.sum(), np.float64)


def named_numbered(
    look_logp: F64,
    looks: Sequence[str],
    features: F64,
    sure: F64,
    whole: bool,
    memory: SetMemory,
    pieces: PieceSet,
) -> tuple[F64, SetMemory]:
    """Log-probabilities (B, kinds) of balls, and what is known of the set afterwards.

    `look_logp` (B, looks): what the network says; `features` (B, 3) as `ball_tints` gives them; `sure` (B,):
    confidence of each. `whole`: all balls are in the look, and are named together.
    """
    schemes = pieces.looks
    own = [kind_logp(look_logp, looks, pieces, s) for s in schemes]
    if whole and len(look_logp):
        told = []
        for k, scheme in enumerate(schemes):
            own[k], value = named_together(own[k], features, sure, memory.tints, pieces, scheme)
            share = kinds_share_logp(look_logp, looks, pieces, scheme)
            told.append(value + float(sure @ share))
        memory = memory.after(np.array(told))
    weights = memory.weights(len(schemes))
    counting = np.flatnonzero(weights > _NEGLECTED).tolist()
    if whole:
        best = int(weights.argmax())
        tints = learned(memory.tints, own[best], features, pieces, schemes[best])
        memory = replace(memory, tints=tints)
    else:
        for k in counting:
            own[k] = compared(own[k], features, memory.tints, pieces, schemes[k])
    logps = np.logaddexp.reduce([np.log(weights[k]) + own[k] for k in counting], axis=0)
    return np.asarray(np.maximum(logps, LEAST_LOGP), np.float64), memory
