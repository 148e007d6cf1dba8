"""One process a table: a lock on the folder that ends with the process, however that ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from calibration.errors import UnusableInput

_FILE = ".live.lock"


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the folder. Raises UnusableInput while another process does; a system without flock is trusted."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (folder / _FILE).open("w")
    except OSError as error:
        raise UnusableInput(
            f"{folder}: expected a folder that can be written, found {error.strerror}"
        ) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UnusableInput(
                f"{folder}: expected a folder of its own for this table, found another cueref live (or setup)"
                " at work in it"
            ) from None
        yield
