"""Odd recordings made from the bundled sample: other codecs, other clocks, damage, cuts, sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "samples" / "club_four_strokes.mp4"
WIDTH, HEIGHT, RATE_HZ = 640, 360, 25


def sample(start_s: float, end_s: float) -> tuple[Any, ...]:
    """The sample's images of a span at half size, as PyAV frames."""
    first, last = round(start_s * RATE_HZ), round(end_s * RATE_HZ)
    while len(_DECODED) < last:
        try:
            frame = next(_images())
        except StopIteration:
            break
        _DECODED.append(frame.reformat(WIDTH, HEIGHT, "yuv420p", interpolation="AREA"))
    return tuple(_DECODED[first:last])


_DECODED: list[Any] = []  # as far as any test has asked for


@cache
def _images() -> Iterator[Any]:
    return av.open(str(SAMPLE)).decode(video=0)


def other_camera(k: int, width: int = WIDTH, height: int = HEIGHT) -> Any:
    """A picture of something else: a player's face could be as round and as bright."""
    y, x = np.mgrid[0:height, 0:width]
    rgb = np.stack(
        (90 + 60 * np.sin(x / 40 + k / 9), 70 + 40 * np.cos(y / 30), 60 + 30 * np.sin((x + y) / 50)), axis=2
    )
    middle = (x - width * 0.45) ** 2 + (y - height * 0.5) ** 2 < (0.3 * height) ** 2
    rgb[middle] = (210, 170, 150)
    return av.VideoFrame.from_ndarray(rgb.astype(np.uint8), format="rgb24")


def faded(frame: Any, other: Any, share: float) -> Any:
    """One picture dissolving into another: `share` of the other."""
    a = frame.to_ndarray(format="yuv420p").astype(np.float64)
    b = other.reformat(frame.width, frame.height, "yuv420p").to_ndarray(format="yuv420p")
    return av.VideoFrame.from_ndarray((a * (1 - share) + b * share).astype(np.uint8), format="yuv420p")


def write(
    path: Path,
    frames: Sequence[Any],
    codec: str = "libx264",
    pix_fmt: str = "yuv420p",
    gop: int = 25,
    stamps: Sequence[int] | None = None,
    base: int = 0,
    options: dict[str, str] | None = None,
    container: dict[str, str] | None = None,
    size: tuple[int, int] | None = None,
    rotation: int = 0,
    threads: int = 1,
    fields: str = "",
) -> Path:
    """Encode frames (None: left out of the file) at `stamps` in ticks of 1/25 s, `base` added to all.

    `fields`: `tff` or `bff` marks them as interlaced.
    """
    width, height = size or (frames[0].width, frames[0].height)
    with av.open(str(path), "w", options=container or {}) as out:
        stream = out.add_stream(codec, rate=RATE_HZ)
        stream.width, stream.height, stream.pix_fmt = width, height, pix_fmt
        stream.codec_context.gop_size = gop
        stream.codec_context.thread_count = threads
        stream.options = {
            **({"preset": "ultrafast", "crf": "18"} if codec == "libx264" else {}),
            **(options or {}),
        }
        if rotation:
            stream.set_display_rotation(rotation)
        for k, frame in enumerate(frames):
            if frame is None:
                continue
            image = frame.reformat(width, height, pix_fmt, interpolation="AREA")
            image.pts, image.time_base = base + (stamps[k] if stamps else k), Fraction(1, RATE_HZ)
            image.pict_type = 0
            image = _flagged(image, fields) if fields else image
            out.mux(stream.encode(image))
        out.mux(stream.encode())
    return path


def _flagged(frame: Any, fields: str) -> Any:
    graph = av.filter.Graph()
    source = graph.add_buffer(
        width=frame.width, height=frame.height, format=frame.format, time_base=frame.time_base
    )
    flag, sink = graph.add("setfield", fields), graph.add("buffersink")
    source.link_to(flag)
    flag.link_to(sink)
    graph.configure()
    graph.push(frame)
    return graph.pull()


def remuxed(source: Path, target: Path, change: Callable[[int, Any], Any | None]) -> Path:
    """Copy the packets of a file; `change(n, packet)` gives the packet to write, or None to leave it out."""
    with av.open(str(source)) as old, av.open(str(target), "w") as new:
        stream = new.add_stream_from_template(old.streams.video[0])
        for n, packet in enumerate(old.demux(video=0)):
            if packet.dts is None:
                continue
            kept = change(n, packet)
            if kept is not None:
                kept.stream = stream
                new.mux(kept)
    return target


def damaged(packet: Any, seed: int = 1) -> Any:
    """The packet with two thirds of its bytes overwritten."""
    data = bytearray(bytes(packet))
    begin = len(data) // 3
    data[begin:] = np.random.default_rng(seed).integers(0, 256, len(data) - begin, dtype=np.uint8).tobytes()
    new = av.Packet(bytes(data))
    new.pts, new.dts, new.time_base, new.duration = packet.pts, packet.dts, packet.time_base, packet.duration
    return new


_TS_BYTES = 188  # of a packet


def joined(target: Path, *parts: Path, counted_on: bool = False) -> Path:
    """MPEG-TS files one after the other, as a recorder that reconnects leaves them.

    `counted_on`: packets are counted on over the seams. Else the counters (modulo 16) jump there or not, by
    how long the encoder's data happen to be; a jump damages the images before it.
    """
    data = bytearray(b"".join(p.read_bytes() for p in parts))
    if counted_on:
        counters: dict[bytes, int] = {}
        for k in range(0, len(data), _TS_BYTES):
            if data[k + 3] & 0x10:  # with a payload (ISO/IEC 13818-1, 2.4.3.3)
                pid = bytes((data[k + 1] & 0x1F, data[k + 2]))
                counters[pid] = (counters.get(pid, -1) + 1) % 16
                data[k + 3] = data[k + 3] & 0xF0 | counters[pid]
    target.write_bytes(data)
    return target
