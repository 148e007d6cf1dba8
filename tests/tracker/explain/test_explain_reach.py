"""Which balls the cue-ball's way leads to first: no way leads through a ball."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from explain_lab.scenes import At, after, film, rolling, still
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.arena import Arena
from tracker.explain.detections import arrays
from tracker.explain.grazes import Grazes
from tracker.explain.reach import SURELY, Reach, heavy_share, reach
from tracker.explain.tracklets import tracklets
from tracker.explain.trajectory import Way, way

D = SNOOKER_TABLE.ball_diameter_mm
CUE = 0


def ways(balls: Mapping[str, At], hz: float = 50.0) -> dict[int, Way]:
    """The balls' ways by their numbers, the cue-ball's first."""
    found: dict[int, Way] = {}
    for k, (name, at) in enumerate(balls.items()):
        detections, views = arrays(film({name: at}, 3.0, hz))
        found[k] = way(tracklets(detections, views), detections)
    return found


def led_to(balls: Mapping[str, At], hz: float = 50.0) -> Reach | None:
    return reach(ways(balls, hz), CUE, Arena(SNOOKER_TABLE, SNOOKER, CUE))


def struck(turn_y_mm: float, back: tuple[float, float]) -> At:
    """A cue-ball that runs along +y from (0, 1000) at 1 m/s, and is turned at a height."""
    white = rolling(0.0, 1000.0, 0.0, 1000.0, 0.4)
    turn_s = next(k / 1000 for k in range(400, 4000) if (white(k / 1000) or (0.0, 0.0))[1] >= turn_y_mm)
    at = white(turn_s)
    assert at is not None
    return after(white, turn_s, rolling(*at, *back, turn_s))


def test_of_two_balls_behind_each_other_the_nearer_one_was_met() -> None:
    found = led_to(
        {
            "white": struck(1400.0, (300.0, 100.0)),
            "red_1": still(0.0, 1400.0 + D),
            "pink": still(0.0, 1460.0 + D),
        }
    )
    assert found is not None and found.first == 1
    before = found.before(1, 2)
    assert before is not None and before > SURELY and found.meets_none_before(2) < 1.0 - SURELY
    assert found.meets_none_before(2, frozenset((1, 2))) == 1.0, "both were met"


@given(st.floats(0.5, 2.0), st.floats(0.0, 1e-3))
def test_of_two_that_were_met_the_one_on_the_way_was_first_whenever_the_way_was_nearest_to_the_other(
    nearest_s: float, hardly: float
) -> None:
    """A way that does not lead to the second ball was nearest to it at some time before it met the first."""
    found = Reach(
        (1, 2), np.array([1.0, nearest_s]), np.array([1.0, hardly]), np.array([1e-3, 1e-3]), (0.98, 1.02)
    )
    first = found.before(1, 2)
    assert first is not None and first >= 1.0 - 1.1 * hardly
    assert found.before(2, 1) == pytest.approx(1.0 - first)


def test_a_ball_that_the_way_passes_later_says_nothing_of_the_one_that_it_meets_before() -> None:
    """Behind a pack's front ball others lie beside the line that nobody rolls on any more."""
    aside = still(0.99 * D, 1440.0 + D)
    found = led_to({"white": struck(1400.0, (300.0, 100.0)), "red_1": still(0.0, 1400.0 + D), "red_2": aside})
    assert found is not None and found.first == 1


def test_a_ball_beside_the_way_was_not_met() -> None:
    found = led_to({"white": struck(1400.0, (300.0, 100.0)), "red_1": still(2 * D, 1300.0)})
    assert found is not None and found.first is None and float(found.hit[0]) < 1e-3


