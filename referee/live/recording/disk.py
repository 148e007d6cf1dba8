"""Free disk space: recording stops before the disk is full and resumes when there is room; refereeing never
stops.
"""

from __future__ import annotations

import errno
import shutil
from dataclasses import dataclass
from pathlib import Path

from calibration.files import whole_file
from calibration.texts import sentence

_NEARLY = 2.0  # times the reserve: below this a warning is published
_RESUME = 1.1  # times the reserve: recording does not flicker at the edge


@dataclass(frozen=True, slots=True)
class Room:
    """The free space of a disk. `sentence` is empty when all is well."""

    free_bytes: int
    may_record: bool
    sentence: str


def look(folder: Path, reserve_bytes: int, recording: bool) -> Room:
    """Whether there is room to record in a folder; `recording`: whether recording was on until now."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        said = sentence("conditions.no_folder", folder=folder, why=error.strerror)
        return Room(0, False, said)
    if free < reserve_bytes * (1.0 if recording else _RESUME):
        return Room(
            free,
            False,
            sentence("conditions.no_room", free=_mb(free), kept=_mb(reserve_bytes)),
        )
    if free < _NEARLY * reserve_bytes:
        return Room(
            free,
            True,
            sentence("conditions.little_room", free=_mb(free), kept=_mb(reserve_bytes)),
        )
    return Room(free, True, "")


def is_full(error: OSError) -> bool:
    """Whether a write failed because the disk or the quota is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def write_whole(path: Path, data: bytes) -> None:
    """Write a file whole or not at all. OSError as the system gives it; nothing half-written stays."""
    with whole_file(path) as part:
        part.write_bytes(data)


def _mb(size: float) -> int:
    return round(size / 1e6)
