"""Threads and memory of a process that computes on image after image."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import cv2

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_KEPT_BYTES = 1 << 26  # freed memory at the heap's top that is kept: some images' arrays
_MAPPED_BYTES = 1 << 25  # size from which memory is mapped by itself; glibc's largest value


def prepare(keep_memory: bool) -> None:
    """Configure the whole process: OpenCV computes in the calling thread.

    Calls are many and small, and OpenCV's own threads would spin between them. `keep_memory`: memory freed
    after one image stays for the next, instead of being mapped again page by page. A process that runs for
    hours must not keep it, because large freed arrays between small ones fragment the heap.
    """
    cv2.setNumThreads(1)
    mallopt = of_libc("mallopt") if keep_memory else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def of_libc(name: str) -> Callable[..., int] | None:
    """A function of this process's C library; None where the library has none of that name."""
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):  # TypeError: Windows, where None is no library
        return None
    return found
