"""The clip that cueref brings, to look around without a camera."""

from __future__ import annotations

from pathlib import Path

from calibration.texts import unusable_input

_CLIP = "club_four_strokes.mp4"
_FOLDERS = tuple(Path(__file__).parents[level] / "samples" for level in (0, 1))
"""Inside an installed wheel, else in the repository."""


def sample_clip() -> Path:
    """The bundled clip: four strokes, 34 s, its truth beside it. Raises UnusableInput where it is gone."""
    for folder in _FOLDERS:
        if (folder / _CLIP).is_file():
            return folder / _CLIP
    raise unusable_input("errors.sample_that_cueref_brings", clip=_CLIP)
