"""Matches' journals in the library's database: the same record, chain and interface as a journal's file.

The file in a match's folder is written while the match is on, whatever becomes of the network. The library
keeps a copy, which is gone on with when the match is added again, and from which a lost folder's journal is
made anew. A journal is deleted whole or not at all: the database refuses anything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from referee.journal import (
    NAME_REMOVED,
    RUN,
    WRITER,
    Entry,
    MatchJournal,
    canonical,
    chained,
    changed_entries,
    now_utc,
    with_texts,
)
from referee.season.library.database import Database, insert, text

_COLUMNS = "id, kind, t_s, payload, who, at, chain"
_PAGE = 500
"""Entries read at once: a reader of a long journal holds no transaction while it works on them."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a look at a kept journal found. `bad`: the first entry that was changed; `fits`: it is the record
    of which the library has the results.
    """

    match: str
    entries: int
    bad: int | None
    fits: bool

    @property
    def sound(self) -> bool:
        """Nothing was changed."""
        return self.bad is None and self.fits


class LibraryJournal(MatchJournal):
    """A match's journal in tables of the library. Opened and closed with the library."""

    def __init__(self, database: Database, match: str, clock: Callable[[], str] = now_utc) -> None:
        """`match`: the id of a match that the library holds. Begins its journal where there is none."""
        self.path = f"{database.shown}: {match}"
        self._database, self._match, self._clock = database, match, clock
        self._db: Any = None
        with database.transaction() as db:
            begin(db, match)
            self._seen = last(db, match)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Everything inside is written, or nothing. Transactions do not nest."""
        with self._database.transaction() as db:
            # SQLite's transaction has the file for itself; PostgreSQL's waits for who else writes this one
            lock = " FOR UPDATE" if db.dialect.name == "postgresql" else ""
            db.execute(text(f"SELECT 1 FROM journals WHERE match_id = :id{lock}"), {"id": self._match})
            self._db = db
            try:
                yield
                seen = last(db, self._match)
            finally:
                self._db = None
        self._seen = seen

    def append(self, kind: str, value: object, t_s: float | None = None, who: str = WRITER) -> Entry:
        if self._db is None:
            with self.transaction():
                return self.append(kind, value, t_s, who)
        number, chain = last(self._db, self._match)
        data = canonical(value)
        made = Entry(
            number + 1, kind, t_s, data.decode(), who, self._clock(), chained(chain, kind, t_s, data)
        )
        extend(self._db, self._match, [made])
        return made

    def entries(self, kind: str | None = None, after: int = 0) -> Iterator[Entry]:
        only = " AND kind = :kind" if kind else ""
        query = text(
            f"SELECT {_COLUMNS} FROM entries WHERE match_id = :match AND id > :after{only}"
            f" ORDER BY id LIMIT {_PAGE}"
        )
        while True:
            with self._connection() as db:
                given = {"match": self._match, "after": after} | ({"kind": kind} if kind else {})
                found = [Entry(*row) for row in db.execute(query, given)]
            yield from found
            if len(found) < _PAGE:
                return
            after = found[-1].id

    @property
    def digest(self) -> str:
        with self._connection() as db:
            return last(db, self._match)[1]

    @property
    def replaced(self) -> bool:
        """Whether another program has deleted or rewritten it: the last entry known is no longer there."""
        number, chain = self._seen
        with self._connection() as db:
            kept = db.execute(
                text(
                    "SELECT e.chain FROM journals j LEFT JOIN entries e"
                    " ON e.match_id = j.match_id AND e.id = :id WHERE j.match_id = :match"
                ),
                {"match": self._match, "id": number},
            ).first()
        return kept is None or (kept[0] or "") != chain

    def set_progress(self, name: str, value: bytes) -> None:
        with self._connection() as db:
            note(db, self._match, name, value)

    def progress(self, name: str) -> bytes | None:
        query = "SELECT value FROM progress WHERE match_id = :match AND name = :name"
        with self._connection() as db:
            found = db.execute(text(query), {"match": self._match, "name": name}).scalar()
        return None if found is None else bytes(found)

    def rewrite(self, without: Callable[[str], str]) -> bool:
        """Put `without(text)` in place of every text of the record and chain it anew; whether it changed any.

        A last entry tells what the digest was before.
        """
        before, run = list(self.entries()), self.progress(RUN)
        after = list(changed_entries(before, lambda value: with_texts(value, without), without))
        told = None if run is None else canonical(with_texts(json.loads(run), without))
        if [(e.text, e.who) for e in after] == [(e.text, e.who) for e in before] and (
            run is None or json.loads(run) == json.loads(told or b"")
        ):
            return False
        with self.transaction():
            drop(self._db, self._match)
            keep(self._db, self._match, after, told)
            self.append(NAME_REMOVED, {"digest_before": before[-1].chain if before else ""})
        return True

    def close(self) -> None:
        """Nothing: the library's connections are its own."""

    @contextmanager
    def _connection(self) -> Iterator[Any]:
        """That of the transaction that is on, else one of its own."""
        if self._db is not None:
            yield self._db
            return
        with self._database.transaction() as db:
            yield db


def begin(db: Any, match: str) -> None:
    """Begin a match's journal, where there is none."""
    insert(db, "journals", [{"match_id": match}], "ON CONFLICT (match_id) DO NOTHING")


def last(db: Any, match: str) -> tuple[int, str]:
    """Number and chain of a journal's last entry; 0 and "" of an empty one."""
    query = "SELECT id, chain FROM entries WHERE match_id = :match ORDER BY id DESC LIMIT 1"
    row = db.execute(text(query), {"match": match}).first()
    return (0, "") if row is None else (int(row[0]), str(row[1]))


def extend(db: Any, match: str, entries: Sequence[Entry]) -> None:
    """Write entries as they are: with their numbers, times, writers and chain."""
    insert(
        db,
        "entries",
        [
            {
                "match_id": match,
                "id": e.id,
                "kind": e.kind,
                "t_s": e.t_s,
                "payload": e.text,
                "who": e.who,
                "at": e.at,
                "chain": e.chain,
            }
            for e in entries
        ],
    )


def note(db: Any, match: str, name: str, value: bytes) -> None:
    """What `MatchJournal.set_progress` does."""
    row = {"match_id": match, "name": name, "value": value}
    insert(db, "progress", [row], "ON CONFLICT (match_id, name) DO UPDATE SET value = excluded.value")


def keep(db: Any, match: str, entries: Sequence[Entry], run: bytes | None) -> None:
    """Keep a match's record: only what is new, where it goes on from what is kept, else all of it anew.

    It goes on unless a name was taken out of it, which chains every entry again.
    """
    number, chain = last(db, match)
    goes_on = number == 0 or any(e.id == number and e.chain == chain for e in entries)
    if not goes_on:
        drop(db, match)
    begin(db, match)
    extend(db, match, [e for e in entries if not goes_on or e.id > number])
    if run is not None:
        note(db, match, RUN, run)


def drop(db: Any, match: str) -> None:
    """Delete a match's journal, whole."""
    db.execute(text("DELETE FROM journals WHERE match_id = :id"), {"id": match})
