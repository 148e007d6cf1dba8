"""How the libraries use threads and memory in a process that computes on image after image."""

from __future__ import annotations

import ctypes

import cv2

_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # malloc.h
_KEPT_BYTES = 1 << 26
_MAPPED_BYTES = 1 << 25  # the most that glibc takes


def prepare() -> None:
    """For the whole process: OpenCV computes in the thread that calls, and freed memory is kept for the next image.

    Calls are many and small: OpenCV's own threads wait for the next one by spinning. What one image's arrays gave
    back to the system would be fetched again for the next, page by page.
    """
    cv2.setNumThreads(1)
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # not glibc
        return
    mallopt(_M_MMAP_THRESHOLD, _MAPPED_BYTES)
    mallopt(_M_TRIM_THRESHOLD, _KEPT_BYTES)
