"""Balls that hardly move, and a cue-ball that sets off once more."""

from __future__ import annotations

import math

import pytest
from explain_lab.scenes import after, film, rolling, still

from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.facts import facts, sets_off_again_s
from tracker.explain.solver import solve
from vision.observation import ImageObservations

D = SNOOKER_TABLE.ball_diameter_mm
ROLL_MM_S2 = 98.1
HIT_S = 1.0


def crept(far_mm: float) -> list[ImageObservations]:
    """White reaches a red so slowly that this goes `far_mm`; white stops there."""
    speed = math.sqrt(2 * ROLL_MM_S2 * far_mm)
    way_mm = 400.0
    white = rolling(-300.0, 1500.0 - D - way_mm, 0.0, math.sqrt(speed**2 + 2 * ROLL_MM_S2 * way_mm), HIT_S)
    hit_s = next(k / 1000 for k in range(1000, 9000) if (white(k / 1000) or (0, 0))[1] >= 1500.0 - D - 0.05)
    red = rolling(-300.0, 1500.0, 0.0, speed, hit_s)
    return film(
        {"white": after(white, hit_s, still(-300.0, 1500.0 - D)), "red_1": red, "blue": still(0.0, 1784.5)},
        until_s=hit_s + 3.0,
    )


@pytest.mark.parametrize("far_mm", [4.5, 8.0, 12.0, 19.0, 30.0])
def test_of_a_ball_that_creeps_a_little_nobody_says_that_nothing_met_it(far_mm: float) -> None:
    """A curve slower than a contour wanders had been the ball at rest, wherever it led."""
    found = solve(crept(far_mm), SNOOKER_TABLE)
    assert sum(e.weight for e in found if facts(e).first is None) < 0.05


def struck_again(still_s: float, speed_mm_s: float) -> list[ImageObservations]:
    """White rolls 200 mm, lies still, and is struck once more."""
    first = rolling(0.0, 600.0, 0.0, 200.0, 0.5)
    x, y = first(20.0) or (0.0, 0.0)
    again_s = 0.5 + 200.0 / ROLL_MM_S2 + still_s
    again = rolling(x, y, speed_mm_s, 0.0, again_s)
    return film({"white": after(first, again_s, again), "blue": still(0.0, 1784.5)}, until_s=again_s + 2.0)


def test_a_cue_ball_that_sets_off_again_and_nothing_met_it_was_struck_again() -> None:
    found = solve(struck_again(1.0, 800.0), SNOOKER_TABLE)
    again = [sets_off_again_s(e) for e in found if e.weight > 0.01]
    assert again and all(t == pytest.approx(0.5 + 200.0 / ROLL_MM_S2 + 1.0, abs=0.1) for t in again)


def test_a_cue_ball_that_comes_to_rest_once_was_struck_once() -> None:
    assert all(sets_off_again_s(e) is None for e in solve(struck_again(1.0, 1.0), SNOOKER_TABLE))
