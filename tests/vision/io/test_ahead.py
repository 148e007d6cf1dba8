"""A step that runs ahead in its own thread changes nothing but the time: order, errors, an end without
hanging.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.errors import UnusableInput
from vision.io.ahead import ahead
from vision.io.images import VideoImage, watch_video
from vision.observation import Unusable

DEPTH = 3
SAMPLE = Path(__file__).resolve().parents[3] / "samples" / "club_four_strokes.mp4"


def workers() -> int:
    return sum(t.name == "ahead" for t in threading.enumerate())


def test_the_same_items_in_the_same_order() -> None:
    assert list(ahead(iter(range(200)), DEPTH)) == list(range(200))
    assert list(ahead(iter(()), DEPTH)) == []


def test_no_more_items_are_produced_than_the_queue_holds() -> None:
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
def test_errors_of_the_iterator_are_raised_after_its_items(error: BaseException) -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise error

    seen = []
    with pytest.raises(type(error)) as raised:
        for item in ahead(items(), DEPTH):
            seen.append(item)
    assert raised.value is error and seen == list(range(5))


def test_an_exception_in_the_consumer_ends_the_thread() -> None:
    before = workers()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        for item in ahead(itertools.count(), DEPTH):
            if item == 10:
                raise KeyboardInterrupt
    assert workers() == before and time.monotonic() - started < 2.0


def halved(images: Iterator[VideoImage | Unusable]) -> Iterator[VideoImage | Unusable]:
    """As a review reads: the half and quarter planes are made where the image is decoded."""
    for image in images:
        if isinstance(image, VideoImage):
            image.picture.luma(2)
        yield image


@pytest.mark.parametrize("after", [None, (37, 1.48)], ids=["from the beginning", "resumed"])
def test_a_video_decoded_ahead_shows_the_pictures_and_times_of_one_decoded_where_it_is_used(
    after: tuple[int, float] | None,
) -> None:
    """Pictures are compared when all are there: a decoder that reuses its memory would show in those that
    waited.
    """
    before, many = workers(), 30
    threaded = ahead(halved(watch_video(SAMPLE, after=after)), DEPTH)
    found = list(itertools.islice(threaded, many))
    threaded.close()  # type: ignore[attr-defined]  # a generator
    assert workers() == before, "who stops early leaves no thread behind"
    alone = list(itertools.islice(watch_video(SAMPLE, after=after), many))
    assert len(found) == len(alone) == many
    for a, b in zip(found, alone, strict=True):
        assert isinstance(a, VideoImage) and isinstance(b, VideoImage)
        assert (a.index, a.t_s) == (b.index, b.t_s)
        for x, y in ((a.picture.y, b.picture.y), (a.picture.u, b.picture.u), (a.picture.v, b.picture.v)):
            assert np.array_equal(x, y)
        assert np.array_equal(a.picture.luma(2), b.picture.luma(2))
    assert [f.index for f in found if isinstance(f, VideoImage)] == list(
        range(0 if after is None else 38, many + (0 if after is None else 38))
    )
