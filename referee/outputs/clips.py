"""The video clips of strokes that a live match keeps: their names and how they are found.

A clip `stroke_0007.mp4` (.mkv for what MP4 cannot hold; `stroke_0007_2` where the camera changed within the
stroke) has `stroke_0007.json` beside it: `offset_s` is the match time of the file's own 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CLIPS_FOLDER = "clips"
"""Of a match's folder."""

_CLIP = re.compile(r"stroke_(\d+)(?:_(\d+))?\.(mp4|mkv)")


@dataclass(frozen=True, slots=True)
class Clip:
    """The video of a stroke. `start_s`, `end_s`: the stroke's; `offset_s`: match time of the file's own 0;
    `duration_s`: of the file. `part` counts from 1."""

    stroke: int
    part: int
    path: Path
    start_s: float
    end_s: float
    offset_s: float
    duration_s: float
    size: int


def clip_over(clips: Iterable[Clip], start_s: float, end_s: float) -> Clip | None:
    """The first part of the clip of a stroke, by the stroke's times: at least half of one lies in the
    other.
    """
    shared = {c: min(c.end_s, end_s) - max(c.start_s, start_s) for c in clips if c.part == 1}
    fit = [c for c, s in shared.items() if s > 0 and s >= 0.5 * min(c.end_s - c.start_s, end_s - start_s)]
    return max(fit, key=lambda c: shared[c], default=None)


def clips_in(folder: Path) -> tuple[Clip, ...]:
    """The clips that lie in a folder, of a ring or of none; nothing is changed there."""
    return tuple(filter(None, (_clip(p) for p in sorted(folder.glob("stroke_*.m*")) if not p.is_symlink())))


def _clip(path: Path) -> Clip | None:
    if not _CLIP.fullmatch(path.name):
        return None
    try:
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        return Clip(path=path, size=path.stat().st_size, **facts)
    except (OSError, ValueError, TypeError):
        return None  # without its times a clip cannot be shown at the right place
