"""A new triangle set by hands, whatever is left of the frame before: it is told once, before the break-off
stroke.
"""

from __future__ import annotations

import numpy as np
import pytest
from tracker_lab.observer import Noise, Observer
from tracker_lab.racking import new_frame
from tracker_lab.simulation import random_layout

from calibration.table.specs import SNOOKER_TABLE
from tracker import Tracker
from tracker.events import HandMove, LayoutChange, StrokeRecord, TrackerEvent


def left_over(case: str, rng: np.random.Generator) -> dict[str, tuple[float, float]]:
    if case == "won":
        return {"white": (100.0, 900.0)}
    return dict(random_layout(SNOOKER_TABLE, rng, 7))


@pytest.mark.parametrize(("case", "seed"), [("won", 1), ("won", 2), ("unfinished", 3), ("unfinished", 4)])
def test_a_triangle_is_told_once_and_the_break_begins_from_it(case: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = new_frame(left_over(case, rng), SNOOKER_TABLE, rng)
    tracker, found = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    for image in Observer(truth, Noise(drop=0.0, full_look_s=1.0), seed).images():
        found += tracker.feed(image)
    racks = [e for e in found if isinstance(e, LayoutChange) and e.rack]
    strokes = [e for e in found if isinstance(e, StrokeRecord)]
    assert len(racks) == 1 and len(strokes) == 1
    assert racks[0].t_s < strokes[0].start_s == pytest.approx(truth.events[0]["t_strike"], abs=0.1)
    assert sum(b.colour == "red" for b in strokes[0].before) == 15
    assert sorted(b.colour for b in strokes[0].before if b.colour != "red") == sorted(
        ("white", "yellow", "green", "brown", "blue", "pink", "black")
    )
    later = [e for e in found if isinstance(e, HandMove) and racks[0].t_s < e.t_s]
    assert all(e.ball in ("white", "pink") for e in later)  # the reds are where they were read


def test_the_same_triangle_is_not_told_again_and_a_pack_that_stays_together_is_none() -> None:
    rng = np.random.default_rng(5)
    truth = new_frame({"white": (100.0, 900.0)}, SNOOKER_TABLE, rng)
    first = int(np.searchsorted(truth.t, truth.events[0]["t_strike"] - 0.5))
    still = type(truth)(
        truth.table, np.arange(300) / 25.0, truth.names, np.repeat(truth.xy[first : first + 1], 300, axis=0)
    )
    tracker, found = Tracker(SNOOKER_TABLE), list[TrackerEvent]()
    for image in Observer(still, Noise(full_look_s=0.5), 5).images():
        found += tracker.feed(image)
    assert [e for e in found if isinstance(e, LayoutChange)] == []
