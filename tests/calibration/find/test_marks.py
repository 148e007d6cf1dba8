"""Baulk line and D are found where a first camera does not yet put them, and measured in their middle."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from random_layout import random_layout_image
from scipy.spatial.transform import Rotation

from calibration.camera import Camera
from calibration.find.marks import find_baulk, line_px, measure_baulk
from calibration.solve.unknowns import ARC, BAULK
from calibration.table.specs import SNOOKER_TABLE

SEED = 5042
"""A picture whose line and D stand out well."""


def turned_by(camera: Camera, angle_rad: float) -> Camera:
    """The camera that believes the table lies turned about its own baulk spot."""
    here = np.array([0.0, SNOOKER_TABLE.baulk_line_mm or 0.0, 0.0])
    r = camera.matrix_camera_from_table
    turn = Rotation.from_euler("z", angle_rad).as_matrix()
    t = np.asarray(camera.translation_mm) + r @ (here - turn @ here)
    vector = Rotation.from_matrix(r @ turn).as_rotvec()
    return replace(
        camera, rotation=tuple(float(v) for v in vector), translation_mm=tuple(float(v) for v in t)
    )


@pytest.mark.parametrize("angle_rad", [-0.018, 0.018])
def test_a_line_that_leans_against_the_cushions_is_found(angle_rad: float) -> None:
    """Posed by the noses alone, a camera may turn what lies on the cloth: the line leans by more than its
    width.
    """
    rgb, truth = random_layout_image(SEED, 1280, 720, people=0.0)
    image, table = np.ascontiguousarray(rgb[..., ::-1]), truth.table
    camera = turned_by(truth.camera, angle_rad)
    straight = find_baulk(image, camera, table)
    leaning = find_baulk(image, camera, table, leaning=True)
    assert leaning is not None
    assert straight is None, "a parallel to the cushion smears the line away"
    seen = truth.camera.table_from_pixels(line_px(camera, leaning, table), 0.0)
    assert np.abs(seen[:, 1] - table.baulk_line_mm).max() < 4.0, "a pixel is 3 mm"


def drawn(camera: Camera, width_mm: float) -> npt.NDArray[np.uint8]:
    """A cloth with baulk line and D of that width, and grain."""
    assert SNOOKER_TABLE.baulk_line_mm is not None and SNOOKER_TABLE.d_radius_mm is not None
    v, u = np.mgrid[0 : camera.height_px, 0 : camera.width_px]
    at = camera.table_from_pixels(np.column_stack((u.ravel(), v.ravel())).astype(np.float64), 0.0)
    line = np.abs(at[:, 1] - SNOOKER_TABLE.baulk_line_mm)
    arc = np.abs(np.hypot(at[:, 0], at[:, 1] - SNOOKER_TABLE.baulk_line_mm) - SNOOKER_TABLE.d_radius_mm)
    arc[at[:, 1] > SNOOKER_TABLE.baulk_line_mm] = np.inf
    scale = camera.centre_mm[2] / camera.focal_px
    cover = np.clip((width_mm / 2 - np.minimum(line, arc)) / scale + 0.5, 0.0, 1.0).reshape(
        camera.height_px, camera.width_px, 1
    )
    cloth, chalk = np.array([60.0, 110.0, 40.0]), np.array([150.0, 160.0, 150.0])
    grain = np.random.default_rng(3).normal(0.0, 2.0, (camera.height_px, camera.width_px, 1))
    picture = cv2.GaussianBlur(cloth + cover * (chalk - cloth), (0, 0), 0.7) + grain
    return np.asarray(np.clip(picture, 0, 255), np.uint8)


@pytest.mark.parametrize("width_mm", [2.5, 4.0, 6.0])
def test_a_line_several_pixels_wide_is_measured_in_its_middle(width_mm: float) -> None:
    """At 4K a line is 3 to 6 px wide: a fine filter finds its edges, 2 mm off."""
    r = np.diag([1.0, -1.0, -1.0])
    centre = np.array([0.0, 600.0, 2700.0])
    t = -r @ centre
    camera = Camera(
        2200,
        1000,
        "radial",
        2700.0,
        1099.5,
        499.5,
        (0.0, 0.0),
        tuple(Rotation.from_matrix(r).as_rotvec()),
        tuple(float(c) for c in t),
    )
    image = drawn(camera, width_mm)
    marks = find_baulk(image, camera, SNOOKER_TABLE)
    assert marks is not None and marks.arc is not None
    points = measure_baulk(image, camera, marks, SNOOKER_TABLE, 5.0)
    at = camera.table_from_pixels(points.px, 0.0)
    line = at[points.mark == BAULK, 1] - SNOOKER_TABLE.baulk_line_mm
    assert float(np.median(np.abs(line))) < 0.2
    arc = at[points.mark == ARC] - (0.0, SNOOKER_TABLE.baulk_line_mm)
    assert float(np.median(np.abs(np.hypot(*arc.T) - SNOOKER_TABLE.d_radius_mm))) < 0.2
