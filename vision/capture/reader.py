"""The reader of a network or USB camera: it runs in the capture thread and connects again for ever."""

from __future__ import annotations

import contextlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import av
import numpy as np

from calibration.errors import UnusableInput
from vision.capture.clock import MatchClock
from vision.capture.items import CameraEvent, CameraImage, CaptureOptions, EventKind, PacketSink
from vision.io.images import MAX_PIXELS, VideoImage, picture_from_frame
from vision.io.picture import Picture

DEFAULT_RATE_HZ = 25.0
"""Image rate assumed of a stream that states none."""

# seconds between attempts: reconnected within 5 s, timeout included
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 1.5
_REFUSED_PAUSE_S = 20.0  # seconds after a refused login: many cameras lock out a client that keeps trying
_SLOW_SHARE = 0.9  # of the timeout after which a failed attempt counts as unanswered
_RTSP = {
    "rtsp_transport": "tcp",
    "allowed_media_types": "video",
    "protocol_whitelist": "rtsp,rtsps,rtp,tcp,udp,tls,crypto,srtp",
    "fflags": "nobuffer",
    "analyzeduration": "400000",
    "probesize": "500000",
}
_V4L2 = {"input_format": "mjpeg"}
_POLL_S = 0.002  # seconds between questions to a device that has nothing yet
_UNDECODABLE = 250  # packets in a row without an image after which the connection is given up
_MOST_UNDECODED = 64  # packets whose time of arrival is kept
_FIRST_PATIENCE_S, _LONGEST_PATIENCE_S = 2.5, 20.0
"""Seconds that a connection may send without a usable image.

Most cameras begin with a key image. Some send one only every ten seconds and never on request, so the
patience doubles with every such connection.
"""
_DARK_MEAN, _DARK_TOP = 10.0, 26.0  # grey levels above black: mean and 99th percentile of a dark picture
_SAME_TIME_S = 1e-6  # an image that is not later by more than this is the same one


