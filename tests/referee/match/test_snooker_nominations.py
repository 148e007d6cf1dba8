"""Nominations of snooker that count for nothing are told, and none is kept of a stroke that has none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from calibration.errors import UnusableInput
from calibration.table.games import PIECES
from calibration.table.specs import BRITISH_POOL_TABLE, SNOOKER_TABLE, WPA_TABLE, TableSpec
from calibration.texts import load_texts, phrase
from referee.facts.calls import BEFORE_A_STROKE, Call, FrameCall, Nomination, Start
from referee.facts.corrections import Correction
from referee.match import referee as referee_module
from referee.match.position import Settings
from referee.match.referee import Referee
from referee.match.snooker.nominations import own_nomination
from referee.rules.snooker import State
from referee.rules.snooker.facts import COLOURS
from tests.support.game_script import GameScript, spread, triangle
from tests.support.script import Scene

START = Start("A", "red", (0, 0), assumed=False)


def warned(make: Callable[[float, float], list[Call]], start: Start = START) -> tuple[Referee, list[str]]:
    """A pots a red and the pink, and misses. `make`: the calls, told when the second stroke begins and ends,
    on a colour.
    """
    scene = Scene()
    red, pink = scene.stroke("red_1", ["red_1"]), scene.stroke("pink", ["pink"])
    spotted, last = scene.hand("respot", "pink"), scene.stroke("red_2")
    referee = Referee(SNOOKER_TABLE, start, calls=make(pink.start_s, pink.end_s))
    for event in (red, pink, spotted, last):
        referee.feed(event)
    referee.close()
    return referee, [w.text for w in referee.match.warnings if w.type == "call_refused"]


@pytest.mark.parametrize(
    ("offset_s", "by", "ball", "why"),
    [
        (-1.0, "A", "pink", None),  # 2.12: a colour of choice
        (-1.0, "A", "red", "A called the red, which cannot be called before this stroke"),
        (-1e3, "A", "pink", "A called the pink, which cannot be called before this stroke"),  # on a red
        (5.0, "A", "pink", "A called the pink, which cannot be called before this stroke"),  # on a red again
    ],
)
def test_a_nomination_where_the_rules_have_none_is_told(
    offset_s: float, by: str, ball: str, why: str | None
) -> None:
    def calls(begins_s: float, ends_s: float) -> list[Call]:
        at = max(begins_s + offset_s, 0.0) if offset_s < 0 else ends_s + 0.5
        return [Nomination(at, by, ball)]

    referee, said = warned(calls)
    assert said == ([] if why is None else [why])
    assert [s.points for s in referee.match.strokes] == [1, 6, 0]
    if why is not None:
        german = phrase(why, load_texts("de"))
        assert german != why and "called" not in german


def test_a_free_ball_that_is_down_is_no_nomination() -> None:
    # 3.10: a ball that lies there; with the brown on, yellow and green are potted
    referee, _ = warned(lambda *_: [])
    seen = referee.match.strokes[1].seen
    state = State(reds=0, colours=COLOURS[2:], ball_on="brown", free_ball=True, started=True)
    for ball, counts in (("yellow", None), ("red", None), ("pink", "pink")):
        said = Settings(SNOOKER_TABLE, START, calls=(Nomination(seen.start_s, "A", ball),))
        assert own_nomination(seen.start_s - 1.0, seen, state, said) == counts


def test_one_of_two_nominations_by_the_other_player_is_told_the_last_is_asked_about() -> None:
    referee, said = warned(
        lambda begins_s, _: [Nomination(begins_s - 2.0, "B", "blue"), Nomination(begins_s - 1.0, "A", "pink")]
    )
    assert said == ["B called the blue and is not at the table"]
    assert {s.verdict for s in referee.match.strokes} == {"certain"}
    asked, said = warned(lambda begins_s, _: [Nomination(begins_s - 1.0, "B", "blue")])
    assert said == [] and asked.match.strokes[1].verdict == "call"


def test_a_nomination_in_practice_is_told() -> None:
    _, said = warned(
        lambda begins_s, _: [FrameCall(0.0, "practice"), Nomination(begins_s - 1.0, "A", "pink")]
    )
    assert said == ["A called the pink, which cannot be called before this stroke"]


def test_where_nobody_told_what_was_on_a_nomination_says_it() -> None:
    scene = Scene()
    first = scene.stroke("pink")
    referee = Referee(SNOOKER_TABLE, Start("A", None, (7, 0)), calls=[Nomination(0.5, "A", "pink")])
    referee.feed(first)
    referee.close()
    assert [w.text for w in referee.match.warnings if w.type == "call_refused"] == []


def test_nothing_is_kept_as_nominated_at_a_stroke_before_which_nothing_may_be() -> None:
    referee, _ = warned(lambda *_: [])
    red, colour, again = referee.match.strokes
    told = len(list(referee.journal.entries()))
    for stroke in (red, again):
        with pytest.raises(UnusableInput, match="before which a ball may be nominated"):
            referee.correct(Correction(stroke.entry, nominated="pink"), "Rea")
    assert len(list(referee.journal.entries())) == told
    kept = referee.correct(Correction(colour.entry, nominated="pink"), "Rea")
    assert kept.strokes[1].nominated == "pink"


@pytest.mark.parametrize(
    ("game", "table"), [("wpa_8ball", WPA_TABLE), ("wpa_10ball", WPA_TABLE), ("wepf", BRITISH_POOL_TABLE)]
)
def test_no_game_keeps_a_ball_nominated_on_its_break(game: str, table: TableSpec) -> None:
    # WPA 3.3(b), 9.3: no ball is called on the break; WEPF F has no nomination
    pieces = PIECES[game]
    balls = [b for b in pieces.kind_of if b != pieces.cue]
    script = GameScript(game, table, {"cue": (20.0, 300.0), **triangle(table, balls)})
    broken = script.stroke(balls[0], rails=balls[1:8], moves=spread(table, balls))
    referee = Referee(table, Start("A", None, (0, 0), assumed=False), game=game)
    referee.feed(broken)
    referee.close()
    (stroke,) = referee.match.strokes
    ball = pieces.object_balls[0]
    with pytest.raises(UnusableInput, match="before which a ball may be nominated"):
        referee.correct(Correction(stroke.entry, nominated=ball), "Rea")


def test_a_correction_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    referee, _ = warned(lambda *_: [])
    last = referee.match.strokes[-1]
    judged = []

    def counted(*args: object) -> object:
        judged.append(args[2])
        return step(*args)  # type: ignore[arg-type]

    step = referee_module.step
    monkeypatch.setattr(referee_module, "step", counted)
    told = referee.correct(Correction(last.entry, first_contact=("yellow",)), "Rea")
    assert judged == [last.entry] and told.strokes[-1].foul is not None


def test_calls_for_the_stroke_to_come_are_named_once() -> None:
    assert BEFORE_A_STROKE == ("nominate", "shot_call", "frozen", "touching")
