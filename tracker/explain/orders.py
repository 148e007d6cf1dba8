"""Two contacts of the cue-ball whose times are not known well enough to say which came first.

An explanation with such a pair is two explanations that differ in nothing but the order; the weight is shared
by which ball the cue-ball's way leads to first, else by how far the times lie apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tracker.explain.interactions import Interaction
from tracker.explain.reach import Reach

SIGMA_S, ROUGH_SIGMA_S, ROUGH_SHARE = 1.5e-3, 9.0e-3, 0.12
"""Errors of contact times beside their own sigma: most are this small, one in eight is rough (sliding, two
blows between two images). Tracks tier, n = 362: median 0.6 ms, 95 % within 8.5 ms, 99 % within 20 ms."""
LEAST_SHARE = 1e-4
"""Orders less likely than this are not told apart."""


def orders(
    meetings: Sequence[Interaction], cue: int | None, led_to: Reach | None = None
) -> list[tuple[float, tuple[Interaction, ...]]]:
    """(share, meetings in order of time) for each order of the cue-ball's first two contacts; shares sum to
    one. `led_to`: where its way leads.
    """
    ordered = tuple(sorted(meetings, key=lambda m: m.t_s))
    own = [m for m in ordered if m.met_by(cue) is not None]
    first = own[0] if own else None
    second = next((m for m in own[1:] if first is not None and set(m.balls) != set(first.balls)), None)
    if first is None or second is None:
        return [(1.0, ordered)]
    share = swapped_share(second.t_s - first.t_s, math.hypot(first.sigma_s, second.sigma_s))
    a, b = first.met_by(cue), second.met_by(cue)
    if led_to is not None and a is not None and b is not None and share >= LEAST_SHARE:
        by_way = led_to.before(a, b)
        share = share if by_way is None else 1.0 - by_way
    other = [
        replace(m, t_s=second.t_s if m is first else first.t_s) if m in (first, second) else m
        for m in ordered
    ]
    swapped = tuple(sorted(other, key=lambda m: m.t_s))
    return [(s, o) for s, o in ((1.0 - share, ordered), (share, swapped)) if s >= LEAST_SHARE]


def swapped_share(apart_s: float, sigma_s: float) -> float:
    """Probability that the later of two times is the earlier one in truth. At most one half."""

    def beyond(sigma: float) -> float:
        return 0.5 * math.erfc(apart_s / (math.sqrt(2) * max(sigma, 1e-9)))

    rough = 2 * ROUGH_SHARE
    return (1 - rough) * beyond(math.hypot(sigma_s, SIGMA_S)) + rough * beyond(
        math.hypot(sigma_s, ROUGH_SIGMA_S)
    )
