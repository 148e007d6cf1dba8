"""Racks: what the rules say of each, and that no rack has balls that overlap or lie outside."""

from __future__ import annotations

import itertools
import json
import math
import pathlib
import xml.etree.ElementTree as ElementTree
from collections import Counter

import pytest
from typer.testing import CliRunner

from calibration.errors import UnusableInput
from calibration.table.board import CARROM_BOARD, CarromBoard
from calibration.table.specs import BRITISH_POOL_TABLE, SNOOKER_TABLE, WPA_TABLE, TableSpec, small_table
from referee.cli import command_line
from referee.outputs.rack_svg import rack_svg
from referee.rules.common import racks

EPS = 1e-6
COUNTS = {
    "snooker": 21,
    "six_red": 12,
    "english_billiards": 1,
    "english_billiards_spotted": 1,
    "wpa_8ball": 15,
    "wpa_9ball": 9,
    "wpa_10ball": 10,
    "wpa_14_1": 15,
    "wpa_14_1_rerack": 14,
    "blackball": 15,
    "wepf": 15,
    "blackball_numbered": 15,
    "wepf_numbered": 15,
    "carrom": 19,
}


@pytest.mark.parametrize("game", racks.GAMES)
@pytest.mark.parametrize("seed", range(5))
def test_no_two_balls_overlap_and_all_lie_inside(game: str, seed: int) -> None:
    rack = racks.rack(game, seed)
    assert len(rack.balls) == COUNTS[game] and len({b.ball for b in rack.balls}) == COUNTS[game]
    radius = rack.diameter_mm / 2
    for a, b in itertools.combinations(rack.balls, 2):
        assert math.dist(a.xy_mm, b.xy_mm) >= rack.diameter_mm - EPS
    reach = radius + rack.in_hand.diameter_mm / 2
    place = (rack.in_hand.x_mm, rack.in_hand.y_mm)
    assert all(math.dist(place, b.xy_mm) >= reach for b in rack.balls)
    for ball in rack.balls:
        if isinstance(rack.surface, CarromBoard):
            assert (
                math.hypot(ball.x_mm, ball.y_mm) + radius <= rack.surface.outer_circle_mm / 2 + EPS
            )  # 41(a)
        else:
            assert abs(ball.x_mm) <= rack.surface.half_width_mm - radius
            assert radius <= ball.y_mm <= rack.surface.length_mm - radius


def _neighbours(rack: racks.Rack, names: set[str]) -> Counter[int]:
    """How many balls of the pack have how many touching neighbours."""
    pack = [b for b in rack.balls if b.ball in names]
    near = [sum(0 < math.dist(a.xy_mm, b.xy_mm) < rack.diameter_mm + EPS for b in pack) for a in pack]
    return Counter(near)


def test_packs_are_tight() -> None:
    fifteen = {2: 3, 4: 9, 6: 3}  # a triangle of fifteen: corners 2, edges 4, inside 6
    for game in ("wpa_8ball", "wpa_14_1", "blackball", "wepf"):
        rack = racks.rack(game)
        assert _neighbours(rack, {b.ball for b in rack.balls}) == fifteen
    snooker = racks.rack("snooker")
    assert _neighbours(snooker, {f"red_{n}" for n in range(1, 16)}) == fifteen
    assert _neighbours(racks.rack("carrom"), {b.ball for b in racks.rack("carrom").balls}) == {
        3: 6,
        4: 6,
        6: 7,
    }


def _at(rack: racks.Rack, ball: str) -> tuple[float, float]:
    return next(b.xy_mm for b in rack.balls if b.ball == ball)


def test_snooker_and_six_red_stand_above_the_pink() -> None:
    for game in ("snooker", "six_red"):
        rack = racks.rack(game)
        assert {c: _at(rack, c) for c in SNOOKER_TABLE.spots} == SNOOKER_TABLE.spots
        gap = math.dist(_at(rack, "pink"), _at(rack, "red_1")) - 52.5
        assert 0 < gap <= 1.0 and _at(rack, "red_1")[0] == 0.0


