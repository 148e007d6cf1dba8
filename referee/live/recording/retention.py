"""Deletes old video of all matches of a table; a ring deletes only what its own match recorded."""

from __future__ import annotations

import contextlib
import re
import threading
from pathlib import Path

from referee.live.recording.clip_store import ClipStore
from referee.live.recording.ring import MOST_BYTES
from referee.moments import UnhurriedClock
from referee.outputs.clips import CLIPS_FOLDER

MATCH = re.compile(r"\d{8}T\d{6}Z")
"""Name of a match's folder (`referee.live.engine.live_match`)."""

_EVERY_S = 600.0  # between two turns
_SETTLED_S = 600.0  # a ring that is being closed still cuts its last clips out of its segments


def forget(
    out: Path, keep_days: float, now_unix_s: float, but: str | None = None, max_bytes: int = MOST_BYTES
) -> int:
    """Delete, in the matches of `out`, clips older than `keep_days` (0: none) and segments of rings that have
    ended. Then delete the clips of the oldest matches until all clips take no more than `max_bytes`.

    `but`: the match that is on, which its own ring looks after. Returns the number of deleted clips. Raises
    OSError.
    """
    before = after = over = 0
    stores: list[ClipStore] = []
    for folder in sorted(out.iterdir()):
        clips = folder / CLIPS_FOLDER
        if not MATCH.fullmatch(folder.name) or folder.is_symlink():
            continue
        if clips.is_symlink() or not clips.is_dir():  # a link could lead to another's files
            continue
        size, touched_unix_s = _size(clips)
        if folder.name == but or now_unix_s - touched_unix_s < _SETTLED_S:
            over += size
            continue
        store = ClipStore(clips)
        before += len(store.clips())
        store.forget_segments(float("inf"))
        store.forget_clips(now_unix_s - keep_days * 86400 if keep_days else None)
        over += store.bytes_kept()
        stores.append(store)
    over -= max_bytes
    for store in stores:
        if over > 0:
            kept = store.bytes_kept()
            store.shrink(max(0, kept - over))
            over -= kept - store.bytes_kept()
        after += len(store.clips())
    return before - after


def _size(folder: Path) -> tuple[int, float]:
    """(bytes, Unix time of the last change) of a folder's files; files deleted meanwhile are left out."""
    size, touched_unix_s = 0, float("-inf")
    for path in folder.iterdir():
        with contextlib.suppress(FileNotFoundError):
            found = path.stat()
            size, touched_unix_s = size + found.st_size, max(touched_unix_s, found.st_mtime)
    return size, touched_unix_s


class Retention:
    """`forget` at the start and every ten minutes, in a thread of its own: refereeing does not wait for a
    disk.
    """

    def __init__(self, out: Path, keep_days: float, max_bytes: int = MOST_BYTES) -> None:
        self._out, self._keep_days, self._max_bytes = out, keep_days, max_bytes
        self.on: str | None = None
        """The match that is on; set by the engine."""
        self._clock = UnhurriedClock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="retention", daemon=True)

    def start(self) -> None:
        """From now on; set `on` before."""
        self._thread.start()

    def _run(self) -> None:
        while True:
            with contextlib.suppress(OSError):  # tried again at the next turn
                forget(self._out, self._keep_days, self._clock.unix_s(), self.on, self._max_bytes)
            if self._end.wait(_EVERY_S):
                return

    def close(self) -> None:
        """Stop; what is being deleted is finished."""
        self._end.set()
        if self._thread.is_alive():
            self._thread.join(5.0)
