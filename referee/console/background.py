"""Long work done aside: in a thread of its own with low priority, so that a table that is refereed keeps its
images.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
NICE = 15


def aside(work: Callable[[], T]) -> T:
    """The result of `work`; what it raises is raised here. The caller waits, others do not notice."""
    done: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        with contextlib.suppress(
            OSError, AttributeError
        ):  # Linux counts priorities by thread; elsewhere as it is
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
