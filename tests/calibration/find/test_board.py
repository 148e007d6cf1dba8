"""A carrom board is found by its base lines, whatever its wood, light and the camera's tilt."""

import numpy as np
import pytest

from calibration.calibrate import calibrate
from calibration.errors import UnusableInput
from calibration.find.board import quarter_turned, with_bottom_at
from calibration.table.board import board_table
from tests.support.board_picture import board_picture, camera_above

TABLE = board_table()
PLACES = np.array([(x, y, 8.0) for x in (-340.0, 0.0, 340.0) for y in (30.0, 370.0, 710.0)])


@pytest.mark.parametrize(
    "tilt_deg,wood,frame", [(4.0, (120, 180, 215), (30, 45, 70)), (28.0, (70, 120, 165), (20, 22, 25))]
)
def test_a_board_is_found_to_a_millimetre(
    tilt_deg: float, wood: tuple[int, int, int], frame: tuple[int, int, int]
) -> None:
    camera = camera_above((768, 432), 720.0, 1500.0, tilt_deg, -90.0, -0.03)
    found = calibrate([board_picture(camera, wood, frame)], TABLE)
    at = found.camera.table_from_pixels(camera.pixels_from_table(PLACES), 8.0)
    assert np.hypot(*(at - PLACES[:, :2]).T).max() < 1.5
    assert found.baulk_certainty == 0.5 and "player A" in found.notes[0]


def test_a_surface_without_base_lines_is_refused_as_no_board() -> None:
    camera = camera_above((768, 432), 720.0, 1500.0, 4.0, -90.0)
    plain = board_picture(camera, ink=(120, 180, 215))
    with pytest.raises(UnusableInput, match="expected a picture of a whole carrom board"):
        calibrate([plain], TABLE, "plain.png")


def test_player_a_sits_at_the_side_of_the_picture_that_was_told() -> None:
    camera = camera_above((768, 432), 720.0, 1500.0, 4.0, -90.0)
    middle = [(0.0, 370.0, 0.0)]
    for quarters, towards in ((0, (0, 1)), (1, (1, 0)), (2, (0, -1)), (3, (-1, 0))):
        turned = with_bottom_at(camera, TABLE, towards)
        assert np.allclose(turned.pixels_from_table(middle), camera.pixels_from_table(middle))
        same = quarter_turned(camera, TABLE, quarters)
        assert np.allclose(turned.pixels_from_table(PLACES), same.pixels_from_table(PLACES))
        near = turned.pixels_from_table([(0.0, 0.0, 0.0)])[0] - turned.pixels_from_table(middle)[0]
        assert near @ np.array(towards) > 100.0
