"""What calibration may not know and must say: a hidden nose, the table's own size, the kind of lens."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest

from calibration.camera import Camera, CameraModel, rotation_vector
from calibration.errors import UnusableInput
from calibration.solve.model import Fit, Points, Rival, solve
from calibration.solve.refine import (
    ROUNDED_MM,
    lens_priors,
    margin_priors,
    other_model,
    settled_lens,
    sigma_model,
)
from calibration.solve.unknowns import ARC, BAULK, LEFT, RIGHT, SIDES
from calibration.table.parse import parse_table
from calibration.table.specs import SNOOKER_TABLE, TableSpec

FloatArray = npt.NDArray[np.float64]
TOLD = replace(SNOOKER_TABLE, nose_height_sigma_mm=0.3)


def camera_at(x_mm: float, height_mm: float) -> Camera:
    """Looks at the table's middle from beside it, the table lying across the picture."""
    ahead = np.array([-x_mm, 0.0, -height_mm]) / np.hypot(x_mm, height_mm)
    right = np.array([0.0, 1.0, 0.0])
    turn = np.stack((right, np.cross(ahead, right), ahead))
    t = -turn @ np.array([x_mm, 1784.5, height_mm])
    return Camera(
        1280, 720, "radial", 700.0, 639.5, 359.5, (-0.05, 0.0), rotation_vector(turn), tuple(t.tolist())
    )


def points_on(camera: Camera, table: TableSpec, outside_mm: tuple[float, float, float, float]) -> Points:
    """Exact points on noses (seen `outside_mm` beside them), baulk line and D."""
    w, top, z = table.half_width_mm, table.length_mm, table.nose_height_mm
    a, b, c, d = outside_mm
    lines = [
        ((-w, -a), (w, -a)),
        ((-w, top + b), (w, top + b)),
        ((-w - c, 0), (-w - c, top)),
        ((w + d, 0), (w + d, top)),
    ]
    share = np.linspace(0.05, 0.95, 60)[:, None]
    parts = []
    for side, (first, last) in zip(SIDES, lines, strict=True):
        flat = np.array(first) + share * (np.array(last) - np.array(first))
        parts.append(Points.of(camera.pixels_from_table(np.column_stack((flat, np.full(60, z)))), side, 0.5))
    assert table.baulk_line_mm is not None and table.d_radius_mm is not None
    across = np.column_stack((np.linspace(-w, w, 60), np.full(60, table.baulk_line_mm), np.zeros(60)))
    parts.append(Points.of(camera.pixels_from_table(across), BAULK, 0.5))
    angle = np.linspace(0, np.pi, 60)
    arc = np.column_stack(
        (table.d_radius_mm * np.cos(angle), table.baulk_line_mm - table.d_radius_mm * np.sin(angle))
    )
    parts.append(Points.of(camera.pixels_from_table(np.column_stack((arc, np.zeros(60)))), ARC, 0.5))
    return Points.join(parts)


def solved(camera: Camera, table: TableSpec, points: Points, margins: bool) -> Fit:
    priors = lens_priors(table, camera, True)
    priors |= margin_priors(camera, table) if margins else {}
    start = {name: mean for name, (mean, _) in priors.items() if name.startswith("m")}
    return solve(camera, table, points, priors, start, bent=True)


def worst_mm(fit: Fit, camera: Camera) -> float:
    at = np.array([(x, y, 26.25) for x in (-850.0, 0.0, 850.0) for y in (50.0, 1784.0, 3500.0)])
    back = fit.camera.table_from_pixels(camera.pixels_from_table(at), 26.25)
    return float(np.linalg.norm(back - at[:, :2], axis=1).max())


def test_a_nose_seen_from_beyond_has_a_wide_margin() -> None:
    """Its shadow is hidden: the edge that is seen may lie millimetres up the cushion."""
    camera = camera_at(1300.0, 2200.0)
    loose = margin_priors(camera, TOLD)
    assert loose[f"m{RIGHT}"][1] > 5.0 > 1.0 > loose[f"m{LEFT}"][1]
    points = points_on(camera, TOLD, (ROUNDED_MM, ROUNDED_MM, ROUNDED_MM, 7.0))
    assert worst_mm(solved(camera, TOLD, points, margins=True), camera) < 1.0
    assert worst_mm(solved(camera, TOLD, points, margins=False), camera) > 1.5


def test_the_size_of_a_table_of_unknown_size_is_estimated() -> None:
    """The marks are where the rules put them, so they give the scale; what is not known enters every
    sigma.
    """
    camera = camera_at(150.0, 2600.0)
    other = replace(TOLD, length_mm=3575.0, width_mm=1773.0)
    points = points_on(camera, other, (ROUNDED_MM,) * 4)
    untold = replace(TOLD, dimension_sigma_mm=6.0)
    fit, stiff = (solved(camera, t, points, margins=True) for t in (untold, TOLD))
    assert abs(fit.table.width_mm - 1773.0) < abs(stiff.table.width_mm - 1773.0) / 2
    assert sigma_model(fit, untold).at(1.0, 1.0) > 1.5 * sigma_model(
        solved(camera, other, points, True), other
    ).at(1.0, 1.0)


def test_an_estimated_size_is_noted() -> None:
    assert parse_table("3569x1778", None).dimension_sigma_mm == 0.0
    about = parse_table("~3569x1778", None)
    assert about.dimension_sigma_mm == pytest.approx(3.0)
    assert (about.length_mm, about.width_mm) == (3569.0, 1778.0)
    assert parse_table(" ~ 1881x943", 52.3).dimension_sigma_mm == pytest.approx(3.0 * 1881 / 3569)


