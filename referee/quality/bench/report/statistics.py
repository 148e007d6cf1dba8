"""Rates and quantiles with honest intervals: the unit of resampling is the camera, not the ball.

Errors of one camera are alike (one calibration, one light), so that a thousand balls under one camera say
less than a thousand cameras. Intervals resample cameras with replacement; a rate's interval is never
narrower than Wilson's, which also holds where nothing failed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

Z95 = 1.959964
RESAMPLES = 400
_MOST_VALUES = 400_000  # beyond it the resampled quantiles are taken from every k-th value


@dataclass(frozen=True, slots=True)
class Rate:
    """`failures` of `n` at `cameras` cameras; `low, high`: 95 % interval of the share of failures."""

    n: int
    failures: int
    cameras: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """Share of failures; nan of nothing."""
        return self.failures / self.n if self.n else math.nan


@dataclass(frozen=True, slots=True)
class Quantiles:
    """Of `n` values at `cameras` cameras; each interval is (low, high) at 95 %, cameras resampled."""

    n: int
    cameras: int
    median: float
    p95: float
    p999: float
    worst: float
    median_interval: tuple[float, float]
    p95_interval: tuple[float, float]


def wilson(failures: int, n: int, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval of a share; (0, 1) of nothing."""
    if n == 0:
        return 0.0, 1.0
    share, z2 = failures / n, z * z
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    return 0.0 if failures == 0 else middle - half, 1.0 if failures == n else middle + half


def _weights(cameras: int, seed: int) -> npt.NDArray[np.int64]:
    """How often each camera is drawn in each resample: (RESAMPLES, cameras)."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(cameras, np.full(cameras, 1 / cameras), size=RESAMPLES)


def rate(cameras: Iterable[int], failed: Iterable[bool], seed: int = 0) -> Rate:
    """The share of failures; `cameras[i]` is the camera of trial i."""
    of, bad = np.asarray(list(cameras), np.int64), np.asarray(list(failed), np.bool_)
    if len(of) != len(bad):
        raise ValueError(f"expected a camera for each trial, got {len(of)} and {len(bad)}")
    if len(of) == 0:
        return Rate(0, 0, 0, 0.0, 1.0)
    _, index = np.unique(of, return_inverse=True)
    trials, failures = np.bincount(index).astype(float), np.bincount(index, bad).astype(float)
    low, high = wilson(int(failures.sum()), len(of))
    if len(trials) > 1 and 0 < failures.sum() < len(of):
        w = _weights(len(trials), seed)
        shares = (w @ failures) / np.maximum(w @ trials, 1)
        a, b = np.percentile(shares, (2.5, 97.5))
        low, high = min(low, float(a)), max(high, float(b))
    return Rate(len(of), int(failures.sum()), len(trials), low, high)


def quantiles(cameras: Sequence[int], values: Sequence[float], seed: int = 0) -> Quantiles:
    """Quantiles of values; `cameras[i]` is the camera of value i. nan of nothing."""
    v, of = np.asarray(values, np.float64), np.asarray(cameras, np.int64)
    if len(v) != len(of):
        raise ValueError(f"expected a camera for each value, got {len(of)} and {len(v)}")
    if len(v) == 0:
        none = (math.nan, math.nan)
        return Quantiles(0, 0, math.nan, math.nan, math.nan, math.nan, none, none)
    order = np.argsort(v, kind="stable")
    v, of = v[order], of[order]
    n, cams = len(v), len(np.unique(of))
    points = [float(np.quantile(v, q)) for q in (0.5, 0.95, 0.999)]
    intervals = _resampled(v, of, (0.5, 0.95), seed)
    return Quantiles(n, cams, points[0], points[1], points[2], float(v[-1]), intervals[0], intervals[1])


def _resampled(
    v: F64, of: npt.NDArray[np.int64], wanted: tuple[float, ...], seed: int
) -> list[tuple[float, float]]:
    """95 % intervals of quantiles of the sorted values, cameras drawn anew."""
    step = -(-len(v) // _MOST_VALUES)
    v, of = v[::step], of[::step]
    _, index = np.unique(of, return_inverse=True)
    cameras = int(index.max()) + 1
    if cameras == 1:
        return [(float(v[0]), float(v[-1])) for _ in wanted]  # one camera says nothing of others
    found = np.empty((RESAMPLES, len(wanted)))
    for k, w in enumerate(_weights(cameras, seed)):
        total = np.cumsum(w[index])
        places = np.searchsorted(total, [q * total[-1] for q in wanted], side="left")
        found[k] = v[np.minimum(places, len(v) - 1)]
    low, high = np.percentile(found, (2.5, 97.5), axis=0)
    return [(float(a), float(b)) for a, b in zip(low, high, strict=True)]


def edges_of(values: Sequence[float], edges: Sequence[float]) -> list[str]:
    """Each value's class as words: `under 2`, `2 to 3`, `3 and more`."""
    out = []
    for v in values:
        k = int(np.searchsorted(edges, v, side="right"))
        out.append(
            f"under {edges[0]:g}"
            if k == 0
            else f"{edges[-1]:g} and more"
            if k == len(edges)
            else f"{edges[k - 1]:g} to {edges[k]:g}"
        )
    return out
