"""A review of another game that was stopped goes on from its checkpoint with the same events."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.journal import snapshot
from referee.match.snooker.intake import Intake
from tests.tracker.tracker_lab.game_clips import load
from tests.tracker.tracker_lab.observer import Noise, Observer
from tracker import Tracker

CLIPS = Path(__file__).parents[3] / ".." / "shared" / "footage" / "synthetic" / "games"


@pytest.mark.skipif(not CLIPS.is_dir(), reason="the clips lie beside the project")
def test_tracker_and_intake_of_discs_go_on_from_what_was_stored() -> None:
    truth = load(CLIPS, "dev_carrom")
    images = [i for i in Observer(truth, Noise(settle_looks=True), seed=2).images() if i.t_s < 16.0]
    whole, first = Tracker(truth.table, truth.pieces), Tracker(truth.table, truth.pieces)
    expected = [e for image in images for e in whole.feed(image)]
    middle = len(images) // 2
    events = [e for image in images[:middle] for e in first.feed(image)]
    again, intake = snapshot.load(snapshot.dump((first, Intake(truth.table, pieces=truth.pieces))))
    events += [e for image in images[middle:] for e in again.feed(image)]
    assert events == expected and again.pieces == truth.pieces
    assert intake.held == ()
