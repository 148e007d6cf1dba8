"""The ring: the last minutes of a camera's video on disk, as it came, and the clip of every stroke.

The capture thread muxes packets (no decoding, no encoding) into segments of about four seconds in memory,
each beginning at a key image; a thread of the ring's own writes them, cuts the clips and deletes what is old.
A disk that is slow, full or gone stops the recording and is reported; the capture never waits for it.
"""

from __future__ import annotations

import contextlib
import io
import math
import queue
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av

from calibration.texts import sentence
from referee.live.recording.clip_store import ClipStore, Segment
from referee.live.recording.disk import Room, is_full, look, write_whole
from referee.moments import UnhurriedClock
from referee.outputs.clips import Clip, clip_over

MOST_BYTES = 20_000_000_000  # of all clips and segments of a table
_WAITING_BYTES = 64 << 20  # of closed segments in memory, while the disk is slow
_LOOK_S = 2.0  # between two looks at the disk
_TICKS = 90_000  # a second
_LEAD_S = _TAIL_S = 2.0  # of a clip before and after its stroke
_GIVE_UP_S = 15.0  # a clip waits this long for its last segment


@dataclass(frozen=True, slots=True)
class RingOptions:
    """`history_s`: how far back segments are kept; `max_bytes`: of segments and clips together, the oldest
    are forgotten first (over all matches of a table: `referee.live.recording.retention`); `reserve_bytes`:
    left free on the disk; `keep_days`: of clips, 0 for ever.
    """

    segment_s: float = 4.0
    history_s: float = 180.0
    max_bytes: int = MOST_BYTES
    reserve_bytes: int = 500_000_000
    keep_days: float = 30.0
    segment_bytes: int = 32 << 20


@dataclass(frozen=True, slots=True)
class RingState:
    """`sentence` is empty when all is well. `bytes_kept`: segments and clips."""

    recording: bool
    nearly_full: bool
    sentence: str
    bytes_kept: int
    free_bytes: int


@dataclass(frozen=True, slots=True)
class _Closed:
    """A segment as bytes."""

    data: bytes
    start_s: float
    end_s: float


@dataclass
class _Wanted:
    stroke: int
    start_s: float
    end_s: float
    since_mono: float


class Ring:
    """Packets in (a `vision.capture.source.PacketSink`, called from the capture thread), clips out."""

    def __init__(self, folder: Path, options: RingOptions | None = None) -> None:
        """`folder` is made, readable by its owner alone. OSError when that fails."""
        self.folder, self.options = folder, options or RingOptions()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._store = ClipStore(folder)
        self._open: _Segment | None = None
        self._stream: Any = None
        self._inbox: queue.Queue[_Closed | _Wanted | None] = queue.Queue()
        self._waiting_bytes = 0
        self._wanted: list[_Wanted] = []
        self._lost: str = ""
        self._recording = True
        self._room = look(folder, self.options.reserve_bytes, True)
        self._recording = self._room.may_record
        self._reached_s = -1.0
        self._clock = UnhurriedClock()
        self._over = False
        self._thread = threading.Thread(target=self._run, name="ring", daemon=True)
        self._thread.start()

    # from the capture thread

    def opened(self, stream: Any, t_s: float) -> None:
        """The camera is connected; a new segment begins at the next key image."""
        self._finish()
        self._stream = stream

    def packet(self, packet: Any, t_s: float) -> None:
        """Keep a packet, shown at `t_s` on the match clock."""
        if self._stream is None or not self._recording:
            self._finish()
            return
        open_ = self._open
        full = open_ is not None and (
            t_s - open_.start_s >= self.options.segment_s or open_.size() > self.options.segment_bytes
        )
        if packet.is_keyframe and (open_ is None or full):
            self._finish()
            self._open = _Segment(self._stream, t_s)
        elif open_ is not None and open_.size() > 4 * self.options.segment_bytes:
            self._finish()  # no key image for very long: images are left out until one comes
        if self._open is not None and not self._open.add(packet, t_s):
            self._open = None

    def closed(self) -> None:
        """The camera's connection is closed."""
        self._finish()
        self._stream = None

    def _finish(self) -> None:
        segment, self._open = self._open, None
        done = segment.finish() if segment is not None else None
        if done is None:
            return
        if self._waiting_bytes + len(done.data) > _WAITING_BYTES:
            self._lost = sentence("conditions.slow_disk")
            return
        self._waiting_bytes += len(done.data)
        self._inbox.put(done)

    # from the engine

    def keep(self, stroke: int, start_s: float, end_s: float) -> None:
        """Keep the clip of a stroke, from 2 s before to 2 s after it; cut when those seconds are on disk."""
        self._inbox.put(_Wanted(stroke, start_s, end_s, time.monotonic()))

    def state(self) -> RingState:
        """The state of the recording."""
        room, recording = self._room, self._recording
        return RingState(
            recording,
            recording and bool(room.sentence),
            room.sentence or self._lost,
            self._store.bytes_kept(),
            room.free_bytes,
        )

    def clips(self) -> tuple[Clip, ...]:
        """The clips on disk, in the order of strokes."""
        return self._store.clips()

    def clip_over(self, start_s: float, end_s: float) -> Clip | None:
        """The first part of the clip of a stroke with these times, as long as it is kept."""
        return clip_over(self._store.clips(), start_s, end_s)

    def delete(self, number: int) -> bool:
        """Delete the clips of a number (`Clip.stroke`); whether there were any."""
        return self._store.delete(number)

    def delete_all(self) -> int:
        """Delete every clip and every segment; how many clips there were."""
        return self._store.delete_all()

    def close(self, over: bool = False) -> None:
        """Cut the clips that are still wanted and stop. `over`: the match has ended, so its segments are
        deleted now.
        """
        self._over = over
        self._inbox.put(None)
        self._thread.join(10.0)

    # the ring's own thread

    def _run(self) -> None:
        next_look = 0.0
        closing = False
        while not closing:
            try:
                item = self._inbox.get(timeout=max(0.0, next_look - time.monotonic()))
                closing = item is None
            except queue.Empty:
                item = None
            if isinstance(item, _Closed):
                self._write(item)
            elif isinstance(item, _Wanted):
                self._wanted.append(item)
            self._cut(closing)
            if time.monotonic() >= next_look:
                next_look = time.monotonic() + _LOOK_S
                self._look()
        if self._over:
            with contextlib.suppress(OSError):  # `referee.live.recording.retention` tries again
                self._store.forget_segments(math.inf)

    def _write(self, segment: _Closed) -> None:
        self._waiting_bytes -= len(segment.data)
        self._reached_s = max(self._reached_s, segment.end_s)
        if not self._recording:
            return
        try:
            self._store.add_segment(segment.data, segment.start_s, segment.end_s)
            self._lost = ""
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        full = is_full(error)
        why = sentence("conditions.full" if full else "conditions.unwritable", why=error.strerror)
        self._recording = False
        self._room = Room(self._room.free_bytes, False, why)

    def _look(self) -> None:
        options = self.options
        try:
            oldest = (
                min((w.start_s for w in self._wanted), default=self._reached_s) - _LEAD_S - options.segment_s
            )
            self._store.forget_segments(min(self._reached_s - options.history_s, oldest))
            self._store.forget_clips(
                self._clock.unix_s() - options.keep_days * 86400 if options.keep_days else None
            )
            self._store.shrink(options.max_bytes)
            room = look(self.folder, options.reserve_bytes, self._recording)
            if room.may_record and not self._recording:
                write_whole(
                    self.folder / "room", b"\0" * 65536
                )  # there is room when something can be written
                (self.folder / "room").unlink()
            self._room, self._recording = room, room.may_record
        except OSError as error:
            self._failed(error)

    def _cut(self, closing: bool) -> None:
        now = time.monotonic()
        for wanted in tuple(self._wanted):
            if (
                not closing
                and self._reached_s < wanted.end_s + _TAIL_S
                and now < wanted.since_mono + _GIVE_UP_S
            ):
                continue
            self._wanted.remove(wanted)
            try:
                self._store.cut(wanted.stroke, wanted.start_s, wanted.end_s, _LEAD_S, _TAIL_S)
            except OSError as error:
                self._failed(error)


