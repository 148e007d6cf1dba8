"""Sights in the rails: found where they are, told from chalk by their number, and what they are good for."""

from __future__ import annotations

from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.find.sights import sight_points
from calibration.find.table import Found
from calibration.solve.candidate import CLEAN_OFF, MOST_OFF, landmarks_off
from calibration.solve.model import Points, distances, plane_points
from calibration.solve.refine import points_of
from calibration.solve.unknowns import ENDS, LIFT, NOSE, SIGHT, SIGHT_RAILS, start_values
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec, british_table

TRUE_MM = 102.0
"""Another maker's distance from the noses than the one expected."""


def from_the_side(table: TableSpec = WPA_TABLE) -> Camera:
    """45 degrees from the side, 2.8 m from the table's middle, 1280 pixels."""
    middle, away = np.array([0.0, table.length_mm / 2, 0.0]), np.array([2000.0, 0.0, 2000.0])
    ahead = -away / np.linalg.norm(away)
    right = np.array([0.0, 1.0, 0.0])
    turn = np.stack([right, np.cross(ahead, right), ahead])
    shift = -turn @ (middle + away)
    return Camera(
        1280, 720, "radial", 1100.0, 639.5, 359.5, (0.0,), rotation_vector(turn), tuple(shift.tolist())
    )


def rails(camera: Camera, sights: int, light: int = 200, t: TableSpec = WPA_TABLE) -> np.ndarray:
    """A dark table with its first `sights` sights of 12 mm, in light grey, and nothing else."""
    w = t.half_width_mm + TRUE_MM
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


@pytest.mark.parametrize(
    ("table", "has"), [(WPA_TABLE, 36), (british_table(1828.0, 914.0, 50.8), 36), (SNOOKER_TABLE, 0)]
)
def test_tables_of_pool_and_black_ball_are_solved_by_their_sights(table: TableSpec, has: int) -> None:
    camera = from_the_side(table)
    image = rails(camera, 18, t=table)
    found = Found(camera, (np.full(3, 40.0),) * 4, None, 1.0, 0.0)
    points = points_of(image, camera, table, found, 5.0, (0.5,) * 4)
    assert points.on_sight.sum() == has


def test_sights_where_they_should_be_make_up_for_pockets_of_the_cloths_colour() -> None:
    """Brass beside a tan cloth: cushions seemed to end 20 sigmas off, and a perfect table was refused."""
    ends, sights = [16.0, -19.0, 0.1], [0.3] * 30
    points = Points.join(
        [Points.of(np.zeros((3, 2)), ENDS[0], 1.0), Points.of(np.zeros((30, 2)), SIGHT_RAILS[0], 1.0)]
    )

    def off(*sigmas: float) -> float:
        return landmarks_off(SimpleNamespace(residual_px=np.array(sigmas)), points)  # type: ignore[arg-type]

    assert off(*ends, *sights) < CLEAN_OFF
    assert off(*ends, *(20.0 * s for s in sights)) > CLEAN_OFF
    assert off(*ends, *(60.0 * s for s in sights)) > MOST_OFF
