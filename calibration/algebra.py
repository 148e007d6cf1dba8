"""How many threads numpy's and scipy's linear algebra computes with.

OpenBLAS splits a long sum among its threads, and their number changes the last digits of a solved camera. A
solution must not depend on the machine's cores, so it is found in one thread; more would save no time.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import scipy.linalg

_NAMES = tuple(
    f"{prefix}openblas_{{}}_num_threads{suffix}" for prefix in ("scipy_", "") for suffix in ("64_", "")
)
"""As numpy and scipy name OpenBLAS' functions in their wheels, and as OpenBLAS itself names them."""


def set_threads(count: int) -> tuple[int, ...]:
    """Compute with so many threads from now on, in the whole process; the numbers of before, by library.

    Empty where the libraries are others than OpenBLAS.
    """
    before = tuple(get() for get, _ in _libraries())
    for _, put in _libraries():
        put(count)
    return before


@contextmanager
def one_thread() -> Iterator[None]:
    """Compute in the calling thread inside the block."""
    before = set_threads(1)
    try:
        yield
    finally:
        for (_, put), count in zip(_libraries(), before, strict=True):
            put(count)


@cache
def _libraries() -> tuple[tuple[Callable[[], int], Callable[[int], None]], ...]:
    """What tells and sets the threads of each OpenBLAS that is loaded: numpy and scipy bring one each."""
    modules: tuple[Any, ...] = (np.linalg._umath_linalg, scipy.linalg._fblas)
    found = []
    for module in modules:
        try:
            library = ctypes.CDLL(module.__file__)  # loaded already; its names reach those it is linked with
        except (OSError, TypeError):
            continue
        for name in _NAMES:
            get, put = (getattr(library, name.format(verb), None) for verb in ("get", "set"))
            if get is not None and put is not None:
                put.restype = None
                found.append((get, put))
                break
    return tuple(found)
