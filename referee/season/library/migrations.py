"""The library's schema as named migrations, in SQL that SQLite (3.24) and PostgreSQL share.

Each runs in one transaction that also records its name. Text keys alone, because the two number rows
differently.
"""

from __future__ import annotations

from typing import Any

MIGRATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "001_matches",
        (
            """CREATE TABLE players (
                name TEXT PRIMARY KEY,
                number TEXT UNIQUE,
                team TEXT
            )""",
            """CREATE TABLE matches (
                id TEXT PRIMARY KEY,
                played_on TEXT NOT NULL,
                game TEXT NOT NULL,
                player_a TEXT NOT NULL REFERENCES players (name),
                player_b TEXT NOT NULL REFERENCES players (name),
                best_of INTEGER,
                strokes INTEGER NOT NULL,
                questions INTEGER NOT NULL,
                folder TEXT NOT NULL,
                journal TEXT NOT NULL
            )""",
            """CREATE TABLE frames (
                match_id TEXT NOT NULL REFERENCES matches (id),
                n INTEGER NOT NULL,
                score_a INTEGER NOT NULL,
                score_b INTEGER NOT NULL,
                winner TEXT,
                PRIMARY KEY (match_id, n)
            )""",
            """CREATE TABLE breaks (
                match_id TEXT NOT NULL REFERENCES matches (id),
                frame INTEGER NOT NULL,
                stroke INTEGER NOT NULL,
                side TEXT NOT NULL,
                points INTEGER NOT NULL,
                PRIMARY KEY (match_id, stroke)
            )""",
        ),
    ),
    (
        "002_fixtures",
        (
            """CREATE TABLE fixtures (
                id TEXT PRIMARY KEY,
                competition TEXT NOT NULL,
                due_on TEXT NOT NULL,
                home TEXT NOT NULL REFERENCES players (name),
                away TEXT NOT NULL REFERENCES players (name),
                best_of INTEGER
            )""",
            "ALTER TABLE matches ADD COLUMN fixture TEXT REFERENCES fixtures (id)",
            "CREATE UNIQUE INDEX one_match_a_fixture ON matches (fixture)",
        ),
    ),
    (
        "003_strokes",
        (
            """CREATE TABLE strokes (
                match_id TEXT NOT NULL REFERENCES matches (id),
                n INTEGER NOT NULL,
                frame INTEGER NOT NULL,
                side TEXT NOT NULL,
                attempt INTEGER,
                made INTEGER NOT NULL,
                is_long INTEGER NOT NULL,
                foul INTEGER NOT NULL,
                safe INTEGER,
                points INTEGER NOT NULL,
                shot_s DOUBLE PRECISION,
                ball TEXT,
                across DOUBLE PRECISION,
                along DOUBLE PRECISION,
                pocket TEXT,
                PRIMARY KEY (match_id, n)
            )""",
            """CREATE TABLE aliases (
                alias TEXT PRIMARY KEY,
                name TEXT NOT NULL REFERENCES players (name)
            )""",
        ),
    ),
)


def migrate(connection: Any, at: str) -> None:
    """Apply what is missing, in the connection's transaction (of SQLAlchemy), which others wait for.

    Raises ValueError when the database knows migrations that this version does not.
    """
    from sqlalchemy import text

    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(1129661778)"))  # CUER: one process at a time
    connection.execute(
        text("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, at TEXT NOT NULL)")
    )
    done = set(connection.execute(text("SELECT name FROM migrations")).scalars())
    newer = sorted(done - {name for name, _ in MIGRATIONS})
    if newer:
        raise ValueError(f"a library of a newer version (migration {newer[0]})")
    for name, statements in MIGRATIONS:
        if name not in done:
            for statement in statements:
                connection.execute(text(statement))
            connection.execute(
                text("INSERT INTO migrations (name, at) VALUES (:name, :at)"), {"name": name, "at": at}
            )
