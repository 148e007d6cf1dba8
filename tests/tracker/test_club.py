"""The synthetic clips' truth, observed with noise: every stroke, first contact, pot and layout as in the
truth.
"""

from __future__ import annotations

import pytest
from tracker_lab.club import SHARED, club_truth
from tracker_lab.observer import Noise, Observer
from tracker_lab.scoring import report, run, score

from tracker import Tracker
from tracker.events import HandMove

pytestmark = pytest.mark.skipif(not SHARED.exists(), reason="../shared is not here")


@pytest.mark.parametrize("clip", ["club_a", "club_b"])
def test_club(clip: str) -> None:
    truth = club_truth(clip)
    events = run(Observer(truth, Noise(confuse=0.003, drop=0.0), 0).images(), Tracker(truth.table))
    s = score(truth, events)
    text = report(s) + "\n" + "\n".join(s.notes)
    assert s.matched == s.strokes == s.seen == s.first_right, text
    assert s.pots_right == s.pots and s.pots_false == 0, text
    assert s.layouts_right == 2 * s.strokes, text
    assert s.contacts_found == s.contacts and s.contacts_false == 0, text
    hands = [(e.type, e.ball) for e in events if isinstance(e, HandMove)]
    want = [
        ("in_hand" if e["type"] == "in_hand" else "respot", e["ball"])
        for e in truth.events
        if e["type"] != "stroke"
    ]
    assert hands == want
