"""Decoding of a container's packets, with damaged frames marked.

libav conceals damage: it guesses the blocks that it cannot decode. All frames predicted from such a picture
are wrong too, until the next key image.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import av

from vision.io.clock import BACK_S

MAX_DAMAGE_S = 20.0
"""Seconds after damage from which a stream without key images (intra refresh) counts as repaired."""
_MOST_ERRORS = 200  # demuxing errors in a row that end a file
_WHOLE_SENTENCE = "crccheck+bitstream+buffer"
# with frame threads h264 never recovers under "explode"; hevc reports no damage without it
_ERR_DETECT = {"h264": _WHOLE_SENTENCE}
_INTRA_ONLY = frozenset(
    {"mjpeg", "rawvideo", "ffv1", "prores", "dnxhd", "jpeg2000", "huffyuv", "dvvideo", "v210", "utvideo"}
)


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded frame. `stamp_s`: its presentation time on the container's clock, None without one.

    `damaged`: it was decoded with errors, or predicted from a frame that was. `frame`: None for an image that
    could not be decoded at all; its stamp is that of a packet nearby. `rotation`: degrees counterclockwise
    that turn it upright.
    """

    frame: Any
    stamp_s: float | None
    damaged: bool
    rotation: int = 0


def configure(stream: Any, max_pixels: int) -> None:
    """Set the decoder's options; to be called before the first packet."""
    name = stream.codec_context.name
    errors = _ERR_DETECT.get(name, _WHOLE_SENTENCE + "+explode")
    stream.codec_context.options = {"max_pixels": str(max_pixels), "err_detect": errors}
    stream.thread_type = "AUTO"


def decode(container: Any, stream: Any) -> Iterator[Decoded]:
    """All frames in order of presentation, deinterlaced; damage is marked, never raised."""
    deinterlacer = _Deinterlacer(stream)
    for item in _decoded(container, stream):
        if item.frame is None or item.damaged:
            yield from deinterlacer.flush()
            yield item
        else:
            yield from deinterlacer.feed(item)
    yield from deinterlacer.flush()


def _decoded(container: Any, stream: Any) -> Iterator[Decoded]:
    """All frames in order of presentation, interlaced ones as they are."""
    stamps = _Stamps(container, stream)
    damage = _Damage(stream.codec_context.name in _INTRA_ONLY)
    for packet in packets(container, stream):
        stamps.push(packet)
        try:
            frames = packet.decode()
        except av.FFmpegError:
            damage.begin(stamp := stamps.lost(packet))
            yield Decoded(None, stamp, True)
            continue
        if packet.is_corrupt and packet.size:
            damage.begin(stamps.of_packet(packet))
        for frame in frames:
            stamp = stamps.of_frame(frame)
            yield Decoded(frame, stamp, damage.of(frame, stamp), round(frame.rotation or 0) % 360)


def packets(container: Any, stream: Any) -> Iterator[Any]:
    """All packets, the flushing one last; broken places of the file are skipped."""
    demuxed, errors = container.demux(stream), 0
    while errors < _MOST_ERRORS:
        try:
            packet = next(demuxed)
        except StopIteration:
            return
        except av.EOFError:
            return
        except av.FFmpegError:
            errors += 1
            demuxed = container.demux(stream)
            continue
        errors = 0
        yield packet


class _Damage:
    """Which frames are wrong after an error: all until the next key image, or one of an intra-only codec."""

    def __init__(self, intra_only: bool) -> None:
        self._intra_only = intra_only
        self._since_s: float | None = None
        self._on = False

    def begin(self, stamp_s: float | None) -> None:
        """Note an error at this stamp."""
        self._on, self._since_s = not self._intra_only, stamp_s

    def of(self, frame: Any, stamp_s: float | None) -> bool:
        """Whether the frame is damaged."""
        if frame.is_corrupt:
            self.begin(stamp_s)
            return True
        if self._on and stamp_s is not None and self._since_s is not None:
            self._on = stamp_s - self._since_s < MAX_DAMAGE_S
        # libav reports an error with the packet being fed, a few images late, so that a key image up to there
        # may be the broken one
        if frame.key_frame and not self._just_before(stamp_s):
            self._on = False
        return self._on

    def _just_before(self, stamp_s: float | None) -> bool:
        if self._since_s is None or stamp_s is None:
            return False
        return self._since_s - BACK_S < stamp_s <= self._since_s


class _Stamps:
    """Presentation times. AVI stores none: its stamps count packets in the order of decoding."""

    def __init__(self, container: Any, stream: Any) -> None:
        self._base = float(stream.time_base) if stream.time_base else 1.0
        self._counted: list[float] | None = [] if container.format.name == "avi" else None

    def push(self, packet: Any) -> None:
        if self._counted is not None and packet.size and packet.dts is not None:
            heapq.heappush(self._counted, packet.dts * self._base)

    def of_packet(self, packet: Any) -> float | None:
        stamp = packet.pts if packet.pts is not None else packet.dts
        return None if stamp is None else stamp * self._base

    def lost(self, packet: Any) -> float | None:
        """The stamp of an image that could not be decoded."""
        if self._counted is not None:
            return heapq.heappop(self._counted) if self._counted else None
        return self.of_packet(packet)

    def of_frame(self, frame: Any) -> float | None:
        if self._counted is not None:
            return heapq.heappop(self._counted) if self._counted else None
        return None if frame.pts is None else float(frame.pts * (frame.time_base or self._base))


class _Deinterlacer:
    """Deinterlaces frames with libav's bwdif: one image a frame, at the time of its first field.

    One image a field would be wrong for progressive material that is flagged as interlaced, which is
    frequent: its second fields would be half an image late.
    """

    def __init__(self, stream: Any) -> None:
        self._base = stream.time_base
        self._graph: Any = None
        self._shape: tuple[int, int, str] | None = None
        self._held: list[Decoded] = []  # frames inside the filter

    def feed(self, item: Decoded) -> Iterator[Decoded]:
        frame = item.frame
        if not frame.interlaced_frame:
            yield from self.flush()
            yield item
            return
        shape = frame.width, frame.height, frame.format.name
        if shape != self._shape:
            yield from self.flush()
            self._begin(frame, shape)
        self._held.append(item)
        self._graph.push(frame)
        yield from self._pull()

    def flush(self) -> Iterator[Decoded]:
        """The frames still inside the filter, which then begins anew."""
        if self._shape is None:
            return
        self._graph.push(None)
        yield from self._pull()
        self._graph, self._shape, self._held = None, None, []

    def _begin(self, frame: Any, shape: tuple[int, int, str]) -> None:
        graph = av.filter.Graph()
        source = graph.add_buffer(
            width=shape[0], height=shape[1], format=frame.format, time_base=frame.time_base or self._base
        )
        filters = graph.add("bwdif", "mode=send_frame:parity=auto:deint=interlaced")
        sink = graph.add("buffersink")
        source.link_to(filters)
        filters.link_to(sink)
        graph.configure()
        self._graph, self._shape = graph, shape

    def _pull(self) -> Iterator[Decoded]:
        while self._held:
            try:
                frame = self._graph.pull()
            except (av.BlockingIOError, av.EOFError):
                return
            yield replace(self._held.pop(0), frame=frame)
