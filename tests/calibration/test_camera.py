"""The camera model: the same image as OpenCV's, an exact way back, nan where a lens sees nothing."""

from __future__ import annotations

import math

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calibration.camera import Camera, CameraModel, rotation_matrix, rotation_vector

LOOKING_DOWN = np.diag([1.0, -1.0, -1.0])


def above(model: CameraModel, tilt_rad: float, roll_rad: float, k1: float, focal_px: float = 600.0) -> Camera:
    """A camera 2.7 m above the middle of a full-size table."""
    turn = cv2.Rodrigues(np.array([tilt_rad, 0.0, 0.0]))[0] @ cv2.Rodrigues(np.array([0.0, 0.0, roll_rad]))[0]
    rotation = np.asarray(turn @ LOOKING_DOWN, dtype=np.float64)
    t = -rotation @ np.array([30.0, 1784.5, 2700.0])
    return Camera(
        1280,
        720,
        model,
        focal_px,
        641.0,
        357.0,
        (k1, 0.02 * k1),
        rotation_vector(rotation),
        (float(t[0]), float(t[1]), float(t[2])),
    )


GRID = np.array(
    [(x, y, z) for x in (-889.0, 0.0, 889.0) for y in (0.0, 1784.5, 3569.0) for z in (0.0, 26.25, 34.0)]
)


@pytest.mark.parametrize("model", ["radial", "fisheye"])
def test_projects_as_opencv_does(model: CameraModel) -> None:
    camera = above(model, 0.2, 0.3, -0.08)
    k = np.array([[600.0, 0, 641.0], [0, 600.0, 357.0], [0, 0, 1]])
    d = np.array([*camera.distortion, 0.0, 0.0])
    rvec, tvec = np.array(camera.rotation), np.array(camera.translation_mm)
    if model == "radial":
        expected = cv2.projectPoints(GRID, rvec, tvec, k, d)[0]
    else:
        expected = cv2.fisheye.projectPoints(GRID[:, None], rvec, tvec, k, d)[0]
    assert np.allclose(camera.pixels_from_table(GRID), expected.reshape(-1, 2), atol=1e-6)


@settings(max_examples=60)
@given(
    model=st.sampled_from(["radial", "fisheye"]),
    tilt=st.floats(-0.6, 0.6),
    roll=st.floats(-math.pi, math.pi),
    k1=st.floats(-0.12, 0.12),
    z=st.floats(0.0, 60.0),
)
def test_the_inverse_projection_is_exact(
    model: CameraModel, tilt: float, roll: float, k1: float, z: float
) -> None:
    camera = above(model, tilt, roll, k1)
    points = GRID.copy()
    points[:, 2] = z
    px = camera.pixels_from_table(points)
    seen = np.isfinite(px).all(axis=1)
    assert seen.any()
    back = camera.table_from_pixels(px[seen], z)
    assert np.allclose(back, points[seen, :2], atol=1e-5)


@settings(max_examples=100)
@given(st.tuples(*[st.floats(-1.7, 1.7)] * 3))
def test_rotation_vectors_round_trip(rvec: tuple[float, float, float]) -> None:
    matrix = rotation_matrix(rvec)
    assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-9)
    assert np.allclose(rotation_matrix(rotation_vector(matrix)), matrix, atol=1e-9)


def test_a_point_behind_the_camera_has_no_image() -> None:
    camera = above("radial", 0.0, 0.0, 0.0)
    assert np.isnan(camera.pixels_from_table([(0.0, 1784.5, 5000.0)])).all()


def test_a_ray_above_the_horizon_meets_no_cloth() -> None:
    camera = above("fisheye", 1.2, 0.0, 0.0, focal_px=200.0)
    ground = camera.table_from_pixels([(641.0, 357.0), (641.0, -300.0), (641.0, 1100.0)], 0.0)
    assert np.isnan(ground).any(), "one of these rays points upwards"
    assert np.isfinite(ground[0]).all()


def test_the_centre_is_where_the_camera_was_put() -> None:
    assert np.allclose(above("radial", 0.3, 1.0, 0.0).centre_mm, (30.0, 1784.5, 2700.0), atol=1e-6)


@pytest.mark.parametrize(
    "change", [{"focal_px": 0.0}, {"focal_px": math.nan}, {"width_px": 0}, {"model": "pinhole"}]
)
def test_impossible_cameras_are_refused(change: dict[str, float | str]) -> None:
    values: dict[str, object] = {
        "width_px": 10,
        "height_px": 10,
        "model": "radial",
        "focal_px": 5.0,
        "cx_px": 4.5,
        "cy_px": 4.5,
        "distortion": (),
        "rotation": (0.0, 0.0, 0.0),
        "translation_mm": (0.0, 0.0, 1.0),
        **change,
    }
    with pytest.raises(ValueError, match="got"):
        Camera(**values)  # type: ignore[arg-type]
