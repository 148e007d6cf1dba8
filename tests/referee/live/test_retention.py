"""How long clips are kept holds for matches that are over, too; nothing else in their folders is touched."""

import json
import os
import time
from pathlib import Path

import pytest

from referee import moments
from referee.live.recording.retention import forget
from referee.moments import Moment

DAY = 86400.0
FACTS = {"stroke": 1, "part": 1, "start_s": 1.0, "end_s": 2.0, "offset_s": 0.0, "duration_s": 3.0}


def match(out: Path, name: str, age_s: float) -> Path:
    clips = out / name / "clips"
    clips.mkdir(parents=True)
    (out / name / "journal.sqlite").write_bytes(b"kept")
    (clips / "stroke_0001.mp4").write_bytes(b"video")
    (clips / "stroke_0001.json").write_text(json.dumps(FACTS))
    (clips / "seg_0000000000_0000004000.mkv").write_bytes(b"ring")
    for file in clips.iterdir():
        os.utime(file, (time.time() - age_s,) * 2)
    return clips


def test_old_clips_and_rings_of_matches_that_are_over_are_forgotten(tmp_path: Path) -> None:
    old, young = match(tmp_path, "20261101T200000Z", 8 * DAY), match(tmp_path, "20261120T200000Z", 2 * DAY)
    on, closing = match(tmp_path, "20261102T200000Z", 8 * DAY), match(tmp_path, "20261121T200000Z", 60.0)
    other = match(tmp_path, "holiday", 8 * DAY)
    assert forget(tmp_path, 7.0, time.time(), on.parent.name) == 1
    assert not list(old.iterdir()) and (old.parent / "journal.sqlite").is_file()
    assert sorted(p.name for p in young.iterdir()) == ["stroke_0001.json", "stroke_0001.mp4"]
    assert [len(list(x.iterdir())) for x in (on, closing, other)] == [3, 3, 3]


def test_a_clock_that_is_set_forward_deletes_no_clip_by_its_age(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A machine without a battery begins in the past; then its clock is set."""
    young = match(tmp_path, "20261120T200000Z", 2 * DAY)
    begun = time.time()
    now = [Moment("boot", 10.0, begun)]
    monkeypatch.setattr(moments, "moment", lambda: now[0])
    clock = moments.UnhurriedClock()
    now[0] = Moment("boot", 70.0, begun + 40 * DAY)
    assert clock.unix_s() == begun + 60.0
    assert forget(tmp_path, 7.0, clock.unix_s() + DAY) == 0 and (young / "stroke_0001.mp4").is_file()
    now[0] = Moment("boot", 10.0 + 6 * DAY, begun + 6 * DAY)
    assert forget(tmp_path, 7.0, clock.unix_s()) == 1


def test_zero_days_keep_clips_for_ever_but_not_segments(tmp_path: Path) -> None:
    old = match(tmp_path, "20260101T200000Z", 300 * DAY)
    assert forget(tmp_path, 0.0, time.time()) == 0
    assert sorted(p.name for p in old.iterdir()) == ["stroke_0001.json", "stroke_0001.mp4"]


def test_the_limit_of_clips_counts_all_matches_and_deletes_the_oldest_first(tmp_path: Path) -> None:
    matches = [match(tmp_path, f"2026110{k}T200000Z", (9 - k) * DAY) for k in range(1, 5)]
    for clips in matches:
        (clips / "stroke_0001.mp4").write_bytes(bytes(1000))
        os.utime(clips / "stroke_0001.mp4", (time.time() - DAY,) * 2)
    assert forget(tmp_path, 0.0, time.time(), matches[-1].parent.name, 3200) == 1
    assert [(c / "stroke_0001.mp4").is_file() for c in matches] == [False, True, True, True]
    assert forget(tmp_path, 0.0, time.time(), matches[-1].parent.name, 0) == 2, (
        "the match that is on is left to its ring"
    )
    assert (matches[-1] / "stroke_0001.mp4").is_file()


def test_clips_behind_a_link_are_not_ours_to_delete(tmp_path: Path) -> None:
    elsewhere = match(tmp_path / "other", "20261101T200000Z", 8 * DAY)
    linked = tmp_path / "table" / "20261102T200000Z"
    linked.mkdir(parents=True)
    (linked / "clips").symlink_to(elsewhere)
    assert forget(tmp_path / "table", 7.0, time.time()) == 0 and len(list(elsewhere.iterdir())) == 3
