"""Every game refereed from what is seen: the rules' facts, certain where they are, one question where not."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from calibration.errors import UnusableInput
from calibration.table.board import CARROM_BOARD, board_table
from calibration.table.games import GAMES
from calibration.table.parse import parse_table
from calibration.table.specs import BRITISH_POOL_TABLE, WPA_TABLE, CushionName, PocketName, TableSpec
from referee.cases.registry import ADAPTERS
from referee.facts.calls import ChoiceCall, ShotCall, Start, Touching
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.journal import Journal
from referee.match.answers import facts_of_labels
from referee.match.games.eyes import Beginning
from referee.match.games.fold import EYES, GamePosition, JudgedGameStroke
from referee.match.open_calls import calls_before
from referee.match.referee import Referee, open_referee
from referee.match.weighing import CERTAIN
from referee.outputs.convert import stroke_json
from referee.outputs.document import Match
from referee.outputs.words import means_words
from referee.rules.common.match import new_match
from referee.rules.game import Side
from referee.rules.registry import GAMES as RULES
from tests.support.game_script import GameScript, diamond, spread, triangle
from tracker.events import (
    CushionHit,
    HandMove,
    LayoutChange,
    Reached,
    StrokeRecord,
    TouchingPair,
    TrackerEvent,
)

NUMBERS = [str(n) for n in range(1, 16)]
RED_YELLOW = [
    "red_1",
    "yellow_1",
    "black",
    *(f"red_{i}" for i in range(2, 8)),
    *(f"yellow_{i}" for i in range(2, 8)),
]


def strokes(referee: Referee, events: Sequence[TrackerEvent]) -> tuple[JudgedStroke, ...]:
    """Feed events, close, and give the strokes as they stand, each explained as it is ruled."""
    for event in events:
        referee.feed(event)
    referee.close()
    for stroke in referee.match.strokes:
        explained_as_ruled(referee, stroke)
    return referee.match.strokes


def explained_as_ruled(referee: Referee, stroke: JudgedStroke) -> None:
    """The explanations are the readings that the stroke was judged on: they weigh one together, and where
    nothing is open and nothing that followed has answered it, nearly all have its ruling.
    """
    found = referee.explained(stroke.n)
    assert found is not None and found.stroke == stroke
    if not isinstance(stroke, JudgedGameStroke):  # behind a rack's end nothing is ruled
        assert not found.explanations
        return
    assert sum(e.weight for e in found.explanations) == pytest.approx(1.0)
    if stroke.verdict == "certain" and stroke.answered is None:
        assert found.agreeing >= CERTAIN
        assert next(e for e in found.explanations if e.agrees).outcome.values == stroke.values


def nine_ball(**places: tuple[float, float]) -> GameScript:
    table = WPA_TABLE
    lying = {"cue": (0.0, 400.0), **spread(table, NUMBERS[:9])} | places
    return GameScript("wpa_9ball", table, lying)


def test_a_whole_rack_of_nine_ball_goes_to_the_player_who_pots_the_nine_without_a_question() -> None:
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
    broken = spread(WPA_TABLE, NUMBERS[:9])
    events = [script.stroke("1", ("6", "TR"), rails=["2", "3", "4", "8"], moves=broken)]
    for ball in ("1", "2", "3", "4", "5", "7", "8", "9"):
        events.append(script.stroke(ball, (ball, "TL")))
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    judged = strokes(referee, events)
    assert [s.verdict for s in judged] == ["certain"] * 9
    assert {s.striker for s in judged} == {"A"} and not any(s.foul for s in judged)
    assert referee.match.score == (1, 0) and referee.match.frames[0].winner == "A"


def test_balls_that_are_played_behind_the_end_of_a_rack_are_not_ruled() -> None:
    """WPA 2.5: the rack is over with the 9. Shots with what is left are of no rack: they had been fouls of
    one that nobody had set, certain, and the next break one that left it unfinished.
    """
    racked, broken = {"cue": (20.0, 500.0), **diamond(WPA_TABLE)}, spread(WPA_TABLE, NUMBERS[:9])
    script = GameScript("wpa_9ball", WPA_TABLE, racked)
    rails = ["2", "3", "4", "6", "7", "8"]
    events: list[TrackerEvent] = [script.stroke("1", rails=rails, moves=broken)]
    events += [script.stroke("1", ("9", "TR")), script.stroke("5", ("5", "TL")), script.stroke("3")]
    script.places = dict(racked)
    events.append(LayoutChange(script.t_s - 3.0, script.layout, rack=True))
    events.append(script.stroke("1", rails=rails, moves=broken))
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    judged = strokes(referee, events)
    assert [s.striker for s in judged] == ["A", "B", None, None, "B"]
    assert [s.foul for s in judged] == [None] * 5 and {s.question for s in judged} == {None}
    assert [(f.first_stroke, f.winner) for f in referee.match.frames] == [(1, "B"), (5, None)]
    assert referee.match.warnings == () and referee.match.score == (0, 1)
    assert stroke_json(judged[2])["points"] == 0
    with pytest.raises(UnusableInput):
        referee.correct(Correction(judged[2].entry, nominated="5"), "Rea")


def test_a_shot_behind_an_end_that_is_a_question_hangs_on_it() -> None:
    """The 9 is down and the 1 or the 2 was met first: the rack is over, or the other player goes on."""
    script = nine_ball()
    ended = doubtful(script.stroke("1", ("9", "TR"), sure=1.0), "1", "2")
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    asked, after = strokes(referee, [ended, script.stroke("5", rails=["5"])])
    assert asked.verdict == after.verdict == "call"
    assert after.question is not None and after.question.endswith("It hangs on the question about stroke 1.")
    told = referee.correct(Correction(asked.entry, first_contact=("1",)), "Rea").strokes
    assert [(s.verdict, s.striker) for s in told] == [("certain", "A"), ("certain", None)]


@pytest.mark.parametrize(
    ("game", "table", "line"),
    [("wpa_9ball", WPA_TABLE, 4), ("blackball", BRITISH_POOL_TABLE, 5), ("wepf", BRITISH_POOL_TABLE, 5)],
)
def test_strings_and_spots_are_where_the_table_under_the_camera_has_them(
    game: str, table: TableSpec, line: int
) -> None:
    """An eight-foot table's head string lies 580 mm up, not the 635 of a nine-foot one (WPA 8.1)."""
    small = replace(table, length_mm=0.9 * table.length_mm, width_mm=0.9 * table.width_mm)
    names = NUMBERS[:9] if game == "wpa_9ball" else RED_YELLOW
    script = GameScript(game, small, {"cue": (0.0, 300.0), **spread(small, names)})
    referee = Referee(small, game=game)
    strokes(referee, [script.stroke(names[0], moves={})])
    position = referee.position
    assert isinstance(position, GamePosition) and position.rack is not None
    marks = position.rack.state.marks
    drawn = marks.baulk_line_mm if game == "wepf" else marks.string_mm
    assert drawn == pytest.approx(small.length_mm / line)
    assert marks.length_mm == small.length_mm