def test_a_ball_that_the_way_hardly_touches_leaves_the_one_behind_it_to_be_met() -> None:
    """Passed at the edge of what touches, and the next one hit full: it is not "either of the two"."""
    aside = still(D + 1.5, 1250.0)
    found = led_to({"white": struck(1400.0, (300.0, 100.0)), "red_1": still(0.0, 1400.0 + D), "pink": aside})
    assert found is not None and 0.0 < float(found.hit[1]) < 0.2
    assert found.meets_none_before(1) == pytest.approx(1.0 - float(found.hit[1]), abs=0.01)


def test_a_ball_beside_the_cue_ball_that_it_only_leaves_was_not_met() -> None:
    """A touching ball may be played away from (snooker 3.8)."""
    found = led_to({"white": struck(1400.0, (300.0, 100.0)), "red_1": still(0.0, 1000.0 - D)})
    assert found is not None and float(found.hit[0]) == 0.0


def test_where_a_sliding_ball_begins_to_roll_nothing_turns_it() -> None:
    """Two curves and no event between them: the way leads on."""
    slides = rolling(0.0, 1000.0, 0.0, 2000.0, 0.4)
    at = slides(0.7)
    assert at is not None
    rolls = after(slides, 0.7, rolling(*at, 0.0, 1850.0, 0.7))
    turn_s = next(k / 1000 for k in range(700, 3000) if (rolls(k / 1000) or (0.0, 0.0))[1] >= 2400.0)
    there = rolls(turn_s)
    assert there is not None
    white = after(rolls, turn_s, rolling(*there, 300.0, 100.0, turn_s))
    found = led_to({"white": white, "red_1": still(there[0], there[1] + D)})
    assert found is not None and found.first == 1


def test_a_way_is_followed_over_a_cushion() -> None:
    """Off the right cushion into a red: it lies on the second of the two curves."""
    to_nose = SNOOKER_TABLE.half_width_mm - D / 2
    white = rolling(to_nose - 400.0, 1000.0, 900.0, 300.0, 0.4)
    bounce_s = next(k / 1000 for k in range(400, 3000) if (white(k / 1000) or (0.0, 0.0))[0] >= to_nose)
    at = white(bounce_s)
    assert at is not None
    off = rolling(*at, -600.0, 250.0, bounce_s)
    met_s = bounce_s + 0.5
    there = off(met_s)
    assert there is not None
    balls = {
        "white": after(after(white, bounce_s, off), met_s, rolling(*there, 50.0, 200.0, met_s)),
        "red_1": still(there[0] - D * math.cos(0.4), there[1] + D * math.sin(0.4)),
    }
    found = led_to(balls)
    assert found is not None and found.first == 1


def test_a_ball_that_had_left_before_the_cue_ball_came_was_not_met() -> None:
    gone = rolling(0.0, 1400.0 + D, 500.0, 0.0, 0.45)
    found = led_to({"white": struck(1400.0, (300.0, 100.0)), "red_1": gone})
    assert found is not None and found.first is None


def test_two_images_tell_a_way_that_leads_on_from_where_the_ball_lay_alone() -> None:
    """At 25 Hz and 3 m/s: turned before its first image, its two places lie on no one line with its rest."""

    def seen(turn_s: float) -> Reach | None:
        white = rolling(0.0, 1000.0, 0.0, 3000.0, 1.01)
        at = white(turn_s)
        assert at is not None
        turned = after(white, turn_s, rolling(*at, -2000.0, 300.0, turn_s))
        return led_to({"white": turned, "red_1": still(at[0], at[1] + D)}, hz=25.0)

    after_two = seen(1.01 + 0.1)
    assert after_two is not None and after_two.first == 1
    at_once = seen(1.01 + 0.012)
    assert at_once is None or at_once.first is None


