"""A camera that moves is noticed: between the sampled pictures, and by a millimetre during a video."""

from __future__ import annotations

import pickle

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.find.steady import steady_images
from calibration.monitor.knocked import MovedCheck, healed, posed
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE

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
    camera = Camera(
        1280,
        720,
        "radial",
        700.0,
        639.5,
        359.5,
        (),
        (np.pi / 2**0.5, np.pi / 2**0.5, 0.0),
        (-1784.5, 0.0, 2700.0),
    )
    return Calibration(camera, SNOOKER_TABLE, 0.1, 0.2, SigmaModel((0.1, 0, 0, 0, 0, 0), 0.1))


def textured() -> ByteArray:
    noise = np.random.default_rng(3).integers(0, 255, (720, 1280)).astype(np.uint8)
    return np.asarray(cv2.GaussianBlur(noise, (0, 0), 3.0) * 3, dtype=np.uint8)


CORNERS = [(-800.0, 100.0, 26.0), (800.0, 100.0, 26.0), (-800.0, 3469.0, 26.0), (800.0, 3469.0, 26.0)]


def seen_by(camera: Camera, luma: ByteArray, before: Camera) -> ByteArray:
    """The picture that another camera takes of what lies, flat, at the height of the noses."""
    y, x = np.mgrid[0:720, 0:1280].astype(np.float64)
    flat = camera.table_from_pixels(np.column_stack((x.ravel(), y.ravel())), 35.5)
    px = before.pixels_from_table(np.column_stack((flat, np.full(len(flat), 35.5)))).reshape(720, 1280, 2)
    out = cv2.remap(luma, px[..., 0].astype(np.float32), px[..., 1].astype(np.float32), cv2.INTER_CUBIC)
    return np.asarray(out, dtype=np.uint8)


@pytest.mark.parametrize(
    "knock",
    [
        (0.0005, 0.0, 0.0, 0.0, 0.0, 0.0),
        (0.0, -0.001, 0.002, 2.0, 0.0, 1.0),
        (0.008, 0.01, -0.004, 0.0, 10.0, 5.0),
    ],
)
def test_a_knocked_cameras_pose_is_measured(knock: tuple[float, ...]) -> None:
    """Rotation about any axis and a shift of the camera: places are right again to a fraction of a
    millimetre.
    """
    calibration, luma = level(), textured()
    check = MovedCheck(calibration, luma)
    other = posed(calibration.camera, np.array(knock))
    view = check.check(seen_by(other, luma, calibration.camera))
    px = other.pixels_from_table(CORNERS)
    truth = np.linalg.norm(
        calibration.camera.table_from_pixels(px, 26.0) - np.array(CORNERS)[:, :2], axis=1
    ).max()
    assert view.shift_mm == pytest.approx(truth, rel=0.15, abs=0.3)
    assert view.camera is not None
    left = np.linalg.norm(view.camera.table_from_pixels(px, 26.0) - np.array(CORNERS)[:, :2], axis=1).max()
    assert left < 0.5
    assert healed(calibration, view).sigma_mm(0.0, 1700.0) >= calibration.sigma_mm(0.0, 1700.0)


def test_a_camera_at_rest_shows_no_shift_in_other_light_or_behind_a_person() -> None:
    calibration, luma = level(), textured()
    check = MovedCheck(calibration, luma)
    darker = np.asarray(luma * 0.8 + 12, dtype=np.uint8)
    darker[:300, 500:900] = 40
    assert check.check(darker).shift_mm < 0.2


def test_a_covered_view_gives_no_shift() -> None:
    check = MovedCheck(level(), textured())
    assert np.isnan(check.check(np.zeros((720, 1280), np.uint8)).shift_mm)


def test_a_stored_check_is_small_and_continues_identically() -> None:
    calibration, luma = level(), textured()
    check = MovedCheck(calibration, luma)
    data = pickle.dumps(check)
    assert len(data) < 400_000
    other = pickle.loads(data)
    moved = shifted(luma, 1.0, 0.5)
    assert other.check(moved) == check.check(moved)