def test_a_ball_of_the_rack_that_the_break_leaves_nowhere_may_have_fallen() -> None:
    """Hidden before the break and gone after it, nothing was seen of it: "nothing potted" is not certain."""
    broken = spread(WPA_TABLE, NUMBERS[:9])
    for hidden, verdict in ((), "certain"), (("5",), "call"):
        script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
        record = script.stroke("1", rails=["2", "3", "4", "6", "7", "8"], moves=broken)
        record = replace(
            record,
            before=tuple(b for b in record.before if b.ball not in hidden),
            after=tuple(b for b in record.after if b.ball not in hidden),
        )
        (judged,) = strokes(Referee(WPA_TABLE, game="wpa_9ball"), [record])
        assert judged.verdict == verdict, hidden
    assert judged.question is not None
    assert {dict(c.facts)["potted"] for c in judged.candidates} == {"none", "5"}


def test_a_ball_that_fell_was_struck_though_no_contact_was_seen() -> None:
    """6.3: no shot drives a ball into a pocket without a contact."""
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 300.0), **spread(WPA_TABLE, NUMBERS[:9])})
    first, second = strokes(
        Referee(WPA_TABLE, game="wpa_9ball"),
        [script.stroke("1", rails=["1"]), script.stroke(None, ("1", "TL"))],
    )
    assert first.foul is None and second.foul is None


def test_the_wrong_ball_first_is_a_foul_and_the_other_player_goes_on() -> None:
    script = nine_ball()
    first, second = strokes(
        Referee(WPA_TABLE, game="wpa_9ball"),
        [script.stroke("4", rails=["4"]), script.stroke("1", ("1", "CL"))],
    )
    assert first.foul is not None and first.foul.clause == "6.2" and first.verdict == "certain"
    assert (second.striker, second.foul, second.verdict) == ("B", None, "certain")


def test_a_foul_of_14_1_states_the_points_that_its_striker_loses() -> None:
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS)})
    referee = Referee(WPA_TABLE, Start("A", None, (5, 0), assumed=False), game="wpa_14_1")
    (judged,) = strokes(referee, [script.stroke(None, rails=[])])
    assert judged.foul is not None and judged.foul.penalty == 1 and judged.score == (4, 0)


@pytest.mark.parametrize("told", [(0, 0), (10, 5)])
def test_points_told_where_a_recording_of_14_1_begins_at_a_rack_stay(told: tuple[int, int]) -> None:
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 400.0), **triangle(WPA_TABLE, NUMBERS)})
    referee = Referee(WPA_TABLE, Start("A", None, told, assumed=False), game="wpa_14_1")
    opened = script.stroke("1", ("1", "TL"), rails=NUMBERS[1:5], moves=spread(WPA_TABLE, NUMBERS[1:]))
    (judged,) = strokes(referee, [opened])
    assert judged.verdict == "certain" and judged.score == (told[0] + 1, told[1])


def test_fourteen_balls_set_up_again_leave_the_points_of_14_1() -> None:
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS)})
    events: list[TrackerEvent] = [script.stroke(n, (n, "TL")) for n in NUMBERS[:14]]
    script.places |= dict(list(triangle(WPA_TABLE, ["apex", *NUMBERS[:14]]).items())[1:])
    events.append(LayoutChange(script.t_s - 3.0, script.layout, rack=True))
    events.append(script.stroke("15", ("15", "TL"), moves=spread(WPA_TABLE, NUMBERS[:14])))
    referee = Referee(WPA_TABLE, Start("A", None, (10, 5), assumed=False), game="wpa_14_1")
    judged = strokes(referee, events)
    assert [s.verdict for s in judged] == ["certain"] * 15
    assert judged[-1].score == (25, 5) and len(referee.match.frames) == 1


def test_a_recording_of_14_1_that_begins_at_fourteen_balls_set_up_again_is_inside_a_game() -> None:
    rack = dict(list(triangle(WPA_TABLE, ["apex", *NUMBERS[:14]]).items())[1:])
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 900.0), "15": (300.0, 1500.0), **rack})
    referee = Referee(WPA_TABLE, Start("A", None, (10, 5), assumed=False), game="wpa_14_1")
    strokes(referee, [script.stroke("15", ("15", "TL"))])
    position = referee.position
    assert isinstance(position, GamePosition) and position.rack is not None
    assert referee.match.score == (11, 5) and json.loads(position.rack_start)["scores"] == {"A": 10, "B": 5}


def test_a_stroke_with_a_cue_ball_named_by_its_motion_only_is_asked_about() -> None:
    sure = nine_ball().stroke("1", rails=["1"])
    for record, verdict in ((sure, "certain"), (replace(sure, cue_doubtful=True), "call")):
        (judged,) = strokes(Referee(WPA_TABLE, game="wpa_9ball"), [record])
        assert judged.verdict == verdict
    assert judged.question == "Which ball did the cue-ball hit first?"


def test_nothing_potted_and_no_ball_near_a_cushion_is_a_foul_for_want_of_a_rail() -> None:
    script = nine_ball()
    (judged,) = strokes(
        Referee(WPA_TABLE, game="wpa_9ball"),
        [script.stroke("1", moves={"cue": (0.0, 900.0), "1": (-300.0, 1100.0)})],
    )
    assert judged.foul is not None and judged.foul.clause == "6.3" and judged.verdict == "certain"


@pytest.mark.parametrize(("ball", "legal"), [("1", True), ("cue", False)])
def test_no_object_ball_is_at_a_rail_before_the_contact_that_drives_it_there(ball: str, legal: bool) -> None:
    """Ten ball: the ball hit first was timed at its rail 8 ms before that contact: "6.3", certain."""
    script = nine_ball()
    seen = script.stroke("1", moves={"cue": (0.0, 900.0), "1": (-300.0, 1100.0)})
    early = CushionHit(ball, "left", seen.start_s + 0.492)
    (judged,) = strokes(Referee(WPA_TABLE, game="wpa_9ball"), [replace(seen, cushions=(early,))])
    assert judged.verdict == "certain" and (judged.foul is None) == legal


def test_a_ball_that_ends_beside_a_cushion_with_no_bend_seen_is_asked_about() -> None:
    script = nine_ball()
    (judged,) = strokes(
        Referee(WPA_TABLE, game="wpa_9ball"),
        [script.stroke("1", moves={"1": (WPA_TABLE.half_width_mm - 29.0, 1100.0)})],
    )
    assert (
        judged.verdict == "call" and judged.question == "Did a ball reach a cushion after the first contact?"
    )


