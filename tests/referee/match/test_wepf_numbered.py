"""WEPF eightball with solids and stripes (A(1)(a)): nominations name a ball, everything else a number."""

from __future__ import annotations

import pytest

from calibration.table.specs import BRITISH_POOL_TABLE
from referee.cases import play
from referee.facts.calls import Call, ShotCall, Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.open_calls import calls_before
from referee.match.referee import Referee
from referee.outputs.convert import stroke_json
from referee.rules.common.racks import rack
from tests.support.game_script import GameScript, Place, spread

GAME, TABLE = "wepf_numbered", BRITISH_POOL_TABLE
D = TABLE.ball_diameter_mm
NUMBERS = [str(n) for n in range(1, 16)]
HIDDEN: dict[str, Place] = {  # the 9 lies right behind the 3, seen from where the cue-ball comes to rest
    "cue": (0.0, 500.0),
    "3": (0.0, 900.0),
    "9": (0.0, 900.0 + 1.5 * D),
    "5": (-250.0, 1200.0),
    "8": (250.0, 1300.0),
}
SECOND = 10.5


def ruled(stroke: JudgedStroke) -> tuple[str, str | None]:
    return stroke.verdict, stroke.foul.clause if stroke.foul else None


def after_a_foul(
    first: str, fell: str | None, *calls: Call, places: dict[str, Place] = HIDDEN
) -> tuple[Referee, JudgedStroke]:
    """A, on solids, plays at the 8, a foul; B, on stripes, meets `first` and pots `fell`."""
    script = GameScript(GAME, TABLE, {**places, "cue": (100.0, 300.0)})
    foul = script.stroke("8", rails=["8"], moves={"cue": places["cue"]})
    shot = script.stroke(first, *([(fell, "TL")] if fell else []), rails=[] if fell else [first], sure=1.0)
    start = Start("A", "solids", (0, 0), assumed=False)
    referee = Referee(TABLE, start, calls=calls, game=GAME)
    for event in (foul, shot):
        referee.feed(event)
    referee.close()
    fouled, second = referee.match.strokes
    assert fouled.foul is not None and fouled.next_striker == "B"
    return referee, second


@pytest.mark.parametrize(
    ("met", "fell", "clause"),
    [("3", "3", None), ("3", None, None), ("3", "5", "K(3)"), ("9", "5", "K(3)"), ("9", "3", None)],
)
def test_one_solid_is_nominated_and_its_number_says_which(
    met: str, fell: str | None, clause: str | None
) -> None:
    """WEPF Q(4)(a)(i): any one of the opponent's; it becomes his own for the first shot, no other does."""
    _, shot = after_a_foul(met, fell, ShotCall(SECOND, "B", "3"))
    assert ruled(shot) == ("certain", clause)


def test_the_eight_nominated_and_potted_loses_the_frame() -> None:
    """WEPF Q(5)."""
    _, shot = after_a_foul("8", "8", ShotCall(SECOND, "B", "8"))
    assert ruled(shot) == ("certain", "N(2)")


def test_a_solid_that_nobody_nominated_is_asked_about_by_its_number() -> None:
    """WEPF Q(4): nobody heard a nomination."""
    referee, shot = after_a_foul("3", None)
    assert ruled(shot)[0] == "call" and shot.question == "Did B nominate a ball out of a foul snooker?"
    assert calls_before(referee, 2)[0].balls == ("3", "5", "8")
    told = referee.correct(Correction(shot.entry, nominated="3"), "Rea").strokes[1]
    assert ruled(told) == ("certain", None)


def test_without_a_snooker_nothing_is_nominated() -> None:
    referee, shot = after_a_foul("3", None, places=HIDDEN | {"9": (200.0, 800.0)})
    assert shot.foul is not None and calls_before(referee, 2)[0].balls == ()


@pytest.mark.parametrize("called", [None, "4", "12"])
def test_a_group_is_nominated_after_the_break_by_any_ball_of_it(called: str | None) -> None:
    """WEPF H: one of each group fell together."""
    placed = {b.ball: b.xy_mm for b in rack(GAME).balls}
    script = GameScript(GAME, TABLE, {"cue": (0.0, 200.0), **placed})
    left = {k: v for k, v in spread(TABLE, NUMBERS).items() if k not in ("1", "9")}
    events = [
        script.stroke("1", ("1", "TL"), ("9", "TR"), moves=left),
        script.stroke("4", ("4", "TR"), rails=["4"]),
        script.stroke("5", rails=["5"]),
    ]
    calls = () if called is None else (ShotCall(SECOND, "A", called),)
    referee = Referee(TABLE, calls=calls, game=GAME)
    for event in events:
        referee.feed(event)
    referee.close()
    _, second, third = referee.match.strokes
    if called is None:
        assert second.verdict == "call"
        assert second.question == "Which group did A nominate, that of which ball?"
        second, third = referee.correct(Correction(second.entry, nominated="4"), "Rea").strokes[1:]
    assert ruled(second) == ("certain", "K(3)" if called == "12" else None)
    if called != "12":
        assert ruled(third) == ("certain", None) and third.striker == "A"


def test_a_nominated_group_is_told_to_the_rules_and_said_in_its_own_words() -> None:
    """WEPF H: "nominate:solids" is the rules' reds."""
    start = {"player": "A", "open": True, "must_nominate": True, "broke_potted": ["solids", "stripes"]}
    at = play.begin(GAME, start, {})
    done = play.advance(GAME, at, {"type": "choice", "by": "A", "choice": "nominate:solids"}).position
    fact = {"type": "shot", "by": "A", "first_contact": ["3"], "potted": [{"ball": "3"}]}
    values = play.advance(GAME, done, fact).values
    assert values["foul"] is False and values["colours"] == {"A": "solids", "B": "stripes"}
    assert not {"red", "yellow"} & set(" ".join(values["call"]).lower().split())


def test_the_eight_ends_the_frame() -> None:
    """WEPF C(4): his own balls first, then the 8."""
    script = GameScript(GAME, TABLE, {"cue": (0.0, 300.0), **spread(TABLE, ["3", "8", "9"])})
    referee = Referee(TABLE, Start("A", "solids", (0, 0), assumed=False), game=GAME)
    referee.feed(script.stroke("3", ("3", "TL"), rails=["3"]))
    referee.feed(script.stroke("8", ("8", "TR"), rails=["8"]))
    referee.close()
    own, last = referee.match.strokes
    assert ruled(own) == ruled(last) == ("certain", None)
    assert referee.match.score == (1, 0)
    assert stroke_json(own)["ruling"]["on"] == "solids"
    assert stroke_json(own)["ruling"]["seen"] == "first 3; 3 pocketed TL"
