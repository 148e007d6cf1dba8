"""Between two frames: the balls that are left are gathered by hands, a new triangle is set, the break is
played.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import TableSpec

from .observer import Truth
from .simulation import STEP_S, rack, simulate

Layout = dict[str, tuple[float, float]]
_GATHER_S, _PLACE_S = 0.6, 1.6


def _steps(
    left: Layout, table: TableSpec, rng: np.random.Generator
) -> tuple[list[tuple[float, Layout]], list[tuple[float, ...]], float]:
    """Layouts by the time from which they hold, the hands that make them, and when all is done."""
    now, t = dict(left), 1.0
    layouts: list[tuple[float, Layout]] = [(0.0, dict(now))]
    covers: list[tuple[float, ...]] = []

    def hand(x: float, y: float) -> None:
        covers.append((t - 0.5, t + 0.4, x, y, 1.0 if x > 0 else -1.0, 0.0))

    for name in [n for n in now if n.startswith("red")]:  # scooped up one after the other
        hand(*now.pop(name))
        layouts.append((t, dict(now)))
        t += _GATHER_S + rng.uniform(0, 0.3)
    new = rack(table)
    for name in ("yellow", "green", "brown", "blue", "black"):
        if name in now and math.dist(now[name], new[name]) < 1.0:
            continue
        if name in now:
            hand(*now.pop(name))
            layouts.append((t, dict(now)))
            t += _PLACE_S
        hand(*new[name])
        now[name] = (new[name][0] + rng.normal(0, 0.7), new[name][1] + rng.normal(0, 0.7))
        layouts.append((t, dict(now)))
        t += _PLACE_S
    centre = (0.0, new["pink"][1] + 100.0)
    reds = [n for n in new if n.startswith("red")]
    begin = t
    for name in reds:  # into the triangle, under arms
        now[name] = new[name]
        layouts.append((t, dict(now)))
        t += 0.4
    for dy in (-150.0, -50.0, 50.0, 150.0):
        covers.append((begin - 0.5, t + 1.5, centre[0] - 150.0, centre[1] + dy, 1.0, 0.0))
    t += 3.0
    for name in ("pink", "white"):
        if name in now:
            hand(*now.pop(name))
            layouts.append((t, dict(now)))
            t += _PLACE_S
        hand(*new[name])
        now[name] = new[name]
        layouts.append((t, dict(now)))
        t += _PLACE_S
    return layouts, covers, t + 2.0


def new_frame(left: Layout, table: TableSpec, rng: np.random.Generator, rate: float = 25.0) -> Truth:
    """From what a frame has left to the end of the next one's break-off stroke."""
    layouts, covers, begin = _steps(left, table, rng)
    names = list(rack(table))
    final = layouts[-1][1]
    aim = math.atan2(table.spots["pink"][1] + 60 - final["white"][1], -60 - final["white"][0])
    stroke = simulate(
        table, final, aim, 1000.0, 0.5
    )  # a soft break: few balls move, which is fast to simulate
    total = int((begin + stroke.duration_s + 1.5) * rate)
    truth = Truth(table, np.arange(total) / rate, names, np.full((total, len(names), 2), np.nan))
    order = list(final)
    for i, u in enumerate(truth.t):
        if u >= begin:
            k = min(int((u - begin) / STEP_S), len(stroke.path) - 1)
            place: NDArray[np.float64] = stroke.path[k]
            truth.xy[i] = [place[order.index(n)] for n in names]
            continue
        lay = [lay for s, lay in layouts if s <= u][-1]
        for j, n in enumerate(names):
            if n in lay:
                truth.xy[i, j] = lay[n]
    truth.covers = [
        *covers,
        (begin - 0.9, begin + 0.4, final["white"][0], final["white"][1] - 150, 0.0, -1.0),
    ]  # type: ignore[list-item]
    truth.events.append({"type": "stroke", "t_strike": begin, "t_rest": begin + stroke.duration_s})
    return truth
