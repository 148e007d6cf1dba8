"""The values that cross the border of a live camera: images, events, options, and the sink of packets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vision.io.images import VideoImage
from vision.observation import UnusableReason

EventKind = Literal[
    "connected",  # images come; `width_px`, `height_px` set
    # the connection broke or could not be made; it is tried again (told once a loss, `sentence` says why)
    "lost",
    "stalled",  # connected, and no image for a while (`since_s` .. `t_s`); told once a stall
    "size_changed",  # images come back in another size than before; `width_px`, `height_px` set
    "skipped",  # images were dropped because the consumer was slow: `count` in `since_s` .. `t_s`
    "dark",  # the picture turned black (told once); dark images are not handed out
    "light",  # the picture is back; dark from `since_s` to `t_s`
    # of a file: images between `since_s` and `t_s` that cannot be used, `reason` as in `Unusable`
    "unusable",
    "clock",  # the stream's own timestamps jumped and were anchored anew
    "ended",  # a file has ended; nothing comes after it
]


@dataclass(frozen=True, slots=True)
class CameraImage:
    """One image. `image.index` counts the usable images of this match, skipped ones included; `image.t_s`:
    match clock. `captured_at_s`: `time.monotonic()` when all of it had arrived here (of a network camera:
    an image interval before FFmpeg hands it out, which waits for the next one to begin).
    """

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
    reason: UnusableReason | None = None


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """How a camera is read. `width_px`, `height_px`, `rate_hz`: asked of a USB camera, 0 for what it gives.

    `speed`: files only; 1 its own speed, 0 as fast as asked for, without drops and without a look at
    darkness (the same images and spans as `watch_video`). `loop`: a file begins again at its end.
    `queue_s`: the longest delay of a slow consumer before images are dropped. `after`: index and t_s of
    the last image of an earlier run of this match, and `zero_unix_s` the Unix time of its match clock's
    zero: the clock goes on over a restart.
    """

    width_px: int = 0
    height_px: int = 0
    rate_hz: float = 0.0
    speed: float = 1.0
    loop: bool = False
    queue_s: float = 0.8
    open_timeout_s: float = 3.0
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
