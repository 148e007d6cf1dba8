"""The calibration's file: what is written is what is read; anything else is refused in one sentence."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Camera
from calibration.errors import UnusableInput
from calibration.result import Calibration, SigmaModel, fit_sigma
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec


def example(table: TableSpec = SNOOKER_TABLE) -> Calibration:
    camera = Camera(
        1280, 720, "fisheye", 610.0, 639.5, 359.5, (0.01, 0.0), (3.14, 0.0, 0.0), (0.0, 1700.0, 2700.0)
    )
    return Calibration(
        camera, table, 0.1, 0.2, SigmaModel((0.04, 0.0, 0.0, 0.2, 0.0, 0.3), 0.1), 0.98, ("a note",)
    )


@pytest.mark.parametrize("table", [SNOOKER_TABLE, WPA_TABLE])
def test_a_saved_calibration_comes_back_equal(tmp_path: Path, table: TableSpec) -> None:
    path = tmp_path / "table.json"
    example(table).save(path)
    assert Calibration.load(path) == example(table)
    assert [p.name for p in tmp_path.iterdir()] == ["table.json"], "no temporary file stays behind"
    against = replace(example(table), spot_sigma=SigmaModel((0.01, 0.0, 0.0, 0.0, 0.0, 0.0), 0.05))
    against.save(path)
    assert Calibration.load(path) == against and against.spot_sigma_mm(0.0, 900.0) == pytest.approx(0.1)


def test_a_file_of_older_code_has_one_sigma_for_places_and_spots(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    example().save(path)
    record = json.loads(path.read_text())
    del record["spot_sigma"]
    path.write_text(json.dumps(record))
    known = Calibration.load(path)
    assert known == example() and known.spot_sigma_mm(300.0, 900.0) == known.sigma_mm(300.0, 900.0)


def test_what_changes_a_sigma_changes_both() -> None:
    small = SigmaModel((0.01, 0.0, 0.02, 0.0, 0.0, 0.0), 0.05)
    found = replace(example(), spot_sigma=small).with_sigmas(lambda sigma: sigma.larger(2.0))
    assert found.sigma == example().sigma.larger(2.0) and found.spot_sigma == small.larger(2.0)
    assert small.turned().at(0.3, 0.5) == pytest.approx(small.at(-0.3, -0.5))
    assert small.with_more(0.3).at(0.0, 0.0) == pytest.approx(math.hypot(0.1, 0.3))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "not json",
        "[1, 2]",
        '{"kind": "something else"}',
        '{"kind": "cueref-calibration", "schema": 99}',
        '{"kind": "cueref-calibration", "schema": 1}',
    ],
)
def test_other_files_are_refused_by_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(UnusableInput, match=r"bad\.json"):
        Calibration.load(path)


@pytest.mark.parametrize(
    ("where", "value"),
    [
        ("residual_px", "x"),
        ("residual_px", float("nan")),
        ("baulk_certainty", 3.0),
        ("camera", {"width_px": 3}),
        ("sigma", {"coefficients": [1, 2], "floor_mm": 0.1}),
        ("table", {"length_mm": -1.0}),
    ],
)
def test_bad_values_are_refused(tmp_path: Path, where: str, value: object) -> None:
    path = tmp_path / "bad.json"
    example().save(path)
    record = json.loads(path.read_text())
    record[where] = value
    path.write_text(json.dumps(record))
    with pytest.raises(UnusableInput, match=r"bad\.json"):
        Calibration.load(path)


def test_a_place_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="no_such_folder"):
        example().save(tmp_path / "no_such_folder" / "table.json")


def test_sigma_follows_its_samples_and_keeps_its_floor() -> None:
    u, v = [-1, 0, 1, -1, 0, 1, -1, 0, 1], [-1, -1, -1, 0, 0, 0, 1, 1, 1]
    variance = [0.5 + 0.3 * a * a + 0.1 * b for a, b in zip(u, v, strict=True)]
    model = fit_sigma(u, v, variance, 0.1)
    assert model.at(1.0, 1.0) == pytest.approx(0.9**0.5)
    assert fit_sigma(u, v, [0.0] * 9, 0.1).at(0.0, 0.0) == 0.1


def test_where_sigma_is_small_it_is_not_lost_beside_where_it_is_large() -> None:
    """Seen from an end the far places are seven times as unsure as the near ones."""
    grid = [(u, v) for u in np.linspace(-1, 1, 7) for v in np.linspace(-1, 1, 9)]
    sigma = [0.5 * 7 ** (((v + 1) / 2) ** 2) for _, v in grid]
    model = fit_sigma([u for u, _ in grid], [v for _, v in grid], [s * s for s in sigma], 0.1)
    shares = [model.at(u, v) / s for (u, v), s in zip(grid, sigma, strict=True)]
    assert min(shares) > 0.5 and max(shares) < 1.5


def test_millimetres_per_pixel_agree_with_the_pinhole() -> None:
    camera = Camera(
        1280, 720, "radial", 600.0, 639.5, 359.5, (), (3.141592653589793, 0.0, 0.0), (0.0, 0.0, 3000.0)
    )
    calibration = Calibration(camera, SNOOKER_TABLE, 0.1, 0.2, SigmaModel((1.0, 0, 0, 0, 0, 0), 0.1))
    assert calibration.mm_per_px(0.0, 0.0) == pytest.approx(5.0, rel=1e-6)
