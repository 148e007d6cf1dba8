"""A ball that rolled under an arm is waited for; what the stroke looks like is known at once all the same."""

from __future__ import annotations

from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import roll, still

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import StrokeRecord


def test_a_stroke_is_foreseen_while_a_covered_ball_is_waited_for() -> None:
    truth = still(14.0)
    stop_s = roll(truth, "white", 2.0, (0.0, 900.0), 400.0)
    x, y = truth.xy[-1, truth.names.index("white")]
    truth.covers.append(
        (3.0, 13.0, float(x), float(y), 1.0, 0.0)
    )  # somebody leans over where it comes to rest
    tracker = Tracker(SNOOKER_TABLE)
    foreseen_s = told_s = None
    for image in Observer(truth, Noise(drop=0.0, drop_moving=0.0, false=0.0), 3).images():
        told = [e for e in tracker.feed(image) if isinstance(e, StrokeRecord)]
        if told and told_s is None:
            told_s = image.t_s
        if tracker.waiting and foreseen_s is None:
            before = tracker.span
            record = tracker.foreseen()
            assert record is not None and record.first_contact[0].ball is None
            assert tracker.span is before  # looking ahead changes nothing
            foreseen_s = image.t_s
    assert foreseen_s is not None and told_s is not None
    assert foreseen_s - stop_s <= 1.0 < told_s - stop_s
