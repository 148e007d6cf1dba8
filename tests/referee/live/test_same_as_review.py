"""The same images through live and through review give the same record; killed or with a full disk in between
too.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema_rs
import pytest
from live_clip import first_seconds, sample_calibration

from referee.live.engine.engine import LiveEngine
from referee.live.engine.log import LiveLog
from referee.live.engine.match_runner import MatchRunner
from referee.live.engine.settings import LiveSettings
from referee.live.feeds.schema import published
from referee.live.feeds.stream import EVENTS_FILE
from referee.review.pipeline import ReviewOptions, review
from vision.capture.items import CameraImage

SECONDS = 9.0
"""The first stroke (2.0 to 7.9 s, a red potted) and a second more."""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("clip")
    return first_seconds(folder / "club.mp4", SECONDS), sample_calibration(folder / "table.json")


@pytest.fixture(scope="module")
def reviewed(clip: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    from calibration.table.specs import SNOOKER_TABLE

    out = tmp_path_factory.mktemp("review") / "out"
    review(clip[0], out, ReviewOptions(SNOOKER_TABLE, calibration=clip[1]))
    return out


def settings(clip: tuple[Path, Path], out: Path) -> LiveSettings:
    return LiveSettings(str(clip[0]), out, "Table 1", calibration=clip[1], speed=0)


def match_folder(out: Path) -> Path:
    (found,) = [p for p in out.iterdir() if p.is_dir()]
    return found


@pytest.fixture(scope="module")
def live(clip: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("live") / "out"
    log = io.StringIO()
    LiveEngine(settings(clip, out), LiveLog("Table 1", log)).run()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["text"] for line in lines if line["event"] == "ruling"] == ["1 point"]
    return out


def test_live_and_review_write_the_same_match(live: Path, reviewed: Path) -> None:
    for name in ("match.json", "tracks.csv", "report.html"):
        assert (match_folder(live) / name).read_bytes() == (reviewed / name).read_bytes(), name


def test_the_first_stroke_of_a_file_is_not_lost_while_its_table_is_found(
    clip: tuple[Path, Path], tmp_path: Path
) -> None:
    log = io.StringIO()
    LiveEngine(
        LiveSettings(str(clip[0]), tmp_path / "out", "Table 1", speed=0), LiveLog("Table 1", log)
    ).run()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    assert [line["text"] for line in lines if line["event"] == "ruling"] == ["1 point"]


def events(out: Path) -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in (out / EVENTS_FILE).read_text().splitlines()]


def test_every_event_keeps_the_published_schema_and_is_numbered(live: Path) -> None:
    check, found = jsonschema_rs.validator_for(published()), events(live)
    assert [str(problem) for e in found for problem in check.iter_errors(e)] == []
    numbers = [e["seq"] for e in found]
    assert numbers == sorted(set(numbers))
    assert {"state", "ruling", "status", "frame"} <= {e["type"] for e in found}


def test_a_ruling_comes_within_a_second_of_the_last_ball_at_rest(live: Path) -> None:
    rulings = [e["body"] for e in events(live) if e["type"] == "ruling"]
    assert rulings and all(0 < r["ready_s"] - r["end_s"] <= 1.0 for r in rulings)


def killed_at(monkeypatch: pytest.MonkeyPatch, at_s: float) -> None:
    """Make the engine die at an image; nothing is closed, as after a power cut."""
    image = MatchRunner.image

    def dying(runner: MatchRunner, item: CameraImage) -> None:
        if item.image.t_s > at_s:
            runner.watched().journal._lock.close()  # the lock of a process ends with it
            raise KeyboardInterrupt
        image(runner, item)

    monkeypatch.setattr(MatchRunner, "image", dying)
    monkeypatch.setattr(MatchRunner, "close", lambda *_: None)


def test_a_match_killed_twice_ends_with_the_same_bytes(
    clip: tuple[Path, Path], reviewed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    for at_s in (5.0, 8.6):  # within the stroke, and after it was closed
        with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
            killed_at(patch, at_s)
            LiveEngine(settings(clip, out), LiveLog("Table 1", io.StringIO())).run()
    engine = LiveEngine(settings(clip, out), LiveLog("Table 1", io.StringIO()))
    engine.run()
    assert engine.state is not None and engine.state.score == (1, 0)
    for name in ("match.json", "tracks.csv"):
        assert (match_folder(out) / name).read_bytes() == (reviewed / name).read_bytes(), name
