"""How long video is kept, over all matches of a table: a ring forgets only what its own match recorded."""

from __future__ import annotations

import contextlib
import re
import threading
import time
from pathlib import Path

from referee.live.clips import ClipStore
from referee.live.session import CLIPS_FOLDER

MATCH = re.compile(r"\d{8}T\d{6}Z")
"""Name of a match's folder (`referee.live.session`)."""

_EVERY_S = 600.0
_SETTLED_S = 600.0  # a ring that is being closed still cuts its last clips out of its segments


def forget(out: Path, keep_days: float, now_unix_s: float, but: str | None = None) -> int:
    """Delete, in the matches of `out`, clips older than `keep_days` (0: none) and rings that nobody writes any more.

    `but`: the match that is on; its own ring looks after it. How many clips went. OSError when the disk refuses.
    """
    gone = 0
    for folder in sorted(out.iterdir()):
        clips = folder / CLIPS_FOLDER
        if folder.name == but or not MATCH.fullmatch(folder.name) or folder.is_symlink() or not clips.is_dir():
            continue
        if any(now_unix_s - p.stat().st_mtime < _SETTLED_S for p in clips.iterdir()):
            continue
        store = ClipStore(clips)
        before = len(store.clips())
        store.forget_segments(float("inf"))
        store.forget_clips(now_unix_s - keep_days * 86400 if keep_days else None)
        gone += before - len(store.clips())
    return gone


class Retention:
    """`forget` at the start and every ten minutes, in a thread of its own: refereeing does not wait for a disk."""

    def __init__(self, out: Path, keep_days: float) -> None:
        self._out, self._keep_days = out, keep_days
        self.on: str | None = None
        """The match that is on; set by the engine."""
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)

    def start(self) -> None:
        """From now on; set `on` before."""
        self._thread.start()

    def _run(self) -> None:
        while True:
            with contextlib.suppress(OSError):  # what the disk refuses now is tried again
                forget(self._out, self._keep_days, time.time(), self.on)
            if self._end.wait(_EVERY_S):
                return

    def close(self) -> None:
        """Stop; what is being deleted is finished."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
