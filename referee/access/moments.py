"""Moments whose distance does not change when the machine's clock is set.

A session may outlive the process, so that a process's monotonic clock does not do. Linux counts the seconds
since boot for all processes alike; only over a restart of the machine the time of day has to be believed.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CLOCK = getattr(time, "CLOCK_BOOTTIME", None)


@dataclass(frozen=True, slots=True)
class Moment:
    """`boot`: the run of the machine, empty where it is not known; `boot_s`: seconds since it began."""

    boot: str
    boot_s: float
    unix_s: float

    def age_s(self, now: Moment) -> float:
        """Seconds from this moment to `now`; infinite where the clock says that it has not come yet."""
        if self.boot and self.boot == now.boot:
            return now.boot_s - self.boot_s
        age_s = now.unix_s - self.unix_s
        return age_s if age_s >= 0 else math.inf


def moment() -> Moment:
    """The present moment."""
    if _CLOCK is None:
        return Moment("", 0.0, time.time())
    return Moment(_boot_id(), time.clock_gettime(_CLOCK), time.time())


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""
