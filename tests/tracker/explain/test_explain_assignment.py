"""The k best assignments against all of them, counted out."""

from __future__ import annotations

from itertools import islice, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.explain.assignment import ALONE, FORBIDDEN, k_best, matchings


@given(
    st.integers(1, 4),
    st.integers(0, 2),
    st.lists(st.floats(-20, 20, allow_nan=False), min_size=24, max_size=24),
    st.integers(1, 12),
)
def test_the_k_best_assignments_are_the_first_k_of_all(
    rows: int, more: int, values: list[float], k: int
) -> None:
    columns = rows + more
    cost = np.array(values[: rows * columns]).reshape(rows, columns)
    every = sorted(
        sum(cost[i, c] for i, c in enumerate(chosen)) for chosen in permutations(range(columns), rows)
    )
    found = k_best(cost, k, 1e9)
    assert [a.cost for a in found] == pytest.approx(every[:k], abs=1e-6)
    assert len({a.columns for a in found}) == len(found)


THOUSANDTHS = st.integers(-20_000, 20_000).map(lambda n: n / 1000)
"""Costs: nothing is told apart that differs by less than a millionth."""


@given(
    st.integers(1, 4),
    st.integers(1, 4),
    st.lists(THOUSANDTHS | st.just(FORBIDDEN), min_size=16, max_size=16),
    st.integers(0, 30_000).map(lambda n: n / 1000),
)
def test_matchings_are_all_of_them_in_order_as_far_as_they_are_wanted(
    rows: int, columns: int, values: list[float], within: float
) -> None:
    cost = np.array(values[: rows * columns]).reshape(rows, columns)
    taken = {
        tuple(c if c < columns else ALONE for c in chosen)
        for chosen in permutations([*range(columns), *range(columns, columns + rows)], rows)
    }
    sums = [sum(cost[i, c] for i, c in enumerate(t) if c != ALONE) for t in taken]
    every = sorted(s for s in sums if s < FORBIDDEN / 2)
    wanted = [s for s in every if s <= every[0] + within + 1e-6]
    found = list(islice(matchings(cost, within), len(every)))
    assert [a.cost for a in found] == pytest.approx(wanted, abs=1e-6)
    assert len({a.columns for a in found}) == len(found) and {a.columns for a in found} <= taken


def test_a_matching_just_as_much_dearer_as_is_wanted_is_among_them() -> None:
    cost = np.array([[FORBIDDEN, FORBIDDEN, 0.0, 1.598058104175089]])
    assert [a.cost for a in matchings(cost, 1.598058104175089)] == [0.0, 0.0, 1.598058104175089]


def test_no_assignment_has_a_forbidden_pair() -> None:
    cost = np.array([[0.0, 1.0], [0.0, FORBIDDEN]])
    assert [a.columns for a in k_best(cost, 5, 1e9)] == [(1, 0)]


def test_assignments_dearer_than_the_bound_are_left_out() -> None:
    cost = np.array([[0.0, 3.0], [3.0, 0.0]])
    assert len(k_best(cost, 5, 2.0)) == 1
    assert len(k_best(cost, 5, 7.0)) == 2
