"""Balls missed on their way: whose the next sight is, and how a way that is seen no more ended."""

from __future__ import annotations

import pytest
from tracker_lab.looks import cells, sight

from calibration.table.pockets import in_mouth
from calibration.table.specs import SNOOKER_TABLE
from tracker.association.associator import Associator
from tracker.association.motion import Motion
from tracker.ball import Ball, BallState, Leg, Point, Rest
from tracker.detections.unseen import missed
from vision.observation import BALL_CLASSES, ImageObservations, Observation

TR = SNOOKER_TABLE.pocket("TR")
HZ = 50.0


def rolling(
    name: str, x_mm: float, y_mm: float, vx: float, vy: float, seen_s: float, misses: int = 0
) -> Ball:
    """A red seen in four images up to a time, at 50 a second."""
    points = [
        Point(k, seen_s - (3 - k) / HZ, x_mm - vx * (3 - k) / HZ, y_mm - vy * (3 - k) / HZ, 0.3)
        for k in range(4)
    ]
    ball = Ball(name, "red", Rest(), state=BallState.MOVING, seen_s=seen_s, missed=misses)
    ball.legs = [Leg(points[0].x_mm, points[0].y_mm, 0.3, points[0].t_s - 1 / HZ, points)]
    ball.motion = Motion(seen_s, x_mm, y_mm, vx, vy, 0.1, 0.0, 80.0**2)
    return ball


def test_the_ball_seen_in_the_last_image_has_the_better_claim_to_a_sight_than_one_missed_since() -> None:
    """A red at 2.3 m/s falls; the other, which it had met, rolls on at 0.14 m/s: the next sight is the slow
    one's.

    Thrown back from the cushion the fast one would be near there too, to some 60 mm.
    """
    falls = rolling("red_1", 871.9, 3536.6, 1574.0, 1617.0, 0.93, misses=3)
    falls.motion = Motion(0.93, 871.9, 3536.6, 1574.0, 1617.0, 0.08, 3.9, 590.0)
    rolls = rolling("red_2", 763.7, 3446.5, -25.0, 137.5, 0.99)
    rolls.motion = Motion(0.99, 763.7, 3446.5, -25.0, 137.5, 0.044, 1.3, 105.0)
    assert falls.motion.predicted(1.01, SNOOKER_TABLE).p_xx > 50.0**2
    seen = sight("red", 762.2, 3449.4, 0.2)  # 1 mm from where it is predicted to 0.4, as it was filmed
    image = ImageObservations(0, 1.01, (seen,), None, None)
    found, left = Associator(SNOOKER_TABLE).assign([falls, rolls], [seen], image, [False])
    assert list(found) == [1] and not left


@pytest.mark.parametrize(
    ("place", "state"),
    [((TR.x_mm - 45.0, TR.y_mm - 45.0), BallState.LOST), ((300.0, 2000.0), BallState.REST)],
)
def test_a_fast_ball_over_a_pocket_does_not_lie_there_though_nothing_changes_any_more(
    place: tuple[float, float], state: BallState
) -> None:
    """It fell between two images, and the net looks as before; in the open what stirs no more lies still."""
    assert in_mouth(*place, SNOOKER_TABLE) is (state is BallState.LOST)
    ball = rolling("red_1", *place, 1000.0, 1000.0, 1.0)
    elsewhere = ImageObservations(0, 1.1, (), cells((-500.0, 500.0)), None)
    missed(ball, [ball], elsewhere, SNOOKER_TABLE)
    assert ball.state is state


def test_a_fast_ball_missed_once_does_not_take_the_sight_of_another_far_away() -> None:
    """A black at 10 m/s vanishes at a pocket; a blurred white is seen 16 mm from where it is predicted.

    The black is predicted to 200 mm after such a speed. That explains any sight near by, and so says little.
    """
    white = rolling("white", 600.0, 3400.0, 100.0, 0.0, 1.0)
    white.colour, white.motion = "white", Motion(1.0, 600.0, 3400.0, 100.0, 0.0, 15.0, 0.0, 40.0**2)
    black = rolling("black", 742.0, 3489.0, 0.0, 0.0, 1.0 - 1 / HZ, misses=1)
    black.colour, black.motion = "black", Motion(1.0, 650.0, 3420.0, 0.0, 0.0, 200.0**2, 0.0, 100.0)
    seen = Observation(
        616.0,
        3400.0,
        0.3,
        0.0,
        0.0,
        tuple(-4.5 if c == "black" else -0.1 if c == "white" else -6.0 for c in BALL_CLASSES),
        0.8,
    )
    image = ImageObservations(0, 1.0 + 1 / HZ, (seen,), None, None)
    found, left = Associator(SNOOKER_TABLE).assign([black, white], [seen], image, [False])
    assert list(found) == [1] and not left
