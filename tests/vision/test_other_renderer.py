"""Calibration and layout on pixels of another renderer: a clip made with Mitsuba 3, encoded as H.264.

The networks were trained on `vision.render` only. The clip, its truth and the script that made it are in
tests/data/mitsuba.
"""

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from calibration.calibrate import calibrate
from calibration.result import Calibration
from calibration.table.specs import SNOOKER_TABLE
from vision.detect.detector import Detector
from vision.io.images import sample_images
from vision.io.picture import Picture
from vision.layout import LayoutBall, read_layout

DATA = Path(__file__).resolve().parents[1] / "data" / "mitsuba"
TRUE = [
    (b["colour"], b["x_mm"], b["y_mm"])
    for b in json.loads((DATA / "table.json").read_text(encoding="utf-8"))["balls"]
]


@pytest.fixture(scope="module")
def pictures() -> list[Picture]:
    return [image.picture for image in sample_images(DATA / "table.mp4", 6)]


@pytest.fixture(scope="module")
def calibration(pictures: list[Picture]) -> Calibration:
    return calibrate([p.bgr() for p in pictures], SNOOKER_TABLE, "table.mp4")


@pytest.fixture(scope="module")
def balls(pictures: list[Picture], calibration: Calibration) -> tuple[LayoutBall, ...]:
    return read_layout(pictures, calibration, Detector())


def pairs(balls: tuple[LayoutBall, ...]) -> list[tuple[LayoutBall, str, float]]:
    """Each ball found with the colour of the nearest true one, one to one, and its error (mm)."""
    far = np.array([[math.hypot(b.x_mm - x, b.y_mm - y) for _, x, y in TRUE] for b in balls])
    rows, columns = linear_sum_assignment(far)
    return [(balls[i], TRUE[j][0], float(far[i, j])) for i, j in zip(rows, columns, strict=True)]


def test_the_table_is_found_with_its_baulk_end(calibration: Calibration) -> None:
    assert calibration.residual_px < 0.15
    assert calibration.baulk_certainty > 0.99
    assert calibration.notes == ()


def test_every_ball_is_found_once_and_has_its_colour(balls: tuple[LayoutBall, ...]) -> None:
    assert len(TRUE) == 22
    assert Counter(b.colour for b in balls) == Counter(colour for colour, _, _ in TRUE)
    assert [b.colour for b, _, _ in pairs(balls)] == [colour for _, colour, _ in pairs(balls)]


def test_places_are_within_their_stated_errors(balls: tuple[LayoutBall, ...]) -> None:
    found = pairs(balls)
    assert len(found) == 22
    errors = np.array([error for _, _, error in found])
    assert np.median(errors) < 0.7
    assert errors.max() < 2.0
    # per axis a standard deviation, so that 95 % lie within 2.45 of them
    assert np.quantile([error / b.sigma_mm for b, _, error in found], 0.95) < 2.45
