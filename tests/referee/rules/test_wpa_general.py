"""WPA general rules: spotting on the long string (1.4), the lag (1.2), rails (8.4), acts (6, 7), matches."""

from __future__ import annotations

import math
import random

import pytest

from referee.rules.blackball import engine as blackball
from referee.rules.common.match import best_of, match_conceded, new_match, rack_won
from referee.rules.common.pool import (
    Event,
    FactsError,
    Lying,
    Pot,
    RailContact,
    RefereeAct,
    rails_reached,
)
from referee.rules.wepf import engine as wepf
from referee.rules.wepf.fouls import MARKS as WEPF_MARKS
from referee.rules.wepf.fouls import spot_positions
from referee.rules.wpa import eight_ball as wpa_8ball
from referee.rules.wpa import fourteen_one as wpa_14_1
from referee.rules.wpa import nine_ball as wpa_9ball
from referee.rules.wpa.fourteen_one_rack import Interference, interferes, rerack_after
from referee.rules.wpa.general import (
    WPA_MARKS,
    WpaCall,
    WpaFoul,
    WpaShot,
    behind_string,
    nearest_behind_string,
    spot_balls,
)

D = WPA_MARKS.ball_diameter_mm
FOOT_Y = WPA_MARKS.foot_spot_mm[1]


def _free(place: tuple[float, float], lying: tuple[Lying, ...]) -> bool:
    return all(math.dist(place, b.point_mm) >= D - 1e-6 for b in lying)


def test_a_spotted_ball_is_on_the_string_free_and_as_near_below_the_foot_spot_as_possible() -> None:
    rng = random.Random(14)
    for _ in range(400):
        lying: list[Lying] = []
        for n in range(rng.randint(0, 9)):
            p = (rng.uniform(-90, 90), FOOT_Y + rng.uniform(-200, 600))
            if _free(p, tuple(lying)):
                lying.append(Lying(str(n + 1), p))
        (placed,) = spot_balls(("15",), tuple(lying), WPA_MARKS)
        x, y = placed.point_mm
        assert x == 0.0
        assert _free((x, y), tuple(lying))
        limit = WPA_MARKS.length_mm - D / 2
        if y >= FOOT_Y:
            nearer = [FOOT_Y + k * 0.25 for k in range(int((y - FOOT_Y) / 0.25))]
        else:  # the whole string below the spot was blocked
            nearer = [FOOT_Y + k * 0.25 for k in range(int((limit - FOOT_Y) / 0.25))]
        assert not [t for t in nearer if t < limit and t != y and _clear(t, tuple(lying))]


def _clear(y: float, lying: tuple[Lying, ...]) -> bool:
    return all(math.dist((0.0, y), b.point_mm) > D + 1e-3 for b in lying)


def test_contact_with_an_object_ball_never_with_the_cue_ball() -> None:
    (beside,) = spot_balls(("9",), (Lying("5", (0.0, FOOT_Y)),), WPA_MARKS)
    assert beside.contact_with == "5"
    assert beside.point_mm[1] == pytest.approx(FOOT_Y + D)
    (apart,) = spot_balls(("9",), (Lying("cue", (0.0, FOOT_Y)),), WPA_MARKS)
    assert apart.contact_with is None
    assert D < apart.point_mm[1] - FOOT_Y < D + 3


def test_wepf_never_touches_and_goes_down_only_when_the_far_line_is_full() -> None:
    spot_x, spot_y = WEPF_MARKS.spot_mm
    d = WEPF_MARKS.ball_diameter_mm
    wall = tuple(Lying("red", (spot_x, spot_y + k * (d + 0.2))) for k in range(9))
    (placed,) = spot_positions(("8",), wall, WEPF_MARKS)
    assert placed.point_mm[1] < spot_y
    assert min(math.dist(placed.point_mm, b.point_mm) for b in wall) > d


def test_the_head_string_itself_is_not_behind_the_head_string() -> None:
    assert not behind_string((0.0, WPA_MARKS.string_mm), WPA_MARKS)
    assert behind_string((0.0, WPA_MARKS.string_mm - 0.1), WPA_MARKS)
    with pytest.raises(FactsError):
        nearest_behind_string((Lying("4", (0.0, WPA_MARKS.string_mm)),), None, WPA_MARKS, None)


def test_of_two_balls_at_the_same_distance_the_shooter_designates() -> None:
    lying = (Lying("4", (100.0, 500.0)), Lying("8", (-100.0, 500.0)), Lying("cue", (0.0, 630.0)))
    assert nearest_behind_string(lying, None, WPA_MARKS, "8").ball == "8"
    assert nearest_behind_string(lying, frozenset(("4",)), WPA_MARKS, "8").ball == "4"


@pytest.mark.parametrize("declared, expected", [((("2", "left"),), 0), ((), 1)])
def test_a_ball_is_frozen_only_when_declared(declared: tuple[tuple[str, str], ...], expected: int) -> None:
    shot = WpaShot(by="A", first_contact=("2",), rail_contacts=(RailContact("2", "left", True),))
    assert rails_reached(shot, declared) == expected


