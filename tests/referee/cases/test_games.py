"""The ten games behind one protocol: every case goes through `apply`, and every state can be journalled."""

from __future__ import annotations

import json
import pathlib

import pytest

from calibration.table import games as table_games
from referee.cases.play import ruled_steps
from referee.cases.registry import ADAPTERS
from referee.journal.codec import canonical, decode, encode
from referee.match.fold import GAMES_FROM_VIDEO
from referee.outputs.games import SCORERS
from referee.rules.game import FactsError
from referee.rules.registry import GAMES

CASES = sorted((pathlib.Path(__file__).parents[2] / "cases").glob("*.jsonl"))


def test_every_game_has_rules_an_adapter_a_scorer_and_a_fold_of_its_name() -> None:
    names = list(table_games.GAMES)
    assert list(GAMES) == list(ADAPTERS) == list(SCORERS) == list(GAMES_FROM_VIDEO) == names
    assert all(ADAPTERS[name].GAME is GAMES[name] for name in names)


@pytest.mark.parametrize("name", GAMES)
def test_a_new_frame_takes_only_facts_of_its_game(name: str) -> None:
    game = GAMES[name]
    state = game.new_frame("B")
    assert isinstance(state, game.state_type)
    with pytest.raises(FactsError):
        game.apply(state, object())


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_the_steps_of_every_case_are_facts_of_its_game_and_their_states_survive_the_journal(
    path: pathlib.Path,
) -> None:
    steps = 0
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        game = GAMES[case["game"]]
        for step, ruled in zip(case["steps"], ruled_steps(case), strict=True):
            steps += 1
            assert bool(ruled.facts) != (step["type"] == "query")
            assert all(isinstance(fact, game.fact_types) for fact in ruled.facts)
            state = ruled.position.state
            data = json.loads(canonical(encode(state)))
            assert decode(game.state_type, data) == state
    assert steps > 0
