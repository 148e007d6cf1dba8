"""A door: a few requests at a time do what takes much memory or long, the next wait, a crowd is sent away.

Starlette runs ordinary handlers on 40 threads that all requests share. Forty pictures decoded at once took
gigabytes, and whoever waits for a processor keeps the threads on which corrections are made.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

from fastapi import HTTPException

from calibration.texts import sentence

P = ParamSpec("P")
T = TypeVar("T")
_AT_ONCE = 2
_AFTER_S = "2"


class Door:
    """`words`: the key of the sentence for who is sent away with `status`; `most`: how many may be inside.

    `nice`: priority of the threads, 0 is usual, 19 the lowest on Linux; exports have 15.
    """

    def __init__(self, name: str, status: int, words: str, most: int, nice: int = 0) -> None:
        self._threads = ThreadPoolExecutor(
            _AT_ONCE, thread_name_prefix=name, initializer=_step_back, initargs=(nice,)
        )
        self._status, self._words, self._most = status, words, most
        self._inside = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place inside, for the event loop's thread. Raises HTTPException where too many are."""
        if self._inside >= self._most:
            raise HTTPException(self._status, sentence(self._words), {"retry-after": _AFTER_S})
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def work(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """The result of `work`, for one who has a place."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: work(*given, **named))

    async def through(self, work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """The result of `work` in a place of its own. Raises HTTPException where too many are inside."""
        with self.place():
            return await self.work(work, *given, **named)


def _step_back(nice: int) -> None:
    """Leave the processor to the referee."""
    with contextlib.suppress(OSError, AttributeError):  # threads have priorities on Linux alone
        if nice:
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)
