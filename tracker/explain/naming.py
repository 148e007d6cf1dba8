"""Which ball each way is: the k best names for all ways together, at most one ball of each colour at a
time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from tracker.explain import priors
from tracker.explain.assignment import FORBIDDEN, k_best
from tracker.explain.joining import Chain, log_placed
from vision.detect.naming import spot_nats

F64 = NDArray[np.float64]
MOST_NAMINGS = 3
WITHIN = 14.0
NAMELESS = 14.0
"""Cost of a ball for which no name is left."""
NEVER_SEEN = 4.0
"""Cost of a ball put on the table that nobody saw leave it: it was off before the span began."""
BACK: Final = -priors.log_prior(priors.PLACED_UNSEEN)
"""Cost of a ball that had left the table, and lies there: a hand put it back in no image."""
_GONE = ("potted", "lifted", "off", "vanished")


@dataclass(frozen=True, slots=True)
class Naming:
    """`names[i]`: colour of chain i, None where none is left."""

    names: tuple[str | None, ...]
    logp: float


def namings(
    chains: Sequence[Chain],
    colours: Sequence[F64],
    places: Sequence[tuple[float, float]],
    begins_s: Sequence[float],
    table: TableSpec,
    pieces: PieceSet,
    down: Mapping[str, int],
) -> list[Naming]:
    """The best namings. `colours[i]`: (kinds,) log-likelihood of chain i's looks; `places[i]`, `begins_s[i]`:
    where and when it began. `down`: how many of each kind had left the table before the span.
    """
    present = [i for i, c in enumerate(chains) if c.begin == "present"]
    shares = priors.kind_shares(pieces)
    looks = [v - math.log(float(np.exp(v + shares).sum())) for v in colours]
    relative = [
        v + (_put_there(*p, table, pieces) if c.begin == "placed" else _at_spot(*p, table, pieces))
        for c, v, p in zip(chains, looks, places, strict=True)
    ]
    if not present:
        return [Naming(tuple(None for _ in chains), 0.0)]
    cost, slots = _costs([relative[i] for i in present], pieces, down)
    out = []
    for solution in k_best(cost, MOST_NAMINGS, WITHIN):
        names: list[str | None] = [None] * len(chains)
        for row, i in enumerate(present):
            names[i] = slots[solution.columns[row]]
        logp = -solution.cost - NAMELESS * _too_many(names, pieces, down)
        out.append(_with_placed(chains, relative, names, logp, pieces, begins_s))
    return out


def _costs(
    relative: Sequence[F64], pieces: PieceSet, down: Mapping[str, int]
) -> tuple[F64, list[str | None]]:
    """(rows, columns) costs, and the kind of each column: one for a single piece, which one row may take; for
    pieces that are alike, and for no name, one a row, so that no naming is counted twice.
    """
    n = len(relative)
    singles = [k for k in pieces.names if pieces.count(k) == 1]
    slots: list[str | None] = [*singles, *(k for k in pieces.names if k in pieces.alike for _ in range(n))]
    cost = np.full((n, len(slots) + n), FORBIDDEN)
    for row, v in enumerate(relative):
        cost[row, : len(singles)] = [-v[pieces.index[k]] + BACK * (k in down) for k in singles]
        for m, kind in enumerate(k for k in pieces.names if k in pieces.alike):
            cost[row, len(singles) + m * n + row] = -v[pieces.index[kind]]
        cost[row, len(slots) + row] = NAMELESS
    return cost, [*slots, *(None for _ in range(n))]


def _too_many(names: Sequence[str | None], pieces: PieceSet, down: Mapping[str, int]) -> int:
    """How many more pieces of a kind are named than the set has left on the table."""
    left = {k: pieces.count(k) - down.get(k, 0) for k in pieces.alike}
    return sum(max(sum(n == k for n in names) - left[k], 0) for k in pieces.alike)


def _at_spot(x_mm: float, y_mm: float, table: TableSpec, pieces: PieceSet) -> F64:
    return spot_nats(x_mm, y_mm, table, pieces, priors.SPOT_MM)


def _put_there(x_mm: float, y_mm: float, table: TableSpec, pieces: PieceSet) -> F64:
    """(kinds,) log-ratio of a hand putting each kind here to its putting anything here: on its own spot, or
    anywhere.
    """
    any_kind, free = log_placed(x_mm, y_mm, table), math.log((1 - priors.PLACED_ON_SPOT) / table.area_mm2)
    spots = (table.spots.get(k) for k in pieces.names)
    return np.array([(free if s is None else log_placed(x_mm, y_mm, table, s)) - any_kind for s in spots])


def _with_placed(
    chains: Sequence[Chain],
    relative: Sequence[F64],
    names: list[str | None],
    logp: float,
    pieces: PieceSet,
    begins_s: Sequence[float],
) -> Naming:
    """Names for what hands put on the table: pieces that are off it, none of those that stay down."""
    named = [(n, c) for n, c in zip(names, chains, strict=True) if n is not None]
    away = {n: c.end.t_s for n, c in named if c.end.kind in _GONE}
    there = {n for n, c in named if c.end.kind not in _GONE}
    there -= pieces.alike
    for i, chain in enumerate(chains):
        if chain.begin != "placed":
            continue
        options = [
            (float(relative[i][k]) - _placed_cost(c, begins_s[i], away, there, pieces), c)
            for k, c in enumerate(pieces.names)
        ]
        best = max(options)
        names[i] = best[1] if best[0] > -NAMELESS else None
        logp += max(best[0], -NAMELESS)
        logp += priors.log_prior(priors.PLACED_AND_GONE) if chain.end.kind in _GONE else 0.0
        away.pop(best[1], None)
        there.add(best[1])
    return Naming(tuple(names), logp)


def _placed_cost(
    colour: str, begins_s: float, away: Mapping[str, float], there: set[str], pieces: PieceSet
) -> float:
    """Cost of this name for a ball that a hand put down; `away`: when each that is off the table left it."""
    if begins_s < away.get(colour, -math.inf) + priors.HANDS_TAKE_S:
        return NAMELESS
    if colour in pieces.stay_down:
        return NAMELESS - 2.0
    if colour in there:
        return NAMELESS
    return 0.0 if colour in away else NEVER_SEEN