@pytest.mark.parametrize("seed", range(20))
def test_pool_racks_keep_the_places_that_the_rules_fix(seed: int) -> None:
    d = WPA_TABLE.ball_diameter_mm
    middle = (0.0, 1905.0 + d * math.sqrt(3))  # the middle of the third row
    nine, ten, eight = (racks.rack(g, seed) for g in ("wpa_9ball", "wpa_10ball", "wpa_8ball"))
    for rack, ball in ((nine, "9"), (ten, "10"), (eight, "8")):
        assert _at(rack, ball) == pytest.approx(middle)
    assert _at(nine, "1") == _at(ten, "1") == (0.0, 1905.0)
    corners = [int(eight.balls[i].ball) for i in (10, 14)]
    assert min(corners) < 8 < max(corners)  # 3.2: one of each group
    assert {b.ball for b in eight.balls} == {str(n) for n in range(1, 16)}


def test_mid_rack_of_fourteen_leaves_the_apex_empty() -> None:
    rack = racks.rack("wpa_14_1_rerack")
    assert all(b.xy_mm != (0.0, 1905.0) for b in rack.balls)


def test_black_stands_on_the_spot() -> None:
    for game in ("blackball", "wepf"):
        rack = racks.rack(game)
        assert _at(rack, "black") == pytest.approx((0.0, 1371.0))
        assert Counter(b.colour for b in rack.balls) == {"red": 7, "yellow": 7, "black": 1}
        assert rack.in_hand.diameter_mm == 47.6


def test_carrom_forms_the_y() -> None:
    rack = racks.rack("carrom")
    assert _at(rack, "queen") == (0.0, 0.0)
    assert Counter(b.colour for b in rack.balls) == {"queen": 1, "white": 9, "black": 9}
    d = CARROM_BOARD.man_diameter_mm
    first = [b for b in rack.balls if 0 < math.hypot(*b.xy_mm) < 1.1 * d]
    first.sort(key=lambda b: math.atan2(b.y_mm, b.x_mm))
    assert all(a.colour != b.colour for a, b in zip(first, first[1:] + first[:1], strict=True))
    whites = {(round(b.x_mm, 3), round(b.y_mm, 3)) for b in rack.balls if b.colour == "white"}
    for man in first:
        if man.colour == "white":  # 41(a): a white of the second row behind each white of the first
            assert (round(2 * man.x_mm, 3), round(2 * man.y_mm, 3)) in whites


def test_other_surfaces() -> None:
    small = small_table(1800.0, 900.0, 47.0)
    assert racks.rack("snooker", surface=small).surface == small
    assert racks.rack("carrom", surface=CarromBoard(man_diameter_mm=30.2)).diameter_mm == 30.2
    for game, surface in (("carrom", SNOOKER_TABLE), ("snooker", CARROM_BOARD), ("snooker", WPA_TABLE)):
        with pytest.raises(UnusableInput):
            racks.rack(game, surface=surface)
    with pytest.raises(UnusableInput, match="expected one of"):
        racks.rack("chess")
    assert (
        isinstance(racks.rack("wepf").surface, TableSpec) and racks.rack("wepf").surface == BRITISH_POOL_TABLE
    )


@pytest.mark.parametrize("game", racks.GAMES)
def test_drawing_is_xml_with_a_circle_for_each_ball(game: str) -> None:
    rack = racks.rack(game)
    root = ElementTree.fromstring(rack_svg(rack))
    circles = [
        (float(c.get("cx", "nan")), -float(c.get("cy", "nan")), float(c.get("r", "nan")))
        for c in root.iter("{http://www.w3.org/2000/svg}circle")
    ]
    for ball in rack.balls:
        assert any(
            abs(x - ball.x_mm) < 0.01 and abs(y - ball.y_mm) < 0.01 and abs(2 * r - rack.diameter_mm) < 0.02
            for x, y, r in circles
        )


def test_command_writes_svg_and_json(tmp_path: pathlib.Path) -> None:
    app = command_line(["rack"])
    runner, out = CliRunner(), tmp_path / "rack.svg"
    result = runner.invoke(app, ["rack", "wpa_9ball", "--svg", str(out), "--json"])
    assert result.exit_code == 0 and out.read_text().startswith("<svg")
    data = json.loads(result.output)
    assert data["game"] == "wpa_9ball" and len(data["balls"]) == 9
    assert [p.name for p in tmp_path.iterdir()] == ["rack.svg"]
    missing = runner.invoke(app, ["rack", "snooker", "--svg", str(tmp_path / "no" / "rack.svg")])
    assert isinstance(missing.exception, UnusableInput) and "rack.svg" in str(missing.exception)
