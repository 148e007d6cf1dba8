"""A ball's outline is that of a sphere of known size under the camera; its centre comes to sub-pixel."""

import numpy as np
import pytest

from calibration.camera import Camera
from vision.outline import fit_outlines, silhouette_mm
from vision.picture import Picture

R = 26.25
CAMERA = Camera(960, 540, "radial", 620.0, 479.5, 269.5, (-0.03, 0.01), (2.2, 2.2, -0.05), (-1780.0, 20.0, 2800.0))


def draw_spheres(centres: list[tuple[float, float]], ball: float = 200.0, cloth: float = 90.0) -> Picture:
    """A picture by casting a ray through each of 3x3 sub-pixels: inside a sphere or not."""
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


def test_silhouette_touches_the_sphere_at_right_angles() -> None:
    eye = np.array([100.0, 1500.0, 2500.0])
    centre = np.array([[800.0, 3300.0, R]])
    points = silhouette_mm(centre, R, eye)[0]
    assert np.linalg.norm(points - centre, axis=1) == pytest.approx(np.full(len(points), R))
    assert np.sum((points - centre) * (eye - points), axis=1) == pytest.approx(np.zeros(len(points)), abs=1e-6)


def test_centres_come_back_to_a_twentieth_of_a_pixel_all_over_the_table() -> None:
    rng = np.random.default_rng(5)
    true = [(x, y) for x in (-840.0, -300.0, 420.0, 850.0) for y in (30.0, 700.0, 1800.0, 2900.0, 3530.0)]
    start = np.array(true) + rng.normal(0, 2.5, (len(true), 2))
    fits = fit_outlines(draw_spheres(true), CAMERA, R, start, prior_mm=20.0)
    errors = [np.hypot(f.x_mm - x, f.y_mm - y) for f, (x, y) in zip(fits, true, strict=True) if f is not None]
    assert len(errors) == len(true)
    assert max(errors) < 0.25  # a pixel is 4.5 mm here: a twentieth


def test_touching_balls_do_not_pull_each_other_by_more_than_a_tenth_of_a_pixel() -> None:
    true = [(0.0, 1000.0), (2 * R, 1000.0), (R, 1000.0 + R * np.sqrt(3))]
    fits = fit_outlines(draw_spheres(true), CAMERA, R, np.array(true) + 1.0)
    for fit, (x, y) in zip(fits, true, strict=True):
        assert fit is not None and np.hypot(fit.x_mm - x, fit.y_mm - y) < 0.5


def test_a_faint_outline_leaves_the_given_centre_and_says_so() -> None:
    start = np.array([(0.0, 1000.0)])
    clear = fit_outlines(draw_spheres([(1.0, 1000.0)]), CAMERA, R, start)[0]
    faint = fit_outlines(draw_spheres([(1.0, 1000.0)], ball=108.0), CAMERA, R, start)[0]
    assert clear is not None and clear.sigma_mm < 0.5
    assert faint is None or faint.sigma_mm > 1.0


def test_no_ball_no_fit() -> None:
    assert fit_outlines(draw_spheres([]), CAMERA, R, np.array([(0.0, 1000.0)])) == [None]
    assert fit_outlines(draw_spheres([]), CAMERA, R, np.zeros((0, 2))) == []
