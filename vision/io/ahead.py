"""One step of a pipeline: an iterator run ahead in a thread of its own, bounded, in order."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

_LOOK_S = 0.2  # how often a full queue looks whether anybody still takes from it


@dataclass(frozen=True, slots=True)
class _Ended(Generic[T]):
    """The last item of the queue: the iterator is over, by this error if there is one."""

    error: BaseException | None


def ahead(items: Iterable[T], depth: int) -> Iterator[T]:
    """The same items in the same order, at most `depth` of them made before they are asked for.

    What the iterator raises is raised here in its place. Closing this iterator, or an exception where it
    is used (Ctrl-C), ends the thread with the item that is being made.
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
        thread.join(timeout=5.0)
