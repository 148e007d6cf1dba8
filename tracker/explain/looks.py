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
    """Looks at balls at rest, beside which nothing covers the table: `counts` by confidence and sigma.
    `missed`: how often a ball was missed and then seen where it lay, however many looks in a row.
    """

    counts: F64 = field(default_factory=lambda: np.zeros_like(np.array(priors.BALL_FREE[0][1])))
    missed: int = 0

    def add(self, look: Observation, missed: bool) -> None:
        """One more look. `missed`: the ball was looked for before it, and not seen."""
        self.counts[cells(np.array([look.confidence]), np.array([look.sigma_mm]))] += 1.0
        self.missed += missed

    def shares(self) -> F64:
        """Share of looks at balls, at rest or slow, in each cell of confidence (rows) and sigma (columns)."""
        own = self._own
        found: F64 = (1.0 - own) * np.array(priors.BALL_FREE[0][1]) + own * self.counts / max(self._n, 1.0)
        return found

    def missed_share(self) -> float:
        """Share of looks that miss a ball at rest in sight, but for those that follow another miss."""
        return (1.0 - self._own) * priors.MISSED_AT_REST + self._own * self.missed / max(self._n, 1.0)

    @property
    def _n(self) -> float:
        return float(self.counts.sum())

    @property
    def _own(self) -> float:
        """What this camera's looks count, of one."""
        own = min(self._n, OTHERS)
        return own / (own + OTHERS)


def cells(confidence: F64, sigma_mm: F64) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(n,), (n,) row and column of each look."""
    rows = np.searchsorted(priors.CONFIDENCE_EDGES, confidence)
    return rows, np.searchsorted(priors.SIGMA_EDGES_MM, sigma_mm)