class _Segment:
    """A few seconds being muxed in memory; times inside begin at 0 at its first packet."""

    def __init__(self, stream: Any, start_s: float) -> None:
        self.start_s = self._end_s = start_s
        self._bytes = io.BytesIO()
        self._container = av.open(self._bytes, "w", format="matroska")
        self._out = self._container.add_stream_from_template(stream)
        self._base = float(stream.time_base or 1.0)
        self._last_dts = -(1 << 60)

    def size(self) -> int:
        return self._bytes.tell()

    def add(self, packet: Any, t_s: float) -> bool:
        """Mux a copy of a packet; False when the muxer does not take it."""
        copy = av.Packet(bytes(packet))
        lead = (
            (packet.pts - packet.dts) * self._base
            if packet.pts is not None and packet.dts is not None
            else 0.0
        )
        pts = round((t_s - self.start_s) * _TICKS)
        dts = max(pts - round(lead * _TICKS), self._last_dts + Segment.STEP)
        copy.pts, copy.dts, copy.time_base = max(pts, dts), dts, Segment.TIME_BASE
        copy.is_keyframe, copy.stream = packet.is_keyframe, self._out
        self._last_dts = dts
        self._end_s = max(self._end_s, t_s)
        try:
            self._container.mux(copy)
        except (av.FFmpegError, ValueError):
            return False
        return True

    def finish(self) -> _Closed | None:
        """The segment's bytes; None when nothing could be muxed."""
        try:
            self._container.close()
        except (av.FFmpegError, ValueError):
            return None
        data = self._bytes.getvalue()
        return _Closed(data, self.start_s, self._end_s) if self._end_s > self.start_s else None


class Recording:
    """A `vision.capture.source.PacketSink` whose ring can be changed by the engine while packets come."""

    def __init__(self, keep_days: float, max_bytes: int = MOST_BYTES) -> None:
        self._options = RingOptions(keep_days=keep_days, max_bytes=max_bytes)
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
            return True, False, sentence("conditions.no_clip_folder")
        now = self._ring.state()
        return not now.recording, now.nearly_full, now.sentence

    def close(self, over: bool) -> None:
        """Cut the clips that are still wanted and stop. `over`: the match has ended, so its segments are
        deleted now.
        """
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
