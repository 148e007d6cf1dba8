"""Every firm case of every game in this folder passes; none is unplayable."""

from __future__ import annotations

import json
import pathlib

import pytest

from referee.cases import coverage, vocabulary
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
