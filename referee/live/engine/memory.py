"""Memory that stays flat over an evening, with glibc: few arenas, and freed memory given back now and then.

Pictures are freed in another thread than the one that made them; with an arena a thread, glibc keeps what
they leave behind in pieces that only grow. Elsewhere than on glibc nothing is done.
"""

from __future__ import annotations

from vision.process import of_libc

_M_ARENA_MAX = -8  # malloc.h
_ARENAS = 2


def few_arenas() -> bool:
    """Have threads started from now on share arenas; whether the system knows how."""
    mallopt = of_libc("mallopt")
    return mallopt is not None and bool(mallopt(_M_ARENA_MAX, _ARENAS))


def give_back() -> bool:
    """Return freed memory to the system; whether there was any."""
    malloc_trim = of_libc("malloc_trim")
    return malloc_trim is not None and bool(malloc_trim(0))