def test_a_measured_nose_height_reduces_sigma() -> None:
    """No rule gives the height: what a picture from above cannot tell, a ruler at the table can."""
    camera = camera_at(900.0, 2300.0)
    points = points_on(camera, replace(TOLD, nose_height_mm=33.8), (ROUNDED_MM,) * 4)
    told, untold = parse_table("3569x1778", None, 33.8), parse_table("3569x1778", None)
    sure, unsure = (solved(camera, t, points, margins=True) for t in (told, untold))
    assert worst_mm(sure, camera) < 0.7 * worst_mm(unsure, camera)
    assert sigma_model(sure, told).at(800.0, 3500.0) < sigma_model(unsure, untold).at(800.0, 3500.0)
    assert abs(sure.table.nose_height_mm - 33.8) < 0.3


@pytest.mark.parametrize(("nose_mm", "ball_mm"), [(26.0, None), (45.0, 52.5), (0.0, 57.15)])
def test_a_nose_height_at_which_no_table_works_is_refused(nose_mm: float, ball_mm: float | None) -> None:
    with pytest.raises(UnusableInput, match="--nose: expected a height of"):
        parse_table("3569x1778", ball_mm, nose_mm)


def test_sigma_does_not_hang_on_where_the_search_began() -> None:
    """From straight above, focal length and height can hardly be told apart: half a metre off at first."""
    camera = camera_at(150.0, 2600.0)
    points = points_on(camera, TOLD, (ROUNDED_MM,) * 4)
    near = solved(camera, TOLD, points, margins=True)
    x, y, z = camera.translation_mm
    far = replace(camera, focal_px=1.3 * camera.focal_px, translation_mm=(x, y, 1.3 * z))
    other = solved(far, TOLD, points, margins=True)
    places = [(u, v) for u in (-1.0, 0.0, 1.0) for v in (-1.0, 0.0, 1.0)]
    for u, v in places:
        assert sigma_model(other, TOLD).at(u, v) == pytest.approx(sigma_model(near, TOLD).at(u, v), rel=0.2)


def test_a_faint_side_has_a_larger_offset_of_its_own() -> None:
    """Its points agree with one another, and are all as far off."""
    camera = camera_at(150.0, 2600.0)
    points = points_on(camera, TOLD, (ROUNDED_MM,) * 4)
    faint = replace(points, sigma_px=np.where(points.mark <= RIGHT, 3.0, 1.0) * points.sigma_px)
    clear, dim = (sigma_model(solved(camera, TOLD, p, True), TOLD).at(0.0, 0.0) for p in (points, faint))
    assert dim > 1.5 * clear


def test_doubt_about_the_lens_enters_sigma() -> None:
    camera = camera_at(150.0, 2600.0)
    fit = solved(camera, TOLD, points_on(camera, TOLD, (ROUNDED_MM,) * 4), margins=True)
    bent = replace(camera, distortion=(-0.04, 0.0))
    doubted = replace(fit, rivals=(Rival(camera, bent, 0.4),))
    sure = replace(fit, rivals=(Rival(camera, bent, 0.0),))
    assert sigma_model(sure, TOLD).at(1.0, 1.0) == pytest.approx(sigma_model(fit, TOLD).at(1.0, 1.0))
    assert sigma_model(doubted, TOLD).at(1.0, 1.0) > 1.5 * sigma_model(fit, TOLD).at(1.0, 1.0)


@pytest.mark.parametrize(("model", "k1"), [("radial", -0.05), ("fisheye", 0.0)])
def test_the_lens_model_is_chosen_by_held_out_points(model: CameraModel, k1: float) -> None:
    """Wide enough to tell them apart: either is recognised, beginning from the other model."""
    base = camera_at(150.0, 2000.0)
    camera = replace(base, model=model, distortion=(k1, 0.0), focal_px=520.0)
    points = points_on(camera, TOLD, (ROUNDED_MM,) * 4)
    begun = solve(other_model(camera), TOLD, points, lens_priors(TOLD, other_model(camera), True), bent=True)
    fit = settled_lens(begun, TOLD, points)
    assert fit.camera.model == model
    assert fit.rivals[0].doubt < 0.5


def test_where_both_lens_models_predict_alike_the_usual_lens_is_chosen() -> None:
    """A fisheye's distortion that undoes its own is two sigmas from usual, and not ruled out."""
    camera = replace(camera_at(150.0, 3200.0), focal_px=1100.0)
    points = points_on(camera, TOLD, (ROUNDED_MM,) * 4)
    begun = solve(other_model(camera), TOLD, points, lens_priors(TOLD, other_model(camera), True), bent=True)
    fit = settled_lens(begun, TOLD, points)
    assert fit.camera.model == "radial"
    assert 0.01 < fit.rivals[0].doubt < 0.1


def test_a_long_lens_is_expected_from_the_side_only() -> None:
    """Above a table it would hang at seven metres; from the side television has them."""

    def prior(focal_px: float, aside_mm: float) -> float:
        camera = replace(camera_at(aside_mm, 3500.0), focal_px=focal_px)
        return math.exp(lens_priors(TOLD, camera, True)["log_focal"][0])

    assert prior(900.0, 0.0) == prior(1800.0, 0.0) == prior(900.0, 4000.0) == pytest.approx(0.75)
    assert prior(1800.0, 4000.0) == prior(3200.0, 4000.0) == pytest.approx(2.5)
