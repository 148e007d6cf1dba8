"""Exports that take long, one after the other: evidence with its clip, films, sheets.

One made on request took up to 125 MB, so that 24 at once took 3 GB (measured). Here one thread makes them at
low priority into files of a temporary folder, and the answers are streamed from those. Requests wait without
holding a thread; those for the same export share one. Where too many wait, the next is refused. What nobody
wants any more is stopped, and nothing is made on a disk that is nearly full: a match may be recorded there.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Literal

from calibration.files import work_folder
from vision import process

Share = Callable[[float], None]
"""Told how much of an export is done, 0 to 1."""
Make = Callable[[Path, Share], None]
"""Writes an export into a file."""

MOST_WAITING = 200  # each holds a connection, no thread and no picture
_KEPT = 8  # finished files, for a browser that asks again; a clip of 90 s has some 20 MB
_KEPT_BYTES = 2 * 2**30  # of those; a film of a whole match has gigabytes
LEAST_FREE_BYTES = 128 * 2**20
"""What an export leaves of the disk: an evening's journal and some clips; a small /tmp in memory has more."""
_LOOKED_AGAIN_S = 1.0  # between two looks at the disk and at who still wants an export
NICE = 15  # 0 is usual, 19 the lowest priority on Linux


class QueueFull(Exception):
    """Too many exports wait."""


class Unwanted(Exception):
    """Nobody waits for the export that is being made, or something that it shows was deleted."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an export is. `before`: exports that are made first. `share`: done of its own, 0 to 1."""

    state: Literal["waiting", "working", "ready"]
    before: int
    share: float


@dataclass(eq=False)
class _Job:
    key: Hashable
    make: Make
    path: Path
    lock: threading.Condition
    done: Future[None] = field(default_factory=Future)
    share: float = 0.0
    wanted: int = 0
    stopped: bool = False
    looked_s: float = 0.0

    def tell(self, share: float) -> None:
        """Note how far it is. Raises Unwanted, and OSError where the disk is nearly full: both end it."""
        self.share = min(1.0, max(0.0, share))
        now_s = time.monotonic()
        if now_s - self.looked_s < _LOOKED_AGAIN_S:
            return
        self.looked_s = now_s
        with self.lock:
            self.stopped = self.stopped or self.wanted <= 0
        if self.stopped:
            raise Unwanted
        if shutil.disk_usage(self.path.parent).free < LEAST_FREE_BYTES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


class Ticket:
    """A place in the queue. `close` gives it up; an export that nobody wants any more is not begun."""

    def __init__(self, queue: ExportQueue, job: _Job) -> None:
        self._queue, self._job = queue, job
        job.wanted += 1  # under the queue's lock

    @property
    def done(self) -> bool:
        """Whether the export is made, or has failed."""
        return self._job.done.done()

    def open(self) -> BinaryIO:
        """The finished file, open for reading; it may be deleted meanwhile. Raises what making it raised."""
        self._job.done.result(0)
        return self._job.path.open("rb")

    def close(self) -> None:
        """The export is not wanted any more here."""
        self._queue._leave(self._job)


class ExportQueue:
    """Makes one export at a time. Methods may be called from several threads."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._most_waiting = most_waiting
        self._lock = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._working: _Job | None = None
        self._ready: OrderedDict[Hashable, _Job] = OrderedDict()
        self._folder: Path | None = None
        self._folders = contextlib.ExitStack()
        self._count = 0
        self._thread: threading.Thread | None = None
        self._closed = False

    def ask(self, key: Hashable, make: Make) -> Ticket:
        """A place for the export of that key, which is made once for all who ask. Raises QueueFull, OSError.

        `key` names everything that the export depends on.
        """
        with self._lock:
            known = self._find(key)
            if known is not None and not known.stopped:
                return Ticket(self, known)
            if self._closed or len(self._waiting) >= self._most_waiting:
                raise QueueFull
            if self._folder is None:
                self._folder = self._folders.enter_context(work_folder("cueref-exports-"))
            self._count += 1
            job = _Job(key, make, self._folder / str(self._count), self._lock)
            self._waiting.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="exports", daemon=True)
                self._thread.start()
            self._lock.notify_all()
            return Ticket(self, job)

    def progress(self, key: Hashable) -> Progress | None:
        """How far the export of that key is; None where nobody has asked for it."""
        with self._lock:
            job = self._find(key)
            if job is None:
                return None
            if job in self._waiting:
                return Progress("waiting", self._waiting.index(job) + (self._working is not None), 0.0)
            return Progress("working" if job is self._working else "ready", 0, job.share)

    def forget(self) -> None:
        """Delete what is finished and stop what is being made: something that they show was deleted."""
        with self._lock:
            for job in self._ready.values():
                job.path.unlink(missing_ok=True)
            self._ready.clear()
            if self._working is not None:
                self._working.stopped = True

    def close(self) -> None:
        """Make nothing more; what is being made is stopped. The files are deleted."""
        with self._lock:
            self._closed = True
            if self._working is not None:
                self._working.stopped = True
            for job in self._waiting:
                job.done.cancel()
            self._waiting.clear()
            self._lock.notify_all()
        if self._thread is not None:
            self._thread.join(10.0)
        with contextlib.suppress(OSError):
            self._folders.close()

    def _find(self, key: Hashable) -> _Job | None:
        if key in self._ready:
            self._ready.move_to_end(key)
            return self._ready[key]
        working = [self._working] if self._working is not None else []
        return next((j for j in (*working, *self._waiting) if j.key == key), None)

    def _leave(self, job: _Job) -> None:
        with self._lock:
            job.wanted -= 1
            if job.wanted <= 0 and job in self._waiting:
                self._waiting.remove(job)

    def _run(self) -> None:
        with contextlib.suppress(OSError, AttributeError):  # threads have priorities on Linux alone
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        while True:
            with self._lock:
                self._lock.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    return
                job = self._working = self._waiting.popleft()
            error = self._made(job)
            process.give_back()  # decoder, encoder and pictures leave some 100 MB behind
            with self._lock:
                self._working = None
                self._settle(job, error)

    def _made(self, job: _Job) -> BaseException | None:
        try:
            job.make(job.path, job.tell)
        except BaseException as error:
            return error
        return Unwanted() if job.stopped else None

    def _settle(self, job: _Job, error: BaseException | None) -> None:
        """Keep what was made, forget the oldest; a failed export is made anew when it is asked for again."""
        if error is not None:
            job.path.unlink(missing_ok=True)
            job.done.set_exception(error)
            return
        job.share = 1.0
        self._ready[job.key] = job
        sizes = {k: j.path.stat().st_size for k, j in self._ready.items()}
        while len(sizes) > _KEPT or sum(sizes.values()) > _KEPT_BYTES:
            old = next((k for k, j in self._ready.items() if j.wanted <= 0 and j is not job), None)
            if old is None:
                break  # all are being fetched
            self._ready.pop(old).path.unlink(missing_ok=True)
            del sizes[old]
        job.done.set_result(None)
