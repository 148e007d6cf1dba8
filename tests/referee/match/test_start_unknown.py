"""A recording that begins inside a frame without a word about its state: no foul rests on a guess."""

from __future__ import annotations

from dataclasses import replace

import pytest
from script import Scene

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.calls import Nomination, StateCall, parse_start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from tracker.events import FirstContact, Gap, LayoutChange, StrokeRecord


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
    assert (first.points, first.foul) == (5, None), "until somebody says, the likelier ruling is shown"
    weights = {dict(c.facts)["ball_on"]: c.weight for c in first.candidates}
    assert weights["any_colour"] > 40 * weights["red"], "players foul rarely"


def test_what_was_on_is_asked_before_what_matters_only_if_it_was_a_red() -> None:
    """The blue lies in the way of the red: whether it does is a question only where red was on."""
    scene = Scene({"red_1": (300.0, 2000.0)}, white=(300.0, 1000.0))
    scene.balls["blue"] = (300.0, 1400.0)
    (first,) = judge(scene.stroke("blue", move={"blue": (500.0, 1500.0)}))
    assert first.question is not None and first.question.startswith("What was on")


def test_the_same_blue_is_a_foul_for_certain_where_red_is_said_to_be_on() -> None:
    (first,) = judge(Scene().stroke("blue", ["blue"]), start="A red 0-0")
    assert first.verdict == "certain" and first.foul is not None and first.foul.penalty == 5


def test_a_foul_in_every_state_needs_no_question() -> None:
    (first,) = judge(Scene().stroke(None))
    assert first.verdict == "certain" and first.foul is not None


def test_a_foul_whatever_was_on_hangs_on_what_was_hit() -> None:
    """Brown first or black first, and the black fell: a foul of seven with red on; with a colour on the black
    first is fair.
    """
    scene = Scene()
    stroke = scene.stroke("brown", ["black"])
    doubtful = FirstContact("brown", 7.0, 0.6), FirstContact("black", 7.0, 0.4)
    (first,) = judge(replace(stroke, first_contact=doubtful, explanations=()))
    assert first.verdict == "call"


def test_what_happened_is_asked_in_the_state_that_it_makes_likely() -> None:
    """A real clip's: the black is hit and falls, 99.8 % sure. "Foul, 7" was shown, and was what every answer
    meant.
    """
    stroke = Scene().stroke("black", ["black"])
    doubtful = tuple(replace(p, confidence=0.9) for p in stroke.pots)
    referee = Referee(SNOOKER_TABLE)
    referee.feed(replace(stroke, pots=doubtful, explanations=()))
    referee.close()
    (asked,) = referee.match.strokes
    assert "Which balls were potted" in (asked.question or "")
    assert (asked.ball_on, asked.points, asked.foul) == ("any_colour", 7, None)
    assert {(dict(c.facts)["potted"], c.points) for c in asked.candidates} == {("black", 7), ("none", 0)}
    referee.correct(Correction(asked.entry, potted=("black",)), "tester")
    (still,) = referee.match.strokes
    assert "What was on" in (still.question or ""), "a foul of seven where red was on"
    referee.call(StateCall(0.0, "A", "any_colour", (20, 0)), "tester")
    (told,) = referee.match.strokes
    assert (told.verdict, told.points) == ("certain", 7)


def test_what_was_weighed_is_shown_in_the_state_of_the_ruling() -> None:
    """`cueref explain` had said "foul 5" beside a ruling of five points."""
    referee = Referee(SNOOKER_TABLE)
    referee.feed(Scene().stroke("blue", ["blue"]))
    (shown,) = referee.match.strokes
    explained = referee.explained(shown.n)
    assert explained is not None and shown.points == 5
    assert [(e.outcome.points, e.outcome.foul) for e in explained.explanations] == [(5, None)]
    weights = {(who, on): weight for who, on, weight in explained.states}
    assert weights["A", "any_colour"] > 40 * weights["A", "red"]


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


def test_where_something_happened_unseen_before_the_first_stroke_later_ones_hang_on_who_played_it() -> None:
    scene, referee = Scene(), Referee(SNOOKER_TABLE)
    scene.balls.pop("red_1")
    referee.feed(Gap(0.0, 6.0, "other_view"))
    referee.feed(LayoutChange(6.0, scene.layout(), False))
    scene.t_s = 7.0
    for first in ("red_2", "red_3"):
        referee.feed(scene.stroke(first))
    asked, later = referee.match.strokes
    assert asked.verdict == "call" and "Who was at the table" in (asked.question or "")
    assert later.verdict == "call" and "hangs on the question about stroke 1" in (later.question or "")


