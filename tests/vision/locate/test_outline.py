"""A ball's outline is that of a sphere of known size under the camera; its centre comes to sub-pixel."""

import numpy as np
import pytest
from ball_scenes import CAMERA, R, draw_spheres

from vision.locate.outline import fit_outlines, silhouette_mm


def test_silhouette_touches_the_sphere_at_right_angles() -> None:
    eye = np.array([100.0, 1500.0, 2500.0])
    centre = np.array([[800.0, 3300.0, R]])
    points = silhouette_mm(centre, R, eye)[0]
    assert np.linalg.norm(points - centre, axis=1) == pytest.approx(np.full(len(points), R))
    assert np.sum((points - centre) * (eye - points), axis=1) == pytest.approx(
        np.zeros(len(points)), abs=1e-6
    )


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


def test_a_faint_outline_keeps_the_given_centre_with_a_large_sigma() -> None:
    start = np.array([(0.0, 1000.0)])
    clear = fit_outlines(draw_spheres([(1.0, 1000.0)]), CAMERA, R, start)[0]
    faint = fit_outlines(draw_spheres([(1.0, 1000.0)], ball=108.0), CAMERA, R, start)[0]
    assert clear is not None and clear.sigma_mm < 0.5
    assert faint is not None and faint.sigma_mm > 1.0


def test_without_a_ball_there_is_no_fit() -> None:
    assert fit_outlines(draw_spheres([]), CAMERA, R, np.array([(0.0, 1000.0)])) == [None]
    assert fit_outlines(draw_spheres([]), CAMERA, R, np.zeros((0, 2))) == []
