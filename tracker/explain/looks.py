"""How balls at rest look to one camera: counted while a recording goes on, beside what other cameras show.

How sure the network is of a ball, and how exactly it has its place, hangs on the camera: television's end
view shows balls as clutter looks from above.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracker.explain import priors
from vision.observation import Observation

F64 = NDArray[np.float64]
OTHERS = 100
"""Looks of other cameras that count beside this one's, which never count for more: a ball on its way looks
otherwise than one at rest. Assumed.
"""


@dataclass(slots=True)
class LooksAtRest:
    """Looks at balls at rest, beside which nothing covers the table, by confidence and sigma."""

    counts: F64 = field(default_factory=lambda: np.zeros_like(np.array(priors.BALL_FREE[0][1])))

    def add(self, look: Observation) -> None:
        """One more look."""
        self.counts[cells(np.array([look.confidence]), np.array([look.sigma_mm]))] += 1.0

    def shares(self) -> F64:
        """Share of looks at balls, at rest or slow, in each cell of confidence (rows) and sigma (columns)."""
        others, n = np.array(priors.BALL_FREE[0][1]), float(self.counts.sum())
        own = min(n, OTHERS) / max(n, 1.0) * self.counts
        found: F64 = (OTHERS * others + own) / (OTHERS + own.sum())
        return found


def cells(confidence: F64, sigma_mm: F64) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n,), (n,) row and column of each look."""
    rows = np.searchsorted(priors.CONFIDENCE_EDGES, confidence)
    return rows, np.searchsorted(priors.SIGMA_EDGES_MM, sigma_mm)
