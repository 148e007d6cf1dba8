"""The observer on rendered pictures: what it looks at, what it hides, and a camera that was knocked."""

import cv2
import numpy as np
import pytest
from random_layout import random_layout_image

from calibration.errors import UnusableInput
from calibration.result import Calibration, SigmaModel
from vision.detect.detector import Detector
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.layout import read_layout
from vision.locate.highlights import GRID, Lamps, Shine
from vision.locate.hollow import may_be_gaps
from vision.observer import Observer


@pytest.fixture(scope="module")
def scene() -> tuple[np.ndarray, Calibration, list[tuple[str, float, float]]]:
    rgb, truth = random_layout_image(11, 1280, 720, people=0.0, tilt_deg=8.0)
    calibration = Calibration(truth.camera, truth.table, 0.1, 0.1, SigmaModel((0.01, 0, 0, 0, 0, 0), 0.1))
    balls = [(b.colour, b.x_mm, b.y_mm) for b in truth.balls]
    return np.ascontiguousarray(rgb[..., ::-1]), calibration, balls


def noisy(bgr: np.ndarray, seed: int, shift: int = 0) -> Picture:
    rng = np.random.default_rng(seed)
    moved = np.roll(bgr, shift, axis=1) if shift else bgr
    return Picture.from_bgr(np.clip(moved + rng.normal(0, 1.5, bgr.shape), 0, 255).astype(np.uint8))


def test_all_balls_of_a_rendered_picture_are_found_where_they_are(scene) -> None:  # type: ignore[no-untyped-def]
    bgr, calibration, balls = scene
    seen = read_layout([Picture.from_bgr(bgr)], calibration, Detector())
    assert sorted(b.colour for b in seen) == sorted(colour for colour, _, _ in balls)
    for colour, x, y in balls:
        same = [b for b in seen if b.colour == colour]
        assert min(np.hypot(b.x_mm - x, b.y_mm - y) for b in same) < 2.5  # a pixel is 3 mm here


def test_the_balls_of_a_grey_picture_are_not_named(scene) -> None:  # type: ignore[no-untyped-def]
    """What a camera shows by infrared light, or a recorder without colour: names would be guesses."""
    bgr, calibration, _ = scene
    grey = np.repeat(bgr.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)
    with pytest.raises(UnusableInput, match=r"^ir\.png: expected a picture with colours.* found a grey one$"):
        read_layout([Picture.from_bgr(grey)], calibration, Detector(), "ir.png")


def test_a_title_before_the_match_teaches_nothing_about_the_lamps(scene) -> None:  # type: ignore[no-untyped-def]
    bgr, calibration, _ = scene
    observer = Observer(calibration, Detector())
    observer.state.balls.lamps = Lamps(
        (Shine(0.0, 500.0, 1, np.ones((GRID, GRID), np.float32)),), 1
    )  # a round letter, say
    title = np.full_like(bgr, (90, 30, 30))
    title[300:340, 400:900] = (40, 220, 240)
    seen = observer.feed(VideoImage(0, 0.0, Picture.from_bgr(title)))
    assert seen.unusable == "other_view" and observer.state.balls.lamps == Lamps()


def test_no_cell_is_examined_while_nothing_changes(scene) -> None:  # type: ignore[no-untyped-def]
    bgr, calibration, _ = scene
    observer = Observer(calibration, Detector())
    looks = [observer.feed(VideoImage(k, 0.04 * k, noisy(bgr, k))) for k in range(30)]
    assert looks[0].looked is None  # the whole table once
    quiet = [o for o in looks[1:] if o.looked is not None and not o.looked.any]
    assert len(quiet) >= 20
    assert all(o.camera_moved is None for o in looks)


def test_a_knocked_camera_is_reported_once(scene) -> None:  # type: ignore[no-untyped-def]
    bgr, calibration, _ = scene
    observer = Observer(calibration, Detector())
    told = []
    for k in range(60):
        image = VideoImage(k, 0.25 * k, noisy(bgr, k, shift=1 if k >= 20 else 0))
        told += [o.camera_moved for o in [observer.feed(image)] if o.camera_moved is not None]
    assert len(told) == 1
    assert told[0].shift_mm == pytest.approx(calibration.mm_per_px(0, 1700), rel=0.3)  # one pixel
    assert 5.0 <= told[0].since_s <= 6.5 and told[0].healed


@pytest.mark.parametrize("count", [4, 5, 6])
def test_the_middle_of_a_ring_of_touching_balls_may_be_a_gap(count: int) -> None:
    angles = np.arange(count) * 2 * np.pi / count
    radius = 0.5 / np.sin(np.pi / count)  # neighbours on the ring touch
    ring = radius * np.column_stack((np.cos(angles), np.sin(angles)))
    assert may_be_gaps(np.vstack((ring, [[0.0, 0.0]])))[-1]


def test_a_ball_touched_by_three_others_is_no_gap() -> None:
    around = [(np.cos(a), np.sin(a)) for a in (0.0, 1.3, 2.6)]
    assert not may_be_gaps(np.array([*around, (0.0, 0.0)])).any()


def test_bare_cells_are_not_examined_again(scene, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """Bare cloth in which nothing stirs is told as looked at; its answer is known. A ball put there is seen
    at once.
    """
    bgr, calibration, balls = scene
    observer = Observer(calibration, Detector())
    areas: list[int] = []
    maps = Detector.maps
    monkeypatch.setattr(
        Detector, "maps", lambda self, image: (areas.append(image.size), maps(self, image))[1]
    )
    first = observer.feed(VideoImage(0, 0.0, Picture.from_bgr(bgr)))
    whole, areas[:] = sum(areas), []
    second = observer.feed(VideoImage(1, 0.2, noisy(bgr, 1)))  # 0.2 s after the last change: a whole look
    assert first.looked is None and second.looked is None
    assert 0 < sum(areas) < 0.6 * whole
    sure = [sum(o.confidence >= 0.5 for o in seen.observations) for seen in (first, second)]
    assert sure[0] == sure[1] >= len(balls)  # what is less sure comes and goes with the noise
    there = calibration.camera.pixels_from_table([[0.0, 900.0, 26.0]])[0].round().astype(int)
    put = bgr.copy()
    cv2.circle(put, there.tolist(), 8, (230, 235, 240), -1, cv2.LINE_AA)
    seen = observer.feed(VideoImage(2, 0.24, Picture.from_bgr(put)))
    assert any(np.hypot(o.x_mm, o.y_mm - 900.0) < 10 for o in seen.observations)
