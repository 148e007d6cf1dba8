"""A ball that was said to have fallen and lies on the table later: its pot is weighed anew, and asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.table.board import board_table
from calibration.table.specs import SNOOKER_TABLE, WPA_TABLE
from referee.journal import Journal
from referee.match.referee import Referee
from tests.support.game_script import GameScript, diamond, spread
from tests.support.script import Scene
from tracker.events import Gap, HandMove, SpanExplanation, StrokeRecord, TrackerEvent


def unsure(stroke: StrokeRecord, confidence: float = 0.9999) -> StrokeRecord:
    """The stroke with pots as sure as explanations can be."""
    return replace(stroke, pots=tuple(replace(p, confidence=confidence) for p in stroke.pots))


def red_back(between: str = "") -> list[TrackerEvent]:
    """A red falls, a colour is hit, and before the next stroke that red lies there."""
    s = Scene()
    events: list[TrackerEvent] = [unsure(s.stroke("red_1", ["red_1"])), s.stroke("black")]
    s.balls["red_1"] = (300.0, 1500.0)
    if between == "hand":
        events.append(s.hand("replaced", "red_1", (300.0, 1500.0)))
    if between == "gap":
        events.append(Gap(s.t_s, s.t_s + 2.0, "view_changed"))
    return [*events, s.stroke("red_2")]


def test_a_fall_that_every_explanation_has_is_asked_about_too() -> None:
    """No explanation without it was left to be weighed: the pot stayed certain, whatever lay there."""
    first, *later = red_back()
    assert isinstance(first, StrokeRecord)
    only = SpanExplanation(1.0, "red_1", True, 6.5, (("red_1", "TR", 7.5),), "on_table", (), ())
    referee = Referee(SNOOKER_TABLE)
    for event in (replace(first, explanations=(only,)), *later):
        referee.feed(event)
    referee.close()
    asked = referee.match.strokes[0]
    assert asked.question == "Which balls were potted?"
    assert asked.seen.pots[0].confidence == pytest.approx(0.909, abs=0.001)


def test_a_red_that_lies_there_did_not_fall_or_nobody_knows(tmp_path: Path) -> None:
    """Reds are never put back (snooker 3.7): 9,999 to one that it fell is ten to one then."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal:
        referee = Referee(SNOOKER_TABLE, journal=journal)
        for event in red_back():
            referee.feed(event)
        referee.close()
        first = referee.match.strokes[0]
        assert first.verdict == "call" and first.question == "Which balls were potted?"
        assert first.seen.pots[0].confidence == pytest.approx(0.909, abs=0.001)
        told = {dict(c.facts)["potted"] for c in first.candidates}
        assert "none" in told
        match = referee.match
    with Journal(path) as journal:  # it follows from the journal, which keeps what was seen
        assert Referee(SNOOKER_TABLE, journal=journal).match == match


@pytest.mark.parametrize("between", ["hand", "gap"])
def test_what_a_hand_put_there_or_may_have_fell(between: str) -> None:
    referee = Referee(SNOOKER_TABLE)
    for event in red_back(between):
        referee.feed(event)
    referee.close()
    assert referee.match.strokes[0].seen.pots[0].confidence == 0.9999


def test_a_colour_comes_back_by_the_rules() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    for event in (s.stroke("red_1", ["red_1"]), unsure(s.stroke("black", ["black"]))):
        referee.feed(event)
    s.balls["black"] = SNOOKER_TABLE.spots["black"]
    referee.feed(s.stroke("red_2"))
    referee.close()
    assert referee.match.strokes[1].seen.pots[0].confidence == 0.9999


def test_a_disc_is_put_back_in_plain_sight() -> None:
    """A black that rolls in a stroke and "fell" in the one before is told as put back while it rolls, when no
    hand can have: it was "potted top right", certain, in `dev_carrom`.
    """
    table = board_table()
    men = ["black_1", "black_2", "white_1", "queen"]
    script = GameScript("carrom", table, {"striker": (0.0, 120.0), **spread(table, men)})
    place = script.places["black_1"]
    events: list[TrackerEvent] = [unsure(script.stroke("black_1", ("black_1", "TR")))]
    script.places["black_1"] = place
    stroke = script.stroke("black_2")
    for placed_s, confidence in (
        (None, 0.909),
        (stroke.start_s - 3.0, 0.9999),
        (stroke.start_s - 0.05, 0.909),
        (stroke.start_s + 0.1, 0.909),
    ):
        referee = Referee(table, game="carrom")
        back = [] if placed_s is None else [HandMove("respot", "black_1", None, (*place, 0.4), placed_s)]
        for event in (*events, *back, stroke):
            referee.feed(event)
        referee.close()
        assert referee.match.strokes[0].seen.pots[0].confidence == pytest.approx(confidence, abs=0.001)


@pytest.mark.parametrize(("racked", "confidence"), [(False, 0.909), (True, 0.9999)])
def test_the_ball_that_won_a_rack_and_lies_there_alone_did_not_fall_or_nobody_knows(
    racked: bool, confidence: float
) -> None:
    """Nine ball: the 9 is down, the rack is over, and before the next shot the 9 lies among what was left."""
    script = GameScript("wpa_9ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, ["8", "9"])})
    place = script.places["9"]
    events: list[TrackerEvent] = [unsure(script.stroke("8", ("9", "TR"), rails=["8"]))]
    script.places |= diamond(WPA_TABLE) if racked else {"9": place}
    referee = Referee(WPA_TABLE, game="wpa_9ball")
    for event in (*events, script.stroke("1" if racked else "8", rails=["8"])):
        referee.feed(event)
    referee.close()
    assert referee.match.strokes[0].seen.pots[0].confidence == pytest.approx(confidence, abs=0.001)
