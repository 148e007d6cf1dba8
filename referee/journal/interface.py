"""The interface of a match's journal, wherever it is kept: an SQLite file, or tables of a club's database.

Entries are numbered from 1, never changed, and chained by SHA-256, so that two journals with the same record
have the same `digest`. Who and when stand beside the record, not in it.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from calibration.errors import UnusableInput
from calibration.texts import sentence

WRITER = "cueref"
"""Who writes what was seen and judged; everybody else is a person."""

RAW = "surrogateescape"  # bytes that are no text come back as they are, so that a damaged entry can be shown


def now_utc() -> str:
    """The time of day for `at`, ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def local_day(at: str) -> str:
    """The day of a moment `at` (ISO 8601, UTC) by this machine's time zone, as an ISO date.

    A match of an evening in New York belongs to that evening, though it is the next day in UTC.
    """
    try:
        return datetime.fromisoformat(at).astimezone().date().isoformat()
    except (ValueError, OverflowError):  # who and when stand beside the chain: anything may have been written
        return at[:10]


def broken_chain(journal: Path | str, bad: int) -> str:
    """The sentence about a journal whose entry `bad` is the first that was changed."""
    return sentence("errors.journal_entry_changed", journal=journal, bad=bad)


def chained(chain: str, kind: str, t_s: float | None, data: bytes) -> str:
    """The chain of an entry whose predecessor has `chain` ("" before the first); `data`: its payload."""
    return hashlib.sha256(f"{chain}\n{kind}\n{t_s!r}\n".encode() + data).hexdigest()


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


class MatchJournal(Protocol):
    """A match's journal. Not for several threads; several processes may read while one writes.

    `path`: how people call the place where it is kept.
    """

    path: str

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside is written, or nothing. Transactions do not nest."""

    @abstractmethod
    def append(self, kind: str, value: object, t_s: float | None = None, who: str = WRITER) -> Entry:
        """Write one entry (plain JSON values) and return it.

        The chain goes on from the last entry that is kept: another process may have written meanwhile.
        """

    @abstractmethod
    def entries(self, kind: str | None = None, after: int = 0) -> Iterator[Entry]:
        """Entries in order, optionally of one kind or after an id."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """SHA-256 over the whole record (kinds, times of the clip, payloads), without who and when."""

    @property
    @abstractmethod
    def replaced(self) -> bool:
        """Whether another program has deleted, moved or rewritten what this journal opened."""

    @abstractmethod
    def set_progress(self, name: str, value: bytes) -> None:
        """Remember where a run stands; the value before is forgotten."""

    @abstractmethod
    def progress(self, name: str) -> bytes | None:
        """What `set_progress` last wrote under the name."""

    @abstractmethod
    def close(self) -> None:
        """Let the file or the connection go."""

    def entry(self, number: int) -> Entry:
        """One entry. Raises KeyError when there is none of that number."""
        for found in self.entries(after=number - 1):
            if found.id == number:
                return found
            break
        raise KeyError(f"no entry {number} in {self.path}")

    def verify(self) -> bool:
        """Whether every entry still chains to the one before."""
        return self.first_bad_entry() is None

    def first_bad_entry(self, after: int = 0) -> int | None:
        """Number of the first entry that was changed after it was written; None when the chain holds.

        `after`: an entry up to which the chain is known to hold.
        """
        chain = self.entry(after).chain if after else ""
        for e in self.entries(after=after):
            chain = chained(chain, e.kind, e.t_s, e.text.encode("utf-8", RAW))
            if chain != e.chain:
                return e.id
        return None

    def check_chain(self) -> None:
        """Raises UnusableInput when an entry was changed after it was written."""
        bad = self.first_bad_entry()
        if bad is not None:
            raise UnusableInput(broken_chain(self.path, bad))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
