"""Work for the engine's thread from other threads: put in, done between two images, answered by a future."""

from __future__ import annotations

import queue
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class Mailbox:
    """`put` from any thread; `serve` from the one whose work it is."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def put(self, work: Callable[[], T]) -> Future[T]:
        """Have something done; what it returns or raises is in the future."""
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
        """The same, waited for. TimeoutError after a while; then it is not done any more."""
        future = self.put(work)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise

    def serve(self) -> None:
        """Do all that waits."""
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            work()
