"""English billiards: scoring, spots, limits, fouls and options as the text states them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from referee.rules.english_billiards import acts
from referee.rules.english_billiards import engine as game
from referee.rules.english_billiards.types import (
    BallAt,
    CushionContact,
    EdgeFall,
    MissReading,
    Option,
    Reason,
    RedState,
    Rules,
    Spot,
    State,
    Stroke,
)

OPEN = State(started=True, in_hand=(False, False))


def hit(*contacts: str, **facts: object) -> Stroke:
    return Stroke(by="A", contacts=contacts, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("stroke", "points"),
    [
        (hit("red", "white"), 2),
        (hit("white", potted=("white",)), 2),
        (hit("red", potted=("red",)), 3),
        (hit("white", cue_ball="pocketed"), 2),
        (hit("red", cue_ball="pocketed"), 3),
        (hit("white", "red", cue_ball="pocketed"), 4),
        (hit("red", "white", cue_ball="pocketed"), 5),
        (hit("red", "white", cue_ball="pocketed", simultaneous_first=True), 4),
        (hit("red", "white", potted=("red", "white"), cue_ball="pocketed"), 10),  # a ten shot
        (hit("red"), 0),
    ],
)
def test_every_combination_scores_all_its_parts(stroke: Stroke, points: int) -> None:
    _, ruling = game.judge_stroke(OPEN, stroke)
    assert ruling.points == points
    assert ruling.next_striker == ("A" if points else "B")


def test_red_potted_spot_twice_then_centre_once_and_again() -> None:
    state, spots = OPEN, []
    for _ in range(7):
        state, ruling = game.judge_stroke(state, hit("red", potted=("red",)))
        spots.append(ruling.placed[0].spot)
    spot, centre = Spot.SPOT, Spot.CENTRE
    assert spots == [spot, centre, spot, spot, centre, spot, spot]  # 3.8(b), (c)


def test_a_cannon_between_ends_the_succession() -> None:
    state, _ = game.judge_stroke(OPEN, hit("red", potted=("red",)))
    state, _ = game.judge_stroke(state, hit("red", "white"))
    _, ruling = game.judge_stroke(state, hit("red", potted=("red",)))
    assert ruling.placed[0].spot is Spot.SPOT


def test_red_goes_to_the_first_spot_that_is_free() -> None:
    blockers = (BallAt("white", 0.0, 3245.0), BallAt("cue", 10.0, 2676.75))
    _, ruling = game.judge_stroke(OPEN, hit("red", potted=("red",), after=blockers))
    assert ruling.placed[0].spot is Spot.CENTRE  # 3.8(a)
    twice = replace(OPEN, red=RedState(Spot.SPOT, 1))
    blockers = (BallAt("white", 0.0, 1790.0), BallAt("cue", 0.0, 2680.0))
    _, ruling = game.judge_stroke(twice, hit("red", potted=("red",), after=blockers))
    assert ruling.placed[0].spot is Spot.SPOT  # 3.8(b): both occupied


def test_white_potted_stays_off_and_its_owner_plays_from_in_hand() -> None:
    state, ruling = game.judge_stroke(OPEN, hit("white", potted=("white",)))
    assert not ruling.in_hand and state.in_hand == (False, True)
    _, ruling = game.judge_stroke(state, hit("red"))
    assert (ruling.next_striker, ruling.in_hand) == ("B", True)


def test_every_foul_costs_two_and_scores_nothing() -> None:
    for reason in (Reason.PUSH_STROKE, Reason.JUMP_SHOT, Reason.FEET_OFF_FLOOR, Reason.BALLS_NOT_AT_REST):
        _, ruling = game.judge_stroke(
            OPEN, hit("red", potted=("red",), infringements=(reason, Reason.BALL_TOUCHED))
        )
        assert (ruling.points, ruling.scores, ruling.next_striker) == (0, (0, 2), "B")
        assert ruling.clause == reason.clause and ruling.options == tuple(Option)
        assert ruling.placed[0].spot is Spot.SPOT  # a red off the table is spotted all the same


def test_wheelchair_player_may_lift_his_feet() -> None:
    seated = replace(OPEN, rules=Rules(wheelchair=(True, False)))
    _, ruling = game.judge_stroke(seated, hit("red", infringements=(Reason.FEET_OFF_FLOOR,)))
    assert not ruling.foul


def test_the_in_hand_option_spots_both_object_balls() -> None:
    state, _ = game.judge_stroke(OPEN, hit("red", cue_ball="pocketed", infringements=(Reason.JUMP_SHOT,)))
    assert state.in_hand == (True, False)
    after, ruling = game.choose(state, "B", Option.IN_HAND)
    assert ruling.in_hand and [p.spot for p in ruling.placed] == [Spot.SPOT, Spot.CENTRE]
    assert after.in_hand == (False, False)  # A's white is spotted even though it was off the table
    with pytest.raises(ValueError, match="options"):
        game.choose(after, "B", Option.POSITION)


IN_HAND = State(started=True, in_hand=(True, False))
BAULK = (BallAt("red", 100.0, 300.0), BallAt("white", -200.0, 500.0))


def test_miss_from_in_hand_with_no_ball_out_of_baulk_is_no_foul() -> None:
    _, ruling = game.judge_stroke(IN_HAND, Stroke("A", before=BAULK))
    assert (ruling.miss, ruling.foul, ruling.scores, ruling.options) == (True, False, (0, 2), ())
    _, ruling = game.judge_stroke(IN_HAND, Stroke("A", before=BAULK[:1]))  # white in open play
    assert ruling.foul and ruling.reason is Reason.FOUL_MISS
    _, ruling = game.judge_stroke(IN_HAND, Stroke("A", before=BAULK, cue_ball="pocketed"))
    assert ruling.foul  # straight into a pocket


@pytest.mark.parametrize(
    ("reading", "foul"), [(MissReading.EVERY_MISS, False), (MissReading.ALWAYS_FOUL, True)]
)
def test_other_readings_of_the_miss(reading: MissReading, foul: bool) -> None:
    state = replace(OPEN, rules=Rules(miss=reading))
    _, ruling = game.judge_stroke(state, Stroke("A"))
    assert ruling.foul is foul and ruling.scores == (0, 2)


def test_coup_when_no_ball_is_in_play() -> None:
    nothing = State(started=True, in_hand=(True, True), red=RedState(None, 0, True))
    _, ruling = game.judge_stroke(nothing, Stroke("A", cue_ball="pocketed"))
    assert ruling.reason is Reason.COUP


@pytest.mark.parametrize(
    ("contacts", "foul"),
    [
        (("red",), True),
        ((CushionContact(True), "red"), True),
        ((CushionContact(False), "red"), False),
        (("white", "red"), False),
        ((CushionContact(True), "white"), False),
    ],
)
def test_in_hand_a_ball_in_baulk_needs_a_contact_out_of_baulk_first(
    contacts: tuple[object, ...], foul: bool
) -> None:
    before = (BallAt("red", 200.0, 500.0), BallAt("white", 300.0, 1500.0))
    _, ruling = game.judge_stroke(IN_HAND, Stroke("A", contacts=contacts, before=before))  # type: ignore[arg-type]
    assert ruling.foul is foul
    if foul:
        assert ruling.reason is Reason.IMPROPER_IN_HAND


def test_in_hand_from_outside_the_d_or_not_out_of_baulk() -> None:
    on_line = Stroke("A", contacts=("red",), before=(BallAt("cue", 0.0, 445.0),))
    assert not game.judge_stroke(IN_HAND, on_line)[1].foul  # the D's line is in
    outside = Stroke("A", contacts=("red",), before=(BallAt("cue", 300.0, 700.0),))
    assert game.judge_stroke(IN_HAND, outside)[1].reason is Reason.IMPROPER_IN_HAND
    stays = Stroke("A", after=(BallAt("cue", 0.0, 700.0),))
    assert game.judge_stroke(IN_HAND, stays)[1].reason is Reason.IMPROPER_IN_HAND


def test_fifteen_hazards_then_a_foul_and_a_cannon_begins_anew() -> None:
    state, said = OPEN, []
    for _ in range(15):
        state, ruling = game.judge_stroke(state, hit("red", cue_ball="pocketed"))
        said += ruling.words
    assert said.count("TEN HAZARDS") == 1 and state.hazards == 15
    _, ruling = game.judge_stroke(state, hit("red", cue_ball="pocketed"))
    assert ruling.reason is Reason.TOO_MANY_HAZARDS
    state, ruling = game.judge_stroke(state, hit("red", "white", cue_ball="pocketed"))
    assert ruling.points == 5 and state.hazards == 0


def test_late_announcements_allow_five_more() -> None:
    state = replace(OPEN, hazards=13, cannons=0)
    state, _ = acts.announce(state, "hazards")
    for _ in range(5):
        state, ruling = game.judge_stroke(state, hit("red", cue_ball="pocketed"))
        assert ruling.points == 3
    assert game.judge_stroke(state, hit("red", cue_ball="pocketed"))[1].foul


def test_seventy_five_cannons() -> None:
    state = replace(OPEN, cannons=69)
    state, ruling = game.judge_stroke(state, hit("red", "white"))
    assert "SEVENTY CANNONS" in ruling.words
    state = replace(state, cannons=75)
    assert game.judge_stroke(state, hit("red", "white"))[1].reason is Reason.TOO_MANY_CANNONS
    assert game.judge_stroke(state, hit("red", "white", potted=("red",)))[1].points == 5


def test_opponents_ball_comes_back_after_the_fifteenth_hazard_only_if_he_lost_it_himself() -> None:
    base = replace(OPEN, hazards=14, in_hand=(False, True))
    state, ruling = game.judge_stroke(
        replace(base, off_by_owner=(False, True)), hit("red", cue_ball="pocketed")
    )
    assert [p.spot for p in ruling.placed] == [Spot.BAULK_MIDDLE] and not state.in_hand[1]
    state, ruling = game.judge_stroke(base, hit("red", cue_ball="pocketed"))
    assert ruling.placed == () and state.in_hand[1]


def test_touching_ball_of_the_next_striker() -> None:
    _state, ruling = game.judge_stroke(OPEN, hit("red", "white", touching=(("cue", "red"),)))
    assert ruling.in_hand and [p.spot for p in ruling.placed] == [Spot.SPOT, Spot.CENTRE]
    _, ruling = game.judge_stroke(OPEN, hit("red", touching=(("white", "red"),)))
    assert (ruling.next_striker, ruling.in_hand) == ("B", True)
    _, ruling = game.judge_stroke(OPEN, hit("red", touching=(("cue", "red"),)))
    assert not ruling.in_hand and ruling.placed == ()  # A's ball touches, B is next
    consent = replace(OPEN, rules=Rules(touching_needs_consent=True))
    _, ruling = game.judge_stroke(
        consent, hit("red", "white", touching=(("cue", "red"),), touching_consent=False)
    )
    assert not ruling.in_hand


def test_edge_falls() -> None:
    _, ruling = game.judge_stroke(
        OPEN, hit("red", potted=("red",), fell_untouched=(EdgeFall("white", False),))
    )
    assert ruling.points == 3 and ruling.replaced == ("white",)
    state, ruling = game.judge_stroke(OPEN, hit("red", fell_untouched=(EdgeFall("white", True),)))
    assert ruling.replay and state == OPEN
    foul = hit("red", fell_untouched=(EdgeFall("white", True),), infringements=(Reason.PUSH_STROKE,))
    _, ruling = game.judge_stroke(OPEN, foul)
    assert ruling.foul and set(ruling.replaced) == {"cue", "white", "red"} and ruling.options


def test_target_caps_the_score_and_time_ends_the_game() -> None:
    state = replace(OPEN, scores=(99, 10), break_points=20, rules=Rules(target=100))
    state, ruling = game.judge_stroke(state, hit("red", potted=("red",)))
    assert (ruling.scores, ruling.break_points, ruling.winner, ruling.next_striker) == (
        (100, 10),
        23,
        "A",
        None,
    )
    with pytest.raises(ValueError, match="over"):
        game.judge_stroke(state, hit("red"))
    timed = replace(OPEN, scores=(5, 5))
    _, ruling = game.judge_stroke(timed, hit("red", time_called=True, final_session=True))
    assert ruling.game_over and ruling.winner is None  # level: the event's tie-break (3.5(c))


def test_penalty_points_may_reach_the_target() -> None:
    state = replace(OPEN, scores=(0, 99), rules=Rules(target=100))
    _, ruling = game.judge_stroke(state, hit("red", infringements=(Reason.PUSH_STROKE,)))
    assert (ruling.scores, ruling.winner, ruling.options) == ((0, 100), "B", ())


def test_baulk_line_crossing_option() -> None:
    state = replace(OPEN, break_points=98, scores=(98, 0), rules=Rules(baulk_crossing=True))
    _, ruling = game.judge_stroke(state, hit("red", "white"))
    assert ruling.reason is Reason.NOT_CROSSED and ruling.points == 0
    _, ruling = game.judge_stroke(state, hit("red", "white", crossed_baulk_line=True))
    assert ruling.points == 2
    _, ruling = game.judge_stroke(replace(state, crossed=True), hit("red", "white"))
    assert ruling.points == 2


def test_wrong_white_voids_only_the_opening_stroke() -> None:
    start = game.opening("A")
    after, ruling = game.judge_stroke(start, hit("red", wrong_white=True))
    assert ruling.restart and after == start
    _, ruling = game.judge_stroke(OPEN, hit("red", wrong_white=True))
    assert ruling.reason is Reason.OTHER_BALL_STRUCK


def test_four_handed_order_and_playing_out_of_turn() -> None:
    state = game.opening(order=("A1", "B1", "A2", "B2"))
    state = replace(state, started=True, in_hand=(False, False))
    for expected in ("B1", "A2", "B2", "A1"):
        state, ruling = game.judge_stroke(state, Stroke(state.striker, contacts=("red",)))
        assert ruling.next_striker == expected
    state, ruling = game.judge_stroke(state, Stroke("A2", contacts=("red",)))
    assert ruling.reason is Reason.OUT_OF_TURN and ruling.scores == (0, 2)


def test_awards_and_concessions() -> None:
    _, ruling = acts.award_game(replace(OPEN, scores=(50, 3), rules=Rules(target=100)), "A")
    assert (ruling.scores, ruling.winner) == ((0, 100), "B")  # 4.3(a)
    with pytest.raises(ValueError, match=r"4\.6"):
        acts.concede(OPEN, "B", True)
    assert acts.concede(OPEN, "A", False)[0] == OPEN
    timed, ruling = acts.award_game(OPEN, "B")
    assert ruling.match_forfeited and timed.winner == "A"


def test_fouls_without_a_stroke_end_the_turn() -> None:
    state, ruling = acts.foul_without_stroke(OPEN, "A", Reason.BALL_TOUCHED)
    assert (ruling.scores, ruling.next_striker, ruling.options) == ((0, 2), "B", tuple(Option))
    state, ruling = acts.tip_touched_cue_ball(IN_HAND, attempting_stroke=False)
    assert state == IN_HAND and not ruling.foul
