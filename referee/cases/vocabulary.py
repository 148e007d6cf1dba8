"""Which fields a case file may use, one table a game, and the check of a case against it.

The table is `vocabulary.json`, made from `tests/cases/VOCABULARY.md` by `parse` (a test keeps the two
equal). A path is written as there: `stroke.potted[].ball`; `[]` a list's element, `[numbers]` a list of
numbers, `<ball>` a ball's name. Two generalisations: what is listed for player A may be said of B, and
`start.balls.<ball>` takes any ball. The values printed there are examples: the check compares their kind
only (truth value, number or text), and the game's adapter refuses a value that the game does not have.
"""

from __future__ import annotations

import functools
import importlib.resources
import json
from collections.abc import Iterator, Mapping
from typing import Any

from calibration.table.games import GAMES, rules_of
from referee.cases.model import CaseError

STEP_TYPES = ("stroke", "shot", "event", "choice", "referee", "query", "break")
CASE_FIELDS = frozenset(
    ("id", "game", "title", "words", "clauses", "tag", "note", "status", "options", "start", "steps")
)  # and what begins with geometry_: how near a geometric case is to its limit
FREE_TEXT = frozenset(("words", "note", "note_start", "title", "source", "detail", "call", "then_skipped"))


def reads_in_full(game: str) -> bool:
    """Whether a game's adapter refuses fields that it does not read: here its expectations are checked."""
    return GAMES[game].family in ("pool", "british")


def parse(markdown: str) -> dict[str, dict[str, str]]:
    """The tables of VOCABULARY.md: game -> path -> the values as printed."""
    games: dict[str, dict[str, str]] = {}
    fields: dict[str, str] = {}
    for line in markdown.splitlines():
        if line.startswith("## "):
            fields = games.setdefault(line[3:].split(" ")[0], {})
        elif line.startswith("  ") and " : " in line:
            path, values = line.strip().split(" : ", 1)
            fields[path] = f"{fields[path]}, {values}" if path in fields else values
    return games


@functools.cache
def load() -> dict[str, dict[str, str]]:
    """The packaged table, of each game that has rules of its own."""
    text = importlib.resources.files("referee.cases").joinpath("vocabulary.json").read_text("utf-8")
    games: dict[str, dict[str, str]] = json.loads(text)
    return games


@functools.cache
def _folded(game: str) -> dict[str, str]:
    table: dict[str, str] = {}
    for path, values in listed(game):
        key = _fold(path)
        table[key] = f"{table[key]}, {values}" if key in table else values
    return table


def listed(game: str) -> Iterator[tuple[str, str]]:
    """A game's fields; six-red, "the usual rules" with more reds or fewer, may say all that snooker does."""
    yield from load()[rules_of(game)].items()
    if game == "six_red":
        yield from load()["snooker"].items()


@functools.lru_cache(maxsize=4096)
def _fold(path: str) -> str:
    head, *parts = path.split(".")
    out = [head]
    for i, part in enumerate(parts):
        name, bracket, rest = part.partition("[")
        if name in ("A", "B"):
            name = "<player>"
        elif i == 1 and parts[0] in ("balls", "end_positions"):
            name = "<ball>"
        out.append(name + bracket + rest)
    return ".".join(out)


def _flatten(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flatten(f"{path}.{key}", inner)
    elif isinstance(value, list):
        if not value:
            yield f"{path}[]", "(empty)"
        elif all(isinstance(v, int | float) and not isinstance(v, bool) for v in value):
            yield f"{path}[numbers]", value
        else:
            for inner in value:
                yield from _flatten(f"{path}[]", inner)
    else:
        yield path, value


def check(case: Mapping[str, Any]) -> None:
    """Raise `CaseError` when the case uses a field or a kind of value that its game's vocabulary lacks."""
    game = case.get("game")
    if not isinstance(game, str) or rules_of(game) not in load():
        raise CaseError(f"game must be one of {', '.join(load())}, got {game!r}")
    if unknown := sorted(f for f in set(case) - CASE_FIELDS if not f.startswith("geometry_")):
        raise CaseError(f"unknown field {unknown[0]!r}")
    for name, kind in (("start", dict), ("steps", list), ("id", str)):
        if not isinstance(case.get(name), kind):
            raise CaseError(f"field {name!r} must be a {kind.__name__}, got {case.get(name)!r}")
    _check_tree(game, "start", case["start"])
    for step in case["steps"]:
        _check_step(game, step)


def _check_step(game: str, step: Any) -> None:
    if not isinstance(step, Mapping) or step.get("type") not in STEP_TYPES:
        kind = step.get("type") if isinstance(step, Mapping) else step
        raise CaseError(f"a step's type must be one of {', '.join(STEP_TYPES)}, got {kind!r}")
    body = {k: v for k, v in step.items() if k not in ("type", "expect")}
    _check_tree(game, str(step["type"]), body)
    expect = step.get("expect", {})
    if not isinstance(expect, Mapping):
        raise CaseError(f"expect must be an object, got {expect!r}")
    for path, value in _flatten("expect", expect):
        _check_expected(game, path, value)


def _check_tree(game: str, head: str, tree: Any) -> None:
    if not isinstance(tree, Mapping):
        raise CaseError(f"{head} must be an object, got {tree!r}")
    if not reads_in_full(game):
        for path, value in _flatten(head, tree):
            _check_value(game, path, value)


def _check_expected(game: str, path: str, value: Any) -> None:
    """An expected name must be one that some game's cases use; whether it came is the comparison's."""
    if path.rsplit(".", 1)[-1] in FREE_TEXT:
        return
    key = _fold(path)
    if key in _folded(game):
        return
    if not any(key in _folded(g) or _known_otherwise(_folded(g), key, value) for g in load()):
        raise CaseError(f"unknown field {path!r} in {game}")


def _check_value(game: str, path: str, value: Any) -> None:
    table = _folded(game)
    key = _fold(path)
    if path.rsplit(".", 1)[-1] in FREE_TEXT:
        return
    if key not in table:
        if _known_otherwise(table, key, value):
            return
        raise CaseError(f"unknown field {path!r} in {game}")
    if value is None or value == "(empty)" or isinstance(value, list):
        return
    values = table[key]
    if isinstance(value, bool):
        fits = "True" in values or "False" in values
    elif isinstance(value, int | float):
        fits = "<number>" in values
    else:
        fits = any(word not in ("True", "False", "None", "<number>") for word in values.split(", "))
    if not fits:
        raise CaseError(f"field {path!r} must be like: {values}; got {value!r}")


def _known_otherwise(table: Mapping[str, str], key: str, value: Any) -> bool:
    """An empty list or a null where the vocabulary shows the filled form is the same field."""
    bare = key.removesuffix("[]").removesuffix("[numbers]")
    if value == "(empty)" or value is None:
        return any(k == bare or k.startswith((f"{bare}[", f"{bare}.")) for k in table)
    return False
