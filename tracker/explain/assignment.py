"""The k best assignments of rows to columns, in order of cost (Murty 1968).

Every row takes exactly one column; a column is taken at most once. Each solution after the first is the best
of a subproblem in which some pairs are forced and one is forbidden. SciPy solves the subproblems.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

F64 = NDArray[np.float64]
FORBIDDEN = 1e8
"""Cost of a pair that cannot be; a solution that contains one is none."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`columns[i]`: the column of row i. `cost`: the sum over all rows."""

    cost: float
    columns: tuple[int, ...]


def k_best(cost: F64, k: int, within: float, deciding: int | None = None) -> list[Assignment]:
    """Up to `k` assignments of the (rows, columns) matrix, none dearer than the best by more than `within`.

    `deciding`: so many of the first rows decide what the others take; those are not varied by themselves.
    """
    rows = len(cost) if deciding is None else deciding
    first = _solved(cost)
    if first is None:
        return []
    found: list[Assignment] = []
    heap = [(first.cost, 0, _Subproblem(first, 0, ()))]
    made = 1
    while heap and len(found) < k:
        _, _, sub = heapq.heappop(heap)
        best = sub.best
        if best.cost > first.cost + within:
            break
        found.append(best)
        for row in range(sub.free, rows):
            forbidden = (*sub.forbidden, (row, best.columns[row]))
            solved = _solved(_constrained(cost, best.columns[:row], forbidden))
            if solved is not None:
                heapq.heappush(heap, (solved.cost, made, _Subproblem(solved, row, forbidden)))
                made += 1
    return found


@dataclass(frozen=True, slots=True)
class _Subproblem:
    """All solutions whose rows before `free` are those of `best`, without the forbidden (row, column) pairs.

    Its matrix is built when it is solved: kept matrices of a large problem fill the memory.
    """

    best: Assignment
    free: int
    forbidden: tuple[tuple[int, int], ...]


def _constrained(cost: F64, forced: tuple[int, ...], forbidden: tuple[tuple[int, int], ...]) -> F64:
    matrix = cost.copy()
    for row, column in enumerate(forced):
        kept = cost[row, column]
        matrix[row, :] = FORBIDDEN
        matrix[:, column] = FORBIDDEN
        matrix[row, column] = kept
    for row, column in forbidden:
        matrix[row, column] = FORBIDDEN
    return matrix


def _solved(cost: F64) -> Assignment | None:
    rows, columns = scipy.optimize.linear_sum_assignment(cost)
    chosen = cost[rows, columns]
    if len(chosen) < len(cost) or (chosen >= FORBIDDEN / 2).any():
        return None
    return Assignment(float(chosen.sum()), tuple(int(c) for c in columns))
