"""Live camera sources: images and connection events of one camera, read in a thread of its own.

    with open_camera("rtsp://user:secret@10.0.0.7/stream", CaptureOptions(), sink=ring) as camera:
        while not camera.ended:
            item = camera.next(0.5)

Addresses: `/dev/videoN` or `v4l2:/dev/videoN` (USB), `rtsp://...`, `rtsps://...`, or the path of a video
file, which is played at its own speed for tests and rehearsals. A password in an address never leaves the
capture; only the address as `shown` is printed, logged and published.

Time: `t_s` is match time, 0 at the first image, then the stream's timestamps anchored to this machine's
monotonic clock (`vision.capture.clock`). It never goes back. A lost connection leaves a hole of its own
length.
"""

from __future__ import annotations

import re
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from calibration.texts import unusable_input
from vision.capture.address import is_stream, shown
from vision.capture.file import FileReader
from vision.capture.items import CameraEvent, CameraImage, CaptureOptions, EventKind, PacketSink
from vision.capture.reader import DEFAULT_RATE_HZ, Out, Reader, StreamReader

__all__ = [
    "Camera",
    "CameraEvent",
    "CameraImage",
    "CaptureOptions",
    "EventKind",
    "PacketSink",
    "open_camera",
    "shown",
]

_CLOSE_S = 1.8  # seconds that `close` waits for the thread
_QUEUE_BYTES = 200e6  # memory of the images that wait for the consumer
_LEAST_QUEUED = 2  # images
_WAIT_S = 0.2  # between looks at whether the camera was closed


def open_camera(
    address: str, options: CaptureOptions | None = None, sink: PacketSink | None = None
) -> Camera:
    """Start reading a camera. Raises UnusableInput for a malformed address or a file that does not exist.

    A camera that cannot be reached is no error: the event `lost` comes and the connection is retried for
    ever.
    """
    options = options or CaptureOptions()
    reader: Reader
    if re.match(r"rtsps?:/", address, re.I):
        if not is_stream(address):
            raise unusable_input("errors.rtsp_host_port_path_in_a_password", address=shown(address))
        reader = StreamReader(address, shown(address), None, options, sink)
    elif address.startswith("v4l2:") or address.startswith("/dev/video"):
        device = address.removeprefix("v4l2:")
        reader = StreamReader(device, device, "v4l2", options, sink)
    elif re.match(r"[a-z][a-z0-9+.]*://", address, re.I):
        raise unusable_input("errors.camera_such_as_dev_video0_rtsp", address=shown(address))
    else:
        reader = FileReader(Path(address), options, sink)
    return Camera(reader, options)


@dataclass
class _Skipped:
    """Marks the place in the queue where images were dropped."""

    count: int
    t_s: float


class Camera(Out):
    """A camera read by a thread of its own, for one consumer of `next`. A context manager.

    `zero_unix_s`: Unix time of match time 0, None before the first image; a restart continues from it.
    `ended`: the `ended` event was handed out. `images`, `dropped`: counts so far.
    """

    def __init__(self, reader: Reader, options: CaptureOptions) -> None:
        self.ended = False
        self.images = self.dropped = 0
        self._reader, self._options = reader, options
        self._items: deque[CameraImage | CameraEvent | _Skipped] = deque()
        self._change = threading.Condition()
        self._held = 0
        self._stop = threading.Event()
        self._last_s: float | None = None
        self._last_mono = time.monotonic()
        self._waiting = True  # no image expected: before a connection, while dark, after a loss
        self._thread = threading.Thread(target=self._run, name="capture", daemon=True)
        self._thread.start()

    @property
    def zero_unix_s(self) -> float | None:
        return self._reader.zero_unix_s

    def now_s(self) -> float:
        """The match clock now; 0.0 before the first image."""
        return self._reader.now_s()

    def next(self, timeout_s: float) -> CameraImage | CameraEvent | None:
        """The next item in order; None when nothing came within the timeout."""
        until = time.monotonic() + timeout_s
        with self._change:
            while not self._items:
                left = until - time.monotonic()
                if self.ended or left <= 0 or self._stop.is_set():
                    return self._stalled()
                self._change.wait(left)
            item = self._items.popleft()
            if isinstance(item, CameraImage):
                self._held -= 1
                self._last_s, self._last_mono = item.image.t_s, time.monotonic()
                self._waiting = False
                self._change.notify_all()
        if isinstance(item, _Skipped):
            since = self._last_s
            text = f"{item.count} image{'s' if item.count > 1 else ''} skipped: this machine was too slow"
            return CameraEvent("skipped", item.t_s, text, since, item.count)
        if isinstance(item, CameraEvent):
            self.ended = self.ended or item.kind == "ended"
            self._waiting = item.kind in ("lost", "ended", "dark") or self._waiting
            return (
                item
                if item.since_s is not None or item.kind == "connected"
                else replace(item, since_s=self._last_s)
            )
        return item

    def _stalled(self) -> CameraEvent | None:
        if (
            self._waiting
            or self._options.speed == 0
            or time.monotonic() - self._last_mono < self._options.stall_s
        ):
            return None
        self._waiting = True
        now = self.now_s()
        text = f"no image for {max(0.0, now - (self._last_s or 0.0)):.1f} s"
        return CameraEvent("stalled", now, text, self._last_s)

    def close(self) -> None:
        """Stop the thread; returns within 2 s whatever the connection does."""
        self._stop.set()
        with self._change:
            self._change.notify_all()
        self._thread.join(_CLOSE_S)  # a thread stuck in the network ends with its own timeout

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _run(self) -> None:
        try:
            self._reader.run(self)
        except Exception as error:
            # the consumer must learn of it: a dead thread would look like a quiet camera
            text = f"the capture stopped: {shown(f'{type(error).__name__}: {error}')}"
            self.event(CameraEvent("lost", self.now_s(), text))
            self.event(CameraEvent("ended", self.now_s(), text))

    # what the reader calls, in its thread

    @property
    def stopped(self) -> bool:
        return self._stop.is_set()

    def wait(self, seconds: float) -> bool:
        return self._stop.wait(seconds)

    def event(self, event: CameraEvent) -> None:
        with self._change:
            self._items.append(event)
            self._change.notify_all()

    def image(self, image: CameraImage, rate_hz: float, wait: bool) -> None:
        picture = image.image.picture
        room = max(
            _LEAST_QUEUED,
            int(
                min(
                    self._options.queue_s * (rate_hz or DEFAULT_RATE_HZ),
                    _QUEUE_BYTES / (1.5 * picture.y.size),
                )
            ),
        )
        with self._change:
            while wait and self._held >= room and not self._stop.is_set():
                self._change.wait(_WAIT_S)
            if self._held >= room:
                self._drop_oldest()
            self._items.append(image)
            self._held += 1
            self.images += 1
            self._change.notify_all()

    def _drop_oldest(self) -> None:
        at = next(k for k, item in enumerate(self._items) if isinstance(item, CameraImage))
        dropped = self._items[at]
        assert isinstance(dropped, CameraImage)
        before = self._items[at - 1] if at else None
        if isinstance(before, _Skipped):
            before.count += 1
            before.t_s = dropped.image.t_s
            del self._items[at]
        else:
            self._items[at] = _Skipped(1, dropped.image.t_s)
        self._held -= 1
        self.dropped += 1
