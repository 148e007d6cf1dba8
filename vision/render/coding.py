"""What a video codec at a low bit rate leaves of a picture: the last of a short run, coded together.

A still picture's compression does not show it: what stirs in a coded video is predicted from the picture
before, and a faint streak survives as a few blocks or not at all.
"""

from __future__ import annotations

import io
from collections.abc import Sequence

import av
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]


def coded(pictures: Sequence[U8], quantiser: int) -> U8:
    """The last of the RGB pictures (H, W, 3) after H.264, 4:2:0, at a fixed quantiser (18 good, 42 poor)."""
    height, width = pictures[0].shape[:2]
    right, below = -width % 16, -height % 16
    memory = io.BytesIO()
    with av.open(memory, "w", format="matroska") as out:
        stream = out.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = width + right, height + below, "yuv420p"
        stream.options = {"preset": "veryfast", "qp": str(quantiser), "bf": "0", "threads": "1"}
        for picture in pictures:
            whole = np.pad(picture, ((0, below), (0, right), (0, 0)), mode="edge")
            out.mux(stream.encode(av.VideoFrame.from_ndarray(whole, format="rgb24")))
        out.mux(stream.encode(None))
    memory.seek(0)
    with av.open(memory, "r") as back:
        last = [frame.to_ndarray(format="rgb24") for frame in back.decode(video=0)][-1]
    return np.ascontiguousarray(last[:height, :width])