def test_a_pot_that_may_not_have_been_waits_for_the_next_layout() -> None:
    script = nine_ball()
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    doubtful = script.stroke("1", ("1", "TL"), sure=0.9)
    assert not referee.feed(doubtful)
    referee.feed(script.stroke("2", rails=["2"]))
    assert [s.verdict for s in referee.match.strokes] == ["certain", "certain"]


def test_a_foul_after_the_break_is_asked_to_be_a_push_out_and_a_call_settles_it() -> None:
    def events() -> list[TrackerEvent]:
        script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
        broken = spread(WPA_TABLE, NUMBERS[:9])
        return [
            script.stroke("1", ("6", "TR"), rails=["2", "3", "4", "8"], moves=broken),
            script.stroke("4", rails=["4"]),
        ]

    asked = strokes(Referee(WPA_TABLE, game="wpa_9ball"), events())[1]
    assert asked.verdict == "call" and asked.question == "Did A announce a push out?"
    said = (ShotCall(10.5, "A", push_out=True),)
    told = strokes(Referee(WPA_TABLE, calls=said, game="wpa_9ball"), events())[1]
    assert told.verdict == "certain" and told.foul is None and "make_A_shoot" in told.options


def eight_ball() -> GameScript:
    return GameScript("wpa_8ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS)})


def test_a_ball_straight_into_a_pocket_is_taken_as_called_and_decides_the_groups() -> None:
    script = eight_ball()
    first, second = strokes(
        Referee(WPA_TABLE, game="wpa_8ball"),
        [script.stroke("11", ("11", "CR")), script.stroke("3", rails=["3"])],
    )
    assert first.verdict == "certain" and "A is on stripes" in first.words
    assert second.foul is not None and second.foul.clause == "6.2"


def test_a_bank_shot_that_nobody_called_is_a_question_and_the_answer_judges_what_follows_again() -> None:
    script = eight_ball()
    events = [
        script.stroke("11", ("11", "CR"), early_rails=["11"]),
        script.stroke("12", ("12", "TL")),
    ]
    with Journal(":memory:") as journal:
        referee = Referee(WPA_TABLE, journal=journal, game="wpa_8ball")
        asked, after = strokes(referee, events)
        assert asked.question == "Which ball, into which pocket, did A call?" and after.verdict == "call"
        answers = [dict(c.facts)["called"] for c in asked.candidates]
        assert sorted(answers) == ["11 to CR", "another shot, or none"]
        referee.correct(Correction(asked.entry, answers=(("called", "another shot, or none"),)), "Bo")
        asked, after = referee.match.strokes
        assert asked.verdict == "certain" and asked.next_striker == "B" and after.striker == "B"
        assert open_referee(journal).match == referee.match


def test_a_called_safety_ends_the_turn_though_a_ball_fell() -> None:
    script = eight_ball()
    calls = (ShotCall(0.5, "A", safety=True),)
    (judged,) = strokes(
        Referee(WPA_TABLE, calls=calls, game="wpa_8ball"), [script.stroke("11", ("11", "CR"))]
    )
    assert judged.verdict == "certain" and judged.next_striker == "B"


def test_a_whole_rack_of_black_ball_from_the_break_to_the_black() -> None:
    table = BRITISH_POOL_TABLE
    script = GameScript("blackball", table, {"cue": (0.0, 200.0), **triangle(table, RED_YELLOW)})
    events = [script.stroke("red_1", ("red_1", "TL"), moves=spread(table, RED_YELLOW))]
    events.append(script.stroke("yellow_1", ("yellow_1", "TR")))
    events += [script.stroke(f"yellow_{i}", (f"yellow_{i}", "CL")) for i in range(2, 8)]
    events.append(script.stroke("black", ("black", "TR")))
    referee = Referee(table, game="blackball")
    judged = strokes(referee, events)
    assert [s.verdict for s in judged] == ["certain"] * 9 and "A is on yellow" in judged[1].words
    assert referee.match.frames[0].winner == "A" and referee.match.score == (1, 0)


def test_a_cue_ball_put_down_by_hand_beyond_the_baulk_line_is_asked_about() -> None:
    table = BRITISH_POOL_TABLE
    script = GameScript("blackball", table, {"cue": (0.0, 380.0), **triangle(table, RED_YELLOW)})
    (judged,) = strokes(
        Referee(table, game="blackball"),
        [script.stroke("red_1", ("red_1", "TL"), moves=spread(table, RED_YELLOW))],
    )
    assert judged.foul is not None and judged.foul.clause == "6.10"


def carrom(**places: tuple[float, float]) -> GameScript:
    men = [*(f"white_{i}" for i in range(1, 10)), *(f"black_{i}" for i in range(1, 10)), "queen"]
    line = CARROM_BOARD.striker_line_y_mm()
    lying = {m: (-250.0 + 60.0 * (i % 9), -100.0 + 80.0 * (i // 9)) for i, m in enumerate(men)}
    return GameScript("carrom", board_table(), {"striker": (50.0, line), **lying} | places)


def test_own_pieces_keep_the_turn_and_a_pocketed_striker_costs_a_due() -> None:
    script, line = carrom(), CARROM_BOARD.striker_line_y_mm()
    events: list[TrackerEvent] = [script.stroke("white_1", ("white_1", "TL"))]
    script.places["striker"] = (20.0, line)
    events.append(script.stroke("black_1", ("striker", "TR")))
    script.places |= {"striker": (0.0, -line), "white_1": (50.0, 5.0)}
    events.append(HandMove("respot", "white_1", None, (50.0, 5.0, 0.4), script.t_s - 2.0))
    events.append(script.stroke("black_2", ("black_2", "BL")))
    referee = Referee(board_table(), game="carrom")
    own, due, theirs = strokes(referee, events)
    assert [own.next_striker, due.next_striker, theirs.next_striker] == ["A", "B", "B"]
    assert theirs.striker == "B" and [s.verdict for s in (own, due, theirs)] == ["certain"] * 3


def test_the_base_line_says_who_plays_and_a_turn_that_does_not_fit_is_asked_about() -> None:
    script = carrom()
    first = script.stroke("black_1")
    script.places["striker"] = (20.0, CARROM_BOARD.striker_line_y_mm())
    referee = Referee(board_table(), game="carrom")
    judged = strokes(referee, [first, script.stroke("black_2")])
    assert judged[0].next_striker == "B"
    assert judged[1].verdict == "call" and judged[1].question == "Who played this stroke?"
    referee.correct(Correction(judged[1].entry, striker="A"), "Bo")
    assert [s.verdict for s in referee.match.strokes] == ["certain", "certain"]
    assert referee.match.strokes[1].striker == "A"


@pytest.mark.parametrize("size", ["3569x1778", "2235x1118", "9ft"])
def test_cannon_and_hazards_of_billiards_are_counted_for_the_owner_of_the_ball(size: str) -> None:
    """On every table, one of nine feet without billiards' spots among them."""
    table = parse_table(size, None, game="english_billiards")
    length = table.length_mm
    places = {"white": (0.0, 0.17 * length), "yellow": (300.0, 0.5 * length), "red": (0.0, 0.91 * length)}
    script = GameScript("english_billiards", table, places)
    events = [
        script.stroke("red", met=[("white", "yellow")], cue="white"),
        script.stroke("red", ("red", "TL"), cue="white", moves={"red": (200.0, 0.7 * length)}),
    ]
    referee = Referee(table, Start("A", None, (0, 0), False), game="english_billiards")
    cannon, hazard = strokes(referee, events)
    assert (cannon.points, hazard.points) == (2, 3) and referee.match.score == (5, 0)


@pytest.mark.parametrize("called", [None, "red"])
def test_wepf_colours_are_nominated_after_the_break_by_call_or_question(called: str | None) -> None:
    table = BRITISH_POOL_TABLE
    script = GameScript("wepf", table, {"cue": (0.0, 200.0), **triangle(table, RED_YELLOW)})
    events = [
        script.stroke("red_1", ("red_1", "TL"), moves=spread(table, RED_YELLOW)),
        script.stroke("red_2", ("red_2", "TR"), ("yellow_2", "TL")),
    ]
    calls = () if called is None else (ShotCall(10.5, "A", called),)
    judged = strokes(Referee(table, calls=calls, game="wepf"), events)[1]
    assert judged.verdict == ("call" if called is None else "certain")


def test_a_choice_that_was_said_decides_who_plays() -> None:
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **diamond(WPA_TABLE)})
    broken = spread(WPA_TABLE, NUMBERS[:9])
    events = [
        script.stroke("1", ("6", "TR"), rails=["2", "3", "4", "8"], moves=broken),
        script.stroke("4", rails=["4"]),
        script.stroke("1", ("1", "TL")),
    ]
    calls = (ShotCall(10.5, "A", push_out=True), ChoiceCall(20.5, "B", "make_A_shoot"))
    judged = strokes(Referee(WPA_TABLE, calls=calls, game="wpa_9ball"), events)
    assert judged[2].striker == "A" and judged[2].verdict == "certain"
    others = Referee(WPA_TABLE, calls=(calls[0], ChoiceCall(20.5, "A", "make_A_shoot")), game="wpa_9ball")
    assert strokes(others, events)[2].verdict == "call"
    (refused,) = [w for w in others.match.warnings if w.type == "choice_refused"]
    assert refused.text == "A cannot choose 'make_A_shoot'; open options: shoot, make_A_shoot for B"


def test_a_ball_that_fell_uncalled_in_ten_ball_may_be_handed_back() -> None:
    # WPA 9.7: the opponent plays the balls as they lie, or the player who potted plays on
    script = GameScript("wpa_10ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS[:10])})
    events = [script.stroke("1", ("5", "TL")), script.stroke("1", ("1", "TL"))]
    calls = (
        ShotCall(events[0].start_s - 0.5, "A", "1", "TR"),
        ShotCall(events[1].start_s - 0.5, "A", "1", "TL"),
    )
    start = Start("A", None, (0, 0), assumed=False)
    played = strokes(Referee(WPA_TABLE, start, calls=calls, game="wpa_10ball"), events)[1]
    assert {dict(c.facts).get("striker") for c in played.candidates} == {"A", "B"}
    said = (*calls, ChoiceCall(events[1].start_s - 0.7, "B", "hand_back_to_A"))
    played = strokes(Referee(WPA_TABLE, start, calls=said, game="wpa_10ball"), events)[1]
    assert (played.striker, played.verdict) == ("A", "certain")


def test_groups_of_a_rack_that_had_begun_are_asked_once_or_told_by_the_start() -> None:
    left = spread(WPA_TABLE, ["1", "2", "3", "8", "9", "10"])

    def events() -> list[TrackerEvent]:
        script = GameScript("wpa_8ball", WPA_TABLE, {"cue": (0.0, 400.0), **left})
        return [script.stroke("2", ("2", "CL")), script.stroke("9", rails=["9"])]

    referee = Referee(WPA_TABLE, game="wpa_8ball")
    asked, later = strokes(referee, events())
    assert (
        asked.verdict == later.verdict == "call"
        and asked.question == "Which balls are A's: is the table open?"
    )
    referee.correct(Correction(asked.entry, answers=(("group", "A solids"),)), "Bo")
    first, second = referee.match.strokes
    assert first.verdict == second.verdict == "certain"
    assert second.foul is not None and second.foul.clause == "6.2"
    told = strokes(Referee(WPA_TABLE, Start("A", "solids", (0, 0), False), game="wpa_8ball"), events())
    assert [s.verdict for s in told] == ["certain", "certain"]


def test_a_piece_that_moved_and_is_hardly_one_where_it_lies_leaves_open_what_fell() -> None:
    script = nine_ball()
    shot = script.stroke("1", rails=["1"], moves={"1": (-300.0, 1100.0), "5": (100.0, 900.0)})
    doubtful = tuple(replace(b, confidence=0.45) if b.ball == "5" else b for b in shot.after)
    for record, verdict in ((shot, "certain"), (replace(shot, after=doubtful), "call")):
        (judged,) = strokes(Referee(WPA_TABLE, game="wpa_9ball"), [record])
        assert judged.verdict == verdict
    assert judged.question == "Which balls were pocketed?"


@pytest.mark.parametrize(
    ("low_mm", "verdict", "foul"),
    [((-60.0, -60.0), "certain", False), ((60.0, 60.0), "certain", True), ((-60.0, 0.0), "call", None)],
)
def test_a_black_ball_break_counts_what_crossed_the_centre_string_and_came_back(
    low_mm: tuple[float, float], verdict: str, foul: bool | None
) -> None:
    # 5.5(b): two object balls that wholly cross it, or one potted
    table = BRITISH_POOL_TABLE
    script = GameScript("blackball", table, {"cue": (0.0, 200.0), **triangle(table, RED_YELLOW)})
    centre, top = table.length_mm / 2, table.length_mm - 100.0
    beyond = {n: (80.0 * (k - 7), centre + 150.0 + 40.0 * k) for k, n in enumerate(RED_YELLOW)}
    record = script.stroke("red_1", rails=["red_1", "yellow_1"], moves=beyond)
    edge = centre - table.ball_radius_mm
    went = [Reached(b, edge + mm, top) for b, mm in zip(("red_2", "yellow_2"), low_mm, strict=True)]
    record = replace(record, reached=(*went, Reached("red_3", centre + 200.0, top)))
    (judged,) = strokes(Referee(table, game="blackball"), [record])
    assert judged.verdict == verdict
    assert foul is None or (judged.foul is not None) == foul


def test_points_told_where_a_board_of_carrom_begins_stay() -> None:
    board = board_table()
    men = [b for b in carrom().places if b != "striker"]
    script = carrom(**triangle(board, men))
    referee = Referee(board, Start("A", None, (10, 5), assumed=False), game="carrom")
    (judged,) = strokes(referee, [script.stroke("white_1", ("white_1", "TL"))])
    assert judged.verdict == "certain" and judged.score == (10, 5)
    assert json.loads(judged.rack_start)["game_scores"] == {"A": 10, "B": 5}  # type: ignore[attr-defined]


def straight(rails: Sequence[str], **moves: tuple[float, float]) -> tuple[JudgedStroke, ...]:
    """An opening break of 14.1 that pots nothing."""
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (20.0, 500.0), **triangle(WPA_TABLE, NUMBERS)})
    broken = {**spread(WPA_TABLE, NUMBERS), "cue": (0.0, 700.0), **moves}
    return strokes(Referee(WPA_TABLE, game="wpa_14_1"), [script.stroke("1", rails=rails, moves=broken)])


def test_an_opening_break_of_14_1_needs_the_cue_ball_and_two_balls_at_a_rail() -> None:
    """4.3(b), 4.10: else a breaking foul, minus two."""
    (legal,) = straight(["cue", "2", "3", "4", "5"])
    assert (legal.verdict, legal.foul, legal.score) == ("certain", None, (0, 0))
    (no_cue,) = straight(["2", "3", "4", "5"])
    assert no_cue.verdict == "certain" and no_cue.foul is not None
    assert (no_cue.foul.clause, no_cue.score) == ("4.10", (-2, 0))
    (one,) = straight(["cue", "2"])
    assert one.verdict == "call"
    assert one.question == "Did the opening break drive two object balls or more to a cushion?"
    (beside,) = straight(["2", "3", "4", "5"], cue=(0.0, 40.0))
    assert beside.question == "Did the cue-ball reach a cushion on the opening break?"


@pytest.mark.parametrize(
    ("ball_mm", "early", "verdict", "clause"),
    [
        ((300.0, 300.0), (), "certain", "6.11"),  # behind the string, and straight at it
        ((300.0, 900.0), (), "certain", None),  # in front of it
        ((300.0, 300.0), ("top",), "certain", None),  # there and back over the string
        ((300.0, 300.0), ("left",), "call", None),  # by way of a side cushion: where, nobody says
    ],
)
def test_from_in_hand_behind_the_string_a_ball_behind_it_is_hit_from_over_the_string_only(
    ball_mm: tuple[float, float], early: tuple[CushionName, ...], verdict: str, clause: str | None
) -> None:
    """WPA 6.11, after a scratch on the break of eight ball (3.3(g))."""
    script = GameScript("wpa_8ball", WPA_TABLE, {"cue": (20.0, 500.0), **triangle(WPA_TABLE, NUMBERS)})
    moves = {**spread(WPA_TABLE, NUMBERS), "3": ball_mm}
    first = script.stroke("1", ("cue", "TL"), rails=["2", "3", "4", "5", "6"], moves=moves, sure=1.0)
    script.places["cue"] = (0.0, 300.0)
    second = script.stroke("3", rails=["3"], moves={"3": (400.0, 500.0), "cue": (250.0, 200.0)})
    at_s = second.start_s + 0.2
    second = replace(second, cushions=(*(CushionHit("cue", c, at_s) for c in early), *second.cushions))
    placed = HandMove("in_hand", "cue", None, (0.0, 300.0, 0.5), first.end_s + 2.0)
    _, judged = strokes(Referee(WPA_TABLE, game="wpa_8ball"), [first, placed, second])
    assert judged.verdict == verdict
    assert (judged.foul.clause if judged.foul else None) == clause or verdict == "call"


@pytest.mark.parametrize("game", ["blackball", "wepf"])
@pytest.mark.parametrize(
    ("gap_mm", "first", "question"),
    [
        (0.0, None, "Did the cue-ball touch the ball beside it before the shot?"),  # away from its own ball
        (0.0, "red_1", "Did the cue-ball touch the ball beside it before the shot?"),  # into it
        (9.0, "red_1", None),  # beside it, and no more
    ],
)
def test_a_ball_that_the_cue_ball_may_touch_is_asked_about_where_it_matters(
    game: str, gap_mm: float, first: str | None, question: str | None
) -> None:
    """Black ball 5.9, WEPF S: to play away from one's touching ball hits it, to play into it is a foul."""
    table = BRITISH_POOL_TABLE
    script = GameScript(game, table, {"cue": (0.0, 400.0), **spread(table, RED_YELLOW)})
    start = Start("A", "red", (0, 0), assumed=False)
    left = script.stroke("red_2", ("red_2", "TL"))
    left = replace(left, touching=(TouchingPair(("cue", "red_1"), gap_mm, 0.8),))
    next_one = script.stroke(first, rails=["cue"])
    met = tuple(replace(f, t_s=next_one.start_s + 0.03) for f in next_one.first_contact)
    judged = strokes(Referee(table, start, game=game), [left, replace(next_one, first_contact=met)])[1]
    assert judged.question == question


@pytest.mark.parametrize(
    ("gap_mm", "ball", "why"),
    [
        (0.3, "red", None),
        (8.0, "red", "the red was declared touching and lies 8.0 mm (± 1.6 mm) from the cue-ball"),
        (0.3, "black", "the black was declared touching and does not lie beside the cue-ball"),
    ],
)
@pytest.mark.parametrize("game", ["blackball", "wepf"])
def test_a_declared_touching_ball_is_played_away_from_if_it_may_touch_as_measured(
    game: str, gap_mm: float, ball: str, why: str | None
) -> None:
    """WPA 6.7 with 5.9, WEPF Y(6) with S: who plays away from a declared ball that is on has hit it."""
    table = BRITISH_POOL_TABLE
    script = GameScript(game, table, {"cue": (0.0, 400.0), **spread(table, RED_YELLOW)})
    left = script.stroke("red_2", ("red_2", "TL"))
    left = replace(left, touching=(TouchingPair(("cue", "red_1"), gap_mm, 0.8),))
    start = Start("A", "red", (0, 0), assumed=False)
    referee = Referee(table, start, calls=(Touching(10.5, ball),), game=game)
    judged = strokes(referee, [left, script.stroke(None, rails=["cue"])])[1]
    if why is None:
        assert (judged.verdict, judged.foul) == ("certain", None)
    refused = [w.text for w in referee.match.warnings if w.type == "call_refused"]
    assert refused == ([] if why is None else [why])
    offered = calls_before(referee, 2)[0]
    assert offered.touching == (("red",) if gap_mm < 1 else ())


@pytest.mark.parametrize("game", ["blackball", "wepf", "wepf_numbered"])
def test_a_touching_black_that_is_on_is_hit_by_who_plays_away_from_it(game: str) -> None:
    """WPA 6.7, WEPF Y(6): WEPF's rules call the black the 8, whatever the set has on it."""
    table, numbered = BRITISH_POOL_TABLE, game == "wepf_numbered"
    own, black = ("3", "8") if numbered else ("red_1", "black")
    script = GameScript(game, table, {"cue": (0.0, 400.0), own: (-200.0, 900.0), black: (0.0, 1200.0)})
    left = script.stroke(own, (own, "TL"))
    left = replace(left, touching=(TouchingPair(("cue", black), 0.3, 0.8),))
    start = Start("A", "solids" if numbered else "red", (0, 0), assumed=False)
    referee = Referee(table, start, calls=(Touching(10.5, black),), game=game)
    judged = strokes(referee, [left, script.stroke(None, rails=["cue"])])[1]
    assert (judged.verdict, judged.foul) == ("certain", None)


@pytest.mark.parametrize("answer", [0, 1])
def test_whether_it_touched_is_settled_by_the_answer(answer: int) -> None:
    """Its answer went into a field that only snooker read: the question came again."""
    table = BRITISH_POOL_TABLE
    script = GameScript("blackball", table, {"cue": (0.0, 400.0), **spread(table, RED_YELLOW)})
    left = replace(
        script.stroke("red_2", ("red_2", "TL")), touching=(TouchingPair(("cue", "red_1"), 0.0, 0.8),)
    )
    referee = Referee(table, Start("A", "red", (0, 0), assumed=False), game="blackball")
    asked = strokes(referee, [left, script.stroke(None, rails=["cue"])])[1]
    facts = facts_of_labels(dict(asked.candidates[answer].facts))
    settled = referee.correct(Correction(asked.entry, **facts), "Ann").strokes[1]
    assert settled.question is None and settled.foul == asked.candidates[answer].foul


def doubtful(record: StrokeRecord, *balls: str | None) -> StrokeRecord:
    """The stroke with its first contact between those balls, as likely each; None: no ball."""
    (first,) = record.first_contact
    met = tuple(replace(first, ball=b, weight=1.0 / len(balls)) for b in balls)
    return replace(record, first_contact=met)


def test_carrom_asks_of_no_first_contact_for_it_decides_nothing() -> None:
    # 44, 45: which C/m the striker meets matters nowhere, whether it meets one on the break alone
    script, line = carrom(), CARROM_BOARD.striker_line_y_mm()
    broken = script.stroke("white_1", moves={"white_1": (0.0, 80.0)})
    script.places["striker"] = (0.0, -line)
    later = doubtful(script.stroke("white_2", moves={"white_2": (10.0, 90.0)}), "white_2", "black_3")
    referee = Referee(board_table(), game="carrom")
    first, second = strokes(referee, [broken, later])
    assert (first.verdict, second.verdict) == ("certain", "certain")
    assert [f.confidence for f in second.seen.first_contact] == [0.5, 0.5]


def test_whether_a_break_of_carrom_touched_anything_is_asked() -> None:
    # 45(a): where nothing was touched the break is not made
    script = carrom()
    racked = LayoutChange(script.t_s - 0.5, script.layout, rack=True)
    broken = doubtful(script.stroke("white_1"), "white_1", None)
    (judged,) = strokes(Referee(board_table(), game="carrom"), [racked, broken])
    assert judged.verdict == "call" and len(judged.candidates) == 2


def test_14_1_asks_whether_a_ball_was_met_and_not_which() -> None:
    # 4.5: any ball; 6.3: one
    script = GameScript("wpa_14_1", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, NUMBERS)})
    start = Start("A", None, (5, 0), assumed=False)
    shot = script.stroke("1", rails=["1"])
    either = strokes(Referee(WPA_TABLE, start, game="wpa_14_1"), [doubtful(shot, "1", "2")])
    assert [s.verdict for s in either] == ["certain"]
    none = strokes(Referee(WPA_TABLE, start, game="wpa_14_1"), [doubtful(shot, "1", None)])
    assert none[0].verdict == "call" and none[0].question == "Which ball did the cue-ball hit first?"