@pytest.mark.parametrize("turn_s", [1.065, 1.02])
def test_one_image_between_strike_and_contact_tells_the_way_if_it_was_turned_after_that(
    turn_s: float,
) -> None:
    """A break of 6 m/s at 25 images a second: seen once before it meets the rack, or only behind that."""
    white = rolling(0.0, 1000.0, 0.0, 6000.0, 1.01)
    at = white(turn_s)
    assert at is not None
    balls = {
        "white": after(white, turn_s, rolling(*at, -900.0, -400.0, turn_s)),
        "red_1": rolling(0.0, at[1] + D, 300.0, 2500.0, turn_s),
        "pink": still(5.0, at[1] + 2 * D + 1.0),
    }
    found = led_to(balls, hz=25.0)
    assert (found is not None and found.first == 1) == (turn_s > 1.04)


@given(st.floats(-50.0, 50.0))
def test_shares_of_both_orders_sum_to_one(sigmas: float) -> None:
    assert heavy_share(sigmas) + heavy_share(-sigmas) == pytest.approx(1.0)
    assert 0.0 <= heavy_share(sigmas) <= 1.0


def test_one_image_does_not_tell_a_way_that_sent_nothing_off() -> None:
    """A break seen once behind its first contact: the ball that was met has left, beside the straight way to
    that image; the next ball on it had been "met first, for certain".
    """
    place, met_s = (0.0, 1000.0), 1.017
    white = rolling(*place, 0.0, 6000.0, 1.0)
    at = white(met_s)
    assert at is not None
    away = after(white, met_s, rolling(*at, 2400.0, 900.0, met_s))
    turned_s = met_s + 0.05
    there = away(turned_s)
    assert there is not None
    red = rolling(at[0] - 20.0, at[1] + math.sqrt(D**2 - 400.0), -900.0, 2200.0, met_s)
    balls = {
        "white": after(away, turned_s, rolling(*there, 2100.0, 1500.0, turned_s)),
        "red_1": red,
        "pink": still(there[0] + 10.0, there[1] + D - 1.0),
    }
    found = led_to(balls, hz=25.0)
    assert found is None or found.first in (None, 1)


@pytest.mark.parametrize("unseen_s", [0.0, 0.5])
def test_what_a_long_slow_way_passes_within_the_noise_may_have_been_touched(unseen_s: float) -> None:
    """However long the way, and where a cover hides it as it passes: 100 ms and more lay between two places
    of a way of four seconds, and a pause was in none.
    """
    white = rolling(0.0, 600.0, 0.0, 450.0, 0.5)
    passed_s = next(k / 1000 for k in range(500, 4000) if (white(k / 1000) or (0, 0))[1] >= 1000.0)
    seen_way = ways(
        {
            "white": lambda t_s: None if abs(t_s - passed_s) < 0.5 * unseen_s else white(t_s),
            "red_1": still(D + 0.1, 1000.0),
        }
    )
    told = Grazes(Arena(SNOOKER_TABLE, SNOOKER, 0)).told_apart(seen_way, [], 0)
    touched = sum(share for share, meetings in told if any(m.balls == (0, 1) for m in meetings))
    assert 0.01 < touched < 0.5


@pytest.mark.parametrize(
    ("angle_degrees", "gap_mm", "likely"), [(0.0, 0.02, True), (-60.0, 0.02, False), (0.0, 6.0, False)]
)
def test_a_ball_that_the_cue_ball_all_but_touches_may_be_met_as_it_leaves_along_their_tangent(
    angle_degrees: float, gap_mm: float, likely: bool
) -> None:
    """Half a degree towards it brings their surfaces 0.002 mm nearer, which no camera tells; away from it, or
    with room between, nothing is met.
    """
    aside = math.radians(angle_degrees)
    white = rolling(0.0, 600.0, 900.0 * math.sin(aside), 900.0 * math.cos(aside), 0.5)
    seen_way = ways({"white": white, "red_1": still(D + gap_mm, 600.0)})
    told = Grazes(Arena(SNOOKER_TABLE, SNOOKER, 0)).told_apart(seen_way, [], 0)
    touched = sum(share for share, meetings in told if any(m.balls == (0, 1) for m in meetings))
    assert (touched > 1e-3) == likely
