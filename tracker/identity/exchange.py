"""Two balls that may have been taken for each other during a stroke, and what that leaves of their names.

Each ball lies, or fell, where the heaviest explanation has it. Where others have two of them in each other's
places, each is a little of what the other was, until looks at them say which is which. Looks never do where
nothing tells two apart (`PieceSet.twins`): what is left of a doubt there stays with the ball that still lies.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

from tracker.ball import Ball
from tracker.explain.posterior import Named
from tracker.explain.solver import Story

LEAST_NATS = 9.0
"""An exchange this much less likely is none: 1 in 8,000, as in `tracker.identity.names`."""


def exchanged(balls: Sequence[Ball], found: Sequence[Named], near_mm: float) -> None:
    """Mix the evidence of balls that moved and that some of the weight has in each other's places, or
    pockets. `near_mm`: nearer to each other than this no two lie.
    """
    ends = [(e.weight, {names[s.key]: s for s in e.stories if s.key in names}) for e, names in found]
    told = ends[0][1] if ends else {}
    moved = [b for b in balls if b.name in told and told[b.name].way.moved]

    def weight(a: str, as_a: Story, b: str, as_b: Story) -> float:
        """Of the explanations that have the two end as those stories do."""
        return sum(
            w
            for w, of in ends
            if a in of and b in of and _alike(of[a], as_a, near_mm) and _alike(of[b], as_b, near_mm)
        )

    for a, b in combinations(moved, 2):
        one, two = told[a.name], told[b.name]
        if one.end.kind == two.end.kind == "potted":
            continue  # of what fell nothing is left that a name could be given to
        now, other = weight(a.name, one, b.name, two), weight(a.name, two, b.name, one)
        if min(now, other) > 0.0 and (nats := math.log(now / other)) < LEAST_NATS:
            _mix(a, b, max(nats, 0.0))


def _alike(one: Story, other: Story, near_mm: float) -> bool:
    """Whether two stories end at one place, or in one pocket."""
    if one.end.kind == "potted" or other.end.kind == "potted":
        return one.end.kind == other.end.kind and one.end.pocket == other.end.pocket
    return math.dist(one.way.end[:2], other.way.end[:2]) < near_mm


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
