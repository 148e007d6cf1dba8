"""A container whose packets are read from bytes: their stamps, and how the decoder fares with them.

Stands in for libav under `vision.io.decoding.decode`, so that thousands of streams a second can be tried.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from types import SimpleNamespace
from typing import Any

import av
import numpy as np

PACKET = struct.Struct("<iHH")
"""Presentation and decoding stamp (ms; the second relative to the first), flags."""
KEY, NO_PTS, NO_DTS, BROKEN, CORRUPT, NO_FRAME, DEMUX_ERROR, ROTATED = (1 << k for k in range(8))
_FAR = 1 << 30  # ms: stamps of a recorder whose clock was set


@cache
def picture() -> av.VideoFrame:
    """The picture of every frame: what it shows does not matter here."""
    return av.VideoFrame.from_ndarray(np.zeros((96, 160, 3), np.uint8), "rgb24").reformat(format="yuv420p")


@dataclass
class Frame:
    """A decoded frame: the attributes that are read of it, and the planes of `picture`."""

    pts: int | None
    key_frame: bool
    is_corrupt: bool
    rotation: int
    time_base: Fraction = Fraction(1, 1000)
    interlaced_frame: bool = False

    def __getattr__(self, name: str) -> Any:
        return getattr(picture(), name)


@dataclass
class Packet:
    pts: int | None
    dts: int | None
    size: int
    flags: int
    is_corrupt: bool = field(init=False)

    def __post_init__(self) -> None:
        self.is_corrupt = bool(self.flags & CORRUPT)

    def decode(self) -> list[Frame]:
        if self.flags & BROKEN:
            raise av.InvalidDataError(1, "broken")
        if self.flags & NO_FRAME or not self.size:
            return []
        rotation = 90 * (self.flags >> 8 & 3) if self.flags & ROTATED else 0
        corrupt = bool(self.flags & CORRUPT and self.flags & 1 << 10)
        return [Frame(self.pts, bool(self.flags & KEY), corrupt, rotation)]


class Container:
    """`stream`: its only one. Each packet is demuxed once, also after an error."""

    def __init__(self, data: bytes, intra_only: bool, avi: bool) -> None:
        codec = SimpleNamespace(name="mjpeg" if intra_only else "h264")
        self.stream = SimpleNamespace(time_base=Fraction(1, 1000), codec_context=codec)
        self.format = SimpleNamespace(name="avi" if avi else "matroska,webm")
        self._left = list(PACKET.iter_unpack(data[: len(data) // PACKET.size * PACKET.size]))[:400]

    def demux(self, stream: object) -> Iterator[Packet]:
        while self._left:
            stamp, before, flags = self._left.pop(0)
            if flags & DEMUX_ERROR:
                raise av.InvalidDataError(1, "no packet")
            stamp = stamp if abs(stamp) < _FAR else stamp * 1000
            pts, dts = None if flags & NO_PTS else stamp, None if flags & NO_DTS else stamp - before % 400
            yield Packet(pts, dts, 100, flags)
        yield Packet(None, None, 0, 0)
