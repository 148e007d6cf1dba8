"""A match refereed from declared facts, without a camera: `judge`."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.match.declared import MatchSetup, RuledFact, setup_of
from referee.match.declared import judge as ruled_facts
from referee.match.declared_facts import FactsFile, facts_file, read_facts
from referee.outputs.games.words import line_words, result_words


@dataclass(frozen=True, slots=True)
class RuledLine:
    """One fact after it was ruled. `line`: its number from 1. `by`: A, B or None. `rack`: its frame.

    `ruling_json`: the ruling as JSON, by the names of the rule cases' vocabulary. `words`: one line to read.
    """

    line: int
    rack: int
    by: str | None
    ruling_json: str
    words: str

    @property
    def ruling(self) -> dict[str, Any]:
        """`ruling_json`, decoded anew at each call."""
        decoded: dict[str, Any] = json.loads(self.ruling_json)
        return decoded


@dataclass(frozen=True, slots=True)
class JudgedMatch:
    """Every fact ruled. `racks`: racks, frames or games won, A's first; `winner`: A, B or None while open."""

    game: str
    players: tuple[str, str]
    lines: tuple[RuledLine, ...]
    racks: tuple[int, int]
    winner: str | None
    words: str


def judge(facts: str | Path | Iterable[Mapping[str, Any]], game: str) -> JudgedMatch:
    """Rule on facts, of a file of JSON lines or given one by one, in any of ten games, and keep the score.

    Raises UnusableInput with the number of the line that cannot be.
    """
    file = read_facts(Path(facts)) if isinstance(facts, str | Path) else _given(facts)
    setup = setup_of(file, game)
    ruled = tuple(ruled_facts(file, setup))
    won = ruled[-1].match if ruled else setup.match
    return JudgedMatch(
        game,
        setup.players,
        tuple(_line(setup, r) for r in ruled),
        (won.racks[0], won.racks[1]),
        won.winner,
        result_words(setup, ruled) if ruled else "",
    )


def _given(facts: Iterable[Mapping[str, Any]]) -> FactsFile:
    data = "\n".join(json.dumps(dict(fact)) for fact in facts).encode()
    return facts_file(Path("facts"), data, hashlib.sha256(data).hexdigest())


def _line(setup: MatchSetup, ruled: RuledFact) -> RuledLine:
    ruling = json.dumps(dict(ruled.values), ensure_ascii=False)
    return RuledLine(ruled.line, ruled.rack, ruled.by, ruling, line_words(setup, ruled))
