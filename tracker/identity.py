"""Names for balls from accumulated colour evidence: at most one of each colour, up to fifteen reds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from vision.observation import BALL_CLASSES

MAX_REDS = 15
CAPACITY: dict[str, int] = {c: MAX_REDS if c == "red" else 1 for c in BALL_CLASSES}
UNNAMED_COST = 40.0
"""Cost of leaving a seen ball without a name: only where there are more balls than names."""


def colours_for(logps: Sequence[Sequence[float]], taken: Sequence[str] = ()) -> list[str | None]:
    """The jointly most likely colour of each ball; None where no name is left.

    `logps`: (n, 8) accumulated log-likelihoods in the order of `BALL_CLASSES`; `taken`: colours of balls
    that have their names already.
    """
    n = len(logps)
    if n == 0:
        return []
    slots = [c for c in BALL_CLASSES for _ in range(min(CAPACITY[c] - list(taken).count(c), n))]
    cost: NDArray[np.float64] = np.full((n, len(slots) + n), UNNAMED_COST)
    for i, lp in enumerate(logps):
        top = max(lp)
        for j, c in enumerate(slots):
            cost[i, j] = min(top - lp[BALL_CLASSES.index(c)], UNNAMED_COST - 1)
    rows, columns = linear_sum_assignment(cost)
    out: list[str | None] = [None] * n
    for i, j in zip(rows, columns, strict=True):
        if j < len(slots):
            out[int(i)] = slots[int(j)]
    return out


def names_for(colours: Sequence[str | None], used: Sequence[str] = ()) -> list[str | None]:
    """Ball names: the colour itself, reds numbered from the lowest free number in the order given."""
    free = [f"red_{k}" for k in range(1, MAX_REDS + 1) if f"red_{k}" not in used]
    out: list[str | None] = []
    for c in colours:
        if c == "red":
            out.append(free.pop(0) if free else None)
        else:
            out.append(None if c in used else c)
    return out
