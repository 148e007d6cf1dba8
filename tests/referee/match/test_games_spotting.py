"""What a hand puts back on a spot of any game but snooker is measured against where the rules have it put."""

from __future__ import annotations

from dataclasses import replace

import pytest

from calibration.table.board import board_table
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE, TableSpec
from referee.facts.judged import SpottingCheck
from referee.match.referee import Referee
from tests.support.game_script import GameScript, spread
from tracker.events import HandMove, TrackerEvent

FOOT = WPA_TABLE.marked_spots["foot"]
NINE = [str(n) for n in range(1, 10)]
SIGMA_MM = 0.3


def checks(game: str, table: TableSpec, *events: TrackerEvent) -> tuple[SpottingCheck, ...]:
    referee = Referee(table, game=game)
    for event in events:
        referee.feed(event)
    referee.close()
    return referee.match.spotting


def put(ball: str, x_mm: float, y_mm: float, t_s: float) -> HandMove:
    return HandMove("respot", ball, None, (x_mm, y_mm, SIGMA_MM), t_s)


@pytest.mark.parametrize(("off_mm", "ok"), [(0.5, True), (6.0, False)])
def test_a_nine_that_fell_by_a_foul_is_due_on_the_foot_spot(off_mm: float, ok: bool) -> None:
    """WPA 2.6: of the balls that fell by a foul the nine alone is spotted."""
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NINE)})
    fouled = script.stroke("2", ("9", "TR"))
    (check,) = checks("wpa_9ball", WPA_TABLE, fouled, put("9", FOOT[0] + off_mm, FOOT[1], fouled.end_s + 1.0))
    assert (check.ball, check.spot, check.ok, check.occupied_by) == ("9", "foot spot", ok, ())
    assert check.dx_mm == pytest.approx(off_mm) and check.due_mm == pytest.approx(FOOT)


def test_a_ball_whose_spot_is_occupied_is_due_as_near_as_may_be_behind_it() -> None:
    """WPA 1.4: on the long string towards the foot rail, in contact with the ball in the way."""
    lying = {"cue": (0.0, 400.0), **spread(WPA_TABLE, NINE)} | {"5": FOOT}
    script = GameScript("wpa_9ball", WPA_TABLE, lying)
    fouled = script.stroke("2", ("9", "TR"))
    behind = (FOOT[0], FOOT[1] + WPA_TABLE.ball_diameter_mm)
    (check,) = checks("wpa_9ball", WPA_TABLE, fouled, put("9", *behind, fouled.end_s + 1.0))
    assert check.ok and check.due_mm == pytest.approx(behind) and check.occupied_by == ("5",)


def test_a_ball_that_a_hand_brings_back_elsewhere_is_put_on_no_spot() -> None:
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NINE)})
    first = script.stroke("1", rails=["1"])
    moved = replace(put("9", FOOT[0], FOOT[1] + 5.0, first.end_s + 1.0), type="moved")
    back = put("9", 300.0, 1500.0, first.end_s + 2.0)
    assert checks("wpa_9ball", WPA_TABLE, first, moved, back) == ()


def test_the_red_of_billiards_goes_back_on_the_spot() -> None:
    """English billiards 3.8(a): a potted red is placed on the Spot."""
    lying = {"white": (-60.0, 700.0), "red": (300.0, 2500.0), "yellow": (0.0, 1500.0)}
    script = GameScript("english_billiards", SNOOKER_TABLE, lying)
    potted = script.stroke("red", ("red", "TR"))
    x, y = SNOOKER_TABLE.spots["black"]
    (check,) = checks("english_billiards", SNOOKER_TABLE, potted, put("red", x, y + 4.5, potted.end_s))
    assert (check.ball, check.spot, check.ok) == ("red", "Spot", False)


def test_the_queen_is_due_in_the_centre_circle() -> None:
    places = {"striker": (20.0, -250.0), "queen": (100.0, 50.0)}
    men = {f"{c}_{k}": (30.0 * k, 60.0 * s) for c, s in (("white", 1), ("black", -1)) for k in range(1, 6)}
    script = GameScript("carrom", board_table(), places | men)
    fell = script.stroke("queen", ("queen", "TR"))
    (check,) = checks("carrom", board_table(), fell, put("queen", 0.4, -0.3, fell.end_s + 1.0))
    assert (check.ball, check.spot, check.ok) == ("queen", "centre circle", True)
