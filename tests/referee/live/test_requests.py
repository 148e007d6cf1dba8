"""What befalls a frame: a new triangle, concession, re-rack, abandoned, practice; said at once, afterwards,
taken back.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))
from script import Scene

from calibration.errors import UnusableInput
from calibration.table.specs import SNOOKER_TABLE
from referee.facts.calls import FrameCall
from referee.facts.judged import FrameRecord
from referee.journal import Journal
from referee.live.engine.requests import (
    Answer,
    AskFrame,
    Choose,
    Nominate,
    Request,
    SetPlayers,
    Undo,
    apply_request,
)
from referee.live.engine.rulings import PublishedRulings
from referee.live.engine.scoreboard import frames_won, match_winner, phase_of
from referee.live.engine.state import LiveQuestion
from referee.match.referee import Referee, open_referee
from tracker.events import TrackerEvent


class Table:
    """A referee without a camera, asked as the engine asks him."""

    def __init__(self) -> None:
        self.scene = Scene()
        self.referee = Referee(SNOOKER_TABLE, journal=Journal(":memory:"))
        self.published = PublishedRulings(lambda t_s: f"{t_s:.1f}")

    def see(self, *events: TrackerEvent) -> None:
        for event in events:
            outputs = self.referee.feed(event)
            self.published.take(outputs, ("A", "B"), self.scene.t_s)
            self.published.settle(self.referee.standing[0], ("A", "B"))

    def ask(self, request: Request) -> None:
        strokes = self.referee.match.strokes
        now = self.referee.standing[0], strokes[-1].seen.after if strokes else ()
        match = SimpleNamespace(watch=SimpleNamespace(referee=self.referee), moving=False, now=now)
        apply_request(cast("Any", match), self.published, request, self.scene.t_s + 1.0, "Ann")
        self.published.rebuilt(self.referee.outputs, ("A", "B"), self.scene.t_s)
        self.published.settle(self.referee.standing[0], ("A", "B"))

    @property
    def frames(self) -> tuple[FrameRecord, ...]:
        return self.referee.standing[0].frames

    @property
    def striker(self) -> str | None:
        state = self.referee.standing[0].state
        return None if state is None or state.over else state.striker

    @property
    def winner(self) -> str | None:
        return match_winner(frames_won(self.referee.standing[0]), best_of=3)

    @property
    def phase(self) -> str:
        return phase_of(
            self.referee.standing[0], match_winner(frames_won(self.referee.standing[0]), best_of=3)
        )


@pytest.fixture
def table() -> Table:
    made = Table()
    made.see(made.scene.rack(), made.scene.stroke("red_1", ["red_1"]), made.scene.stroke("black", ["black"]))
    made.see(made.scene.hand("respot", "black"), made.scene.stroke("red_2"))
    assert made.frames[-1].score == (8, 0) and made.striker == "B"
    return made


def test_a_new_triangle_ends_an_unfinished_frame_and_the_other_player_breaks(table: Table) -> None:
    table.see(table.scene.rack())
    assert [(f.n, f.score, f.winner, f.ended) for f in table.frames] == [
        (1, (8, 0), "A", "unfinished"),
        (2, (0, 0), None, None),
    ]
    assert table.striker == "B"
    assert table.frames[-1].score == (0, 0) and frames_won(table.referee.standing[0]) == (1, 0)
    table.see(table.scene.rack())  # the same triangle, seen again
    assert len(table.frames) == 2 and table.striker == "B"
    table.see(table.scene.stroke("red_1", ["red_1"]))
    assert table.frames[-1].score == (0, 1)


def test_a_concession_gives_the_frame_to_the_other_player(table: Table) -> None:
    table.ask(AskFrame("concede", "A"))  # not his turn: at the table that is no reason to go on
    assert table.frames[-1].winner == "B" and table.frames[-1].ended == "conceded"
    assert table.phase == "between_frames"
    table.see(table.scene.stroke("red_3", ["red_3"]))  # a ball or two for fun
    assert table.frames[-1].score == (8, 0)
    table.see(table.scene.rack())
    assert len(table.frames) == 2 and table.striker == "B"


def test_a_re_rack_voids_the_points_and_the_same_player_breaks_again(table: Table) -> None:
    table.ask(AskFrame("rerack"))
    table.see(table.scene.rack())
    assert [(f.n, f.score, f.ended) for f in table.frames] == [(1, (0, 0), None)]
    assert table.striker == "A"
    table.see(table.scene.stroke("red_1", ["red_1"]))
    assert table.frames[-1].score == (1, 0)


def test_a_call_just_after_a_new_triangle_concerns_the_frame_before(table: Table) -> None:
    table.see(table.scene.rack())
    assert table.frames[0].winner == "A"
    table.ask(AskFrame("rerack"))
    assert [(f.n, f.score, f.ended) for f in table.frames] == [(1, (0, 0), None)]
    table.ask(Undo())
    table.ask(AskFrame("concede", "A"))
    assert [(f.winner, f.ended) for f in table.frames] == [("B", "conceded"), (None, None)]


def test_an_abandoned_frame_has_no_winner(table: Table) -> None:
    table.ask(AskFrame("abandon"))
    assert [(f.winner, f.ended) for f in table.frames] == [(None, "abandoned")]
    table.see(table.scene.rack())
    assert [(f.winner, f.ended) for f in table.frames] == [(None, "abandoned"), (None, None)]


def test_practice_is_not_ruled_until_a_triangle_or_a_word_begins_a_frame(table: Table) -> None:
    table.ask(AskFrame("practice"))
    table.see(table.scene.stroke("red_3", ["red_3"]))
    assert table.phase == "practice" and table.published.rulings[-1].kind == "unruled"
    table.ask(AskFrame("frame"))
    assert table.phase == "frame" and table.striker == "B"
    table.ask(Undo())
    table.see(table.scene.rack())
    assert table.phase == "frame" and len(table.frames) == 2


def test_a_frame_call_can_be_undone_and_survives_a_restart(table: Table) -> None:
    table.ask(AskFrame("concede", "B"))
    again = open_referee(table.referee.journal)
    assert again.standing[0] == table.referee.standing[0]
    table.ask(Undo())
    assert table.frames[-1].winner is None and table.striker == "B"
    assert open_referee(table.referee.journal).standing[0] == table.referee.standing[0]


def test_a_match_is_over_when_more_than_half_of_its_frames_are_won(table: Table) -> None:
    for _ in range(2):
        assert table.winner is None
        table.ask(AskFrame("concede", "B"))
        table.see(table.scene.rack(), table.scene.stroke("red_1"))
    assert table.phase == "match_over" and table.winner == "A"


@pytest.mark.parametrize(
    "request_", [AskFrame("frame"), Choose("play_self"), Answer("stroke-1", 0), Answer("choice-1", 0)]
)
def test_a_request_that_is_not_possible_now_is_refused(table: Table, request_: Request) -> None:
    before = table.referee.journal.digest
    if isinstance(request_, Choose):
        table.ask(AskFrame("abandon"))
        before = table.referee.journal.digest
    with pytest.raises(UnusableInput, match="expected"):
        table.ask(request_)
    assert table.referee.journal.digest == before


def test_questions_that_are_not_shown_are_counted(table: Table) -> None:
    for _ in range(15):
        table.see(table.scene.stroke({"red_2": 0.6, "blue": 0.4}))
    asked = sum(s.verdict == "call" for s in table.referee.match.strokes)
    choices = sum(q.kind == "choice" for q in table.published.questions)
    assert asked >= 15 and len(table.published.questions) == 12
    assert table.published.questions_more == asked + choices - 12
    table.ask(Answer(next(q.id for q in table.published.questions if q.kind == "facts"), 0))
    assert table.published.questions_more < asked + choices - 12


def test_a_choice_is_asked_after_a_foul_and_the_next_stroke_answers_it(table: Table) -> None:
    table.see(table.scene.stroke("blue"))
    (asked,) = table.published.questions
    assert asked.kind == "choice" and asked.stroke == 4
    index = [a.label for a in asked.answers].index("ask offender to play again from position left")
    table.ask(Answer(asked.id, index))
    assert table.striker == "B" and table.published.questions == ()
    table.ask(Undo())
    assert table.striker == "A" and len(table.published.questions) == 1
    table.see(table.scene.stroke("red_2"))
    assert table.published.questions == ()


def test_a_question_never_blocks_the_score_and_one_press_settles_it(table: Table) -> None:
    table.see(table.scene.stroke({"red_3": 0.6, "pink": 0.4}))
    (asked,) = [q for q in table.published.questions if q.kind == "facts"]
    assert (
        table.published.rulings[-1].verdict == "call" and table.striker == "A"
    )  # the likelier reading counts meanwhile
    pink = next(k for k, a in enumerate(asked.answers) if "pink" in a.label)
    table.ask(Answer(asked.id, pink))
    assert table.frames[-1].score == (14, 0) and table.published.rulings[-1].verdict == "certain"
    assert [q for q in table.published.questions if q.kind == "facts"] == []


def test_later_events_settle_a_provisional_ruling(table: Table) -> None:
    held = table.scene.stroke("red_3", vanished=["red_3"])
    table.see(held)
    changes = table.published.look_ahead(table.referee.outlook[1], ("A", "B"), table.scene.t_s)
    assert [(c.provisional, c.entry) for c in changes if not isinstance(c, LiveQuestion)] == [(True, None)]  # type: ignore[union-attr]
    table.see(table.scene.stroke("red_4"))  # red_3 has not reappear
    ruled = {r.stroke: r for r in table.published.rulings}
    assert not ruled[4].provisional and ruled[4].potted == ("red_3",)


def test_nominations_and_names_count_from_now_on(table: Table) -> None:
    table.see(table.scene.stroke("red_3", ["red_3"]))
    table.ask(Nominate("blue"))
    table.see(table.scene.stroke("pink"))
    assert table.published.rulings[-1].foul is not None and table.published.rulings[-1].foul.penalty == 6
    table.ask(SetPlayers(("Ann", "Bo")))
    assert table.referee.players == ("Ann", "Bo")


@pytest.mark.parametrize(
    "wrong", [lambda: SetPlayers(("", "B")), lambda: Nominate("orange"), lambda: AskFrame("concede")]
)
def test_requests_that_make_no_sense_are_refused_when_made(wrong: Any) -> None:
    with pytest.raises(UnusableInput, match="expected"):
        wrong()


def test_a_frame_call_comes_back_from_the_journal_as_it_was() -> None:
    referee = Referee(SNOOKER_TABLE, journal=Journal(":memory:"))
    referee.call(FrameCall(3.0, "practice"), "Ann")
    (entry,) = referee.journal.entries("call")
    assert entry.payload == {"type": "frame", "t_s": 3.0, "act": "practice", "by": None}
    assert open_referee(referee.journal).standing[0].practice


def test_strokes_that_hang_on_a_question_are_told_with_it_and_not_counted(table: Table) -> None:
    """Red or brown first: who came to the table stays open, which is one question, however many strokes."""
    table.see(table.scene.stroke({"red_1": 0.5, "brown": 0.5}, ["red_1"]))
    n = table.referee.match.strokes[-1].n
    table.see(table.scene.stroke("black"), *(table.scene.stroke("red_2") for _ in range(70)))
    published = table.published
    (asked,) = (q for q in published.questions if q.kind == "facts")
    assert (asked.stroke, asked.hangs_on, asked.hanging) == (n, None, tuple(range(n + 1, n + 72)))
    assert published.questions_more == 0 and {r.hangs_on for r in published.rulings} == {n}
    newest = published.question(f"stroke-{table.referee.match.strokes[-1].entry}")
    assert newest is not None and newest.hangs_on == n, "it can be answered as well"
    table.ask(Answer(asked.id, 0))
    assert [q for q in published.questions if q.kind == "facts"] == []
    assert {(r.verdict, r.hangs_on) for r in published.rulings} == {("certain", None)}


def test_behind_a_question_that_a_state_leaves_out_what_hangs_is_asked(table: Table) -> None:
    table.see(table.scene.stroke({"red_1": 0.5, "brown": 0.5}, ["red_1"]))
    n = table.referee.match.strokes[-1].n
    table.see(table.scene.stroke("black"), *(table.scene.stroke("red_2") for _ in range(3)))
    entry = table.referee.match.strokes[n - 1].entry
    names = ("A", "B")
    changes = table.published.rebuilt(table.referee.outputs, names, table.scene.t_s, frozenset({entry}))
    (asked,) = (q for q in table.published.questions if q.kind == "facts")
    assert (asked.stroke, asked.hanging) == (n + 1, (n + 2, n + 3, n + 4))
    told = {c.stroke: c.hangs_on for c in changes if isinstance(c, LiveQuestion) and c.open}
    assert told == {n + 1: None} | dict.fromkeys((n + 2, n + 3, n + 4), n + 1)
