"""The values that cross the border of a live camera: images, events, options, and the sink of packets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

from vision.io.images import VideoImage
from vision.observation import UnusableReason

EventKind = Literal[
    "connected",  # images arrive; `width_px`, `height_px` are set
    # the connection broke or could not be made and is retried; once a loss, with the reason in `sentence`
    "lost",
    "stalled",  # connected, and no image from `since_s` to `t_s`; once a stall
    "size_changed",  # images come back in another size; `width_px`, `height_px` are set
    "skipped",  # `count` images from `since_s` to `t_s` were dropped because the consumer was slow
    "dark",  # the picture turned black; reported once, and dark images are not handed out
    "light",  # the picture is back; dark from `since_s` to `t_s`
    # images of a file from `since_s` to `t_s` cannot be used; `reason` as in `Unusable`
    "unusable",
    "clock",  # the stream's timestamps jumped and were anchored anew
    "ended",  # a file has ended; nothing comes after it
]


@dataclass(frozen=True, slots=True)
class CameraImage:
    """One image of a camera.

    `image.index`: number among the usable images of this match, skipped ones included. `image.t_s`: match
    time. `captured_at_s`: `time.monotonic()` when all of it had arrived. FFmpeg hands out an image of a
    network camera when the next one begins; that interval is subtracted.
    """

    image: VideoImage
    captured_at_s: float


@dataclass(frozen=True, slots=True)
class CameraEvent:
    """An event between the images, in order with them. `t_s`: match time of its end.

    `since_s`: match time of the last good image before it, for events that last (lost, stalled, skipped,
    dark, light, and connected after a loss); there are no images from `since_s` to `t_s`.
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
    """How a camera is read.

    - `width_px`, `height_px`, `rate_hz`: requested of a USB camera, 0 for its default.
    - `speed`: of a file; 1 is its own speed. With 0 the consumer sets the pace, no image is dropped, and
    images and
      spans are those of `watch_video`.
    - `loop`: a file begins again at its end.
    - `queue_s`: longest delay of a slow consumer before images are dropped.
    - `after`, `zero_unix_s`, `zero_mono_s`: index and t_s of the last image of an earlier run of this match,
    and the
      Unix time and the monotonic time of match time 0; the clock continues over a restart.
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
    zero_mono_s: float | None = None


class PacketSink(Protocol):
    """Receiver of the packets as they arrived, such as the ring on disk.

    It is called from the capture thread, must not raise, and must return quickly.
    """

    def opened(self, stream: Any, t_s: float) -> None:
        """A connection was made; `stream`: PyAV's, the template for remuxing."""

    def packet(self, packet: Any, t_s: float) -> None:
        """One packet of the stream; `t_s`: its presentation in match time."""

    def closed(self) -> None:
        """The connection is over."""
