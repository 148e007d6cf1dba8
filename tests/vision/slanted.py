"""A camera over the table at a slant, for tests of what is seen of single balls."""

import numpy as np

from calibration.camera import Camera, rotation_vector

R = 26.25
"""Radius of a snooker ball, mm."""


def camera_over_table(tilt: float) -> Camera:
    """2.7 m up, near the middle, tilted by so many radians about the table's length."""
    down = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    c, s = np.cos(tilt), np.sin(tilt)
    towards = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ down
    x, y, z = (-towards @ np.array([300.0, 1784.5, 2700.0])).tolist()
    return Camera(1920, 1080, "radial", 1420.0, 959.5, 539.5, (-0.08,), rotation_vector(towards), (x, y, z))