@pytest.mark.parametrize("game", sorted(GAMES))
def test_what_the_rules_read_of_the_first_contact_is_data_of_every_game(game: str) -> None:
    others = {"carrom": "nothing", "wpa_14_1": "whether"}
    assert RULES[game].first_contact == others.get(game, "which")


def test_answers_of_carrom_say_how_many_men_they_leave() -> None:
    script, line = carrom(), CARROM_BOARD.striker_line_y_mm()
    broken = script.stroke("black_1", moves={"black_1": (0.0, 90.0)})
    script.places["striker"] = (0.0, -line)
    shot = script.stroke("black_2", ("black_2", "TL"), ("black_3", "TR"))
    pots = (shot.pots[0], replace(shot.pots[1], confidence=0.6))
    referee = Referee(board_table(), game="carrom")
    strokes(referee, [broken, replace(shot, pots=pots)])
    stroke = stroke_json(referee.match.strokes[1])
    said = [means_words(cast("Match", {"players": ["Ann", "Bo"]}), c["means"]) for c in stroke["candidates"]]
    assert stroke["verdict"] == "call" and len(said) == len(set(said)) == 2
    assert "C/m 9-7" in said[0] and "C/m 9-8" in said[1]


@pytest.mark.parametrize("game", sorted(g for g in GAMES if GAMES[g].family in ("pool", "british")))
def test_the_rules_say_whether_a_shot_opens_the_rack(game: str) -> None:
    """WPA 2.3, 3.3, 4.3, 5.5, 9.3; WEPF F: breaks have rules of their own, shots inside a rack do not."""
    fresh = RULES[game].new_frame("B")
    inside = EYES[game].inside(
        ADAPTERS[game].fresh_start(new_match(), {}, {}), Beginning((), GAMES[game].table(), "A", False)
    )
    assert RULES[game].at_table(fresh).opens and not RULES[game].at_table(inside.state).opens


