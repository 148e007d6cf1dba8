"""The video's clock: presentation times that start at zero and only go forward."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

BACK_S = 1.0
"""Stamps this far back begin a new clock (a recorder that reconnected); less is an image out of order."""
FORWARD_S = 3600.0
"""So do stamps this far ahead: no hole in a recording of a match is that long."""


@dataclass(frozen=True, slots=True)
class Tick:
    """Where an image lies on the clock. `anew`: the container's stamps jumped, and how long the images
    were away is unknown; the clock goes on one image interval later."""

    t_s: float
    anew: bool = False


class Clock:
    """`place` every image's stamp in order. `zero_s`: the stamp of time 0, known for a file read from
    within.
    """

    def __init__(self, interval_s: float, zero_s: float | None = None) -> None:
        self._interval_s, self._zero_s = interval_s, zero_s
        self._last_s: float | None = None

    def place(self, stamp_s: float | None) -> Tick | None:
        """The image's time; None for one whose stamp does not advance: it has no place of its own."""
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
            elif last is not None and t_s <= last + 1e-6:
                return None
            else:
                tick = Tick(t_s)
        self._last_s = tick.t_s
        return tick


def jumps(stamps_s: list[float]) -> bool:
    """Whether decoding stamps (in the order of the file) hold a jump that begins a new clock."""
    return any(b < a - BACK_S or b > a + FORWARD_S for a, b in pairwise(stamps_s))