class Out(ABC):
    """Receiver of a reader's images and events; it also tells the reader to stop."""

    @property
    @abstractmethod
    def stopped(self) -> bool: ...

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Sleep for `seconds`; True when the reader must stop."""

    @abstractmethod
    def event(self, event: CameraEvent) -> None: ...

    @abstractmethod
    def image(self, image: CameraImage, rate_hz: float, wait: bool) -> None:
        """Take an image; `wait`: for room, instead of dropping the oldest image."""


class Reader(ABC):
    """One source of images."""

    zero_unix_s: float | None = None

    @abstractmethod
    def run(self, out: Out) -> None:
        """Read until the source ends or `out.stopped`."""

    @abstractmethod
    def now_s(self) -> float:
        """The match clock now."""


def is_dark(picture: Picture) -> bool:
    """Whether nothing can be seen: lamps out, lens covered, black images."""
    luma = picture.y[::16, ::16]
    black = 0.0 if picture.full_range else 16.0
    return float(luma.mean()) - black < _DARK_MEAN and float(np.percentile(luma, 99)) - black < _DARK_TOP


@dataclass
class _Seen:
    """What the stream reader keeps over connections."""

    index: int
    last_s: float | None
    size: tuple[int, int] | None = None
    lost_since_s: float | None = None
    lost: bool = False
    dark_since_s: float | None = None
    dark: bool = False
    attempts: int = 0
    """Connections tried since the last image."""
    imageless: int = 0
    """Connections since the last image that sent data without a usable image."""
    reason: str = ""
    """Why the last of them failed."""


@dataclass
class _Connection:
    """One connection to a camera.

    `base_s`: unit of its timestamps. `held_s`: time for which FFmpeg holds an image back. `begun`: monotonic
    time of its start. `arrived`: monotonic time of the packets not decoded yet, by timestamp. `empty`:
    packets in a row that gave no image.
    """

    stream: Any
    base_s: float
    rate_hz: float
    held_s: float
    begun: float
    arrived: dict[int, float] = field(default_factory=dict)
    empty: int = 0
    recorded: bool = False

    @staticmethod
    def of(stream: Any, over_network: bool, begun: float) -> _Connection:
        """The connection of an opened stream. FFmpeg hands out a network image when the next one begins."""
        rate = float(stream.average_rate or stream.guessed_rate or DEFAULT_RATE_HZ)
        return _Connection(
            stream, float(stream.time_base or 0.0), rate, 1 / rate if over_network else 0.0, begun
        )


def continued_zero_s(zero_mono_s: float, last_s: float) -> float:
    """The monotonic time of match time 0 for a match that is gone on with. `last_s`: of its last image.

    Where a clock was set back meanwhile, the pause is taken for nothing: match time never lies before an
    image that was seen.
    """
    return min(zero_mono_s, time.monotonic() - last_s)


class StreamReader(Reader):
    """A network or USB camera: connects, reads, and after a loss connects again with growing pauses."""

    def __init__(
        self,
        address: str,
        name: str,
        format_name: str | None,
        options: CaptureOptions,
        sink: PacketSink | None,
    ) -> None:
        self._address, self._name, self._format = address, name, format_name
        self._options, self._sink = options, sink
        after = options.after or (-1, -1e-3)
        self._seen = _Seen(after[0], None if options.after is None else after[1])
        self.zero_unix_s = options.zero_unix_s
        zero = options.zero_mono_s
        zero = None if zero is None else continued_zero_s(zero, after[1])
        self._clock = MatchClock(zero, after[1])

    def now_s(self) -> float:
        return self._clock.now_s(time.monotonic())

    def run(self, out: Out) -> None:
        pause = _FIRST_PAUSE_S
        while not out.stopped:
            self._seen.attempts += 1
            reason = self._seen.reason = self._connection(out)
            if out.stopped:
                return
            if not self._seen.attempts:  # images had come
                pause = _FIRST_PAUSE_S
            self._lost(out, reason)
            refused = "unauthorized" in reason or "forbidden" in reason
            if out.wait(_REFUSED_PAUSE_S if refused else pause):
                return
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def _lost(self, out: Out, reason: str) -> None:
        seen = self._seen
        if not seen.lost:
            seen.lost, seen.lost_since_s = True, seen.last_s
            out.event(CameraEvent("lost", self.now_s(), f"{self._name}: {reason}; trying again", seen.last_s))

    def _connection(self, out: Out) -> str:
        """Open a connection and read until it breaks; why it broke."""
        start = time.monotonic()
        try:
            container = self._open()
        except (av.FFmpegError, OSError, ValueError) as error:
            # FFmpeg reports a missing answer as invalid data
            slow = time.monotonic() - start > _SLOW_SHARE * self._options.open_timeout_s
            return "it does not answer" if slow else _reason(error)
        try:
            with container:
                if not container.streams.video:
                    return "it sends no video"
                return self._read(out, container, container.streams.video[0])
        except (av.FFmpegError, OSError) as error:
            return _reason(error)
        finally:
            if self._sink is not None:
                self._sink.closed()

    def _open(self) -> Any:
        timeout = (self._options.open_timeout_s, self._options.read_timeout_s)
        if self._format is None:
            return av.open(self._address, options=dict(_RTSP), timeout=timeout)
        wanted = dict(_V4L2)
        if self._options.width_px and self._options.height_px:
            wanted["video_size"] = f"{self._options.width_px}x{self._options.height_px}"
        if self._options.rate_hz:
            wanted["framerate"] = f"{self._options.rate_hz:g}"
        try:
            container = av.open(self._address, format=self._format, options=wanted, timeout=timeout)
        except (av.error.InvalidDataError, av.error.ArgumentError, ValueError):
            # a camera without MJPEG or without that size is opened in its own format
            container = av.open(self._address, format=self._format, timeout=timeout)
        _never_block(self._address)
        return container

    def _read(self, out: Out, container: Any, stream: Any) -> str:
        """Hand out the images of one connection until it breaks; why it broke."""
        context = stream.codec_context
        if context.width * context.height > MAX_PIXELS:
            return f"its images have {context.width} x {context.height} pixels, more than {MAX_PIXELS}"
        context.options = {"max_pixels": str(MAX_PIXELS)}
        stream.thread_type = "SLICE"  # threads over images would hold images back
        link = _Connection.of(stream, self._format is None, time.monotonic())
        self._clock.begin()
        patience_s = self._patience_s()
        for packet, frames in _decoded(container, stream, self._options.read_timeout_s, out):
            if out.stopped:
                return "stopped"
            link.empty = 0 if frames else link.empty + 1
            # before the first image the patience decides
            if link.empty > _UNDECODABLE and not self._seen.attempts:
                return "its images cannot be decoded"
            if packet.size == 0:
                continue
            broken = self._take(out, packet, frames, link)
            if broken is not None:
                return broken
            waited_s = time.monotonic() - link.begun
            if self._seen.attempts and waited_s > patience_s:
                self._seen.imageless += 1
                return f"no usable image in {waited_s:.0f} s"
        return "the stream has ended"

    def _take(self, out: Out, packet: Any, frames: list[Any], link: _Connection) -> str | None:
        """Record one packet and hand out its images; the reason to connect anew, None to go on."""
        now = time.monotonic()
        t_s = self._stamp(out, packet, link.base_s, now)
        if self._sink is not None:
            if not link.recorded:
                self._sink.opened(link.stream, t_s)
            self._sink.packet(packet, t_s)
        link.recorded = True
        captured_s = now - link.held_s
        if packet.pts is not None:
            link.arrived[packet.pts] = captured_s
        for frame in frames:
            size = (frame.width, frame.height)
            known = self._seen.size
            if known is not None and not self._seen.lost and size != known:
                return f"images of {size[0]} x {size[1]} instead of {known[0]} x {known[1]}"
            at = t_s if frame.pts is None else self._clock.of(frame.pts * link.base_s)
            self._put(out, frame, at, link.arrived.pop(frame.pts, captured_s), link.rate_hz)
        if len(link.arrived) > _MOST_UNDECODED:
            link.arrived.clear()
        return None

    def _patience_s(self) -> float:
        """Seconds that the next connection may send without a usable image."""
        return min(_FIRST_PATIENCE_S * 2.0**self._seen.imageless, _LONGEST_PATIENCE_S)

    def _stamp(self, out: Out, packet: Any, base: float, now: float) -> float:
        t_s = self._clock.stamp(None if packet.pts is None or not base else packet.pts * base, now)
        if self.zero_unix_s is None:
            self.zero_unix_s = time.time() - t_s
        if self._clock.jumped_s:
            text = f"{self._name}: its clock jumped by {self._clock.jumped_s:.1f} s"
            out.event(CameraEvent("clock", t_s, text, self._seen.last_s))
        return t_s

    def _put(self, out: Out, frame: Any, t_s: float, captured_at_s: float, rate: float) -> None:
        seen = self._seen
        if frame.is_corrupt or (seen.last_s is not None and t_s <= seen.last_s + _SAME_TIME_S):
            return
        picture = picture_from_frame(frame)
        self._tell_connected(out, t_s, picture)
        seen.attempts = seen.imageless = 0
        if is_dark(picture):
            if not seen.dark:
                seen.dark, seen.dark_since_s = True, seen.last_s
                out.event(CameraEvent("dark", t_s, f"{self._name}: the picture is dark", seen.last_s))
            return
        if seen.dark:
            seen.dark = False
            out.event(CameraEvent("light", t_s, f"{self._name}: the picture is back", seen.dark_since_s))
        seen.index += 1
        seen.last_s = t_s
        out.image(CameraImage(VideoImage(seen.index, t_s, picture.copied()), captured_at_s), rate, wait=False)

    def _tell_connected(self, out: Out, t_s: float, picture: Picture) -> None:
        seen = self._seen
        size = (picture.width_px, picture.height_px)
        if seen.size is not None and not seen.lost:
            return
        since = seen.lost_since_s if seen.lost else seen.last_s

        def report(kind: EventKind, text: str) -> None:
            out.event(
                CameraEvent(kind, t_s, f"{self._name}: {text}", since, width_px=size[0], height_px=size[1])
            )

        again = (
            f" after {seen.attempts} attempts; the last failed: {seen.reason}" if seen.attempts > 1 else ""
        )
        report("connected", f"{size[0]} x {size[1]}{again}")
        if seen.size is not None and seen.size != size:
            report("size_changed", f"{size[0]} x {size[1]} instead of {seen.size[0]} x {seen.size[1]}")
        seen.size, seen.lost = size, False


def _decoded(
    container: Any, stream: Any, read_timeout_s: float = 0.0, out: Out | None = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Packets with their decoded frames; a packet that cannot be decoded has none.

    A device that has nothing yet (V4L2 without blocking) is polled until `read_timeout_s` has passed; then
    TimeoutError is raised.
    """
    packets = container.demux(stream)
    quiet_since = time.monotonic()
    while True:
        try:
            packet = next(packets)
        except StopIteration:
            return
        except av.error.BlockingIOError:
            packets = container.demux(stream)
            if time.monotonic() - quiet_since > read_timeout_s:
                raise TimeoutError("no image") from None
            if out is not None and out.wait(_POLL_S):
                return
            continue
        quiet_since = time.monotonic()
        try:
            frames = packet.decode()
        except av.FFmpegError:
            frames = []
        yield packet, frames


def _never_block(device: str) -> None:
    """Make FFmpeg's open handle of a device non-blocking.

    FFmpeg has no timeout for V4L2: it would wait for ever in the driver of a camera that sends nothing.
    """
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if link.readlink() == Path(device).resolve():
                os.set_blocking(int(link.name), False)


def _reason(error: BaseException) -> str:
    """The reason of an error in words, without the camera's address."""
    if isinstance(error, UnusableInput):
        return str(error)
    if isinstance(error, av.error.ExitError | TimeoutError):
        return "it does not answer"
    text = getattr(error, "strerror", None) or type(error).__name__
    return str(text).split("'")[0].strip().rstrip(":").lower()
