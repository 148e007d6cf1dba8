"""The file of accounts and sessions: SQLite, readable by its owner only, shared by all commands of a machine.

Passwords are stored as argon2 hashes, sessions and one-time codes as SHA-256 of what the browser holds: who
reads the file cannot log in with what it says.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from calibration.files import check_own_file
from calibration.texts import unusable_input

ACCESS_FILE = "access.sqlite"
_BUSY_S = 3.0
_MIGRATIONS: tuple[tuple[str, str], ...] = (
    (
        "accounts-sessions-codes",
        """
        CREATE TABLE settings (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT;
        CREATE TABLE accounts (
            id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,
            role INTEGER NOT NULL, password TEXT, table_name TEXT, made_unix_s REAL NOT NULL) STRICT;
        CREATE TABLE sessions (
            id BLOB PRIMARY KEY, account INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
            token TEXT NOT NULL, boot TEXT NOT NULL,
            begun_boot_s REAL NOT NULL, begun_unix_s REAL NOT NULL,
            used_boot_s REAL NOT NULL, used_unix_s REAL NOT NULL, used_boot TEXT NOT NULL) STRICT;
        CREATE TABLE codes (
            id BLOB PRIMARY KEY, account INTEGER REFERENCES accounts (id) ON DELETE CASCADE,
            lasts_s REAL NOT NULL, boot TEXT NOT NULL, boot_s REAL NOT NULL, unix_s REAL NOT NULL) STRICT;
        """,
    ),
)
"""Named steps of the file's form, each in a transaction; `user_version` counts those that were made."""


class AccessStore:
    """One connection to the file; None keeps everything in memory. Methods may be called from any thread."""

    def __init__(self, path: Path | None = None) -> None:
        """Raises UnusableInput for a path that holds something else or cannot be written."""
        self.path = path
        self._lock = threading.RLock()
        try:
            if path is not None:
                _make_private(path)
            self._base = sqlite3.connect(
                path or ":memory:", timeout=_BUSY_S, isolation_level=None, check_same_thread=False
            )
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise unusable_input("errors.file_of_cuerefs_accounts", path=path, error=error) from None
        self.key = self._key()

    def _prepare(self) -> None:
        with self.changing():
            self._base.execute("PRAGMA foreign_keys = ON")
            version = int(self._base.execute("PRAGMA user_version").fetchone()[0])
        if version > len(_MIGRATIONS):
            raise unusable_input("errors.accounts_of_this_version", path=self.path)
        self._base.execute("PRAGMA foreign_keys = ON")  # has no effect inside a transaction
        self._base.execute("PRAGMA journal_mode = WAL")
        for number, (_, steps) in enumerate(_MIGRATIONS, 1):
            with self.changing():
                if int(self._base.execute("PRAGMA user_version").fetchone()[0]) >= number:
                    continue
                for step in steps.split(";"):
                    self._base.execute(step)
                self._base.execute(f"PRAGMA user_version = {number}")

    def _key(self) -> bytes:
        """The key that signs cookies, made once."""
        with self.changing():
            self._base.execute(
                "INSERT OR IGNORE INTO settings VALUES ('cookie_key', ?)", (secrets.token_bytes(32),)
            )
        (key,) = self.rows("SELECT value FROM settings WHERE name = 'cookie_key'")[0]
        assert isinstance(key, bytes)
        return key

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it or nothing."""
        with self._lock:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield self._base
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
            self._base.execute("COMMIT")

    def rows(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        """The rows of a query."""
        with self._lock:
            return list(self._base.execute(query, values))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._base.close()


def _make_private(path: Path) -> None:
    """Make the file, or take the rights of others away. Raises UnusableInput for a link, OSError."""
    check_own_file(path)
    made = not path.parent.exists()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if made:
        path.parent.chmod(0o700)
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o600)


def usual_path() -> Path:
    """Where a machine's accounts are: `CUEREF_ACCESS`, else the service's or the user's folder of state."""
    told = os.environ.get("CUEREF_ACCESS")
    if told:
        return Path(told)
    service = os.environ.get("STATE_DIRECTORY", "").partition(":")[0]
    if service:
        return Path(service) / ACCESS_FILE
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local/state") / "cueref" / ACCESS_FILE
