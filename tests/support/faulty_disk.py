"""`faulty_disk.c` for tests: compiled, armed from Python, and the folder after any of the writes it kept."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("faulty_disk.c")
_HEAD = struct.Struct("<8q")


def available() -> bool:
    """Whether this machine can compile and preload it."""
    return shutil.which("cc") is not None and os.uname().sysname == "Linux"


def built(folder: Path) -> Path:
    """The compiled library."""
    target = folder / "faulty_disk.so"
    flags = ["-Wall", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", str(target), str(SOURCE), "-ldl", "-lpthread"], check=True)
    return target


class Disk:
    """The preloaded library in this process."""

    def __init__(self) -> None:
        self._library = ctypes.CDLL(None)
        self._library.faulty_disk_count.restype = ctypes.c_long

    def arm(
        self,
        folder: Path,
        at: int = 0,
        error: int = 0,
        for_ever: bool = False,
        delay_us: int = 0,
        log: str = "",
    ) -> None:
        """From now on calls that change `folder` count; number `at` fails with `error` (0: none)."""
        self._library.faulty_disk_arm(
            os.fsencode(folder), ctypes.c_long(at), error, int(for_ever), delay_us, log.encode()
        )

    def disarm(self) -> int:
        """No call fails any more; how many there were."""
        count = int(self._library.faulty_disk_count())
        self._library.faulty_disk_arm(b"", ctypes.c_long(0), 0, 0, 0, b"")
        return count


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the folder. `kind`: C created, T emptied, W written, t truncated, S synced, R renamed, U
    deleted, M folder made, D folder deleted.
    """

    kind: str
    inode: int
    offset: int
    data: bytes
    path: str
    to: str


def changes(log: Path) -> list[Change]:
    """What the log holds, in order."""
    found, stored, at = [], log.read_bytes(), 0
    while at + _HEAD.size <= len(stored):
        kind, inode, offset, length, a, b, _, _ = _HEAD.unpack_from(stored, at)
        at += _HEAD.size
        path, to = stored[at : at + a].decode(), stored[at + a : at + a + b].decode()
        at += a + b
        found.append(Change(chr(kind), inode, offset, stored[at : at + length], path, to))
        at += length
    return found


class Replay:
    """A folder as it was after a number of changes: what a power cut leaves where writes keep their order."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names: dict[str, int] = {}
        self._files: dict[int, bytearray] = {}

    def after_each(self, log: list[Change]) -> Iterator[Change]:
        """Take in one change after the other."""
        for change in log:
            self._apply(change, change.data)
            yield change

    def torn(self, change: Change) -> None:
        """Take in the first half of a write."""
        self._apply(change, change.data[: len(change.data) // 2])

    def _apply(self, c: Change, data: bytes) -> None:
        if c.kind in "CT":
            self._names[c.path] = c.inode
            self._files[c.inode] = bytearray()
        elif c.kind in "Wt":
            file = self._files.setdefault(c.inode, bytearray())
            end = c.offset + len(data)
            file.extend(bytes(max(0, end - len(file))))
            if c.kind == "W":
                file[c.offset : end] = data
            else:
                del file[c.offset :]
        elif c.kind == "R" and c.path in self._names:
            self._names[c.to] = self._names.pop(c.path)
        elif c.kind == "U":
            self._names.pop(c.path, None)

    def write(self, target: Path) -> None:
        """The folder as it is now, under another name."""
        target.mkdir(parents=True, exist_ok=True)
        for name, inode in self._names.items():
            path = target / Path(name).relative_to(self._folder)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._files[inode])
