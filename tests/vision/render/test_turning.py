"""Balls of clips turn as they roll, and lie still as they came to rest."""

import numpy as np
import pytest

from vision.render.play.director import rolled_along, turn_at
from vision.render.play.physics import Flight
from vision.render.prints import turn_of

UPRIGHT = turn_of((1.0, 0.0, 0.0, 0.0))
R = 28.575


def flight() -> Flight:
    """One ball rolls once around along x and rests; one is potted on its way; one never moves."""
    t = np.linspace(0, 2, 101)
    x = np.minimum(t, 1.0) * 2 * np.pi * R
    a = np.stack((x, np.zeros_like(x)), axis=1)
    b = np.where(t[:, None] < 0.5, 3 * a, np.nan)
    c = np.full_like(a, 500.0)
    return Flight(("a", "b", "c"), t, np.stack((a, b, c), axis=1), (), (), (("b", "TL", 0.5),), 1.0)


def test_a_ball_that_rolls_its_girth_lies_as_before_and_half_of_it_upside_down() -> None:
    f = flight()
    turns = rolled_along(f, dict.fromkeys(f.names, UPRIGHT), R)
    assert turn_at(f, turns["a"], 1.5) == pytest.approx(UPRIGHT, abs=1e-6)
    half = np.array(turn_at(f, turns["a"], 0.5)).reshape(3, 3)
    assert half[2, 2] == pytest.approx(-1.0, abs=1e-6)


def test_a_ball_at_rest_and_one_in_the_pocket_turn_no_more() -> None:
    f = flight()
    turns = rolled_along(f, dict.fromkeys(f.names, UPRIGHT), R)
    assert set(turns["c"]) == {UPRIGHT}
    assert turn_at(f, turns["a"], 1.2) == turn_at(f, turns["a"], 9.0)
    assert turn_at(f, turns["b"], 0.6) == turn_at(f, turns["b"], 2.0)
