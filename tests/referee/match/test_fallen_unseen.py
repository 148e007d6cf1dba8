"""A ball that falls while images are lost: the question about that stroke offers it, and no stroke behind it
is certain on the guess that it did not fall.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from script import Scene

from calibration.table.specs import SNOOKER_TABLE as TABLE
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from tracker.events import SpanExplanation, StrokeRecord

WHOSE = "What was on, and who was at the table? It hangs on the question about stroke 1."


def told(*events: StrokeRecord) -> tuple[Referee, tuple[JudgedStroke, ...]]:
    referee = Referee(TABLE)
    for e in events:
        referee.feed(e)
    return referee, referee.match.strokes


def answers(stroke: JudgedStroke) -> set[str]:
    return {dict(c.facts).get("potted", "").partition("_")[0] for c in stroke.candidates}


def believed_there(scene: Scene) -> StrokeRecord:
    """Red 1 falls in lost images: the tracker says that it lies where it lay, its explanations deny it."""
    seen = scene.stroke("red_1", ["red_1"])
    fell = SpanExplanation(1.0, "red_1", True, 6.5, (("red_1", "TL", 8.0),), "on_table", (), ())
    return replace(seen, pots=(), after=seen.before, unseen=True, gap_before=True, explanations=(fell,))


@pytest.mark.parametrize("gap", [False, True])
def test_a_ball_that_no_list_of_a_stroke_with_lost_images_has_may_have_fallen(gap: bool) -> None:
    """The layout behind the stroke has one red fewer, and neither pots nor vanished balls say why."""
    s = Scene()
    lacking = replace(s.stroke("red_1", vanished=["red_1"]), vanished=(), unseen=True, gap_before=gap)
    _, (first, second) = told(lacking, s.stroke("black"))
    assert first.verdict == "call" and answers(first) == {"red", "none"}
    assert first.points == 1 and second.ball_on == "any_colour", "rulings go on from the likelier"


def test_reds_that_exchange_names_in_lost_images_are_not_gone() -> None:
    s = Scene()
    seen = s.stroke("red_1", move={"red_1": (-300.0, 2500.0)})
    other = tuple(replace(b, ball="red_9") if b.ball == "red_1" else b for b in seen.after)
    _, (first,) = told(replace(seen, after=other, unseen=True, gap_before=True))
    assert first.verdict == "call" and first.seen.vanished == () and first.seen.pots == ()


def test_no_stroke_is_certain_behind_one_that_hid_a_fall() -> None:
    """A soak's: the camera stalled, a red fell, and a foul with a colour on was ruled fair, certain."""
    s = Scene()
    referee, (first, second, _) = told(believed_there(s), s.stroke("red_2"), s.stroke("red_2"))
    assert first.verdict == "call" and answers(first) == {"red", "none"}
    assert second.verdict == "call" and second.question == WHOSE
    assert {(c.foul.penalty if c.foul else 0) for c in second.candidates} >= {0, 4}
    assert {c.facts for c in second.candidates} >= {
        (("striker", "A"), ("ball_on", "any_colour")),
        (("striker", "B"), ("ball_on", "red")),
    }
    settled = referee.correct(
        Correction(first.entry, first_contact=("red",), potted=("red",)), "referee"
    ).strokes
    assert settled[0].verdict == "certain" and settled[0].points == 1
    assert settled[1].ball_on == "any_colour" and settled[1].foul is not None


def test_who_says_that_nothing_fell_is_believed() -> None:
    s = Scene()
    referee, (first, _) = told(believed_there(s), s.stroke("red_2"))
    settled = referee.correct(Correction(first.entry, first_contact=("red",), potted=()), "referee").strokes
    assert [x.verdict for x in settled] == ["certain", "certain"]


def test_a_stroke_behind_lost_images_in_which_nothing_is_gone_stays_certain() -> None:
    s = Scene()
    _, (first, second) = told(replace(s.stroke("red_1"), unseen=True), s.stroke("red_2"))
    assert (first.verdict, second.verdict) == ("call", "certain")
