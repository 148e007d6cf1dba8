"""A match's journal in one SQLite file, append-only, that opens after a kill at any moment.

Rollback journal and `synchronous = FULL`: an entry is on disk when `append` (or the transaction around
it) returns, and no second file stays beside the journal.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calibration.files import check_own_file
from calibration.texts import unusable_input
from referee.journal.codec import canonical
from referee.journal.interface import RAW, WRITER, Entry, MatchJournal, broken_chain, chained, now_utc
from referee.journal.migrations import APPLICATION_ID, check_schema, migrate

JOURNAL_FILE = "journal.sqlite"
"""Its name in a review's folder."""

RUN = "run"
"""The name under which `set_progress` keeps what a run is about: video, game, calibration."""


NAME_REMOVED = "name_removed"
"""Kind of the entry that says that a record was written anew without a name."""

INSERT = "INSERT INTO entries (id, kind, t_s, payload, who, at, chain) VALUES (?, ?, ?, ?, ?, ?, ?)"
"""Writes an entry as it is, as `row_of` gives it."""


def row_of(entry: Entry) -> tuple[object, ...]:
    """The values of INSERT."""
    return entry.id, entry.kind, entry.t_s, entry.text, entry.who, entry.at, entry.chain


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", RAW)


class Journal(MatchJournal):
    """An open journal file."""

    def __init__(self, path: Path | str, clock: Callable[[], str] = now_utc) -> None:
        """Open or create; `":memory:"` keeps it in memory. Raises UnusableInput for a file that is none."""
        self.path = str(path)
        self._clock = clock
        if self.path != ":memory:":
            check_own_file(Path(self.path))
        try:
            self._db = sqlite3.connect(self.path, isolation_level=None, timeout=10.0)
            try:
                self._db.text_factory = _text
                self._open()
                self._chain = self._last_chain()
                self._file = _identity(self.path)
            except BaseException:
                self._db.close()
                raise
        except (sqlite3.Error, ValueError) as error:
            raise unusable_input("errors.journal_of_cueref", path=self.path, error=error) from None

    def _open(self) -> None:
        db = self._db
        db.execute("PRAGMA trusted_schema = OFF")  # a stranger's file may hold views and triggers
        (number,) = db.execute("PRAGMA application_id").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and number != APPLICATION_ID and not self._ours_unfinished():
            raise ValueError("an SQLite file of something else")
        check_schema(db)
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("PRAGMA synchronous = FULL")
        migrate(db, self._clock())
        db.execute("SELECT id, kind, t_s, payload, who, at, chain FROM entries LIMIT 0")  # of other columns:
        db.execute("SELECT name, value FROM progress LIMIT 0")  # no journal, whatever it calls itself

    def _last_chain(self) -> str:
        row = self._db.execute("SELECT chain FROM entries ORDER BY id DESC LIMIT 1").fetchone()
        return str(row[0]) if row else ""

    def _ours_unfinished(self) -> bool:
        """Killed between making the list of migrations and the first of them."""
        names = [r[0] for r in self._db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return names == ["migrations"] and not self._db.execute("SELECT 1 FROM migrations").fetchone()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is written, or nothing. Transactions do not nest."""
        before = self._chain
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:  # Ctrl-C may also come just behind the COMMIT
                self._db.execute("ROLLBACK")
                self._chain = before
            raise

    def append(self, kind: str, value: object, t_s: float | None = None, who: str = WRITER) -> Entry:
        """Write one entry (plain JSON values) and return it.

        The chain goes on from the last entry on disk: another process may have written meanwhile.
        """
        if not self._db.in_transaction:
            with self.transaction():
                return self.append(kind, value, t_s, who)
        self._chain = self._last_chain()
        data = canonical(value)
        chain = chained(self._chain, kind, t_s, data)
        at, text = self._clock(), data.decode("utf-8")
        cursor = self._db.execute(
            "INSERT INTO entries (kind, t_s, payload, who, at, chain) VALUES (?, ?, ?, ?, ?, ?)",
            (kind, t_s, text, who, at, chain),
        )
        self._chain = chain
        assert cursor.lastrowid is not None
        return Entry(cursor.lastrowid, kind, t_s, text, who, at, chain)

    def entries(self, kind: str | None = None, after: int = 0) -> Iterator[Entry]:
        """Entries in order, optionally of one kind or after an id."""
        where, values = ("AND kind = ?", (after, kind)) if kind else ("", (after,))
        query = f"SELECT id, kind, t_s, payload, who, at, chain FROM entries WHERE id > ? {where} ORDER BY id"
        with self._readable():
            for row in self._db.execute(query, values):
                yield Entry(*row)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """UnusableInput for a file that is damaged; a disk that fails keeps its own error."""
        try:
            yield
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            raise unusable_input("errors.journal_as_it_was_written", path=self.path, error=error) from None

    @property
    def digest(self) -> str:
        """SHA-256 over the whole record (kinds, times of the clip, payloads), without who and when."""
        return self._chain

    def copy(self, entries: Iterable[Entry]) -> None:
        """Write a record's entries as they are, with their numbers, writers, times and chain."""
        with self.transaction():
            self._db.executemany(INSERT, map(row_of, entries))
            self._chain = self._last_chain()

    @property
    def replaced(self) -> bool:
        """Whether its path names another file by now, or none: it was deleted, moved or written anew."""
        return _identity(self.path) != self._file

    def set_progress(self, name: str, value: bytes) -> None:
        """Remember where a run stands; the value before is forgotten."""
        self._db.execute("INSERT OR REPLACE INTO progress (name, value) VALUES (?, ?)", (name, value))

    def progress(self, name: str) -> bytes | None:
        """What `set_progress` last wrote under the name."""
        with self._readable():
            row = self._db.execute("SELECT value FROM progress WHERE name = ?", (name,)).fetchone()
        if row is None:
            return None
        return row[0] if isinstance(row[0], bytes) else str(row[0]).encode("utf-8", RAW)

    def close(self) -> None:
        self._db.close()


def _identity(path: str) -> tuple[int, int] | None:
    """Device and inode of a file; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def fault_in(journal_file: Path) -> str | None:
    """The sentence that a journal was changed after it was written; None where it was not, or is not there.

    Raises UnusableInput for a file that is no journal.
    """
    if not journal_file.is_file():
        return None
    with Journal(journal_file) as journal:
        bad = journal.first_bad_entry()
    return None if bad is None else broken_chain(journal_file, bad)


def changed_entries(
    entries: Iterable[Entry], value: Callable[[Any], Any], text: Callable[[str], str]
) -> Iterator[Entry]:
    """A record with its numbers, times and writers, each payload changed by `value`, names by `text`, chained
    anew.
    """
    chain = ""
    for e in entries:
        data = canonical(value(e.payload))
        chain = chained(chain, e.kind, e.t_s, data)
        yield Entry(e.id, e.kind, e.t_s, data.decode("utf-8"), text(e.who), e.at, chain)


def copy_changed(
    source: Journal, target: Journal, value: Callable[[Any], Any], text: Callable[[str], str]
) -> None:
    """Copy a record as `changed_entries` gives it.

    What a run keeps about itself is copied where it is JSON, else left out where `text` would change it.
    """
    target.copy(changed_entries(source.entries(), value, text))
    for name, stored in source._db.execute("SELECT name, value FROM progress").fetchall():
        kept = bytes(stored)
        try:
            kept = canonical(value(json.loads(kept)))
        except ValueError:
            if text(kept.decode("utf-8", RAW)) != kept.decode("utf-8", RAW):
                continue
        target.set_progress(name, kept)
