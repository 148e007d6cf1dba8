"""A review's bounces solve its table again: `cueref calibrate --match`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from known_table import known_table
from script import Scene

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.specs import SNOOKER_TABLE
from referee.bundled import sample_clip
from referee.commands.calibrate import calibrate
from referee.journal import Journal
from referee.review.pipeline import calibration_found
from referee.review.turns import turns_seen
from referee.review.watching import Declarations, Watch
from tracker.events import CushionHit, Turn
from vision.detect.detector import Detector

pytest_plugins = ("reviewed_sample",)
if TYPE_CHECKING:
    from reviewed_sample import ReviewedSample


def test_a_review_keeps_where_balls_turned(reviewed_sample: ReviewedSample) -> None:
    seen = turns_seen(reviewed_sample.whole)
    assert seen.calibration == calibration_found(reviewed_sample.whole)
    assert len(seen.turns) >= 2
    for t in seen.turns:
        assert 0.1 < t.bounce.sigma_mm < 5.0
        assert t.bounce.table_mm == pytest.approx(seen.calibration.sigma_mm(t.x_mm, t.y_mm))


def test_a_good_table_solved_again_by_its_match_stays_within_what_is_stated(
    reviewed_sample: ReviewedSample, tmp_path: Path
) -> None:
    table = tmp_path / "table.json"
    calibrate(sample_clip(), table, match=reviewed_sample.whole)
    before, after = calibration_found(reviewed_sample.whole), Calibration.load(table)
    assert before is not None
    assert any("bounces of a match" in note for note in after.notes)
    z = SNOOKER_TABLE.ball_radius_mm
    at = np.array([(x, y, z) for x in (-800.0, 0.0, 800.0) for y in (100.0, 1800.0, 3500.0)])
    moved = after.camera.table_from_pixels(before.camera.pixels_from_table(at), z) - at[:, :2]
    stated = [np.sqrt(2.0) * before.sigma_mm(x, y) for x, y, _ in at.tolist()]
    assert float((np.hypot(*moved.T) / stated).max()) < 2.0


def test_a_watch_states_places_with_the_doubt_that_bounces_cast(tmp_path: Path) -> None:
    calibration = Calibration.load(known_table(tmp_path / "table.json"))
    with Journal(tmp_path / "journal.sqlite") as journal:
        watch = Watch(tmp_path, Declarations(), calibration, Detector(), journal)
        before = [watch.sigma_mm(x, 900.0, 0.5) for x in (-800.0, 800.0)]
        record = Scene().stroke("red_1")
        turn = Turn(-870.0, 900.0, -10.0, 0.4, 300.0, 0.7)
        hits = tuple(CushionHit("white", "left", record.start_s + k, turn=turn) for k in range(4))
        watch.referee.feed(replace(record, cushions=hits))
        after = [watch.sigma_mm(x, 900.0, 0.5) for x in (-800.0, 800.0)]
        watch.stop()
    assert after[0] > before[0] + 5.0
    assert after[1] < before[1] + 0.5


def test_a_folder_without_a_review_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="expected the folder of a review"):
        turns_seen(tmp_path)
