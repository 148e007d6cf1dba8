"""Whether a ball rolled in a recording's first image is told by when its way says that it set off."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from tracker.place import Point
from tracker.stroke.under_way import Mover, under_way

IMAGE_S = 0.04
SURE = 0.9
HARDLY = 1e-3

speeds_mm_s = st.floats(250.0, 3000.0)
angles = st.floats(0.0, 2.0 * math.pi)


def ball(set_off_s: float, speed_mm_s: float, angle: float, struck: bool = True) -> Mover:
    """Exact looks at a ball that lay still, set off at a time on a straight way and rolled."""
    looks = []
    for k in range(8):
        since_s = max(k * IMAGE_S - set_off_s, 0.0)
        way_mm = speed_mm_s * since_s - 0.5 * 100.0 * since_s**2
        x_mm, y_mm = way_mm * math.cos(angle), 1000.0 + way_mm * math.sin(angle)
        looks.append(Point(k, k * IMAGE_S, x_mm, y_mm, 0.5))
    return Mover(tuple(looks), struck)


@given(speeds_mm_s, angles)
def test_a_ball_on_one_straight_way_since_the_first_image_rolled_in_it(speed: float, angle: float) -> None:
    assert under_way([ball(-0.1, speed, angle)]) > SURE


@given(speeds_mm_s, angles)
def test_a_ball_that_lay_still_in_three_images_did_not(speed: float, angle: float) -> None:
    assert under_way([ball(2.5 * IMAGE_S, speed, angle)]) < HARDLY


@given(speeds_mm_s, angles, angles)
def test_two_such_balls_are_surer_than_one(speed: float, angle: float, other: float) -> None:
    one = ball(-0.1, speed, angle)
    assert under_way([one, ball(-0.1, speed, other, struck=False)]) > under_way([one])


def test_no_ball_sets_off_by_itself() -> None:
    """A red moves from the first image on: a strike cannot have set it off before the cue-ball left."""
    red, white = ball(-0.1, 200.0, 0.0, struck=False), ball(0.1, 800.0, 1.0)
    assert under_way([red, white]) > 1.0 - HARDLY


def test_a_turn_between_two_looks_tells_nothing() -> None:
    """The cue-ball bounced off a red before the second image: it may have lain still in the first."""
    times_s = (0.0, 0.08, 0.12, 0.16, 0.20)
    places_mm = [(538.0, 1778.0), (474.0, 1687.0), (496.0, 1674.0), (516.0, 1666.0), (533.0, 1657.0)]
    looks = tuple(Point(-1, t, x, y, 0.3) for t, (x, y) in zip(times_s, places_mm, strict=True))
    assert HARDLY < under_way([Mover(looks, True)]) < 1.0 - HARDLY


def test_nothing_that_was_seen_first_later_tells_of_the_first_image() -> None:
    assert under_way([]) == 0.0
