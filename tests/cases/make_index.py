"""Writes referee/cases/case_index.json and vocabulary.json from this folder.

Run: python tests/cases/make_index.py
"""

from __future__ import annotations

import json
import pathlib

from referee.cases import coverage, vocabulary

HERE = pathlib.Path(__file__).resolve().parent
PACKAGE = pathlib.Path(coverage.__file__).resolve().parent

if __name__ == "__main__":
    index = coverage.index(sorted(HERE.glob("*.jsonl")))
    (PACKAGE / "case_index.json").write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", "utf-8")
    table = vocabulary.parse((HERE / "VOCABULARY.md").read_text("utf-8"))
    text = json.dumps(table, indent=1, ensure_ascii=False, sort_keys=True)
    (PACKAGE / "vocabulary.json").write_text(text + "\n", "utf-8")
