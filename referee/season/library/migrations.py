"""The library's schema as named migrations, in SQL that SQLite (3.24) and PostgreSQL share.

Each runs in one transaction that also records its name. Text keys alone, because the two number rows
differently. Where the two need other words, a statement has a text for each.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Statement = str | Mapping[str, str]
"""SQL of both, or the SQL of each by its name in SQLAlchemy."""

_REFUSED = "RAISE EXCEPTION 'the journal is append-only'"
_BYTES = {"sqlite": "BLOB", "postgresql": "BYTEA"}
_PROGRESS = """CREATE TABLE progress (
                match_id TEXT NOT NULL REFERENCES journals (match_id) ON DELETE CASCADE,
                name TEXT NOT NULL,
                value {bytes} NOT NULL,
                PRIMARY KEY (match_id, name)
            )"""

MIGRATIONS: tuple[tuple[str, tuple[Statement, ...]], ...] = (
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
    (
        "004_journals",
        (
            """CREATE TABLE journals (
                match_id TEXT PRIMARY KEY REFERENCES matches (id) ON DELETE CASCADE
            )""",
            """CREATE TABLE entries (
                match_id TEXT NOT NULL REFERENCES journals (match_id) ON DELETE CASCADE,
                id INTEGER NOT NULL,
                kind TEXT NOT NULL,
                t_s DOUBLE PRECISION,
                payload TEXT NOT NULL,
                who TEXT NOT NULL,
                at TEXT NOT NULL,
                chain TEXT NOT NULL,
                PRIMARY KEY (match_id, id)
            )""",
            {dialect: _PROGRESS.format(bytes=kind) for dialect, kind in _BYTES.items()},
            # an entry goes with its journal only: then the journal's own row is gone already
            {
                "sqlite": """CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
                    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
                "postgresql": f"""CREATE FUNCTION entries_are_never_changed() RETURNS trigger AS
                    $$ BEGIN {_REFUSED}; END $$ LANGUAGE plpgsql""",
            },
            {
                "sqlite": """CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
                    WHEN EXISTS (SELECT 1 FROM journals WHERE match_id = OLD.match_id)
                    BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END""",
                "postgresql": f"""CREATE FUNCTION entries_are_never_deleted() RETURNS trigger AS
                    $$ BEGIN
                        IF EXISTS (SELECT 1 FROM journals WHERE match_id = OLD.match_id) THEN
                            {_REFUSED};
                        END IF;
                        RETURN OLD;
                    END $$ LANGUAGE plpgsql""",
            },
            {
                "postgresql": """CREATE TRIGGER entries_are_never_changed BEFORE UPDATE ON entries
                    FOR EACH ROW EXECUTE FUNCTION entries_are_never_changed()"""
            },
            {
                "postgresql": """CREATE TRIGGER entries_are_never_deleted BEFORE DELETE ON entries
                    FOR EACH ROW EXECUTE FUNCTION entries_are_never_deleted()"""
            },
        ),
    ),
    (
        "005_outcomes",
        (
            """CREATE TABLE outcomes (
                fixture TEXT PRIMARY KEY REFERENCES fixtures (id),
                why TEXT NOT NULL,
                winner TEXT REFERENCES players (name),
                decided_on TEXT NOT NULL
            )""",
        ),
    ),
)


def migrate(connection: Any, at: str) -> None:
    """Apply what is missing, in the connection's transaction (of SQLAlchemy), which others wait for.

    Raises ValueError when the database knows migrations that this version does not.
    """
    from sqlalchemy import text

    dialect = connection.dialect.name
    if dialect == "postgresql":
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
                if sql := statement if isinstance(statement, str) else statement.get(dialect):
                    connection.exec_driver_sql(sql)
            connection.execute(
                text("INSERT INTO migrations (name, at) VALUES (:name, :at)"), {"name": name, "at": at}
            )
