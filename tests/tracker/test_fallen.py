"""A ball that has fallen is out of play until a hand brings it: what is seen afterwards is not its path."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer, Truth
from tracker_lab.scenes import LAYOUT, roll, still
from tracker_lab.scoring import run

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.association.associator import Associator
from tracker.association.follower import Follower
from tracker.association.motion import Motion
from tracker.ball import Ball, BallState, Leg, Point, Rest
from tracker.events import HandMove, StrokeRecord
from vision.observation import BALL_CLASSES, ImageObservations, Observation

TL = next(p for p in SNOOKER_TABLE.pockets if p.name == "TL")
SPOT = SNOOKER_TABLE.spots["black"]


def seen(x_mm: float, y_mm: float, colour: str, confidence: float) -> Observation:
    logp = tuple(math.log(0.995 if c == colour else 0.005 / (len(BALL_CLASSES) - 1)) for c in BALL_CLASSES)
    return Observation(x_mm, y_mm, 0.7, 0.0, 0.0, logp, confidence)


def running(x_mm: float, y_mm: float, vx: float, vy: float, sigma_v: float = 200.0) -> Ball:
    """A black on its way, seen in three images up to t = 1 s."""
    points = [
        Point(k, 0.92 + 0.04 * k, x_mm - vx * 0.04 * (2 - k), y_mm - vy * 0.04 * (2 - k), 0.7)
        for k in range(3)
    ]
    ball = Ball("black", "black", Rest(), state=BallState.MOVING, seen_s=1.0)
    ball.legs = [Leg(0.0, 3200.0, 0.3, 0.9, points)]
    ball.motion = Motion(1.0, x_mm, y_mm, vx, vy, 0.5, 0.0, sigma_v**2)
    ball.peak_mm_s, ball.peak_s = math.hypot(vx, vy), 1.0
    return ball


def matched(ball: Ball, obs: Observation, t_s: float) -> bool:
    image = ImageObservations(0, t_s, (obs,), None, None)
    return bool(Associator(SNOOKER_TABLE).assign([ball], [obs], image, [False])[0])


def test_a_ball_past_the_drop_is_not_seen_elsewhere_in_the_next_image() -> None:
    ball = running(TL.x_mm + 20.0, TL.y_mm - 20.0, -3000.0, 1500.0)
    assert not matched(ball, seen(-700.0, 3400.0, "black", 0.95), 1.04)
    assert matched(ball, seen(TL.x_mm + 5.0, TL.y_mm - 10.0, "black", 0.6), 1.04)  # in the net


def test_a_pocket_s_hole_is_no_ball_of_another_colour_on_its_way_there() -> None:
    ball = running(TL.x_mm + 90.0, TL.y_mm - 90.0, -1000.0, 1000.0)
    hole = TL.x_mm + 20.0, TL.y_mm - 20.0
    assert not matched(ball, seen(*hole, "white", 0.4), 1.04)
    assert matched(ball, seen(*hole, "black", 0.4), 1.04)


def test_a_vague_prediction_takes_no_ball_of_another_colour() -> None:
    """A prediction with a sigma of half a metre holds for any place: only the colour says whose ball it
    is.
    """
    ball = running(200.0, 1800.0, 1500.0, 1500.0, sigma_v=6000.0)
    assert not matched(ball, seen(300.0, 1900.0, "white", 0.95), 1.1)
    assert matched(ball, seen(300.0, 1900.0, "black", 0.95), 1.1)


def potted_and_put_back(fall_s: float, back_s: float) -> Truth:
    """The black goes into TL; a hand carries it, in sight, to its spot while white still rolls."""
    layout = {**LAYOUT, "black": (-560.0, 3240.0), "white": (100.0, 900.0)}
    truth = still(12, layout=layout)
    roll(truth, "white", 2.0, (-120.0, 700.0), 130.0)
    black = truth.names.index("black")
    way = np.array([TL.x_mm + 12.0, TL.y_mm - 12.0]) - truth.xy[0, black]
    for i, t in enumerate(truth.t):
        if t > fall_s:
            truth.xy[i, black] = np.nan
        elif t > 3.0:
            truth.xy[i, black] += way * (t - 3.0) / (fall_s - 3.0)
        if t >= back_s:
            truth.xy[i, black] = SPOT
        elif t > back_s - 0.5:
            truth.xy[i, black] = (
                np.array([-700.0, 3300.0]) + (np.array(SPOT) - (-700.0, 3300.0)) * (t - back_s + 0.5) / 0.5
            )
    for k in range(10):  # an arm from the side, over the hand
        x = -700.0 + 70.0 * k
        truth.covers.append((back_s - 0.5 + 0.05 * k, back_s - 0.4 + 0.05 * k, x - 60.0, 3360.0, -1.0, 0.0))
    return truth


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("pause_s", [0.7, 1.4])
def test_a_colour_potted_and_put_back_while_the_white_rolls_on_is_potted_and_respotted(
    pause_s: float, seed: int
) -> None:
    truth = potted_and_put_back(3.2, 3.2 + pause_s)
    images = []
    for image in Observer(truth, Noise(false=0.0), seed).images():
        hole = seen(TL.x_mm + 15.0, TL.y_mm - 22.0, "white", 0.38)
        images.append(replace(image, observations=(*image.observations, hole)))
    events = run(images, Tracker(SNOOKER_TABLE))
    (record,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [(p.ball, p.pocket) for p in record.pots] == [("black", "TL")]
    assert not [c for c in record.cushions if c.ball == "black"]
    moves = [e for e in events if isinstance(e, HandMove)]
    assert [(m.type, m.ball) for m in moves] == [("respot", "black")]
    assert moves[0].to_mm is not None and math.dist(moves[0].to_mm[:2], SPOT) < 5.0


def test_a_red_that_starts_is_not_a_pink_that_was_not_seen_for_five_images_before() -> None:
    """Blur makes the red pink. Had the pink left its place it would have been seen on its way in those
    images.
    """

    def lying(name: str, colour: str, x_mm: float, y_mm: float, seen_s: float, missed: int) -> Ball:
        rest = Rest()
        for k in range(6):
            rest.add(0.1 * k, x_mm, y_mm, 0.3)
        return Ball(name, colour, rest, seen_s=seen_s, missed=missed)

    pink = lying("pink", "pink", 0.0, 2670.0, 0.76, 5)
    red = lying("red_3", "red", 175.0, 2645.0, 0.96, 0)
    struck_by = lying("red_6", "red", 139.0, 2692.0, 0.96, 0)
    struck_by.state, struck_by.motion = (
        BallState.MOVING,
        Motion(0.96, 139.0, 2692.0, 450.0, -150.0, 0.5, 0.0, 100.0**2),
    )
    logp = tuple({"pink": -0.5, "brown": -1.2, "red": -4.8}.get(c, -4.5) for c in BALL_CLASSES)
    moved = Observation(181.0, 2636.0, 0.7, 0.0, 0.0, logp, 0.96)
    image = ImageObservations(0, 1.0, (moved,), None, None)
    matches, _ = Associator(SNOOKER_TABLE).assign([pink, red, struck_by], [moved], image, [False])
    assert list(matches) == [1]


@pytest.mark.parametrize(("confidence", "taken"), [(0.85, True), (0.45, False)])
def test_an_unsure_look_over_a_drop_is_the_net_and_not_the_ball_that_comes(
    confidence: float, taken: bool
) -> None:
    follower = Follower(SNOOKER_TABLE)
    follower.balls = [running(TL.x_mm + 60.0, TL.y_mm - 70.0, -900.0, 900.0)]
    there = seen(TL.x_mm + 18.0, TL.y_mm - 22.0, "white", confidence)
    assert (there in follower.usable(ImageObservations(30, 1.04, (there,), None, None))) is taken
