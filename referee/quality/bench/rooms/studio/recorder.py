"""A recorder's effects on a camera's images: graphics burnt in, repeats and losses, coding at low rates."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, cast

import av
import cv2
import numpy as np
from numpy.typing import NDArray

U8 = NDArray[np.uint8]
Rng = np.random.Generator
Codec = Literal["h264", "hevc", "mjpeg"]
_ENCODERS: dict[Codec, str] = {"h264": "libx264", "hevc": "libx265", "mjpeg": "mjpeg"}


@dataclass(frozen=True, slots=True)
class Recording:
    """How a file is written. `repeat_every`: each so manieth image shows the last one again (0: none);
    `lost`: share of images that repeat at random; `jpeg`: quality of stills.
    """

    codec: Codec
    kbit_s: int
    quality: int
    jpeg: int
    stamp: bool
    score: bool
    repeat_every: int
    lost: float

    @property
    def words(self) -> str:
        return f"mjpeg q {self.quality}" if self.codec == "mjpeg" else f"{self.codec} {self.kbit_s} kbit/s"


def draw_recording(rng: Rng, width_px: int) -> Recording:
    """300 to 4,000 kbit/s, more for larger pictures; graphics on a third of the files."""
    codec: Codec = ("h264", "hevc", "mjpeg")[int(rng.choice(3, p=[0.6, 0.2, 0.2]))]
    low, high = (300.0, 2500.0) if width_px < 1900 else (900.0, 4000.0)
    return Recording(
        codec,
        round(float(np.exp(rng.uniform(np.log(low), np.log(high))))),
        int(rng.integers(4, 10)),
        int(rng.integers(60, 94)),
        bool(rng.random() < 0.3),
        bool(rng.random() < 0.25),
        int(rng.choice([0, 0, 0, 6])),
        float(rng.choice([0.0, 0.0, 0.03])),
    )


def burnt_in(image: U8, recording: Recording, t_s: float) -> U8:
    """The image with a time stamp and a score bar, as recorders and television burn them in."""
    out = image.copy()
    h, w = out.shape[:2]
    size = h / 900
    if recording.stamp:
        text = f"2026-03-14 20:{int(t_s) // 60:02d}:{int(t_s) % 60:02d}"
        at = (round(0.015 * w), round(0.04 * h))
        cv2.putText(out, text, at, cv2.FONT_HERSHEY_PLAIN, 1.6 * size, (0, 0, 0), 4, cv2.LINE_AA)
        cv2.putText(out, text, at, cv2.FONT_HERSHEY_PLAIN, 1.6 * size, (250, 250, 250), 1, cv2.LINE_AA)
    if recording.score:
        top, left, right = round(0.952 * h), round(0.28 * w), round(0.72 * w)
        cv2.rectangle(out, (left, top), (right, h - 4), (240, 200, 60), -1)
        cv2.rectangle(out, (round(0.45 * w), top), (round(0.55 * w), h - 4), (30, 60, 200), -1)
        cv2.putText(
            out,
            "54  (11)  6",
            (round(0.46 * w), h - 10),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.7 * size,
            (255, 255, 255),
            1,
        )
    return out


class Recorder:
    """A video file being written; use as a context."""

    def __init__(
        self, path: Path, recording: Recording, size: tuple[int, int], image_hz: float, seed: int
    ) -> None:
        self._recording, self._hz = recording, image_hz
        self._rng = np.random.default_rng([seed, 9])
        self._out = av.open(str(path), "w")
        rate = Fraction(image_hz).limit_denominator(1000)
        self._stream = cast("Any", self._out.add_stream(_ENCODERS[recording.codec], rate=rate))
        self._stream.width, self._stream.height = size
        jpeg = recording.codec == "mjpeg"
        self._stream.pix_fmt = "yuvj420p" if jpeg else "yuv420p"
        self._stream.time_base = 1 / rate
        q = str(recording.quality)
        self._stream.options = (
            {"qscale": q, "qmin": q, "qmax": q}
            if jpeg
            else {
                "preset": "veryfast",
                "g": str(round(2 * image_hz)),
                "threads": "1",
                "x265-params": "log-level=none",
            }
        )
        if not jpeg:
            self._stream.bit_rate = recording.kbit_s * 1000
        self._count = 0
        self._last: U8 | None = None

    def __enter__(self) -> Recorder:
        return self

    def repeats(self) -> bool:
        """Whether the next image is the last one again; asked once for each image."""
        every = self._recording.repeat_every
        again = bool(every and self._count % every == every - 1)
        return self._last is not None and (again or bool(self._rng.random() < self._recording.lost))

    def add(self, image: U8) -> None:
        """Write one (H, W, 3) RGB image."""
        shown = burnt_in(image, self._recording, self._count / self._hz)
        self._last = image
        frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(shown), format="rgb24")
        frame.pts = self._count
        self._count += 1
        self._out.mux(self._stream.encode(frame))

    def __exit__(self, *_: object) -> None:
        self._out.mux(self._stream.encode())
        self._out.close()
