"""Calls of `--calls` that cannot be true of their stroke: each is told in one sentence, and counts for
nothing.
"""

from __future__ import annotations

from typing import Any

import pytest

from calibration.table.games import PIECES
from calibration.table.specs import WPA_TABLE
from calibration.texts import load_texts, phrase
from referee.facts.calls import Call, ChoiceCall, Frozen, ShotCall, Start
from referee.facts.judged import JudgedStroke
from referee.match.referee import Referee
from tests.support.game_script import GameScript, spread, triangle

RACKED = {"wpa_8ball": 15, "wpa_10ball": 10}


def played(game: str, *calls: tuple[float, Call]) -> tuple[tuple[JudgedStroke, ...], list[str]]:
    """The break that pots nothing, B's shot at the 1, A's at the 2. `calls`: strokes after which, and the
    call, whose time counts from then.
    """
    balls = [str(n) for n in range(1, RACKED[game] + 1)]
    script = GameScript(game, WPA_TABLE, {"cue": (20.0, 300.0), **triangle(WPA_TABLE, balls)})
    broken = script.stroke("1", rails=balls[1:8], moves=spread(WPA_TABLE, balls))
    events = [broken, script.stroke("1", rails=["1"]), script.stroke("1", rails=["2"])]
    start = Start("A", None, (0, 0), assumed=False)
    said = [c for _, c in calls]
    referee = Referee(WPA_TABLE, start, calls=said, game=game)
    for event in events:
        referee.feed(event)
    referee.close()
    refused = [w.text for w in referee.match.warnings if w.type in ("call_refused", "choice_refused")]
    return referee.match.strokes, refused


BEFORE, SECOND, THIRD = 0.5, 10.5, 20.5
TOO_SOON = "A called a safety, which cannot be called"


@pytest.mark.parametrize(
    ("game", "call", "why"),
    [
        ("wpa_10ball", ShotCall(SECOND, "B", push_out=True), None),  # WPA 9.4
        ("wpa_10ball", ShotCall(BEFORE, "A", push_out=True), "A called a push out, which cannot be called"),
        ("wpa_10ball", ShotCall(THIRD, "A", push_out=True), "A called a push out, which cannot be called"),
        ("wpa_10ball", ShotCall(SECOND, "A", push_out=True), "A called a push out and is not at the table"),
        ("wpa_10ball", ShotCall(SECOND, "A", safety=True), "A called a safety and is not at the table"),
        (
            "wpa_10ball",
            ShotCall(BEFORE, "A", safety=True),
            "A called a safety, which cannot be called",
        ),  # 9.3
        ("wpa_10ball", ShotCall(SECOND, "B", safety=True), None),  # 9.6
        ("wpa_10ball", ShotCall(SECOND, "B", "5", "TL"), None),  # 9.5: any ball
        ("wpa_8ball", ShotCall(BEFORE, "A", "1", "TL"), "A called the 1, which cannot be called"),  # 3.3(b)
        ("wpa_8ball", ShotCall(SECOND, "B", "8", "TL"), "B called the 8, which cannot be called"),  # 3.6
        ("wpa_8ball", ShotCall(SECOND, "B", "11", "TL"), None),
        ("wpa_10ball", ShotCall(12.0, "B", safety=True), "B called a safety while the balls were moving"),
        ("wpa_10ball", Frozen(12.0, "3"), "the 3 was declared frozen while the balls were moving"),
    ],
)
def test_what_is_called_at_the_wrong_time_or_by_the_other_player_is_told(
    game: str, call: Any, why: str | None
) -> None:
    _, refused = played(game, (0.0, call))
    assert len(refused) == (why is not None)
    if why is not None:
        assert refused[0].startswith(why)
        german = phrase(refused[0], load_texts("de"))
        assert german != refused[0] and "called" not in german


def test_a_refused_call_changes_nothing_and_a_call_that_counts_is_no_warning() -> None:
    plain, _ = played("wpa_10ball")
    wrong, _ = played("wpa_10ball", (0.0, ShotCall(SECOND, "A", safety=True)))
    assert [s.values for s in wrong] == [s.values for s in plain]  # type: ignore[attr-defined]


def test_a_ball_that_lies_nowhere_is_not_called() -> None:
    balls = [str(n) for n in range(2, 11)]  # the 1 is down
    script = GameScript("wpa_10ball", WPA_TABLE, {"cue": (0.0, 400.0), **spread(WPA_TABLE, balls)})
    call = ShotCall(0.5, "A", "1", "TL")
    referee = Referee(WPA_TABLE, Start("A", None, (0, 0), assumed=False), calls=(call,), game="wpa_10ball")
    referee.feed(script.stroke("2", rails=["2"]))
    referee.close()
    (warned,) = [w for w in referee.match.warnings if w.type == "call_refused"]
    assert warned.text == "A called the 1, which does not lie on the table"


def test_who_may_play_after_a_push_out_may_call_and_his_call_is_his_alone() -> None:
    """WPA 9.4: A plays or has B play; a safety of A is none of B's."""
    balls = [str(n) for n in range(1, 11)]
    script = GameScript("wpa_10ball", WPA_TABLE, {"cue": (20.0, 300.0), **triangle(WPA_TABLE, balls)})
    events = [
        script.stroke("1", rails=balls[1:8], moves=spread(WPA_TABLE, balls)),
        script.stroke("2"),
        script.stroke("1", ("1", "TL"), sure=1.0),
    ]
    start = Start("A", None, (0, 0), assumed=False)
    pushed, safety = ShotCall(SECOND, "B", push_out=True), ShotCall(THIRD, "A", safety=True)
    made = ChoiceCall(THIRD - 0.2, "A", "make_B_shoot")
    for said, refused in (((pushed, safety), 0), ((pushed, safety, made), 1)):
        referee = Referee(WPA_TABLE, start, calls=said, game="wpa_10ball")
        for event in events:
            referee.feed(event)
        referee.close()
        assert len([w for w in referee.match.warnings if w.type == "call_refused"]) == refused
    assert PIECES["wpa_10ball"].object_balls == tuple(balls)
