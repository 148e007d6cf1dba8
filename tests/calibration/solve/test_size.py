"""An untold table: as good as told where it was made to the rule's size, honest where it was not (issue 4).

Points are exact (plus what their sigmas say, seeded), so that what is tested is what the solver makes of
not knowing the size, not how well edges are read.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from test_priors import camera_at, points_on

from calibration.camera import Camera
from calibration.solve.model import Fit, Points, solve
from calibration.solve.refine import ROUNDED_MM, lens_priors, margin_priors, sharpened, sigma_model, sized
from calibration.solve.size import (
    MADE_SHARE,
    MADE_SIGMA_MM,
    SURE_OF_SIZE,
    held_table,
    settled_size,
    size_by_balls,
    with_size,
)
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec, has_rules_size, small_table

FloatArray = npt.NDArray[np.float64]
UNTOLD = replace(SNOOKER_TABLE, dimension_sigma_mm=3.0)
CAMERA = camera_at(150.0, 2600.0)
FIELD = np.array([(x, y, 26.25) for x in (-850.0, 0.0, 850.0) for y in (50.0, 1784.0, 3500.0)])


def seen(table: TableSpec, camera: Camera, seed: int) -> Points:
    """Points on a table as its edges are read: each side beside its nose by 0.2 mm, each point by 0.07 px
    (one sigma).
    """
    rng = np.random.default_rng(seed)
    beside = ROUNDED_MM + rng.normal(0, 0.2, 4)
    a, b, c, d = (float(v) for v in beside)
    points = points_on(camera, table, (a, b, c, d))
    return sharpened(replace(points, px=points.px + rng.normal(0, 0.07, points.px.shape)))


def solved(told: TableSpec, points: Points, camera: Camera = CAMERA) -> Fit:
    priors = {**lens_priors(told, camera, True), **margin_priors(camera, told)}
    start = {name: mean for name, (mean, _) in priors.items() if name.startswith("m")}
    return sized(solve(camera, told, points, priors, start, bent=True), told, points)


def error_mm(fit: Fit, camera: Camera = CAMERA) -> FloatArray:
    """(N, 2) how far places of `FIELD` come out from where they are."""
    back = fit.camera.table_from_pixels(camera.pixels_from_table(FIELD), 26.25)
    return np.asarray(back - FIELD[:, :2], dtype=np.float64)


@pytest.mark.parametrize("longer_mm", [-8.0, 8.0])
def test_what_lies_on_a_spot_is_there_however_far_off_the_size_is(longer_mm: float) -> None:
    """The spots of the table as found move with pink and blue, and what is stated of their distance does not
    hold the size's error.
    """
    made = replace(SNOOKER_TABLE, length_mm=3569.0 + longer_mm, width_mm=1778.0 + longer_mm / 2)
    fit = solved(UNTOLD, seen(made, CAMERA, 5))
    place, against = sigma_model(fit, UNTOLD), sigma_model(fit, UNTOLD, against_spots=True)
    for colour in ("blue", "pink"):
        x, y = made.spots[colour]
        at = fit.camera.table_from_pixels(CAMERA.pixels_from_table([(x, y, 26.25)]), 26.25)[0]
        off = math.dist(at, fit.table.spots[colour])
        v = 2 * y / made.length_mm - 1
        assert against.at(0.0, v) < 0.75 * place.at(0.0, v)
        assert off < 3.0 * against.at(0.0, v)


def test_of_a_told_table_both_sigmas_are_one() -> None:
    fit = solved(SNOOKER_TABLE, seen(SNOOKER_TABLE, CAMERA, 5))
    assert sigma_model(fit, SNOOKER_TABLE) == sigma_model(fit, SNOOKER_TABLE, against_spots=True)


def test_a_table_of_the_rules_size_is_as_good_when_its_size_is_unknown() -> None:
    """Half a table's misfit at its ends is what one sigma of a made table's length (0.4 mm) can do."""
    worse = []
    for seed in range(8):
        points = seen(SNOOKER_TABLE, CAMERA, seed)
        told, untold = (
            np.linalg.norm(error_mm(solved(t, points)), axis=1).max() for t in (SNOOKER_TABLE, UNTOLD)
        )
        worse.append(untold - told)
    assert float(np.median(worse)) < MADE_SIGMA_MM / 2
    assert max(worse) < 2 * MADE_SIGMA_MM


@pytest.mark.parametrize("size", [(3564.0, 1774.0), (3575.0, 1781.0), (3561.0, 1783.0), (3572.0, 1778.0)])
def test_errors_on_a_table_of_unknown_size_are_within_sigma(
    size: tuple[float, float],
) -> None:
    """Pulled towards the nominal size or not, places keep within three of the sigmas told at them."""
    table = replace(SNOOKER_TABLE, length_mm=size[0], width_mm=size[1])
    for seed in range(4):
        fit = solved(UNTOLD, seen(table, CAMERA, seed))
        sigma = sigma_model(fit, UNTOLD)
        for (x, y, _), off in zip(FIELD, error_mm(fit), strict=True):
            told = sigma.at(x / fit.table.half_width_mm, 2 * y / fit.table.length_mm - 1)
            assert float(np.linalg.norm(off)) < 3 * math.sqrt(2) * told, (size, seed, x, y)


def test_a_size_clearly_not_nominal_is_not_pulled_to_the_nominal_one() -> None:
    """10 mm and 6 mm off, three of the broad prior's sigmas: the narrow part has no say; in between it has
    some.
    """
    made = []
    for off in (0.0, 3.0, 10.0):
        table = replace(SNOOKER_TABLE, length_mm=3569.0 + off, width_mm=1778.0 - 0.6 * off)
        points = seen(table, CAMERA, 3)
        priors = {**lens_priors(UNTOLD, CAMERA, True), **margin_priors(CAMERA, UNTOLD)}
        size = settled_size(solve(CAMERA, UNTOLD, points, priors, bent=True), UNTOLD)
        assert size is not None
        made.append(size.nominal)
    assert made[0] > 2 * MADE_SHARE and made[2] < 0.02
    assert made[0] > made[1] > made[2]


def test_sigma_counts_both_readings_of_the_size() -> None:
    """It lies between that of a told size and that of the broad prior alone, for a table that looks
    nominal.
    """
    points = seen(SNOOKER_TABLE, CAMERA, 1)
    about = replace(SNOOKER_TABLE, length_mm=3569.5, dimension_sigma_mm=3.0)  # no rule's size: broad alone
    at_end = [sigma_model(solved(t, points), t).at(0.0, 1.0) for t in (SNOOKER_TABLE, UNTOLD, about)]
    assert at_end[0] < at_end[1] < at_end[2]


def test_only_sizes_that_a_rule_gives_are_expected() -> None:
    small = replace(small_table(1881.0, 943.0, 52.3), dimension_sigma_mm=2.0)
    assert has_rules_size(UNTOLD) and not has_rules_size(small)
    points = seen(SNOOKER_TABLE, CAMERA, 0)
    broad = solve(
        CAMERA,
        UNTOLD,
        points,
        {**lens_priors(UNTOLD, CAMERA, True), **margin_priors(CAMERA, UNTOLD)},
        bent=True,
    )
    assert settled_size(broad, small) is None


@pytest.mark.parametrize("off_mm", [(20.0, 0.0), (0.0, 20.0), (-10.0, -15.0)])
def test_a_size_told_wrong_is_not_held(off_mm: tuple[float, float]) -> None:
    """From above a picture shows how long a table is for its width. Places keep within three of the sigmas
    stated at them, and a size told right, of the same points, stays as told.
    """
    wrong = replace(SNOOKER_TABLE, length_mm=3569.0 + off_mm[0], width_mm=1778.0 + off_mm[1])
    for seed in range(3):
        points = seen(SNOOKER_TABLE, CAMERA, seed)
        right = solved(SNOOKER_TABLE, points)
        assert right.as_told == 1.0 and right.table.length_mm == 3569.0
        fit = solved(wrong, points)
        assert fit.as_told < 0.1
        assert math.dist((fit.table.length_mm, fit.table.width_mm), (3569.0, 1778.0)) < math.hypot(*off_mm)
        sigma = sigma_model(fit, wrong)
        for (x, y, _), off in zip(FIELD, error_mm(fit), strict=True):
            told = sigma.at(x / fit.table.half_width_mm, 2 * y / fit.table.length_mm - 1)
            assert float(np.linalg.norm(off)) < 3 * math.sqrt(2) * told, (seed, x, y)


def test_a_size_of_which_the_picture_tells_nothing_is_taken_as_told() -> None:
    """Sides that are all faint: their slack is more than what is told wrong."""
    points = seen(SNOOKER_TABLE, CAMERA, 0)
    faint = replace(points, sigma_px=points.sigma_px * 60)
    wrong = replace(SNOOKER_TABLE, length_mm=3579.0)
    assert solved(wrong, faint).as_told == 1.0


@pytest.mark.parametrize("name,length", [("9 ft", 2540.0), ("8 ft", 2235.2), ("7 ft", 1981.2)])
def test_balls_that_look_large_beside_the_table_tell_a_smaller_one(name: str, length: float) -> None:
    looks_mm = 57.15 * 2540.0 / length
    feet = size_by_balls(looks_mm, 0.8, WPA_TABLE)
    assert feet.name == name and feet.length_mm == length and feet.certainty > 0.9


def test_balls_between_two_usual_sizes_leave_both_and_a_wide_sigma() -> None:
    feet = size_by_balls(57.15 * 1.11, 1.5, WPA_TABLE)
    assert {feet.name, feet.rival} == {"8 ft", "8 ft oversize"}
    assert feet.certainty < SURE_OF_SIZE and feet.sigma_mm > 40


def test_the_doubt_of_a_size_is_added_to_a_solution_that_held_it() -> None:
    """How the others hang on the size is the solution's own, however narrowly it was held."""
    points = seen(SNOOKER_TABLE, CAMERA, 1)
    priors = {**lens_priors(UNTOLD, CAMERA, True), **margin_priors(CAMERA, UNTOLD)}
    broad = solve(CAMERA, UNTOLD, points, priors, bent=True)
    size = settled_size(broad, UNTOLD)
    assert size is not None
    rows = [broad.free.index("length"), broad.free.index("width")]
    spread = np.sqrt(np.diag(broad.covariance))
    added = []
    for sigma_mm in (0.02, 0.2):
        narrow = {**priors, "length": (size.mean_mm[0], sigma_mm), "width": (size.mean_mm[1], sigma_mm)}
        held = solve(broad.camera, held_table(UNTOLD, size), points, narrow, bent=True)
        added.append(with_size(held, size).covariance - held.covariance)
        np.testing.assert_allclose(added[-1][np.ix_(rows, rows)], size.covariance, rtol=1e-6)
        assert np.linalg.matrix_rank(added[-1] / np.outer(spread, spread), tol=1e-6) == 2
    np.testing.assert_allclose(*(a / np.outer(spread, spread) for a in added), atol=0.02)
