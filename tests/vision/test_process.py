"""What is set for the whole process where images are computed on; a system without glibc goes without."""

from __future__ import annotations

import ctypes
import sys

import cv2
import pytest

from vision import process


@pytest.mark.parametrize("error", [TypeError("no library"), OSError("none"), AttributeError("mallopt")])
def test_without_glibc_opencv_is_still_kept_to_one_thread(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """As `CDLL(None)` fails on Windows, on a system without a dynamic loader, and on musl and macOS."""

    def absent(name: str | None) -> object:
        raise error

    threads = cv2.getNumThreads()
    monkeypatch.setattr(ctypes, "CDLL", absent)
    try:
        cv2.setNumThreads(4)
        process.prepare(keep_memory=True)
        assert cv2.getNumThreads() == 1
        assert process.of_libc("mallopt") is None
    finally:
        cv2.setNumThreads(threads)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library is asked by its Linux name")
def test_a_function_that_the_c_library_has_is_found_and_another_is_not() -> None:
    abs_of = process.of_libc("abs")
    assert abs_of is not None and abs_of(-3) == 3
    assert process.of_libc("no_such_function_anywhere") is None
