"""A racked layout is compared place by place, and the pieces whose place the rules name must be theirs."""

import math

import pytest

from calibration.camera import Camera
from calibration.result import Calibration, SigmaModel
from calibration.table.board import SEATS, Seat, board_table, table_from_board, turned
from calibration.table.games import GAMES
from referee.commands.spots import beside_spots
from referee.console.placement import game_spots_of_layout, rack_of_layout
from referee.geometry import BallAt
from referee.rules.common.racks import rack
from vision.layout import LayoutBall


def racked(game: str, aside: dict[int, float] | None = None) -> list[BallAt]:
    table, out = GAMES[game].table(), []
    for n, b in enumerate(rack(game).balls):
        x, y = table_from_board(b.xy_mm, table) if table.is_board else b.xy_mm
        colour = b.colour if game in ("carrom", "blackball") else b.ball
        out.append(BallAt(b.ball, colour, x + (aside or {}).get(n, 0.0), y, 0.3))
    return out


@pytest.mark.parametrize("game", ["wpa_9ball", "wpa_8ball", "wpa_10ball", "blackball", "carrom"])
def test_a_true_rack_is_on_its_place_piece_by_piece(game: str) -> None:
    found = rack_of_layout(racked(game), game, GAMES[game].table())
    assert len(found) == len(rack(game).balls)
    assert {f.finding for f in found} == {"on"}


@pytest.mark.parametrize("seat", SEATS)
def test_a_board_that_was_racked_from_any_side_is_on_its_places(seat: Seat) -> None:
    """The board looks the same from four sides, so that calibration may call any of them player A's."""
    table = board_table()
    men = [(b.ball, b.colour, *table_from_board(turned(b.xy_mm, seat), table)) for b in rack("carrom").balls]
    found = rack_of_layout([BallAt(*man, 0.3) for man in men], "carrom", table)
    assert len(found) == 19 and {f.finding for f in found} == {"on"}


def test_a_man_beside_its_place_on_a_turned_board_is_off_by_that_much() -> None:
    table = board_table()
    places = [table_from_board(turned(b.xy_mm, "right"), table) for b in rack("carrom").balls]
    places[8] = (places[8][0] + 6.0, places[8][1])
    men = [BallAt(b.ball, b.colour, *p, 0.3) for b, p in zip(rack("carrom").balls, places, strict=True)]
    off = [f for f in rack_of_layout(men, "carrom", table) if f.finding == "off"]
    assert [round(f.dx_mm, 1) for f in off] == [6.0]


def test_a_ball_beside_its_place_is_off_by_that_much() -> None:
    found = rack_of_layout(racked("wpa_9ball", {5: 6.0}), "wpa_9ball", GAMES["wpa_9ball"].table())
    off = [f for f in found if f.finding == "off"]
    assert [round(f.offset_mm, 1) for f in off] == [6.0]


def test_another_ball_in_the_middle_of_the_nine_is_off_though_it_lies_well() -> None:
    balls = racked("wpa_9ball")
    at = [b.colour for b in balls]
    nine, other = at.index("9"), at.index("4")
    swapped = [
        BallAt(b.ball, {nine: "4", other: "9"}.get(n, b.colour), b.x_mm, b.y_mm, b.sigma_mm)
        for n, b in enumerate(balls)
    ]
    off = [f for f in rack_of_layout(swapped, "wpa_9ball", GAMES["wpa_9ball"].table()) if f.finding == "off"]
    assert [(f.ball, f.spot) for f in off] == [("4", "the 9's place")]


def test_a_balls_doubt_beside_a_spot_leaves_out_what_moves_both() -> None:
    place, spot = (SigmaModel((s * s, 0.0, 0.0, 0.0, 0.0, 0.0), 0.01) for s in (1.5, 0.4))
    camera = Camera(1280, 720, "radial", 900.0, 639.5, 359.5, (), (3.14, 0.0, 0.0), (0.0, 1270.0, 2700.0))
    solved = Calibration(camera, GAMES["wpa_9ball"].table(), 0.1, 0.2, place, spot_sigma=spot)
    ball = LayoutBall("1", 0.0, 1905.0, 0.0, 0.0, math.hypot(0.3, 1.5), 0.3, 1.0)
    (beside,) = beside_spots([ball], solved)
    assert beside.sigma_mm == pytest.approx(0.5)


def test_pieces_spread_over_the_board_are_no_rack() -> None:
    table = board_table()
    spread = [BallAt("white_1", "white", x, y, 0.3) for x in (-200.0, 0.0, 200.0) for y in (100.0, 600.0)]
    assert rack_of_layout(spread, "carrom", table) == ()


@pytest.mark.parametrize(
    ("game", "ball", "mark", "name"),
    [
        ("wpa_8ball", "8", "foot", "foot spot"),  # WPA 3.7
        ("wpa_9ball", "9", "foot", "foot spot"),  # 2.6
        ("wpa_10ball", "10", "foot", "foot spot"),  # 9.8
        ("wpa_14_1", "3", "foot", "foot spot"),  # 4.6
        ("blackball", "black", "black", "black spot"),  # 5.11
        ("wepf", "red", "black", "black spot"),  # WEPF T(2)(d)
        ("english_billiards", "red", "pink", "Pyramid Spot"),  # billiards 3.10
        ("english_billiards", "white", "blue", "Centre Spot"),  # 3.15(c)
        ("carrom", "queen", "centre", "centre circle"),
    ],
)
def test_a_piece_near_a_spot_of_its_game_is_compared_with_it(
    game: str, ball: str, mark: str, name: str
) -> None:
    table = GAMES[game].table()
    x, y = table.marked_spots[mark]
    for aside_mm, finding in ((0.5, "on"), (6.0, "off")):
        layout = [BallAt(ball, ball, x + aside_mm, y, 0.2), BallAt("cue", "cue", x + 300.0, y, 0.2)]
        (found,) = game_spots_of_layout(layout, game, table)
        assert (found.ball, found.spot, found.finding) == (ball, name, finding)
        assert found.dx_mm == pytest.approx(aside_mm)
    assert game_spots_of_layout([BallAt(ball, ball, x + 60.0, y, 0.2)], game, table) == ()


def test_a_piece_that_no_rule_spots_is_in_play_where_it_lies() -> None:
    table = GAMES["wpa_9ball"].table()
    x, y = table.marked_spots["foot"]
    assert game_spots_of_layout([BallAt("4", "4", x + 3.0, y, 0.2)], "wpa_9ball", table) == ()


def test_every_game_but_snooker_has_spots_that_its_table_marks() -> None:
    for game, spec in GAMES.items():
        marks = spec.table().marked_spots
        assert bool(spec.spotted) == (spec.family != "snooker"), game
        assert {s.mark for s in spec.spotted} <= set(marks) and marks
        assert {k for s in spec.spotted for k in s.kinds} <= set(spec.pieces.names)
