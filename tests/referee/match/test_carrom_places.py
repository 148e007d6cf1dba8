"""Carrom from what is seen: the striker at base lines and circles, and C/m that are due."""

from __future__ import annotations

import pytest

from calibration.table.board import CARROM_BOARD, board_table
from referee.facts.calls import Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.games.board_places import proper_margin_mm
from referee.match.referee import Referee
from tests.support.game_script import GameScript, Place
from tracker.events import HandMove, TrackerEvent

LINE = CARROM_BOARD.striker_line_y_mm()


def carrom(**places: Place) -> GameScript:
    men = [*(f"white_{i}" for i in range(1, 10)), *(f"black_{i}" for i in range(1, 10)), "queen"]
    lying = {m: (-250.0 + 60.0 * (i % 9), -150.0 + 80.0 * (i // 9)) for i, m in enumerate(men)}
    return GameScript("carrom", board_table(), {"striker": (50.0, LINE), **lying} | places)


def judged_by(referee: Referee, events: list[TrackerEvent]) -> tuple[JudgedStroke, ...]:
    for event in events:
        referee.feed(event)
    referee.close()
    return referee.match.strokes


@pytest.mark.parametrize(
    ("x_mm", "off_mm", "proper"),
    [
        (0.0, 0.0, True),
        (150.0, 3.0, True),
        (-182.0, 0.0, True),
        (205.0, 0.0, False),  # half on the base circle
        (219.1, 0.0, True),  # over the base circle
        (-219.1, 3.0, True),
        (215.0, 0.0, True),
        (235.0, 0.0, False),
        (260.0, 0.0, False),
        (0.0, 6.0, False),
        (219.1, 6.0, False),
    ],
)
def test_a_striker_touches_both_base_lines_or_covers_a_base_circle(
    x_mm: float, off_mm: float, proper: bool
) -> None:
    # law 130(a), (b)
    for y_mm in (LINE + off_mm, LINE - off_mm, -LINE + off_mm):
        assert (proper_margin_mm(x_mm, y_mm) >= 0) == proper


@pytest.mark.parametrize(
    ("place", "verdict", "foul"),
    [
        ((0.0, LINE), "certain", False),
        ((-219.1, LINE), "certain", False),
        ((260.0, LINE), "certain", True),
        ((235.0, LINE), "certain", True),
        ((0.0, LINE + 40.0), "certain", True),
        ((205.0, LINE), "call", None),
        ((182.0, LINE), "certain", False),
        ((0.0, LINE + 12.0), "call", None),
        ((0.0, -120.0), "call", None),  # on nobody's side: it was set elsewhere since
        ((LINE, 20.0), "certain", False),  # a board that was found a quarter turn round
        ((-LINE, 260.0), "certain", True),
    ],
)
def test_a_stroke_from_beside_base_line_and_circle_is_a_foul(
    place: Place, verdict: str, foul: bool | None
) -> None:
    script = carrom(striker=place)
    (judged,) = judged_by(Referee(board_table(), game="carrom"), [script.stroke("white_1")])
    assert judged.verdict == verdict
    if foul is None:
        assert judged.question == "Was the striker set right: on both base lines, or covering a base circle?"
    else:
        assert (judged.foul is not None) == foul


def due(count: int = 1) -> tuple[GameScript, list[TrackerEvent]]:
    """A pockets C/m of his and, in the next stroke, the striker: one C/m is due (72(a)), B places it."""
    script = carrom()
    events: list[TrackerEvent] = [script.stroke("white_1", ("white_1", "TL"))]
    script.places["striker"] = (20.0, LINE)
    events.append(script.stroke("black_1", ("striker", "TR")))
    script.places["striker"] = (0.0, -LINE)
    return script, events


def put(script: GameScript, man: str, place: Place) -> HandMove:
    script.places[man] = place
    return HandMove("respot", man, None, (*place, 0.4), script.t_s - 2.0)


@pytest.mark.parametrize("by_hand", [True, False], ids=["hand seen", "layout alone"])
def test_a_due_that_was_seen_to_be_placed_is_certain(by_hand: bool) -> None:
    # 78(a), 84(a)
    script, events = due()
    hand = put(script, "white_1", (50.0, 0.0))
    events += [hand] if by_hand else []
    judged = judged_by(Referee(board_table(), game="carrom"), [*events, script.stroke("black_2")])
    assert [s.verdict for s in judged] == ["certain"] * 3


def test_a_due_that_nobody_placed_is_asked_about_and_may_be_forgone() -> None:
    # 79, 80, 83, 87(a)
    script, events = due()
    referee = Referee(board_table(), game="carrom")
    asked = judged_by(referee, [*events, script.stroke("black_2")])[2]
    assert asked.verdict == "call"
    assert asked.question == "Were the C/m that are due placed before this stroke?"
    for said, white in (("forgone", 8), ("no space", 8), ("yes", 9)):
        referee.correct(Correction(asked.entry, answers=(("due_placed", said),)), "Bo")
        judged = referee.match.strokes[2]
        assert judged.verdict == "certain"
        assert judged.state_after.men[0].on_board == white  # type: ignore[attr-defined]
        owed = judged.state_after.men[0].outstanding  # type: ignore[attr-defined]
        assert owed == (said == "no space")


def test_of_two_c_m_to_be_taken_out_one_placed_leaves_a_question() -> None:
    # 73: the C/m pocketed with the striker comes out beside the due
    script = carrom()
    events: list[TrackerEvent] = [script.stroke("white_1", ("white_1", "TL"))]
    script.places["striker"] = (20.0, LINE)
    events.append(script.stroke("white_2", ("white_2", "TL"), ("striker", "TR")))
    script.places["striker"] = (0.0, LINE)
    events.append(put(script, "white_1", (50.0, 0.0)))
    both = [*events, put(script, "white_2", (0.0, 50.0)), script.stroke("black_2")]
    judged = judged_by(Referee(board_table(), game="carrom"), both)
    assert judged[2].verdict == "certain"
    del script.places["white_2"]
    judged = judged_by(Referee(board_table(), game="carrom"), [*events, script.stroke("black_2")])
    assert judged[2].verdict == "call"


@pytest.mark.parametrize(
    ("place", "clause"), [((150.0, 0.0), "85"), ((10.0, 0.0), "89(b)")], ids=["outside", "on the centre"]
)
def test_a_due_put_outside_the_circle_or_on_the_centre_is_asked_about(place: Place, clause: str) -> None:
    # 85, 89(b): a foul by who places, technical before his first stroke (63(a))
    script, events = due()
    events.append(put(script, "white_1", place))
    referee = Referee(board_table(), game="carrom")
    asked = judged_by(referee, [*events, script.stroke("black_2", ("black_2", "TL"))])[2]
    assert asked.verdict == "call"
    assert (
        asked.question == "Were the C/m that are due placed inside the outer circle, off the centre circle?"
    )
    referee.correct(Correction(asked.entry, answers=(("due_inside", "no"),)), "Bo")
    judged = referee.match.strokes[2]
    state = judged.state_after  # type: ignore[attr-defined]
    assert judged.verdict == "certain" and judged.next_striker == "B"
    assert state.men[1].on_board + state.men[1].outstanding == 9, clause  # B's own C/m comes out again


@pytest.mark.parametrize(("hidden", "verdict"), [(None, "certain"), ("white_2", "call"), ("black_2", "call")])
def test_no_board_is_over_for_certain_while_a_man_lies_that_was_counted_nowhere(
    hidden: str | None, verdict: str
) -> None:
    """A C/m that lay under another's hand when the recording began is on the board after all."""
    places = {"striker": (20.0, LINE), "white_1": (100.0, 50.0), "black_1": (-100.0, 80.0)}
    script = GameScript("carrom", board_table(), places)
    moves = {} if hidden is None else {hidden: (150.0, -60.0)}
    referee = Referee(board_table(), Start("A", "white", (0, 0), assumed=False), game="carrom")
    (asked,) = judged_by(referee, [script.stroke("white_1", ("white_1", "TL"), moves=moves)])
    assert asked.verdict == "call", "who covered the Queen that is gone nobody said"
    answer = Correction(asked.entry, answers=(("queen", "A"),))
    judged = asked if hidden else referee.correct(answer, "Bo").strokes[0]
    assert judged.rack_over  # type: ignore[attr-defined]
    assert judged.verdict == verdict