def test_a_nomination_by_the_player_who_is_not_at_the_table_is_asked_about() -> None:
    """The names are a guess, and a call knows them: the pink that B nominated is no stroke of A's."""
    scene = Scene()
    red, green = scene.stroke("red_1", ["red_1"]), scene.stroke("green")
    referee = Referee(SNOOKER_TABLE, calls=[Nomination(green.start_s - 1.0, "B", "pink")])
    referee.feed(red)
    referee.feed(green)
    referee.close()
    potted, asked = referee.match.strokes
    assert (potted.verdict, potted.striker) == ("certain", "A")
    assert asked.verdict == "call" and "B nominated the pink" in (asked.question or "")
    assert ("striker", "B") in {fact for c in asked.candidates for fact in c.facts}


@pytest.mark.parametrize("by", ["A", "B"])
def test_who_nominated_tells_who_is_at_the_table(by: str) -> None:
    """Who plays is open. A red falls, one of them names the pink but hits the blue: his foul, or the other
    plays, and it was named for him. A nomination by the other player had cost nothing, and a foul does.
    """
    scene = Scene()
    scene.balls.pop("red_1")
    scene.t_s = 7.0
    before = scene.layout()
    red, blue, later = scene.stroke("red_2", ["red_2"]), scene.stroke("blue"), scene.stroke("red_3")
    referee = Referee(SNOOKER_TABLE, calls=[Nomination(blue.start_s - 0.5, by, "pink")])
    for e in (Gap(0.0, 6.0, "other_view"), LayoutChange(6.0, before, False), red, blue, later):
        referee.feed(e)
    referee.close()
    named = referee.match.strokes[1]
    assert named.verdict == "call" and named.striker == by


def under_way(scene: Scene) -> StrokeRecord:
    record = scene.stroke(None)
    return replace(record, gap_before=True, unseen=True, under_way=0.9999)


def test_a_recording_that_begins_while_balls_roll_has_no_stroke_before_its_first_whole_one() -> None:
    """It had one, "no ball hit, 4 away", and the black potted next was "foul, 7, and a miss", certain."""
    scene = Scene()
    (first,) = judge(under_way(scene), scene.stroke("black", ["black"]))
    assert (first.n, first.points, first.foul) == (1, 7, None)
    assert first.verdict == "call" and "What was on" in (first.question or "")


def test_what_may_have_been_under_way_is_asked_about() -> None:
    scene = Scene()
    record = replace(under_way(scene), under_way=0.9)
    first, second = judge(record, scene.stroke("black", ["black"]))
    assert (first.verdict, second.verdict) == ("call", "call")


def test_what_was_said_of_the_state_at_the_beginning_is_in_doubt_behind_a_stroke_under_way() -> None:
    scene = Scene()
    (first,) = judge(under_way(scene), scene.stroke("red_1", ["red_1"]), start="A red 0-0")
    assert first.verdict == "call" and "Who was at the table" in (first.question or "")


def test_behind_a_stroke_that_pictures_show_in_part_no_ruling_hangs_on_what_they_show() -> None:
    """A frame is under way, and images are missing: one explanation, all of whose rulings are alike."""
    scene = Scene()
    part = replace(scene.stroke(None), gap_before=True, unseen=True)
    _, later = judge(part, scene.stroke("black", ["black"]), start="A red 0-0")
    assert later.verdict == "call"


def test_what_a_state_would_mean_counts_what_was_said_of_the_stroke() -> None:
    """Who plays is open. That the blue was hit first is said: the answers had meant the red that was seen."""
    scene, referee = Scene(), Referee(SNOOKER_TABLE)
    scene.balls.pop("red_1")
    referee.feed(Gap(0.0, 6.0, "other_view"))
    referee.feed(LayoutChange(6.0, scene.layout(), False))
    scene.t_s = 7.0
    referee.feed(scene.stroke("red_2"))
    referee.correct(Correction(referee.match.strokes[0].entry, first_contact=("blue",)), "tester")
    (asked,) = referee.match.strokes
    told = {dict(c.facts)["ball_on"]: c.foul and c.foul.penalty for c in asked.candidates}
    assert told == {"any_colour": None, "red": 5}
