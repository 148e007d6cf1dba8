"""Backups of a table's matches or of one review, taken while a match runs, and put back.

A backup is one list in DEST/backups; the files it names lie in DEST/objects by their SHA-256, so that a clip
is copied once however often backups are taken. Journals are copied by SQLite's online backup: whole
transactions, whatever is written meanwhile. Tracks follow their journal, which knows how long they must be.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from calibration import json_text
from calibration.files import LOCK_FILE, only_writer, sync_folder, whole_file
from calibration.texts import unusable_input
from referee.journal import JOURNAL_FILE, Journal, canonical

_LISTS, _OBJECTS, _FORMAT = "backups", "objects", 1
_LEFT_OUT = re.compile(r"\.lock|.*-journal|\..*\.[0-9a-f]{16}\.part.*|seg_\d+_\d+\.mkv|room")
"""Locks, rollback files, files half written, and a camera's last minutes, which are forgotten anyhow."""
_COPY = ".copy-"
"""How the name of a folder begins in which a file is copied."""
_NAME = re.compile(r"\d{8}T\d{6}\.\d{6}Z")
_SHA = re.compile(r"[0-9a-f]{64}")
_PIECE_BYTES = 1 << 20
_LOOKS = 3
"""How often a folder is gone through: a match that ends meanwhile gives its files their names, and another
may begin. What comes after the last look is in the next backup.
"""


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of a backup. `path`: in the folder, with `/`. `bad_entry`: of a journal that was changed."""

    path: str
    sha256: str
    size: int
    bad_entry: int | None = None


@dataclass(frozen=True, slots=True)
class Backup:
    """One backup. `name`: the moment, UTC. `copied_bytes`: what was not there before."""

    name: str
    files: tuple[Kept, ...]
    copied_bytes: int = 0


def take_backup(folder: Path, dest: Path) -> Backup:
    """Back `folder` up into `dest`, which is made and may hold earlier backups.

    A match that is on goes on meanwhile. Raises UnusableInput for a folder that holds no journal, OSError.
    """
    if not any(folder.rglob(JOURNAL_FILE)):
        raise unusable_input("errors.reviews_or_a_tables_folder", folder=folder, journal_file=JOURNAL_FILE)
    if dest.resolve().is_relative_to(folder.resolve()):
        raise unusable_input("errors.place_outside", dest=dest, folder=folder)
    with only_writer(dest, "cueref backup"):
        _sweep_copies(dest)
        kept, copied, seen = list[Kept](), 0, set[Path]()
        for _ in range(_LOOKS):
            for path in [p for p in _files(folder) if p not in seen]:
                seen.add(path)
                with suppress(FileNotFoundError):  # deleted by the table meanwhile, as old clips are
                    found, new = _keep(folder, path, dest)
                    kept.append(found)
                    copied += found.size if new else 0
        name = datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        _write_list(dest, Backup(name, tuple(kept)))
    return Backup(name, tuple(kept), copied)


def _files(folder: Path) -> Iterator[Path]:
    """The files to keep. Journals first: what lies beside one may then be newer, never older."""
    yield from sorted(p for p in _walk(folder) if p.name == JOURNAL_FILE)
    yield from sorted(p for p in _walk(folder) if p.name != JOURNAL_FILE)


def _walk(folder: Path) -> Iterator[Path]:
    for top, _, names in os.walk(folder, followlinks=False):
        yield from (Path(top) / name for name in names if not _LEFT_OUT.fullmatch(name))


def _keep(folder: Path, path: Path, dest: Path) -> tuple[Kept, bool]:
    """Copy one file to its place among the objects, unless it lies there."""
    name, bad = path.relative_to(folder).as_posix(), None
    with tempfile.TemporaryDirectory(prefix=_COPY, dir=dest) as work:
        copy = Path(work) / "file"
        if path.name == JOURNAL_FILE:
            _copy_journal(path, copy)
            with Journal(copy) as journal:
                bad = journal.first_bad_entry()
        else:
            _copy_plain(path, copy)
        digest, size = _digest(copy), copy.stat().st_size
        target = _object(dest, digest)
        if target.is_file() and target.stat().st_size == size:
            return Kept(name, digest, size, bad), False
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with copy.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(copy, target)
        sync_folder(target.parent)
    return Kept(name, digest, size, bad), True


def _copy_journal(path: Path, copy: Path) -> None:
    uri = f"{path.resolve().as_uri()}?mode=ro"
    try:
        with (
            closing(sqlite3.connect(uri, uri=True, timeout=30.0)) as source,
            closing(sqlite3.connect(copy)) as to,
        ):
            source.backup(to)
    except sqlite3.Error as error:
        raise unusable_input("errors.journal_that_can_be_copied", path=path, error=error) from None


def _copy_plain(path: Path, copy: Path) -> None:
    """Raises FileNotFoundError for what is no file of its own: a link, a pipe, a device."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if path.is_symlink() or error.errno == errno.ENXIO:
            raise FileNotFoundError(path) from None
        raise
    with os.fdopen(handle, "rb") as source, copy.open("xb") as to:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise FileNotFoundError(path)
        while piece := source.read(_PIECE_BYTES):
            to.write(piece)
    copy.chmod(0o600)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _object(dest: Path, sha256: str) -> Path:
    return dest / _OBJECTS / sha256[:2] / sha256


