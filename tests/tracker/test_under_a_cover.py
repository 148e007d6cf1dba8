"""A cue-ball that rolls on under somebody who leans over the table."""

from __future__ import annotations

import math
from dataclasses import replace

from test_hands import moves, strokes
from tracker_lab.observer import Noise, Observer, Truth
from tracker_lab.scenes import roll, still, track
from tracker_lab.scoring import run

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import StrokeRecord
from vision.observation import Observation


def rolls_under_an_arm(truth: Truth) -> tuple[float, float]:
    """The white runs up the table under an arm, whose lower part goes before the white comes out; where it
    stops.
    """
    roll(truth, "white", 2.0, (0.0, 900.0), 150.0)
    truth.covers += [(2.6, 3.1, -100.0, y, 1.0, 0.0) for y in (1200.0, 1300.0)]
    truth.covers += [(2.6, 3.6, -100.0, y, 1.0, 0.0) for y in (1420.0, 1540.0, 1660.0, 1780.0)]
    return 100.0, 600.0 + 900.0**2 / 300.0


def rests_there(record: StrokeRecord, place: tuple[float, float]) -> bool:
    return any(b.ball == "white" and math.dist((b.x_mm, b.y_mm), place) < 3.0 for b in record.after)


def test_what_sets_off_while_the_cue_ball_is_out_of_sight_belongs_to_its_stroke() -> None:
    """The red moves after the arm has left the white's last place and before the white is seen again. It was
    two strokes, an in-off with no ball hit and a cannon.
    """
    truth = still(16)
    place = rolls_under_an_arm(truth)
    roll(truth, "red_01", 3.45, (300.0, 400.0), 200.0)
    events = track(truth)
    (record,) = strokes(events)
    assert rests_there(record, place) and not record.pots and not record.vanished
    assert not moves(events), "no hand put it in hand"


def test_what_looks_like_other_balls_beside_a_cover_is_not_the_one_that_went_under_it() -> None:
    """Skin at the edge of a sleeve, of a colour that changes, within the white's reach."""
    truth = still(16)
    place = rolls_under_an_arm(truth)
    skin = {3.28: ("yellow", 0.6), 3.40: ("blue", 0.72), 3.48: ("pink", 0.61)}
    images = []
    for image in Observer(truth, Noise(), 3).images():
        seen = next((s for t_s, s in skin.items() if abs(image.t_s - t_s) < 0.01), None)
        if seen is not None:
            looks = tuple(0.0 if k == seen[0] else -5.6 for k in SNOOKER.names)
            sight = Observation(480.0, 1650.0, 0.8, 0.0, 0.0, looks, seen[1])
            image = replace(image, observations=(*image.observations, sight))
        images.append(image)
    (record,) = strokes(run(images, Tracker(SNOOKER_TABLE)))
    assert rests_there(record, place) and not record.pots and not record.vanished
