"""Memory that stays flat over an evening, with glibc: few arenas, and freed memory given back now and then.

Pictures are freed in another thread than the one that made them; with an arena a thread, glibc keeps what they
leave behind in pieces that only grow. Elsewhere than on glibc nothing is done.
"""

from __future__ import annotations

import ctypes

_M_ARENA_MAX = -8  # malloc.h
_ARENAS = 2


def few_arenas() -> bool:
    """Have threads started from now on share arenas; whether the system knows how."""
    try:
        return bool(ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS))
    except (OSError, AttributeError):
        return False


def give_back() -> bool:
    """Return freed memory to the system; whether there was any."""
    try:
        return bool(ctypes.CDLL(None).malloc_trim(0))
    except (OSError, AttributeError):
        return False
