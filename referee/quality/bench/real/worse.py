"""Real clips made worse at random, as a cheaper camera in other light would have filmed them: turned, cut,
smaller, of other colours and brightness, sharpened, smoothed, noisy, averaged over time against noise, coded
harder.

What happens in them is the same, so that the same truth judges them, and no two draws are alike: of clips
that were looked at for long they tell what a rule that was made for one of them hides.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av
import av.filter
import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from calibration.find.strips import FloatArray

_CODECS = ("libx264", "libx265")
_KBIT_S = (500, 2500)
"""Of club cameras and of what is put on the net, for a picture of 720 lines."""

_LAGS = (0.1, 0.4)
"""Of cameras that average over time, one in three here."""

_TURN_DEGREES = (6.0, 6.0, 4.0)
"""Largest pan, tilt and roll. A camera that turns about itself sees the same as a homography of its picture
(Hartley and Zisserman, 8.4), whatever stands above the cloth.
"""

_FOCAL_WIDTHS = 1.2
"""Focal length of a usual club camera, in widths of the picture."""


@dataclass(frozen=True, slots=True)
class Worsening:
    """How a clip is made worse. `cut`: share of width and height that is left; `scale`: of what is left;
    `contrast`, `saturation`: factors; `hue_degrees`: turn of all colours; `sharpness`: of an unsharp mask,
    below 0 a blur; `noise`: strength of ffmpeg's filter, 0 to 100; `lag`: share of the image before in each
    image, as a filter against noise leaves it; `turn_degrees`: pan, tilt and roll of the camera.
    """

    cut: float
    scale: float
    gamma: float
    contrast: float
    saturation: float
    hue_degrees: float
    sharpness: float
    noise: int
    codec: str
    kbit_s: int
    lag: float
    turn_degrees: tuple[float, float, float]


def drawn(seed: int, clip: str, number: int) -> Worsening:
    """One of the ways in which a clip can be worse; always the same for the same arguments."""
    rng = np.random.default_rng([seed, zlib.crc32(clip.encode()), number])
    treated = rng.integers(4)  # as it is, sharpened, smoothed, noisy
    low, high = np.log(_KBIT_S)
    return Worsening(
        cut=1.0 if rng.random() < 0.5 else float(rng.uniform(0.94, 0.99)),
        scale=float(rng.uniform(2 / 3, 1.0)),
        gamma=float(rng.uniform(0.7, 1.35)),
        contrast=float(rng.uniform(0.85, 1.15)),
        saturation=float(rng.uniform(0.65, 1.3)),
        hue_degrees=float(rng.uniform(-7.0, 7.0)),
        sharpness={1: 1.2, 2: -0.8}.get(int(treated), 0.0),
        noise=8 if treated == 3 else 0,
        codec=_CODECS[rng.integers(len(_CODECS))],
        kbit_s=round(float(np.exp(rng.uniform(low, high)))),
        lag=float(rng.uniform(*_LAGS)) if rng.random() < 1 / 3 else 0.0,
        turn_degrees=_turn(rng) if rng.random() < 0.5 else (0.0, 0.0, 0.0),
    )


def _turn(rng: np.random.Generator) -> tuple[float, float, float]:
    pan, tilt, roll = (float(rng.uniform(-most, most)) for most in _TURN_DEGREES)
    return pan, tilt, roll


def write_worse(video: Path, file: Path, how: Worsening) -> None:
    """Write the clip made worse; images keep their times. Raises OSError for a file that cannot be read or
    written.
    """
    with av.open(str(video)) as source, av.open(str(file), "w") as target:
        stream = source.streams.video[0]
        turn = _turn_px(stream.width, stream.height, how.turn_degrees) if any(how.turn_degrees) else None
        graph = _graph(stream, how, turned=turn is not None)
        out: Any = None
        for frame in source.decode(stream):
            graph.push(frame if turn is None else _turned(frame, turn))
            for image in _pulled(graph):
                if out is None:
                    rate = stream.average_rate or Fraction(25)
                    out = cast("Any", target.add_stream(how.codec, rate=rate))
                    out.width, out.height, out.pix_fmt = image.width, image.height, "yuv420p"
                    out.codec_context.time_base = stream.time_base
                    out.bit_rate = how.kbit_s * 1000
                    out.options = {"preset": "fast", "threads": "1", "x265-params": "log-level=none:pools=1"}
                image.pict_type = 0
                target.mux(out.encode(image))
        if out is not None:
            target.mux(out.encode())


def _graph(stream: Any, how: Worsening, turned: bool) -> av.filter.Graph:
    """The filters from a decoded image to the one that is coded again."""
    graph = av.filter.Graph()
    middle = f"(val-128)*{how.contrast:.4f}+128"
    luma = f"clip(255*pow(clip({middle},0,255)/255,{1 / how.gamma:.4f}),0,255)"
    cut = 1.0 if turned else how.cut  # the table fills the picture of a turned camera
    left = [
        ("crop", f"trunc(iw*{cut:.4f}/2)*2:trunc(ih*{cut:.4f}/2)*2"),
        ("scale", f"trunc(iw*{how.scale:.4f}/2)*2:trunc(ih*{how.scale:.4f}/2)*2:flags=bicubic"),
        ("format", "yuv420p"),
        ("lutyuv", f"y='{luma}'"),
        ("hue", f"h={how.hue_degrees:.3f}:s={how.saturation:.4f}"),
    ]
    if how.sharpness:
        left.append(("unsharp", f"5:5:{how.sharpness}"))
    if how.noise:
        left.append(("noise", f"all_strength={how.noise}:all_flags=t:all_seed=1"))
    if how.lag:
        left.append(("tmix", f"frames=2:weights={how.lag:.3f} {1.0 - how.lag:.3f}"))
    pixels = av.VideoFormat("bgr24") if turned else stream.format
    last = graph.add_buffer(
        width=stream.width, height=stream.height, format=pixels, time_base=stream.time_base
    )
    for name, settings in left:
        step = graph.add(name, settings)
        last.link_to(step)
        last = step
    last.link_to(graph.add("buffersink"))
    graph.configure()
    return graph


def _turn_px(width: int, height: int, degrees: tuple[float, float, float]) -> FloatArray:
    """The homography (3, 3) from pixels to those of a camera that was turned, with a lens so wide that all of
    the picture stays in sight.
    """
    focal = _FOCAL_WIDTHS * width
    camera = np.array([[focal, 0.0, width / 2], [0.0, focal, height / 2], [0.0, 0.0, 1.0]])
    turn = Rotation.from_euler("YXZ", degrees, degrees=True).as_matrix()
    turned_from_seen = camera @ turn @ np.linalg.inv(camera)
    corners = np.array([[(0, 0), (width, 0), (0, height), (width, height)]], float)
    middle = np.array([width / 2, height / 2])
    beside = np.abs(cv2.perspectiveTransform(corners, turned_from_seen)[0] - middle).max(axis=0)
    scale = float((middle / beside).min())  # a shorter focal length: the optical axis stays in the middle
    zoom = np.array([[scale, 0, (1 - scale) * middle[0]], [0, scale, (1 - scale) * middle[1]], [0, 0, 1.0]])
    return np.asarray(zoom @ turned_from_seen, np.float64)


def _turned(frame: av.VideoFrame, turn_px: FloatArray) -> av.VideoFrame:
    """The image of the turned camera."""
    seen = frame.to_ndarray(format="bgr24")
    image = cv2.warpPerspective(seen, turn_px, (frame.width, frame.height), flags=cv2.INTER_CUBIC)
    turned = av.VideoFrame.from_ndarray(np.asarray(image, np.uint8), format="bgr24")
    turned.pts, turned.time_base = frame.pts, frame.time_base
    return turned


def _pulled(graph: av.filter.Graph) -> Iterator[av.VideoFrame]:
    """The images that are ready."""
    while True:
        try:
            image = graph.pull()
        except (av.BlockingIOError, av.EOFError):
            return
        yield cast("av.VideoFrame", image)
