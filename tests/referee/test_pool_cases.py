"""Rule cases of the pool games: the given ones and our own for every field and value of the vocabulary."""

from __future__ import annotations

import pathlib

import pytest

from referee.cases.coverage import coverage
from referee.cases.runner import run_files

CASES = pathlib.Path(__file__).resolve().parents[1] / "cases"
OWN = pathlib.Path(__file__).parent / "data" / "pool_cases.jsonl"
GAMES = ("wpa_8ball", "wpa_9ball", "wpa_10ball", "wpa_14_1", "blackball", "wepf")


@pytest.mark.parametrize("path", [*(CASES / f"{g}.jsonl" for g in GAMES), OWN], ids=lambda p: p.stem)
def test_firm_cases_pass(path: pathlib.Path) -> None:
    results = run_files([path])
    assert results
    bad = [(r.id, r.error or r.differences) for r in results if r.outcome in ("failed", "error")]
    assert bad == []


@pytest.mark.parametrize("game", GAMES)
def test_every_clause_is_declared_once(game: str) -> None:
    import importlib

    rows = coverage(game)
    module = importlib.import_module(f"referee.rules.{game}_clauses")
    names = {row.clause for row in rows}
    assert set(module.IMPLEMENTED) | set(module.NOT_IMPLEMENTED) == names
    assert not set(module.IMPLEMENTED) & set(module.NOT_IMPLEMENTED)
    assert not [row.clause for row in rows if row.where is None and not row.reason]


@pytest.mark.parametrize("game", GAMES)
def test_what_is_not_implemented_is_a_note_or_not_this_game(game: str) -> None:
    """V, S and R clauses are missing only where the game's own text takes them out."""
    missing = {row.clause for row in coverage(game) if row.where is None and row.category != "N"}
    assert missing <= {"wpa 1.5 nearest", "wpa 1.6", "wpa 6.2", "wpa 6.11", "wpa 6.11 second", "wpa 6.14",
                       "wpa 8.9", "wpa 8.17"}  # fmt: skip
