"""Two balls that may have been taken for each other between two images, and what that leaves of their names.

The association of an image takes the likeliest way to share out its observations. Where two balls could have
taken each other's almost as well, their names may have been exchanged: from there on each is a little of
what the other was, until looks at them say which is which.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tracker.ball import Ball

LEAST_NATS = 9.0
"""An exchange this much less likely is none: 1 in 8,000, as in `tracker.identity.names`."""

Exchange = tuple[int, int, float]
"""Two balls by their index, and by how many nats it is less likely that they exchanged their observations."""


def exchanges(
    ways: NDArray[np.float64], chosen: Mapping[int, int], there: Mapping[tuple[int, int], object], seen: int
) -> list[Exchange]:
    """Pairs of rows that may have exchanged what they took.

    `ways`: (n, seen + n) cost of each row's observation by motion alone, the last n columns of taking none;
    `chosen`: the observation of each row that took one; `there`: pairs that can be.
    """
    found = []
    for a, b in combinations(range(len(ways)), 2):
        x, y = chosen.get(a), chosen.get(b)
        if x is None and y is None:
            continue
        if (y is not None and (a, y) not in there) or (x is not None and (b, x) not in there):
            continue
        now = ways[a, seen + a if x is None else x] + ways[b, seen + b if y is None else y]
        other = ways[a, seen + a if y is None else y] + ways[b, seen + b if x is None else x]
        nats = max(float(other - now), 0.0)
        if nats < LEAST_NATS:
            found.append((a, b, nats))
    return found


def mix(first: Ball, second: Ball, nats: float) -> None:
    """Let the evidence of two balls say what it does of each, where they may have been exchanged.

    An exchange changes both names at once: each takes half of its nats.
    """
    if first.evidence is None or second.evidence is None:
        return
    a, b = first.evidence.logp(), second.evidence.logp()
    first.evidence.begin(_mixed(a, b, nats / 2))
    second.evidence.begin(_mixed(b, a, nats / 2))
    if not first.pieces.alike:
        first.logp, second.logp = first.evidence.logp(), second.evidence.logp()


def _mixed(own: Sequence[float], other: Sequence[float], nats: float) -> list[float]:
    """Log-likelihoods of what is its own, or with so much less weight the other's."""
    return [
        max(u, v - nats) + math.log1p(math.exp(-abs(u - v + nats))) for u, v in zip(own, other, strict=True)
    ]
