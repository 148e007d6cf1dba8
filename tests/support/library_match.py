"""Folders of matches that were not played, for the tests of the library."""

from __future__ import annotations

from pathlib import Path

from match_fixture import invented

from referee.journal import JOURNAL_FILE, Journal
from referee.outputs.document import write_match


def match_folder(folder: Path, players: tuple[str, str] = ("Ann", "Bo"), frames: str = "AAB") -> Path:
    """A match with a journal; each letter of `frames` is a frame and its winner, `-` one that is open."""
    match = invented(players)
    match["frames"] = [
        {"n": n, "first_stroke": 1, "score": [70, n], "winner": None if w == "-" else w, "ended": None}
        for n, w in enumerate(frames, 1)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    write_match(folder, match)
    if not (folder / JOURNAL_FILE).exists():
        with Journal(folder / JOURNAL_FILE) as journal:
            journal.append("told", {"players": list(players), "folder": folder.name})
    return folder
