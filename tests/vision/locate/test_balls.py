"""Detections become balls: one of each, however often it is detected."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from vision.locate.balls import of_their_own

D = 52.5


def test_a_ball_detected_above_and_below_its_middle_is_one() -> None:
    """Both come to the same place; the surer one, which is in front, is kept."""
    places = np.array([(0.0, 1000.0), (300.0, 900.0), (1.2, 1001.5), (300.0, 900.0 + D)])
    assert of_their_own(places, D).tolist() == [True, True, False, True], "two that touch are two"


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(0, 100)), max_size=12))
def test_what_is_kept_lies_apart_and_has_all_others_at_its_place(given_mm: list[tuple[float, float]]) -> None:
    places = np.array(given_mm).reshape(-1, 2)
    own = of_their_own(places, D)
    apart = np.linalg.norm(places[own][:, None] - places[own], axis=2) + 2 * D * np.eye(own.sum())
    assert (apart > 0.6 * D).all()
    for k in np.flatnonzero(~own):
        assert np.linalg.norm(places[:k][own[:k]] - places[k], axis=1).min() <= 0.6 * D + 1e-9
