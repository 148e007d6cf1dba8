"""Colours on their spots tell the baulk end where the line is not seen, as in television's end view."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera
from calibration.find.marks import turned
from calibration.find.rough import crossed_corners, focal_of, looking_down
from calibration.find.spotted import Contrast, find_spotted
from calibration.table.specs import SNOOKER_TABLE as TABLE

W, TOP, R = TABLE.half_width_mm, TABLE.length_mm, TABLE.ball_radius_mm
CORNERS_MM = np.array([(-W, 0.0), (W, 0.0), (W, TOP), (-W, TOP)])
TV_PX = np.array([(343.0, 78.0), (941.0, 78.0), (1020.0, 612.0), (254.0, 612.0)])[[1, 0, 3, 2]]
COLOURS = {
    "yellow": (40, 220, 240),
    "green": (70, 90, 20),
    "brown": (30, 60, 120),
    "blue": (180, 80, 20),
    "pink": (170, 140, 240),
    "black": (20, 20, 20),
}


def tv_camera() -> Camera:
    """From beyond the top cushion, about 50 degrees, a lens of 3.9 picture widths."""
    focal = focal_of(TV_PX, CORNERS_MM, (1280, 720))
    assert focal is not None
    return looking_down(1280, 720, "radial", focal, TV_PX, CORNERS_MM)


def picture(camera: Camera, colours: list[str], shift_mm: tuple[float, float] = (0.0, 0.0)) -> np.ndarray:
    out = np.full((720, 1280, 3), (40, 110, 30), np.uint8)
    for name in colours:
        x, y = TABLE.spots[name]
        at = np.array([(x + shift_mm[0], y + shift_mm[1], R), (x + shift_mm[0] + R, y + shift_mm[1], R)])
        px = camera.pixels_from_table(at)
        middle = tuple(int(v) for v in np.round(px[0] * 16))
        cv2.circle(
            out, middle, round(16 * float(np.hypot(*(px[1] - px[0])))), COLOURS[name], -1, cv2.LINE_AA, 4
        )
    return out


def test_a_quadrilateral_gives_the_focal_length_that_made_it() -> None:
    camera = tv_camera()
    assert camera.focal_px == pytest.approx(3.7 * 1280, rel=0.15)
    corners = camera.pixels_from_table(np.column_stack((CORNERS_MM, np.zeros(4))))
    assert np.allclose(corners, TV_PX, atol=6.0)
    assert focal_of(corners, CORNERS_MM, (1280, 720)) == pytest.approx(camera.focal_px, rel=0.1)


def test_rounded_corners_are_put_where_the_sides_cross() -> None:
    sides = [
        TV_PX[k] + (TV_PX[(k + 1) % 4] - TV_PX[k]) * s for k in range(4) for s in np.linspace(0.05, 0.95, 60)
    ]
    cut = TV_PX + (TV_PX.mean(axis=0) - TV_PX) * 0.04
    assert np.abs(crossed_corners(cut, np.array(sides)) - TV_PX).max() < 1.0


@pytest.mark.parametrize("colours", [["yellow", "green", "brown"], ["green", "blue", "pink"], list(COLOURS)])
def test_colours_on_their_spots_tell_the_end(colours: list[str]) -> None:
    camera = tv_camera()
    contrast = Contrast(picture(camera, colours))
    here, there = (find_spotted(contrast, c, TABLE) for c in (camera, turned(camera, TABLE)))
    assert here is not None and here.count == len(colours)
    assert there is None
    feet = camera.table_from_pixels(here.line_px, 0.0)
    assert np.abs(feet[:, 1] - TABLE.baulk_line_mm).max() < 12.0  # half a pixel there


@pytest.mark.parametrize(
    ("colours", "shift_mm"),
    [(["yellow", "brown"], (0.0, 0.0)), (list(COLOURS), (90.0, 0.0)), ([], (0.0, 0.0))],
)
def test_two_balls_or_balls_beside_their_spots_tell_nothing(
    colours: list[str], shift_mm: tuple[float, float]
) -> None:
    camera = tv_camera()
    assert find_spotted(Contrast(picture(camera, colours, shift_mm)), camera, TABLE) is None
