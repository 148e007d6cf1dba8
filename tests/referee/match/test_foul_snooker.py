"""A ball nominated out of a foul snooker (WEPF Q): by a call, an answer, a correction; where none can be."""

from __future__ import annotations

from typing import cast

import pytest

from calibration.table.specs import BRITISH_POOL_TABLE
from calibration.texts import load_texts
from referee.facts.calls import Call, ChoiceCall, ShotCall, Start
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.match.answers import facts_of_labels
from referee.match.changes import history
from referee.match.open_calls import calls_before, calls_now
from referee.match.questions import question_text, texts_of
from referee.match.referee import Referee
from referee.outputs.document import Match
from referee.outputs.words import Say, facts_words
from tests.support.game_script import GameScript, Place

TABLE = BRITISH_POOL_TABLE
D = TABLE.ball_diameter_mm
HIDDEN: dict[
    str, Place
] = {  # the yellow lies right behind the red, seen from where the cue-ball comes to rest
    "cue": (0.0, 500.0),
    "red_1": (0.0, 900.0),
    "yellow_1": (0.0, 900.0 + 1.5 * D),
    "red_2": (-250.0, 1200.0),
    "black": (250.0, 1300.0),
}
OPEN = HIDDEN | {"yellow_1": (200.0, 800.0)}
SECOND = 10.5


def played(
    *calls: Call, places: dict[str, Place] = HIDDEN, first: str = "red_1", potted: bool = False
) -> tuple[Referee, JudgedStroke]:
    """A, on reds, plays at the black, a foul; B, on yellows, meets `first`, and pots it if `potted`."""
    script = GameScript("wepf", TABLE, {**places, "cue": (100.0, 300.0)})
    foul = script.stroke("black", rails=["black"], moves={"cue": places["cue"]})
    pots = [(first, "TL")] if potted else []
    shot = script.stroke(first, *pots, rails=[] if potted else [first], sure=1.0)  # type: ignore[arg-type]
    referee = Referee(TABLE, Start("A", "red", (0, 0), assumed=False), calls=calls, game="wepf")
    for event in (foul, shot):
        referee.feed(event)
    referee.close()
    first_stroke, second = referee.match.strokes
    assert first_stroke.foul is not None and first_stroke.next_striker == "B"
    return referee, second


def ruled(stroke: JudgedStroke) -> tuple[str, str | None]:
    return stroke.verdict, stroke.foul.clause if stroke.foul else None


def test_a_ball_of_the_opponents_that_was_nominated_may_be_played() -> None:
    # Q(4)(a)(ii): it becomes one of his own for the first shot
    _, shot = played(ShotCall(SECOND, "B", "red"))
    assert ruled(shot) == ("certain", None)


def test_the_nominated_ball_potted_keeps_the_first_visit() -> None:
    # Q(4)(a)(ii): "the player continues with the first visit"
    _, shot = played(ShotCall(SECOND, "B", "red"), potted=True)
    assert (*ruled(shot), shot.next_striker) == ("certain", None, "B")


def test_a_ball_of_the_opponents_that_falls_behind_one_of_his_own_is_asked_about() -> None:
    # Q(4)(a)(ii): he may meet his own first and pot the nominated one
    script = GameScript("wepf", TABLE, {**HIDDEN, "cue": (100.0, 300.0)})
    referee = Referee(TABLE, Start("A", "red", (0, 0), assumed=False), game="wepf")
    referee.feed(script.stroke("black", rails=["black"], moves={"cue": HIDDEN["cue"]}))
    referee.feed(script.stroke("yellow_1", ("red_2", "TL"), rails=[], sure=1.0))
    referee.close()
    shot = referee.match.strokes[1]
    assert ruled(shot)[0] == "call" and shot.question == "Did B nominate a ball out of a foul snooker?"
    told = referee.correct(Correction(shot.entry, nominated="red"), "Rea").strokes[1]
    assert ruled(told) == ("certain", None)


def nominated_red(met: str, fell: str) -> tuple[Referee, JudgedStroke]:
    """B, who nominated a red out of a foul snooker, meets a ball and pots one."""
    script = GameScript("wepf", TABLE, {**HIDDEN, "cue": (100.0, 300.0)})
    call = ShotCall(SECOND, "B", "red")
    referee = Referee(TABLE, Start("A", "red", (0, 0), assumed=False), calls=[call], game="wepf")
    referee.feed(script.stroke("black", rails=["black"], moves={"cue": HIDDEN["cue"]}))
    referee.feed(script.stroke(met, (fell, "TL"), rails=[], sure=1.0))
    referee.close()
    return referee, referee.match.strokes[1]


