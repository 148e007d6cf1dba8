"""A cue-ball that hands put in-hand though no ruling did: something happened that nobody saw."""

from __future__ import annotations

from script import Scene

from calibration.table.specs import SNOOKER_TABLE
from referee.facts.calls import parse_start
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from tracker.events import TrackerEvent

IN_D = (100.0, 650.0)


def judge(*events: TrackerEvent, start: str = "A red 0-0") -> list[JudgedStroke]:
    referee = Referee(SNOOKER_TABLE, parse_start(start))
    for e in events:
        referee.feed(e)
    referee.close()
    return list(referee.match.strokes)


def asked_who_plays(stroke: JudgedStroke) -> bool:
    return stroke.verdict == "call" and "Who was at the table" in (stroke.question or "")


def test_a_white_put_down_that_no_foul_took_off_leaves_the_state_in_doubt() -> None:
    s = Scene()
    events = s.stroke("red_1"), s.hand("in_hand", "white", IN_D), s.stroke("red_2", ["red_2"])
    first, second = judge(*events)
    assert first.verdict == "certain"
    assert asked_who_plays(second), "a foul was played between the two: by whom, nobody knows"


def test_so_does_a_white_that_a_hand_moves_into_the_d() -> None:
    s = Scene()
    events = s.stroke("red_1"), s.hand("moved", "white", IN_D), s.stroke("red_2", ["red_2"])
    assert asked_who_plays(judge(*events)[1])


def test_a_white_that_a_hand_moves_elsewhere_is_only_told() -> None:
    s = Scene()
    events = s.stroke("red_1"), s.hand("moved", "white", (300.0, 2000.0)), s.stroke("red_2", ["red_2"])
    assert not asked_who_plays(judge(*events)[1])


def test_a_white_put_down_after_it_fell_is_as_ruled() -> None:
    s = Scene()
    events = s.stroke("red_1", ["white"]), s.hand("in_hand", "white", IN_D), s.stroke("red_2", ["red_2"])
    first, second = judge(*events)
    assert first.foul is not None and second.verdict == "certain"


def test_before_the_first_stroke_seen_it_is_a_foul_nobody_saw() -> None:
    s = Scene()
    (first,) = judge(s.hand("in_hand", "white", IN_D), s.stroke("red_1", ["red_1"]))
    assert asked_who_plays(first)
