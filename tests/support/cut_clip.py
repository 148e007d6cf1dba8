"""The beginning of a clip, for tests to which its first strokes are enough."""

from __future__ import annotations

from pathlib import Path

import av


def cut(source: Path, target: Path, seconds: float) -> Path:
    """The first seconds of a video, its packets as they are."""
    with av.open(str(source)) as container, av.open(str(target), "w") as out:
        stream = container.streams.video[0]
        copy = out.add_stream_from_template(stream)
        for packet in container.demux(stream):
            if packet.pts is not None and float(packet.pts * packet.time_base) < seconds:
                packet.stream = copy
                out.mux(packet)
    return target