@pytest.mark.parametrize(
    ("met", "fell", "clause"),
    [("red_1", "red_1", None), ("red_1", "red_2", "K(3)"), ("yellow_1", "red_2", None)],
)
def test_one_red_is_nominated_and_no_other_may_be_potted(met: str, fell: str, clause: str | None) -> None:
    # Q(4)(a)(i): "any one of the opponent's Colour"; whichever red was meant, the other one was met or potted
    _, shot = nominated_red(met, fell)
    assert ruled(shot) == ("certain", clause)


def test_a_person_says_that_the_red_met_first_fell_after_all() -> None:
    referee, shot = nominated_red("red_1", "red_2")
    said = Correction(shot.entry, answers=(("met_fell", "yes"),))
    assert ruled(referee.correct(said, "Rea").strokes[1]) == ("certain", None)
    (change,) = history(referee.journal)
    assert "the ball met first fell" in change.words


def test_the_eight_ball_nominated_and_potted_loses_the_frame() -> None:
    # Q(5)
    _, shot = played(ShotCall(SECOND, "B", "black"), first="black", potted=True)
    assert ruled(shot) == ("certain", "N(2)")


def test_another_ball_than_the_nominated_one_is_a_foul() -> None:
    _, shot = played(ShotCall(SECOND, "B", "black"))
    assert ruled(shot) == ("certain", "K(4)")


@pytest.mark.parametrize(("answer", "clause"), [("red", None), ("none", "K(4)")])
def test_whether_a_ball_was_nominated_is_asked_where_nobody_says_it(answer: str, clause: str | None) -> None:
    referee, shot = played()
    assert ruled(shot)[0] == "call" and shot.question == "Did B nominate a ball out of a foul snooker?"
    assert "Foul-Snooker" in question_text(shot.asked, texts_of("wepf", load_texts("de")))
    (chosen,) = [c for c in shot.candidates if ("foul_snooker", answer) in c.facts]
    match = cast("Match", {"players": ["A", "B"]})
    said = facts_words(match, dict(chosen.facts), Say(texts_of("wepf")))
    assert said == ("red nominated out of a foul snooker" if answer == "red" else "no ball nominated")
    german = facts_words(match, dict(chosen.facts), Say(texts_of("wepf", load_texts("de"))))
    assert german == ("Rot aus dem Foul-Snooker angesagt" if answer == "red" else "kein Ball angesagt")
    told = referee.correct(Correction(shot.entry, **facts_of_labels(dict(chosen.facts))), "Rea").strokes[1]
    assert ruled(told) == ("certain", clause)
    (change,) = history(referee.journal)
    assert "nominated out of a foul snooker" in change.words
    assert calls_before(referee, 2)[0].kinds == ()  # the answer counts


def test_a_correction_says_what_was_nominated() -> None:
    referee, shot = played()
    told = referee.correct(Correction(shot.entry, nominated="red"), "Rea").strokes[1]
    assert ruled(told) == ("certain", None)


def test_a_player_who_sees_both_sides_of_a_ball_of_his_own_is_not_snookered() -> None:
    # P(1); nothing is asked, and a nomination is refused
    _, shot = played(places=OPEN)
    assert ruled(shot) == ("certain", "K(4)")
    referee, shot = played(ShotCall(SECOND, "B", "red"), places=OPEN)
    assert ruled(shot) == ("certain", "K(4)")
    (warned,) = [w for w in referee.match.warnings if w.type == "call_refused"]
    assert warned.text == "B called the red, which cannot be called before this stroke"


def test_a_person_who_says_what_was_nominated_knows_better_than_what_was_measured() -> None:
    referee, shot = played(places=OPEN)
    told = referee.correct(Correction(shot.entry, nominated="red"), "Rea").strokes[1]
    assert ruled(told) == ("certain", None)


def test_a_nomination_is_open_after_a_foul_shot_alone_and_for_its_first_shot() -> None:
    referee, _ = played(ShotCall(SECOND, "B", "red"), potted=True)
    assert calls_before(referee, 1)[0].kinds == ()
    assert calls_before(referee, 2)[0].balls == ("red", "black")
    position = referee.standing[0]
    layout = referee.match.strokes[-1].seen.after
    assert calls_now(referee, position, layout)[0].kinds == ()  # still the first visit, not its first shot


def test_the_player_who_asks_for_a_foul_snooker_may_take_the_cue_ball_to_baulk() -> None:
    # Q(3)(b)
    choice = ChoiceCall(SECOND, "B", "play_from_baulk")
    referee, _ = played(choice, places={**HIDDEN, "cue": (0.0, 200.0)}, first="yellow_1")
    assert [w.text for w in referee.match.warnings if w.type == "choice_refused"] == []
