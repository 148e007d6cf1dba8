"""Work that other threads give to the engine's thread: queued, done between two images, answered by
a future.
"""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class Mailbox:
    """`put` is called from any thread; `serve` from the one that does the work."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def put(self, work: Callable[[], T]) -> Future[T]:
        """Queue work; the future holds its result or its error."""
        future: Future[T] = Future()

        def do() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._work.put(do)
        return future

    def wait(self, work: Callable[[], T], timeout_s: float) -> T:
        """Queue work and wait for its result. After `timeout_s` TimeoutError is raised and the work is
        dropped.
        """
        future = self.put(work)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise

    def serve(self) -> None:
        """Do all queued work."""
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            work()
