"""A camera that moves is noticed: between the sampled pictures, and by a millimetre during a video."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.moved import MovedCheck, steady_images
from calibration.result import Calibration, SigmaModel
from calibration.table import SNOOKER_TABLE

ByteArray = npt.NDArray[np.uint8]


def scene(seed: int = 1, size: tuple[int, int] = (360, 640)) -> ByteArray:
    rng = np.random.default_rng(seed)
    image = np.full((*size, 3), 70, np.uint8)
    for _ in range(60):
        x, y = int(rng.integers(0, size[1])), int(rng.integers(0, size[0]))
        colour = tuple(int(c) for c in rng.integers(0, 255, 3))
        cv2.rectangle(image, (x, y), (x + int(rng.integers(8, 90)), y + int(rng.integers(8, 60))), colour, -1)
    return image


def shifted(image: ByteArray, dx: float, dy: float) -> ByteArray:
    matrix = np.array([[1.0, 0.0, dx], [0.0, 1.0, dy]])
    out = cv2.warpAffine(image, matrix, (image.shape[1], image.shape[0]), borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(out, dtype=np.uint8)


def test_one_view_with_somebody_walking_through_it_is_steady() -> None:
    images = []
    for n in range(6):
        image = scene()
        cv2.circle(image, (100 * n, 180), 60, (40, 60, 160), -1)
        images.append(image)
    assert len(steady_images(images, "clip")) == 6


def test_a_travelling_view_is_refused_with_its_name() -> None:
    images = [shifted(scene(), 25.0 * n, 9.0 * n) for n in range(8)]
    with pytest.raises(UnusableInput, match=r"clip\.mp4: .*stands still"):
        steady_images(images, "clip.mp4")


def test_a_few_images_of_another_camera_are_left_out() -> None:
    images = [scene()] * 6 + [scene(2)] * 3
    assert len(steady_images(images, "clip")) == 6


def level() -> Calibration:
    camera = Camera(1280, 720, "radial", 700.0, 639.5, 359.5, (), (np.pi / 2**0.5, np.pi / 2**0.5, 0.0),
                    (-1784.5, 0.0, 2700.0))  # fmt: skip
    return Calibration(camera, SNOOKER_TABLE, 0.1, 0.2, SigmaModel((0.1, 0, 0, 0, 0, 0), 0.1))


def textured() -> ByteArray:
    noise = np.random.default_rng(3).integers(0, 255, (720, 1280)).astype(np.uint8)
    return np.asarray(cv2.GaussianBlur(noise, (0, 0), 3.0) * 3, dtype=np.uint8)


@pytest.mark.parametrize(("dx", "dy"), [(0.5, 0.0), (0.0, 1.0), (2.0, -1.5)])
def test_a_knock_is_measured_in_millimetres_on_the_cloth(dx: float, dy: float) -> None:
    calibration, luma = level(), textured()
    check = MovedCheck(calibration, luma)
    assert check.check(luma) < 0.05
    expected = float(np.hypot(dx, dy)) * calibration.mm_per_px(0.0, 1784.5)
    assert check.check(shifted(luma, dx, dy)) == pytest.approx(expected, rel=0.1, abs=0.1)


def test_a_covered_view_says_nothing() -> None:
    check = MovedCheck(level(), textured())
    assert np.isnan(check.check(np.zeros((720, 1280), np.uint8)))
