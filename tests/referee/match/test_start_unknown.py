"""A recording that begins inside a frame without a word about its state: no foul rests on a guess."""

from __future__ import annotations

from script import Scene

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.calls import StateCall, parse_start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from tracker.events import StrokeRecord


def judge(*events: StrokeRecord, start: str = "") -> list[JudgedStroke]:
    referee = Referee(SNOOKER_TABLE, parse_start(start) if start else None)
    for e in events:
        referee.feed(e)
    referee.close()
    return list(referee.match.strokes)


def test_a_blue_that_another_state_makes_legal_is_asked_about() -> None:
    """Red on would be assumed, and a potted blue "Foul, 5": with a colour on it is five points."""
    (first,) = judge(Scene().stroke("blue", ["blue"]))
    assert first.verdict == "call" and first.question is not None and "What was on" in first.question
    answers = {dict(c.facts)["ball_on"]: (c.points, c.foul is not None) for c in first.candidates[::-1]}
    assert answers["any_colour"] == (5, False)
    assert answers["red"][1]


def test_the_same_blue_is_a_foul_for_certain_where_red_is_said_to_be_on() -> None:
    (first,) = judge(Scene().stroke("blue", ["blue"]), start="A red 0-0")
    assert first.verdict == "certain" and first.foul is not None and first.foul.penalty == 5


def test_a_foul_in_every_state_needs_no_question() -> None:
    (first,) = judge(Scene().stroke(None))
    assert first.verdict == "certain" and first.foul is not None


def test_a_fair_first_stroke_bears_the_assumed_state_out() -> None:
    s = Scene()
    found = judge(s.stroke("red_1", ["red_1"]), s.stroke("blue", ["blue"]), s.stroke("pink"))
    assert [(x.verdict, x.points) for x in found[:2]] == [("certain", 1), ("certain", 5)]
    assert found[2].foul is not None, "red is on behind the blue: that is known now"
    assert "What was on" not in (found[2].question or "")


def test_the_state_said_later_rules_the_stroke() -> None:
    referee = Referee(SNOOKER_TABLE)
    for e in [Scene().stroke("blue", ["blue"])]:
        referee.feed(e)
    (asked,) = referee.match.strokes
    assert asked.verdict == "call"
    referee.call(StateCall(0.0, "A", "any_colour", (20, 0)), "tester")
    (told,) = referee.match.strokes
    assert (told.verdict, told.points, told.foul) == ("certain", 5, None)


def test_a_correction_answers_it() -> None:
    referee = Referee(SNOOKER_TABLE)
    referee.feed(Scene().stroke("blue", ["blue"]))
    referee.correct(Correction(referee.match.strokes[0].entry, striker="A"), "tester")
    assert referee.match.strokes[0].verdict == "certain"
