"""What the cue-ball met first where its images leave it open: scenes of the bench and of real clips."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

import pytest
from explain_lab.scenes import At, after, film, rolling, still
from explain_lab.weights import first_contact_weights

from calibration.table.pockets import in_mouth
from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.solver import solve

D = SNOOKER_TABLE.ball_diameter_mm
CL = SNOOKER_TABLE.pocket("CL")
JAWS = CL.x_mm + 56.0, CL.y_mm
FAR = {"black": still(300.0, 3245.0)}


def weights(balls: Mapping[str, At], until_s: float = 3.0, hz: float = 50.0) -> dict[str, float]:
    """Of the first contact by colour; `none` for no ball, `unknown` where an explanation does not know it."""
    out: dict[str, float] = defaultdict(float)
    for said, weight in first_contact_weights(solve(film({**balls, **FAR}, until_s, hz), SNOOKER_TABLE)):
        out["none" if said is None else said[0]] += weight
    return out


def along_y(way: At, y_mm: float) -> float:
    """When a ball that goes along +y comes to a line across the table."""
    return next(k / 1000 for k in range(400, 6000) if (way(k / 1000) or (0.0, 0.0))[1] >= y_mm)


def past_the_jaws(passes_mm: float, fell: bool = True) -> dict[str, At]:
    """The white runs past a red in the jaws, `passes_mm` from touching it, and meets a blue 0.8 s later; the
    red is gone once it was passed.
    """
    x = JAWS[0] + D + passes_mm
    white = rolling(x, JAWS[1] - 300.0, 0.0, 700.0, 0.4)
    by_s = along_y(white, JAWS[1])
    hit = white(by_s + 0.8)
    assert hit is not None and in_mouth(*JAWS, SNOOKER_TABLE)
    return {
        "white": after(white, by_s + 0.8, still(*hit)),
        "red_1": lambda t_s: JAWS if t_s < by_s or not fell else None,
        "blue": rolling(hit[0], hit[1] + D, 0.0, 500.0, by_s + 0.8),
    }


@pytest.mark.parametrize("passes_mm", [0.0, 6.0, 11.0])
def test_a_red_that_fell_unseen_from_the_jaws_was_met_by_the_white_that_came_by(passes_mm: float) -> None:
    """A ball in the jaws may be seen some millimetres aside (leather, shadow), and a thin contact bends no
    way.
    """
    assert weights(past_the_jaws(passes_mm))["red"] > 0.99


def test_a_red_that_the_white_did_not_come_near_or_that_did_not_fall_was_not_met() -> None:
    assert weights(past_the_jaws(40.0))["red"] < 0.01
    assert weights(past_the_jaws(6.0, fell=False))["blue"] > 0.99


def turned(push: tuple[float, float], red: tuple[float, float]) -> dict[str, float]:
    """The white comes along +x at 1.5 m/s and leaves (100, 1500) with `push` added to its velocity."""
    white = rolling(-800.0, 1500.0, 1500.0, 0.0, 0.4)
    hit_s = next(k / 1000 for k in range(400, 3000) if (white(k / 1000) or (-800.0, 0.0))[0] >= 100.0)
    at = white(hit_s)
    assert at is not None
    back = rolling(*at, 1440.0 + push[0], push[1], hit_s)
    return weights({"white": after(white, hit_s, back), "red_1": still(*red)}, until_s=2.0)


def test_a_ball_that_lies_where_it_lay_was_hardly_hit() -> None:
    """Equal masses: what took 700 mm/s from the cue-ball rolls metres."""
    assert turned((-700.0, 0.0), (100.0 + D, 1500.0))["red"] < 0.01


def test_a_bend_where_no_ball_is_known_has_no_known_cause() -> None:
    assert turned((-800.0, 500.0), (-300.0, 2600.0))["unknown"] > 0.9


@pytest.mark.parametrize("speed_mm_s", [400.0, 1500.0])
def test_what_turns_a_ball_back_at_a_cushion_is_the_cushion(speed_mm_s: float) -> None:
    """A ball cannot go on through a cushion's face, so that nothing unknown need have turned it."""
    face = SNOOKER_TABLE.half_width_mm - SNOOKER_TABLE.ball_radius_mm
    white = rolling(face - 300.0, 1500.0, speed_mm_s, 0.6 * speed_mm_s, 0.4)
    hit_s = next(k / 1000 for k in range(400, 3000) if (white(k / 1000) or (0.0, 0.0))[0] >= face)
    at = white(hit_s)
    assert at is not None
    back = rolling(*at, -0.6 * speed_mm_s, 0.5 * speed_mm_s, hit_s)
    found = weights({"white": after(white, hit_s, back), "red_1": still(-300.0, 2600.0)})
    assert found["none"] > 0.999


