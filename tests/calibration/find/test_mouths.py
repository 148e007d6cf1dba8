"""The cushions' ends at the pockets: seen where they are, and seen to be elsewhere under a wrong camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_layout import random_layout_image

from calibration.find.mouths import end_points, end_priors, seen_at_their_feet
from calibration.solve.model import distances, plane_points
from calibration.solve.unknowns import ENDS, start_values
from calibration.table.board import board_table
from calibration.table.specs import SNOOKER_TABLE


@pytest.mark.parametrize("seed", [5000, 5022])
def test_ends_are_seen_where_they_are_and_a_shifted_table_shows(seed: int) -> None:
    """Jaws differ, but alike at all pockets: under the true camera the ends of the long sides lie evenly
    about where they should. Under one that has the table 60 mm further along they are 60 mm off.
    """
    picture, truth = random_layout_image(seed, 1280, 720)
    image = np.ascontiguousarray(picture[..., ::-1])
    table, camera = truth.table, truth.camera
    values = start_values(table)

    def off_mm(shift_mm: float) -> np.ndarray:
        turn = camera.matrix_camera_from_table
        moved = np.asarray(camera.translation_mm) - turn @ (0.0, shift_mm, 0.0)
        shifted = replace(camera, translation_mm=tuple(moved))
        ends = end_points(image, shifted, table)
        at = plane_points(shifted, ends.px, np.full(len(ends.px), table.nose_height_mm))
        along_y = np.isin(ends.mark, ENDS[:4])
        way = np.where(np.isin(ends.mark, (ENDS[0], ENDS[3])), 1.0, -1.0)
        return (distances(at, ends.mark, values)[0] * way)[along_y]

    true, shifted = off_mm(0.0), off_mm(60.0)
    assert len(true) == 8 and abs(float(np.mean(true))) < 5.0
    assert abs(float(np.median(shifted - true))) == pytest.approx(60.0, abs=5.0)


def test_a_carrom_board_has_no_such_ends() -> None:
    """Its frame goes round its corners' pockets; a snooker table has two kinds of end."""
    assert end_priors(board_table()) == {}
    assert set(end_priors(SNOOKER_TABLE)) == {"corner", "middle"}


@pytest.mark.parametrize(("seed", "beside"), [(5000, False), (5006, True)])
def test_what_is_seen_of_a_jaws_foot_lies_further_inside(seed: int, beside: bool) -> None:
    """From above no corner's jaw faces the camera. From beside the table those of the short sides at its side
    do, and their top edges lie towards the cushion by as much as the faces look wide; no other end moves.
    """
    picture, truth = random_layout_image(seed, 1280, 720)
    table, camera = truth.table, truth.camera
    x, y, height = camera.centre_mm
    assert 0.0 < y < table.length_mm and (x < -table.half_width_mm) == beside
    ends = end_points(np.ascontiguousarray(picture[..., ::-1]), camera, table)
    corners = ends.take(np.isin(ends.mark, (ENDS[0], ENDS[1], ENDS[4], ENDS[5])))
    moved = seen_at_their_feet(corners, camera, table)
    z = np.full(len(corners.px), table.nose_height_mm)
    before, after = plane_points(camera, corners.px, z), plane_points(camera, moved.px, z)
    facing = (corners.mark == ENDS[4]) & beside
    assert facing.any() == beside
    wide = table.nose_height_mm * (before[facing, 0] - x) / (height - table.nose_height_mm)
    assert after[facing, 0] - before[facing, 0] == pytest.approx(wide, abs=0.1)
    assert after[~facing] == pytest.approx(before[~facing], abs=0.01)
