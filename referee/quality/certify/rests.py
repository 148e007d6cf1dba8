"""Balls at rest over many pictures: how far independent fits of one ball scatter, and how far a rest
drifts.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibration.robust import robust_sigma
from referee.quality.certify.survey import Look, SeenBall

SAME_PLACE_MM = 3.0
"""Fits of one resting ball lie nearer together than this; a ball that was moved seldom comes back so near."""
LEAST_LOOKS = 4
"""Fewer fits give no spread worth telling."""
MINUTES_APART_S = 60.0

_MISSED = 2  # looks without the ball that end a rest


@dataclass(frozen=True, slots=True)
class Rest:
    """One ball that lay still: its fits in order of time. `colour`: the name most looks gave it."""

    colour: str
    times_s: tuple[float, ...]
    balls: tuple[SeenBall, ...]

    @property
    def x_mm(self) -> float:
        return float(np.median([b.x_mm for b in self.balls]))

    @property
    def y_mm(self) -> float:
        return float(np.median([b.y_mm for b in self.balls]))

    @property
    def fit_sigma_mm(self) -> float:
        """What a single fit says of itself, one sigma per axis, median."""
        return float(np.median([b.sigma_mm for b in self.balls]))

    @property
    def spread_mm(self) -> float:
        """Standard deviation of the fits, per axis; one outlier (a hand's shadow) does not count in full."""
        off = [(b.x_mm - self.x_mm, b.y_mm - self.y_mm) for b in self.balls]
        squares = np.clip(np.array(off) ** 2, 0.0, 9.0 * max(robust_sigma(off), 0.02) ** 2)
        return float(np.sqrt(squares.sum() / (2 * (len(off) - 1)))) if len(off) > 1 else 0.0


@dataclass(frozen=True, slots=True)
class Drift:
    """How far the beginning of long rests lies from their end. `apart_s`: time between the two, median;
    `minutes`: whether that is a minute or more."""

    rests: int
    median_mm: float
    worst_mm: float
    apart_s: float

    @property
    def minutes(self) -> bool:
        return self.apart_s >= MINUTES_APART_S


@dataclass(slots=True)
class _OpenRest:
    """A rest that may go on: the looks in which its ball was seen so far. `last`: number of the last one."""

    times_s: list[float]
    balls: list[SeenBall]
    last: int

    def nearest_in(self, free: Sequence[SeenBall]) -> SeenBall | None:
        """The ball that lies where this one did on average, the nearest of several; None where none does."""
        x, y = float(np.mean([b.x_mm for b in self.balls])), float(np.mean([b.y_mm for b in self.balls]))
        near = [b for b in free if math.hypot(b.x_mm - x, b.y_mm - y) < SAME_PLACE_MM]
        return min(near, key=lambda b: math.hypot(b.x_mm - x, b.y_mm - y), default=None)

    def finished(self) -> Rest:
        """The rest that it was, of the colour that was seen most often."""
        colour, _ = Counter(b.colour for b in self.balls).most_common(1)[0]
        return Rest(colour, tuple(self.times_s), tuple(self.balls))


def find_rests(looks: Sequence[Look]) -> tuple[Rest, ...]:
    """Balls that were seen at one place in `LEAST_LOOKS` looks or more."""
    lying: list[_OpenRest] = []
    done: list[_OpenRest] = []
    for number, look in enumerate(looks):
        free = list(look.balls)
        for rest in lying:
            ball = rest.nearest_in(free)
            if ball is not None:
                free.remove(ball)
                rest.times_s.append(look.t_s)
                rest.balls.append(ball)
                rest.last = number
        done += [rest for rest in lying if number - rest.last >= _MISSED]
        lying = [rest for rest in lying if number - rest.last < _MISSED]
        lying += [_OpenRest([look.t_s], [ball], number) for ball in free]
    found = [rest for rest in (*done, *lying) if len(rest.balls) >= LEAST_LOOKS]
    found.sort(key=lambda rest: (rest.times_s[0], rest.balls[0].x_mm))
    return tuple(rest.finished() for rest in found)


def drift_of(rests: Sequence[Rest]) -> Drift | None:
    """Mean of the first against mean of the last third of each long rest; None without rests of nine
    looks.
    """
    rows = []
    for rest in rests:
        third = len(rest.balls) // 3
        if third < 3:
            continue
        first, last = rest.balls[:third], rest.balls[-third:]
        dx = np.mean([b.x_mm for b in last]) - np.mean([b.x_mm for b in first])
        dy = np.mean([b.y_mm for b in last]) - np.mean([b.y_mm for b in first])
        apart = float(np.mean(rest.times_s[-third:]) - np.mean(rest.times_s[:third]))
        rows.append((float(np.hypot(dx, dy)), apart))
    # where there are rests with a minute between their ends, only those
    rows = [r for r in rows if r[1] >= MINUTES_APART_S] or rows
    if not rows:
        return None
    sizes = [r[0] for r in rows]
    return Drift(len(rows), float(np.median(sizes)), max(sizes), float(np.median([r[1] for r in rows])))
