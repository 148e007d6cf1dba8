"""What a camera sees that is no ball: dark leather, false observations; each against the physics of balls."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from tracker_lab.observer import Noise
from tracker_lab.scenes import LAYOUT, roll, still, track

from calibration.table import SNOOKER_TABLE, Pocket
from tracker.association import Associator
from tracker.ball import Ball, BallState, Leg, Point, Rest
from tracker.events import StrokeRecord
from tracker.motion import Motion, no_rest_place
from vision.observation import BALL_CLASSES, ImageObservations, Observation


def with_false(image: ImageObservations, x_mm: float, y_mm: float, confidence: float) -> ImageObservations:
    """The image with a red that is not there."""
    logp = tuple(math.log(0.9 if c == "red" else 0.1 / (len(BALL_CLASSES) - 1)) for c in BALL_CLASSES)
    false = Observation(x_mm, y_mm, 2.0, 0.0, 0.0, logp, confidence)
    return replace(image, observations=(*image.observations, false))


@pytest.mark.parametrize("pocket", SNOOKER_TABLE.pockets, ids=lambda p: p.name)
def test_nothing_beyond_a_drop_is_a_ball_at_rest_and_everything_before_it_is(pocket: Pocket) -> None:
    inward_x = -1.0 if pocket.x_mm > 0 else 1.0
    middle = SNOOKER_TABLE.length_mm / 2
    inward_y = 0.0 if abs(pocket.y_mm - middle) < 1 else (1.0 if pocket.y_mm < middle else -1.0)
    norm = (inward_x**2 + inward_y**2) ** 0.5

    def along(mm: float) -> bool:
        """At a distance from the drop's centre towards the table (negative: away from it)."""
        return no_rest_place(pocket.x_mm + mm * inward_x / norm, pocket.y_mm + mm * inward_y / norm, SNOOKER_TABLE)

    assert along(0.0) and along(-pocket.drop_radius_mm - 2.0) and along(-68.0 if not inward_y else -40.0)
    assert not along(pocket.drop_radius_mm + 0.5) and not along(200.0)


def test_every_place_at_a_cushion_is_a_ball_s_place() -> None:
    t = SNOOKER_TABLE
    r = t.ball_radius_mm
    jaws_y = [j[1] for p in t.pockets for j in p.jaws]
    for k in range(200):
        y = r + k / 199 * (t.length_mm - 2 * r)
        if min(abs(y - j) for j in jaws_y) > 1.0 and not any(abs(y - p.y_mm) < 60.0 for p in t.pockets):
            assert not no_rest_place(t.half_width_mm - r, y, t), y


def test_a_red_followed_into_a_pocket_s_mouth_is_not_seen_again_far_away() -> None:
    """0.12 s after its last sight a false observation 0.6 m away: a ball comes out no faster than it went in."""
    red = Ball("red_3", "red", Rest(), state=BallState.MOVING, seen_s=9.689, missed=5)
    points = [Point(k, 9.629 + 0.02 * k, 798.5 + 26.5 * k, 3506.0 + 15.0 * k, 0.7) for k in range(4)]
    red.legs = [Leg(774.0, 3489.5, 0.3, 9.609, points)]
    red.motion = Motion(9.689, 878.0, 3550.0, 1220.0, 700.0, 0.5, 0.0, 100.0**2)
    empty = ImageObservations(0, 9.809, (), None, None)
    far, close = with_false(empty, 560.0, 3400.0, 0.9), with_false(empty, 860.0, 3500.0, 0.9)
    associator = Associator(SNOOKER_TABLE)
    assert not associator.assign([red], list(far.observations), far, [False])[0]
    assert associator.assign([red], list(close.observations), close, [False])[0]


def test_a_ball_that_comes_to_light_where_it_lay_can_have_been_met() -> None:
    """A red unseen for long, given up as lifted, is seen again at its place in mid-stroke: what bends white there."""
    layout = {**LAYOUT, "red_01": (100.0, 1900.0)}
    truth = still(24, layout=layout)
    red, white = truth.names.index("red_01"), truth.names.index("white")
    truth.xy[(truth.t > 2.0) & (truth.t < 15.4), red] = np.nan
    roll(truth, "white", 15.0, (0.0, 1000.0), 100.0)
    met = truth.xy[:, white, 1] > 1900.0 - SNOOKER_TABLE.ball_diameter_mm
    k = int(np.argmax(met))
    for i in range(k, len(truth.t)):  # straight back: the red lies in front of a thing that does not give
        truth.xy[i, white, 1] = max(truth.xy[k - 1, white, 1] - 300.0 * (truth.t[i] - truth.t[k]), 1400.0)
    record, = [e for e in track(truth, noise=Noise(false=0.0, full_look_s=0.4)) if isinstance(e, StrokeRecord)]
    assert record.first_contact[0].ball == "red_1" and record.first_contact[0].weight >= 0.5
