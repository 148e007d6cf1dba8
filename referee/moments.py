"""Moments whose distance does not change when the machine's clock is set.

A session or a match may outlive the process, so that a process's monotonic clock does not do. Linux counts
the seconds since boot for all processes alike; only over a restart of the machine the time of day has to be
believed, as far as the kernel says that it was compared with other clocks.
"""

from __future__ import annotations

import ctypes
import math
import time
from dataclasses import dataclass
from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CLOCK = getattr(time, "CLOCK_BOOTTIME", None)
_TIMEX_BYTES = 512  # `struct timex` takes 208 on 64 bits
_TIME_ERROR = 5  # of adjtimex(2): the clock was not compared with others since it was set


@dataclass(frozen=True, slots=True)
class Moment:
    """`boot`: the run of the machine, empty where it is not known; `boot_s`: seconds since it began."""

    boot: str
    boot_s: float
    unix_s: float
    compared: bool = False
    """Whether the time of day is known to be right (NTP)."""

    def age_s(self, now: Moment) -> float:
        """Seconds from this moment to `now`; infinite where the clock says that it has not come yet."""
        if self.boot and self.boot == now.boot:
            return now.boot_s - self.boot_s
        age_s = now.unix_s - self.unix_s
        return age_s if age_s >= 0 else math.inf

    def sure_age_s(self, now: Moment) -> float | None:
        """Seconds from this moment to `now`; None where a clock that was set may have made them up."""
        if self.boot and self.boot == now.boot:
            return now.boot_s - self.boot_s
        return now.unix_s - self.unix_s if self.compared and now.compared else None


def moment() -> Moment:
    """The present moment."""
    if _CLOCK is None:
        return Moment("", time.monotonic(), time.time())
    return Moment(_boot_id(), time.clock_gettime(_CLOCK), time.time(), clock_compared())


def clock_compared() -> bool:
    """Whether the kernel says that the time of day is compared with other clocks; setting it by hand ends
    that.
    """
    try:
        state: int = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(_TIMEX_BYTES))
    except (OSError, AttributeError):  # no Linux
        return False
    return 0 <= state < _TIME_ERROR


class UnhurriedClock:
    """The time of day, but never ahead of what has passed since this clock was made.

    What is deleted by age goes by it: a clock that is set forward must not delete a month of clips.
    """

    def __init__(self) -> None:
        self._begun = moment()

    def unix_s(self) -> float:
        now = moment()
        return min(now.unix_s, self._begun.unix_s + now.boot_s - self._begun.boot_s)


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""