def _sweep_copies(dest: Path) -> None:
    """Delete what a killed backup was copying; whoever holds `dest` is the only one at work in it."""
    for left in dest.glob(f"{_COPY}*"):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left)


def _write_list(dest: Path, backup: Backup) -> None:
    text = {"format": _FORMAT, "name": backup.name, "files": [asdict(k) for k in backup.files]}
    with whole_file(dest / _LISTS / f"{backup.name}.json", 0o600) as part:
        part.write_bytes(canonical(text))


def backups_in(dest: Path) -> tuple[str, ...]:
    """The names of the backups in a destination, oldest first."""
    found = (p.stem for p in (dest / _LISTS).glob("*.json"))
    return tuple(sorted(n for n in found if _NAME.fullmatch(n)))


def read_backup(dest: Path, name: str | None = None) -> Backup:
    """The backup of that name, or the newest. Raises UnusableInput where there is none or it is damaged."""
    names = backups_in(dest)
    if not names or name not in (None, *names):
        key = "errors.backup_named" if name else "errors.backup"
        raise unusable_input(key, dest=dest, name=name)
    file = dest / _LISTS / f"{name or names[-1]}.json"
    try:
        given = json_text.loads(file.read_bytes())
        kept = tuple(Kept(**k) for k in given["files"])
        if given["format"] != _FORMAT or not all(_sound(k) for k in kept):
            raise ValueError("a list of another form")
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise unusable_input("errors.list_of_a_backup", file=file, error=error) from None
    return Backup(name or names[-1], kept)


def _sound(kept: Kept) -> bool:
    """Whether a path stays in the folder that it is put back into."""
    if not isinstance(kept.path, str):
        return False
    path = PurePosixPath(kept.path)
    if os.name == "nt" and ("\\" in kept.path or ":" in kept.path):  # there these part folders and drives
        return False
    if path == PurePosixPath(LOCK_FILE):  # it is held while the others are put back
        return False
    inside = not path.is_absolute() and ".." not in path.parts and bool(path.parts) and "\0" not in kept.path
    return inside and isinstance(kept.sha256, str) and _SHA.fullmatch(kept.sha256) is not None


def restore_backup(dest: Path, out: Path, name: str | None = None) -> Backup:
    """Put a backup back into the empty folder `out`; every file is compared with its hash.

    Raises UnusableInput for a folder that is not empty and for a file that is missing or damaged: nothing is
    left then.
    """
    backup = read_backup(dest, name)
    _check_empty(out)
    for kept in backup.files:  # all of it is looked at before anything is written
        held = _object(dest, kept.sha256)
        if not held.is_file() or _digest(held) != kept.sha256:
            raise unusable_input("errors.copy_of_as_it_was_taken", held=held, path=kept.path)
    with only_writer(out, "cueref restore-backup"):
        _check_empty(out)  # another may have come and gone meanwhile
        try:
            for kept in backup.files:
                _put_back(dest, kept, out)
        except BaseException:
            _empty(out)
            raise
    return backup


def _check_empty(out: Path) -> None:
    """Raises UnusableInput for a folder that holds anything but its lock."""
    if out.exists() and (not out.is_dir() or any(p.name != LOCK_FILE for p in out.iterdir())):
        raise unusable_input("errors.empty_folder_not_one_that_holds_something", out=out)


def _put_back(dest: Path, kept: Kept, out: Path) -> None:
    target, held = out.joinpath(*PurePosixPath(kept.path).parts), _object(dest, kept.sha256)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with whole_file(target, 0o600) as part:
        shutil.copyfile(held, part)
        if _digest(part) != kept.sha256:  # changed since it was looked at
            raise unusable_input("errors.copy_of_as_it_was_taken", held=held, path=kept.path)


def _empty(out: Path) -> None:
    """Delete what was put into a folder that had been empty, but for its lock, which is held."""
    for path in out.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        elif path.name != LOCK_FILE:
            path.unlink(missing_ok=True)


def forget_in_backups(dest: Path, gone: Iterable[str]) -> int:
    """Take files out of every backup by the beginnings of their paths, and delete what none names any more.

    Returns how many files were deleted. Raises UnusableInput, OSError.
    """
    beginnings = tuple(gone)
    with only_writer(dest, "cueref delete"):
        _sweep_copies(dest)
        named: set[str] = set()
        for name in backups_in(dest):
            backup = read_backup(dest, name)
            left = tuple(k for k in backup.files if not k.path.startswith(beginnings))
            if left != backup.files:
                _write_list(dest, Backup(name, left))
            named |= {k.sha256 for k in left}
        unnamed = [p for p in (dest / _OBJECTS).glob("??/*") if p.name not in named]
        for path in unnamed:
            path.unlink()
    return len(unnamed)
