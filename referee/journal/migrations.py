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


def migrate(db: sqlite3.Connection, at: str) -> None:
    """Apply what is missing. Raises ValueError when the file knows migrations that this version does not."""
    db.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL)")
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
