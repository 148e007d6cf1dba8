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
from tracker.association.follower import Follower
from tracker.events import HandMove, StrokeRecord
from vision.observation import BALL_CLASSES, ImageObservations, Observation

TL = next(p for p in SNOOKER_TABLE.pockets if p.name == "TL")
SPOT = SNOOKER_TABLE.spots["black"]


def seen(x_mm: float, y_mm: float, colour: str, confidence: float) -> Observation:
    logp = tuple(math.log(0.995 if c == colour else 0.005 / (len(BALL_CLASSES) - 1)) for c in BALL_CLASSES)
    return Observation(x_mm, y_mm, 0.7, 0.0, 0.0, logp, confidence)


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


@pytest.mark.parametrize(("confidence", "taken"), [(0.85, True), (0.45, False)])
def test_an_unsure_look_over_a_drop_is_the_net_and_not_the_ball_that_comes(
    confidence: float, taken: bool
) -> None:
    follower = Follower(SNOOKER_TABLE)
    comes = [seen(TL.x_mm + 204.0 - 36.0 * k, TL.y_mm - 214.0 + 36.0 * k, "black", 0.95) for k in range(5)]
    for k, look in enumerate(comes):
        follower.step(ImageObservations(26 + k, 0.84 + 0.04 * k, (look,), None, None))
    there = seen(TL.x_mm + 18.0, TL.y_mm - 22.0, "white", confidence)
    assert (there in follower.usable(ImageObservations(30, 1.04, (there,), None, None))) is taken
