"""Sights in the rails: found where they are, told from chalk by their number, and what they are good for."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.find.sights import sight_points
from calibration.solve.model import distances, plane_points
from calibration.solve.unknowns import LIFT, NOSE, SIGHT, start_values
from calibration.table.specs import WPA_TABLE

TRUE_MM = 102.0
"""Another maker's distance from the noses than the one expected."""


def from_the_side() -> Camera:
    """45 degrees from the side, 2.8 m from the table's middle, 1280 pixels."""
    middle, away = np.array([0.0, WPA_TABLE.length_mm / 2, 0.0]), np.array([2000.0, 0.0, 2000.0])
    ahead = -away / np.linalg.norm(away)
    right = np.array([0.0, 1.0, 0.0])
    turn = np.stack([right, np.cross(ahead, right), ahead])
    shift = -turn @ (middle + away)
    return Camera(
        1280, 720, "radial", 1100.0, 639.5, 359.5, (0.0,), rotation_vector(turn), tuple(shift.tolist())
    )


def rails(camera: Camera, sights: int, light: int = 200) -> np.ndarray:
    """A dark table with its first `sights` sights of 12 mm, in light grey, and nothing else."""
    t, w = WPA_TABLE, WPA_TABLE.half_width_mm + TRUE_MM
    places = [(s * w, t.length_mm * k / 8) for k in (1, 2, 3, 5, 6, 7) for s in (-1, 1)]
    places += [(t.width_mm * (k / 4 - 0.5), y) for k in (1, 2, 3) for y in (-TRUE_MM, t.length_mm + TRUE_MM)]
    image = np.full((camera.height_px, camera.width_px, 3), 60, np.uint8)
    angle = np.linspace(0, 2 * np.pi, 24)
    for x, y in places[:sights]:
        ring = np.column_stack(
            (x + 6 * np.cos(angle), y + 6 * np.sin(angle), np.full(24, t.nose_height_mm + 6))
        )
        px = np.round(camera.pixels_from_table(ring) * 16).astype(np.int32)
        cv2.fillPoly(image, [px], (light,) * 3, cv2.LINE_AA, 4)
    return cv2.GaussianBlur(image, (0, 0), 0.7)


@pytest.mark.parametrize("light", [200, 10])
def test_sights_lie_where_they_are_on_light_and_dark_rails(light: int) -> None:
    camera = from_the_side()
    points = sight_points(rails(camera, 18, light), camera, WPA_TABLE)
    assert len(points.px) == 2 * 18 and points.on_sight.all()
    v = start_values(WPA_TABLE)
    v[SIGHT] = TRUE_MM
    z = np.full(len(points.px), v[NOSE] + v[LIFT])
    off = distances(plane_points(camera, points.px, z), points.mark, v)[0]
    assert np.abs(off).max() < 1.5


def test_a_few_dots_are_chalk_and_screws() -> None:
    camera = from_the_side()
    assert len(sight_points(rails(camera, 5), camera, WPA_TABLE).px) == 0
