"""A ball that moves while the shutter is open is placed in the middle of its streak; other shapes are not."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Camera
from vision.io.picture import Picture
from vision.locate.streaks import place_streaks

RADIUS, SIDE = 26.25, 4
CLOTH, BALL = (40.0, 110.0, 30.0), (200.0, 225.0, 235.0)
CAMERA = Camera(640, 480, "radial", 800.0, 319.5, 239.5, (), (np.pi, 0.0, 0.0), (0.0, 0.0, 3000.0))


def cover(x: float, y: float) -> np.ndarray:
    """(480, 640) share of each pixel that a ball at a place on the table covers."""
    angle = np.linspace(0, 2 * np.pi, 90, endpoint=False)
    ring = np.column_stack((x + RADIUS * np.cos(angle), y + RADIUS * np.sin(angle), np.full(90, RADIUS)))
    px = (CAMERA.pixels_from_table(ring) + 0.5) * SIDE - 0.5
    fine = np.zeros((480 * SIDE, 640 * SIDE), np.float32)
    cv2.fillConvexPoly(fine, px.round().astype(np.int32), (1.0,))
    return cv2.resize(fine, (640, 480), interpolation=cv2.INTER_AREA)


def pictured(*covers: np.ndarray, colour: tuple[float, float, float] = BALL) -> Picture:
    seen = np.clip(sum(covers), 0.0, 1.0)[..., None]
    noise = np.random.default_rng(1).normal(0.0, 1.5, (480, 640, 3))
    bgr = seen * np.array(colour) + (1.0 - seen) * np.array(CLOTH) + noise
    return Picture.from_bgr(np.clip(bgr, 0, 255).astype(np.uint8))


def streak(x: float, y: float, length: float, angle: float) -> np.ndarray:
    """What a ball covers, on the mean, that goes `length` mm about a place while it is exposed."""
    way = np.linspace(-0.5, 0.5, 25) * length
    return np.mean([cover(x + s * np.cos(angle), y + s * np.sin(angle)) for s in way], axis=0)


@settings(max_examples=12, deadline=None)
@given(st.floats(55.0, 120.0), st.floats(0.0, np.pi), st.floats(-0.2, 0.2))
def test_a_streaks_middle_is_found_from_a_place_off_it(length: float, angle: float, off: float) -> None:
    at = np.array([60.0, -35.0])
    along = np.array([np.cos(angle), np.sin(angle)])
    assumed = at + off * length * along
    found, went = place_streaks(pictured(streak(*at, length, angle)), CAMERA, RADIUS, assumed[None])
    assert np.linalg.norm(found[0] - at) < 1.5  # a pixel is 3.7 mm
    assert np.linalg.norm(went[0]) == pytest.approx(length, rel=0.25)
    assert abs(went[0] @ along) > 0.98 * np.linalg.norm(went[0])


@pytest.mark.parametrize(
    "shape",
    [
        cover(60.0, -35.0),
        cover(60.0, -35.0) + cover(60.0 + 2 * RADIUS, -35.0),
        cover(60.0, -35.0) + cover(60.0 + 2 * RADIUS, -35.0) + cover(60.0 - 2 * RADIUS, -35.0),
        streak(60.0, -35.0, 80.0, 0.0) + cover(60.0 + 60.0, -35.0 + 40.0),
    ],
    ids=["a ball at rest", "two that touch", "three in a row", "a ball beside a streak"],
)
def test_what_is_no_streak_stays_where_it_was_seen(shape: np.ndarray) -> None:
    places = np.array([[61.0, -34.0]])
    found, went = place_streaks(pictured(shape), CAMERA, RADIUS, places)
    assert (found == places).all() and not went.any()


def test_what_all_but_looks_like_the_cloth_stays() -> None:
    places = np.array([[60.0, -35.0]])
    picture = pictured(streak(60.0, -35.0, 90.0, 0.5), colour=(42.0, 113.0, 32.0))
    found, went = place_streaks(picture, CAMERA, RADIUS, places)
    assert (found == places).all() and not went.any()
