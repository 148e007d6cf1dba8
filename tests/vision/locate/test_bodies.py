"""Pieces that are no snooker balls: discs by the ring of their tops, a smaller cue-ball by its own height."""

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from vision.io.picture import Picture
from vision.locate.outline import Body, fit_outlines

LOOKING_DOWN = np.array(
    [[1.0, 0.0, 0.0], [0.0, -np.cos(0.2), -np.sin(0.2)], [0.0, np.sin(0.2), -np.cos(0.2)]]
)
CAMERA = Camera(
    1280, 960, "radial", 1500.0, 639.5, 479.5, (), rotation_vector(LOOKING_DOWN), (0.0, 300.0, 1500.0)
)


def test_a_discs_ring_is_the_circle_of_its_top() -> None:
    body = Body(15.9, 8.0)
    centres = body.centres_mm(np.array([[100.0, 200.0]]))
    ring = body.ring_mm(centres, np.array([0.0, 0.0, 1500.0]), 24)[0]
    assert np.allclose(ring[:, 2], 8.0)
    assert np.allclose(np.hypot(*(ring[:, :2] - (100.0, 200.0)).T), 15.9)


def test_a_balls_ring_lies_on_the_ball() -> None:
    body = Body(25.4)
    centres = body.centres_mm(np.array([[100.0, 200.0]]))
    ring = body.ring_mm(centres, np.array([0.0, 0.0, 1500.0]), 24)[0]
    assert np.allclose(np.linalg.norm(ring - centres[0], axis=1), 25.4)


@pytest.mark.parametrize("top_mm", [7.0, 9.0])
def test_a_discs_place_does_not_depend_on_its_height_once_that_is_known(top_mm: float) -> None:
    true = np.array([[40.0, 330.0]])
    ring = Body(15.9, top_mm).ring_mm(Body(15.9, top_mm).centres_mm(true), np.zeros(3), 200)
    px = CAMERA.pixels_from_table(ring.reshape(-1, 3))
    picture = np.full((960, 1280, 3), (120, 170, 200), np.uint8)
    cv2.fillPoly(picture, [np.rint(px * 16).astype(np.int32)], (30, 30, 35), cv2.LINE_AA, 4)
    start = true + np.array([1.0, -0.8])
    fit = fit_outlines(Picture.from_bgr(picture), CAMERA, 15.9, start, prior_mm=20.0, top_mm=top_mm)[0]
    assert fit is not None
    assert np.hypot(fit.x_mm - true[0, 0], fit.y_mm - true[0, 1]) < 0.15  # a seventh of a pixel
