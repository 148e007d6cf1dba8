"""A calibration's sigma is never less than the colours on their spots show."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.camera import Camera, rotation_vector
from calibration.result import Calibration, SigmaModel
from calibration.table.specs import SNOOKER_TABLE
from vision.spotted import SpottedColour, told_by_spots

ABOVE = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]])


def calibration(sigma_mm: float) -> Calibration:
    t = -ABOVE @ np.array([0.0, SNOOKER_TABLE.length_mm / 2, 3_000.0])
    camera = Camera(
        1280, 720, "radial", 900.0, 639.5, 359.5, (0.0,), rotation_vector(ABOVE), tuple(t.tolist())
    )
    return Calibration(camera, SNOOKER_TABLE, 0.2, 0.5, SigmaModel((sigma_mm**2, 0, 0, 0, 0, 0), 0.1))


def spotted(of: Calibration, off_mm: float) -> list[SpottedColour]:
    """Every colour, displaced along the table."""
    z = SNOOKER_TABLE.ball_radius_mm
    return [
        SpottedColour(c, of.camera.pixels_from_table([(x, y + off_mm, z)])[0], 0.3)
        for c, (x, y) in SNOOKER_TABLE.spots.items()
    ]


@pytest.mark.parametrize("off_mm", [0.0, 1.0])
def test_colours_as_near_to_their_spots_as_stated_leave_sigma_as_it_is(off_mm: float) -> None:
    stated = calibration(1.0)
    assert told_by_spots(stated, spotted(stated, off_mm)) is stated
    assert told_by_spots(stated, []) is stated


def test_colours_ten_millimetres_off_at_a_stated_one_make_sigma_larger_and_are_told() -> None:
    stated = calibration(1.0)
    told = told_by_spots(stated, spotted(stated, 10.0))
    assert told.sigma_mm(0.0, 1784.5) > 3.0
    assert "off their spots" in told.notes[-1]


def test_a_colour_that_was_nudged_tells_nothing_of_the_table() -> None:
    """The others lie where they should: a pack rolled against the pink."""
    stated = calibration(1.0)
    *others, pink = spotted(stated, 0.5)
    nudged = pink._replace(px=pink.px + 20.0)
    assert told_by_spots(stated, [*others, nudged]).sigma_mm(0.0, 1784.5) < 1.2


def test_colours_thirty_millimetres_off_count_too() -> None:
    """Two colours of a real end view lay so far off at a stated 6 mm, and were taken to lie elsewhere."""
    stated = calibration(6.0)
    assert told_by_spots(stated, spotted(stated, 30.0)[:2]).sigma_mm(0.0, 1784.5) > 9.0
