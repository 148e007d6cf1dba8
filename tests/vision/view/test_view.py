"""Whether the calibrated view is in sight: people, light and knocks do not matter, another picture does."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from odd_clips import HEIGHT, SAMPLE, WIDTH, other_camera, sample

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import TableSpec
from vision.detect.detector import Detector
from vision.io.formats import picture_from_frame
from vision.io.images import Unusable, VideoImage
from vision.io.picture import U8, Picture
from vision.observer import Observer
from vision.view.usable import ViewCheck, fitted


@pytest.fixture(scope="module")
def calibration() -> Calibration:
    truth = json.loads(SAMPLE.with_suffix(".json").read_text())
    full = Camera(**{k: tuple(v) if isinstance(v, list) else v for k, v in truth["camera"].items()})
    half = replace(
        full,
        width_px=WIDTH,
        height_px=HEIGHT,
        focal_px=full.focal_px / 2,
        cx_px=(full.cx_px + 0.5) / 2 - 0.5,
        cy_px=(full.cy_px + 0.5) / 2 - 0.5,
    )
    return Calibration(half, TableSpec(**truth["table"]), 0.1, 0.2, SigmaModel((0.04, 0, 0, 0, 0, 0), 0.1))


@pytest.fixture(scope="module")
def picture() -> Picture:
    return picture_from_frame(sample(0.0, 0.1)[0])


def changed(luma: U8, how: str) -> U8:
    out = luma.copy()
    if how == "a person over half of it":
        out[:, : WIDTH // 2] = 70
    elif how == "half the light":
        out = (out * 0.5).astype(np.uint8)
    elif how == "a knock":
        out = np.roll(out, (3, -2), axis=(0, 1))
    elif how == "noise":
        out = np.clip(out + np.random.default_rng(0).normal(0, 6, out.shape), 0, 255).astype(np.uint8)
    elif how == "darkness":
        out = (out * 0.02 + 16).astype(np.uint8)
    elif how == "upside down":
        out = out[::-1].copy()
    elif how == "a close-up":
        out = np.repeat(np.repeat(out[100:280, 200:520], 2, 0), 2, 1)
    elif how == "a title":
        out = picture_from_frame(other_camera(3)).y
    return np.ascontiguousarray(out)


@pytest.mark.parametrize("how", ["nothing", "a person over half of it", "half the light", "a knock", "noise"])
def test_the_view_is_the_same_with(calibration: Calibration, picture: Picture, how: str) -> None:
    check = ViewCheck(calibration)
    known = check.known(picture.y)
    assert known is not None and check.shows(changed(picture.y, how), known)


@pytest.mark.parametrize("how", ["darkness", "upside down", "a close-up", "a title"])
def test_it_is_another_view_with(calibration: Calibration, picture: Picture, how: str) -> None:
    check = ViewCheck(calibration)
    known = check.known(picture.y)
    assert known is not None and not check.shows(changed(picture.y, how), known)
    assert check.known(changed(picture.y, how)) is None


def test_light_off_and_on_a_cut_and_a_span_without_images_end_with_a_whole_look(
    calibration: Calibration, picture: Picture
) -> None:
    observer = Observer(calibration, Detector())
    dark = replace_luma(picture, "darkness")
    seen = [observer.feed(VideoImage(0, 0.0, picture))]
    seen += [observer.feed(VideoImage(k, k / 25, dark)) for k in (1, 2, 3)]
    seen.append(observer.feed(VideoImage(4, 4 / 25, picture)))
    assert [s.unusable for s in seen] == [None, "other_view", "other_view", "other_view", None]
    assert seen[4].looked is None and len(seen[4].observations) == len(seen[0].observations)
    assert not any(s.observations for s in seen[1:4])
    told = observer.feed(Unusable(4 / 25, 3.0, "corrupt"))
    assert (told.unusable, told.t_s, told.observations) == ("corrupt", 3.0, ())
    assert observer.feed(VideoImage(5, 3.0, picture)).looked is None


def test_a_first_picture_of_another_scene_is_unusable(calibration: Calibration, picture: Picture) -> None:
    observer = Observer(calibration, Detector())
    title = picture_from_frame(other_camera(1))
    seen = [observer.feed(VideoImage(k, k / 25, title)) for k in range(3)] + [
        observer.feed(VideoImage(3, 0.12, picture))
    ]
    assert [s.unusable for s in seen] == ["other_view"] * 3 + [None]
    assert seen[3].looked is None and seen[3].observations


def test_the_same_shape_is_scaled_and_another_is_not(calibration: Calibration, picture: Picture) -> None:
    observer = Observer(calibration, Detector())
    first = observer.feed(VideoImage(0, 0.0, picture))
    small = picture_from_frame(sample(0.0, 0.1)[0].reformat(480, 270, "yuv420p", interpolation="AREA"))
    scaled = observer.feed(VideoImage(1, 1.0, small))
    assert (scaled.unusable, scaled.size_px) == (None, (480, 270))
    for a in first.observations:
        b = min(scaled.observations, key=lambda o: np.hypot(o.x_mm - a.x_mm, o.y_mm - a.y_mm))
        apart = np.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm)
        assert apart < 4.0 and b.sigma_mm > a.sigma_mm  # a pixel is 8 mm there
    square = picture_from_frame(sample(0.0, 0.1)[0].reformat(480, 360, "yuv420p"))
    assert fitted(square, calibration.camera)[0] is None
    assert observer.feed(VideoImage(2, 2.0, square)).unusable == "size_changed"
    assert observer.feed(VideoImage(3, 3.0, picture)).unusable is None


def replace_luma(picture: Picture, how: str) -> Picture:
    return Picture(changed(picture.y, how), picture.u, picture.v, picture.standard, picture.full_range)
