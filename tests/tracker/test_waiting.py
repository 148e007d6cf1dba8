"""A player need not wait for a ball that is lost to sight: what sets off meanwhile is the next stroke."""

from __future__ import annotations

import pytest
from tracker_lab.observer import Noise, Observer
from tracker_lab.scenes import roll, still

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import StrokeRecord


@pytest.mark.parametrize("pause_s", [1.2, 2.5])
@pytest.mark.parametrize("seed", [3, 4])
def test_the_next_stroke_is_one_of_its_own_while_a_lost_ball_is_waited_for(pause_s: float, seed: int) -> None:
    """A red rolls under an arm, the white comes to rest, and is struck again while the arm is still there.
    The white has no name of its own then: it has one from the end of the span.
    """
    truth = still(16.0)
    reds = [n for n in truth.names if n.startswith("red")]
    stop_s = roll(truth, "white", 2.0, (0.0, 600.0), 400.0)
    roll(truth, reds[0], 2.2, (500.0, 0.0), 400.0)
    hidden = [float(v) for v in truth.xy[-1, truth.names.index(reds[0])]]
    truth.covers.append((2.3, 15.0, hidden[0], hidden[1], 1.0, 0.0))
    again_s = stop_s + pause_s
    end_s = roll(truth, "white", again_s, (0.0, -600.0), 400.0)
    tracker = Tracker(SNOOKER_TABLE)
    told = [
        e
        for image in Observer(truth, Noise(drop=0.0, drop_moving=0.0, false=0.0), seed).images()
        for e in tracker.feed(image)
        if isinstance(e, StrokeRecord)
    ]
    told += [e for e in tracker.close() if isinstance(e, StrokeRecord)]
    assert [pytest.approx(t, abs=0.15) for t in (2.0, again_s)] == [e.start_s for e in told]
    assert told[0].end_s < again_s and told[1].end_s == pytest.approx(end_s, abs=0.6)
    assert [e.struck_again_s for e in told] == [None, None]
