"""A ball seen at a slant is placed less surely along the view than across it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import Camera
from vision.locate.slant import along_axes, per_axis_mm, slants


def above(height_mm: float) -> Camera:
    """A camera over the origin that looks straight down."""
    down = (np.pi, 0.0, 0.0)
    return Camera(1280, 720, "radial", 900.0, 640.0, 360.0, (0.0,), down, (0.0, 0.0, height_mm))


def test_straight_below_the_camera_both_directions_are_alike() -> None:
    _, times = slants(above(3_000.0), np.zeros((1, 2)))
    assert times == pytest.approx([1.0])
    assert per_axis_mm(above(3_000.0), 0.0, 0.0, 0.4) == pytest.approx(0.4)


def test_at_forty_five_degrees_depth_is_twice_as_unsure() -> None:
    direction, times = slants(above(3_000.0), np.array([[0.0, 3_000.0]]))
    assert times == pytest.approx([2.0])
    x, y = along_axes(np.array([0.4]), direction, times)[0]
    assert (x, y) == pytest.approx((0.4, 0.8))


@given(st.floats(-3000, 3000), st.floats(1, 3000), st.floats(0.1, 5.0))
def test_the_variances_of_both_axes_add_up_to_twice_that_of_one(x: float, y: float, sigma: float) -> None:
    direction, times = slants(above(2_500.0), np.array([[x, y]]))
    axis = per_axis_mm(above(2_500.0), x, y, sigma)
    assert np.sum(along_axes(np.array([sigma]), direction, times) ** 2) == pytest.approx(2 * axis**2)
