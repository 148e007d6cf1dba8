"""Cameras over a table and pictures of plain spheres, for tests that measure single balls."""

import numpy as np

from calibration.camera import Camera, rotation_vector
from vision.io.picture import Picture

R = 26.25
"""Radius of a snooker ball, mm."""

CAMERA = Camera(
    960, 540, "radial", 620.0, 479.5, 269.5, (-0.03, 0.01), (2.2, 2.2, -0.05), (-1780.0, 20.0, 2800.0)
)


def draw_spheres(centres: list[tuple[float, float]], ball: float = 200.0, cloth: float = 90.0) -> Picture:
    """A picture of spheres at (x, y) mm under `CAMERA`, by casting a ray through each of 3 x 3 sub-pixels."""
    camera = CAMERA
    s = 3
    x, y = np.meshgrid((np.arange(960 * s) + 0.5) / s - 0.5, (np.arange(540 * s) + 0.5) / s - 0.5)
    eye = np.array(camera.centre_mm)
    luma = np.full(x.shape, cloth, np.float32)
    for cx, cy in centres:
        px = camera.pixels_from_table([(cx, cy, R)])[0]
        near = (np.abs(x - px[0]) < 25) & (np.abs(y - px[1]) < 25)
        rays = camera.rays_from_pixels(np.column_stack((x[near], y[near])))
        to = np.array([cx, cy, R]) - eye
        along = rays @ to
        miss = np.sqrt(np.maximum(to @ to - along**2, 0))
        part = luma[near]
        part[miss < R] = ball
        luma[near] = part
    small = luma.reshape(540, s, 960, s).mean(axis=(1, 3))
    chroma = np.full((270, 480), 128, np.uint8)
    return Picture(np.rint(small).astype(np.uint8), chroma, chroma, "601", True)


def camera_over_table(tilt: float) -> Camera:
    """2.7 m up, near the middle, tilted by so many radians about the table's length."""
    down = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])
    c, s = np.cos(tilt), np.sin(tilt)
    towards = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]) @ down
    x, y, z = (-towards @ np.array([300.0, 1784.5, 2700.0])).tolist()
    return Camera(1920, 1080, "radial", 1420.0, 959.5, 539.5, (-0.08,), rotation_vector(towards), (x, y, z))
