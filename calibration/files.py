"""Files that are whole or not there, never written through a link, and folders with one writer at a time.

Everything that cueref writes goes through this module, because a review's folder may be shared: a link in it
could lead a careless writer anywhere, and a second process could mix two matches.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

from calibration.errors import FolderInUse
from calibration.texts import sentence, unusable_input

try:
    import fcntl
except ImportError:  # Windows: folders are not locked there
    fcntl = None  # type: ignore[assignment]

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
_KEPT = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
LOCK_FILE = ".lock"
"""Name of the lock in a folder that is held."""
ABANDONED_S = 600.0
"""A temporary file that was not written to for so long has no writer: every write takes less."""
WORK = ".work"
"""How the name of a folder of `work_folder` ends."""
_YOUNG_S = 60.0
"""A folder younger than this may not be locked yet by the process that makes it."""
_TEMPORARY = re.compile(r"\..{1,100}\.[0-9a-f]{16}\.part(\..*)?", re.DOTALL)


@contextmanager
def whole_file(target: Path, mode: int = 0o666) -> Iterator[Path]:
    """A temporary path beside `target` that becomes `target` when the block ends without an error.

    The data reach the disk before the name does, so that a crash leaves the old file or the new one. The
    suffix stays, because muxers choose their container by it. A `target` that is a link is replaced, not
    followed. `mode`: permissions of the new file, less the process's umask. Raises OSError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.stem[:100]}.{secrets.token_hex(8)}.part{target.suffix}")
    os.close(os.open(temporary, _NEW, mode))
    try:
        yield temporary
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        os.replace(temporary, target)
        sync_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(target: Path, text: str, mode: int = 0o666) -> None:
    """Write a text file (UTF-8), whole or not at all. Raises OSError."""
    with whole_file(target, mode) as temporary:
        temporary.write_text(text, encoding="utf-8")


def sync_folder(folder: Path) -> None:
    """Make a folder's new names survive a power cut, where the system can."""
    with suppress(OSError):  # some file systems cannot sync a folder
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def open_kept(path: Path) -> int:
    """Descriptor of a file that is kept open and gone on with later; made where it is missing.

    Raises UnusableInput for a link or anything that is no plain file of its own.
    """
    try:
        handle = os.open(path, _KEPT, 0o666)
    except OSError as error:
        check_own_file(path)
        raise unusable_input("errors.file_that_can_be_written", path=path, reason=error.strerror) from None
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(handle)
        check_own_file(path)
        raise unusable_input("errors.plain_file", path=path)
    return handle


def check_own_file(path: Path) -> None:
    """Raises UnusableInput when `path` is there and is a link or no plain file; a file made anew is fine."""
    try:
        found = path.lstat()
    except OSError:
        return
    if stat.S_ISLNK(found.st_mode) or (found.st_nlink > 1 and stat.S_ISREG(found.st_mode)):
        raise unusable_input("errors.file_of_this_folder", path=path)
    if not stat.S_ISREG(found.st_mode):
        raise unusable_input("errors.plain_file", path=path)


def sweep(folder: Path, abandoned_s: float = ABANDONED_S) -> None:
    """Delete the temporary files that killed writers left: those of `whole_file`, untouched for some time."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if not _TEMPORARY.fullmatch(entry.name) or not entry.is_file(follow_symlinks=False):
                continue
            with suppress(OSError):
                if time.time() - entry.stat(follow_symlinks=False).st_mtime > abandoned_s:
                    os.unlink(entry.path)


@contextmanager
def work_folder(prefix: str) -> Iterator[Path]:
    """A folder in the system's temporary place (mode 0700) that is deleted when the block ends.

    A process that is killed cannot delete it: the next one that asks with the same prefix does. A folder
    is in use while its lock is held, which ends with the process. Raises OSError.
    """
    _sweep_work(Path(tempfile.gettempdir()), prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, suffix=WORK))
    handle = os.open(folder, os.O_RDONLY) if fcntl is not None else None
    try:
        if handle is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def _sweep_work(place: Path, prefix: str) -> None:
    """Delete this user's work folders of that prefix that no living process holds."""
    if fcntl is None:
        return
    with suppress(OSError):
        for entry in os.scandir(place):
            if entry.name.startswith(prefix) and entry.name.endswith(WORK):
                with suppress(OSError):
                    _delete_unheld(Path(entry.path))


def _delete_unheld(folder: Path) -> None:
    """Delete a work folder of this user, not a link, that is old enough and not locked. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0))
    try:
        found = os.fstat(handle)
        if found.st_uid == os.getuid() and time.time() - found.st_mtime > _YOUNG_S:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(handle)


@contextmanager
def only_writer(folder: Path, what: str) -> Iterator[None]:
    """Hold a folder, which is made where it is missing; `what` tells others who holds it.

    Raises FolderInUse while another process holds it, with its words, process number and time. The lock
    ends with the process, however that ends. Systems without flock are trusted.
    """
    if fcntl is None:
        folder.mkdir(parents=True, exist_ok=True)
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = open_kept(folder / LOCK_FILE)
    except OSError as error:
        raise unusable_input(
            "errors.folder_that_can_be_written", folder=folder, reason=error.strerror
        ) from None
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(handle, 300, 0).decode("utf-8", "replace").strip() or "another process"
            raise FolderInUse(sentence("errors.folder_of_its_own", folder=folder, holder=holder)) from None
        since = datetime.now().strftime("%H:%M")
        with suppress(OSError):  # a full disk: the lock holds, it only cannot say whose it is
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{what} (process {os.getpid()}, since {since})\n".encode(), 0)
        sweep(folder)
        yield
    finally:
        os.close(handle)
