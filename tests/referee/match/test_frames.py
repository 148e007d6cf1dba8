"""Which layouts a frame can have, racks, and states read off the table (snooker 3.2, 3.3)."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from script import COLOURS, Scene

from calibration.table.pieces import SNOOKER
from calibration.table.specs import SNOOKER_TABLE as TABLE
from referee.facts.calls import Start, parse_start
from referee.facts.judged import SpottingCheck
from referee.facts.seen import SeenBall, SeenHand, SeenStroke
from referee.match.accounts import accounts
from referee.match.snooker.frames import layout_state, next_frame, no_frame, racked, resynced
from referee.match.snooker.intake import Intake, stroke_seen
from referee.match.snooker.readings import readings
from referee.match.snooker.spotting import check_spotting, stood_at_first, with_respot
from referee.match.spotting import Stood, lies_on
from referee.match.touching import touching_verdict
from referee.rules.snooker import Options, State, new_frame
from referee.rules.snooker.facts import Placement
from tracker.events import LayoutChange


def seen(scene: Scene) -> tuple[SeenBall, ...]:
    return tuple(SeenBall(b.ball, b.colour, b.x_mm, b.y_mm, b.sigma_mm, 1.0) for b in scene.layout())


@pytest.mark.parametrize("reds", [6, 10, 15])
def test_a_triangle_is_a_rack_and_scattered_reds_are_not(reds: int) -> None:
    scene = Scene()
    scene.rack(reds)
    assert racked(seen(scene)) == reds and not no_frame(seen(scene))
    scene.balls["red_1"] = (700.0, 1000.0)
    assert racked(seen(scene)) == 0
    del scene.balls["red_1"]
    assert racked(seen(scene)) == 0


@pytest.mark.parametrize(
    ("reds", "colours", "practice"),
    [
        (2, COLOURS, False),
        (2, COLOURS[1:], False),  # one hidden
        (2, ("pink", "black"), True),
        (1, (), True),
        (0, (), True),
        (0, ("black",), False),
        (0, ("blue", "pink", "black"), False),
        (0, ("blue", "black"), True),
        (0, ("yellow", "green"), True),
    ],
)
def test_layouts_of_frames(reds: int, colours: tuple[str, ...], practice: bool) -> None:
    places = {f"red_{k}": (100.0 * k, 2300.0) for k in range(1, reds + 1)}
    assert no_frame(seen(Scene(places, colours=colours))) is practice


def test_the_state_is_read_off_the_first_layout() -> None:
    state = layout_state(seen(Scene()), Start(), Options())
    assert (state.ball_on, state.reds, state.striker, state.in_hand) == ("red", 2, "A", False)
    state = layout_state(seen(Scene({}, colours=COLOURS[3:])), Start(), Options())
    assert (state.ball_on, state.reds, state.colours) == ("blue", 0, COLOURS[3:])
    state = layout_state(seen(Scene()), parse_start("B any_colour 5-2"), Options())
    assert (state.ball_on, state.striker, state.scores) == ("any_colour", "B", (5, 2))
    hidden = layout_state(seen(Scene({}, colours=COLOURS)), parse_start("A red 0-0"), Options())
    assert hidden.ball_on == "red" and hidden.reds == 1
    scene = Scene()
    scene.rack()
    assert layout_state(seen(scene), Start(), Options()).in_hand


def test_players_take_turns_to_begin() -> None:
    scene = Scene()
    scene.rack()
    first = next_frame(None, seen(scene), parse_start("B red 3-4"), Options(), first=True)
    assert (first.striker, first.scores, first.in_hand) == ("B", (3, 4), True)
    second = next_frame(first, seen(scene), Start(), Options(), first=False)
    assert (second.striker, second.scores, second.reds) == ("A", (0, 0), 15)
    wrong = replace(second, starter="B")  # 3.3(d)(ii): A should have begun, so B begins the next
    assert next_frame(wrong, seen(scene), Start(), Options(), first=False).striker == "B"
    scene.rack(6)
    assert next_frame(second, seen(scene), Start(), Options(), first=False).reds == 6


def stroke(scene: Scene) -> SeenStroke:
    return stroke_seen(scene.stroke("red_1"), TABLE)


def test_what_lies_on_the_table_counts_and_is_said() -> None:
    state = State(reds=2, in_hand=False)
    assert resynced(state, stroke(Scene())) == (state, ())
    fewer = Scene({"red_1": (-400.0, 2300.0)})
    after, told = resynced(state, stroke(fewer))
    assert after.reds == 1 and [w.type for w in told] == ["reds_disagree"]
    last = State(reds=0, ball_on="green", colours=COLOURS[1:], in_hand=False)
    after, told = resynced(last, stroke(Scene()))
    assert (after.reds, after.ball_on, after.colours) == (2, "red", COLOURS)
    assert [w.type for w in told] == ["reds_disagree", "colours_disagree"]
    after, told = resynced(state, stroke(Scene(colours=COLOURS[1:])))
    assert after == state and [w.type for w in told] == ["colour_not_spotted"]


def test_readings_are_weighted_to_one_and_heaviest_first() -> None:
    scene = Scene()
    unsure = scene.stroke({"red_1": 0.5, "blue": 0.3, "none": 0.2}, {"red_1": 0.9, "pink": 0.6})
    seen = stroke_seen(unsure, TABLE)
    found = readings(accounts(seen, SNOOKER), seen, new_frame(), None, None)
    assert sum(r.weight for r in found) == pytest.approx(1)
    assert [r.weight for r in found] == sorted((r.weight for r in found), reverse=True)
    assert found[0].facts.first_contact == ("red",) and found[0].facts.potted == ("red", "pink")


def test_a_vanished_ball_is_resolved_by_a_rack_or_the_end() -> None:
    intake, scene = Intake(TABLE), Scene()
    held = scene.stroke("red_1", vanished=["red_2"])
    assert intake.feed(held) == () and intake.feed(scene.hand("moved", "blue", (10.0, 1790.0))) == ()
    first, hand, rack = intake.feed(LayoutChange(60.0, Scene().layout(), True))
    assert isinstance(first, SeenStroke) and [p.ball for p in first.pots] == ["red_2"]
    assert first.pots[0].pocket is None and first.vanished == () and first.sights
    assert isinstance(hand, SeenHand) and not isinstance(rack, SeenStroke)
    again = Intake(TABLE)
    again.feed(Scene().stroke("red_1", vanished=["red_2"]))
    (last,) = again.close()
    assert isinstance(last, SeenStroke) and last.vanished == ("red_2",) and again.close() == ()


def test_spotting_is_checked_where_the_colour_is_due() -> None:
    def hand(kind: str, x: float, y: float, sigma: float = 0.3) -> SeenHand:
        return SeenHand(kind, "blue", None, (x, y, sigma), 1.0)  # type: ignore[arg-type]

    good = check_spotting(hand("respot", 1.0, 1784.5), (), TABLE)
    assert good is not None and good.ok is True and good.dx_mm == pytest.approx(1.0)
    bad = check_spotting(hand("respot", 3.0, 1784.5), (), TABLE)
    assert bad is not None and bad.ok is False
    doubtful = check_spotting(hand("respot", 3.0, 1784.5, 1.0), (), TABLE)
    assert doubtful is not None and doubtful.ok is None
    due = (Placement("blue", None, (0.0, 1840.0), "3.7(f)"),)
    above = check_spotting(hand("respot", 0.0, 1841.0), due, TABLE)
    assert above is not None and above.ok is True and above.spot == "blue"
    small = replace(TABLE, length_mm=3563.8)  # a table whose size was not told, as its picture has it
    own = (Placement("blue", "blue", TABLE.spots["blue"], "3.7"),)  # as the rules say it of any table
    there = check_spotting(hand("respot", 0.0, 1781.9), own, small)
    assert there is not None and there.ok is True and there.due_mm == pytest.approx((0.0, 1781.9))
    assert check_spotting(hand("moved", 500.0, 900.0), (), TABLE) is None
    assert check_spotting(hand("replaced", 0.0, 1784.5), (), TABLE) is None
    assert check_spotting(SeenHand("respot", "white", None, (0.0, 0.0, 0.1), 1.0), (), TABLE) is None
    assert check_spotting(SeenHand("moved", "blue", (0.0, 0.0), None, 1.0), (), TABLE) is None


def test_a_respotted_colour_is_compared_with_the_visible_mark_where_there_is_one() -> None:
    def hand(x: float, own: float | None, mark: tuple[float, float, float] | None) -> SeenHand:
        # the calibration's share, 2 mm here, alone would leave every respot undecided
        return SeenHand("respot", "blue", None, (x, 1784.5, 2.0), 1.0, own, mark)

    computed = check_spotting(hand(0.5, 0.3, None), (), TABLE)
    assert computed is not None and computed.ok is None and computed.reference == "computed"
    against = check_spotting(hand(3.5, 0.3, (3.2, 1784.0, 0.2)), (), TABLE)
    assert against is not None and against.ok is True and against.reference == "mark"
    assert against.dx_mm == pytest.approx(0.3) and against.sigma_mm == pytest.approx(math.hypot(0.3, 0.2))
    off = check_spotting(hand(0.0, 0.3, (3.2, 1784.0, 0.2)), (), TABLE)
    assert off is not None and off.ok is False  # on the computed place, and not on the mark
    far = check_spotting(hand(0.5, 0.3, (40.0, 1784.5, 0.2)), (), TABLE)
    assert far is not None and far.reference == "computed"  # that mark is another's


def test_a_respotted_colour_is_compared_with_where_it_stood_before_when_no_mark_is_seen() -> None:
    """A calibration 9 mm off in the depth says nothing of a black that stands where it stood before."""
    stood = (Stood("black", 0.0, 3245.0 + 9.0),)

    def back(y: float, mark: tuple[float, float, float] | None = None) -> SpottingCheck:
        hand = SeenHand("respot", "black", None, (0.0, y, 2.0), 1.0, 0.3, mark)
        check = check_spotting(hand, (), TABLE, (), stood)
        assert check is not None
        return check

    same = back(3245.0 + 9.2)
    assert same.reference == "before" and same.offset_mm < 0.3 and same.ok is not False
    off = back(3245.0 + 15.0)
    assert off.reference == "before" and off.ok is False
    agreeing = back(3245.0 + 9.2, (0.0, 3245.0 + 8.8, 0.2))
    assert agreeing.reference == "mark" and agreeing.ok is True
    assert back(3245.0 + 9.2, (0.0, 3245.0, 0.2)).reference == "before"  # 9 mm from where it stood: no mark


def test_where_a_colour_stood_is_the_mean_of_its_places_on_the_spot() -> None:
    (blue,) = stood_at_first([b for b in seen(Scene()) if b.colour == "blue"], TABLE)
    hand = SeenHand("respot", "blue", None, (2.0, 1784.5, 0.3), 1.0, 0.3)
    check = check_spotting(hand, (), TABLE, (), (blue,))
    assert check is not None and check.ok is not False
    (again,) = with_respot((blue,), hand, check)
    assert again.times == 2 and again.x_mm == pytest.approx((blue.x_mm + 2.0) / 2)
    assert with_respot((blue,), hand, replace(check, ok=False)) == (blue,)


@given(st.floats(0.0, 8.0), st.floats(0.05, 3.0))
def test_on_and_off_are_said_only_where_the_other_can_be_ruled_out(offset: float, sigma: float) -> None:
    said = lies_on(offset, sigma)
    if said is True:
        assert offset + 2.32 * sigma < 3.0
    if said is False:
        assert offset - 2.32 * sigma > 1.0
    if sigma < 0.42:
        assert said is not None  # a measurement this good always decides


@given(st.floats(-2.0, 5.0), st.floats(0.02, 2.0))
def test_touching_is_certain_only_where_the_other_can_be_ruled_out(gap: float, sigma: float) -> None:
    said = touching_verdict(gap, sigma)
    if said == "no":
        assert gap >= 4 * sigma and gap >= 0.3  # two touching balls are not called apart: four sigma
    if said == "yes":
        assert gap + 2.3 * sigma <= 0.2
    assert touching_verdict(4 * sigma + 0.3, sigma) == "no"
    assert touching_verdict(0.0, 0.08) == "yes" and touching_verdict(0.0, 0.1) == "unknown"


@given(st.floats(0.001, 3.0), st.floats(0.02, 2.0))
def test_a_gap_that_no_two_balls_can_have_says_nothing_of_touching(further: float, sigma: float) -> None:
    """Balls do not overlap: a gap more than 2.5 sigma below none (1 in 160 by chance) is wrong by more than
    its sigma.
    """
    assert touching_verdict(-2.5 * sigma - further, sigma) == "unknown"
    assert touching_verdict(-2.4 * sigma, sigma) == "yes"  # within its noise of touching, 0.2 mm ruled out
