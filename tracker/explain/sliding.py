"""What sliding feigns in the time of an event: a curve of rolling leads back to too early a time."""

from __future__ import annotations

import math

from tracker.params import SLIDE_MM_S2

SLID_S = 0.4 / SLIDE_MM_S2
"""A struck ball slides for `2 v / (7 mu g)` (Marlow, ch. 2) and rolls on with 5/7 of its speed; times that
speed, s.
"""
START_EARLY, START_SPREAD = 0.071 / SLIDE_MM_S2, 0.029 / SLIDE_MM_S2
"""Drawn back from where it rolls, a ball left its place too early by `2 v / (35 mu g)`: by theory 0.08,
here 0.071 of its rolling speed over mu g (bench, 38 slow starts: 6.7 to 8.3 ms early where 1.3 ms was
stated).
"""
BEND_EARLY, BEND_SPREAD = 0.034 / SLIDE_MM_S2, 0.057 / SLIDE_MM_S2
"""The same of a ball that was rolling and keeps its spin: by the change of velocity, less surely."""


def less_sliding(
    t_s: float, sigma_s: float, seen_s: float, dv: float, is_start: bool, slides: bool
) -> tuple[float, float]:
    """The time `t_s` at which two curves cross, and its sigma, less what sliding feigns: where the curve
    after it, `seen_s` long, is mostly rolling, the sliding before that is no part of its parabola.

    `dv`: change of velocity, mm/s. `slides`: the pieces are discs, which never roll.
    """
    if dv < 1.0 or slides:  # a disc only slides: the parabola is all of it
        return t_s, sigma_s
    rolls = min(max((seen_s / (SLID_S * dv) - 1.0) / 2.0, 0.0), 1.0) * dv
    early, spread = (START_EARLY, START_SPREAD) if is_start else (BEND_EARLY, BEND_SPREAD)
    return t_s + early * rolls, math.hypot(sigma_s, spread * rolls)
