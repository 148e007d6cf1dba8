"""The order of two contacts is shared between two explanations by how far apart their times are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tracker.explain.grazes import LEAST_SHARE, MOST_MM, touch_share
from tracker.explain.interactions import Interaction
from tracker.explain.orders import orders, swapped_share

CUE = 0


def contact(ball: int, t_s: float) -> Interaction:
    return Interaction("contact", (CUE, ball), t_s, 5e-4, None)


def first_ball(meetings: tuple[Interaction, ...]) -> int:
    return next(m.balls[1] for m in meetings if m.kind == "contact")


def test_two_contacts_a_millisecond_apart_are_two_explanations() -> None:
    found = orders([contact(1, 1.000), contact(2, 1.001)], CUE)
    assert sum(share for share, _ in found) == pytest.approx(1.0)
    assert {first_ball(m): share for share, m in found}[2] == pytest.approx(0.3, abs=0.1)


def test_contacts_a_tenth_of_a_second_apart_are_one_explanation() -> None:
    assert len(orders([contact(1, 1.0), contact(2, 1.1)], CUE)) == 1


def test_contacts_of_other_balls_have_no_order_to_share() -> None:
    others = [
        Interaction("contact", (3, 4), 1.0, 5e-4, None),
        Interaction("contact", (4, 5), 1.0, 5e-4, None),
    ]
    assert len(orders(others, CUE)) == 1


@given(st.floats(0.0, 0.2), st.floats(1e-4, 0.05))
def test_the_later_time_is_the_earlier_one_in_at_most_half_of_cases(apart_s: float, sigma_s: float) -> None:
    assert 0.0 <= swapped_share(apart_s, sigma_s) <= 0.5 + 1e-12


@given(st.floats(-60.0, 60.0), st.floats(0.05, 25.0), st.floats(0.0, MOST_MM))
def test_whether_a_ball_was_touched_that_shows_nothing_of_it_is_never_certain(
    gap_mm: float, spread_mm: float, depth_mm: float
) -> None:
    """A share of a hundred-millionth above one had ended a recording in a traceback."""
    assert 0.0 <= touch_share(gap_mm, spread_mm, depth_mm) <= 1.0 - LEAST_SHARE
