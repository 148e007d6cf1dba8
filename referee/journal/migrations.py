"""The journal's schema as named migrations; each runs in one transaction that also records its name."""

from __future__ import annotations

import sqlite3

APPLICATION_ID = 0x43554552
"""`CUER`: says that an SQLite file is a journal of ours."""

MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "001_entries",
        (
            """CREATE TABLE entries (
                id INTEGER PRIMARY KEY AUTOINCREMENT,
                kind TEXT NOT NULL,
                t_s REAL,
                payload TEXT NOT NULL,
                who TEXT NOT NULL,
                at TEXT NOT NULL,
                chain TEXT NOT NULL
            )""",
            """CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
               BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
            """CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
               BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
        ),
    ),
    (
        "002_progress",
        (
            # where a run stands, for going on after a kill: not part of the record, so it is overwritten
            "CREATE TABLE progress (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
        ),
    ),
)


_LIST = "CREATE TABLE migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL)"
_SEQUENCE = "CREATE TABLE sqlite_sequence(name,seq)"  # SQLite's own, of AUTOINCREMENT


def check_schema(db: sqlite3.Connection) -> None:
    """Raises ValueError for a file that holds anything but our tables and triggers, word for word: a
    stranger's view in the place of a table may never end, a trigger may go off at a correction.
    """
    ours = {_words(s) for s in (_LIST, _SEQUENCE, *(s for _, made in MIGRATIONS for s in made))}
    for name, sql in db.execute("SELECT name, sql FROM sqlite_master"):
        if sql is not None and _words(str(sql)) not in ours:
            raise ValueError(f"it holds {str(name)[:40]!r}, which no journal does")


def _words(sql: str) -> str:
    return " ".join(sql.split())


def migrate(db: sqlite3.Connection, at: str) -> None:
    """Apply what is missing. Raises ValueError when the file knows migrations that this version does not."""
    db.execute(_LIST.replace("TABLE", "TABLE IF NOT EXISTS"))
    done = {row[0] for row in db.execute("SELECT name FROM migrations")}
    newer = sorted(done - {name for name, _ in MIGRATIONS})
    if newer:
        raise ValueError(f"written by a newer version (migration {newer[0]})")
    for name, statements in MIGRATIONS:
        if name in done:
            continue
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements:
                db.execute(statement)
            db.execute("INSERT INTO migrations (name, at) VALUES (?, ?)", (name, at))
            db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:  # a full disk ends the transaction by itself
                db.execute("ROLLBACK")
            raise