def test_object_balls_driven_to_a_rail_are_balls_driven_to_a_rail() -> None:
    """8.4: a break that is told by its object balls alone has reached a rail."""
    assert rails_reached(WpaShot(by="A", first_contact=("1",), object_rails=4)) == 4
    assert rails_reached(WpaShot(by="A", first_contact=("1",), object_rails=0, cue_ball_rail=True)) == 1


def test_uncalled_fouls_lapse_but_the_cue_ball_is_still_gone() -> None:
    state = wpa_9ball.State(break_shot=False, in_hand=None)
    _, ruling = wpa_9ball.apply(
        state, WpaShot(by="A", first_contact=("5",), rails_after_contact=1, foul_called=False)
    )
    assert not ruling.foul
    _, ruling = wpa_9ball.apply(
        state, WpaShot(by="A", first_contact=("5",), cue_ball="pocketed", foul_called=False)
    )
    assert ruling.reason is WpaFoul.SCRATCH


def test_a_ball_that_fell_while_nothing_was_met_wins_no_rack() -> None:
    """6.3 asks for a contact before a rail, and only a legal pot of the nine wins (2.5)."""
    state = wpa_9ball.State(break_shot=False, in_hand=None)
    _, ruling = wpa_9ball.apply(state, WpaShot(by="A", potted=(Pot("9", "TL"),)))
    assert ruling.reason is WpaFoul.NO_CONTACT and ruling.winner is None


def test_several_fouls_cost_one_penalty_and_all_are_listed() -> None:
    state = wpa_14_1.State(opening_break=False, in_hand=None, scores=(10, 0))
    shot = wpa_14_1.Shot(
        by="A", first_contact=("4",), cue_ball="pocketed", off_table=("7",), infringements=("double_hit",)
    )
    new, ruling = wpa_14_1.apply(state, shot)
    assert [f.clause for f in ruling.fouls] == ["6.1", "6.5", "6.7"]
    assert new.scores == (9, 0)


def test_wheelchair_offences_grow_worse() -> None:
    state = wpa_9ball.State(break_shot=False, in_hand=None)
    act = RefereeAct(event="wheelchair_violation", against="A")
    state, first = wpa_9ball.apply(state, act)
    assert (first.foul, first.in_hand, first.rack_over) == (True, "anywhere", False)
    _, second = wpa_9ball.apply(state, act)
    assert (second.rack_over, second.winner, second.match_lost_by) == (True, "B", None)
    _, third = wpa_9ball.apply(wpa_9ball.State(wheelchair_offences=(2, 0)), act)
    assert third.match_lost_by == "A"


def test_stalemates_differ_by_game() -> None:
    act = RefereeAct(event="stalemate")
    state, ruling = wpa_8ball.apply(wpa_8ball.State(shooter="B", breaker="A", break_shot=False), act)
    assert (state.shooter, ruling.clause, state.break_shot) == ("A", "3.11", True)
    state9, _ = wpa_9ball.apply(wpa_9ball.State(shooter="B", breaker="A", break_shot=False), act)
    assert state9.shooter == "A"
    state14, ruling14 = wpa_14_1.apply(wpa_14_1.State(scores=(40, -2), opening_break=False), act)
    assert (state14.scores, state14.opening_break, ruling14.clause) == ((40, -2), True, "4.12")


def test_the_last_own_ball_with_the_black_or_eight() -> None:
    """The same shot: WPA eight ball and WEPF lose, black ball wins."""
    on_table = frozenset({4, 8, 9, 10})
    eight = wpa_8ball.State(group_a="solids", on_table=on_table, break_shot=False, in_hand=None)
    shot = WpaShot(
        by="A", first_contact=("4",), potted=(Pot("4", "TL"), Pot("8", "TR")), called=WpaCall(ball="4")
    )
    assert wpa_8ball.apply(eight, shot)[1].winner == "B"
    black = blackball.State(colour_a="red", reds=1, break_shot=False, in_hand=None)
    both = blackball.Shot(by="A", first_contact=("red",), potted=(Pot("red"), Pot("black")))
    assert blackball.apply(black, both)[1].winner == "A"
    pool = wepf.State(colour_a="red", reds=1, break_shot=False, from_baulk=False)
    lost = wepf.apply(pool, wepf.Shot(by="A", first_contact=("red",), potted=(Pot("red"), Pot("8"))))[1]
    assert (lost.winner, lost.clause) == ("B", "N(3)")


def test_rack_outline_is_touched_within_a_radius() -> None:
    top = FOOT_Y + 4 * D * math.sqrt(3) / 2 + D / 2
    assert interferes((0.0, FOOT_Y), WPA_MARKS)
    assert interferes((0.0, top + D / 2 - 0.1), WPA_MARKS)
    assert not interferes((0.0, top + D / 2 + 0.1), WPA_MARKS)
    assert not interferes((0.0, FOOT_Y - D - D / 2 - 0.1), WPA_MARKS)


