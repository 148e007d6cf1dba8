"""Which ball each way is: the k best names for all ways together, at most one ball of each colour at a
time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER
from calibration.table.specs import TableSpec
from tracker.explain import priors
from tracker.explain.assignment import FORBIDDEN, k_best
from tracker.explain.joining import COLOUR_SHARES, Chain
from vision.observation import BALL_CLASSES

F64 = NDArray[np.float64]
MOST_NAMINGS = 3
WITHIN = 14.0
SPOT_MM = 4.0
"""One sigma of where a ball on its spot is seen: hands, and a camera's calibration."""
NAMELESS = 14.0
"""Cost of a ball for which no name is left."""
NEVER_SEEN = 4.0
"""Cost of a ball put on the table that nobody saw leave it: it was off before the span began."""
_SLOTS = tuple(c for c in BALL_CLASSES for _ in range(SNOOKER.count(c)))
_SLOT_CLASS = np.array([BALL_CLASSES.index(c) for c in _SLOTS])
_GONE = ("potted", "lifted", "off", "vanished")


@dataclass(frozen=True, slots=True)
class Naming:
    """`names[i]`: colour of chain i, None where none is left."""

    names: tuple[str | None, ...]
    logp: float


def namings(
    chains: Sequence[Chain], colours: Sequence[F64], places: Sequence[tuple[float, float]], table: TableSpec
) -> list[Naming]:
    """The best namings. `colours[i]`: (8,) log-likelihood of chain i's looks; `places[i]`: where it began."""
    present = [i for i, c in enumerate(chains) if c.begin == "present"]
    looks = [v - math.log(float(np.exp(v + COLOUR_SHARES).sum())) for v in colours]
    relative = [v + _at_spot(*p, table) for v, p in zip(looks, places, strict=True)]
    if not present:
        return [Naming(tuple(None for _ in chains), 0.0)]
    cost = np.full((len(present), len(_SLOTS) + len(present)), NAMELESS)
    for row, i in enumerate(present):
        cost[row, : len(_SLOTS)] = -relative[i][_SLOT_CLASS]
    # the red slots are alike: each chain may take only its own one, so that no naming is counted twice
    reds = np.flatnonzero(np.array(_SLOTS) == "red")
    if len(present) <= len(reds):
        cost[:, reds] = FORBIDDEN
        cost[np.arange(len(present)), reds[: len(present)]] = [
            -relative[i][BALL_CLASSES.index("red")] for i in present
        ]
    cost[np.arange(len(present))[:, None], len(_SLOTS) + np.arange(len(present))[None, :]] = FORBIDDEN
    cost[np.arange(len(present)), len(_SLOTS) + np.arange(len(present))] = NAMELESS
    out = []
    for solution in k_best(cost, MOST_NAMINGS, WITHIN):
        names: list[str | None] = [None] * len(chains)
        for row, i in enumerate(present):
            slot = solution.columns[row]
            names[i] = _SLOTS[slot] if slot < len(_SLOTS) else None
        out.append(_with_placed(chains, relative, names, -solution.cost))
    return out


def _at_spot(x_mm: float, y_mm: float, table: TableSpec) -> F64:
    """(8,) log-ratio of finding each colour here: most lie on their own spots, the rest anywhere."""
    out = np.zeros(len(BALL_CLASSES))
    for k, colour in enumerate(BALL_CLASSES):
        spot = table.spots.get(colour)
        if spot is not None:
            chi2 = ((x_mm - spot[0]) ** 2 + (y_mm - spot[1]) ** 2) / SPOT_MM**2
            on = priors.ON_SPOT * math.exp(-0.5 * min(chi2, 100.0)) / (2 * math.pi * SPOT_MM**2)
            out[k] = math.log(on * priors.TABLE_MM2 + 1 - priors.ON_SPOT)
    return out


def _with_placed(
    chains: Sequence[Chain], relative: Sequence[F64], names: list[str | None], logp: float
) -> Naming:
    """Names for what hands put on the table: balls that are off it, no reds."""
    away = {n for n, c in zip(names, chains, strict=True) if n is not None and c.end.kind in _GONE}
    there = {n for n, c in zip(names, chains, strict=True) if n is not None and c.end.kind not in _GONE}
    for i, chain in enumerate(chains):
        if chain.begin != "placed":
            continue
        options = [
            (float(relative[i][k]) - _placed_cost(c, away, there), c) for k, c in enumerate(BALL_CLASSES)
        ]
        best = max(options)
        names[i] = best[1] if best[0] > -NAMELESS else None
        logp += max(best[0], -NAMELESS)
        away.discard(best[1])
        there.add(best[1])
    return Naming(tuple(names), logp)


def _placed_cost(colour: str, away: set[str], there: set[str]) -> float:
    if colour == "red":
        return NAMELESS - 2.0  # reds are not put back
    if colour in there:
        return NAMELESS
    return 0.0 if colour in away else NEVER_SEEN
