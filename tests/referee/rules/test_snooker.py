"""Snooker's engine where case files do not reach: words, order of play, options, breaks, matches, racks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from snooker_random import replay

from referee.rules.six_red import game as six_red
from referee.rules.snooker import (
    FrameEnd,
    Miss,
    Options,
    Pending,
    Reason,
    State,
    Warn,
    apply,
    match,
    new_frame,
    points_on_table,
    remaining_value,
    snookers_required,
)
from referee.rules.snooker.facts import (
    COLOURS,
    Act,
    ActFacts,
    After,
    Choice,
    ChoiceFacts,
    CueBall,
    FactsError,
    Infringed,
    Infringement,
    Judgement,
    RefereeAct,
    RefereeFacts,
    StrokeFacts,
)

CLEAR = Judgement(clear_path=True, full_ball_available=True, good_enough_attempt=True, intentional=False)
DOUBLES = ("A1", "B1", "A2", "B2")


def black_only(a: int, b: int, striker: str = "A", **more: object) -> State:
    order = DOUBLES if striker in DOUBLES else ("A", "B")
    state = new_frame(striker, order=order)
    values = {
        "ball_on": "black",
        "reds": 0,
        "colours": ("black",),
        "scores": (a, b),
        "in_hand": False,
        **more,
    }
    return replace(state, **values)  # type: ignore[arg-type]


def colours_only(on: str, a: int, b: int, options: Options | None = None) -> State:
    left = COLOURS[COLOURS.index(on) :]
    state = replace(new_frame("A", options), ball_on=on, reds=0, colours=left, scores=(a, b), in_hand=False)
    return replace(state, started=True)


def test_the_words_of_a_break_and_a_foul() -> None:
    state, ruling = apply(new_frame(), StrokeFacts("A", ("red",), ("red",), after=After(touching=("blue",))))
    assert ruling.words == ("1", "Touching ball", "Declare")
    state, ruling = apply(state, StrokeFacts("A", ("black",), ("black",)))
    assert ruling.words == ("8",)
    state, ruling = apply(state, StrokeFacts("A", ("blue",), after=After(snookered=True), judgement=CLEAR))
    assert ruling.words == ("Foul and a miss, 5", "Free ball")
    assert ruling.reason is Reason.HIT_NOT_ON and ruling.miss is Miss.CALLED


def test_a_free_ball_is_only_called_after_a_foul() -> None:
    _, ruling = apply(new_frame(), StrokeFacts("A", ("red",), after=After(snookered=True)))
    assert not ruling.free_ball and not ruling.options


def test_play_again_voids_the_free_ball_and_cannot_be_withdrawn() -> None:
    state, _ = apply(new_frame(), StrokeFacts("A", ("blue",), after=After(snookered=True)))
    assert state.free_ball
    state, _ = apply(state, ChoiceFacts("B", Choice.AGAIN_LEFT))
    assert not state.free_ball and state.striker == "A"
    same, ruling = apply(state, ChoiceFacts("B", Choice.PLAY))
    assert same == state and not ruling.accepted


def test_a_miss_undecided_by_the_facts_is_a_question() -> None:
    _, ruling = apply(new_frame(), StrokeFacts("A", ("blue",)))
    assert ruling.miss is Miss.REFEREE and ruling.questions == ("good_enough_attempt",)
    assert Choice.AGAIN_ORIGINAL not in ruling.options


@pytest.mark.parametrize(
    ("rule", "expected"), [("wpbsa", Miss.NONE), ("old", Miss.CALLED), ("off", Miss.NONE)]
)
def test_the_three_miss_rules_where_points_equal_the_difference(rule: str, expected: Miss) -> None:
    state = colours_only("yellow", 10, 37, Options(miss_rule=rule))  # type: ignore[arg-type]
    view = Judgement(clear_path=True, intentional=False)
    _, ruling = apply(state, StrokeFacts("A", ("pink",), judgement=view))
    after_needs_snookers = ruling.scores[1] - ruling.scores[0] > points_on_table(state)
    assert after_needs_snookers
    assert ruling.miss is (Miss.NONE if rule == "old" else expected)
    level = colours_only("yellow", 10, 33, Options(miss_rule=rule))  # type: ignore[arg-type]
    _, ruling = apply(level, StrokeFacts("A", (), judgement=view))
    assert ruling.miss is expected  # 27 behind with 27 on after the penalty: only the printed rule excepts it


def test_club_rules_are_flat() -> None:
    state = colours_only("black", 10, 33, Options(club_rules=True))
    state = replace(state, colours=("pink", "black"), ball_on="pink")
    _, ruling = apply(state, StrokeFacts("A", ("pink",), cue_ball=CueBall.POCKETED))
    assert ruling.penalty == 4
    _, ruling = apply(state, StrokeFacts("A", ("black",)))
    assert ruling.penalty == 7


def test_amateur_option_gives_the_ball_in_hand_at_the_third_snookered_miss() -> None:
    state = new_frame("A", Options(amateur_14_1_star=True))
    hidden = StrokeFacts("A", (), judgement=Judgement(clear_path=False, good_enough_attempt=False))
    for number in (1, 2):
        state, ruling = apply(state, hidden)
        assert Choice.AGAIN_ORIGINAL in ruling.options
        state, ruling = apply(state, ChoiceFacts("B", Choice.AGAIN_ORIGINAL))
        assert (Warn.THIRD_MISS_IN_HAND in ruling.warnings) == (number == 2)
    state, ruling = apply(state, hidden)
    assert Choice.PLAY_IN_HAND in ruling.options and Choice.AGAIN_ORIGINAL not in ruling.options
    state, ruling = apply(state, ChoiceFacts("B", Choice.PLAY_IN_HAND))
    assert ruling.cue_ball_in_hand and state.striker == "B"


def test_six_red_gives_the_ball_anywhere_only_while_no_snookers_are_required() -> None:
    hidden = StrokeFacts("A", (), judgement=Judgement(clear_path=False, good_enough_attempt=False))
    for lead, expected in ((0, True), (60, False)):
        state = replace(six_red.new_six_red_frame(), scores=(0, lead))
        for _ in range(4):
            state, ruling = apply(state, hidden)
            state, _ = apply(state, ChoiceFacts("B", Choice.AGAIN_ORIGINAL))
        state, ruling = apply(state, hidden)
        assert (Choice.PLAY_ANYWHERE in ruling.options) == expected
        assert Choice.AGAIN_ORIGINAL not in ruling.options


def test_six_red_is_snookered_by_no_nominated_colour() -> None:
    state = replace(six_red.new_six_red_frame(), ball_on="any_colour", reds=5)
    behind = StrokeFacts("A", ("green",), nominated="green", after=After(True, ("green",)))
    assert apply(state, behind)[1].reason is Reason.BEHIND_FREE_BALL
    plain = replace(new_frame(), ball_on="any_colour", reds=5)
    assert not apply(plain, behind)[1].foul


def test_doubles_keep_their_order_and_the_offender_plays_again() -> None:
    state = new_frame("A1", order=DOUBLES)
    strikers = []
    for _ in range(5):
        strikers.append(state.striker)
        state, _ = apply(state, StrokeFacts(state.striker, ("red",)))
    assert strikers == ["A1", "B1", "A2", "B2", "A1"]
    state, ruling = apply(state, StrokeFacts("B1", ("blue",)))
    assert ruling.next_striker == "A2"
    state, _ = apply(state, ChoiceFacts("A2", Choice.AGAIN_LEFT))
    assert state.striker == "B1"
    state, ruling = apply(state, StrokeFacts("B1", ("red",)))
    assert ruling.next_striker == "A2"


def test_doubles_out_of_turn_costs_the_partner_a_turn() -> None:
    start = new_frame("B1", order=DOUBLES)
    state, ruling = apply(start, StrokeFacts("B2", ("red",)))
    assert (ruling.penalty_to, ruling.next_striker) == ("A", "A2")
    state, ruling = apply(start, StrokeFacts("A1", ("red",)))  # the other side out of turn: B1 plays
    assert (ruling.penalty_to, ruling.next_striker, state.skipped) == ("B", "B1", ("A2",))
    state, ruling = apply(state, StrokeFacts("B1", ("red",)))
    assert (ruling.next_striker, state.skipped) == ("B2", ())  # A2 has lost his turn


def test_the_pair_chooses_who_plays_the_respotted_black() -> None:
    level = black_only(50, 57, "A1")
    state, ruling = apply(level, StrokeFacts("A1", ("black",), ("black",)))
    assert state.pending is Pending.LOTS and ruling.words == ("7", "Black re-spotted")
    state, _ = apply(state, RefereeFacts(RefereeAct.LOTS_DRAWN, "B"))
    refused, ruling = apply(state, ChoiceFacts("A1", Choice.PLAY))
    assert not ruling.accepted and refused == state
    state, _ = apply(state, ChoiceFacts("B1", Choice.PLAY, first_player="B2"))
    assert state.striker == "B2" and state.in_hand
    state, ruling = apply(state, StrokeFacts("B2", ("black",)))
    assert ruling.next_striker == "A1"
    with pytest.raises(FactsError, match="must be one of the pair"):
        apply(replace(state, pending=Pending.LOTS), ChoiceFacts("B", Choice.PLAY, first_player="A1"))


def test_a_claim_needs_more_than_seven() -> None:
    for lead, accepted in ((7, False), (8, True)):
        state, ruling = apply(black_only(50 + lead, 50), ChoiceFacts("A", Choice.CLAIM_FRAME))
        assert ruling.accepted is accepted and state.over is accepted
    assert ruling.frame_end is FrameEnd.CLAIMED
    aggregate = black_only(90, 50, aggregate=True)
    assert not apply(aggregate, ChoiceFacts("A", Choice.CLAIM_FRAME))[1].accepted
    assert not apply(black_only(90, 50), ChoiceFacts("B", Choice.CLAIM_FRAME))[1].accepted


def test_a_concession_before_snookers_are_required_is_noted() -> None:
    state, ruling = apply(new_frame(), ChoiceFacts("A", Choice.CONCEDE))
    assert ruling.warnings == (Warn.CONCEDED_EARLY,)
    state, ruling = apply(state, ChoiceFacts("B", Choice.ACCEPT_CONCESSION))
    assert ruling.winner == "B" and ruling.frame_end is FrameEnd.CONCEDED
    assert state.scores == (0, 0)
    with pytest.raises(FactsError, match="the frame is over"):
        apply(state, StrokeFacts("B", ("red",)))


def test_playing_on_refuses_a_concession() -> None:
    state, _ = apply(colours_only("yellow", 0, 80), ChoiceFacts("A", Choice.CONCEDE))
    state, ruling = apply(state, StrokeFacts("A", ("yellow",), ("yellow",)))
    assert ruling.points == 2 and state.pending is Pending.NOTHING


def test_conduct_is_warned_once_and_then_costs_the_frame() -> None:
    state, ruling = apply(new_frame(), RefereeFacts(RefereeAct.WARN, "B"))
    assert ruling.warnings == (Warn.CONDUCT,)
    state, ruling = apply(state, RefereeFacts(RefereeAct.WARN, "B"))
    assert ruling.winner == "A" and state.scores == (15 * 8 + 27, 0)


def test_an_uncalled_foul_may_be_claimed_until_the_next_stroke() -> None:
    uncalled = StrokeFacts("A", ("blue",), called=False)
    state, ruling = apply(new_frame(), uncalled)
    assert not ruling.foul and ruling.questions == ("called",)
    claimed, ruling = apply(state, ActFacts(Act.CLAIM, "B"))
    assert ruling.penalty == 5 and claimed.scores == (0, 5)
    state, _ = apply(state, StrokeFacts("B", ("red",)))
    late, ruling = apply(state, ActFacts(Act.CLAIM, "A"))
    assert ruling.condoned and late.scores == (0, 0)


def test_before_the_frame_has_started_nothing_is_infringed() -> None:
    state, ruling = apply(new_frame(), ActFacts(Act.TOUCHED_BALL, "A", "red"))
    assert not ruling.foul and ruling.reason is Reason.NOT_STARTED and state.scores == (0, 0)


def test_what_is_put_right_without_penalty() -> None:
    state, _ = apply(new_frame(), StrokeFacts("A", ("red",)))
    for act in (Act.EQUIPMENT_FAILED, Act.DISTURBED, Act.BALL_CLEANED, Act.BALL_CHANGED, Act.NOTED):
        same, ruling = apply(state, ActFacts(act, ball="pink"))
        assert same == state and not ruling.foul and ruling.next_striker == "B"


def test_a_touch_in_consultation_leaves_the_order_and_the_options() -> None:
    state, first = apply(new_frame(), StrokeFacts("A", ("blue",), judgement=CLEAR))
    state, ruling = apply(state, ActFacts(Act.TOUCHED_IN_CONSULTATION, "B", "pink"))
    assert (ruling.penalty, ruling.penalty_to) == (6, "A")
    assert ruling.next_striker == "B" and ruling.options == first.options


def test_a_second_foul_while_leaving_takes_nothing_from_the_next_player() -> None:
    state, first = apply(
        new_frame(), StrokeFacts("A", ("blue",), judgement=CLEAR, after=After(snookered=True))
    )
    state, ruling = apply(state, ActFacts(Act.TOUCHED_BALL, "A", "pink"))
    assert state.scores == (0, 11) and ruling.options == first.options and ruling.free_ball
    state, ruling = apply(state, ChoiceFacts("B", Choice.AGAIN_ORIGINAL))
    assert ruling.accepted and state.misses.calls == 1


def test_the_colour_not_waited_for_is_taken_back() -> None:
    state, _ = replay(
        new_frame(), [StrokeFacts("A", ("red",), ("red",)), StrokeFacts("A", ("black",), ("black",))]
    )
    early = StrokeFacts("A", ("red",), infringements=(Infringed(Infringement.SPOTTING_COLOUR, ("black",)),))
    state, ruling = apply(state, early)
    assert ruling.adjustment == (-7, 0) and state.scores == (1, 7)
    assert [p.ball for p in ruling.respot] == ["black"]


def test_points_on_the_table_and_snookers_required() -> None:
    assert points_on_table(new_frame()) == 147
    assert points_on_table(replace(new_frame(), ball_on="any_colour", reds=0)) == 34
    assert remaining_value(replace(new_frame(), reds=2)) == 43
    state = colours_only("blue", 0, 29)  # 18 left: 11 short, five each
    assert snookers_required(state, "A") == 3 and snookers_required(state, "B") == 0
    assert match.standing(state) == match.Standing(18, 29, "B", 3)


def test_who_starts_and_who_has_won() -> None:
    frame = match.FrameResult
    assert match.next_starter([]) == "A"
    assert match.next_starter([frame("B", "A")]) == "A"
    wrong = [frame("A", "A"), frame("A", "B")]  # the second begun by the wrong side: three running for A
    assert match.next_starter(wrong) == "A"
    result = match.match_result([frame("A", "A"), frame("B", "A")], 3)
    assert result.over and result.winner == "A" and result.frames == (2, 0)
    drawn = match.match_result([frame("A", "A"), frame("B", "B")], 2)
    assert drawn.over and drawn.winner is None
    with pytest.raises(FactsError, match="was decided"):
        match.match_result([frame("A", "A"), frame("B", "A"), frame("A", "A")], 3)
    total = match.aggregate_result([frame("A", "A", (70, 20)), frame("B", "B", (10, 61))], 2)
    assert total.over and total.winner == "B" and total.points == (80, 81)
    forfeit = match.forfeit_game([frame("A", "B", (0, 147))], "A", 3, True)
    assert forfeit.points == (0, 441) and forfeit.winner == "B" and forfeit.frames == (0, 3)
    assert match.forfeit_game([frame("A", "B")], "A", 9, False).frames == (0, 5)
