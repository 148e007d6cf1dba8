"""Evidence of a piece's kind, summed over all looks at it.

Looks at one rest repeat one another: lamp, shade and the side that a ball shows stay as they are, so that a
ball misread once is misread again. The same holds for the blurred looks of one way. However long a rest or a
way lasts, it says little more than one look; only the next rest says something new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tracker.params import MOST_EVIDENCE

REPEATS = 0.8
"""Correlation of two looks at one rest: a misread colour, and a number that faces away, stay so; noise does
not. Measured: 0.76 to 0.94 by colour in 14 recordings of real snooker (102 balls at rest, twelve looks or
more), 0.64 to 0.89 in four path-traced ones of other games (114 pieces). Many looks say little more than one.
"""


def worth(looks: float) -> float:
    """How many independent looks so many looks at one rest are worth."""
    return looks / (1.0 + REPEATS * max(looks - 1.0, 0.0))


@dataclass(slots=True)
class Looks:
    """The looks of one rest, or of one way: the sum of their log-likelihoods of each kind, and their
    weight.
    """

    total: list[float]
    weight: float = 0.0

    def add(self, logp: Sequence[float], weight: float) -> None:
        """Take a look."""
        self.total = [t + weight * v for t, v in zip(self.total, logp, strict=True)]
        self.weight += weight

    def says(self) -> list[float]:
        """Log-likelihood of each kind: that of the mean look, as often as the looks are worth."""
        if self.weight <= 0.0:
            return list(self.total)
        share = worth(self.weight) / self.weight
        return [t * share for t in self.total]


@dataclass(slots=True)
class Evidence:
    """`before`: what the rests and ways before this rest said; `rest`: the looks since `since_s`, when it
    came to lie here; `way`: those of its motion since.
    """

    before: list[float]
    rest: Looks
    way: Looks
    since_s: float = field(default=-1.0)

    @staticmethod
    def none(kinds: int) -> Evidence:
        """Nothing is known yet."""
        return Evidence([0.0] * kinds, Looks([0.0] * kinds), Looks([0.0] * kinds))

    def lying(self, logp: Sequence[float], weight: float, since_s: float) -> None:
        """Take a look at the piece at rest where it has lain since a time."""
        if since_s != self.since_s:
            self._carry(since_s)
        self.rest.add(logp, weight)

    def moving(self, logp: Sequence[float], weight: float) -> None:
        """Take a look at the piece on its way."""
        self.way.add(logp, weight)

    def logp(self) -> list[float]:
        """Log-likelihood of each kind, 0 for the likeliest, none below `-MOST_EVIDENCE`."""
        parts = zip(self.before, self.rest.says(), self.way.says(), strict=True)
        total = [sum(p) for p in parts]
        top = max(total)
        return [max(v - top, -MOST_EVIDENCE) for v in total]

    def begin(self, known: list[float]) -> None:
        """Begin anew from what is known; looks at the place where it lies count from here on."""
        kinds = len(known)
        self.before, self.rest, self.way = known, Looks([0.0] * kinds), Looks([0.0] * kinds)

    def _carry(self, since_s: float) -> None:
        self.begin(self.logp())
        self.since_s = since_s