def test_on_an_open_table_the_ball_that_was_met_first_is_asked_about() -> None:
    """WPA 3.4: any ball but the eight may be met first, so that all answers rule alike; but a certain stroke
    says for certain what was met (decision 91).
    """
    script = GameScript("wpa_8ball", WPA_TABLE, {"cue": (20.0, 500.0), **triangle(WPA_TABLE, NUMBERS)})
    opened = spread(WPA_TABLE, NUMBERS)
    broken = script.stroke("1", rails=["1", "2", "3", "4", "5"], moves=opened)
    open_table = doubtful(script.stroke("1", rails=["1"]), "1", "10")
    judged = strokes(Referee(WPA_TABLE, game="wpa_8ball"), [broken, open_table])[-1]
    assert judged.verdict == "call" and {dict(c.facts)["first_contact"] for c in judged.candidates} == {
        "1",
        "10",
    }
    assert len({(c.foul, c.next_striker) for c in judged.candidates}) == 1


RACKED = ["1", "9", "2", "10", "8", "3", "11", "4", "12", "5", "6", "13", "7", "14", "15"]
RED_YELLOW_RACKED = [
    *("red_1", "yellow_1", "red_2", "yellow_2", "black", "red_3", "yellow_3", "red_4", "yellow_4"),
    *("red_5", "yellow_5", "red_6", "yellow_6", "red_7", "yellow_7"),
]


