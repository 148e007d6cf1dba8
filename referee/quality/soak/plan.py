"""When the soak's camera, disk and program fail: a plan that follows from a seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

FaultKind = Literal["drop", "stall", "dark", "size", "disk", "kill", "broker", "browser", "clock"]
KINDS: tuple[FaultKind, ...] = ("drop", "stall", "dark", "size", "disk", "kill", "broker", "browser", "clock")
HIDES: frozenset[FaultKind] = frozenset(("drop", "stall", "dark", "size", "kill"))
"""Faults that hide the play: strokes played meanwhile are counted apart. A full disk, a broker or a browser
that is gone, a clock that was set hide nothing.
"""

_SPAN_S: dict[FaultKind, tuple[float, float]] = {
    "drop": (0.5, 6.0),
    "stall": (1.5, 6.0),
    "dark": (1.0, 6.0),
    "size": (0.3, 1.0),
    "disk": (30.0, 60.0),
    "kill": (0.2, 2.0),
    "broker": (2.0, 20.0),
    "browser": (2.0, 20.0),
    "clock": (0.1, 0.2),
}
CLOCK_AHEAD_S = (7200.0, 0.0, -7200.0, 0.0, 40 * 86400.0, 0.0)
"""Where each `clock` fault sets the time of day, seconds ahead of the right one, in turn. It stays there
until the next one, so that kills, drops and full disks meet it.
"""
_KILLS_BEFORE, _KILLS_AFTER = (
    0.15,
    0.93,
)  # shares of the run; between them one process lives, to watch its memory


@dataclass(frozen=True, slots=True)
class Fault:
    """From `at_s` for `span_s`, seconds since the soak began."""

    at_s: float
    kind: FaultKind
    span_s: float


def plan(seconds: float, every_s: float, seed: int, kinds: Sequence[FaultKind] = KINDS) -> tuple[Fault, ...]:
    """Faults one after another, `every_s` apart on average, all kinds in turn in random order."""
    rng = np.random.default_rng([seed, 7])
    faults: list[Fault] = []
    at = every_s * float(rng.uniform(0.4, 0.8))
    order: list[FaultKind] = []
    while at < seconds - min(20.0, 0.2 * seconds):
        if not order:
            order = [kinds[int(k)] for k in rng.permutation(len(kinds))]
        kind = order.pop()
        if kind == "kill" and _KILLS_BEFORE * seconds < at < _KILLS_AFTER * seconds:
            continue
        low, high = _SPAN_S[kind]
        span = float(rng.uniform(low, high))
        faults.append(Fault(at, kind, span))
        at += span + every_s * float(rng.uniform(0.5, 1.5))
    return tuple(faults)
