"""The table is found by itself, to a millimetre, on cameras never seen; what cannot be is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import av
import cv2
import numpy as np
import numpy.typing as npt
import pytest
from random_layout import LayoutTruth, random_layout_image

from calibration.calibrate import calibrate
from calibration.errors import UnusableInput
from calibration.find.marks import find_baulk, turned
from calibration.result import Calibration
from calibration.solve.model import Points, solve
from calibration.solve.refine import lens_priors
from calibration.solve.unknowns import SIDES, camera_of, start_values
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec, small_table

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "footage"
CLIPS = SHARED / "real" / "clips"
needs_footage = pytest.mark.skipif(not CLIPS.is_dir(), reason="footage is not here")

ByteArray = npt.NDArray[np.uint8]


def places(table: TableSpec) -> npt.NDArray[np.float64]:
    """Ball centres (135, 3) in mm over the table."""
    x = np.linspace(-1, 1, 9) * (table.half_width_mm - table.ball_radius_mm)
    y = np.linspace(table.ball_radius_mm, table.length_mm - table.ball_radius_mm, 15)
    return np.array([(a, b, table.ball_radius_mm) for a in x for b in y])


def off_mm(calibration: Calibration, truth: LayoutTruth) -> npt.NDArray[np.float64]:
    """How far (135, 2) the calibration is off in x and y on the plane of the ball centres."""
    table, points = truth.table, places(truth.table)
    found = calibration.camera.table_from_pixels(truth.camera.pixels_from_table(points), table.ball_radius_mm)
    return np.asarray(found - points[:, :2], dtype=np.float64)


@pytest.mark.parametrize("seed", [5000, 5022, 5029])
def test_a_random_camera_is_solved_to_a_millimetre(seed: int) -> None:
    """Issue 4: within 1.0 mm over the table when the dimensions are told (nose height too)."""
    picture, truth = random_layout_image(seed, 1280, 720)
    told = replace(SNOOKER_TABLE, nose_height_mm=truth.table.nose_height_mm, nose_height_sigma_mm=0.3)
    result = calibrate([np.ascontiguousarray(picture[..., ::-1])], told)
    error = np.linalg.norm(off_mm(result, truth), axis=1)
    assert float(np.median(error)) < 0.7
    assert float(error.max()) < 1.5
    assert result.baulk_certainty > 0.99


def test_a_hardly_visible_table_is_refused_or_known_to_be_unsure() -> None:
    """Tilted by 25 degrees, one nose without shadow, a hair-thin D: once fitted 9 mm off at a stated 1.

    What is accepted is nowhere further off than three of the standard deviations stated there (issue 20), of
    both axes, as the bench judges it.
    """
    picture, truth = random_layout_image(5001, 1280, 720)
    try:
        result = calibrate([np.ascontiguousarray(picture[..., ::-1])], SNOOKER_TABLE, "dim.png")
    except UnusableInput as refusal:
        assert str(refusal).startswith("dim.png: expected")
    else:
        stated_mm = np.array([result.sigma_mm(x, y) for x, y, _ in places(truth.table)])
        off = np.linalg.norm(off_mm(result, truth), axis=1)
        assert float((off / (math.sqrt(2) * stated_mm)).max()) < 3.0


def test_points_on_a_table_give_its_camera() -> None:
    """The solver alone, without pictures: exact points in, the exact map of the table out."""
    _, truth = random_layout_image(5003, 640, 360, people=0.0, balls=False)
    table = truth.table
    w, top, z = table.half_width_mm, table.length_mm, table.nose_height_mm
    share = np.linspace(0.05, 0.95, 40)
    lines = [((-w, 0), (w, 0)), ((-w, top), (w, top)), ((-w, 0), (-w, top)), ((w, 0), (w, top))]
    parts = []
    for side, (a, b) in zip(SIDES, lines, strict=True):
        flat = np.array(a) + share[:, None] * (np.array(b) - np.array(a))
        px = truth.camera.pixels_from_table(np.column_stack((flat, np.full(len(flat), z))))
        parts.append(Points.of(px, side, 0.05))
    points = Points.join(parts)
    v = start_values(table)
    v[[0, 5, 6, 8, 9, 10]] = (0.03, 0.01, -0.01, 10.0, -12.0, 30.0)
    start = camera_of(truth.camera, v)
    priors = {k: p for k, p in lens_priors(table, truth.camera, False).items() if k not in ("nose", "baulk")}
    priors = {**priors, "log_focal": (np.log(truth.camera.focal_px / 640), 0.01)}
    fit = solve(start, table, points, priors, rounds=3)
    assert float(np.sqrt(np.mean(fit.residual_px**2))) < 0.02
    flat = np.array([(x, y, 0.0) for x in (-800.0, 0.0, 800.0) for y in (50.0, 1800.0, 3500.0)])
    back = fit.camera.table_from_pixels(truth.camera.pixels_from_table(flat), 0.0)
    assert float(np.abs(back - flat[:, :2]).max()) < 1.0


def test_turning_a_table_round_keeps_the_picture() -> None:
    _, truth = random_layout_image(5003, 320, 180, people=0.0, balls=False)
    other = turned(truth.camera, truth.table)
    here = np.array([(120.0, 700.0, 26.0), (-300.0, 3000.0, 0.0)])
    there = here * (-1, -1, 1) + (0.0, truth.table.length_mm, 0.0)
    assert np.allclose(truth.camera.pixels_from_table(here), other.pixels_from_table(there), atol=1e-6)


def noise(seed: int) -> ByteArray:
    rough = np.random.default_rng(seed).integers(0, 255, (45, 80, 3)).astype(np.uint8)
    return np.asarray(cv2.resize(rough, (640, 360), interpolation=cv2.INTER_CUBIC), dtype=np.uint8)


@pytest.mark.parametrize(
    "image", [np.full((360, 640, 3), 90, np.uint8), np.zeros((360, 640, 3), np.uint8), noise(4)]
)
def test_a_picture_without_a_table_is_refused(image: ByteArray) -> None:
    with pytest.raises(UnusableInput, match="expected"):
        calibrate([image], SNOOKER_TABLE, "wall.png")


def test_a_part_of_a_table_is_refused() -> None:
    picture, _ = random_layout_image(5001, 1280, 720)
    image = np.ascontiguousarray(picture[:, : picture.shape[1] * 2 // 3, ::-1])
    with pytest.raises(UnusableInput, match="expected"):
        calibrate([image], SNOOKER_TABLE, "part.png")


def test_tiny_and_grey_pictures_are_refused() -> None:
    with pytest.raises(UnusableInput, match="120 pixels"):
        calibrate([np.zeros((64, 64, 3), np.uint8)], SNOOKER_TABLE, "tiny.png")
    with pytest.raises(UnusableInput, match="8-bit colour"):
        calibrate([np.zeros((360, 640), np.uint8)], SNOOKER_TABLE, "grey.png")
    with pytest.raises(UnusableInput, match="at least one"):
        calibrate([], SNOOKER_TABLE, "none.mp4")


def sampled(path: Path, count: int = 9) -> list[ByteArray]:
    with av.open(str(path)) as container:
        images = [
            f.to_ndarray(format="bgr24") for n, f in enumerate(container.decode(video=0)) if n % 20 == 0
        ]
    step = max(1, len(images) // count)
    return [np.asarray(im, dtype=np.uint8) for im in images[::step][:count]]


@needs_footage
def test_the_real_snooker_table_is_found_with_its_baulk_end_at_the_right() -> None:
    clip = CLIPS / "snooker_12ft_overhead_red_black_red_720p.mp4"
    result = calibrate(sampled(clip), SNOOKER_TABLE, clip.name)
    assert result.residual_px < 0.25, "noses fit to a small part of a pixel"
    assert result.baulk_certainty > 0.95
    baulk, top = result.camera.pixels_from_table([(0.0, 737.0, 0.0), (0.0, 3245.0, 0.0)])
    assert baulk[0] > top[0] + 500


@needs_footage
def test_the_small_tables_marks_are_measured_not_assumed() -> None:
    still = SHARED / "real" / "stills" / "with_projector_on_without_halo_6.png"
    image = np.asarray(cv2.imread(str(still)), dtype=np.uint8)
    result = calibrate([image], small_table(1881, 943, 52.3), still.name)
    assert result.table.marks_measured
    assert result.table.d_radius_mm == pytest.approx(160.0, abs=2.0), "the footage's README: about 160 mm"
    assert result.table.baulk_line_mm == pytest.approx(1881 / 5, abs=10.0)


@needs_footage
@pytest.mark.parametrize(
    ("name", "table"),
    [
        pytest.param("blackball_overhead_part_of_table_cut.jpg", WPA_TABLE, marks=pytest.mark.slow),
        ("negative_moving_camera.mp4", WPA_TABLE),
    ],
)
def test_footage_that_cannot_be_used_is_refused(name: str, table: TableSpec) -> None:
    path = CLIPS / name
    images = sampled(path) if path.suffix == ".mp4" else [np.asarray(cv2.imread(str(path)), dtype=np.uint8)]
    with pytest.raises(UnusableInput, match=name):
        calibrate(images, table, name)


@needs_footage
def test_a_pool_table_without_a_drawn_head_string_says_that_its_head_end_is_assumed() -> None:
    path = CLIPS / "pool_overhead_empty_same_camera_720p.jpg"
    result = calibrate([np.asarray(cv2.imread(str(path)), dtype=np.uint8)], WPA_TABLE, path.name)
    assert result.baulk_certainty == 0.5
    assert any("called head" in note for note in result.notes)


@pytest.mark.parametrize("aside_mm", [-14.0, -9.0, 9.0, 14.0])
def test_the_d_is_found_under_a_camera_that_displaces_it(aside_mm: float) -> None:
    """Without the D a first camera may settle on a wrong edge of a faint cushion, a centimetre off and sure
    of it.
    """
    rgb, truth = random_layout_image(5042, 1280, 720, people=0.0)
    across = truth.camera.matrix_camera_from_table @ np.array([aside_mm, 0.0, 0.0])
    x, y, z = (float(c) for c in np.asarray(truth.camera.translation_mm) + across)
    marks = find_baulk(
        np.ascontiguousarray(rgb[..., ::-1]), replace(truth.camera, translation_mm=(x, y, z)), truth.table
    )
    assert marks is not None and marks.arc is not None
    assert marks.aside_mm == pytest.approx(-aside_mm, abs=3.0)
