"""Every firm case of every game in this folder passes; none is unplayable."""

from __future__ import annotations

import json
import pathlib

import pytest

from referee.cases import coverage, vocabulary
from referee.cases.compare import same_clause
from referee.cases.play import play
from referee.cases.runner import run_files

HERE = pathlib.Path(__file__).resolve().parent
FILES = sorted(HERE.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_case_file(path: pathlib.Path) -> None:
    results = run_files([path])
    assert results
    assert [r.error for r in results if r.error] == []
    assert [(r.id, r.differences) for r in results if r.outcome == "failed"] == []


def test_the_packaged_vocabulary_is_the_documented_one() -> None:
    assert vocabulary.load() == vocabulary.parse((HERE / "VOCABULARY.md").read_text("utf-8"))


def test_the_packaged_case_index_is_current() -> None:
    packaged = pathlib.Path(coverage.__file__).with_name("case_index.json")
    assert json.loads(packaged.read_text("utf-8")) == coverage.index(FILES)


@pytest.mark.parametrize(
    "path", [p for p in FILES if p.stem.startswith(("snooker", "six_red"))], ids=lambda p: p.stem
)
def test_the_clause_of_the_foul_is_right_also_where_the_miss_is_open(path: pathlib.Path) -> None:
    """Case files leave it untested there; ours should name it all the same."""
    wrong = []
    for line in path.read_text("utf-8").splitlines():
        case = json.loads(line)
        if case["status"] != "firm":
            continue
        played = play(case)
        for step, got in zip(case["steps"], played, strict=True):
            expect = step.get("expect", {})
            if expect.get("foul") and "clause" in expect:
                wrong += [] if same_clause(expect["clause"], got["clause"]) else [(case["id"], got["clause"])]
    assert wrong == []
