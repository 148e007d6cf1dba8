"""Tables seen from their end: the far cushion's face, faint marks, a camera turned to the other end."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.find.marks import BaulkMarks, Line, stands_out, turned
from calibration.find.table import seen_faces_mm
from calibration.table.specs import SNOOKER_TABLE


def from_beyond_the_spot_end(y_mm: float = 10_000.0, height_mm: float = 3_600.0) -> Camera:
    """Television's camera: behind the spot end, looking at the table's middle."""
    away = np.array([0.0, SNOOKER_TABLE.length_mm / 2 - y_mm, -height_mm])
    forward = away / np.linalg.norm(away)
    right = np.array([-1.0, 0.0, 0.0])
    matrix = np.stack((right, np.cross(forward, right), forward))
    t = -matrix @ np.array([0.0, y_mm, height_mm])
    return Camera(
        1280, 720, "radial", 2800.0, 639.5, 359.5, (0.0, 0.0), rotation_vector(matrix), tuple(t.tolist())
    )


def test_the_far_cushions_face_looks_wider_than_its_top_and_the_near_ones_is_turned_away() -> None:
    bottom, top, left, right = seen_faces_mm(from_beyond_the_spot_end(), SNOOKER_TABLE)
    nose = SNOOKER_TABLE.nose_height_mm
    assert bottom == pytest.approx(nose * 10_000.0 / (3_600.0 - nose))
    assert bottom > 50.0 > left == pytest.approx(right)
    assert top == 0.0


@pytest.mark.parametrize(
    ("line", "arc", "seen"), [(7.5, None, True), (5.5, 4.6, True), (5.5, None, False), (4.0, 3.5, False)]
)
def test_a_faint_linestands_out_by_the_d_that_belongs_to_it(
    line: float, arc: float | None, seen: bool
) -> None:
    colour = np.array([0.6, 0.6, 0.5])
    d = None if arc is None else Line(0.0, colour, arc)
    assert stands_out(BaulkMarks(737.0, 292.0, Line(0.0, colour, line), d), True) is seen


def test_a_camera_turned_to_the_other_end_shows_the_same_picture() -> None:
    camera = from_beyond_the_spot_end()
    at = np.array([(300.0, 737.0, 0.0), (-800.0, 3000.0, 35.0)])
    mirrored = at * (-1, -1, 1) + (0.0, SNOOKER_TABLE.length_mm, 0.0)
    np.testing.assert_allclose(
        turned(camera, SNOOKER_TABLE).pixels_from_table(mirrored), camera.pixels_from_table(at), atol=1e-6
    )