def test_rerack_reads_positions_where_nobody_said() -> None:
    lying = (Lying("cue", (0.0, FOOT_Y)), Lying("3", (200.0, 400.0)))
    racked = rerack_after(1, Interference(), lying, WPA_MARKS)
    assert (racked.balls, racked.cue_mm) == (14, WPA_MARKS.head_spot_mm)
    blocked = (Lying("cue", (0.0, FOOT_Y)), Lying("3", (10.0, 600.0)))
    assert rerack_after(1, Interference(), blocked, WPA_MARKS).cue_mm == WPA_MARKS.centre_spot_mm
    ahead = (Lying("cue", (0.0, FOOT_Y)), Lying("3", (200.0, 900.0)))
    assert rerack_after(1, Interference(), ahead, WPA_MARKS).cue_in_hand


def test_wepf_stalemate_after_three_dry_turns_each() -> None:
    state = wepf.State(breaker="B", colour_a="red", break_shot=False, from_baulk=False)
    away = frozenset({"red", "yellow"})
    for n in range(6):
        # playing away from a touching own ball: a legal shot without any contact
        from dataclasses import replace

        state, ruling = wepf.apply(
            replace(state, touching=away), wepf.Shot(by=state.player, rails_after_contact=1)
        )
        assert ruling.replay_frame == (n == 5)
    assert (state.player, ruling.breaker, ruling.clause) == ("B", "B", "X")


def test_wepf_serious_foul_puts_back_what_was_potted() -> None:
    state = wepf.State(colour_a="red", break_shot=False, from_baulk=False)
    shot = wepf.Shot(by="A", first_contact=("red",), potted=(Pot("red"),), infringements=("jump_deliberate",))
    new, ruling = wepf.apply(state, shot)
    assert (new.reds, ruling.balls_replaced, new.visits, new.player) == (7, True, 2, "B")


def test_wepf_unrestorable_play_out_of_turn_offers_a_replay() -> None:
    state = wepf.State(colour_a="red", break_shot=False, from_baulk=False, breaker="A")
    shot = wepf.Shot(by="B", first_contact=("red",), infringements=("balls_beyond_restoration",))
    new, ruling = wepf.apply(state, shot)
    assert (new.player, ruling.options) == ("A", ("play_from_where_it_lies", "replay_frame"))
    from referee.rules.common.pool import Choice

    again, second = wepf.apply(new, Choice(by="A", choice="replay_frame"))
    assert (second.replay_frame, again.player, again.break_shot) == (True, "A", True)


def test_concession_loses_the_match_in_wpa_and_the_frame_in_wepf() -> None:
    _, wpa = wpa_8ball.apply(wpa_8ball.new_rack(), Event(by="A", event="concede"))
    assert (wpa.winner, wpa.match_lost_by) == ("B", "A")
    _, frame = wepf.apply(wepf.new_frame(), Event(by="A", event="concede"))
    assert (frame.winner, frame.frame_over, frame.foul) == ("B", True, False)


def test_races_and_breakers() -> None:
    match = new_match(best_of(5), "winner", "B")
    for winner in ("A", "A", "B"):
        match = rack_won(match, winner)  # type: ignore[arg-type]
    assert (match.racks, match.over, match.breaker) == ((2, 1), False, "B")
    match = rack_won(match, "A")
    assert match.winner == "A"
    with pytest.raises(FactsError):
        rack_won(match, "A")
    alternate = rack_won(rack_won(new_match(7), "A"), "A")
    assert alternate.breaker == "A"
    assert match_conceded(alternate, "A").winner == "B"
    with pytest.raises(FactsError):
        best_of(4)


def test_a_foul_before_the_break_leaves_the_break_to_the_other() -> None:
    touched = Event(by="A", event="touched_ball")
    nine, ruling = wpa_9ball.apply(wpa_9ball.new_rack(), touched)
    assert (nine.shooter, nine.break_shot, ruling.in_hand) == ("B", True, "behind_head_string")
    straight, _ = wpa_14_1.apply(wpa_14_1.new_game(), touched)
    assert (straight.opening_break, straight.in_hand, straight.scores) == (
        True,
        "behind_head_string",
        (-1, 0),
    )
    black, free = blackball.apply(blackball.new_rack(), touched)
    assert (black.break_shot, black.in_hand, free.free_shot) == (True, "baulk", True)
    pool, _ = wepf.apply(wepf.new_frame(), touched)
    assert (pool.player, pool.break_shot, pool.from_baulk, pool.visits) == ("B", True, True, 2)


def test_a_call_of_the_opponents_ball_does_not_count() -> None:
    state = wpa_8ball.State(group_a="solids", break_shot=False, in_hand=None)
    shot = WpaShot(
        by="A", first_contact=("2",), potted=(Pot("10", "TL"),), called=WpaCall(ball="10", pocket="TL")
    )
    new, ruling = wpa_8ball.apply(state, shot)
    assert (ruling.foul, new.shooter, ruling.stay_off) == (False, "B", ("10",))
