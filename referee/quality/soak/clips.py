"""The soak's play: frames of snooker from the triangle on, rendered once under one camera, with their
truth.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt

from calibration.files import whole_file, write_text
from referee.quality.synthetic.start import six_red_layout
from referee.rules.common import racks
from vision.render.clip import ClipOptions, clip_look, film_script, wanted_strokes
from vision.render.play.director import write_script
from vision.render.play.simulators import choose_physics

U8 = npt.NDArray[np.uint8]

CLIP_STROKES = 5
_VERSION = 1
HOLD_S, TAIL_S = 4.0, 1.0
_HOLD_NOISE = 1.2  # grey levels, about what the clips' own sensor has
_LOOK_SEED = 4  # every clip shows the same room, camera and sensor: only the play differs


@dataclass(frozen=True, slots=True)
class ClipStyle:
    """How the soak's clips look. `seeds`: one frame of play each."""

    seeds: tuple[int, ...]
    strokes: int = CLIP_STROKES
    width: int = 1280
    height: int = 720
    fps: int = 25


@dataclass(frozen=True, slots=True)
class SoakClip:
    """A rendered clip. `strokes`: the stroke events of its truth file, in order (see
    `vision.render.clip`).
    """

    path: Path
    end_s: float
    fps: int
    strokes: tuple[Any, ...]


def render_clips(
    folder: Path, style: ClipStyle, progress: Callable[[int, int], None] | None = None
) -> list[SoakClip]:
    """The clips of a style, those missing in the cache folder rendered (minutes each at 720p).

    A clip is kept under a name made of everything that decides its bytes. A seed whose play cannot be
    found ("no stroke found") is replaced by the next free number.
    """
    folder.mkdir(parents=True, exist_ok=True)
    clips: list[SoakClip] = []
    taken: set[int] = set()
    for k, wanted in enumerate(style.seeds):
        seed = wanted
        while True:
            while seed in taken:
                seed += 100
            taken.add(seed)
            path = folder / f"{_name(style, seed)}.mp4"
            try:
                if not path.with_suffix(".json").is_file():
                    _render(path, style, seed)
            except RuntimeError:
                continue
            break
        clips.append(read_clip(path, style.fps))
        if progress is not None:
            progress(k + 1, len(style.seeds))
    return clips


def read_clip(path: Path, fps: int) -> SoakClip:
    """A rendered clip with the strokes of its truth."""
    truth = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return SoakClip(path, truth["end"], fps, tuple(e for e in truth["events"] if e["type"] == "stroke"))


def _name(style: ClipStyle, seed: int) -> str:
    text = f"{_VERSION} {_LOOK_SEED} {seed} {style.strokes} {style.width} {style.height} {style.fps}"
    return f"frame_{seed:03d}_{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _render(path: Path, style: ClipStyle, seed: int) -> None:
    options = ClipOptions(style.strokes, seed, style.width, style.height, style.fps, reds=15)
    look = clip_look(replace(options, seed=_LOOK_SEED), np.random.default_rng([_LOOK_SEED, 1]))
    rng = np.random.default_rng([seed, 2])
    wanted = [(False, ""), *wanted_strokes(rng, style.strokes)][: style.strokes]
    start = six_red_layout(racks.rack("snooker", seed))
    script = write_script(rng, options.table, wanted, 15, seed, choose_physics("builtin"), start)
    film_script(path, script, *look, options)


@dataclass(frozen=True, slots=True)
class Tape:
    """A clip as a camera would send it: H.264 access units at a constant rate, a key image every second,
    none that waits for a later one. `units`: (offset, size, is key) in the file. The clip's first and last
    pictures stand for a while before and after it (`HOLD_S`, `TAIL_S`), with noise of their own."""

    path: Path
    width: int
    height: int
    fps: int
    units: tuple[tuple[int, int, bool], ...]


def camera_tape(clip: SoakClip, width: int, height: int) -> Tape:
    """The tape of a clip in a size, encoded once into the cache folder."""
    path = clip.path.with_name(f"{clip.path.stem}.hold.{width}x{height}.h264")
    if not path.with_suffix(".units.json").is_file():
        _encode_tape(path, _pictures(clip), width, height, clip.fps)
    return _read_tape(path, width, height, clip.fps)


def dark_tape(folder: Path, width: int, height: int, fps: int, seconds: int = 10) -> Tape:
    """A camera in a dark room: black with a little noise."""
    path = folder / f"dark_{seconds}.{width}x{height}.h264"
    if not path.with_suffix(".units.json").is_file():
        black = np.full((height, width, 3), 2, np.uint8)
        grain = _Grain(1.5, height, width)
        _encode_tape(path, (grain.over(black) for _ in range(seconds * fps)), width, height, fps)
    return _read_tape(path, width, height, fps)


def _pictures(clip: SoakClip) -> Iterator[U8]:
    """RGB pictures (H, W, 3) of a tape."""
    with av.open(str(clip.path)) as container:
        frames = (np.asarray(f.to_ndarray(format="rgb24"), np.uint8) for f in container.decode(video=0))
        last = next(frames)
        grain = _Grain(_HOLD_NOISE, *last.shape[:2])
        for _ in range(round(HOLD_S * clip.fps)):
            yield grain.over(last)
        yield last
        for last in frames:
            yield last
    for _ in range(round(TAIL_S * clip.fps)):
        yield grain.over(last)


class _Grain:
    """Noise of a sensor, one large field laid over each picture somewhere else."""

    def __init__(self, sigma: float, height: int, width: int) -> None:
        self._rng = np.random.default_rng(5)
        self._field = np.rint(self._rng.normal(0.0, sigma, (height + 64, width + 64, 1))).astype(np.int16)

    def over(self, rgb: U8) -> U8:
        i, j = self._rng.integers(0, 64, 2)
        height, width = rgb.shape[:2]
        return np.asarray(np.clip(rgb + self._field[i : i + height, j : j + width], 0, 255), np.uint8)


def _encode_tape(path: Path, pictures: Iterable[U8], width: int, height: int, fps: int) -> None:
    context = av.CodecContext.create("libx264", "w")
    context.width, context.height, context.pix_fmt = width, height, "yuv420p"
    context.time_base, context.framerate = Fraction(1, fps), Fraction(fps)
    context.options = {
        "crf": "21",
        "preset": "ultrafast",
        "bf": "0",
        "g": str(fps),
        "keyint_min": str(fps),
        "threads": "1",
        "x264-params": "repeat-headers=1:annexb=1:scenecut=0",
        "tune": "zerolatency",
    }
    units: list[tuple[int, int, bool]] = []
    at = 0
    with whole_file(path) as part, part.open("wb") as file:  # several soaks may share the folder
        for k, picture in enumerate(chain(_frames(pictures, width, height), [None])):
            if picture is not None:
                picture.pts, picture.time_base = k, Fraction(1, fps)
            for packet in context.encode(picture):
                units.append((at, packet.size, packet.is_keyframe))
                at += file.write(bytes(packet))
    write_text(path.with_suffix(".units.json"), json.dumps(units))


def _frames(pictures: Iterable[U8], width: int, height: int) -> Iterator[Any]:
    for picture in pictures:
        yield av.VideoFrame.from_ndarray(picture, "rgb24").reformat(width, height, "yuv420p")


def _read_tape(path: Path, width: int, height: int, fps: int) -> Tape:
    units = json.loads(path.with_suffix(".units.json").read_text(encoding="utf-8"))
    return Tape(path, width, height, fps, tuple((a, n, k) for a, n, k in units))
