"""Tables of every game as data: sizes, marks, pockets, and the frame of a carrom board."""

import math

import pytest

from calibration.errors import UnusableInput
from calibration.table.board import (
    CARROM_BOARD,
    board_of,
    board_table,
    table_from_board,
)
from calibration.table.games import GAMES, PIECES
from calibration.table.parse import parse_table
from calibration.table.specs import SNOOKER_TABLE, pool_table
from referee.rules.wpa.general import PoolMarks


@pytest.mark.parametrize("game", sorted(PIECES))
def test_every_game_has_a_table_on_which_its_object_balls_lie(game: str) -> None:
    table, kinds = GAMES[game].table(), PIECES[game].kinds
    assert table.ball_diameter_mm == kinds[-1].diameter_mm
    assert parse_table(None, None, game=game).mark_set == table.mark_set


@pytest.mark.parametrize("feet,length", [("9ft", 2540.0), ("8ft", 2235.2), ("7 ft", 1981.2)])
def test_a_pool_table_named_by_its_feet_has_strings_and_spots_at_quarters(feet: str, length: float) -> None:
    table = parse_table(feet, None, game="wpa_9ball")
    marks = PoolMarks.of(table)
    assert table.length_mm == length and table.dimension_sigma_mm > 0
    assert table.head_string_mm == marks.string_mm
    assert table.marked_spots["foot"] == marks.foot_spot_mm == table.foot_spot
    assert table.marked_spots["head"] == marks.head_spot_mm


def test_a_black_ball_table_has_a_baulk_line_at_a_fifth_and_no_snooker_spots() -> None:
    table = parse_table("1830x915", None, game="blackball")
    assert table.baulk_line_mm == 366.0 and table.d_radius_mm is None
    assert table.spots == {} and table.marked_spots == {"black": (0.0, 1372.5)}


def test_the_slate_of_a_pool_table_ends_behind_its_noses_in_the_middle_and_inside_them_in_the_corner() -> (
    None
):
    table = pool_table(2540.0, 1270.0, 57.15)
    centre, corner = table.pocket("CR"), table.pocket("TR")
    assert 0 <= centre.x_mm - centre.drop_radius_mm - table.half_width_mm <= 9.5
    from_corner = math.hypot(corner.x_mm - table.half_width_mm, corner.y_mm - table.length_mm)
    shelf = table.corner_mouth_mm / 2 + from_corner - corner.drop_radius_mm
    assert 25.4 <= shelf <= 57.2


def test_a_board_table_is_the_board_with_four_pockets_at_its_corners() -> None:
    table = board_table()
    assert board_of(table) == CARROM_BOARD
    pockets = {name: table_from_board(at, table) for name, at in CARROM_BOARD.pockets.items()}
    assert {p.name: (p.x_mm, p.y_mm) for p in table.pockets} == pockets
    assert table.piece_plane_mm == 8.0 and SNOOKER_TABLE.piece_plane_mm == SNOOKER_TABLE.ball_radius_mm


@pytest.mark.parametrize(
    "game,text", [("wpa_9ball", "11ft"), ("carrom", "740x700"), ("carrom", "3569x3569"), ("croquet", None)]
)
def test_a_table_that_the_game_cannot_have_is_refused_with_the_option(game: str, text: str | None) -> None:
    with pytest.raises(UnusableInput, match=r"^--(table|game): expected"):
        parse_table(text, None, game=game)
