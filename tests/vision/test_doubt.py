"""Things on the cloth of which the detector is not sure are counted without it."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from vision.doubt import mostly_unsure, unsure_things
from vision.io.picture import Picture
from vision.observation import BALL_CLASSES, CellMask, Observation

ABOVE = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
PLACES = [(-600.0, 500.0), (300.0, 900.0), (0.0, 1784.5), (500.0, 2600.0), (-200.0, 3200.0)]


def table_with_things() -> tuple[Picture, Calibration]:
    """A green table from above with five violet things of a ball's size, which no detector was shown."""
    pose = rotation_vector(ABOVE), tuple((-ABOVE @ np.array([0.0, 1784.5, 3_000.0])).tolist())
    camera = Camera(1280, 720, "radial", 900.0, 639.5, 359.5, (0.0,), *pose)
    calibration = Calibration(camera, SNOOKER_TABLE, 0.2, 0.5, SigmaModel((1.0, 0, 0, 0, 0, 0), 0.1))
    bgr = np.full((720, 1280, 3), (60, 130, 40), np.uint8)
    for x, y in PLACES:
        px = camera.pixels_from_table([(x, y, SNOOKER_TABLE.ball_radius_mm)])[0]
        cv2.circle(bgr, (round(px[0]), round(px[1])), 8, (160, 30, 120), -1)
    return Picture.from_bgr(bgr), calibration


def ball(x_mm: float, y_mm: float) -> Observation:
    return Observation(x_mm, y_mm, 0.5, 0.0, 0.0, (0.0,) * len(BALL_CLASSES), 0.9)


def test_things_that_the_detector_did_not_find_are_counted_once() -> None:
    picture, calibration = table_with_things()
    unsure = [(ball(*PLACES[0]), 3.0)]  # the detector's doubtful sight of one of them
    assert unsure_things(picture, calibration, [], unsure, None) == 5
    assert unsure_things(picture, calibration, [ball(*p) for p in PLACES[:4]], [], None) == 1


def test_chalk_marks_that_differ_from_the_cloth_less_than_any_ball_are_hardly_counted() -> None:
    picture, calibration = table_with_things()
    marked = picture.bgr().copy()
    marks = [(x, y) for x in (-400.0, 100.0, 450.0) for y in (700.0, 1300.0, 2200.0, 3000.0)]
    for x, y in marks:
        px = calibration.camera.pixels_from_table([(x, y, 0.0)])[0]
        cv2.circle(marked, (round(px[0]), round(px[1])), 7, (90, 150, 70), -1)
    chalky = Picture.from_bgr(marked)
    balls = [ball(*p) for p in PLACES]
    assert unsure_things(chalky, calibration, [], [], None) == len(PLACES) + len(marks)
    assert unsure_things(chalky, calibration, balls, [], None) == len(marks) // (len(balls) + 1)


def test_things_under_a_hand_are_not_counted() -> None:
    picture, calibration = table_with_things()
    everywhere = CellMask(-1000.0, -200.0, 100.0, 20, 40, b"\1" * 800)
    assert unsure_things(picture, calibration, [], [], everywhere) == 0


@pytest.mark.parametrize(
    ("things", "balls", "whole_set", "told"),
    [
        (17, 1, 22, True),
        (2, 0, 22, False),
        (3, 0, 22, True),
        (4, 18, 22, False),
        (0, 0, 22, False),
        (4, 3, 3, False),  # all three of billiards, among chalk marks
        (4, 0, 3, True),
    ],
)
def test_a_layout_that_leaves_out_more_than_it_shows_is_told(
    things: int, balls: int, whole_set: int, told: bool
) -> None:
    assert mostly_unsure(things, balls, whole_set) is told
