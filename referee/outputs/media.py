"""Finds the video of a match: one in the match's folder or one that a person named, no other file."""

from __future__ import annotations

from pathlib import Path

from referee.outputs.document import Match


def video_of(match: Match, folder: Path, given: Path | None = None) -> Path | None:
    """The match's video: `given`, or the file of the recorded name inside `folder`; None without one.

    A name in match.json is somebody's text: only its last part counts, and a link that leads out of the
    folder is not followed, so that a crafted match cannot make the program serve another file.
    """
    if given is not None:
        return given if given.is_file() else None
    name = match["video"]["file"]
    if not name:
        return None
    last = Path(name.replace("\\", "/")).name
    if not last or last in (".", ".."):
        return None
    candidate = folder / last
    if not candidate.is_file() or not candidate.resolve().is_relative_to(folder.resolve()):
        return None
    return candidate
