"""Real pictures with boxes in the bench: what is read, which images a ball moves in, what a world tells."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from referee.quality.bench.real import boxes, tier
from referee.quality.bench.real.boxes import BoxedPicture, BoxesJudged, boxed_clips, has_boxes, read_boxes
from referee.quality.bench.real.tier import kept_boxes, measure_boxes
from referee.quality.bench.report.limits import REAL_LIMITS, held
from referee.quality.bench.rooms.measures import boxes_as_world
from referee.workers import here
from vision.io.images import VideoImage
from vision.io.picture import Picture


def test_balls_alone_are_read_and_close_views_are_left_out(tmp_path: Path) -> None:
    labels = {
        n: [["red", 1, 2, 21, 22], ["glove", 0, 0, 9, 9], ["ball", 5, 5, 9, 9]] for n in ("a.jpg", "b.jpg")
    }
    (tmp_path / "labels.json").write_text(json.dumps(labels | {"absent.jpg": []}))
    (tmp_path / "close_views.json").write_text('["b.jpg"]')
    for name in labels:
        (tmp_path / name).touch()
    assert has_boxes(tmp_path)
    red, ball = ("red", (1.0, 2.0, 21.0, 22.0)), ("ball", (5.0, 5.0, 9.0, 9.0))
    assert read_boxes(tmp_path) == (BoxedPicture(tmp_path / "a.jpg", (red, ball)),)


def test_labels_of_another_form_are_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text('{"a.jpg": [["red", 1, 2, 3]]}')
    (tmp_path / "a.jpg").touch()
    with pytest.raises(UnusableInput, match="expected boxes of balls"):
        read_boxes(tmp_path)


def test_results_are_kept_and_pictures_not_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "labels.json").write_text('{"a.jpg": []}')
    (tmp_path / "a.jpg").touch()
    found = BoxesJudged("a.jpg", "", 2, 2, 1, 1, (0.9, 0.95), (0.4,), ((2500.0, 0.2),))
    looked: list[boxes.Boxed] = []

    def judged(item: boxes.Boxed) -> BoxesJudged:
        looked.append(item)
        return found

    monkeypatch.setattr(tier, "judge_boxes", judged)
    for _ in range(2):
        measure_boxes([tmp_path], tmp_path / "kept", here, lambda *_: None)
    assert len(looked) == 1 and kept_boxes(tmp_path / "kept") == (found,)


def test_a_ball_counts_in_the_images_before_and_after_which_it_moves(
    tmp_path: Path, true_camera: Calibration
) -> None:
    """It lies in images 0 to 2, goes on by 80 mm an image, and is shown again in image 5.

    Nobody knows when it set off, nor when it stops: the first and last images of its way do not count.
    """
    way = [
        (0, 1500.0),
        (1, 1500.0),
        (2, 1500.0),
        (3, 1580.0),
        (4, 1660.0),
        (5, 1660.0),
        (6, 1740.0),
        (7, 1820.0),
    ]
    truth = {"clip.mp4": {"white_boxes": {str(k): box(true_camera, y) for k, y in way}}, "note": "for people"}
    (tmp_path / "truth.json").write_text(json.dumps(truth))
    (tmp_path / "clip.mp4").touch()
    (clip,) = boxed_clips(tmp_path)
    grey = Picture.from_bgr(np.full((64, 64, 3), 90, np.uint8))
    images = [VideoImage(k, k / 25, grey) for k in range(8)]
    found = boxes._on_ways(dict(clip.balls[0]), true_camera, images)
    assert [(w.image, round(w.speed_mm_s / 1000)) for w in found] == [(4, 2), (6, 2)]
    assert found[0].surest([(0.0, 1670.0, 0.3), (0.0, 1900.0, 0.9)]) == 0.3
    assert found[0].surest([(200.0, 1670.0, 0.3)]) == 0.0


def test_real_pictures_tell_how_sure_detections_are_and_which_streaks_are_found() -> None:
    said = BoxesJudged("a.jpg", "", 3, 2, 2, 2, (0.95, 0.92), (0.91, 0.2), ((2500.0, 0.2), (500.0, 0.9)))
    refused = BoxesJudged("b.jpg", "no table", 9)
    world = boxes_as_world([said, refused])
    assert (world["boxes"], world["boxes_found"], world["sure"], world["sure_balls"]) == (3, 2, 3, 2)
    assert (world["streaks"], world["streaks_found"], world["streaks_from_0.1"]) == (1, 0, 1)
    verdicts = {r["row"]: r["verdict"] for r in held(REAL_LIMITS, world)}
    assert "detections of 0.9 or more that are balls" not in verdicts  # a ball without a box is no mistake
    assert verdicts["streaks of balls of 2 to 8 m/s"] == "missed"
    assert verdicts["their colours right"] == "reached"


@pytest.fixture
def true_camera() -> Calibration:
    """A camera straight above, 1 px a 4 mm."""
    camera = Camera(
        1280, 720, "radial", 750.0, 639.5, 359.5, (0.0,), (np.pi, 0.0, 0.0), (0.0, 1784.5, 3000.0)
    )
    return Calibration(camera, SNOOKER_TABLE, 0.3, 0.3, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.05))


def box(calibration: Calibration, y_mm: float) -> list[float]:
    """The box of a ball on the table's long axis."""
    x, y = calibration.camera.pixels_from_table([(0.0, y_mm, 26.25)])[0]
    return [float(x) - 7, float(y) - 7, float(x) + 7, float(y) + 7]
