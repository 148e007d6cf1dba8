"""A step that runs ahead in its own thread changes nothing but the time: order, errors, an end without hanging."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator

import pytest

from calibration.errors import UnusableInput
from vision.ahead import ahead

DEPTH = 3


def workers() -> int:
    return sum(t.name == "ahead" for t in threading.enumerate())


def test_the_same_items_in_the_same_order() -> None:
    assert list(ahead(iter(range(200)), DEPTH)) == list(range(200))
    assert list(ahead(iter(()), DEPTH)) == []


def test_no_more_is_made_than_the_queue_holds() -> None:
    made = []

    def items() -> Iterator[int]:
        for k in itertools.count():
            made.append(k)
            yield k

    taken = ahead(items(), DEPTH)
    assert next(taken) == 0
    time.sleep(0.3)
    assert len(made) <= DEPTH + 2  # those waiting, the one taken, the one that finds the queue full
    taken.close()  # type: ignore[attr-defined]  # a generator


@pytest.mark.parametrize("error", [UnusableInput("a.mp4: expected a video, found none"), MemoryError()])
def test_what_the_iterator_raises_comes_out_as_itself_behind_what_came_before(error: BaseException) -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise error

    seen = []
    with pytest.raises(type(error)) as raised:
        for item in ahead(items(), DEPTH):
            seen.append(item)
    assert raised.value is error and seen == list(range(5))


def test_an_exception_where_it_is_used_ends_the_thread() -> None:
    before = workers()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for item in ahead(itertools.count(), DEPTH):
            if item == 10:
                raise KeyboardInterrupt
    assert workers() == before and time.monotonic() - started < 2.0
