"""What is printed on a ball turns with it: numbers, stripes, spots."""

import math

import numpy as np
import pytest

from vision.render.prints import printed, random_turn, rolled, turn_of
from vision.render.scene import Ball, BallLook

UPRIGHT = turn_of((1.0, 0.0, 0.0, 0.0))
WHITE, BLUE = (0.9, 0.9, 0.9), (0.0, 0.0, 0.5)


def seen_from_above(look: BallLook, ball: Ball, way: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    axis = np.linspace(-0.95, 0.95, 41, dtype=np.float32)
    x, y = np.meshgrid(axis, axis)
    z = np.sqrt(np.maximum(1 - x * x - y * y, 0)).astype(np.float32)
    colours = printed(look, ball, (x, y, z), way)
    return np.asarray(colours[np.hypot(x, y) < 0.9], np.float64)


def share(colours: np.ndarray, rgb: tuple[float, float, float]) -> float:
    return float((np.abs(colours - rgb).max(axis=1) < 0.1).mean())


def test_a_stripe_seen_end_on_shows_mostly_white_and_seen_from_its_side_mostly_colour() -> None:
    stripe = BallLook(WHITE, 4, band=BLUE, band_half=0.5)
    end_on = Ball("s", 0, 0, turn=UPRIGHT, radius_mm=28.6)
    side_on = Ball("s", 0, 0, turn=turn_of((math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)), radius_mm=28.6)
    assert share(seen_from_above(stripe, end_on), WHITE) > 0.85
    assert share(seen_from_above(stripe, side_on), BLUE) > 0.5


def test_a_ball_that_rolls_a_quarter_of_its_girth_shows_what_lay_on_its_side() -> None:
    spot = BallLook(WHITE, 4, (1.0, 0.0, 0.0), spots=1, spot_cosine=0.95)  # on the ball's +x side
    ball = Ball("c", 0, 0, turn=UPRIGHT, radius_mm=28.0)
    assert share(seen_from_above(spot, ball), (1.0, 0.0, 0.0)) == 0.0
    quarter = 28.0 * math.pi / 2
    # the side that faces backwards comes up when a ball rolls: rolling to -x lifts +x
    assert share(seen_from_above(spot, ball, (-quarter, 0.0)), (1.0, 0.0, 0.0)) > 0.03
    assert share(seen_from_above(spot, ball, (quarter, 0.0)), (1.0, 0.0, 0.0)) == 0.0


@pytest.mark.parametrize("seed", range(5))
def test_a_turn_is_a_rotation_and_stays_one_as_the_ball_rolls(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turn = np.array(rolled(random_turn(rng), (120.0, -40.0), 26.0)).reshape(3, 3)
    assert np.allclose(turn @ turn.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(turn) == pytest.approx(1.0)
