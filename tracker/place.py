"""Where something was seen: at one time, and as the average of the looks at it while it lay still."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from tracker.params import BIASED_PART, OTHER_LIGHT_PART

MOST_LOOKS = 400
"""So many looks at a place at rest are remembered."""
SHADED_LOOKS = 8
"""So many looks in shade, one after the other, say together that a ball was nudged."""


@dataclass(slots=True)
class Point:
    """One place of a ball in one image."""

    index: int
    t_s: float
    x_mm: float
    y_mm: float
    sigma_mm: float
    near_cover: bool = False


@dataclass(slots=True)
class Rest:
    """Average of a place at rest; sigmas shrink only in their independent part."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    weight: float = 0.0
    n: int = 0
    best_sigma_mm: float = 10.0
    since_s: float = 0.0
    recent: deque[tuple[float, float, float, float]] = field(default_factory=lambda: deque(maxlen=8))
    sigma_mm: float = 10.0
    """By how much a later look here may differ, one sigma per axis, kept up to date by `add`."""
    aside_mm: float = 0.0  # how far from it the last look was, if beyond noise and nothing cut its outline
    looks: int = 0  # at its colour here
    agreed: int = 0  # clear ones in which the ball looked like its name
    there: float = 1.0  # that the ball lies here, as explanations weigh its misses; 1 where none has
    unshaded: int = 0  # looks at the whole still table in which nobody stood at it
    in_shade: deque[tuple[float, float, float, float]] = field(
        default_factory=lambda: deque(maxlen=SHADED_LOOKS)
    )
    """The looks since the last unshaded one, t, x, y, sigma: of no worth for the place itself."""

    def add(self, t_s: float, x_mm: float, y_mm: float, sigma_mm: float) -> None:
        s = max(sigma_mm, 0.02)
        w = 1.0 / (s * s)
        keep = min(self.weight, MOST_LOOKS * w)  # a bounded memory: the camera may creep
        self.x_mm = (self.x_mm * keep + x_mm * w) / (keep + w)
        self.y_mm = (self.y_mm * keep + y_mm * w) / (keep + w)
        self.weight = keep + w
        self.n += 1
        self.best_sigma_mm = min(self.best_sigma_mm, s)
        self.recent.append((t_s, x_mm, y_mm, s))
        self.in_shade.clear()
        independent = (1 - OTHER_LIGHT_PART**2) / self.weight
        self.sigma_mm = math.sqrt(independent + (OTHER_LIGHT_PART * self.best_sigma_mm) ** 2)

    @property
    def place_sigma_mm(self) -> float:
        """One sigma of where the ball lies, per axis: what all looks share does not average out."""
        shared = BIASED_PART**2 * min(self.n, MOST_LOOKS)
        return math.sqrt((1 - BIASED_PART**2 + shared) / self.weight) if self.weight else self.sigma_mm

    @staticmethod
    def at(points: Sequence[Point]) -> Rest:
        """A rest that begins at these points."""
        rest = Rest(since_s=points[0].t_s)
        for p in points:
            rest.add(p.t_s, p.x_mm, p.y_mm, p.sigma_mm)
        return rest

    def left(self, n: int) -> bool:
        """Whether the last `n` observations lie together, further off than noise explains: 5 sigma and 1
        mm.
        """
        if len(self.recent) < n or self.n < n + 2:
            return False
        last = list(self.recent)[-n:]
        x = sum(p[1] for p in last) / n
        y = sum(p[2] for p in last) / n
        sigma = math.sqrt(sum(p[3] ** 2 for p in last)) / n
        d = math.hypot(x - self.x_mm, y - self.y_mm)
        spread = max(math.hypot(p[1] - x, p[2] - y) for p in last)
        return d >= max(1.0, 5 * math.hypot(sigma, self.sigma_mm)) and spread <= max(8 * sigma, 0.8 * d)

    def left_in_shade(self, least_mm: float) -> bool:
        """Whether the last looks, all in shade, together lie further off than that."""
        if len(self.in_shade) < SHADED_LOOKS:
            return False
        x, y = (sum(p[k] for p in self.in_shade) / SHADED_LOOKS for k in (1, 2))
        return math.hypot(x - self.x_mm, y - self.y_mm) > least_mm
