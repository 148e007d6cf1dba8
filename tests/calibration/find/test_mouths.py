"""The cushions' ends at the pockets: seen where they are, and seen to be elsewhere under a wrong camera."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from random_layout import random_layout_image

from calibration.find.mouths import end_points, end_priors
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
