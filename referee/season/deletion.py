"""A match, a clip or a player's name deleted from every file of a table, its indexes, backups and library.

A name stands in journals, which are never changed: they are written anew without it, every entry chained
again, and a last entry tells what the record's digest was before. The table must be stopped meanwhile.
"""

from __future__ import annotations

import json
import re
import shutil
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tomli_w

from calibration.errors import UnusableInput
from calibration.files import LOCK_FILE, only_writer, whole_file, write_text
from calibration.texts import unusable_input
from referee.console.practice.book import PRACTICE_FILE, PRIVATE, as_text, parsed
from referee.journal import JOURNAL_FILE, NAME_REMOVED, Journal, copy_changed, with_texts
from referee.live.feeds.stream import EVENTS_FILE, OLDER_EVENTS_FILE, forget_match
from referee.live.recording.clip_store import ClipStore
from referee.live.recording.retention import MATCH
from referee.live.setup.settings_file import SETTINGS_FILE
from referee.outputs.annotated import ANNOTATED_FILE
from referee.outputs.clips import CLIPS_FOLDER
from referee.outputs.document import MATCH_FILE, read_match, schema_text, write_match
from referee.outputs.pages import environment
from referee.outputs.report import REPORT_FILE, write_report
from referee.outputs.tracks import read_tracks
from referee.season.backup import forget_in_backups
from referee.season.library.records import kept_journal
from referee.season.library.store import Library
from referee.season.parquet import MATCHES_FILE, STROKES_FILE, in_tables, write_tables

_LEAST = 2  # characters of a name: single letters are sides and marks


def delete_match(
    table: Path, match: str, backups: Path | None = None, library: Library | None = None
) -> None:
    """Delete a match's folder and what speaks of it: in the table's events, the tables of a batch, all
    backups and the library.

    The folder goes last: what is interrupted can be asked for again. Raises UnusableInput for a match that is
    not there and for a table that runs, OSError.
    """
    folder = table / match
    if not _is_match(folder, match):
        raise unusable_input("errors.match_in_it", table=table, match=repr(match[:40]))
    with only_writer(table, "cueref delete"):
        forget_match(table, match)
        others = [name for name in in_tables(table) if name != match]
        if len(others) < len(in_tables(table)):
            write_tables(table, others)
        if backups is not None:
            tables = (MATCHES_FILE, STROKES_FILE)
            forget_in_backups(backups, [f"{match}/", EVENTS_FILE, OLDER_EVENTS_FILE, *tables])
        if library is not None:
            library.forget_match(_known_as(folder), str(folder.resolve()))
        shutil.rmtree(folder)


def _is_match(folder: Path, name: str) -> bool:
    """Whether a folder of that name is a match of a table, or one of a batch with its journal."""
    plain = name not in ("", ".", "..") and "/" not in name and "\0" not in name
    if not plain or folder.is_symlink() or not folder.is_dir():
        return False
    return MATCH.fullmatch(name) is not None or (folder / JOURNAL_FILE).is_file()


def _known_as(folder: Path) -> str | None:
    """The library's name of a match; None for one that cannot be read."""
    try:
        return kept_journal(folder).match
    except (UnusableInput, OSError):
        return None


def delete_clip(table: Path, match: str, stroke: int, backups: Path | None = None) -> bool:
    """Delete the clip of a stroke of a match; whether there was one. Raises UnusableInput, OSError."""
    clips = table / match / CLIPS_FOLDER
    if not MATCH.fullmatch(match) or not clips.is_dir():
        raise unusable_input("errors.match_with_clips", table=table, match=repr(match[:40]))
    with only_writer(table, "cueref delete"):
        if backups is not None:
            name = f"{match}/{CLIPS_FOLDER}/stroke_{stroke:04d}"
            forget_in_backups(backups, [f"{name}.", f"{name}_"])
        return ClipStore(clips).delete(stroke)


