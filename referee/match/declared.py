"""Folds declared facts into a match of any game: fact -> the game's `apply` -> ruling -> racks and score.

    file = read_facts(path)
    setup = setup_of(file, game)
    for ruled in judge(file, setup): ...

The case adapter of each game (`referee.cases.model.CaseAdapter`) reads a fact and names its ruling. The first
start line may also carry `players` (two names), `match` (`race_to` or `best_of`, `break`: alternate, winner,
loser), `first` (who begins) and `options`. Racks after the first follow by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.texts import game_title, unusable_input
from referee.cases import play, vocabulary
from referee.cases.model import CaseError, Position
from referee.cases.registry import ADAPTERS
from referee.match.declared_facts import DeclaredFact, FactsFile
from referee.rules.common.match import Match, best_of, new_match
from referee.rules.common.pool import FactsError, Side, check_side

GAMES = tuple(ADAPTERS)
_SETTINGS = ("players", "match", "first", "options", "settings")
STRIKER_FIELDS = ("striker", "shooter", "player", "striker_player")
"""Names under which a start says who plays first, one for each family of games."""

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MatchSetup:
    """The game, and what the first start line says about the match."""

    game: str
    players: tuple[str, str] = ("A", "B")
    match: Match = field(default_factory=new_match)
    options: Values = field(default_factory=dict)
    settings: Values = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuledFact:
    """One fact after it was ruled.

    `line`: its number in the file. `values`: the ruling by the vocabulary's names. `match`: racks won after
    it. `start`: the start of its rack. `before`, `after`: the game's position around it.
    """

    line: int
    rack: int
    by: str | None
    fact: Values
    values: Values
    match: Match
    rack_over: bool
    winner: Side | None
    start: Values
    before: Position[Any, Any]
    after: Position[Any, Any]


def setup_of(file: FactsFile, game: str) -> MatchSetup:
    """Match settings of the first fact, if it is a start. UnusableInput when they make no sense."""
    if game not in GAMES:
        raise unusable_input("errors.game_expected_one_of_found", known=", ".join(GAMES), game=repr(game))
    for fact in file.facts:
        _check_names(file.path, game, fact)
    first = file.facts[0]
    if first.data["type"] != "start":
        return MatchSetup(game)
    data = first.data
    try:
        names = _players(data)
        match = _match(data.get("match") or {}, check_side(data.get("first", _beginner(data)), "first"))
        options, settings = data.get("options") or {}, data.get("settings") or {}
        if not (isinstance(options, dict) and isinstance(settings, dict)):
            raise FactsError("options and settings must be objects")
    except (FactsError, TypeError) as error:
        raise unusable_input("errors.line_not", path=file.path, number=first.number, error=error) from error
    return MatchSetup(game, names, match, options, settings)


def _players(data: Values) -> tuple[str, str]:
    """The players' names. Raises FactsError."""
    names = data.get("players", ["A", "B"])
    if not isinstance(names, list) or len(names) != 2 or not all(isinstance(n, str) and n for n in names):
        raise FactsError(f"players must be two names, got {names!r}")
    return names[0], names[1]


def _check_names(path: Path, game: str, fact: DeclaredFact) -> None:
    """Refuse a field that the game does not have, so that none is ignored (pool's adapters check too)."""
    kind = str(fact.data["type"])
    paths = (path for path, _ in vocabulary.listed(game) if path.startswith(f"{kind}."))
    known = {p.split(".")[1].split("[")[0] for p in paths}
    known |= {"type", "words", "note", *(_SETTINGS if kind == "start" else ("by",))}
    if not vocabulary.reads_in_full(game) and (unknown := sorted(set(fact.data) - known)):
        raise unusable_input(
            "errors.fields", path=path, number=fact.number, game=game_title(game), unknown=repr(unknown[0])
        )
    if "expect" in fact.data:
        raise unusable_input("errors.fact", path=path, number=fact.number)


def _beginner(data: Values) -> Side:
    said = next((str(data[key]) for key in STRIKER_FIELDS if key in data), "A")
    return "A" if said.startswith("A") else "B"


