"""What runs in the capture thread for a network or USB camera: a connection that is made again for ever."""

from __future__ import annotations

import contextlib
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import numpy as np

from calibration.errors import UnusableInput
from vision.capture.clock import MatchClock
from vision.capture.items import CameraEvent, CameraImage, CaptureOptions, EventKind, PacketSink
from vision.io.images import MAX_PIXELS, VideoImage, picture_from_frame
from vision.io.picture import Picture

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 1.5  # with the timeout of an attempt within the 5 s promised
_REFUSED_PAUSE_S = 20.0  # cameras lock out whoever knocks on with a wrong password
_RTSP = {
    "rtsp_transport": "tcp",
    "allowed_media_types": "video",
    "protocol_whitelist": "rtsp,rtsps,rtp,tcp,udp,tls,crypto,srtp",
    "fflags": "nobuffer",
    "analyzeduration": "400000",
    "probesize": "500000",
}
_V4L2 = {"input_format": "mjpeg"}
_POLL_S = 0.002
_UNDECODABLE = 250  # packets in a row without an image: the stream is of no use as it is
# a connection that sends and shows nothing is made again: most cameras begin with a whole image; longer and
# longer, since some send a whole image only every ten seconds and never when asked
_FIRST_PATIENCE_S, _LONGEST_PATIENCE_S = 2.5, 20.0
_DARK_MEAN, _DARK_TOP = 10.0, 26.0  # grey levels above black: mean, and the 99th percentile


class Out(ABC):
    """Where a reader puts what it reads; also how it learns that it should stop."""

    @property
    @abstractmethod
    def stopped(self) -> bool: ...

    @abstractmethod
    def wait(self, seconds: float) -> bool:
        """Sleep; True when asked to stop."""

    @abstractmethod
    def event(self, event: CameraEvent) -> None: ...

    @abstractmethod
    def image(self, image: CameraImage, rate_hz: float, wait: bool) -> None:
        """`wait`: for room instead of dropping the oldest."""


class Reader(ABC):
    """One source. `run` returns when the source has ended or `out.stopped`."""

    zero_unix_s: float | None = None

    @abstractmethod
    def run(self, out: Out) -> None: ...

    @abstractmethod
    def now_s(self) -> float: ...


def is_dark(picture: Picture) -> bool:
    """Whether nothing at all can be seen: lamps out, lens covered, black images."""
    luma = picture.y[::16, ::16]
    black = 0.0 if picture.full_range else 16.0
    return float(luma.mean()) - black < _DARK_MEAN and float(np.percentile(luma, 99)) - black < _DARK_TOP


@dataclass
class _Seen:
    """What the stream reader remembers over connections."""

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
    """Connections since the last image that were made and showed nothing."""
    reason: str = ""
    """Why the last of them failed."""


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
        zero = None if self.zero_unix_s is None else time.monotonic() - (time.time() - self.zero_unix_s)
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
        """Open, read until it breaks; why it broke."""
        start = time.monotonic()
        try:
            container = self._open()
        except (av.FFmpegError, OSError, ValueError) as error:
            # FFmpeg calls an answer that never came invalid data
            slow = time.monotonic() - start > 0.9 * self._options.open_timeout_s
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
            # a camera without MJPEG or without that size gives what it has
            container = av.open(self._address, format=self._format, timeout=timeout)
        _never_block(self._address)
        return container

    def _read(self, out: Out, container: Any, stream: Any) -> str:
        context = stream.codec_context
        if context.width * context.height > MAX_PIXELS:
            return f"its images have {context.width} x {context.height} pixels, more than {MAX_PIXELS}"
        context.options = {"max_pixels": str(MAX_PIXELS)}
        stream.thread_type = "SLICE"  # threads over images would hold images back
        base = float(stream.time_base or 0.0)
        rate = float(stream.average_rate or stream.guessed_rate or 25.0)
        # FFmpeg hands out an image of a network stream when the next one begins
        held_s = 1 / rate if self._format is None else 0.0
        self._clock.begin()
        arrived: dict[int, float] = {}
        empty = 0
        told = False
        begun, patience_s = time.monotonic(), self._patience_s()
        for packet, frames in _decoded(container, stream, self._options.read_timeout_s, out):
            if out.stopped:
                return "stopped"
            empty = 0 if frames else empty + 1
            if (
                empty > _UNDECODABLE and not self._seen.attempts
            ):  # before the first image `patience_s` decides
                return "its images cannot be decoded"
            if packet.size == 0:
                continue
            now = time.monotonic()
            t_s = self._stamp(out, packet, base, now)
            if not told:
                if self._sink is not None:
                    self._sink.opened(stream, t_s)
                told = True
            if packet.pts is not None:
                arrived[packet.pts] = now - held_s
            if self._sink is not None:
                self._sink.packet(packet, t_s)
            for frame in frames:
                size = (frame.width, frame.height)
                if self._seen.size is not None and not self._seen.lost and size != self._seen.size:
                    return (
                        f"images of {size[0]} x {size[1]} instead of {self._seen.size[0]} x"
                        f" {self._seen.size[1]}"
                    )
                at = t_s if frame.pts is None else self._clock.of(frame.pts * base)
                self._put(out, frame, at, arrived.pop(frame.pts, now - held_s), rate)
            if self._seen.attempts and now - begun > patience_s:
                self._seen.imageless += 1
                return f"no usable image in {now - begun:.0f} s"
            if len(arrived) > 64:
                arrived.clear()
        return "the stream has ended"

    def _patience_s(self) -> float:
        """How long a connection may send without one usable image."""
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
        if frame.is_corrupt or (seen.last_s is not None and t_s <= seen.last_s + 1e-6):
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

        def told(kind: EventKind, text: str) -> None:
            out.event(
                CameraEvent(kind, t_s, f"{self._name}: {text}", since, width_px=size[0], height_px=size[1])
            )

        again = (
            f" after {seen.attempts} attempts; the last failed: {seen.reason}" if seen.attempts > 1 else ""
        )
        told("connected", f"{size[0]} x {size[1]}{again}")
        if seen.size is not None and seen.size != size:
            told("size_changed", f"{size[0]} x {size[1]} instead of {seen.size[0]} x {seen.size[1]}")
        seen.size, seen.lost = size, False


def _decoded(
    container: Any, stream: Any, read_timeout_s: float = 0.0, out: Out | None = None
) -> Iterator[tuple[Any, list[Any]]]:
    """Packets with the frames they gave; a packet that cannot be decoded gives none.

    A device that has nothing yet (V4L2 without blocking) is asked again until `read_timeout_s` has passed.
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
    """FFmpeg waits for ever in the driver of a camera that gives nothing; it can only be told by the handle
    itself.
    """
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            if link.readlink() == Path(device).resolve():
                os.set_blocking(int(link.name), False)


def _reason(error: BaseException) -> str:
    """Why, in words without the address."""
    if isinstance(error, UnusableInput):
        return str(error)
    if isinstance(error, av.error.ExitError | TimeoutError):
        return "it does not answer"
    text = getattr(error, "strerror", None) or type(error).__name__
    return str(text).split("'")[0].strip().rstrip(":").lower()
