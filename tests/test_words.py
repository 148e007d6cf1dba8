"""Words of older code stay out of the packages (docs/glossary.md, column "replaces")."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("calibration", "vision", "tracker", "referee", "cueref")
INSTEAD = {
    "adopt(ed|s|ion)?": "assign, identify",
    "foretold": "predicted",
    "foretells": "predicts",
    "usurper": "name conflict",
    "whosoever": "whichever",
    "comes? to light": "reappears",
    "came to light": "reappeared",
}
"""What is not written, as an expression, and what is written in its place."""


def test_packages_use_the_words_of_the_glossary() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match[0]!r}, write {instead!r}"
        for name in PACKAGES
        for path in sorted((ROOT / name).rglob("*.py"))
        for word, instead in INSTEAD.items()
        for match in re.finditer(rf"\b{word}\b", path.read_text(encoding="utf-8"), re.IGNORECASE)
    ]
    assert found == []
