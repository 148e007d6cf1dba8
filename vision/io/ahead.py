"""A step of a pipeline: an iterator that runs ahead in a thread of its own, bounded and in order."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_LOOK_S = 0.2  # seconds between looks at whether the consumer of a full queue has stopped
_JOIN_S = 5.0  # seconds that closing waits for the thread


@dataclass(frozen=True, slots=True)
class _Ended(Generic[T]):
    """The last item of the queue: the iterator has ended, by this error if there is one."""

    error: BaseException | None


def ahead(items: Iterable[T], depth: int) -> Iterator[T]:
    """The same items in the same order, at most `depth` of them produced in advance.

    Errors of the iterator are raised here. Closing this iterator, or an exception in its consumer (Ctrl-C),
    ends the thread after the item in progress.
    """
    made: queue.Queue[T | _Ended[T]] = queue.Queue(depth)
    stop = threading.Event()

    def put(item: T | _Ended[T]) -> None:
        while not stop.is_set():
            try:
                made.put(item, timeout=_LOOK_S)
                return
            except queue.Full:
                continue

    def run() -> None:
        try:
            for item in items:
                put(item)
                if stop.is_set():
                    return
            put(_Ended(None))
        except BaseException as error:
            put(_Ended(error))

    thread = threading.Thread(target=run, name="ahead", daemon=True)
    thread.start()
    try:
        while not isinstance(item := made.get(), _Ended):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        stop.set()
        thread.join(timeout=_JOIN_S)
