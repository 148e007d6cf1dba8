"""A tracker that is put away as data and taken out again goes on as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer, Truth
from tracker_lab.racking import new_frame
from tracker_lab.scoring import run
from tracker_lab.simulation import match, random_layout

from calibration.table.specs import SNOOKER_TABLE
from referee.journal import snapshot
from referee.match.snooker.intake import Intake
from tracker import Tracker
from tracker.events import TrackerEvent, TrackRow

EVERY = 11  # images; strokes last 50 and more, so that most snapshots lie within one


def frame() -> Truth:
    rng = np.random.default_rng(5)
    return new_frame(random_layout(SNOOKER_TABLE, rng, 4), SNOOKER_TABLE, rng)


def strokes() -> Truth:
    return match(SNOOKER_TABLE, np.random.default_rng(4), 3, 25.0)


@pytest.mark.parametrize("truth", [strokes, frame], ids=["strokes", "a new frame"])
def test_a_tracker_that_went_through_a_snapshot_tells_the_same(truth: Callable[[], Truth]) -> None:
    images = list(Observer(truth(), Noise(), 1).images())
    expected = run(images, Tracker(SNOOKER_TABLE))
    tracker, told = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    for k, image in enumerate(images):
        told += tracker.feed(image)
        if k % EVERY == 0:
            data = snapshot.dump(tracker)
            tracker = snapshot.load(data)
            assert snapshot.dump(tracker) == data
    assert told + tracker.close() == expected
    intake, other = Intake(SNOOKER_TABLE), Intake(SNOOKER_TABLE)
    for event in expected:
        assert intake.feed(event) == other.feed(event)
        if not isinstance(event, TrackRow):  # hundreds of places of balls, of which the intake keeps none
            other = snapshot.load(snapshot.dump(other))
