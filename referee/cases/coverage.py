"""Which clauses of a game's census are implemented, with the cases that show each; see `runner`."""

from __future__ import annotations

import importlib.resources
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from referee.cases import vocabulary
from referee.cases.registry import CLAUSES


@dataclass(frozen=True, slots=True)
class ClauseCoverage:
    """One clause: `where` it is implemented, or None and the `reason` why not; `cases` that cite it."""

    clause: str
    category: str
    summary: str
    where: str | None
    reason: str | None
    cases: tuple[str, ...]


def census(name: str) -> list[dict[str, Any]]:
    """The clauses of one census file (`snooker`, `wpa_general`, ...)."""
    text = importlib.resources.files("referee.cases").joinpath(f"clauses/{name}.json").read_text("utf-8")
    clauses: list[dict[str, Any]] = json.loads(text)["clauses"]
    return clauses


def coverage(game: str, case_files: Iterable[Path] = ()) -> list[ClauseCoverage]:
    """Every clause of the game's censuses. Raises `UnusableInput` for a game without rules."""
    if game not in vocabulary.load():
        raise UnusableInput(f"--coverage: expected one of {', '.join(vocabulary.load())}, found {game!r}")
    declared = CLAUSES.get(game)
    if declared is None:
        raise UnusableInput(f"--coverage: expected a game with rules built in, found {game!r}")
    cited = _citations(case_files)
    out = []
    for name in declared.CENSUSES:
        for clause in census(name):
            out.append(_one(clause, declared.IMPLEMENTED, declared.NOT_IMPLEMENTED, cited))
    return out


def _one(
    clause: Mapping[str, Any],
    implemented: Mapping[str, str],
    missing: Mapping[str, str],
    cited: Mapping[str, tuple[str, ...]],
) -> ClauseCoverage:
    name = str(clause["id"])
    where = implemented.get(name)
    reason = None if where is not None else missing.get(name, "not declared by the game's rules")
    own = (name, str(clause["alt_id"])) if "alt_id" in clause else (name,)
    names = {*own, *(n.partition("(")[0] for n in own)}  # without letters it covers its children
    cases = tuple(sorted({case for n in names for case in cited.get(n, ())}))
    return ClauseCoverage(name, str(clause["category"]), str(clause["summary"]), where, reason, cases)


def _citations(case_files: Iterable[Path]) -> dict[str, tuple[str, ...]]:
    text = importlib.resources.files("referee.cases").joinpath("case_index.json").read_text("utf-8")
    cited: dict[str, tuple[str, ...]] = {k: tuple(v) for k, v in json.loads(text).items()}
    for clause, cases in index(case_files).items():
        cited[clause] = tuple(sorted({*cited.get(clause, ()), *cases}))
    return cited


def index(case_files: Iterable[Path]) -> dict[str, list[str]]:
    """Clause id -> ids of the cases that cite it; `case_index.json` holds this for `tests/cases`.

    Exact citations; that a clause without letters covers its children (cases/README.md) is `coverage`'s.
    """
    cited: dict[str, list[str]] = {}
    for path in case_files:
        for line in path.read_text("utf-8").split("\n"):
            if line.strip():
                case = json.loads(line)
                for clause in case.get("clauses", ()):
                    cited.setdefault(clause, []).append(case["id"])
    return {clause: sorted(set(ids)) for clause, ids in sorted(cited.items())}
