"""A video file read as a camera, at its own speed or as fast as the consumer takes images."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import av

from vision.capture.items import CameraEvent, CameraImage, CaptureOptions, PacketSink
from vision.capture.reader import DEFAULT_RATE_HZ, Out, Reader, continued_zero_s
from vision.io.images import Unusable, VideoImage, probe, watch_video

_PASSED_S = 1.0  # an image this late after a restart is left out


class FileReader(Reader):
    """Hands out the images and spans of `watch_video`.

    After a restart it continues where a camera would be by now (speed > 0), or behind the last image (speed
    0). Each passage of a loop begins a whole number of image intervals after the one before.
    """

    def __init__(self, path: Path, options: CaptureOptions, sink: PacketSink | None) -> None:
        self._info = probe(path)
        self._path, self._options, self._sink = path, options, sink
        self._zero_mono: float | None = None
        self._index, self._last = options.after or (-1, -1.0)
        self._resumed = False  # the place of a restart was found
        self.zero_unix_s = options.zero_unix_s

    def now_s(self) -> float:
        return (
            0.0
            if self._zero_mono is None
            else (time.monotonic() - self._zero_mono) * (self._options.speed or 1.0)
        )

    def run(self, out: Out) -> None:
        if self.zero_unix_s is None:
            self.zero_unix_s = time.time()
        speed, zero = self._options.speed, self._options.zero_mono_s  # 0: match time follows no clock
        zero = time.monotonic() if zero is None else zero
        self._zero_mono = continued_zero_s(zero, self._last / speed if speed else 0.0)
        size = (self._info.width_px, self._info.height_px)
        text = f"{self._path.name}: {size[0]} x {size[1]}"
        out.event(CameraEvent("connected", max(self._last, 0.0), text, width_px=size[0], height_px=size[1]))
        begin_s = self._passage()
        while not out.stopped:
            end_s = self._play(out, begin_s)
            if not self._options.loop or end_s is None:
                break
            begin_s = end_s
        if not out.stopped:
            out.event(CameraEvent("ended", max(self._last, 0.0), f"{self._path.name}: the video has ended"))

    def _interval_s(self) -> float:
        return 1 / (self._info.rate_hz or DEFAULT_RATE_HZ)

    def _length_s(self) -> float:
        return round(self._info.duration_s / self._interval_s()) * self._interval_s()

    def _passage(self) -> float:
        """Match time at which the passage of the file begins that a restart continues."""
        if self._options.after is None or not self._options.loop:
            return 0.0
        length = self._length_s()
        reached = self._last if self._options.speed == 0 else max(self._last, self.now_s())
        return length * (reached // length)

    def _play(self, out: Out, begin_s: float) -> float | None:
        """Play one passage of the file from match time `begin_s`; the time at which the next begins."""
        items, from_s = self._items(begin_s)
        end_s = begin_s + self._length_s() if from_s else None
        tape = _Tape(self._path, self._sink, begin_s, from_s) if self._sink is not None else None
        try:
            for item in items:
                if out.stopped:
                    break
                if isinstance(item, Unusable):
                    self._unusable(out, item, begin_s)
                    continue
                t_s = begin_s + item.t_s
                end_s = t_s + self._interval_s()
                if tape is not None:
                    tape.until(t_s)
                if t_s > self._last:
                    self._put(out, VideoImage(self._index + 1, t_s, item.picture))
        finally:
            if tape is not None:
                tape.close()
        return end_s

    def _items(self, begin_s: float) -> tuple[Iterator[VideoImage | Unusable], float]:
        """The items of a passage and the file's time of the first.

        After a restart the file is sought, so that images which have passed meanwhile are not decoded.
        """
        if self._options.after is None or self._resumed:
            return watch_video(self._path), 0.0
        self._resumed = True
        now_s = self.now_s() if self._options.speed != 0 else self._last
        if begin_s == 0 and now_s <= self._last:
            return watch_video(self._path, after=(self._index, self._last)), self._last
        from_s = max(0.0, max(now_s, self._last) - begin_s)
        return watch_video(self._path, start_s=from_s), from_s

    def _unusable(self, out: Out, span: Unusable, begin_s: float) -> None:
        start, end = begin_s + span.start_s, begin_s + span.end_s
        text = (
            f"{self._path.name}: no image can be used for {end - start:.1f} s"
            f" ({span.reason.replace('_', ' ')})"
        )
        out.event(CameraEvent("unusable", end, text, start, reason=span.reason))

    def _put(self, out: Out, image: VideoImage) -> None:
        speed = self._options.speed
        if speed != 0:
            late = self.now_s() - image.t_s
            first = self._options.after is not None and self._index == self._options.after[0]
            if late > _PASSED_S and first:
                return  # shown while nothing was running
            if late < 0 and out.wait(-late / speed):
                return
        self._index, self._last = image.index, image.t_s
        out.image(CameraImage(image, time.monotonic()), self._info.rate_hz, wait=speed == 0)


class _Tape:
    """A file's packets, handed to the packet sink in step with its images."""

    def __init__(self, path: Path, sink: PacketSink, begin_s: float, from_s: float = 0.0) -> None:
        """Open the file; packets before the key image ahead of `from_s` are left out."""
        self._sink, self._begin = sink, begin_s
        self._container = av.open(f"file:{path.resolve()}", options={"protocol_whitelist": "file"})
        self._stream = self._container.streams.video[0]
        self._packets = self._container.demux(self._stream)
        self._base = float(self._stream.time_base or 1.0)
        self._zero: float | None = None
        if from_s > 0:
            self._seek(from_s)
        self._t_s = -1.0
        sink.opened(self._stream, begin_s)

    def _seek(self, from_s: float) -> None:
        first = next((p for p in self._packets if p.pts is not None), None)
        self._zero = first.pts * self._base if first is not None and first.pts is not None else 0.0
        with contextlib.suppress(av.FFmpegError):  # a file without a usable index goes on from here
            self._container.seek(int((from_s + self._zero) / self._base), stream=self._stream)
        self._packets = self._container.demux(self._stream)

    def until(self, t_s: float) -> None:
        """Hand over the packets up to match time `t_s`."""
        while self._t_s < t_s:
            try:
                packet = next(self._packets)
            except (StopIteration, av.FFmpegError):
                self._t_s = float("inf")
                return
            if not packet.size or packet.pts is None:
                continue
            at = packet.pts * self._base
            self._zero = at if self._zero is None else self._zero
            shown_s = self._begin + at - self._zero
            self._t_s = max(self._t_s, shown_s)
            self._sink.packet(packet, shown_s)

    def close(self) -> None:
        self._container.close()
        self._sink.closed()
