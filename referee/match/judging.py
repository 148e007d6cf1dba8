"""Scores a match from typed or exported facts, with no camera: what `cueref judge` does.

Facts are lines of JSON in the vocabulary of the rule cases (`stroke`/`shot`, `event`, `choice`, `referee`,
`query`); the games' case adapters play them. A line `{"type": "start", ...}` sets the state before a rack
(frame, board, game); without one each rack begins fresh. The first start may also carry `players` (two
names), `match` (`race_to` or `best_of`, `break`: alternate, winner, loser), `first` (who begins) and
`options`. Racks after the first follow by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from referee.cases import vocabulary
from referee.cases.model import CaseError
from referee.cases.play import play
from referee.cases.registry import ADAPTERS
from referee.rules.common.match import Match, best_of, match_conceded, new_match, rack_won
from referee.rules.common.pool import FactsError, Side, check_side

GAMES = (
    "snooker",
    "six_red",
    "english_billiards",
    "wpa_8ball",
    "wpa_9ball",
    "wpa_10ball",
    "wpa_14_1",
    "blackball",
    "wepf",
    "carrom",
)
_CHECKED_BY_ADAPTER = frozenset(g for g in GAMES if g.startswith("wpa_") or g in ("blackball", "wepf"))
STEP_TYPES = ("stroke", "shot", "event", "choice", "referee", "query", "break")
_SETTINGS = ("players", "match", "first", "options", "settings")
_MAX_BYTES = 64 * 1024 * 1024
_OVER = ("rack_over", "frame_over", "board_over", "game_over")
_WINNER = ("game_winner", "board_winner", "winner")


@dataclass(frozen=True, slots=True)
class Line:
    """One fact: its line number in the file and the decoded object (not to be written to)."""

    number: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Judged:
    """One ruled line: the values by the vocabulary's names, and the match after it; `start`: its rack's."""

    line: int
    rack: int
    by: str | None
    fact: Mapping[str, Any]
    fields: Mapping[str, Any]
    match: Match
    rack_over: bool
    winner: Side | None
    start: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Setup:
    """What the first start line says about the match."""

    game: str
    players: tuple[str, str] = ("A", "B")
    match: Match = field(default_factory=new_match)
    options: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)


def read_lines(path: Path) -> list[Line]:
    """The facts of a file. UnusableInput names the line of what is not a JSON object with a known type."""
    try:
        with path.open("rb") as file:  # a device or a pipe tells no size beforehand
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise UnusableInput(f"{path}: expected at most 64 MiB of facts, found more")
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise UnusableInput(f"{path}: expected a readable facts file, found {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnusableInput(f"{path}: expected UTF-8 text, found byte {error.start} that is not") from error
    lines = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            lines.append(Line(number, _decode(path, number, line)))
    if not lines:
        raise UnusableInput(f"{path}: expected one JSON object a line, found an empty file")
    return lines


def _decode(path: Path, number: int, line: str) -> Mapping[str, Any]:
    where = f"{path} line {number}"
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        raise UnusableInput(
            f"{where}: expected one JSON object, {error.msg} at column {error.colno}"
        ) from error
    except ValueError as error:
        raise UnusableInput(f"{where}: expected a fact, found a number of too many digits") from error
    except RecursionError as error:
        raise UnusableInput(f"{where}: expected a fact, found brackets nested too deep") from error
    if not isinstance(data, dict):
        raise UnusableInput(f"{where}: expected a JSON object, found {type(data).__name__}")
    if data.get("type") not in ("start", *STEP_TYPES):
        kinds = ", ".join(("start", *STEP_TYPES))
        raise UnusableInput(f"{where}: expected a type of {kinds}, found {data.get('type')!r}")
    return data


def setup(path: Path, game: str, lines: list[Line]) -> Setup:
    """Match settings of the first line, if it is a start. UnusableInput when they make no sense."""
    if game not in GAMES:
        raise UnusableInput(f"--game: expected one of {', '.join(GAMES)}, found {game!r}")
    for line in lines:
        _check_names(path, game, line)
    first = lines[0]
    if first.data["type"] != "start":
        return Setup(game)
    data = first.data
    try:
        names = data.get("players", ["A", "B"])
        if not isinstance(names, list) or len(names) != 2 or not all(isinstance(n, str) and n for n in names):
            raise FactsError(f"players must be two names, got {names!r}")
        begins = check_side(data.get("first", _beginner(data)), "first")
        match = _match(data.get("match") or {}, begins)
        options, settings = data.get("options") or {}, data.get("settings") or {}
        if not isinstance(options, dict) or not isinstance(settings, dict):
            raise FactsError("options and settings must be objects")
    except (FactsError, TypeError) as error:
        raise UnusableInput(f"{path} line {first.number}: {error}") from error
    return Setup(game, (names[0], names[1]), match, options, settings)


def _check_names(path: Path, game: str, line: Line) -> None:
    """No field is ignored: names beyond the vocabulary's are only those that a pool game's adapter reads."""
    kind = str(line.data["type"])
    words = vocabulary.load()
    paths = [*words[game], *(words["snooker"] if game == "six_red" else ())]  # six-red is told as snooker is
    known = {p.split(".")[1].split("[")[0] for p in paths if p.startswith(f"{kind}.")}
    known |= {"type", "words", "note", *(_SETTINGS if kind == "start" else ("by",))}
    if game not in _CHECKED_BY_ADAPTER and (unknown := sorted(set(line.data) - known)):
        raise UnusableInput(f"{path} line {line.number}: expected fields of {game}, found {unknown[0]!r}")
    if "expect" in line.data:
        raise UnusableInput(
            f"{path} line {line.number}: expected a fact, found an expectation (`cueref cases`)"
        )


def _beginner(data: Mapping[str, Any]) -> Any:
    for key in ("striker", "shooter", "player", "striker_player"):
        if key in data:
            return "A" if str(data[key]).startswith("A") else "B"
    return "A"


def _match(said: Mapping[str, Any], begins: Side) -> Match:
    if not isinstance(said, Mapping):
        raise FactsError(f"match must be an object, got {said!r}")
    unknown = sorted(set(said) - {"race_to", "best_of", "break"})
    if unknown:
        raise FactsError(f"match has race_to or best_of and break, got {unknown[0]!r}")
    if "race_to" in said and "best_of" in said:
        raise FactsError("match has either race_to or best_of, got both")
    race = best_of(said["best_of"]) if "best_of" in said else said.get("race_to", 0)
    return new_match(race, said.get("break", "alternate"), begins)


def fresh_start(
    game: str, match: Match, settings: Mapping[str, Any], before: Mapping[str, Any]
) -> dict[str, Any]:
    """The start of the next rack, frame, game or board; `before`: the last values of the previous one."""
    return ADAPTERS[game].fresh_start(match, settings, before)


def judge(path: Path, given: Setup, lines: list[Line]) -> Iterator[Judged]:
    """Every fact ruled, in order. UnusableInput with file and line for a fact that cannot be."""
    match, rest, rack, before = given.match, list(lines), 1, dict[str, Any]()
    while rest:
        if match.over:
            number = rest[0].number
            raise UnusableInput(f"{path} line {number}: expected no more facts, the match is over")
        said = rest[0].number if rest[0].data["type"] == "start" else lines[0].number
        start, rest = _start_of(path, given, match, rest, before)
        _check_start(path, said, given, start)
        if not rest:
            return
        chunk = rest[: next((i for i, n in enumerate(rest) if n.data["type"] == "start"), len(rest))]
        results, problem = _play_rack(given, start, chunk)
        for line, fields in zip(chunk, results, strict=False):
            over = any(fields.get(key) for key in _OVER)
            winner = _winner(fields) if over else None
            match = _after(path, line, match, given.game, fields, over, winner)
            by = line.data.get("by")
            yield Judged(
                line.number,
                rack,
                by if isinstance(by, str) else None,
                line.data,
                fields,
                match,
                over,
                winner,
                start,
            )
        if problem is not None:
            raise UnusableInput(f"{path} line {chunk[len(results)].number}: {problem}")
        before = {**results[-1], "board_no": start.get("board_no", 1)}
        rest = rest[len(results) :]
        rack += 1


def _check_start(path: Path, number: int, given: Setup, start: Mapping[str, Any]) -> None:
    """A start that cannot be is the fault of its own line, not of the first fact after it."""
    try:
        _play(given, start, [])
    except (CaseError, ValueError) as error:
        raise UnusableInput(f"{path} line {number}: {error}") from error


def _start_of(
    path: Path, given: Setup, match: Match, rest: list[Line], before: Mapping[str, Any]
) -> tuple[dict[str, Any], list[Line]]:
    if rest[0].data["type"] == "start":
        own = {k: v for k, v in rest[0].data.items() if k not in (*_SETTINGS, "type")}
        rest = rest[1:]
        if own:
            return own, rest
    try:
        return fresh_start(given.game, match, given.settings, before), rest
    except (CaseError, ValueError) as error:
        raise UnusableInput(f"{path} line 1: {error}") from error


def _play_rack(
    given: Setup, start: Mapping[str, Any], chunk: list[Line]
) -> tuple[list[dict[str, Any]], str | None]:
    """Values of the lines up to the one that ends the rack, and what is wrong with the line after them.

    An engine refuses what comes after the end of a rack, so when the whole chunk cannot be played the
    longest playable beginning is found by halving; None: nothing is wrong.
    """
    message: str | None = None
    try:
        results = _play(given, start, chunk)
    except (CaseError, ValueError) as error:
        good, bad, message, results = 0, len(chunk), str(error), []
        while bad - good > 1:
            middle = (good + bad) // 2
            try:
                results, good = _play(given, start, chunk[:middle]), middle
            except (CaseError, ValueError) as inner:
                bad, message = middle, str(inner)
    end = next((i for i, r in enumerate(results) if any(r.get(key) for key in _OVER)), None)
    return (results, message) if end is None else (results[: end + 1], None)


def _play(given: Setup, start: Mapping[str, Any], chunk: list[Line]) -> list[dict[str, Any]]:
    return play(
        {
            "game": given.game,
            "start": start,
            "options": given.options,
            "steps": [line.data for line in chunk],
        }
    )


def _winner(fields: Mapping[str, Any]) -> Side | None:
    for key in _WINNER:
        if fields.get(key) in ("A", "B"):
            return "A" if fields[key] == "A" else "B"
    return None


def _after(
    path: Path,
    line: Line,
    match: Match,
    game: str,
    fields: Mapping[str, Any],
    over: bool,
    winner: Side | None,
) -> Match:
    """The match after a line: carrom counts games, the others what the engine calls over."""
    lost = fields.get("match_lost_by")
    try:
        if lost in ("A", "B"):
            return match_conceded(match, lost)
        if game == "carrom" and not fields.get("game_over"):
            return match  # a board counts within its game only
        return rack_won(match, winner) if over and winner is not None else match
    except FactsError as error:
        raise UnusableInput(f"{path} line {line.number}: {error}") from error
