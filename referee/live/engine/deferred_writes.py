"""A journal and a tracks file that outlive a full disk: entries and rows wait in memory until there is room.

Refereeing goes on meanwhile. A waiting entry already has the number and the chain that it will have on disk,
so the record is the same in the end.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from calibration.errors import UnusableInput
from calibration.files import only_writer, open_kept, sync_folder, whole_file
from calibration.texts import unusable_input
from referee.journal import WRITER, Entry, Journal, canonical, chained, now_utc
from referee.journal.store import INSERT, row_of
from referee.outputs.cells import safe_cell
from referee.outputs.tracks import HEADER, TracksWriter, take_back
from tracker.events import TrackRow

_KEPT_BYTES = 32 * 2**20
"""Rows of tracks.csv kept while the disk is full; rulings do not need them, so the oldest go first."""
_WRITE_BYTES = 64 * 1024  # rows wait until there are this many bytes


class DeferredJournal(Journal):
    """A journal whose writes do not fail on a full disk, nor where its folder is moved or deleted.

    It knows the numbers of its entries in advance, so no other process may write it: its folder is locked
    until it is closed.
    `failing`: the reason why the last write did not reach the disk; None when everything is on disk.
    """

    def __init__(self, path: Path | str, clock: Callable[[], str] = now_utc) -> None:
        self._lock = ExitStack()
        self._lock.enter_context(only_writer(Path(path).parent, "cueref live"))
        try:
            super().__init__(path, clock)
        except BaseException:
            self._lock.close()
            raise
        self.failing: str | None = None
        self._kept: list[Entry] = []
        self._kept_progress: dict[str, bytes] = {}
        self._open_since: int | None = None
        row = self._db.execute("SELECT max(id) FROM entries").fetchone()
        self._last_id = int(row[0] or 0)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Keep all entries of the block or none, then try to write them."""
        at, last_id, chain = len(self._kept), self._last_id, self._chain
        self._open_since = at
        try:
            yield
        except BaseException:
            del self._kept[at:]
            self._last_id, self._chain = last_id, chain
            raise
        finally:
            self._open_since = None
        self.flush()

    def append(self, kind: str, value: object, t_s: float | None = None, who: str = WRITER) -> Entry:
        """Keep one entry, then try to write it and all before it."""
        data = canonical(value)
        self._chain = chained(self._chain, kind, t_s, data)
        self._last_id += 1
        entry = Entry(self._last_id, kind, t_s, data.decode("utf-8"), who, self._clock(), self._chain)
        self._kept.append(entry)
        if self._open_since is None:
            self.flush()
        return entry

    def flush(self) -> bool:
        """Try to write what is kept; whether all of it is on disk."""
        if not self._kept and not self._kept_progress:
            return True
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany(INSERT, map(row_of, self._kept))
            for name, value in self._kept_progress.items():
                self._db.execute("INSERT OR REPLACE INTO progress (name, value) VALUES (?, ?)", (name, value))
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            self.failing = str(error)
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            return self.replaced and self._written_anew() and self.flush()
        self._kept, self._kept_progress, self.failing = [], {}, None
        return True

    def _written_anew(self) -> bool:
        """Write the whole record to its place again, from which the file was moved, deleted or replaced.

        The open file is readable all the same. What lies in its place is kept under another name. Whether it
        could be done.
        """
        target = Path(self.path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock.close()  # of the folder that was there
            self._lock.enter_context(only_writer(target.parent, "cueref live"))
            with whole_file(target, 0o600) as part:
                with closing(sqlite3.connect(part)) as copy:
                    self._db.backup(copy)
                if os.path.lexists(target):
                    os.replace(target, target.with_name(f"journal.{secrets.token_hex(3)}.sqlite"))
            chain, before = self._chain, self._db
            super().__init__(target, self._clock)
        except (OSError, sqlite3.Error, UnusableInput):
            return False
        self._chain = chain
        before.close()
        return True

    def entries(self, kind: str | None = None, after: int = 0) -> Iterator[Entry]:
        """Entries in order, those in memory last."""
        yield from super().entries(kind, after)
        yield from [e for e in self._kept if e.id > after and kind in (None, e.kind)]

    def set_progress(self, name: str, value: bytes) -> None:
        self._kept_progress[name] = value
        if self._open_since is None:
            self.flush()

    def progress(self, name: str) -> bytes | None:
        kept = self._kept_progress.get(name)
        return kept if kept is not None else super().progress(name)

    @property
    def waiting(self) -> int:
        """How many entries are in memory alone."""
        return len(self._kept)

    def close(self) -> None:
        self.flush()
        super().close()
        self._lock.close()


class DeferredTracks(TracksWriter):
    """`tracks.csv` being written in pieces; rows wait in memory while the disk is full."""

    def __init__(self, out_dir: Path, resume_at: int | None = None) -> None:
        self._waiting = bytearray()
        self._part, self._target = out_dir / ".tracks.csv.part", out_dir / "tracks.csv"
        take_back(self._part, self._target, resume_at)
        self._raw = open_kept(self._part)
        whole = resume_at is not None and os.fstat(self._raw).st_size >= resume_at
        self._at = self._synced = resume_at or 0 if whole else 0
        try:
            os.ftruncate(self._raw, self._at)
        except OSError as error:
            os.close(self._raw)
            raise unusable_input(
                "errors.file_that_can_be_written_not", part=self._part, reason=error.strerror
            ) from None
        if not whole:
            self._waiting += HEADER.encode()

    def write(self, row: TrackRow) -> None:
        """Append one row; times to 0.1 ms, positions to 1 µm."""
        place = f"{row.x_mm:.3f},{row.y_mm:.3f},{row.sigma_mm:.3f}"
        line = f"{row.t_s:.4f},{safe_cell(row.ball)},{place},{row.state}\n"
        self._waiting += line.encode()
        if len(self._waiting) >= _WRITE_BYTES:
            self._pour()

    def _pour(self) -> bool:
        """Write the waiting rows; whether all could be written."""
        try:
            while self._waiting:
                done = os.pwrite(self._raw, self._waiting, self._at)
                self._at += done
                del self._waiting[:done]
        except OSError:
            if len(self._waiting) > _KEPT_BYTES:
                del self._waiting[: self._waiting.index(b"\n", len(self._waiting) - _KEPT_BYTES) + 1]
            return False
        return True

    def mark(self) -> int:
        """Write what the disk takes; how many bytes of the file are safely on disk."""
        if self._pour():
            with suppress(OSError):  # a disk that fails: only what was synced before counts
                os.fsync(self._raw)
                self._synced = self._at
        return self._synced

    def commit(self) -> Path:
        """Close and give the file its name; on a disk that refuses it keeps the one it has."""
        try:
            self.mark()
            self.close()
            os.replace(self._part, self._target)
            sync_folder(self._target.parent)
        except OSError:
            return self._part
        return self._target

    def close(self) -> None:
        """Close and keep the part file, for a later `resume_at`."""
        if self._raw >= 0:
            self._pour()
            os.close(self._raw)
            self._raw = -1