def _match(said: Values, begins: Side) -> Match:
    if not isinstance(said, Mapping):
        raise FactsError(f"match must be an object, got {said!r}")
    unknown = sorted(set(said) - {"race_to", "best_of", "break"})
    if unknown:
        raise FactsError(f"match has race_to or best_of and break, got {unknown[0]!r}")
    if "race_to" in said and "best_of" in said:
        raise FactsError("match has either race_to or best_of, got both")
    race = best_of(said["best_of"]) if "best_of" in said else said.get("race_to", 0)
    return new_match(race, said.get("break", "alternate"), begins)


def judge(file: FactsFile, setup: MatchSetup) -> Iterator[RuledFact]:
    """Every fact ruled, in order. UnusableInput with file and line for a fact that cannot be."""
    match, rest, rack, before = setup.match, file.facts, 1, dict[str, Any]()
    while rest:
        if match.over:
            raise _at(file, rest[0], "expected no more facts, the match is over")
        start_fact = rest[0] if rest[0].data["type"] == "start" else file.facts[0]
        start, rest = _start_of(file, setup, match, rest, before)
        position = _begin(file, setup, start, start_fact, rest)
        if not rest:
            return
        for ruled in _play_rack(file, setup, _Rack(rack, start, position, match), rest):
            match, rest = ruled.match, rest[1:]
            before = {**ruled.values, "board_no": start.get("board_no", 1)}
            yield ruled
        rack += 1


@dataclass(frozen=True, slots=True)
class _Rack:
    """A rack (frame, game, board) about to be played, and the match before it."""

    number: int
    start: Values
    position: Position[Any, Any]
    match: Match


def _play_rack(
    file: FactsFile, setup: MatchSetup, rack: _Rack, facts: Sequence[DeclaredFact]
) -> Iterator[RuledFact]:
    """The facts of one rack, up to the one that ends it or to the next start."""
    position, match = rack.position, rack.match
    for fact in facts:
        if fact.data["type"] == "start":
            return
        try:
            ruled = play.advance(setup.game, position, fact.data)
            match, over, winner = play.after_ruling(match, setup.game, ruled.values)
        except (CaseError, FactsError) as error:
            raise _at(file, fact, error) from error
        by = fact.data.get("by")
        yield RuledFact(
            line=fact.number,
            rack=rack.number,
            by=by if isinstance(by, str) else None,
            fact=fact.data,
            values=ruled.values,
            match=match,
            rack_over=over,
            winner=winner,
            start=rack.start,
            before=position,
            after=ruled.position,
        )
        if over:
            return
        position = ruled.position


def _start_of(
    file: FactsFile, setup: MatchSetup, match: Match, rest: tuple[DeclaredFact, ...], before: Values
) -> tuple[Values, tuple[DeclaredFact, ...]]:
    """The start of the next rack and the facts after it; `before`: the last values of the rack before."""
    if rest[0].data["type"] == "start":
        own = {k: v for k, v in rest[0].data.items() if k not in (*_SETTINGS, "type")}
        rest = rest[1:]
        if own:
            return own, rest
    try:
        return ADAPTERS[setup.game].fresh_start(match, setup.settings, before), rest
    except ValueError as error:  # CaseError and FactsError too
        raise unusable_input("errors.line_1", path=file.path, error=error) from error


def _begin(
    file: FactsFile,
    setup: MatchSetup,
    start: Values,
    start_fact: DeclaredFact,
    rest: Sequence[DeclaredFact],
) -> Position[Any, Any]:
    """The position before a rack's first fact. A start that cannot be is the fault of its own line."""
    end = next((i for i, fact in enumerate(rest) if fact.data["type"] == "start"), len(rest))
    try:
        alone = play.begin(setup.game, start, setup.options)
    except CaseError as error:
        raise _at(file, start_fact, error) from error
    try:
        return play.begin(setup.game, start, setup.options, [fact.data for fact in rest[:end]])
    except CaseError:
        return alone  # a malformed fact is named when it is played


def _at(file: FactsFile, fact: DeclaredFact, problem: object) -> UnusableInput:
    return unusable_input("errors.line", path=file.path, number=fact.number, problem=problem)
