"""Object stores by their addresses, through fsspec: files fetched, files put there whole."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any

from calibration.errors import UnusableInput
from calibration.texts import unusable_input
from vision.capture.address import shown


def is_address(place: str) -> bool:
    """Whether a place is an address of a store, not a local path."""
    return "://" in place


def joined(address: str, name: str) -> str:
    """The address of a name under another."""
    return f"{address.rstrip('/')}/{name}"


def store_of(address: str) -> tuple[Any, str]:
    """The file system of an address (fsspec) and the path in it. Raises UnusableInput for another text."""
    try:
        from fsspec.core import url_to_fs

        store, root = url_to_fs(address)
    except (ImportError, ValueError) as error:
        raise unusable_input(
            "errors.address_that_fsspec_can_open", address=shown(address), error=error
        ) from None
    return store, str(root)


@contextmanager
def answering(address: str) -> Iterator[None]:
    """What a store raises within becomes UnusableInput, which names the address."""
    try:
        yield
    except UnusableInput:
        raise
    except Exception as error:  # every store has errors of its own
        raise unusable_input("errors.store_that_answers", address=shown(address), error=error) from None


def put_folder(folder: Path, address: str, last: str) -> None:
    """Put a folder's files into a store, the one named `last` behind all others; hidden files stay.

    A store shows each file whole or not at all. Raises UnusableInput.
    """
    store, root = store_of(address)
    files = [p for p in folder.rglob("*") if p.is_file() and not p.name.startswith(".")]
    with answering(address):
        for file in sorted(files, key=lambda p: (p.name == last, p.as_posix())):
            target = f"{root.rstrip('/')}/{file.relative_to(folder).as_posix()}"
            store.makedirs(str(PurePosixPath(target).parent), exist_ok=True)
            store.put_file(str(file), target)


def get_file(address: str, target: Path) -> bool:
    """Fetch a file; False where there is none. Raises UnusableInput for a store that does not answer."""
    store, path = store_of(address)
    with answering(address):
        store.invalidate_cache()  # another process may have written it since
        if not store.exists(path):
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        store.get_file(path, str(target))
    return True


def local_folder(address: str) -> Path:
    """Where this machine works on what goes to a store: in the user's cache, the same at every call.

    So a recording whose worker died is gone on with by another of the same machine.
    """
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "cueref" / "batch" / hashlib.sha256(address.encode()).hexdigest()[:16]
