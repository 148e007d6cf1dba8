"""What a killed run left is gone on with by the code that wrote it, and by no other."""

from __future__ import annotations

import pickle
import time
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from referee.journal import JOURNAL_FILE, Journal
from referee.match.snooker.intake import Intake
from referee.outputs.tracks import TracksWriter
from referee.review.checkpoint import OVER, Checkpoint, pack, unpack
from referee.review.perception import PerceptionState, Quiet
from referee.review.pipeline import ReviewOptions, calibration_found, review
from tracker import Tracker
from tracker.events import TrackRow
from vision.detect.detector import Detector
from vision.locate.balls import BallMemory
from vision.observer import Observer

SAMPLE_OF_0D1D15D = Path(__file__).resolve().parents[2] / "golden" / "0d1d15d" / "sample"
CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"

CAMERA = Camera(1280, 720, "radial", 900.0, 639.5, 359.5, (0.0,), (2.2, 2.2, 0.0), (-1784.5, 0.0, 2800.0))
STATE = Observer(
    Calibration(CAMERA, SNOOKER_TABLE, 0.1, 0.2, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1)), Detector()
).state
UNDER_WAY = Checkpoint(120, 4.8, 300, Tracker(SNOOKER_TABLE), PerceptionState(STATE), Intake(SNOOKER_TABLE))
OVER_OF_0D1D15D = bytes(32) + (
    b"\x80\x05\x95@\x00\x00\x00\x00\x00\x00\x00\x8c\x12referee.checkpoint\x94\x8c\nCheckpoint\x94\x93\x94)\x81"
    b"\x94]\x94(J\xff\xff\xff\xffG\x00\x00\x00\x00\x00\x00\x00\x00K\x00NNNeb."
)
CODE = slice(len(b"cueref checkpoint 1\n"), len(b"cueref checkpoint 1\n") + 32)


def of_other_code(packed: bytes) -> bytes:
    return packed[: CODE.start] + bytes(32) + packed[CODE.stop :]


def test_a_checkpoint_comes_back_as_it_was() -> None:
    back = unpack(pack(UNDER_WAY))
    assert back is not None and pack(back) == pack(UNDER_WAY)
    assert (back.image_index, back.t_s, back.tracks_at) == (120, 4.8, 300)


@pytest.mark.parametrize("part", ["tracker", "observer", "intake"])
@pytest.mark.parametrize("other", [None, 3, SNOOKER_TABLE, object.__new__(Tracker), object.__new__(Intake)])
def test_objects_that_are_not_the_state_of_a_run_are_no_checkpoint(part: str, other: object) -> None:
    """A stranger may write any object of the project, with a hash that is right."""
    assert unpack(pack(replace(UNDER_WAY, **{part: other}))) is None


def test_a_field_of_another_type_is_no_checkpoint() -> None:
    forged = unpack(pack(UNDER_WAY))
    assert forged is not None
    forged.observer.observer.schedule.whole_s = ["soon"]
    assert unpack(pack(forged)) is None


def test_all_that_an_observer_carries_comes_back() -> None:
    """Whatever is added to its state must be among the types that a checkpoint may hold, else no run goes
    on.
    """
    state = replace(STATE, balls=BallMemory())
    state.balls.resting.balls = [(3, 4, 10.0, 20.0)]
    kept = PerceptionState(state, Tracker(SNOOKER_TABLE), 15_000, 1200.0, Quiet())
    back = unpack(pack(replace(UNDER_WAY, observer=kept)))
    assert back is not None and vars(back.observer).keys() == vars(kept).keys()
    assert vars(back.observer.observer).keys() == vars(state).keys()
    assert back.observer.observer.balls.resting == state.balls.resting


def test_a_checkpoint_of_other_code_is_none_unless_the_run_was_over(monkeypatch: pytest.MonkeyPatch) -> None:
    # objects of another version may lack what this one's code asks of them
    assert unpack(of_other_code(pack(UNDER_WAY))) is None
    over = of_other_code(pack(OVER))
    monkeypatch.setattr(time, "time", lambda: 2e9)  # years later
    assert unpack(over) == OVER


def test_a_run_that_0d1d15d_finished_is_still_over() -> None:
    assert unpack(OVER_OF_0D1D15D) == OVER


def test_a_pickle_is_never_loaded(tmp_path: Path) -> None:
    class Touch:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "touched",))

    assert unpack(bytes(32) + pickle.dumps(Touch())) is None
    assert unpack(pack(UNDER_WAY)[: CODE.stop] + pickle.dumps(Touch())) is None
    assert not (tmp_path / "touched").exists()


def test_bytes_that_are_no_checkpoint_are_none() -> None:
    assert unpack(b"") is None and unpack(pack(UNDER_WAY)[:40]) is None


class StopNow(Exception):
    pass


def stop(stage: str, done: int, of: int) -> None:
    if stage == "watching":
        raise StopNow


@pytest.mark.parametrize("stored", [of_other_code(pack(UNDER_WAY)), pack(UNDER_WAY)[:-9], b"\x80\x05."])
def test_an_unreadable_checkpoint_costs_a_fresh_start_and_a_sentence(stored: bytes, tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(StopNow):
        review(CLIP, tmp_path, ReviewOptions(SNOOKER_TABLE, calibration=found(tmp_path)), stop)
    with Journal(tmp_path / JOURNAL_FILE) as journal:
        journal.append("gap", {"kept": True})
        journal.set_progress("checkpoint", stored)
        before = journal.digest
    with pytest.raises(StopNow):
        review(CLIP, tmp_path, ReviewOptions(SNOOKER_TABLE, calibration=found(tmp_path)), stop, said.append)
    (aside,) = tmp_path.glob("journal.*.sqlite")
    assert len(said) == 1 and "begins anew" in said[0] and aside.name in said[0]
    with Journal(aside) as kept, Journal(tmp_path / JOURNAL_FILE) as anew:
        assert kept.digest == before and anew.digest != before and anew.progress("checkpoint") is None


def found(folder: Path) -> Path:
    """The sample's calibration in a file, so that the table is not looked for."""
    file = folder.with_suffix(".json")
    calibration = calibration_found(SAMPLE_OF_0D1D15D)
    assert calibration is not None
    calibration.save(file)
    return file


def test_a_run_stopped_between_naming_its_tracks_and_its_last_note_keeps_every_row(tmp_path: Path) -> None:
    with TracksWriter(tmp_path) as first:
        first.write(TrackRow(0.5, "white", 1.0, 2.0, 0.3, "rest"))
        at = first.mark()
        first.write(TrackRow(1.5, "white", 1.0, 2.0, 0.3, "rest"))
    with TracksWriter(tmp_path, at) as again:
        again.write(TrackRow(1.5, "white", 1.0, 2.0, 0.3, "rest"))
    assert (tmp_path / "tracks.csv").read_text().count("white") == 2
