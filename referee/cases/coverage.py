"""Which clauses of a game's census are implemented: those that a passing case reaches.

A case reaches a clause when it cites the clause, every step comes out as expected and a step goes through
the game's `apply`. A query does not, so a case of queries alone reaches nothing, except where matches ask the
same function (`_ASKED_BY_MATCHES`). `case_index.json` holds this for `tests/cases`
(`tests/cases/make_index.py` writes it); `coverage.json` holds the reason for every other clause.
"""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.table.games import rules_of
from calibration.texts import unusable_input
from referee.cases import runner, vocabulary
from referee.cases.model import Case

_ASKED_BY_MATCHES = frozenset(
    (
        "starter_of_next_frame",  # snooker's next_starter: referee.match.snooker.frames
        "breaker",  # carrom's breaker: referee.cases.carrom.fresh_start, which begins every board
    )
)
"""Queries that are answered by the function which begins frames and boards of a match."""


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """One clause: `cases` that reach it; `where` the rules are that they reach, or the `reason` for none."""

    clause: str
    category: str
    summary: str
    where: str | None
    reason: str | None
    cases: tuple[str, ...]


def census(name: str) -> list[dict[str, Any]]:
    """The clauses of one census file (`snooker`, `wpa_general`, ...)."""
    clauses: list[dict[str, Any]] = _data(f"clauses/{name}.json")["clauses"]
    return clauses


def coverage(game: str, case_files: Iterable[Path] = ()) -> list[ClauseCoverage]:
    """Every clause of the game's censuses. Raises `UnusableInput` for a game without rules."""
    declared, game = _data("coverage.json"), rules_of(game)
    if game not in vocabulary.load() or game not in declared:
        raise unusable_input(
            "errors.coverage_expected_one_of_found", known=", ".join(vocabulary.load()), game=repr(game)
        )
    packaged, own = _data("case_index.json").get(game, {}), index(case_files).get(game, {})
    cited = {clause: {*packaged.get(clause, ()), *own.get(clause, ())} for clause in (*packaged, *own)}
    out = []
    for name in declared[game]["censuses"]:
        shared: Mapping[str, str] = declared.get(name, {}).get("not_implemented", {})
        reasons = {**shared, **declared[game]["not_implemented"]}
        out += [_one(clause, declared[game]["rules"], reasons, cited) for clause in census(name)]
    return out


def _one(
    clause: Mapping[str, Any], rules: str, reasons: Mapping[str, str], cited: Mapping[str, set[str]]
) -> ClauseCoverage:
    name = str(clause["id"])
    own = (name, str(clause["alt_id"])) if "alt_id" in clause else (name,)
    cases = tuple(sorted({case for n in own for case in cited.get(n, ())}))
    reason = None if cases else reasons.get(name, "no case reaches it")
    where = rules if cases else None
    return ClauseCoverage(name, str(clause["category"]), str(clause["summary"]), where, reason, cases)


def index(case_files: Iterable[Path]) -> dict[str, dict[str, list[str]]]:
    """Which cases of the files reach which clauses, by game; each case is run."""
    reached: dict[str, dict[str, set[str]]] = {}
    for path in case_files:
        for case in runner.load_file(path):
            if isinstance(case, Case) and _judges(case) and runner.run_case(case).outcome == "passed":
                for clause in case.data.get("clauses", ()):
                    reached.setdefault(case.game, {}).setdefault(clause, set()).add(case.id)
    return {
        game: {clause: sorted(ids) for clause, ids in sorted(clauses.items())}
        for game, clauses in sorted(reached.items())
    }


def _judges(case: Case) -> bool:
    """Whether a step is judged as a match would judge it."""
    return any(s["type"] != "query" or s.get("query") in _ASKED_BY_MATCHES for s in case.data["steps"])


def _data(name: str) -> Any:
    return json.loads(importlib.resources.files("referee.cases").joinpath(name).read_text("utf-8"))
