"""Simulated looks of a piece of any game, from the error model of snooker's balls.

The rows of the model state log-probabilities of snooker's colours. Each kind of another set stands in for
the colour that is taken for the same things in bad light. Kinds of one stand-in differ by a number or a
stripe only, and a sight takes one of them for the other now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.table.pieces import SNOOKER, Kind, PieceSet, Tint

Rng = np.random.Generator

STAND_INS: dict[Tint, str] = {"purple": "black", "orange": "red", "maroon": "brown"}
"""Tints that snooker lacks: purple is read black and maroon brown where it is dark, orange red."""
TAKEN_FOR_ANOTHER = 0.02
"""Share of sights that take a piece for its look-alike: of solids and stripes 35 of 750 single sights, half
of them stripes shown end-on (docs/lab/2026-11-24-pieces.md).
"""
LEAD_NATS, SIZE_NATS = (1.0, 5.0), (3.0, 7.0)
"""By how much a sight prefers a kind to its look-alike, and to one of another diameter."""


@dataclass(frozen=True, slots=True)
class StandIns:
    """The kinds of a set as colours of snooker."""

    pieces: PieceSet

    def colour(self, kind: str) -> str:
        """The snooker colour whose errors a kind has."""
        tint = self.pieces.kind(kind).look.tint
        return STAND_INS.get(tint, tint)

    def seen(self, kind: str, row_logp: Sequence[float], rng: Rng) -> tuple[float, ...]:
        """Log-likelihoods of the set's kinds for a sight of a piece, `row_logp` being of its stand-in."""
        if self.pieces is SNOOKER:
            return tuple(row_logp)
        alike = [k for k in self.pieces.kinds if self._alike(k, kind)]
        shown = kind
        same = [k.name for k in alike if k.diameter_mm == self.pieces.kind(kind).diameter_mm]
        if same and rng.random() < TAKEN_FOR_ANOTHER:
            shown = str(rng.choice(same))
        own = row_logp[SNOOKER.index[self.colour(kind)]]
        out = []
        for k in self.pieces.kinds:
            if k.name == shown or self._twins(k, self.pieces.kind(shown)):
                out.append(own)
            elif self.colour(k.name) == self.colour(kind):
                apart = LEAD_NATS if k.diameter_mm == self.pieces.kind(shown).diameter_mm else SIZE_NATS
                out.append(own - float(rng.uniform(*apart)))
            else:
                out.append(row_logp[SNOOKER.index[self.colour(k.name)]])
        return tuple(out)

    def false(self, row_logp: Sequence[float]) -> tuple[float, ...]:
        """The same for what is no piece."""
        if self.pieces is SNOOKER:
            return tuple(row_logp)
        return tuple(row_logp[SNOOKER.index[self.colour(k)]] for k in self.pieces.names)

    @staticmethod
    def _twins(one: Kind, other: Kind) -> bool:
        """Whether nothing that is seen tells two kinds apart: billiards' plain and spotted white."""
        return one.look == other.look and one.diameter_mm == other.diameter_mm

    def _alike(self, other: Kind, kind: str) -> bool:
        return other.name != kind and self.colour(other.name) == self.colour(kind)
