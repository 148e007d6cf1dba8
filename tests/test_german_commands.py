"""What the commands print in German: no English word is left in help, refusals and results; 80 columns.

Names of files, options, games and commands are the same in every language, and so is JSON.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.bundled import sample_clip
from referee.cli import COMMANDS

ROOT = Path(__file__).parents[1]
GOLDEN = ROOT / "tests" / "golden" / "0d1d15d"
GROUPS = {
    "library": (
        "add",
        "same",
        "players",
        "fixtures",
        "decide",
        "fill",
        "export",
        "verify",
        "restore",
        "page",
    ),
    "users": ("list", "add", "password", "link", "logout", "remove"),
}
HELP = [[], ["--version"], *([name, "--help"] for name in COMMANDS)]
HELP += [[name, of, "--help"] for name, commands in GROUPS.items() for of in commands]
WRONG = [
    ["lay"],
    ["nothing"],
    ["layout"],
    ["layout", "none.mp4"],
    ["layout", "none.mp4", "--at", "soon"],
    ["layout", "none.mp4", "--bal", "3"],
    ["layout", "none.mp4", "--ball"],
    ["layout", "none.mp4", "none.mp4"],
    ["review", "none.mp4", "--game", "chess"],
    ["live", "none.mp4", "--port", "99999"],
    ["live", "none.mp4", "--rate", "-1"],
    ["live", "none.mp4", "--port", "many"],
    ["judge", "none.jsonl"],
    ["rack", "chess"],
    ["verify", "."],
    ["serve", "none"],
    ["spots", "."],
    ["restore", ".", "--stroke", "1"],
    ["export", "told", "--to", "pdf"],
    ["export", "told", "--to", "sculpture"],
    ["library", "add", "none"],
    ["users", "remove", "Ann"],
    ["club", "http://none"],
    ["soak", "--report", "--out", "none"],
    ["doctor", "none.mp4", "--seconds", "0"],
]
DONE = [
    ["verify", "told"],
    ["judge", "told/facts.jsonl", "--game", "snooker"],
    ["judge", "carrom/facts.jsonl", "--game", "carrom"],
    ["rack", "snooker"],
    ["spots", "sample"],
    ["explain", "sample", "--stroke", "1"],
    ["export", "sample", "--to", "chapters", "-o", "chapters.vtt"],
    ["library", "add", "told", "--players", "Ann", "Bo"],
    ["library", "export"],
    ["library", "verify"],
    ["library", "page", "--out", "club.html"],
    ["users", "list"],
    ["backup", "told", "--to", "saved"],
    ["restore-backup", "saved", "--out", "again"],
    ["delete", "again", "--player", "Bo", "--instead", "Nobody"],
]
SEEN = [
    ["doctor", "--out", "."],
    ["calibrate", "clip.mp4", "-o", "table.json"],
    ["layout", "clip.mp4", "--at", "1", "--calibration", "table.json"],
    ["review", "clip.mp4", "--out", "seen", "--calibration", "table.json"],
    ["spots", "seen"],
    ["explain", "seen", "--stroke", "4"],
    ["restore", "seen", "--stroke", "4", "--video", "clip.mp4", "--at", "1"],
    ["certify", "table.json", "clip.mp4", "-o", "certificate.html"],
]
AS_THEY_ARE = re.compile(
    r"\b(?:cueref|library|users|in mm)\b(?: [\w-]+)?|`[^`]*`|'[^']*'|\[[^]]*\]|<[^>]*>|\{[^}]*\}|--?[\w-]+"
    r"|[A-Z][A-Z_.|:-]{2,}|\S*[_/.=@*]\S*|(?:Example|Beispiel): .*(?:\n {4,}.*)*"
)
"""Options, places to fill in, files, addresses, variables, examples."""


Said = dict[str, list[tuple[int, str]]]
"""Exit status and output of each call, in each language."""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Said]:
    """Of the calls that need no picture; a language has one process for all of them."""
    kinds = {"help": HELP, "wrong": WRONG, "done": DONE}
    found: dict[str, Said] = {kind: {} for kind in kinds}
    for language in ("en", "de"):
        answers = iter(output(tmp_path_factory.mktemp("said"), language, HELP + WRONG + DONE))
        for kind, calls in kinds.items():
            found[kind][language] = [next(answers) for _ in calls]
    return found


def output(folder: Path, language: str, calls: list[list[str]]) -> list[tuple[int, str]]:
    """Exit status and output of each call, all in one process in `folder`."""
    for name, of in (("told", "told_snooker"), ("carrom", "told_carrom"), ("sample", "sample_corrected")):
        shutil.copytree(GOLDEN / of, folder / name, dirs_exist_ok=True)
    run = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "support" / "said.py")],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "CUEREF_LANG": language,
            "COLUMNS": "80",
            "CUEREF_DATABASE": "club.sqlite",
            "CUEREF_ACCESS": "access.sqlite",
        },
    )
    assert run.returncode == 0, run.stderr
    found: list[tuple[int, str]] = json.loads(run.stdout)
    return found


def pairs(text: str) -> set[str]:
    """Words that stand one behind the other in running text, but for what is the same in every language."""
    running = AS_THEY_ARE.sub(" | ", text)
    return set(re.findall(r"\b(?=([A-Za-z]{2,} +[A-Za-z]{2,})\b)", running))


def same_in_both(calls: list[list[str]], said: Said) -> dict[str, list[str]]:
    """Pairs of words that each call says in both languages."""
    left = {}
    for call, (status, english), (german_status, german) in zip(calls, said["en"], said["de"], strict=True):
        assert status == german_status, (call, english, german)
        same = pairs(english) & pairs(german)
        if same:
            left[" ".join(call)] = sorted(same)
    return left


@pytest.mark.parametrize(("kind", "calls"), [("help", HELP), ("wrong", WRONG), ("done", DONE)])
def test_a_command_says_nothing_in_english_in_german(
    kind: str, calls: list[list[str]], said: dict[str, Said]
) -> None:
    assert same_in_both(calls, said[kind]) == {}


@pytest.mark.slow
def test_a_command_that_looks_says_nothing_in_english_in_german(tmp_path: Path) -> None:
    said: Said = {}
    for language in ("en", "de"):
        (tmp_path / language).mkdir()
        shutil.copy(sample_clip(), tmp_path / language / "clip.mp4")
        said[language] = output(tmp_path / language, language, SEEN)
    assert same_in_both(SEEN, said) == {}


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_line_of_any_help_is_cut_or_wider_than_eighty_columns(
    language: str, said: dict[str, Said]
) -> None:
    """But for examples, which are typed as they stand."""
    bad = []
    for call, (_, text) in zip(HELP, said["help"][language], strict=True):
        page = re.sub(r"^ *(?:Example|Beispiel): .*$", "", text, flags=re.MULTILINE)
        bad += [(call, line) for line in page.splitlines() if len(line) > 80 or re.search(r"\w\.\.\.$", line)]
    assert bad == []
