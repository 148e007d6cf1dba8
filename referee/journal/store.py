"""The journal: one SQLite file, append-only, that opens after a kill at any moment.

Rollback journal and `synchronous = FULL`: an entry is on disk when `append` (or the transaction around
it) returns, and no second file stays beside the journal. Entries are chained by SHA-256, so that two
journals with the same record have the same `digest`. Who and when stand beside the record, not in it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any

from calibration.errors import UnusableInput
from calibration.files import check_own_file
from calibration.texts import sentence
from referee.journal.codec import canonical
from referee.journal.migrations import APPLICATION_ID, migrate

JOURNAL_FILE = "journal.sqlite"
"""Its name in a review's folder."""

RUN = "run"
"""The name under which `set_progress` keeps what a run is about: video, game, calibration."""

WRITER = "cueref"
"""Who writes what was seen and judged; everybody else is a person."""


_RAW = "surrogateescape"  # bytes that are no text come back as they are, so that a damaged entry can be shown


def _text(stored: bytes) -> str:
    return stored.decode("utf-8", _RAW)


def now_utc() -> str:
    """The time of day for `at`, ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def broken_chain(journal: Path | str, bad: int) -> str:
    """The sentence about a journal whose entry `bad` is the first that was changed."""
    return sentence("errors.journal_entry_changed", journal=journal, bad=bad)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the record. `text`: canonical JSON; `t_s`: the moment it speaks of, None if none."""

    id: int
    kind: str
    t_s: float | None
    text: str
    who: str
    at: str
    chain: str

    @property
    def payload(self) -> Any:
        """The entry's JSON value. Raises ValueError where the text was damaged."""
        try:
            return json.loads(self.text)
        except (ValueError, TypeError, RecursionError) as error:
            raise ValueError(f"entry {self.id} is not JSON: {error}") from None


class Journal:
    """An open journal. Not for several threads; several processes may read while one writes."""

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
            raise UnusableInput(sentence("errors.journal_of_cueref", path=self.path, error=error)) from None

    def _open(self) -> None:
        db = self._db
        db.execute("PRAGMA trusted_schema = OFF")  # a stranger's file may hold views and triggers
        (number,) = db.execute("PRAGMA application_id").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and number != APPLICATION_ID and not self._ours_unfinished():
            raise ValueError("an SQLite file of something else")
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
        chain = hashlib.sha256(f"{self._chain}\n{kind}\n{t_s!r}\n".encode() + data).hexdigest()
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
            raise UnusableInput(
                sentence("errors.journal_as_it_was_written", path=self.path, error=error)
            ) from None

    def entry(self, number: int) -> Entry:
        """One entry. Raises KeyError when there is none of that number."""
        for found in self.entries(after=number - 1):
            if found.id == number:
                return found
            break
        raise KeyError(f"no entry {number} in {self.path}")

    @property
    def digest(self) -> str:
        """SHA-256 over the whole record (kinds, times of the clip, payloads), without who and when."""
        return self._chain

    def verify(self) -> bool:
        """Whether every entry still chains to the one before."""
        return self.first_bad_entry() is None

    def first_bad_entry(self, after: int = 0) -> int | None:
        """Number of the first entry that was changed after it was written; None when the chain holds.

        `after`: an entry up to which the chain is known to hold.
        """
        chain = self.entry(after).chain if after else ""
        for e in self.entries(after=after):
            head = f"{chain}\n{e.kind}\n{e.t_s!r}\n"
            chain = hashlib.sha256(f"{head}{e.text}".encode("utf-8", _RAW)).hexdigest()
            if chain != e.chain:
                return e.id
        return None

    def check_chain(self) -> None:
        """Raises UnusableInput when an entry was changed after it was written."""
        bad = self.first_bad_entry()
        if bad is not None:
            raise UnusableInput(broken_chain(self.path, bad))

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
        return row[0] if isinstance(row[0], bytes) else str(row[0]).encode("utf-8", _RAW)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


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


def copy_changed(
    source: Journal, target: Journal, value: Callable[[Any], Any], text: Callable[[str], str]
) -> None:
    """Copy a record with its numbers, times and writers, each entry changed by `value`, names by `text`.

    Entries are chained anew. What a run keeps about itself is copied where it is JSON, else left out where
    `text` would change it.
    """
    with target.transaction():
        chain = ""
        for e in source.entries():
            data = canonical(value(e.payload))
            chain = hashlib.sha256(f"{chain}\n{e.kind}\n{e.t_s!r}\n".encode() + data).hexdigest()
            target._db.execute(
                "INSERT INTO entries (id, kind, t_s, payload, who, at, chain) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (e.id, e.kind, e.t_s, data.decode("utf-8"), text(e.who), e.at, chain),
            )
        for name, stored in source._db.execute("SELECT name, value FROM progress").fetchall():
            kept = bytes(stored)
            try:
                kept = canonical(value(json.loads(kept)))
            except ValueError:
                if text(kept.decode("utf-8", _RAW)) != kept.decode("utf-8", _RAW):
                    continue
            target.set_progress(name, kept)
