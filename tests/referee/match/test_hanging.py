"""Which question a person is asked, where one hangs on another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.facts.judged import Asked, asks
from referee.match.hanging import hanging, hangs_on, roots


def test_a_question_says_on_which_strokes_it_hangs() -> None:
    assert hangs_on((Asked("what_was_on"), asks("hangs_on", n="3"))) == 3
    assert hangs_on((Asked("what_was_on"), Asked("begins_inside"))) is None
    assert hangs_on(()) is None


@pytest.mark.parametrize(
    ("waiting", "root_of"),
    [
        ({}, {}),
        ({3: None, 4: 3, 6: 3}, {3: 3, 4: 3, 6: 3}),  # two hang on one
        ({3: None, 4: 3, 5: 4}, {3: 3, 4: 3, 5: 3}),  # on one that itself hangs: the first
        ({3: None, 4: None, 5: 3, 6: 4}, {3: 3, 4: 4, 5: 3, 6: 4}),  # two roots
        ({5: 3}, {5: 5}),  # stroke 3 was answered
        ({5: 3, 6: 3, 7: 5, 8: None}, {5: 5, 6: 5, 7: 5, 8: 8}),  # the first of them stands for all
        ({5: 3, 6: 4}, {5: 5, 6: 6}),  # on two that were answered
        ({3: 3, 4: 9}, {3: 3, 4: 4}),  # on itself or on a later one: on none
    ],
)
def test_the_first_question_of_those_that_hang_together_is_the_root(
    waiting: dict[int, int | None], root_of: dict[int, int]
) -> None:
    assert roots(waiting) == root_of


def test_the_strokes_that_hang_on_a_root_are_told_in_order() -> None:
    assert hanging({6: 3, 3: 3, 4: 3, 8: 8}) == {3: (4, 6), 8: ()}


@given(st.dictionaries(st.integers(1, 20), st.none() | st.integers(1, 20)))
def test_every_question_has_one_root_that_waits_and_is_its_own(waiting: dict[int, int | None]) -> None:
    found = roots(waiting)
    assert found.keys() == waiting.keys()
    assert all(found[root] == root <= n for n, root in found.items())
    below = hanging(found)
    assert sorted([*below, *(n for ns in below.values() for n in ns)]) == sorted(waiting)
