"""Measured gaps between balls at rest side by side, kept until a stroke needs them."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from tracker.params import BIASED_PART, SETTLE_S
from tracker.place import Rest
from vision.observation import ImageObservations

KEPT_LOOKS = 24
SAME_MM, SAME_SIGMAS = 1.0, 4.5
"""A look was at these two balls where they lie now if its places agree with theirs so far."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class GapLook:
    """One look at two balls, where they were seen, mm, and the gap between their surfaces with one sigma,
    mm.
    """

    t_s: float
    first_mm: Place
    second_mm: Place
    gap_mm: float
    sigma_mm: float


class GapLooks:
    """The latest looks at pairs of balls."""

    def __init__(self) -> None:
        self._looks: deque[GapLook] = deque(maxlen=KEPT_LOOKS)

    def add(self, image: ImageObservations) -> None:
        """Keep what an image says of pairs."""
        for g in image.gaps:
            a, b = image.observations[g.first], image.observations[g.second]
            self._looks.append(GapLook(image.t_s, (a.x_mm, a.y_mm), (b.x_mm, b.y_mm), g.gap_mm, g.sigma_mm))

    def between(self, a: Rest, b: Rest) -> tuple[float, float] | None:
        """Mean gap and its sigma, mm, of two balls that lie at rest; None where nobody measured it since they
        do.
        """
        since = max(a.since_s, b.since_s) - SETTLE_S
        return mean_gap(k for k in self._looks if k.t_s >= since and _of(k, a, b))


def _of(look: GapLook, a: Rest, b: Rest) -> bool:
    return any(_at(a, p, look.sigma_mm) and _at(b, q, look.sigma_mm) for p, q in _both_ways(look))


def _both_ways(look: GapLook) -> tuple[tuple[Place, Place], tuple[Place, Place]]:
    return (look.first_mm, look.second_mm), (look.second_mm, look.first_mm)


def _at(rest: Rest, place: Place, sigma_mm: float) -> bool:
    return math.dist((rest.x_mm, rest.y_mm), place) < max(
        SAME_MM, SAME_SIGMAS * math.hypot(rest.sigma_mm, sigma_mm)
    )


def mean_gap(looks: Iterable[GapLook]) -> tuple[float, float] | None:
    """The looks' mean by inverse variance and its sigma, mm; None of none."""
    found = [(k.gap_mm, 1.0 / k.sigma_mm**2) for k in looks]
    if not found:
        return None
    total = sum(w for _, w in found)
    best = 1.0 / max(w for _, w in found)
    sigma = math.sqrt((1 - BIASED_PART**2) / total + BIASED_PART**2 * best)
    return sum(g * w for g, w in found) / total, sigma
