"""A time of day that the soak sets for `cueref live` alone: the machine's clock is others' too."""

from __future__ import annotations

import itertools
import mmap
import os
import shutil
import struct
import subprocess
import time
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from referee.quality.soak.plan import CLOCK_AHEAD_S

_SOURCE = Path(__file__).with_name("set_clock.c")
_COMPILES_S = 60.0


@dataclass
class SetClock:
    """`environment`: of a process whose clock is set by `next`."""

    environment: dict[str, str]
    _ahead_ns: mmap.mmap
    _turn: itertools.cycle[float] = field(default_factory=lambda: itertools.cycle(CLOCK_AHEAD_S))

    def next(self) -> float:
        """Set the time of day to the next of `CLOCK_AHEAD_S`."""
        ahead_s = next(self._turn)
        self._ahead_ns[:] = struct.pack("q", round(ahead_s * 1e9))
        return ahead_s


def set_clock(folder: Path) -> SetClock | None:
    """A clock that is right until `next`; its files are in the folder. None without a C compiler."""
    compiler, library, ahead = shutil.which("cc"), folder / "set_clock.so", folder / "set_clock.ahead_ns"
    if compiler is None:
        return None
    command = (compiler, "-shared", "-fPIC", "-O2", "-o", str(library), str(_SOURCE))
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_COMPILES_S)
    except (OSError, subprocess.SubprocessError):
        return None
    ahead.write_bytes(struct.pack("q", 0))
    with ahead.open("r+b") as file:
        mapped = mmap.mmap(file.fileno(), 8)
    preloaded = " ".join(filter(None, (str(library), os.environ.get("LD_PRELOAD", ""))))
    return SetClock({"LD_PRELOAD": preloaded, "CUEREF_SOAK_CLOCK": str(ahead)}, mapped)


def said_unix(utc: str) -> float:
    """The right Unix time of a time of day that was said just now by a clock that may have been set."""
    said, now = datetime.fromisoformat(utc).timestamp(), time.time()
    return min((said - ahead_s for ahead_s in CLOCK_AHEAD_S), key=lambda unix_s: abs(unix_s - now))
