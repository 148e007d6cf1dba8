"""How the libraries use threads and memory in a process that computes on image after image."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import cv2

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_KEPT_BYTES = 1 << 26
_MAPPED_BYTES = 1 << 25  # the most that glibc takes


def prepare(keep_memory: bool) -> None:
    """For the whole process: OpenCV computes in the thread that calls; `keep_memory`: what was freed stays
    for the next image.

    Calls are many and small: OpenCV's own threads wait for the next one by spinning. What one image's
    arrays gave back to the system would be fetched again for the next, page by page. Where a process runs
    for hours the places of large arrays among small ones that stay leave more and more holes: not there.
    """
    cv2.setNumThreads(1)
    mallopt = of_libc("mallopt") if keep_memory else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
        mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)


def of_libc(name: str) -> Callable[..., int] | None:
    """A function of the C library that this process runs with; None where it has none of that name (not
    glibc).
    """
    try:
        found: Callable[..., int] = getattr(ctypes.CDLL(None), name)
    except (OSError, AttributeError, TypeError):  # TypeError: Windows, where None is no library
        return None
    return found
