"""The soak's play: frames of snooker from the triangle on, rendered once under one camera, with their truth."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

CLIP_STROKES = 5
_VERSION = 1
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
    """A rendered clip. `strokes`: the stroke events of its truth file, in order (see `vision.synth.clip`)."""

    path: Path
    end_s: float
    fps: int
    strokes: tuple[Any, ...]


def render_clips(folder: Path, style: ClipStyle, progress: Callable[[int, int], None] | None = None) -> list[SoakClip]:
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
    from referee import racks
    from referee.synth_start import six_red_layout
    from vision.synth.clip import ClipOptions, clip_look, film_script, wanted_strokes
    from vision.synth.director import write_script
    from vision.synth.simulators import choose_physics

    options = ClipOptions(style.strokes, seed, style.width, style.height, style.fps, reds=15)
    look = clip_look(replace(options, seed=_LOOK_SEED), np.random.default_rng([_LOOK_SEED, 1]))
    rng = np.random.default_rng([seed, 2])
    wanted = [(False, ""), *wanted_strokes(rng, style.strokes)][: style.strokes]
    start = six_red_layout(racks.rack("snooker", seed))
    script = write_script(rng, options.table, wanted, 15, seed, choose_physics("builtin"), start)
    film_script(path, script, *look, options)
