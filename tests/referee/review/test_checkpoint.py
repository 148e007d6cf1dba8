"""What a killed run left is gone on with by the code that wrote it, and by no other."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from referee.journal import JOURNAL_FILE, Journal
from referee.review.checkpoint import OVER, Checkpoint, pack, unpack
from referee.review.pipeline import ReviewOptions, review
from vision.detect.detector import Detector
from vision.observer import Observer

CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"

UNDER_WAY = Checkpoint(120, 4.8, 300, None, None, None)
OVER_OF_0D1D15D = bytes(32) + (
    b"\x80\x05\x95@\x00\x00\x00\x00\x00\x00\x00\x8c\x12referee.checkpoint\x94\x8c\nCheckpoint\x94\x93\x94)\x81"
    b"\x94]\x94(J\xff\xff\xff\xffG\x00\x00\x00\x00\x00\x00\x00\x00K\x00NNNeb."
)
CODE = slice(len(b"cueref checkpoint 1\n"), len(b"cueref checkpoint 1\n") + 32)


def of_other_code(packed: bytes) -> bytes:
    return packed[: CODE.start] + bytes(32) + packed[CODE.stop :]


def test_a_checkpoint_comes_back_as_it_was() -> None:
    assert unpack(pack(UNDER_WAY)) == UNDER_WAY


def test_all_that_an_observer_carries_comes_back() -> None:
    """Whatever is added to its state must be among the types that a checkpoint may hold, else no run goes
    on.
    """
    camera = Camera(1280, 720, "radial", 900.0, 639.5, 359.5, (0.0,), (2.2, 2.2, 0.0), (-1784.5, 0.0, 2800.0))
    state = Observer(
        Calibration(camera, SNOOKER_TABLE, 0.1, 0.2, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1)), Detector()
    ).state
    state.balls.resting.balls = [(3, 4, 10.0, 20.0)]
    back = unpack(pack(replace(UNDER_WAY, observer=state)))
    assert back is not None and vars(back.observer).keys() == vars(state).keys()
    assert back.observer.balls.resting == state.balls.resting


def test_a_checkpoint_of_other_code_is_none_unless_the_run_was_over() -> None:
    # objects of another version may lack what this one's code asks of them
    assert unpack(of_other_code(pack(UNDER_WAY))) is None
    assert unpack(of_other_code(pack(OVER))) == OVER


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


def test_an_unfinished_review_of_other_code_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    class StopNow(Exception):
        pass

    def stop(*told: object) -> None:
        if told[0] == "watching":
            raise StopNow

    with pytest.raises(StopNow):
        review(CLIP, tmp_path, ReviewOptions(SNOOKER_TABLE), stop)
    (tmp_path / "tracks.csv").write_text("as it was")
    with Journal(tmp_path / JOURNAL_FILE) as journal:
        journal.set_progress("checkpoint", of_other_code(pack(UNDER_WAY)))
    with pytest.raises(UnusableInput, match="another version left unfinished"):
        review(CLIP, tmp_path, ReviewOptions(SNOOKER_TABLE))
    assert (tmp_path / "tracks.csv").read_text() == "as it was"