def broken_twice(
    game: str, *pots: tuple[str, PocketName], rails: int, said: tuple[Side, str] | None = None
) -> Referee:
    """A breaks, the balls are set up anew, and the rack is broken again; then the first ball falls. `rails`:
    object balls at rails in the first break, `said`: a choice after it.
    """
    table = GAMES[game].table()
    balls = RACKED if GAMES[game].family == "pool" else RED_YELLOW_RACKED
    racked, opened = {"cue": (20.0, 300.0), **triangle(table, balls)}, spread(table, balls)
    script = GameScript(game, table, racked)
    events: list[TrackerEvent] = [script.stroke(balls[0], *pots, rails=balls[:rails], moves=opened, sure=1.0)]
    script.places = dict(racked)
    events.append(LayoutChange(script.t_s - 3.0, script.layout, rack=True))
    events.append(script.stroke(balls[0], rails=[*balls[:6], "cue"], moves=opened, sure=1.0))
    events.append(script.stroke(balls[0], (balls[0], "TL"), sure=1.0))
    calls = [] if said is None else [ChoiceCall(6.0, *said)]
    referee = Referee(table, calls=calls, game=game)
    strokes(referee, events)
    return referee


@pytest.mark.parametrize(
    ("game", "pots", "rails", "said", "breaks"),
    [
        ("wpa_8ball", (), 3, ("B", "rerack_and_break"), "B"),  # 3.3(d)(2)
        ("wpa_8ball", (), 3, ("B", "rerack_and_offender_breaks_again"), "A"),  # 3.3(d)(3)
        ("wpa_8ball", (("8", "TR"),), 5, ("A", "rebreak"), "A"),  # 3.3(e)(2)
        ("wpa_8ball", (("8", "TR"),), 5, None, "A"),  # balls that are set up tell the choice
        ("wpa_14_1", (), 1, None, "A"),  # 4.3(b): he has to break again
        ("blackball", (("black", "TL"),), 5, None, "A"),  # 5.5(c)
        ("wepf", (("black", "TL"),), 5, None, "A"),  # F(5)
        ("wepf", (), 1, None, "B"),  # F(4)(b), L(1)
    ],
)
def test_a_rack_that_is_broken_again_is_the_same_one_and_broken_by_whom_the_rules_say(
    game: str,
    pots: tuple[tuple[str, PocketName], ...],
    rails: int,
    said: tuple[Side, str] | None,
    breaks: str,
) -> None:
    """It had been a new rack, broken by A again, certain; a choice that was said was "refused"."""
    referee = broken_twice(game, *pots, rails=rails, said=said)
    _, again, after = referee.match.strokes
    assert (again.striker, again.verdict, again.foul) == (breaks, "certain", None)
    assert (after.frame, after.striker) == (1, again.next_striker)
    assert len(referee.match.frames) == 1 and referee.match.warnings == ()


