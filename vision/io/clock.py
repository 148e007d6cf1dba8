"""A video's clock: presentation times that start at zero and never go back."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

BACK_S = 1.0
"""A stamp farther back begins a new clock (a recorder that reconnected); a smaller step is out of order."""
FORWARD_S = 3600.0
"""A stamp farther ahead begins a new clock: no hole in a recording of a match is so long."""
_SAME_TIME_S = 1e-6
"""A stamp that is not later by more than this does not advance."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time of an image on the clock.

    `anew`: the container's stamps jumped, and the length of the hole is unknown; the clock continues one
    image interval later.
    """

    t_s: float
    anew: bool = False


class Clock:
    """Places the images' stamps, in order, on the clock.

    `zero_s`: the stamp of time 0, known when a file is read from the middle.
    """

    def __init__(self, interval_s: float, zero_s: float | None = None) -> None:
        self._interval_s, self._zero_s = interval_s, zero_s
        self._last_s: float | None = None

    def place(self, stamp_s: float | None) -> Tick | None:
        """The image's time; None for an image whose stamp does not advance."""
        last = self._last_s
        due = 0.0 if last is None else last + self._interval_s
        if stamp_s is None:
            tick = Tick(due)
        elif self._zero_s is None:
            self._zero_s, tick = stamp_s - due, Tick(due)
        else:
            t_s = stamp_s - self._zero_s
            if last is not None and (t_s < last - BACK_S or t_s > last + FORWARD_S):
                self._zero_s, tick = stamp_s - due, Tick(due, anew=True)
            elif last is not None and t_s <= last + _SAME_TIME_S:
                return None
            else:
                tick = Tick(t_s)
        self._last_s = tick.t_s
        return tick


def jumps(stamps_s: list[float]) -> bool:
    """Whether decoding stamps, in the order of the file, contain a jump that begins a new clock."""
    return any(b < a - BACK_S or b > a + FORWARD_S for a, b in pairwise(stamps_s))
