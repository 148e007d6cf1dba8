"""A gap in a ring of balls is none; a ball in a ring, whatever its colour, is one."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from vision.io.picture import Picture
from vision.locate.hollow import gaps_in_rings

ABOVE = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
D = SNOOKER_TABLE.ball_diameter_mm
MIDDLE = (0.0, 1784.5)
RED, BLACK = (30, 25, 170), (20, 20, 20)
CLOTHS = {"green": (60, 130, 40), "red": (45, 40, 120)}


def ring(cloth: str, middle: tuple[int, int, int] | None) -> tuple[Picture, Calibration, np.ndarray]:
    """Six red balls about a place, and a ball of a colour in it, or none; lit in their middles, each."""
    pose = rotation_vector(ABOVE), tuple((-ABOVE @ np.array([*MIDDLE, 1_200.0])).tolist())
    camera = Camera(1280, 720, "radial", 900.0, 639.5, 359.5, (0.0,), *pose)
    calibration = Calibration(camera, SNOOKER_TABLE, 0.2, 0.5, SigmaModel((1.0, 0, 0, 0, 0, 0), 0.1))
    turns = [k * math.pi / 3 for k in range(6)]
    around = [(MIDDLE[0] + D * math.cos(a), MIDDLE[1] + D * math.sin(a)) for a in turns]
    bgr = np.full((720, 1280, 3), CLOTHS[cloth], np.uint8)
    radius = SNOOKER_TABLE.ball_radius_mm
    px_a_mm = 900.0 / (1_200.0 - radius)
    for (x, y), colour in [*((p, RED) for p in around), *([(MIDDLE, middle)] if middle else [])]:
        u, v = (round(16 * c) for c in camera.pixels_from_table([(x, y, radius)])[0].tolist())
        for share, light in ((1.0, 0.6), (0.85, 0.8), (0.6, 1.0)):
            shade = tuple(round(light * c) for c in colour)
            cv2.circle(bgr, (u, v), round(16 * share * radius * px_a_mm), shade, -1, cv2.LINE_AA, 4)
    bgr = cv2.GaussianBlur(bgr, (0, 0), 1.0)
    return Picture.from_bgr(bgr), calibration, np.array([*around, MIDDLE])


@pytest.mark.parametrize("cloth", sorted(CLOTHS))
def test_a_gap_shows_the_cloth(cloth: str) -> None:
    picture, calibration, places = ring(cloth, None)
    assert gaps_in_rings(picture, calibration, places, 1.0).tolist() == [False] * 6 + [True]


@pytest.mark.parametrize("cloth", sorted(CLOTHS))
@pytest.mark.parametrize("middle", [RED, BLACK])
def test_a_ball_in_a_ring_is_no_gap(cloth: str, middle: tuple[int, int, int]) -> None:
    """The black in the rack of black ball, and a red in snooker's, had been taken for gaps from the side."""
    picture, calibration, places = ring(cloth, middle)
    assert not gaps_in_rings(picture, calibration, places, 1.0).any()
