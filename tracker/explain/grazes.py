"""A ball at rest that the cue-ball passes so near that nothing shows whether the two touched.

An explanation in which that happens before any contact that is seen is two explanations: one in which they
touched, one in which they did not. Only a touch so thin, or so slow, that the ball at rest stays within the
noise of its place leaves no other trace.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tracker.explain.interactions import MODEL_MM, Arena, Interaction
from tracker.explain.trajectory import Way
from tracker.params import ROLL_MM_S2

F64 = NDArray[np.float64]
STEPS = 41
"""Times at which a curve is compared with a ball's place: a few ms each."""
NEAR_SIGMAS = 4.0
"""What passes further off did not touch: less than 1 in 10,000."""
STAYS_MM = 1.0
"""A ball that moves by less is not seen to have moved: three sigmas of a place at rest."""
LEAST_SHARE = 1e-4
"""Touches less likely than this are not told apart."""

Shares = list[tuple[float, tuple[Interaction, ...]]]


def grazes(ways: Mapping[int, Way], meetings: Sequence[Interaction], cue: int | None, arena: Arena) -> Shares:
    """(share, meetings) without a touch that nothing shows, and with the likeliest one; shares sum to one."""
    met = [m for m in meetings if m.kind == "contact" and cue in m.balls]
    way = None if cue is None else ways.get(cue)
    if cue is None or way is None or not way.moved:
        return [(1.0, tuple(meetings))]
    until = min((m.t_s - 3 * m.sigma_s for m in met), default=math.inf)
    known = {cue} | {k for m in sorted(met, key=lambda m: m.t_s)[:1] for k in m.balls}
    still = {k: w for k, w in ways.items() if k not in known and _lay_still(w, until)}
    found = [
        (share, Interaction("contact", (cue, k), t_s, 0.01, None))
        for k, w in still.items()
        for share, t_s in [_touched(way, w, arena.apart_mm(cue, k), until)]
        if share > LEAST_SHARE
    ]
    if not found:
        return [(1.0, tuple(meetings))]
    share, touch = max(found, key=lambda f: f[0])
    with_touch = tuple(sorted((*meetings, touch), key=lambda m: m.t_s))
    return [(1.0 - share, tuple(meetings)), (share, with_touch)]


def _lay_still(way: Way, until_s: float) -> bool:
    """Whether a ball is not known to have moved before a time."""
    return not way.events or way.start_s > until_s


def _touched(way: Way, other: Way, apart_mm: float, until_s: float) -> tuple[float, float]:
    """Probability that a ball on its way touched one at rest that shows nothing of it, and when."""
    best = (0.0, 0.0)
    x, y, sigma = other.place
    for k, seg in enumerate(way.segments):
        since = max(way.start_s, seg.first_s - LEAD_S if k else way.start_s)
        end = min(seg.last_s + LEAD_S, until_s)
        if end <= since:
            continue
        t = np.linspace(since, end, STEPS)
        u = t - seg.t_ref_s
        gap = (
            np.hypot(
                seg.x[0] + u * (seg.x[1] + u * seg.x[2]) - x, seg.y[0] + u * (seg.y[1] + u * seg.y[2]) - y
            )
            - apart_mm
        )
        i = int(gap.argmin())
        spread = math.hypot(min(seg.sigma(float(t[i])), 20.0), sigma, MODEL_MM)
        if gap[i] < NEAR_SIGMAS * spread:
            speed = math.hypot(*seg.velocity(float(t[max(i - 1, 0)])))
            share = _share(float(gap[i]), spread, _depth_mm(speed, apart_mm))
            best = max(best, (share, float(t[i])))
    return best


LEAD_S = 0.02
"""A curve holds so much beyond the images that show it: half an image interval of most cameras."""


def _depth_mm(speed_mm_s: float, apart_mm: float) -> float:
    """How far the ways of two balls may overlap without sending the one at rest further than `STAYS_MM`."""
    slow = math.sqrt(2 * ROLL_MM_S2 * STAYS_MM)
    cosine = slow / max(speed_mm_s, 1.0)
    return apart_mm * (1.0 - math.sqrt(1.0 - cosine * cosine)) if cosine < 1.0 else MOST_MM


MOST_MM = 5.0
"""A ball so slow gives the other less than shows, however full it meets it; no way is wrong by more."""


def _share(gap_mm: float, spread_mm: float, depth_mm: float) -> float:
    """Probability of an overlap of up to `depth_mm`, against that and none: deeper ones would show."""

    def below(x: float) -> float:
        return 0.5 * math.erfc(-x / (math.sqrt(2) * spread_mm))

    touched = below(-gap_mm) - below(-gap_mm - depth_mm)
    return touched / max(touched + 1.0 - below(-gap_mm), 1e-9)
