"""The database of a library, SQLite or PostgreSQL, through SQLAlchemy: transactions and short statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from calibration.texts import unusable_input
from vision.capture.address import shown

ROWS_AT_ONCE = 1000
"""Rows of one INSERT: a match has some thousands, and their texts stand in memory meanwhile."""


class Database:
    """An open database. `shown`: its address without password, for people."""

    def __init__(self, address: str) -> None:
        """`address`: an SQLite file, or one such as postgresql://USER@HOST/NAME.

        Raises UnusableInput where SQLAlchemy or the driver is missing, and for an address that is none.
        """
        self.shown = shown(address)
        self._engine = _engine(address)

    def close(self) -> None:
        """Let the connections go."""
        self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """A connection; all that is done with it, or nothing. Raises UnusableInput for what the database
        cannot do.
        """
        from sqlalchemy.exc import SQLAlchemyError

        try:
            with self._engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            cause = " ".join(str(getattr(error, "orig", None) or error).split())
            raise unusable_input(
                "errors.database_that_can_be_used", shown=self.shown, cause=shown(cause)
            ) from None

    def wipe(self, tables: Sequence[str]) -> None:
        """Write the database's files anew, so that what was deleted is in none of their free pages."""
        from sqlalchemy.exc import SQLAlchemyError

        with suppress(SQLAlchemyError), self._engine.connect() as db:  # PostgreSQL wants its owner for this
            if self._engine.dialect.name == "sqlite":
                db.connection.driver_connection.execute("VACUUM")
                return
            alone = db.execution_options(isolation_level="AUTOCOMMIT")
            for table in tables:
                alone.execute(text(f"VACUUM FULL {table}"))


def _engine(database: str) -> Any:
    try:
        from sqlalchemy import create_engine, event
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError

        address = database if "://" in database else f"sqlite:///{database}"
        if address.startswith(("postgresql://", "postgres://")):
            address = "postgresql+psycopg://" + address.partition("://")[2]
        engine = create_engine(address)
    except ImportError as error:
        raise unusable_input("errors.packages_of_the_extra_library_pip", name=error.name) from None
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise unusable_input(
            "errors.file_or_postgresql_user_host_name", database=shown(database), error=error
        ) from None
    if engine.dialect.name == "sqlite":
        # Python's driver begins no transaction for DDL; one that is taken at once is also waited for
        event.listen(engine, "connect", _on_connect)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _on_connect(connection: Any, _: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what is deleted is overwritten


def text(statement: str) -> Any:
    """A statement whose values are bound by `:name`."""
    from sqlalchemy import text as made

    return made(statement)


def insert(db: Any, table: str, rows: Sequence[Mapping[str, object]], conflict: str = "") -> None:
    """Insert rows of the same columns, many with one call of the driver.

    Names of tables and columns are ours alone; values are bound.
    """
    if not rows:
        return
    columns, values = ", ".join(rows[0]), ", ".join(f":{name}" for name in rows[0])
    statement = text(f"INSERT INTO {table} ({columns}) VALUES ({values}) {conflict}")
    for k in range(0, len(rows), ROWS_AT_ONCE):
        db.execute(statement, rows[k : k + ROWS_AT_ONCE])


def put(db: Any, table: str, key: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Insert rows, or change those with their key."""
    if rows:
        changes = ", ".join(f"{name} = excluded.{name}" for name in rows[0] if name != key)
        insert(db, table, rows, f"ON CONFLICT ({key}) DO UPDATE SET {changes}")
