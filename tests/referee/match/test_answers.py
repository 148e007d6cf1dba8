"""The rules are run on each explanation of a stroke: what one of them says together stands together."""

from __future__ import annotations

from dataclasses import replace

import pytest
from script import Scene

from calibration.table.specs import SNOOKER_TABLE as TABLE
from referee.facts.corrections import POCKET
from referee.facts.judged import JudgedStroke
from referee.match.answers import facts_of_labels
from referee.match.referee import Referee
from tracker.events import SpanExplanation, StrokeRecord


def judge(*events: StrokeRecord) -> list[JudgedStroke]:
    referee = Referee(TABLE)
    for e in events:
        referee.feed(e)
    referee.close()
    return list(referee.match.strokes)


def whole(weight: float, first: str | None, *fell: str, known: bool = True) -> SpanExplanation:
    pots = tuple((ball, "TR", 7.0 + k) for k, ball in enumerate(fell))
    return SpanExplanation(weight, first, known, 6.5, pots, "on_table", (), ())  # type: ignore[arg-type]


def answers(stroke: JudgedStroke, fact: str = "potted") -> set[str]:
    return {dict(c.facts).get(fact, "") for c in stroke.candidates}


def test_a_question_about_pots_offers_what_an_explanation_alone_has() -> None:
    seen = Scene().stroke("red_1", {"red_1": 0.9})
    (alone,) = judge(seen)
    assert alone.verdict == "call" and answers(alone) == {"red_1", "none"}
    (asked,) = judge(
        replace(seen, explanations=(whole(0.7, "red_1", "red_1"), whole(0.3, "red_1", "red_2", "red_1")))
    )
    assert answers(asked) == {"red_1", "red_2, red_1"}
    assert [round(c.weight, 2) for c in asked.candidates] == [0.7, 0.3]


def test_the_same_colours_are_one_answer() -> None:
    seen = Scene().stroke("red_1", {"red_1": 0.9})
    (asked,) = judge(replace(seen, explanations=(whole(0.5, "red_1", "red_7"), whole(0.5, "red_1"))))
    assert answers(asked) == {"red_1", "none"}


def test_nothing_is_taken_from_two_explanations_at_once() -> None:
    """The red was hit and fell, or the brown was hit and nothing fell: never the brown hit and a red down."""
    seen = Scene().stroke({"red_1": 0.6, "brown": 0.4}, {"red_1": 0.6})
    (asked,) = judge(replace(seen, explanations=(whole(0.6, "red_1", "red_1"), whole(0.4, "brown"))))
    assert asked.question == "Which ball did the cue-ball hit first?"
    red, brown = asked.candidates
    assert (red.facts, red.points, red.foul, red.otherwise) == ((("first_contact", "red"),), 1, None, ())
    assert brown.foul is not None and (brown.weight, brown.otherwise) == (pytest.approx(0.4), ())


def test_a_stroke_that_images_do_not_show_whole_offers_what_explanations_have() -> None:
    seen = replace(Scene().stroke("red_1"), unseen=True)
    (asked,) = judge(replace(seen, explanations=(whole(0.6, "red_1"), whole(0.4, "red_1", "red_2"))))
    assert asked.question is not None and asked.question.startswith("What happened")
    assert answers(asked) == {"none", "red"}
    assert [(round(c.weight, 2), c.points) for c in asked.candidates] == [(0.68, 0), (0.32, 1)]


def test_a_ball_that_is_gone_at_the_end_is_asked_about_where_explanations_let_it_fall() -> None:
    """A recording that ends with a ball out of sight was certain: nothing potted."""
    seen = Scene().stroke("red_1", vanished=["red_1"])
    (asked,) = judge(replace(seen, explanations=(whole(0.8, "red_1"), whole(0.2, "red_1", "red_1"))))
    assert asked.verdict == "call" and answers(asked) == {"none", "red_1"}


def test_a_ball_that_is_gone_before_the_next_stroke_too_weighs_the_explanations_anew() -> None:
    """Hidden, it would be found by then in all but 4 of 1,000."""
    s = Scene()
    seen = s.stroke("red_1", vanished=["red_1"])
    found = replace(seen, explanations=(whole(0.8, "red_1"), whole(0.2, "red_1", "red_1")))
    first, _ = judge(found, s.stroke("red_2"))
    (pot,) = first.seen.pots
    assert pot.pocket == "TR" and abs(pot.confidence - 0.2 / (0.2 + 0.8 * 0.004)) < 1e-9
    assert first.verdict == "call" and answers(first) == {"red_1", "none"}


def test_a_ball_that_left_and_lies_there_was_put_back_unseen_however_it_left() -> None:
    """The pink fell and was spotted in no image: "gone otherwise" had been as good as "it lay there"."""
    s = Scene()
    seen = s.stroke("red_1", vanished=["pink"])
    gone = replace(whole(0.6, "red_1"), gone=("pink",))
    told = (gone, whole(0.2, "red_2"), whole(0.2, "red_1", "pink"))
    s.balls["pink"] = TABLE.spots["pink"]
    first, _ = judge(replace(seen, explanations=told), s.stroke("red_2"))
    weights = {e.first_contact: e.weight for e in first.seen.explanations}
    assert first.seen.explanations[0].first_contact == "red_2" and weights["red_2"] > 0.99


def test_a_pot_that_some_explanations_deny_is_not_sure_because_its_ball_lies_nowhere_later() -> None:
    """What fell by the tracker lies in none of its layouts: a ghost of a red had "fallen" for certain."""
    s = Scene()
    seen = s.stroke("red_1", {"red_1": 0.98})
    fallen = (whole(0.6, "red_1", "red_1"), whole(0.4, "red_1"))
    first, _ = judge(replace(seen, explanations=fallen), s.stroke("red_2"))
    assert first.verdict == "call" and answers(first) == {"red_1", "none"}
    agreed, _ = judge(replace(seen, explanations=(whole(1.0, "red_1", "red_1"),)), s.stroke("red_2"))
    assert agreed.verdict == "certain" and agreed.points == 1


def test_a_first_contact_that_explanations_do_not_know_is_asked_though_the_ball_moved() -> None:
    """A ball that set off, nobody saw why, is half as likely the first that was met: not certainly so."""
    seen = Scene().stroke({"red_1": 0.5, "none": 0.5}, move={"red_1": (-300.0, 2500.0)})
    (known,) = judge(replace(seen, explanations=(whole(1.0, "red_1"),)))
    assert known.verdict == "certain"
    (asked,) = judge(replace(seen, explanations=(whole(1.0, "red_1", known=False),)))
    assert asked.verdict == "call" and answers(asked, "first_contact") == {"red", "none"}


def test_an_answer_about_pockets_keeps_what_else_was_answered() -> None:
    """The pockets of two balls, and whether a rail was reached: each is an answer of its own."""
    labels = {"rail": "yes", "potted": "3 to TL, 5 to CR", "jumped": "no"}
    facts = facts_of_labels(labels)
    assert facts["potted"] == ("3", "5")
    assert set(facts["answers"]) == {
        ("rail", "yes"),
        ("jumped", "no"),
        (POCKET, "3 to TL"),
        (POCKET, "5 to CR"),
    }


def test_who_cannot_tell_whether_it_lay_in_the_d_settles_nothing() -> None:
    assert facts_of_labels({"in_d": "unknown"}) == {}
    assert facts_of_labels({"in_d": "no"}) == {"in_d": False}
