"""Filming one camera's clip: images through the studio into a file, and the truth of what they show."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av
import numpy as np

from referee.quality.bench.pixels.play import crowd
from referee.quality.bench.pixels.scenes import Packing, Setting
from vision.render.play.director import HandEvent, Script, StrokeEvent
from vision.render.scene import Ball
from vision.render.studio import Studio
from vision.render.visibility import visible_shares

MOVING_MM_S = 20.0
"""A ball slower than this is not judged as a moving one."""


@dataclass(frozen=True, slots=True)
class TrueMotion:
    """A ball in one image while it moves: where it was when its row was exposed."""

    t_s: float
    stroke: int
    ball: str
    x_mm: float
    y_mm: float
    speed_mm_s: float
    visible: float


@dataclass(frozen=True, slots=True)
class ClipTruth:
    """A clip's script with what only filming tells.

    `best_view`: for each stroke, by ball, the largest share of it that any image showed between the rest
    before and the strike. `motions`: every ball in every image in which it moves.
    """

    script: Script
    image_hz: float
    images: int
    motions: tuple[TrueMotion, ...]
    best_view: tuple[dict[str, float], ...]
    seed: int

    @property
    def strokes(self) -> tuple[StrokeEvent, ...]:
        return tuple(e for e in self.script.events if isinstance(e, StrokeEvent))

    @property
    def hands(self) -> tuple[HandEvent, ...]:
        return tuple(e for e in self.script.events if isinstance(e, HandEvent))


def film_clip(
    path: Path, studio: Studio, setting: Setting, script: Script, image_hz: float, seed: int
) -> ClipTruth:
    """Film and encode a script; returns its truth."""
    times = np.arange(int(script.end_s * image_hz)) / image_hz
    motions: list[TrueMotion] = []
    strokes = [e for e in script.events if isinstance(e, StrokeEvent)]
    views: list[dict[str, float]] = [{} for _ in strokes]
    with Encoder(
        path, setting.packing, setting.camera.width_px, setting.camera.height_px, image_hz
    ) as encoder:
        for k, t in enumerate(float(v) for v in times):
            balls = studio.filmed(script, t)
            people = crowd(script, t, seed)
            encoder.add(studio.picture(balls, people, t))
            names = list(script.layout(t))
            shown = balls[: len(names)]
            n = next((i for i, e in enumerate(strokes) if e.t_strike <= t <= e.t_rest), None)
            if n is not None:
                moving = tuple(i for i, b in enumerate(shown) if math.hypot(*b.velocity) > MOVING_MM_S)
                shares = visible_shares(setting.camera, shown, people, _radius(setting), moving)
                motions += [
                    _motion(t, n, names[i], shown[i], share) for i, share in zip(moving, shares, strict=True)
                ]
            elif k % max(1, round(image_hz / 5)) == 0:
                ahead = next((i for i, e in enumerate(strokes) if t < e.t_strike), None)
                if ahead is not None:
                    shares = visible_shares(setting.camera, shown, people, _radius(setting))
                    _best(views[ahead], names, shares)
    return ClipTruth(script, image_hz, len(times), tuple(motions), tuple(views), seed)


def _radius(setting: Setting) -> float:
    return setting.scene.table.ball_radius_mm


def _best(views: dict[str, float], names: list[str], shares: tuple[float, ...]) -> None:
    for name, share in zip(names, shares, strict=True):
        views[name] = max(views.get(name, 0.0), share)


def _motion(t_s: float, stroke: int, name: str, ball: Ball, share: float) -> TrueMotion:
    return TrueMotion(t_s, stroke, name, ball.x_mm, ball.y_mm, math.hypot(*ball.velocity), share)


class Encoder:
    """A video file being written as a camera's recorder would: H.264 by quality or by rate, or motion
    JPEG.
    """

    def __init__(self, path: Path, packing: Packing, width: int, height: int, image_hz: float) -> None:
        self.out = av.open(str(path), "w")
        rate = Fraction(image_hz).limit_denominator(1000)
        codec = "mjpeg" if packing.codec == "mjpeg" else "libx264"
        # PyAV types a stream by the codec's literal name only
        self.stream = cast("Any", self.out.add_stream(codec, rate=rate))
        self.stream.width, self.stream.height = width, height
        self.stream.pix_fmt = "yuvj420p" if packing.codec == "mjpeg" else "yuv420p"
        self.stream.time_base = 1 / rate
        gop = str(max(1, round(packing.gop_s * image_hz)))
        if packing.codec == "h264":
            self.stream.options = {"crf": str(packing.crf), "preset": "superfast", "threads": "1", "g": gop}
        elif packing.codec == "h264_thin":
            self.stream.bit_rate = packing.kbit_s * 1000
            self.stream.options = {
                "preset": "superfast",
                "threads": "1",
                "g": gop,
                "tune": "zerolatency",
                "maxrate": f"{packing.kbit_s}k",
                "bufsize": f"{packing.kbit_s}k",
            }
        else:
            self.stream.options = {
                "qscale": str(packing.quality),
                "qmin": str(packing.quality),
                "qmax": str(packing.quality),
            }
        self.count = 0

    def __enter__(self) -> Encoder:
        return self

    def add(self, rgb: np.ndarray) -> None:
        """One more image (H, W, 3) RGB."""
        frame = av.VideoFrame.from_ndarray(rgb, format="rgb24")
        frame.pts = self.count
        self.count += 1
        self.out.mux(self.stream.encode(frame))

    def __exit__(self, *_: object) -> None:
        self.out.mux(self.stream.encode())
        self.out.close()