def test_a_ball_that_turns_before_it_comes_to_a_cushion_was_turned_by_something_else() -> None:
    white = rolling(0.0, 1500.0, 1500.0, 0.0, 0.4)
    at = white(0.7)
    assert at is not None and SNOOKER_TABLE.half_width_mm - at[0] > 300.0
    back = rolling(*at, -700.0, 300.0, 0.7)
    assert weights({"white": after(white, 0.7, back), "red_1": still(-300.0, 2600.0)})["unknown"] > 0.9


def test_seen_once_before_a_pack_the_cue_ball_met_the_ball_in_front() -> None:
    """The strike, 150 mm of way and the contact between three images of 25 a second."""
    front = 1150.0 + D
    away = after(rolling(0.0, 1000.0, 0.0, 3000.0, 1.0), 1.05, rolling(0.0, 1150.0, -700.0, 100.0, 1.05))
    pack = {"red_1": rolling(0.0, front, 100.0, 900.0, 1.05), "pink": still(0.0, front + D + 1.0)}
    assert weights({"white": away, **pack}, hz=25.0)["red"] > 0.99


@pytest.mark.parametrize(("apart_mm", "least", "most"), [(0.5, 0.0, 0.95), (25.0, 0.99, 1.0)])
def test_of_two_balls_on_the_way_the_one_that_lies_far_sooner_on_it_was_hit_first(
    apart_mm: float, least: float, most: float
) -> None:
    white = rolling(0.0, 1000.0, 0.0, 1000.0, 0.4)
    hit_s = along_y(white, 2000.0)
    at = white(hit_s)
    assert at is not None
    black = -50.0, at[1] + apart_mm + math.sqrt(D**2 - 50.0**2)
    both = {
        "white": after(white, hit_s, rolling(*at, 600.0, 100.0, hit_s)),
        "red_1": rolling(20.0, at[1] + math.sqrt(D**2 - 20.0**2), 250.0, 600.0, hit_s),
        "pink": rolling(*black, -300.0, 120.0, hit_s + apart_mm / 1000.0),
    }
    assert least <= round(weights(both)["red"], 12) <= most


@pytest.mark.parametrize("speed_mm_s", [20.0, 30.0, 60.0])
def test_a_white_that_all_but_stops_where_a_ball_is_nudged_may_have_met_it(speed_mm_s: float) -> None:
    """At 20 mm/s a curve hardly shows that it still rolls, and the ball that it gave its speed goes 2 mm."""
    run = (400.0**2 - speed_mm_s**2) / (2 * 98.1)
    white = rolling(0.0, 1000.0, 0.0, 400.0, 0.4)
    met_s = along_y(white, 1000.0 + run)
    found = weights(
        {
            "white": after(white, met_s, still(0.0, 1000.0 + run)),
            "red_1": rolling(0.0, 1000.0 + run + D, 0.0, speed_mm_s, met_s),
            "blue": still(400.0, 1785.0),
        },
        until_s=6.0,
    )
    assert found["none"] < 0.9 and found["red"] > 0.1
