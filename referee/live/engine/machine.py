"""The machine under a live table: images a second, delay, processor, memory, disk."""

from __future__ import annotations

import os
import time
from collections import deque
from pathlib import Path
from statistics import median

from referee.live.engine.state import LiveMachine

_SPAN_S = 5.0
"""Rates and delays are those of the last seconds."""
_KEPT_IMAGES = 400  # more than `_SPAN_S` of 60 images a second


class MachineLoad:
    """Counts images and measures their rate and delay over the last seconds."""

    def __init__(self) -> None:
        self.images = self.skipped = self.reconnects = 0
        self._done: deque[tuple[float, float]] = deque(
            maxlen=_KEPT_IMAGES
        )  # when an image was done, its delay; s
        self._cpu = (time.monotonic(), time.process_time())
        self._share: float | None = None

    def image(self, captured_at_s: float) -> None:
        """Count a judged image; `captured_at_s` on this machine's monotonic clock."""
        now = time.monotonic()
        self.images += 1
        self._done.append((now, now - captured_at_s))

    @property
    def rate_hz(self) -> float | None:
        """Images judged in a second, over the last seconds; None before there are any."""
        now = time.monotonic()
        recent = [t for t, _ in self._done if t > now - _SPAN_S]
        if len(recent) < 2:
            return None
        return (len(recent) - 1) / max(recent[-1] - recent[0], 1e-3)

    @property
    def delay_ms(self) -> float | None:
        """From an image's arrival to its ball positions: median over the last seconds."""
        now = time.monotonic()
        recent = [d for t, d in self._done if t > now - _SPAN_S]
        return 1000.0 * median(recent) if recent else None

    def machine(self, folder: Path) -> LiveMachine:
        """Processor share since the last call (at least 2 s ago), memory, free space on the disk of
        `folder`.
        """
        now, used = time.monotonic(), time.process_time()
        if now - self._cpu[0] >= 2.0:
            self._share = (used - self._cpu[1]) / (now - self._cpu[0])
            self._cpu = (now, used)
        return LiveMachine(self._share, memory_mb(), disk_free_mb(folder))


def memory_mb() -> float | None:
    """Resident memory of this process, MB; None where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def disk_free_mb(folder: Path) -> float | None:
    """Free space on the disk that holds a folder, MB."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return None
    return found.f_bavail * found.f_frsize / 1e6