def test_who_breaks_again_is_asked_where_nobody_said_it() -> None:
    """WPA 3.3(d): after an illegal break the other breaks himself, or has the offender break again."""
    referee = broken_twice("wpa_8ball", rails=3)
    again = referee.match.strokes[1]
    assert again.verdict == "call" and {dict(c.facts)["striker"] for c in again.candidates} == {"A", "B"}
    for side, other in (("A", "B"), ("B", "A")):
        told = referee.correct(Correction(again.entry, striker=side), "Rea").strokes
        assert [(x.striker, x.verdict) for x in told[1:]] == [(side, "certain"), (other, "certain")]


def test_a_rack_that_the_break_missed_is_no_new_one() -> None:
    """WPA 6.3, 2.7: B has the cue-ball in hand and plays at the rack that stands there. A had played on."""
    racked = {"cue": (20.0, 500.0), **diamond(WPA_TABLE)}
    script = GameScript("wpa_9ball", WPA_TABLE, racked)
    events = [script.stroke(None), script.stroke("1", rails=["1"], moves=spread(WPA_TABLE, NUMBERS[:9]))]
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    missed, played = strokes(referee, events)
    assert missed.foul is not None and missed.foul.clause == "6.3"
    assert (played.striker, played.foul, played.frame) == ("B", None, 1)


def test_a_break_of_carrom_that_touches_nothing_is_tried_again_on_the_same_board() -> None:
    """ICF 44, 45: three attempts, then the other player has the break."""
    script, line = GameScript("carrom", board_table(), board_set_up()), CARROM_BOARD.striker_line_y_mm()
    events = []
    for y_mm in (line, line, line, -line):
        script.places["striker"] = (50.0, y_mm)
        events.append(script.stroke(None))
    referee = Referee(board_table(), game="carrom")
    judged = strokes(referee, events)
    assert [s.striker for s in judged] == ["A", "A", "A", "B"] and len(referee.match.frames) == 1


def nine_ball_racks(first: Sequence[str], ends: bool = True) -> tuple[Referee, list[TrackerEvent]]:
    """A rack of nine ball of which the balls `first` are there when the recording begins, played to its end
    or left; then another one is broken.
    """
    places = diamond(WPA_TABLE) if len(first) == 9 else spread(WPA_TABLE, first)
    script, opened = (
        GameScript("wpa_9ball", WPA_TABLE, {"cue": (20.0, 500.0), **places}),
        spread(WPA_TABLE, NUMBERS[:9]),
    )
    rails, events = NUMBERS[:6], list[TrackerEvent]()
    if len(first) == 9:
        events.append(script.stroke("1", rails=rails, moves=opened, sure=1.0))
    events.append(script.stroke(first[0], (first[0], "TL"), sure=1.0))
    events += [script.stroke(first[1], ("9", "TR"), sure=1.0)] if ends else []
    script.places = {"cue": (20.0, 500.0), **diamond(WPA_TABLE)}
    events.append(LayoutChange(script.t_s - 3.0, script.layout, rack=True))
    events.append(script.stroke("1", rails=rails, moves=opened, sure=1.0))
    events.append(script.stroke("1", ("1", "TL"), sure=1.0))
    return Referee(WPA_TABLE, game="wpa_9ball"), events


def test_racks_are_broken_in_turn_from_who_broke_the_first() -> None:
    """WPA 2.1: the breaks alternate. A correction of who broke the first had left B the next one."""
    referee, events = nine_ball_racks(NUMBERS[:9])
    assert [s.striker for s in strokes(referee, events)] == ["A", "B", "B", "B", "A"]
    first = referee.match.strokes[0]
    told = referee.correct(Correction(first.entry, striker="B"), "Rea").strokes
    assert [s.striker for s in told] == ["B", "A", "A", "A", "B"]


