"""The stream of a table's events: numbered, kept in `events.jsonl`, handed to listeners.

The file holds every ruling, question, status and frame with the state beside it; states that only move balls
or count images go to listeners alone. At `_MOST_BYTES` a new file begins; one older file is kept.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from calibration.errors import UnusableInput
from calibration.files import check_own_file, open_kept, whole_file
from referee.live.engine.state import Body, LiveEvent, LiveState, document, event

EVENTS_FILE = "events.jsonl"
OLDER_EVENTS_FILE = "events.1.jsonl"
_MOST_BYTES = 16 * 2**20  # about 80 minutes of play
_MOST_WAITING = 2_000
"""Events kept for a full disk, 6 MB with the state in each: half an hour of play. The oldest go first."""
_UNSEEN = 100_000
"""Numbers left out at a restart: more than events can have gone to listeners alone since the last in the
file.
"""

_MATCH_ID = re.compile(rb'"match_id":\s?"([^"]*)"')  # within a text of the event the quotes are escaped

Listener = Callable[[LiveEvent], None]


def utc_text(unix_s: float) -> str:
    """A Unix time as ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(unix_s, UTC).isoformat(timespec="milliseconds")


class EventStream:
    """Numbers events and hands them on. `publish` from one thread; `listen` and `latest` from any."""

    def __init__(self, folder: Path, table: str) -> None:
        """Raises UnusableInput where a link lies in the place of the file."""
        self.table = table
        self._waiting: deque[bytes] = deque(maxlen=_MOST_WAITING)
        self._path = folder / EVENTS_FILE
        check_own_file(self._path)
        self._seq = _last_seq(self._path) or _last_seq(folder / OLDER_EVENTS_FILE)
        self._seq += _UNSEEN if self._seq else 0
        self._listeners: tuple[Listener, ...] = ()
        self._lock = threading.Lock()
        self._writing = threading.Lock()  # of the files: `publish` and `forget`
        self._latest: LiveState | None = None

    @property
    def latest(self) -> LiveState | None:
        """The newest state that was published."""
        return self._latest

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with every event from now on, in the engine's thread: it must return at once.

        Returns what ends it.
        """
        with self._lock:
            self._listeners = (*self._listeners, listener)

        def end() -> None:
            with self._lock:
                self._listeners = tuple(x for x in self._listeners if x is not listener)

        return end

    def next_seq(self) -> int:
        """The number of the next event."""
        return self._seq + 1

    def publish(self, body: Body, t_s: float, unix_s: float, keep: bool = True) -> LiveEvent:
        """Number an event, keep it in the file if asked to, hand it to all listeners."""
        self._seq += 1
        made = event(self._seq, t_s, utc_text(unix_s), self.table, body)
        if isinstance(body, LiveState):
            self._latest = body
        if keep:
            self._keep(made)
        for listener in self._listeners:
            listener(made)
        return made

    def _keep(self, made: LiveEvent) -> None:
        """Write an event to the file. Events that a full disk refuses are written later, in order and with
        their own times.
        """
        line = json.dumps(document(made), separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"
        with self._writing:
            self._waiting.append(line.encode())
            try:
                if self._path.exists() and self._path.stat().st_size > _MOST_BYTES:
                    os.replace(self._path, self._path.with_name(OLDER_EVENTS_FILE))
                _append(self._path, b"".join(self._waiting))
            except (OSError, UnusableInput):
                return
            self._waiting.clear()

    def forget(self, match: str) -> None:
        """Take the events of a match that is over out of the files; from any thread. Raises OSError."""
        with self._writing:
            left = deque(without_match(self._waiting, match), self._waiting.maxlen)
            forget_match(self._path.parent, match)
            self._waiting = left


def event_files(folder: Path) -> list[Path]:
    """The files of a table's events that are there."""
    found = (folder / EVENTS_FILE, folder / OLDER_EVENTS_FILE)
    return [p for p in found if p.is_file() and not p.is_symlink()]


def forget_match(folder: Path, match: str) -> None:
    """Write a table's files of events anew without a match. Raises OSError."""
    for file in event_files(folder):
        with whole_file(file, 0o600) as part, file.open("rb") as lines, part.open("wb") as kept:
            kept.writelines(without_match(lines, match))


def without_match(lines: Iterable[bytes], match: str) -> Iterator[bytes]:
    """The lines of other matches. A ruling stands before the state that names its match."""
    waiting: list[bytes] = []
    for line in lines:
        waiting.append(line)
        named = _MATCH_ID.search(line)
        if named is not None:
            yield from waiting if named[1] != match.encode() else ()
            waiting = []


def _append(path: Path, data: bytes) -> None:
    """Append all of the data or nothing: a line cut short would spoil the next one."""
    file = open_kept(path)
    try:
        size = os.lseek(file, 0, os.SEEK_END)
        try:
            while data:
                data = data[os.write(file, data) :]
        except OSError:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)


def _last_seq(path: Path) -> int:
    """The number of the last whole event in the file; 0 without one."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2**20))
            lines = file.read().splitlines()
    except OSError:
        return 0
    for line in reversed(lines):
        try:
            return int(json.loads(line)["seq"])
        except (ValueError, KeyError, TypeError):
            continue  # cut short by a kill or a full disk
    return 0
