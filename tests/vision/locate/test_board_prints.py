"""What repeats at a quarter turn of a carrom board is its print; men lie where they lie."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calibration.table.board import board_table
from referee.rules.common import racks
from vision.locate.board_prints import found_prints, on_prints

BOARD = board_table()
MIDDLE = BOARD.length_mm / 2
ABOVE = (0.0, MIDDLE, 1500.0)
MEN = [(10.0, 480.0), (-72.0, 429.0), (345.0, 152.0), (-285.0, 697.0), (109.0, 120.0)]


def test_two_rings_of_an_arrow_tell_all_four() -> None:
    rings = [(176.0, MIDDLE - 177.0), (177.0, MIDDLE + 177.0)]
    xy, sigma = np.array([*MEN, *rings]), np.array([0.2] * 5 + [1.1] * 2)
    prints = found_prints((), xy, sigma, ["white"] * 7, BOARD, ABOVE)
    assert len(prints) == 4
    assert on_prints(prints, xy, sigma).tolist() == [False] * 5 + [True] * 2
    third = np.array([(-177.0, MIDDLE - 176.5)])
    assert on_prints(prints, third, np.array([1.0])).all()
    assert not on_prints(prints, third, np.array([0.2])).any()  # a man that lies on it


def test_the_rack_has_no_print_in_it() -> None:
    rack = np.array([(b.x_mm, b.y_mm + MIDDLE) for b in racks.rack("carrom", 3, None).balls])
    for vague in (0.2, 1.5):
        sigma = np.where(np.arange(len(rack)) < 8, vague, 0.2)
        assert found_prints((), rack, sigma, ["white"] * len(rack), BOARD, ABOVE) == ()


def test_men_seen_exactly_are_no_print_wherever_they_lie() -> None:
    xy = np.array([*MEN, (176.0, MIDDLE - 177.0), (177.0, MIDDLE + 177.0)])
    assert found_prints((), xy, np.full(7, 0.2), ["white"] * 7, BOARD, ABOVE) == ()


@given(
    st.floats(40.0, 340.0),
    st.floats(0.0, 90.0),
    st.lists(st.tuples(st.floats(-340.0, 340.0), st.floats(-340.0, 340.0)), max_size=8),
)
def test_three_alike_a_quarter_turn_apart_are_print_however_exactly_they_are_seen(
    far_mm: float, degrees: float, others: list[tuple[float, float]]
) -> None:
    a = np.radians(degrees + np.array([0.0, 90.0, 180.0]))
    ring = np.column_stack((far_mm * np.cos(a), far_mm * np.sin(a) + MIDDLE))
    xy = np.concatenate((ring, np.reshape(others, (-1, 2)) + np.array([0.0, MIDDLE])))
    kinds = ["white"] * 3 + ["black"] * len(others)
    prints = found_prints((), xy, np.full(len(xy), 0.3), kinds, BOARD, ABOVE)
    assert on_prints(prints, xy, np.full(len(xy), 0.3))[:3].all()


def test_a_slanted_view_shifts_the_print_and_tells_the_centre_circle_from_the_queen() -> None:
    eye = (-1400.0, MIDDLE, 1300.0)
    lower = BOARD.piece_plane_mm / 1300.0  # of the way from the eye, by which the print seems nearer to it

    def seen(x: float, y: float) -> tuple[float, float]:
        return x + (eye[0] - x) * lower, y + (eye[1] - y) * lower

    circle, rings = seen(0.0, MIDDLE), [seen(176.0, MIDDLE - 177.0), seen(177.0, MIDDLE + 176.0)]
    xy, sigma = np.array([*MEN, circle, *rings]), np.array([0.2] * 5 + [0.3] + [1.1] * 2)
    prints = found_prints((), xy, sigma, ["white"] * 5 + ["queen"] + ["white"] * 2, BOARD, eye)
    assert on_prints(prints, xy, sigma).tolist() == [False] * 5 + [True] * 3
    assert not on_prints(prints, np.array([(0.0, MIDDLE)]), np.array([0.3])).any()  # the queen on it
