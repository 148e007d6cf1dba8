"""Live camera sources: images and connection events of one camera, read in a thread of its own.

    with open_camera("rtsp://user:secret@10.0.0.7/stream", CaptureOptions(), sink=ring) as camera:
        while (item := camera.next(0.5)) is None or not camera.ended: ...

Addresses: `/dev/videoN` or `v4l2:/dev/videoN` (USB), `rtsp://...`, `rtsps://...`, the path of a video file
(played at its own speed, for tests and rehearsals). A password in an address never leaves this module:
`shown` is what may be printed, logged and published.

Time. `t_s` is the match clock: 0 at the first image, then the stream's own timestamps anchored to this
machine's monotonic clock; never back. A lost connection leaves a hole as long as it lasted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vision.images import VideoImage

EventKind = Literal[
    "connected",  # images come; `width_px`, `height_px` set
    "lost",  # the connection broke or could not be made; it is tried again (told once a loss, `sentence` says why)
    "stalled",  # connected, and no image for a while (`since_s` .. `t_s`); told once a stall
    "size_changed",  # images come back in another size than before; `width_px`, `height_px` set
    "skipped",  # images were dropped because the consumer was slow: `count` in `since_s` .. `t_s`
    "dark",  # the picture turned black (told once); dark images are not handed out
    "light",  # the picture is back; dark from `since_s` to `t_s`
    "clock",  # the stream's own timestamps jumped and were anchored anew
    "ended",  # a file has ended; nothing comes after it
]


@dataclass(frozen=True, slots=True)
class CameraImage:
    """One image. `image.index` counts the decoded images of this match, skipped ones included;
    `image.t_s`: match clock. `captured_at_s`: `time.monotonic()` when its packet arrived here."""

    image: VideoImage
    captured_at_s: float


@dataclass(frozen=True, slots=True)
class CameraEvent:
    """Something that is not an image, in order with the images. `t_s`: match clock at its end.

    `since_s`: match clock of the last good image before it, for what lasts (lost, stalled, skipped, dark,
    light); the span `since_s` .. `t_s` holds no images. On "connected" after a loss it is set too.
    """

    kind: EventKind
    t_s: float
    sentence: str
    since_s: float | None = None
    count: int = 0
    width_px: int = 0
    height_px: int = 0


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How a camera is read. `speed`: files only; 1 its own speed, 0 as fast as asked for, without drops and
    without a look at darkness (the same images as `read_video`). `loop`: a file begins again at its end.
    `after`: index and t_s of the last image of an earlier run of this match, and `zero_unix_s` the
    Unix time of its match clock's zero: the clock goes on over a restart.
    """

    width_px: int = 0
    height_px: int = 0
    rate_hz: float = 0.0
    speed: float = 1.0
    loop: bool = False
    queue_images: int = 6
    open_timeout_s: float = 5.0
    read_timeout_s: float = 2.0
    stall_s: float = 1.0
    after: tuple[int, float] | None = None
    zero_unix_s: float | None = None


class PacketSink(Protocol):
    """Who keeps the packets as they came (the ring on disk). Called from the capture thread; must not raise
    and must not block for long."""

    def opened(self, stream: Any, t_s: float) -> None:
        """A connection stands; `stream` is PyAV's, the template for remuxing."""

    def packet(self, packet: Any, t_s: float) -> None:
        """One packet of the stream, `t_s` its presentation on the match clock."""

    def closed(self) -> None:
        """The connection is over."""


class Camera(Protocol):
    """A camera being read. Use as a context manager or call `close`."""

    zero_unix_s: float | None
    """Unix time of match clock 0; None before the first image. Keep it to go on after a restart."""
    ended: bool
    """True once the `ended` event was handed out."""

    def next(self, timeout_s: float) -> CameraImage | CameraEvent | None:
        """The next item in order; None when nothing came within the timeout."""

    def now_s(self) -> float:
        """The match clock now; 0.0 before the first image."""

    def close(self) -> None:
        """Stop the thread; returns within 2 s whatever the connection does."""


def shown(address: str) -> str:
    """The address without its password."""
    raise NotImplementedError


def open_camera(address: str, options: CaptureOptions | None = None, sink: PacketSink | None = None) -> Camera:
    """Start reading a camera. UnusableInput for an address of no known kind or a file that does not exist."""
    raise NotImplementedError
