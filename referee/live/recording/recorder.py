"""The recording of a table over its matches: each match has a ring of its own in its folder; packets go to
the one that is on.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from referee.live.recording.ring import Ring, RingOptions
from referee.outputs.clips import Clip


class Recording:
    """A `vision.capture.source.PacketSink` whose ring can be changed by the engine while packets come."""

    def __init__(self, keep_days: float) -> None:
        self._options = RingOptions(keep_days=keep_days)
        self._lock = threading.Lock()
        self._ring: Ring | None = None
        self._stream: Any = None
        self._t_s = 0.0

    @property
    def ring(self) -> Ring | None:
        """The ring of the match that is on."""
        return self._ring

    def into(self, folder: Path) -> None:
        """Record into a folder from now on. OSError when it cannot be made; then nothing is recorded."""
        with self._lock:
            before, self._ring = self._ring, None
            if before is not None:
                before.closed()
            ring = Ring(folder, self._options)
            if self._stream is not None:
                ring.opened(self._stream, self._t_s)
            self._ring = ring
        if before is not None:
            before.close(over=True)

    def keep(self, stroke: int, start_s: float, end_s: float) -> None:
        """Keep the clip of a stroke."""
        if self._ring is not None:
            self._ring.keep(stroke, start_s, end_s)

    def clip_over(self, start_s: float, end_s: float) -> Clip | None:
        """The clip of a stroke of the match that is on, by the stroke's times; None while or where there is
        none.
        """
        return self._ring.clip_over(start_s, end_s) if self._ring is not None else None

    def trouble(self) -> tuple[bool, bool, str]:
        """(recording has stopped, the disk is nearly full, the sentence)."""
        if self._ring is None:
            return True, False, "no clips are kept: their folder cannot be made"
        now = self._ring.state()
        return not now.recording, now.nearly_full, now.sentence

    def close(self, over: bool) -> None:
        """Cut what is wanted and stop; `over`: the match has ended, so of it only clips are kept."""
        ring = self._ring
        if ring is not None:
            ring.close(over)

    # from the capture thread

    def opened(self, stream: Any, t_s: float) -> None:
        with self._lock:
            self._stream, self._t_s = stream, t_s
            if self._ring is not None:
                self._ring.opened(stream, t_s)

    def packet(self, packet: Any, t_s: float) -> None:
        with self._lock:
            self._t_s = t_s
            if self._ring is not None:
                self._ring.packet(packet, t_s)

    def closed(self) -> None:
        with self._lock:
            self._stream = None
            if self._ring is not None:
                self._ring.closed()
