"""The balls' size beside the table is read from their outlines, whatever the table's size is taken for."""

from dataclasses import replace

import pytest
from test_head import CAMERA, picture

from calibration.find.diameters import seen_diameter
from calibration.table.specs import WPA_TABLE

SPREAD = [(-400.0, 500.0), (-150.0, 900.0), (200.0, 1500.0), (420.0, 2100.0), (0.0, 1900.0)]


def test_the_balls_of_a_nine_foot_table_have_their_own_diameter() -> None:
    seen = seen_diameter([picture(SPREAD, [])], CAMERA, WPA_TABLE)
    assert seen is not None and seen.count >= 4
    assert seen.diameter_mm == pytest.approx(57.15, abs=2 * seen.sigma_mm)


@pytest.mark.parametrize("times", [1.35, 1.6, 1.9])
def test_balls_of_a_table_that_is_smaller_than_it_is_taken_for_look_larger(times: float) -> None:
    taken = replace(WPA_TABLE, ball_diameter_mm=WPA_TABLE.ball_diameter_mm / times)
    seen = seen_diameter([picture(SPREAD, [])], CAMERA, taken)
    assert seen is not None and seen.count >= 4
    assert seen.diameter_mm == pytest.approx(57.15, abs=2 * seen.sigma_mm)


def test_one_thing_that_is_larger_than_a_ball_is_none() -> None:
    """A plate on an empty cloth would make of a nine-foot table one of six feet."""
    taken = replace(WPA_TABLE, ball_diameter_mm=WPA_TABLE.ball_diameter_mm / 1.8)
    assert seen_diameter([picture(SPREAD[:1], [])], CAMERA, taken) is None


def test_an_empty_table_tells_no_size() -> None:
    assert seen_diameter([picture([], [635.0])], CAMERA, WPA_TABLE) is None
