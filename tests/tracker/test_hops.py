"""What sends a piece elsewhere than its motion leads: speed that another had, over a reach that it allows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.board import board_table
from calibration.table.games import PIECES
from calibration.table.pieces import CARROM
from calibration.table.specs import WPA_TABLE
from tracker.association.associator import Associator, Source, spread_cost
from tracker.association.follower import Follower
from tracker.association.motion import Motion
from tracker.ball import Ball, BallState, Leg, Point, Rest
from tracker.detections.tentative import Tentative
from tracker.identity.emerged import emerged
from tracker.rest.settling import come_to_rest
from vision.observation import CellMask, ImageObservations, Observation

HZ = 30.0


def man(name: str, x_mm: float, y_mm: float, vx: float, vy: float, seen_s: float) -> Ball:
    """A white C/m followed for ten images up to a time."""
    points = [
        Point(k, seen_s - (9 - k) / HZ, x_mm - vx * (9 - k) / HZ, y_mm - vy * (9 - k) / HZ, 0.3)
        for k in range(10)
    ]
    ball = Ball(name, "white", Rest(), CARROM, state=BallState.MOVING, seen_s=seen_s)
    ball.legs = [Leg(points[0].x_mm, points[0].y_mm, 0.3, points[0].t_s - 1 / HZ, points)]
    ball.motion = Motion(seen_s, x_mm, y_mm, vx, vy, 0.1, 0.0, 16.0**2)
    return ball


def white(x_mm: float, y_mm: float, confidence: float, sigma_mm: float = 0.3) -> Observation:
    return Observation(x_mm, y_mm, sigma_mm, 0.0, 0.0, (-6.0, -6.0, 0.0, -6.0), confidence)


def test_a_star_bared_by_the_break_is_not_the_man_that_fell() -> None:
    """A C/m at a hole is gone, another rolls on, and a printed star far off is read as a white.

    Two hops of a quarter of a metre would explain all three; nothing on the board is fast enough any more.
    """
    falls = man("white_1", 328.0, 707.0, 1100.0, 350.0, 3.27)
    falls.peak_mm_s, falls.peak_s = 6300.0, 3.10  # fast, before it met the frame and was seen slow again
    rolls = man("white_6", 200.0, 472.0, 395.0, 270.0, 3.27)
    seen = [white(212.4, 480.7, 0.87), white(-14.8, 404.3, 0.47, 1.2)]
    image = ImageObservations(0, 3.27 + 1 / HZ, tuple(seen), None, None)
    found, left = Associator(board_table(), CARROM).assign([falls, rolls], seen, image, [False, False])
    assert {i: m.obs for i, m in found.items()} == {1: seen[0]} and left == [1]


def test_speed_lost_before_a_ball_was_last_seen_is_not_given_to_it() -> None:
    source = Source("white_1", 0.0, 0.0, 500.0, 6000.0, peak_s=1.0)
    assert source.gives_mm_s(1.04, 1.0) == 6000.0  # given away between the two images
    assert source.gives_mm_s(1.30, 1.0) == 6000.0  # to one that was not seen since
    assert source.gives_mm_s(1.30, 1.26) == 500.0


@given(st.floats(1.0, 3000.0), st.floats(1.0, 3000.0))
def test_of_two_reaches_the_longer_costs_no_less(a_mm: float, b_mm: float) -> None:
    assert spread_cost(max(a_mm, b_mm)) >= spread_cost(min(a_mm, b_mm)) >= 0.0


@pytest.mark.parametrize(
    ("hopped", "sure", "a_piece"), [(True, 0.5, False), (True, 0.8, True), (False, 0.5, True)]
)
def test_a_thing_reached_by_a_hop_and_seen_unsurely_is_hardly_a_piece(
    hopped: bool, sure: float, a_piece: bool
) -> None:
    ball = Ball("white_6", "white", Rest(), CARROM, hopped_s=1.0 if hopped else None, sure=sure)
    ball.learn(white(0.0, 0.0, sure))
    assert (ball.placed(1.0).confidence > 0.5) is a_piece


def test_one_sure_sight_after_a_hop_settles_that_it_is_a_piece() -> None:
    ball = Ball("white_6", "white", Rest(), CARROM, hopped_s=1.0, sure=0.5)
    ball.trust(white(0.0, 0.0, 0.9))
    assert ball.piece_probability == 1.0


def test_a_ball_that_hopped_to_what_is_hardly_a_piece_was_lost_on_its_way() -> None:
    """A yellow falls, and leather beside its pocket is taken for it: the way ends where it was seen last."""
    points = [Point(k, 1.0 + 0.04 * k, 0.0, 500.0 + 40.0 * k, 0.3) for k in range(5)]
    leather = [Point(k, 1.4 + 0.04 * k, 80.0, 700.0, 1.8) for k in range(5)]
    way = Motion(1.16, 0.0, 660.0, 0.0, 1000.0, 1.0, 0.0, 100.0)
    ball = Ball("white_6", "white", Rest(), CARROM, sure=0.45, hopped_s=1.4, before_hop=way)
    ball.state, ball.legs = BallState.MOVING, [Leg(0.0, 460.0, 0.3, 0.96, points + leather)]
    come_to_rest(ball, 1.6, board_table())
    assert ball.state is BallState.LOST and ball.place == (0.0, 660.0)
    assert ball.legs[-1].points == points and ball.hopped_s is None


def test_a_piece_that_has_stopped_where_nothing_changed_is_not_seen_elsewhere() -> None:
    """Others run about it, so that something can have sent it; but then its place would have changed."""
    stopped, fast = (
        man("white_1", -76.0, 300.0, 2.0, 0.0, 1.0),
        man("white_2", -10.0, 400.0, 1000.0, 0.0, 1.0),
    )
    star, nowhere = white(-120.0, 270.0, 0.5), CellMask(-500.0, -100.0, 100.0, 10, 10, bytes(100))
    for changed, hops in ((nowhere, False), (None, True)):
        image = ImageObservations(0, 1.0 + 1 / HZ, (star,), changed, None)
        found, _ = Associator(board_table(), CARROM).assign([stopped, fast], [star], image, [False])
        assert (0 in found) is hops


@pytest.mark.parametrize(("still_images", "rolls"), [(0, True), (30, False)])
def test_what_rolled_once_and_lies_still_does_not_roll_away(still_images: int, rolls: bool) -> None:
    """The queen, which the break brought and nobody followed; the striker is lifted much later."""
    follower = Follower(board_table(), CARROM)
    striker = Ball("striker", "striker", Rest(), CARROM, state=BallState.LOST)
    striker.legs = [Leg(0.0, 300.0, 0.3, 1.0)]
    follower.balls = [striker]
    places = [(20.0 * min(k, 9), 100.0) for k in range(10 + still_images)]
    item = Tentative([], Rest(since_s=0.0), 0.0)
    for k, (x, y) in enumerate(places):
        queen = Observation(x, y, 0.3, 0.0, 0.0, (-6.0, 0.0, -6.0, -6.0), 0.9)
        item.add(Point(k, k / HZ, x, y, 0.3), queen)
    follower.tentatives.items = [item]
    assert bool(emerged(follower)) is rolls


@pytest.mark.parametrize(("nats", "rolls"), [(6.0, True), (2.0, False)])
def test_what_rolls_while_a_ball_is_lost_is_another_only_if_it_looks_otherwise(
    nats: float, rolls: bool
) -> None:
    """A cue-ball thought lifted rolls away as the ball that it hit is lost: its stroke is seen."""
    follower = Follower(board_table(), CARROM)
    striker = Ball("striker", "striker", Rest(), CARROM, state=BallState.LOST)
    queen = Ball("queen", "queen", Rest(), CARROM, state=BallState.GONE, fate="lifted")
    follower.balls = [striker, queen]
    item = Tentative([], Rest(since_s=0.0), 0.0)
    for k in range(10):
        looks = tuple(0.0 if name == "queen" else -nats for name in CARROM.names)
        item.add(
            Point(k, k / HZ, 20.0 * k, 100.0, 0.3), Observation(20.0 * k, 100.0, 0.3, 0.0, 0.0, looks, 0.9)
        )
    follower.tentatives.items = [item]
    assert bool(emerged(follower)) is rolls


@pytest.mark.parametrize(
    ("seen_s", "away_mm", "rolls"), [(0.9, 85.0, False), (1.2, 85.0, True), (0.9, 3000.0, True)]
)
def test_what_rolls_away_from_beside_a_ball_under_a_hand_is_that_ball(
    seen_s: float, away_mm: float, rolls: bool
) -> None:
    """A real clip: the 3 was struck with the bridge hand's cover over its place, and 85 mm on it looked like
    the 7, which had been down for long. A ball that is seen where it lies since, or cannot have come so far,
    is another.
    """
    kinds = PIECES["wpa_8ball"]
    follower = Follower(WPA_TABLE, kinds)
    lies = Ball("3", "3", Rest(), kinds, covered=True, seen_s=seen_s)
    lies.rest.add(seen_s, 0.0, 500.0, 0.3)
    follower.balls = [lies]
    looks = tuple({"7": 0.0, "3": -1.5}.get(name, -9.0) for name in kinds.names)
    item = Tentative([], Rest(since_s=0.0), 0.0)
    for k in range(10):
        x, t_s = away_mm + 80.0 * k, 1.0 + k / HZ
        item.add(Point(k, t_s, x, 500.0, 0.3), Observation(x, 500.0, 0.3, 0.0, 0.0, looks, 0.9))
    follower.tentatives.items = [item]
    assert bool(emerged(follower)) is rolls
