"""A cue-ball whose way leads over a ball that stays may have jumped: a foul, except in pool (WPA 8.16)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from calibration.table.specs import BRITISH_POOL_TABLE, SNOOKER_TABLE, WPA_TABLE, TableSpec
from referee.facts.corrections import Correction
from referee.journal import Journal
from referee.match.answers import facts_of_labels
from referee.match.games.fold import EYES
from referee.match.referee import Referee
from referee.match.snooker.adjudication import THINGS
from tests.support.game_script import GameScript, spread
from tests.support.script import Scene
from tracker.events import SpanExplanation, StrokeRecord

GAMES = [
    ("blackball", BRITISH_POOL_TABLE, "red_1", "5.13.3"),
    ("wepf", BRITISH_POOL_TABLE, "red_1", "K(22)"),
    ("english_billiards", SNOOKER_TABLE, "red", "3.14(g)"),
]
BALLS = {"english_billiards": ["yellow", "red"], "wpa_9ball": ["1", "2", "9"]}


def over(stroke: StrokeRecord, ball: str, weight: float = 0.9999) -> StrokeRecord:
    """The stroke with the cue-ball's way over a ball in explanations of that weight."""
    first = stroke.first_contact[0].ball
    plain = SpanExplanation(1.0, first, True, stroke.start_s + 0.5, (), "on_table", (), ())
    jump = replace(plain, weight=weight, over=(ball,))
    return replace(stroke, explanations=(jump, replace(plain, weight=1.0 - weight)))


def shot(game: str, table: TableSpec, first: str) -> tuple[GameScript, StrokeRecord]:
    balls = BALLS.get(game, ["red_1", "red_2", "yellow_1", "yellow_2", "black"])
    cue = "white" if game == "english_billiards" else "cue"
    places = spread(table, balls) | {cue: (0.0, 300.0)}
    script = GameScript(game, table, places)
    return script, script.stroke(first, rails=[first], cue=cue)


@pytest.mark.parametrize(("said", "foul"), [(0, "snooker 3.12(a)(ix)"), (1, None)])
def test_snooker_asks_whether_it_jumped(tmp_path: Path, said: int, foul: str | None) -> None:
    """2.20: passing over any part of an object ball, but one that it has struck first."""
    s = Scene()
    with Journal(tmp_path / "journal.sqlite") as journal:
        referee = Referee(SNOOKER_TABLE, journal=journal)
        referee.feed(over(s.stroke("red_1"), "red_2"))
        referee.close()
        (asked,) = referee.match.strokes
        assert (asked.verdict, asked.question) == ("call", "Did the cue-ball jump over the ball in its way?")
        answers = sorted(asked.candidates, key=lambda c: dict(c.facts)["jumped"] == "no")
        fix = Correction(asked.entry, **facts_of_labels(dict(answers[said].facts)))
        (ruled,) = referee.correct(fix, "Ann").strokes
        assert ruled.verdict == "certain"
        assert (ruled.foul.clause if ruled.foul else None) == foul


@pytest.mark.parametrize(("game", "table", "first", "clause"), GAMES)
def test_the_games_in_which_it_is_a_foul_ask(game: str, table: TableSpec, first: str, clause: str) -> None:
    _, stroke = shot(game, table, first)
    referee = Referee(table, game=game)
    referee.feed(over(stroke, "yellow" if game == "english_billiards" else "yellow_2"))
    referee.close()
    (asked,) = referee.match.strokes
    assert any("jumped" in dict((*c.facts, *c.also)) for c in asked.candidates)
    fouls = [c.foul.clause for c in (*asked.candidates, *asked.candidates[0].otherwise) if c.foul]
    assert clause in fouls


def test_pool_allows_it() -> None:
    _, stroke = shot("wpa_9ball", WPA_TABLE, "1")
    told = []
    for record in (stroke, over(stroke, "2")):
        referee = Referee(WPA_TABLE, game="wpa_9ball")
        referee.feed(record)
        referee.close()
        told.append(referee.match.strokes[0])
    assert told[0].verdict == told[1].verdict and told[0].foul == told[1].foul


def test_a_way_that_hardly_leads_over_a_ball_asks_nothing() -> None:
    s = Scene()
    referee = Referee(SNOOKER_TABLE)
    referee.feed(over(s.stroke("red_1"), "red_2", weight=0.001))
    referee.close()
    assert referee.match.strokes[0].verdict == "certain"


@pytest.mark.parametrize("thing", sorted({*THINGS, *(t for eyes in EYES.values() for t in eyes.order)}))
def test_every_thing_that_is_asked_can_be_answered(thing: str) -> None:
    """ "Behind the head string?" and "the cue-ball at a cushion?" had answers that settled nothing."""
    value = "A" if thing == "striker" else "a miss" if thing == "attempt" else "yes"
    assert facts_of_labels({thing: value})
