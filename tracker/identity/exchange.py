"""Two balls that may have been taken for each other during a stroke, and what that leaves of their names.

Each ball lies where the heaviest explanation has it. Where others have two of them end in each other's
places, each is a little of what the other was, until looks at them say which is which.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from calibration.table.specs import PointMm
from tracker.ball import Ball, BallState
from tracker.explain.posterior import Named

LEAST_NATS = 9.0
"""An exchange this much less likely is none: 1 in 8,000, as in `tracker.identity.names`."""


def exchanged(balls: Sequence[Ball], found: Sequence[Named], near_mm: float) -> None:
    """Mix the evidence of balls that moved and that some of the weight has in each other's places. `near_mm`:
    nearer to each other than this no two lie.
    """
    moved = [b for b in balls if b.legs and b.state is BallState.REST]
    ends = [
        (e.weight, {names[s.key]: s.way.end[:2] for s in e.stories if s.key in names}) for e, names in found
    ]

    def weight(places: Mapping[str, PointMm]) -> float:
        """Of the explanations that have each of the balls end at its place."""
        return sum(
            w for w, at in ends if all(k in at and math.dist(at[k], p) < near_mm for k, p in places.items())
        )

    for a, b in combinations(moved, 2):
        now, other = weight({a.name: a.place, b.name: b.place}), weight({a.name: b.place, b.name: a.place})
        if min(now, other) > 0.0 and (nats := math.log(now / other)) < LEAST_NATS:
            _mix(a, b, max(nats, 0.0))


def _mix(first: Ball, second: Ball, nats: float) -> None:
    """Let the evidence of two balls say what it does of each, where they may have been exchanged.

    An exchange changes both names at once: each takes half of its nats.
    """
    if first.evidence is None or second.evidence is None:
        return
    a, b = first.evidence.logp(), second.evidence.logp()
    first.evidence.begin(_mixed(a, b, nats / 2))
    second.evidence.begin(_mixed(b, a, nats / 2))
    first.read_evidence()
    second.read_evidence()


def _mixed(own: Sequence[float], other: Sequence[float], nats: float) -> list[float]:
    """Log-likelihoods of what is its own, or with so much less weight the other's."""
    return [
        max(u, v - nats) + math.log1p(math.exp(-abs(u - v + nats))) for u, v in zip(own, other, strict=True)
    ]
