"""What bounces say of the cushions: how far one is off, when it is said, and what it adds to a sigma."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.monitor.turns import (
    ELSEWHERE,
    GIVES_MM,
    SHARED_MM,
    SURE,
    Bounce,
    CushionOff,
    doubt_mm,
    weighed,
)
from calibration.table.specs import CUSHIONS, SNOOKER_TABLE, CushionName

STATED_MM = 1.0
offs_mm = st.floats(-12.0, 12.0)


def bounces(
    rng: random.Random, off_mm: dict[CushionName, float], count: int = 8, stated_mm: float = STATED_MM
) -> list[Bounce]:
    """Bounces as balls make them at cushions that are read so far inside their place."""
    found = []
    for name in CUSHIONS:
        for _ in range(count):
            into = rng.uniform(100.0, 2000.0)
            own = rng.uniform(0.2, 1.0)
            off = off_mm.get(name, 0.0) + SHARED_MM + GIVES_MM * into / 1000.0 + rng.gauss(0.0, own)
            if rng.random() < ELSEWHERE:
                off = rng.gauss(0.0, 20.0)
            found.append(Bounce(name, off, own, into, stated_mm))
    return found


def at(found: tuple[CushionOff, ...], name: CushionName) -> CushionOff:
    return next(c for c in found if c.cushion == name)


@pytest.mark.parametrize("off_mm", [-10.0, 10.0])
@pytest.mark.parametrize("seed", range(5))
def test_a_cushion_10_mm_off_at_a_stated_1_mm_is_said_after_a_few_bounces(seed: int, off_mm: float) -> None:
    found = weighed(bounces(random.Random(seed), {"left": off_mm}))
    assert [c.cushion for c in found if c.is_off] == ["left"]
    assert abs(at(found, "left").off_mm - off_mm) < 3.0 * at(found, "left").sigma_mm < 3.0


def test_hardly_ever_is_a_cushion_said_to_be_off_that_is_where_it_is_stated() -> None:
    rng, said = random.Random(3), 0
    for _ in range(100):
        off_mm = {name: rng.gauss(0.0, STATED_MM) for name in CUSHIONS}
        said += sum(c.is_off for c in weighed(bounces(rng, off_mm, count=4)))
    assert said <= 2  # of 400 cushions; four sigmas of both together are one in 10,000


@given(off_mm=st.floats(-90.0, 90.0), sigma_mm=st.floats(0.1, 3.0), into_mm_s=st.floats(20.0, 6000.0))
def test_no_single_bounce_says_that_a_cushion_is_off(
    off_mm: float, sigma_mm: float, into_mm_s: float
) -> None:
    """It may have been a jaw, or a ball that lay there."""
    assert not any(c.is_off for c in weighed([Bounce("top", off_mm, sigma_mm, into_mm_s, STATED_MM)]))


@given(seed=st.integers(0, 1000))
def test_the_order_of_bounces_changes_nothing(seed: int) -> None:
    rng = random.Random(seed)
    found = bounces(rng, {"top": 6.0}, count=4)
    mixed = rng.sample(found, len(found))
    for a, b in zip(weighed(found), weighed(mixed), strict=True):
        assert a.cushion == b.cushion
        assert a.off_mm == pytest.approx(b.off_mm, abs=1e-6)
        assert a.wrong == pytest.approx(b.wrong, abs=1e-6)


@given(seed=st.integers(0, 1000), off_mm=offs_mm)
def test_bounces_that_were_none_say_nothing(seed: int, off_mm: float) -> None:
    doubted = [replace(b, confidence=0.0) for b in bounces(random.Random(seed), {"left": off_mm})]
    for c in weighed(doubted):
        assert abs(c.off_mm) < 0.05 and not c.is_off and c.bounces < 0.01


def test_what_all_cushions_share_is_no_error_of_the_table() -> None:
    """Balls whose noses touch them above their middle come nearer everywhere."""
    nearer = [replace(b, off_mm=b.off_mm - 1.0) for b in bounces(random.Random(5), {})]
    assert not any(c.is_off for c in weighed(nearer))
    assert all(abs(c.off_mm) < 1.0 for c in weighed(nearer))


def test_more_bounces_tell_more() -> None:
    few, many = (weighed(bounces(random.Random(1), {"left": 4.0}, count)) for count in (2, 20))
    assert at(many, "left").sigma_mm < at(few, "left").sigma_mm
    assert at(many, "left").wrong > at(few, "left").wrong


def test_nothing_is_said_of_a_cushion_that_no_ball_met() -> None:
    assert weighed([]) == ()
    assert [c.cushion for c in weighed([Bounce("right", 0.0, 0.5, 300.0, 1.0)])] == ["right"]


OFF = CushionOff("left", -9.0, 1.0, 1.0, 0.999, 5.0)
W, L = SNOOKER_TABLE.half_width_mm, SNOOKER_TABLE.length_mm


def test_places_are_stated_with_the_doubt_where_a_cushion_is_off() -> None:
    """All of it at the cushion, half in the middle, nothing at the one opposite."""
    at_left = doubt_mm([OFF], SNOOKER_TABLE, -W, 900.0)
    assert at_left == pytest.approx(math.hypot(9.0, 1.0) / math.sqrt(2.0))  # a sigma is of one axis of two
    assert doubt_mm([OFF], SNOOKER_TABLE, 0.0, 900.0) == pytest.approx(at_left / 2)
    assert doubt_mm([OFF], SNOOKER_TABLE, W, 900.0) == 0.0


@given(x_mm=st.floats(-W, W), y_mm=st.floats(0.0, L), wrong=st.floats(0.0, SURE))
def test_a_cushion_of_which_nothing_is_said_adds_no_doubt(x_mm: float, y_mm: float, wrong: float) -> None:
    assert doubt_mm([replace(OFF, wrong=wrong)], SNOOKER_TABLE, x_mm, y_mm) == 0.0


@given(x_mm=st.floats(-W, W), y_mm=st.floats(0.0, L), name=st.sampled_from(CUSHIONS))
def test_doubts_add_up_in_square(x_mm: float, y_mm: float, name: CushionName) -> None:
    other = replace(OFF, cushion=name, off_mm=4.0)
    one, two = (doubt_mm([c], SNOOKER_TABLE, x_mm, y_mm) for c in (OFF, other))
    assert doubt_mm([OFF, other], SNOOKER_TABLE, x_mm, y_mm) == pytest.approx(math.hypot(one, two))
