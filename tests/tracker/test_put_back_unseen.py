"""A colour struck so hard that no image shows it, potted, and put back on its spot while others still roll.

That it "never left" would mean that a ball in sight was missed in look after look: likelihoods decide.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from tracker_lab.observer import Noise
from tracker_lab.scenes import LAYOUT, still, track

from calibration.table.specs import SNOOKER_TABLE
from tracker.ball import Ball, BallState, Leg, Point, Rest
from tracker.detections.unseen import fell_and_put_back
from tracker.events import HandMove, StrokeRecord

SPOT = SNOOKER_TABLE.spots["brown"]
BR = SNOOKER_TABLE.pocket("BR")
STRUCK_S, BACK_S = 3.0, 9.0


def scene(back_s: float | None, met: bool = True) -> list:
    """The white meets the brown on the line to the bottom right pocket and rolls on slowly, aside.

    `back_s`: when a hand has put the brown back; None: it lies there all the time and is seen. Every image is
    looked at: a streak changes what is seen of its way, though nothing is detected.
    """
    way = np.array([BR.x_mm - SPOT[0], BR.y_mm - SPOT[1]])
    way /= np.hypot(*way)
    touch = np.array(SPOT) - way * SNOOKER_TABLE.ball_diameter_mm
    from_ = touch - way * 500.0
    aside = (0.0, 0.0) if met else (400.0, 500.0)
    layout = {**LAYOUT, "white": (from_[0] + aside[0], from_[1] + aside[1])}
    truth = still(16, layout=layout)
    n = truth.names.index("white")
    for i, t in enumerate(truth.t):
        if t > STRUCK_S - 0.4:
            truth.xy[i, n] = layout["white"] + way * 500.0 * min((t - STRUCK_S + 0.4) / 0.4, 1.0)
            slow_s = min(max(t - STRUCK_S, 0.0), 8.0)
            truth.xy[i, n] += np.array([-way[1], way[0]]) * (160.0 - 10.0 * slow_s) * slow_s
    if back_s is not None:
        b = truth.names.index("brown")
        truth.xy[(truth.t > STRUCK_S) & (truth.t < back_s), b] = np.nan
        truth.covers.append((back_s - 1.5, back_s + 0.1, *SPOT, -1.0, 0.0))
        truth.covers.append((back_s + 0.1, back_s + 0.6, SPOT[0] - 400.0, SPOT[1], -1.0, 0.0))
    return track(truth, noise=Noise(full_look_s=0.0))


def test_it_was_potted_and_a_hand_put_it_back() -> None:
    events = scene(BACK_S)
    (stroke,) = [e for e in events if isinstance(e, StrokeRecord)]
    assert [(p.ball, p.pocket) for p in stroke.pots] == [("brown", "BR")]
    assert stroke.first_contact[0].ball == "brown"
    (move,) = [e for e in events if isinstance(e, HandMove)]
    assert (move.type, move.ball) == ("respot", "brown") and abs(move.t_s - BACK_S) < 0.5


def test_one_that_is_seen_there_all_the_time_never_left() -> None:
    events = scene(None, met=False)
    assert not any(p for e in events if isinstance(e, StrokeRecord) for p in e.pots)
    assert not any(isinstance(e, HandMove) and e.ball == "brown" for e in events)


@pytest.mark.parametrize(
    ("missed", "back_s", "hand", "met", "fell"),
    [
        (11, 9.0, True, True, True),
        (40, 9.0, False, True, True),
        (3, 9.0, False, True, False),  # a hand unseen, and three looks without it, say nothing
        (11, 9.0, True, False, False),  # no ball sets off by itself
        (11, 3.4, True, True, False),  # nobody takes a ball out of a pocket in 0.4 s
    ],
)
def test_what_speaks_for_a_ball_put_back(
    missed: int, back_s: float, hand: bool, met: bool, fell: bool
) -> None:
    brown = Ball("brown", "brown", Rest(*SPOT), state=BallState.LOST, seen_s=STRUCK_S, missed=missed)
    brown.missed_since_s = STRUCK_S
    brown.covered_s = back_s - 1.0 if hand and back_s > 5.0 else STRUCK_S + 0.2 if hand else -1e9
    brown.legs = [Leg(*SPOT, 0.3, STRUCK_S)]
    white = Ball("white", "white", Rest(), state=BallState.MOVING)
    far = 0.0 if met else 300.0
    points = [Point(k, 2.8 + 0.04 * k, SPOT[0], SPOT[1] + 300.0 - 50.0 * k + far, 0.3) for k in range(6)]
    white.legs = [Leg(SPOT[0], SPOT[1] + 400.0 + far, 0.3, 2.7, points)]
    assert math.dist(white.place, SPOT) > 100.0
    assert fell_and_put_back(brown, [brown, white], back_s, SNOOKER_TABLE) is fell


def test_a_red_is_never_put_back() -> None:
    red = Ball("red_1", "red", Rest(300.0, 2000.0), state=BallState.LOST, missed=40, missed_since_s=3.0)
    white = Ball("white", "white", Rest(), state=BallState.MOVING)
    white.legs = [Leg(300.0, 1700.0, 0.3, 2.7, [Point(0, 3.0, 300.0, 1950.0, 0.3)])]
    assert not fell_and_put_back(red, [red, white], 9.0, SNOOKER_TABLE)
