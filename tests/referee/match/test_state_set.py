"""The state that a person sets, answers to "who was at the table?", and who decided what."""

from __future__ import annotations

from dataclasses import replace

import pytest
from script import Scene

from calibration.errors import UnusableInput
from calibration.table.specs import SNOOKER_TABLE
from referee.facts.calls import FramesBefore, Start, StateCall, Unknown, parse_start
from referee.facts.corrections import Correction
from referee.journal import Journal
from referee.live.engine.match_runner import said_so_far
from referee.live.engine.rulings import PublishedRulings
from referee.match.changes import history, state_of_labels, undo
from referee.match.referee import Referee, open_referee
from tracker.events import Gap, LayoutChange, StrokeRecord


def two_strokes() -> tuple[Referee, Scene]:
    scene, referee = Scene(), Referee(SNOOKER_TABLE)
    referee.feed(scene.stroke("red_1", [], {"white": (100.0, 600.0)}))
    referee.feed(scene.stroke("red_2", [], {"white": (150.0, 700.0)}))
    return referee, scene


def after_darkness() -> Referee:
    """A stroke, then the balls lie otherwise after a span in which nothing was seen, then a pink."""
    scene, referee = Scene(), Referee(SNOOKER_TABLE)
    referee.feed(scene.stroke("red_1", [], {"white": (100.0, 600.0)}))
    a, b = scene.t_s + 1.0, scene.t_s + 3.0
    referee.feed(Gap(a, b, "other_view"))
    scene.balls = {k: v for k, v in scene.balls.items() if k != "red_1"}
    referee.feed(LayoutChange(b, scene.layout(), False))
    stroke = scene.stroke("pink", [], {"white": (0.0, 1000.0)})
    assert isinstance(stroke, StrokeRecord)
    referee.feed(stroke)
    return referee


def test_a_state_set_before_a_stroke_holds_from_that_stroke_on() -> None:
    referee, _ = two_strokes()
    second = referee.match.strokes[1]
    referee.call(StateCall(second.seen.start_s - 1e-3, "B", "red", (12, 30), second.entry), "Ann")
    first, second = referee.match.strokes
    assert (first.striker, first.score) == ("A", (0, 0))
    assert (second.striker, second.ball_on, second.score) == ("B", "red", (12, 30))
    assert [(d.entry, d.who, d.unknown) for d in referee.match.decisions] == [(second.entry, "Ann", False)]
    assert any(w.type == "state_set" for w in referee.match.warnings)


def test_a_state_set_now_is_where_the_next_stroke_begins() -> None:
    referee, scene = two_strokes()
    referee.call(StateCall(scene.t_s + 1e-3, "A", "any_colour", (8, 0)), "Ann")
    state = referee.standing[0].state
    assert state is not None and (state.striker, state.ball_on, state.scores) == ("A", "any_colour", (8, 0))
    referee.feed(scene.stroke("black", [], {"white": (0.0, 1500.0)}))
    last = referee.match.strokes[-1]
    assert (last.ball_on, last.score, last.foul) == ("any_colour", (8, 0), None)


def test_a_question_before_a_state_set_live_no_longer_makes_the_score_provisional() -> None:
    referee = after_darkness()
    published = PublishedRulings(lambda t_s: "")

    def counts() -> list[bool]:
        published.rebuilt(said_so_far(referee), ("Ann", "Bo"), 0.0)
        return [q.counts for q in published.questions]

    assert counts() == [True]
    referee.call(StateCall(referee.match.strokes[-1].seen.end_s + 1.0, "B", "red", (8, 0)), "Ann")
    assert counts() == [False]
    undo(referee, None, "Ann")
    assert counts() == [True]


def test_a_set_state_can_be_taken_back_and_survives_a_restart() -> None:
    journal = Journal(":memory:")
    scene, referee = Scene(), Referee(SNOOKER_TABLE, journal=journal)
    referee.feed(scene.stroke("red_1", [], {"white": (100.0, 600.0)}))
    before = referee.match
    referee.call(StateCall(scene.t_s + 1e-3, "B", "red", (1, 2)), "Ann")
    referee.call(FramesBefore((2, 1)), "Ann")
    assert open_referee(journal).match == referee.match
    assert [f.winner for f in referee.match.frames] == ["A", "A", "B", None]
    assert undo(referee, None, "Bo").words == "frames won before: 2-1"
    assert undo(referee, None, "Bo").words == "state: B at the table, red on, 1-2"
    assert referee.match == before


def test_a_record_begun_inside_a_match_counts_the_frames_before() -> None:
    start = parse_start("B pink 30-41 frames 2-1")
    assert start == Start("B", "pink", (30, 41), False, (2, 1))
    referee = Referee(SNOOKER_TABLE, start)
    scene = Scene(reds={}, colours=("pink", "black"))
    referee.feed(scene.stroke("pink", [], {"white": (0.0, 1000.0)}))
    match = referee.match
    assert [f.winner for f in match.frames] == ["A", "A", "B", None] and match.strokes[0].frame == 4
    assert (match.strokes[0].striker, match.score) == ("B", (30, 41))
    with pytest.raises(UnusableInput, match="frames 2-1"):
        parse_start("B pink 30-41 frames two")


def test_after_darkness_every_player_and_ball_on_that_fits_is_offered_fair_strokes_first() -> None:
    referee = after_darkness()
    stroke = referee.match.strokes[-1]
    assert stroke.verdict == "call" and "Who was at the table" in (stroke.question or "")
    said = [(dict(c.facts)["striker"], dict(c.facts)["ball_on"], c.foul is None) for c in stroke.candidates]
    assert set(said) == {
        ("A", "any_colour", True),
        ("B", "any_colour", True),
        ("B", "red", False),
        ("A", "red", False),
    }
    assert [fair for *_, fair in said] == [True, True, False, False]


def test_an_answer_after_darkness_sets_the_state_and_is_its_authors() -> None:
    referee = after_darkness()
    stroke = referee.match.strokes[-1]
    chosen = next(c for c in stroke.candidates if dict(c.facts) == {"striker": "B", "ball_on": "any_colour"})
    state = state_of_labels({**dict(chosen.also), **dict(chosen.facts)}, stroke.seen.start_s, stroke.entry)
    assert state is not None
    referee.call(state, "Ann")
    after = referee.match.strokes[-1]
    assert (after.verdict, after.striker, after.foul) == ("certain", "B", None)
    assert [d.who for d in referee.match.decisions] == ["Ann"]


def test_who_does_not_know_leaves_the_question_open_and_says_so() -> None:
    referee = after_darkness()
    stroke = referee.match.strokes[-1]
    referee.call(Unknown(stroke.seen.end_s, stroke.entry), "Ann")
    assert referee.match.strokes[-1] == stroke and referee.set_aside == {stroke.entry}
    assert [s.words for s in history(referee.journal)] == ["does not know what happened"]
    undo(referee, None, "Ann")
    assert referee.set_aside == frozenset()


def test_a_restored_correction_stays_its_authors() -> None:
    referee, _ = two_strokes()
    entry = referee.match.strokes[0].entry
    first = Correction(entry, potted=("red",))
    referee.correct(first, "Ann")
    referee.correct(replace(first, cue_ball="pocketed"), "Bo")
    assert [d.who for d in referee.match.decisions] == ["Bo"]
    undo(referee, None, "Cy")
    assert [d.who for d in referee.match.decisions] == ["Ann"]
    undo(referee, None, "Cy")
    assert referee.match.decisions == ()
