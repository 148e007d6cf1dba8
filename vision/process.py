"""Threads and memory of a process that computes on image after image.

Where many threads share the work (a live table, the console), pictures are freed in another thread than the
one that made them; with an arena for each thread, glibc keeps the pieces that they leave behind. So there are
few arenas, and freed memory goes back to the system now and then. Elsewhere than on glibc nothing is done.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import cv2

from calibration.algebra import set_threads

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # malloc.h
_KEPT_BYTES = 1 << 26  # freed memory at the heap's top that is kept: some images' arrays
_MAPPED_BYTES = 1 << 25  # size from which memory is mapped by itself; glibc's largest value
_ARENAS = 2  # shared by all threads


def prepare(keep_memory: bool) -> None:
    """Configure the whole process: OpenCV and linear algebra compute in the calling thread.

    Calls are many and small, and OpenCV's own threads would spin between them; those of linear algebra would
    change the last digits (`calibration.algebra`). `keep_memory`: memory freed
    after one image stays for the next, instead of being mapped again page by page. A process that runs for
    hours must not keep it, because large freed arrays between small ones fragment the heap.
    """
    cv2.setNumThreads(1)
    set_threads(1)
    mallopt = of_libc("mallopt") if keep_memory else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def few_arenas() -> bool:
    """Make threads that start from now on share arenas; whether the system can."""
    mallopt = of_libc("mallopt")
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, _ARENAS))


def give_back() -> bool:
    """Return freed memory to the system; whether there was any."""
    malloc_trim = of_libc("malloc_trim")
    return malloc_trim is not None and bool(malloc_trim(0))


def of_libc(name: str) -> Callable[..., int] | None:
    """A function of this process's C library; None where the library has none of that name."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):  # TypeError: Windows, where None is no library
        return None
    return found
