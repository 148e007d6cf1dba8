"""Matchings of rows and columns in order of cost (Murty 1968).

A row takes one column or stays alone, and a column is taken at most once. Each solution after the first is
the best of a subproblem in which some rows' choices are forced and some are forbidden. SciPy solves those
subproblems whose turn comes: the dual of the problem before tells how much dearer each is at least (Miller,
Stone and Cox 1997).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice

import numpy as np
import scipy
from numpy.typing import NDArray

F64 = NDArray[np.float64]
FORBIDDEN = 1e8
"""Cost of a pair that cannot be; a solution that contains one is none."""
ALONE = -1
"""What a row takes that takes no column."""
_COVERED, _FORCED = 1e6, 1e7
"""More than any sum of costs, less than what is forbidden: taken off where all rows, or one, must take a
column.
"""


_ROUNDED = 1e-6
"""Costs are compared to this: prices carry what is taken off."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`columns[i]`: the column of row i, or `ALONE`. `cost`: the sum over the rows that take one."""

    cost: float
    columns: tuple[int, ...]


def matchings(cost: F64, within: float) -> Iterator[Assignment]:
    """All matchings of a (rows, columns) matrix in order of cost, none dearer than the best by more than
    `within`. What stays alone costs nothing.
    """
    number = count()
    waiting: list[tuple[float, int, _Subproblem, _Solved | None]]
    waiting = [(-np.inf, next(number), _Subproblem((), frozenset()), None)]
    most = np.inf
    while waiting:
        at_least, _, sub, solved = heapq.heappop(waiting)
        if at_least > most:
            return
        if solved is None:
            solved = sub.solved(cost)
            if solved is not None:
                heapq.heappush(waiting, (solved.best.cost, next(number), sub, solved))
            continue
        most = min(most, solved.best.cost + within + _ROUNDED)
        yield solved.best
        for part, dearer in sub.without(solved):
            heapq.heappush(waiting, (solved.best.cost + dearer, next(number), part, None))


def k_best(cost: F64, k: int, within: float) -> list[Assignment]:
    """Up to `k` of the cheapest matchings in which every row takes a column, none dearer than the best by
    more than `within`.
    """
    rows = len(cost)
    covered = np.where(cost < FORBIDDEN / 2, cost - _COVERED, cost)
    whole = (a for a in matchings(covered, within) if ALONE not in a.columns)
    return [Assignment(a.cost + rows * _COVERED, a.columns) for a in islice(whole, k)]


@dataclass(frozen=True, slots=True)
class _Solved:
    """The cheapest matching of a subproblem. `dearer`: of each row that is not forced how much dearer every
    matching is, at least, in which it takes something else.
    """

    best: Assignment
    dearer: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Subproblem:
    """All matchings whose first rows take `forced`, and whose next row none of `forbidden`."""

    forced: tuple[int, ...]
    forbidden: frozenset[int]

    def without(self, solved: _Solved) -> Iterator[tuple[_Subproblem, float]]:
        """All its matchings but the best, in parts that have none in common, and how much dearer each is."""
        columns = solved.best.columns
        for k, dearer in enumerate(solved.dearer):
            row = len(self.forced) + k
            before = self.forbidden if k == 0 else frozenset[int]()
            yield _Subproblem(columns[:row], before | {columns[row]}), dearer

    def solved(self, cost: F64) -> _Solved | None:
        """Its cheapest matching; None where it has none."""
        taken = [c for c in self.forced if c != ALONE]
        fixed = float(sum(cost[row, c] for row, c in enumerate(self.forced) if c != ALONE))
        kept = np.delete(np.arange(cost.shape[1]), taken)
        left = cost[len(self.forced) :, kept]
        if not len(left):
            return _Solved(Assignment(fixed, self.forced), ())
        able = np.minimum(left, 0.0)
        able[0, np.isin(kept, list(self.forbidden))] = 0.0
        if ALONE in self.forbidden:
            may = (left[0] < FORBIDDEN / 2) & ~np.isin(kept, list(self.forbidden))
            able[0] = np.where(may, left[0] - _FORCED, 0.0)
        able = np.hstack([able, np.zeros((len(able), len(able)))])  # where rows stay alone
        rows, chosen = scipy.optimize.linear_sum_assignment(able)
        alone = able[rows, chosen] >= 0.0
        if ALONE in self.forbidden and alone[0]:
            return None
        own = tuple(ALONE if a else int(kept[c]) for a, c in zip(alone, chosen, strict=True))
        total = fixed + float(left[rows[~alone], chosen[~alone]].sum())
        return _Solved(Assignment(total, (*self.forced, *own)), _dearer(left, able, chosen, alone))


def _dearer(left: F64, able: F64, chosen: NDArray[np.intp], alone: NDArray[np.bool_]) -> tuple[float, ...]:
    """How much dearer a matching is, at least, in which a row takes something else: its least reduced
    cost.

    `left` (rows, columns): costs; `able`: the same as the problem was solved, in which nothing costs more
    than staying alone; `chosen` (rows,): the column of each row in it, which is `alone` where that costs
    nothing.
    """
    rows = np.arange(len(able))
    step = able - able[rows, chosen][:, None]
    price = np.zeros(able.shape[1])
    for _ in range(len(able)):
        lower = np.minimum(price, (price[chosen][:, None] + step).min(axis=0))
        if np.array_equal(lower, price):
            break
        price = lower
    row_price = able[rows, chosen] - price[chosen]
    reduced = able - row_price[:, None] - price
    reduced[rows, chosen] = np.inf
    reduced[alone] = np.inf
    real = left.shape[1]
    taking = left[alone] - row_price[alone, None] - price[:real]
    reduced[alone, :real] = taking
    return tuple(np.maximum(reduced.min(axis=1), 0.0).tolist())
