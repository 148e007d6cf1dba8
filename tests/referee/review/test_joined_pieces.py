"""A long recording in pieces: what is joined has the bytes of a review in one go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calibration.result import Calibration
from referee.journal import Journal
from referee.review import perception
from referee.review.perception import Quiet
from referee.review.pieces import examined, joined, pieces_of, review_joined
from referee.review.pipeline import ReviewOptions, calibration_of, review
from referee.review.watching import Declarations, Watch
from tracker.events import LayoutChange, PlacedBall
from vision.detect.detector import Detector
from vision.io.images import read_video
from vision.io.picture import Picture
from vision.locate.slant import per_axis_mm
from vision.plane import BallPlane

CLIP = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"


@pytest.fixture(scope="module")
def calibration(options: ReviewOptions) -> Calibration:
    return calibration_of(CLIP, options)


@pytest.fixture
def short_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(perception, "PIECE_S", 6.0)


@pytest.mark.usefixtures("short_pieces")
@pytest.mark.slow
def test_pieces_joined_have_the_bytes_of_a_review_in_one_go(
    tmp_path: Path, options: ReviewOptions, calibration: Calibration
) -> None:
    whole = review(CLIP, tmp_path / "whole", options)
    pieces = pieces_of(CLIP, calibration)
    seen = {p.begin_s: examined(p) for p in reversed(pieces)}  # in another order than they are joined in
    assert len(pieces) == 4
    results = [seen[p.begin_s] for p in pieces]
    assert review_joined(CLIP, tmp_path / "joined", options, pieces, results) == whole
    assert [s["score"] for s in whole["strokes"]] == [[1, 0], [8, 0], [8, 0], [12, 0]]  # the seams cost none
    for name in ("match.json", "tracks.csv", "report.html"):
        assert (tmp_path / "joined" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    with (
        Journal(tmp_path / "joined" / "journal.sqlite") as one,
        Journal(tmp_path / "whole" / "journal.sqlite") as two,
    ):
        assert [e.text for e in one.entries()] == [e.text for e in two.entries()]
        assert one.digest == two.digest
    assert [r[0].t_s for r in results] == [p.begin_s for p in pieces]
    images = [(i.index, i.t_s) for i in read_video(CLIP)]
    assert [(s.index, s.t_s) for s in joined(pieces, results)] == images


def test_a_short_recording_is_one_piece(calibration: Calibration) -> None:
    assert [p.begin_s for p in pieces_of(CLIP, calibration)] == [0.0]


def test_a_second_is_quiet_only_when_nothing_stirs_in_it(calibration: Calibration) -> None:
    plane = BallPlane(calibration.camera, calibration.table)
    size = calibration.camera.height_px, calibration.camera.width_px
    still = np.full((*size, 3), (60, 120, 40), np.uint8)
    still[:, : size[1] // 3] = 40, 60, 160  # a picture without any difference of colour counts as grey
    stirred = still.copy()
    stirred[size[0] // 2 - 20 : size[0] // 2 + 20, size[1] // 2 - 20 : size[1] // 2 + 20] = 240
    quiet = Quiet()
    pictures = [still, still, still, stirred, still, still, still, still, still, still, still]
    found = [quiet.found(plane, Picture.from_bgr(p), n / 4) for n, p in enumerate(pictures)]
    assert found == [False] * 8 + [True] * 3


def test_a_layout_that_was_set_anew_carries_the_errors_that_all_looks_share(
    tmp_path: Path, calibration: Calibration
) -> None:
    """Sigma of a ball at rest: the observation's, the slant's and calibration's, whatever event tells it."""
    with Journal(tmp_path / "journal.sqlite") as journal:
        watch = Watch(tmp_path, Declarations(), calibration, Detector(), journal)
        event = LayoutChange(0.0, (PlacedBall("white", "white", 100.0, 200.0, 0.2, 1.0),), rack=True)
        told = watch._told(event)
        watch.stop()
    assert isinstance(told, LayoutChange)
    seen = per_axis_mm(calibration.camera, 100.0, 200.0, 0.2)
    own = calibration.sigma_mm(100.0, 200.0)
    assert seen > 0.2 and own > 0.0
    assert told.layout[0].sigma_mm == pytest.approx((seen**2 + own**2) ** 0.5)
