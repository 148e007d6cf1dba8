"""A match reviewed from told facts: for the games whose balls no detector knows, and for matches without
video.

`review_told(facts, game, out, video)` rules on every line of a facts file (the form of `cueref judge`, each
line optionally with `t_s` or `start_s` and `end_s` on the video's clock) and writes match.json, report.html
and journal.sqlite. The journal holds every line and a hash of its ruling; a facts file that has grown since
is gone on with, any other change needs another folder.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from referee.journal import JOURNAL_FILE, Journal, canonical
from referee.match import judging
from referee.match.game_terms import NAMES
from referee.match.judging import Judged, Setup
from referee.match.told_facts import ToldFacts, read_facts
from referee.match.told_match import told_match
from referee.outputs.document import MATCH_FILE, Match, write_match
from referee.outputs.report import write_report
from vision.io.images import VideoInfo, probe


def review_told(facts: Path, game: str, out: Path, video: Path | None = None) -> Match:
    """Judge a facts file and write match.json, report.html and journal.sqlite into `out`; the match as
    written.

    Raises UnusableInput with the line's number for a line that cannot be, and for a video or folder that
    cannot be used; nothing is written then.
    """
    told = read_facts(facts)
    given = judging.setup(facts, game, told.lines)
    ruled = list(judging.judge(facts, given, told.lines))
    info = probe(video) if video is not None else None
    if info is not None:
        _check_times(told, info)
    _check_folder(out)
    match = told_match(given, ruled, told.times, _source(told), info)
    out.mkdir(parents=True, exist_ok=True)
    with Journal(out / JOURNAL_FILE) as journal:
        _journalled(journal, out, given, told, ruled)
    write_report(out, match, {})
    write_match(out, match)
    return match


def no_facts(game: str) -> UnusableInput:
    """What is said when a game that no detector knows comes without facts."""
    return UnusableInput(
        f"review --game {game}: expected --facts FACTS.jsonl (one fact a line, as `cueref judge` reads them),"
        f" because the detector does not know the balls of {NAMES.get(game, game)} yet; found none"
    )


def _check_times(told: ToldFacts, info: VideoInfo) -> None:
    for number, (_, end_s) in told.times.items():
        if end_s > info.duration_s + 1.0:
            raise UnusableInput(
                f"{told.path} line {number}: expected a time within the {info.duration_s:.1f} s of"
                f" {info.path.name}, found {end_s:g} s"
            )


def _source(told: ToldFacts) -> dict[str, Any]:
    return {"file": told.path.name, "sha256": told.sha256, "lines": len(told.lines)}


def _check_folder(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UnusableInput(f"{out}: expected a folder for the review, found a file")
    if (out / MATCH_FILE).exists() and not (out / JOURNAL_FILE).is_file():
        raise UnusableInput(
            f"{out}: expected an empty folder or an earlier review, found a {MATCH_FILE} without journal"
        )


def _journalled(journal: Journal, out: Path, given: Setup, told: ToldFacts, ruled: list[Judged]) -> None:
    """Append what the journal does not hold yet; UnusableInput when it holds anything else."""
    record = _record(given, told, ruled)
    held = list(journal.entries())
    for entry, (kind, value, t_s) in zip(held, record, strict=False):
        if entry.kind != kind or entry.t_s != t_s or entry.text.encode() != canonical(value):
            raise _another(out)
    if len(held) > len(record):
        raise _another(out)
    with journal.transaction():
        for kind, value, t_s in record[len(held) :]:
            journal.append(kind, value, t_s)


def _another(out: Path) -> UnusableInput:
    return UnusableInput(
        f"{out}: expected an empty folder or a review of these facts, found the review of others; choose"
        " another --out"
    )


def _record(
    given: Setup, told: ToldFacts, ruled: list[Judged]
) -> list[tuple[str, Mapping[str, Any], float | None]]:
    """The journal's entries: the game, then each line as told and the hash of what was ruled on it."""
    rulings = {r.line: r for r in ruled}
    out: list[tuple[str, Mapping[str, Any], float | None]] = [("told", {"game": given.game}, None)]
    for line in told.lines:
        start_s, end_s = told.times.get(line.number, (None, None))
        out.append(("fact", {"line": line.number, "end_s": end_s, "fact": line.data}, start_s))
        if line.number in rulings:
            digest = hashlib.sha256(canonical(plain(rulings[line.number].fields))).hexdigest()
            out.append(("ruling", {"line": line.number, "sha256": digest}, start_s))
    return out


def plain(value: object) -> Any:
    """A ruling's values as JSON's own: tuples become lists."""
    return json.loads(json.dumps(value, default=str))
