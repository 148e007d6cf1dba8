"""The click of a contact as one more observation, where the recording has sound.

Sound and pictures of a recording are apart by a lag that nobody knows, and not every microphone hears the
table. Both are hypotheses: each explanation says when something was struck, and the strokes before tell how
likely each lag is, and how much is heard.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tracker.explain.solver import Explanation

F64 = NDArray[np.float64]
LAGS_S = np.arange(-0.2, 0.3001, 0.004)
"""By how much a click comes after its contact: sound takes 9 ms for 3 m, coders and cables the rest."""
HEARD = np.array([0.02, 0.3, 0.6, 0.9])
"""Shares of contacts whose click is heard."""
CLICK_SIGMA_S = 0.006
"""One sigma of a click's time beside that of its contact. Assumed."""
AT_ONCE_S = 0.015
"""Contacts so near in time are one click."""
_Sounds = tuple[tuple[float, float], ...]
"""Times of contacts, ascending, and one sigma of each, s."""
LEAST_RATE_HZ = 0.2
"""Clicks a second that no contact made, at least. Assumed."""


@dataclass(slots=True)
class Hearing:
    """A recording's clicks (s, ascending), how many a second, and how likely each lag and share heard is by
    the strokes so far: `told`, log-weights (lags * shares).
    """

    clicks: tuple[float, ...]
    rate_hz: float
    told: tuple[float, ...]

    def weighed(self, explanations: Sequence[Explanation]) -> tuple[Explanation, ...]:
        """The explanations of a span with their weights by what is heard, heaviest first; the sum stays."""
        joint = self._joint(explanations)
        if joint is None:
            return tuple(explanations)
        own = joint.sum(axis=(1, 2))
        weights = np.array([e.weight for e in explanations])
        new = weights * own
        new *= weights.sum() / new.sum()
        nats = np.log(own / own.max())
        out = [
            replace(e, weight=float(w), logs=(*e.logs, ("sound", float(n))))
            for e, w, n in zip(explanations, new, nats, strict=True)
        ]
        return tuple(sorted(out, key=lambda e: -e.weight))

    def learn(self, explanations: Sequence[Explanation]) -> None:
        """What the explanations of a stroke, weighed already, tell of the lag and of how much is heard."""
        joint = self._joint(explanations)
        if joint is None:
            return
        weights = np.array([e.weight for e in explanations]) / joint.sum(axis=(1, 2))
        told = np.log(np.tensordot(weights, joint, axes=1) + FLOOR)
        self.told = tuple((told - np.logaddexp.reduce(told.ravel())).ravel().tolist())

    def _joint(self, explanations: Sequence[Explanation]) -> F64 | None:
        """(explanations, lags, shares) how likely the clicks are with each, times how likely lag and share
        are, up to a factor; None where nothing is struck in any.
        """
        sounds = [_sounds(e) for e in explanations]
        if not any(sounds):
            return None
        heard = {at: self._heard(at) for at in set(sounds)}  # many explanations strike at the same times
        logs = np.array(self.told).reshape(len(LAGS_S), len(HEARD)) + np.array([heard[at] for at in sounds])
        joint: F64 = np.exp(logs - logs.max())
        return joint

    def _heard(self, at: _Sounds) -> F64:
        """(lags, shares) log-likelihood of the clicks about contacts, against none of them being heard."""
        if not at:
            return np.zeros((len(LAGS_S), len(HEARD)))
        first, last = bisect.bisect(self.clicks, at[0][0] - 1.0), bisect.bisect(self.clicks, at[-1][0] + 1.0)
        near = np.array(self.clicks[first:last])
        # first (clicks + 1, lags, shares): all ways in which the contacts so far are heard in the clicks up
        # to each, in order; none is heard in two
        ways = np.ones((len(near) + 1, len(LAGS_S), len(HEARD)))
        for t_s, sigma_s in at:
            spread_s = math.hypot(sigma_s, CLICK_SIGMA_S)
            off = (near[:, None] - t_s - LAGS_S) / spread_s
            ratio = np.exp(-0.5 * off**2) / (spread_s * math.sqrt(2.0 * math.pi) * self.rate_hz)
            heard = np.cumsum(ways[:-1] * HEARD * ratio[:, :, None], axis=0)
            ways *= 1.0 - HEARD
            ways[1:] += heard
        found: F64 = np.log(ways[-1])
        return found


FLOOR = 1e-9
"""Least weight of a lag: a recording may be cut together from two."""


def hearing(clicks: Sequence[float], until_s: float) -> Hearing | None:
    """What the clicks of a recording of that length tell; None of a recording without any."""
    if not clicks:
        return None
    rate = max(len(clicks) / max(until_s, 1.0), LEAST_RATE_HZ)
    even = -np.log(len(LAGS_S) * len(HEARD))
    return Hearing(tuple(sorted(clicks)), rate, (float(even),) * (len(LAGS_S) * len(HEARD)))


def _sounds(e: Explanation) -> _Sounds:
    """When something is struck in an explanation, and one sigma of that; what falls together once."""
    told = sorted((i.t_s, i.sigma_s) for i in e.interactions if i.kind in ("strike", "contact"))
    out: list[tuple[float, float]] = []
    for t_s, sigma_s in told:
        if not out or t_s - out[-1][0] > AT_ONCE_S:
            out.append((t_s, sigma_s))
    return tuple(out)