def delete_name(
    folder: Path, name: str, instead: str, backups: Path | None = None, library: Library | None = None
) -> list[Path]:
    """Put another name in place of a player's in every match below `folder`, in the table's events and
    settings, the tables of a batch and the library.

    Files that were made of it are made again; an annotated video shows it in its pictures and is deleted.
    Files that held the name are forgotten in all backups. Returns the files in which it still stands, and
    those named by it (exports, recordings): they are not ours to change. Raises UnusableInput, OSError.
    """
    _check_removable(name, instead)
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")

    def without(text: str) -> str:
        return word.sub(lambda _: instead, text)

    with only_writer(folder, "cueref delete"):
        changed = [p for p in _holding(folder, name) if p.name != LOCK_FILE]
        renamed = {_known_as(p.parent): p.parent for p in changed if p.name == JOURNAL_FILE}
        for file in changed:
            _rewrite(file, without)
        batched = [p.parent for p in folder.rglob(MATCHES_FILE) if in_tables(p.parent)]
        for batch in batched:  # their bytes are packed: whether the name is in them does not show
            write_tables(batch, in_tables(batch))
        if library is not None:
            anew = {old: kept_journal(place) for old, place in renamed.items() if old is not None}
            library.rename_player(without, anew)
        left = _still_there(folder, name)
    if backups is not None:
        tables = [b / t for b in batched for t in (MATCHES_FILE, STROKES_FILE)]
        gone = [p.relative_to(folder).as_posix() for p in (*changed, *tables)]
        forget_in_backups(backups, gone)
    return left


def _check_removable(name: str, instead: str) -> None:
    """Raise UnusableInput for what is no name, or stands as a word in every record."""
    if not name.strip() or name == instead:
        raise unusable_input("errors.name_that_can_be_removed", name=repr(name))
    if len(name) < _LEAST or json.dumps(name) in schema_text():
        raise unusable_input("errors.player_name", name=repr(name))


def _still_there(folder: Path, name: str) -> list[Path]:
    """The files in which a name stands, and what is named by it."""
    named = (p for p in folder.rglob("*") if name in p.name)
    return sorted({*_holding(folder, name), *named})


def _rewrite(file: Path, without: Callable[[str], str]) -> None:
    """Write one of our files anew without the name; others are left as they are."""
    if file.name == JOURNAL_FILE:
        _rewrite_journal(file, without)
    elif file.name == MATCH_FILE:
        match = with_texts(read_match(file), without)
        write_match(file.parent, match, check=False)
        if (file.parent / REPORT_FILE).is_file():
            write_report(file.parent, match, read_tracks(file.parent))
        (file.parent / ANNOTATED_FILE).unlink(missing_ok=True)
    elif file.name in (EVENTS_FILE, OLDER_EVENTS_FILE):
        lines = (json.loads(line) for line in file.read_text("utf-8").splitlines())
        _rewrite_lines(file, (_line(with_texts(event, without)) for event in lines))
    elif file.name == PRACTICE_FILE:
        positions, sessions = parsed(with_texts(json.loads(file.read_text("utf-8")), without))
        write_text(file, as_text(positions, sessions), PRIVATE)
    elif file.name == SETTINGS_FILE:
        known = tomllib.loads(file.read_text("utf-8"))
        players = {k: without(known[k]) for k in ("player_a", "player_b") if isinstance(known.get(k), str)}
        write_text(file, tomli_w.dumps(known | players), 0o600)


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
                copy_changed(journal, anew, lambda value: with_texts(value, without), without)
                anew.append(NAME_REMOVED, {"digest_before": journal.digest})


def _rewrite_lines(file: Path, lines: Iterator[str]) -> None:
    kept = "".join(f"{line}\n" for line in lines)
    with whole_file(file, 0o600) as part:
        part.write_text(kept, encoding="utf-8")


def _line(event: Any) -> str:
    return json.dumps(event, separators=(",", ":"), ensure_ascii=False)
