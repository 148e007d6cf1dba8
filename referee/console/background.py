"""Long work in a thread of its own with low priority, so that a table refereed meanwhile loses no images."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
NICE = 15


def aside(work: Callable[[], T]) -> T:
    """The result of `work`, done at low priority while the caller waits. Raises what `work` raises."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        with contextlib.suppress(
            OSError, AttributeError
        ):  # Linux has priorities for threads; elsewhere the priority stays
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
        try:
            done.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name="aside", daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
