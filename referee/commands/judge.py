"""`cueref judge`: score a match from typed or exported facts, with no camera."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from calibration.texts import said, sentence
from referee.match.declared import RuledFact, setup_of
from referee.match.declared import judge as ruled_facts
from referee.match.declared_facts import read_facts
from referee.outputs.games.words import line_words, result_words

Facts = Annotated[Path, typer.Argument(metavar="FACTS.jsonl", help=sentence("help.facts"))]
Game = Annotated[str, typer.Option("--game", metavar="GAME", help=sentence("help.judge_game"))]
Json = Annotated[bool, typer.Option("--json", help=sentence("help.judge_json"))]


EXAMPLES = ("cueref judge facts.jsonl --game wpa_9ball",)
HELP_VALUES = {"first": '{"type": "start", "players": ["Ann", "Bo"], "match": {"race_to": 5}}'}


def judge(facts: Facts, game: Game, as_json: Json = False) -> None:
    """Rule on facts typed by hand or exported, and keep the score; exit 2 names the line that cannot be."""
    file = read_facts(facts)
    setup = setup_of(file, game)
    rulings: list[RuledFact] = []
    for ruled in ruled_facts(file, setup):
        rulings.append(ruled)
        typer.echo(
            json.dumps(_record(ruled), ensure_ascii=False) if as_json else said(line_words(setup, ruled))
        )
    if not as_json and rulings:
        typer.echo(said(result_words(setup, rulings)))


def _record(ruled: RuledFact) -> dict[str, Any]:
    return {
        "line": ruled.line,
        "rack": ruled.rack,
        "by": ruled.by,
        **ruled.values,
        "racks": list(ruled.match.racks),
        "match_winner": ruled.match.winner,
    }
