"""A match, a clip or a player's name deleted from every file of a table, its indexes and its backups.

A name stands in journals, which are never changed: they are written anew without it, every entry chained
again, and a last entry tells what the record's digest was before. The table must be stopped meanwhile.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.files import only_writer, whole_file
from calibration.texts import sentence
from referee.journal import JOURNAL_FILE, Journal, copy_changed
from referee.live.feeds.stream import EVENTS_FILE, OLDER_EVENTS_FILE
from referee.live.recording.clip_store import ClipStore
from referee.live.recording.retention import MATCH
from referee.outputs.annotated import ANNOTATED_FILE
from referee.outputs.clips import CLIPS_FOLDER
from referee.outputs.document import MATCH_FILE, read_match, schema_text, write_match
from referee.outputs.pages import environment
from referee.outputs.report import REPORT_FILE, write_report
from referee.outputs.tracks import read_tracks
from referee.season.backup import forget_in_backups

_LEAST = 2  # characters of a name: single letters are sides and marks
NAME_REMOVED = "name_removed"
"""Kind of the entry that says that a record was written anew without a name."""


def delete_match(table: Path, match: str, backups: Path | None = None) -> None:
    """Delete a match's folder, its lines in the table's events, and its files in all backups.

    Raises UnusableInput for a match that is not there and for a table that runs, OSError.
    """
    folder = table / match
    if not MATCH.fullmatch(match) or folder.is_symlink() or not folder.is_dir():
        raise UnusableInput(sentence("errors.match_in_it", table=table, match=repr(match[:40])))
    with only_writer(table, "cueref delete"):
        shutil.rmtree(folder)
        for file in _event_files(table):
            _rewrite_lines(file, _without_match(file, match))
    if backups is not None:
        forget_in_backups(backups, [f"{match}/", EVENTS_FILE, OLDER_EVENTS_FILE])


def delete_clip(table: Path, match: str, stroke: int, backups: Path | None = None) -> bool:
    """Delete the clip of a stroke of a match; whether there was one. Raises UnusableInput, OSError."""
    clips = table / match / CLIPS_FOLDER
    if not MATCH.fullmatch(match) or not clips.is_dir():
        raise UnusableInput(sentence("errors.match_with_clips", table=table, match=repr(match[:40])))
    with only_writer(table, "cueref delete"):
        found = ClipStore(clips).delete(stroke)
    if backups is not None:
        name = f"{match}/{CLIPS_FOLDER}/stroke_{stroke:04d}"
        forget_in_backups(backups, [f"{name}.", f"{name}_"])
    return found


def delete_name(folder: Path, name: str, instead: str, backups: Path | None = None) -> list[Path]:
    """Put another name in place of a player's in every match below `folder`, and in the table's events.

    Files that were made of it are made again; an annotated video shows it in its pictures and is deleted.
    Files that held the name are forgotten in all backups. Returns the files in which it still stands (exports
    that somebody put there): they are not ours to change. Raises UnusableInput, OSError.
    """
    if not name.strip() or name == instead:
        raise UnusableInput(sentence("errors.name_that_can_be_removed", name=repr(name)))
    if len(name) < _LEAST or json.dumps(name) in schema_text():
        raise UnusableInput(sentence("errors.player_name", name=repr(name)))
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")

    def without(text: str) -> str:
        return word.sub(lambda _: instead, text)

    with only_writer(folder, "cueref delete"):
        changed = [p for p in _holding(folder, name) if p.name != ".lock"]
        for journal_file in [p for p in changed if p.name == JOURNAL_FILE]:
            _rewrite_journal(journal_file, without)
        for match_file in [p for p in changed if p.name == MATCH_FILE]:
            match = _mapped(read_match(match_file), without)
            write_match(match_file.parent, match, check=False)
            if (match_file.parent / REPORT_FILE).is_file():
                write_report(match_file.parent, match, read_tracks(match_file.parent))
            (match_file.parent / ANNOTATED_FILE).unlink(missing_ok=True)
        for file in _event_files(folder):
            lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
            _rewrite_lines(file, (_line(_mapped(event, without)) for event in lines))
        left = _holding(folder, name)
    if backups is not None:
        forget_in_backups(backups, [p.relative_to(folder).as_posix() for p in changed])
    return left


def _holding(folder: Path, name: str) -> list[Path]:
    """The files in which a name stands, as text or as JSON and HTML write it."""
    on_page = environment().from_string("{{ name }}").render(name=name)
    written = {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1], on_page}
    forms = {form.encode() for form in written}
    files = (p for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink())
    return [p for p in files if any(form in p.read_bytes() for form in forms)]


def _rewrite_journal(file: Path, without: Callable[[str], str]) -> None:
    with Journal(file) as journal:
        journal.check_chain()
        with whole_file(file, 0o600) as part:
            part.unlink()
            with Journal(part) as anew:
                copy_changed(journal, anew, lambda value: _mapped(value, without), without)
                anew.append(NAME_REMOVED, {"digest_before": journal.digest})


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with every text changed; keys are words of the format."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [_mapped(v, change) for v in value]
    if isinstance(value, dict):
        return {k: _mapped(v, change) for k, v in value.items()}
    return value


def _event_files(table: Path) -> list[Path]:
    return [p for p in (table / EVENTS_FILE, table / OLDER_EVENTS_FILE) if p.is_file() and not p.is_symlink()]


def _without_match(file: Path, match: str) -> Iterator[str]:
    """The lines of other matches. A ruling stands before the state that names its match."""
    waiting: list[str] = []
    for line in file.read_text("utf-8").splitlines():
        waiting.append(line)
        try:
            body = json.loads(line)["body"]
            of = body.get("match_id")
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
        if of is not None:
            yield from waiting if of != match else ()
            waiting = []


def _rewrite_lines(file: Path, lines: Iterator[str]) -> None:
    kept = "".join(f"{line}\n" for line in lines)
    with whole_file(file, 0o600) as part:
        part.write_text(kept, encoding="utf-8")


def _line(event: Any) -> str:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)
