"""What a review prints: readable at 80 columns, hints that work when pasted."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from console_fixture import frame_events
from rich.console import Console

from calibration.table.specs import SNOOKER_TABLE
from referee.commands import review
from referee.facts.calls import Players
from referee.match.referee import Referee
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.terminal import print_match

NAMES = ("Bartholomew Featherstonehaugh-Smythe", "Bo")


def printed(width: int) -> str:
    referee = Referee(SNOOKER_TABLE, None, [Players(NAMES)])
    for event in frame_events():
        referee.feed(event)
    video = {"file": None, "width": 1, "height": 1, "images": 0, "duration_s": 0.0}
    match = match_document("snooker", video, calibration_json(None), referee.match)  # type: ignore[arg-type]
    out = io.StringIO()
    print_match(match, Console(file=out, width=width, color_system=None))
    return out.getvalue()


def test_eighty_columns_are_enough_and_no_word_and_no_clause_is_broken() -> None:
    text = printed(80)
    assert max(map(len, text.splitlines())) <= 80
    words = set(printed(400).split())
    assert {w for w in text.split() if len(w) < 17} - words == set()
    assert "(snooker 3.12(b)(iv))" in " ".join(text.split())


def test_the_closing_hint_is_a_command_that_this_machine_can_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review.shutil, "which", lambda name: None)  # not on the path
    hint = review.looking_hint(Path("my match.review"), None)
    assert shlex.split(hint) == [sys.executable, "-m", "cueref", "serve", "my match.review"]
    told = subprocess.run([*shlex.split(hint)[:3], "--version"], capture_output=True, text=True, check=False)
    assert told.returncode == 0


def test_without_the_consoles_packages_the_hint_installs_them_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(review, "find_spec", lambda name: None)
    hint = review.looking_hint(Path("out"), None)
    assert hint.startswith("out/report.html; in the console: ") and "pip install 'cueref[serve]' && " in hint
