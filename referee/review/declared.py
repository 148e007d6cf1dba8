"""A match reviewed from a facts file: any game, with or without a video beside it.

`review_declared(facts, game, out, video)` rules on every line of a facts file (the form of `cueref judge`)
and writes match.json, report.html and journal.sqlite. The journal holds every line and a hash of its ruling.
A facts file that has grown since is gone on with; any other change needs another folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.files import only_writer
from calibration.texts import unusable_input
from referee.journal import JOURNAL_FILE, Journal, canonical
from referee.match.declared import MatchSetup, RuledFact, judge, setup_of
from referee.match.declared_facts import FactsFile, read_facts
from referee.outputs.declared_document import declared_document
from referee.outputs.document import MATCH_FILE, Match, write_match
from referee.outputs.report import write_report
from vision.io.images import VideoInfo, probe

_LATE_S = 1.0
"""A fact may lie this long after the video's last image: clocks of people are read to the second."""

JournalEntry = tuple[str, Mapping[str, Any], float | None]
"""Kind, payload and time of an entry."""


def review_declared(facts: Path, game: str, out: Path, video: Path | None = None) -> Match:
    """Judge a facts file, write match.json, report.html and journal.sqlite into `out`, return the match.

    Raises UnusableInput with the line's number for a line that cannot be, and for a video or folder that
    cannot be used; nothing is written then.
    """
    file = read_facts(facts)
    setup = setup_of(file, game)
    ruled = list(judge(file, setup))
    info = probe(video) if video is not None else None
    if info is not None:
        _check_times(file, info)
    _check_folder(out)
    match = declared_document(setup, ruled, file, info)
    with only_writer(out, "cueref review"), Journal(out / JOURNAL_FILE) as journal:
        journal.check_chain()
        _append_new(journal, out, _entries(setup, file, ruled))
    write_report(out, match, {})
    write_match(out, match)
    return match


def _check_times(file: FactsFile, info: VideoInfo) -> None:
    for number, (_, end_s) in file.times.items():
        if end_s > info.duration_s + _LATE_S:
            raise unusable_input(
                "errors.time_within_the_s",
                path=file.path,
                number=number,
                duration_s=f"{info.duration_s:.1f}",
                name=info.path.name,
                end_s=f"{end_s:g}",
            )


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise unusable_input("errors.folder_for_the_review", out=out)
    if (out / MATCH_FILE).exists() and not (out / JOURNAL_FILE).is_file():
        raise unusable_input("errors.empty_folder_or_an_earlier_review", out=out, match_file=MATCH_FILE)


def _append_new(journal: Journal, out: Path, entries: Sequence[JournalEntry]) -> None:
    """Append what the journal does not hold yet; UnusableInput when it holds anything else."""
    held = list(journal.entries())
    for entry, (kind, value, t_s) in zip(held, entries, strict=False):
        if entry.kind != kind or entry.t_s != t_s or entry.text.encode() != canonical(value):
            raise _another(out)
    if len(held) > len(entries):
        raise _another(out)
    with journal.transaction():
        for kind, value, t_s in entries[len(held) :]:
            journal.append(kind, value, t_s)


def _another(out: Path) -> UnusableInput:
    return unusable_input("errors.empty_folder_or_a_review_of_these", out=out)


def _entries(setup: MatchSetup, file: FactsFile, ruled: Sequence[RuledFact]) -> list[JournalEntry]:
    """The journal's entries: the game, then each fact and the hash of its ruling."""
    rulings = {r.line: r for r in ruled}
    out: list[JournalEntry] = [("told", {"game": setup.game}, None)]
    for fact in file.facts:
        start_s, end_s = file.times.get(fact.number, (None, None))
        out.append(("fact", {"line": fact.number, "end_s": end_s, "fact": fact.data}, start_s))
        if fact.number in rulings:
            plain = json.loads(json.dumps(rulings[fact.number].values, default=str))  # tuples become lists
            digest = hashlib.sha256(canonical(plain)).hexdigest()
            out.append(("ruling", {"line": fact.number, "sha256": digest}, start_s))
    return out