@pytest.mark.parametrize(("first", "ends"), [(["8", "9"], True), (NUMBERS[:9], False)])
def test_who_breaks_is_asked_where_nobody_knows_who_broke_the_last_or_how_it_ended(
    first: Sequence[str], ends: bool
) -> None:
    """The recording began inside a rack, or one was left: it was B's break or A's, certain."""
    referee, events = nine_ball_racks(first, ends)
    *_, broken, after = strokes(referee, events)
    assert broken.verdict == after.verdict == "call"
    assert {dict(c.facts)["striker"] for c in broken.candidates} == {"A", "B"}
    told = referee.correct(Correction(broken.entry, striker="B"), "Rea").strokes[-2:]
    assert [(s.striker, s.verdict) for s in told] == [("B", "certain"), ("A", "certain")]


def test_who_sits_where_the_striker_lies_breaks_the_first_board_and_has_white() -> None:
    """ICF 43, 49(a): "A" was at the table in a recording that begins with B's break, and the question offered
    nobody else.
    """
    script = carrom(striker=(50.0, -CARROM_BOARD.striker_line_y_mm()), **board_set_up())
    (judged,) = strokes(
        Referee(board_table(), game="carrom"), [script.stroke("white_1", ("white_1", "TL"), sure=1.0)]
    )
    assert (judged.striker, judged.verdict, judged.next_striker) == ("B", "certain", "B")


def test_a_striker_on_the_other_players_line_is_asked_about_with_both_players() -> None:
    line = CARROM_BOARD.striker_line_y_mm()
    script = carrom()
    first = script.stroke("white_1", sure=1.0)
    script.places["striker"] = (50.0, line)
    again = script.stroke("white_1", ("white_1", "TL"), sure=1.0)
    _, judged = strokes(Referee(board_table(), game="carrom"), [first, again])
    assert judged.verdict == "call" and {dict(c.facts)["striker"] for c in judged.candidates} == {"A", "B"}


def board_set_up() -> dict[str, tuple[float, float]]:
    """Queen and C/m round her, as a board begins."""
    men = ["queen", *(f"white_{i}" for i in range(1, 10)), *(f"black_{i}" for i in range(1, 10))]
    circles = ((32.0, range(0, 360, 60)), (64.0, range(0, 360, 60)), (55.4, range(30, 360, 60)))
    around = [
        (r * math.cos(math.radians(a)), r * math.sin(math.radians(a))) for r, turn in circles for a in turn
    ]
    return dict(zip(men, [(0.0, 0.0), *around], strict=True))


def test_whose_the_men_are_on_a_board_that_had_begun_is_asked_told_or_shown_by_who_plays_next() -> None:
    """ICF 43: the breaker has white. A recording that begins later shows no break; "A" had white, certain,
    and lost his turn with a black of his own.
    """
    men = [*(f"white_{i}" for i in range(1, 6)), *(f"black_{i}" for i in range(1, 6)), "queen"]
    places = {m: (-250.0 + 60.0 * (i % 9), -100.0 + 80.0 * (i // 9)) for i, m in enumerate(men)}
    line = CARROM_BOARD.striker_line_y_mm()

    def events() -> list[TrackerEvent]:
        script, found = (
            GameScript("carrom", board_table(), {**places, "striker": (50.0, line)}),
            list[TrackerEvent](),
        )
        for man in ("black_1", "black_2", "black_3"):
            script.places["striker"] = (50.0, line)
            found.append(script.stroke(man, (man, "TL"), sure=1.0))
        return found

    referee = Referee(board_table(), game="carrom")
    referee.feed(events()[0])
    (asked,) = referee.match.strokes
    assert asked.question == "Whose are the white C/m?"
    said = {
        means_words(cast("Match", {"players": ["Ann", "Bo"]}), c["means"])
        for c in stroke_json(asked)["candidates"]
    }
    assert {w.rpartition("next ")[2] for w in said} == {"Ann", "Bo"}
    followed = strokes(Referee(board_table(), game="carrom"), events())
    assert [(s.striker, s.verdict, s.next_striker) for s in followed] == [("A", "certain", "A")] * 3
    told = strokes(Referee(board_table(), Start("A", "white", (0, 0), False), game="carrom"), events()[:1])
    assert (told[0].verdict, told[0].next_striker) == ("certain", "B")


def test_who_covered_a_queen_that_was_gone_is_asked_where_it_counts() -> None:
    """ICF 52(b): her points go to who covered her and wins the board; she had "lain" there, unseen."""
    places = {
        "striker": (50.0, CARROM_BOARD.striker_line_y_mm()),
        "white_1": (100.0, 50.0),
        "black_1": (-100.0, 80.0),
    }
    script = GameScript("carrom", board_table(), places)
    referee = Referee(board_table(), Start("A", "white", (4, 0), False), game="carrom")
    (asked,) = strokes(referee, [script.stroke("white_1", ("white_1", "TL"), sure=1.0)])
    assert asked.question == "Who has covered the Queen?"
    score = {}
    for side in ("A", "B"):
        (judged,) = referee.correct(Correction(asked.entry, answers=(("queen", side),)), "Bo").strokes
        assert judged.verdict == "certain"
        score[side] = judged.score
    assert score == {"A": (8, 0), "B": (5, 0)}


@pytest.mark.parametrize(("game", "lost"), [("wpa_9ball", None), ("wpa_14_1", 18)])
def test_a_third_foul_in_a_row_is_asked_about_for_nobody_heard_the_warning(
    game: str, lost: int | None
) -> None:
    """WPA 6.14: who was warned loses the rack, in 14.1 fifteen points more (4.11); else it counts as the
    second. It had been the second, certain.
    """
    numbers = NUMBERS[:9] if game == "wpa_9ball" else NUMBERS
    script = GameScript(game, WPA_TABLE, {"cue": (0.0, 300.0), **spread(WPA_TABLE, numbers)})
    events: list[TrackerEvent] = []
    for _ in range(3):
        events += [script.stroke(None), script.stroke("1", rails=["1"])]
    referee = Referee(WPA_TABLE, Start("A", None, (0, 0), assumed=False), game=game)
    judged = strokes(referee, events)
    assert [s.verdict for s in judged[:4]] == ["certain"] * 4
    third = judged[4]
    assert third.question == "Was A warned that he was on two fouls?"
    warned = referee.correct(Correction(third.entry, answers=(("warned", "yes"),)), "Rea").strokes[4]
    assert warned.foul is not None and (warned.verdict, warned.foul.clause) == ("certain", "6.14")
    assert warned.score == ((0, 1) if lost is None else (-lost, 0))
    plain = referee.correct(Correction(third.entry, answers=(("warned", "no"),)), "Rea").strokes[4]
    assert plain.foul is not None and (plain.verdict, plain.foul.clause) == ("certain", "6.3")
    assert plain.next_striker == "B"
