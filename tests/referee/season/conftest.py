"""The databases that a library is tested with: SQLite, and PostgreSQL where Debian's server is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


def postgres_binaries() -> Path | None:
    """Debian keeps them outside of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    on_path = shutil.which("initdb")
    return found[-1] if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of an empty PostgreSQL server of this test alone, on a socket in its own folder."""
    programs = postgres_binaries()
    if programs is None:
        pytest.skip("no PostgreSQL here (Debian: apt install postgresql)")
    user = "postgres" if os.geteuid() == 0 else None  # the server refuses to run as root
    with tempfile.TemporaryDirectory(prefix="cueref-pg-", dir="/tmp") as folder:
        if user:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        initdb = [str(programs / "initdb"), "-D", data, "-U", "club", "-A", "trust", "--no-sync"]
        subprocess.run(initdb, check=True, capture_output=True, user=user, cwd=folder, timeout=120)
        control = [str(programs / "pg_ctl"), "-D", data, "-w", "-l", f"{folder}/log"]
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        subprocess.run(
            [*control, "-o", options, "start"],
            check=True,
            user=user,
            cwd=folder,
            timeout=120,
            stdout=subprocess.DEVNULL,
        )
        try:
            yield f"postgresql://club@/postgres?host={folder}"
        finally:
            stop = [*control, "-m", "immediate", "stop"]
            subprocess.run(stop, check=True, user=user, cwd=folder, timeout=120, stdout=subprocess.DEVNULL)


@pytest.fixture
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], str]:
    """Gives the address of an empty database, by its kind: sqlite or postgres."""

    def made(kind: str) -> str:
        if kind == "sqlite":
            return str(tmp_path / "club.sqlite")
        address: str = request.getfixturevalue("postgres")
        from sqlalchemy import create_engine, text

        engine = create_engine(address.replace("postgresql:", "postgresql+psycopg:"))
        with engine.begin() as db:
            db.execute(text("DROP SCHEMA public CASCADE"))
            db.execute(text("CREATE SCHEMA public"))
        engine.dispose()
        return address

    return made


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, empty_database: Callable[[str], str]) -> str:
    """The address of an empty database of each kind."""
    return empty_database(request.param)
