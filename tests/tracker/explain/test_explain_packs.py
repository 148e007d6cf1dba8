"""A pack that is hit: the blow goes on through all that touch at once; the cue-ball met the nearest one."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from explain_lab.scenes import after, film, rolling, still

from calibration.table.specs import SNOOKER_TABLE
from tracker.explain.solver import Explanation, solve

D = SNOOKER_TABLE.ball_diameter_mm
APEX = (0.0, 2400.0)
HIT_S = 0.6


def rack(rows: int, gap_mm: float = 0.01) -> list[tuple[float, float]]:
    """Places of a triangle's balls, the apex first."""
    d = D + gap_mm
    return [
        (APEX[0] + (k - 0.5 * row) * d, APEX[1] + row * d * math.sqrt(0.75))
        for row in range(rows)
        for k in range(row + 1)
    ]


def parted(places: np.ndarray, velocities: np.ndarray) -> np.ndarray:
    """Velocities (n, 2) after elastic blows along the lines of centres, until no two that touch approach."""
    v = velocities.copy()
    pairs = [
        (i, j)
        for i, j in itertools.combinations(range(len(places)), 2)
        if math.dist(places[i], places[j]) < D + 0.5
    ]
    for _ in range(400):
        for i, j in pairs:
            n = (places[j] - places[i]) / math.dist(places[i], places[j])
            blow = float((v[i] - v[j]) @ n)
            if blow > 1.0:
                v[i] -= blow * n
                v[j] += blow * n
    return v


def broken(rows: int, speed_mm_s: float, aside_mm: float, hz: float) -> Explanation:
    """The best explanation of a rack's break by a cue-ball that comes to the apex."""
    places = rack(rows)
    cue = np.array([APEX[0] + aside_mm, APEX[1] - math.sqrt(D**2 - aside_mm**2)])
    velocities = np.zeros((len(places) + 1, 2))
    velocities[0] = 0.0, speed_mm_s
    went = parted(np.array([cue, *places]), velocities)
    start_y = cue[1] - (speed_mm_s * 0.3 - 0.5 * 98.1 * 0.3**2)
    coming = rolling(float(cue[0]), float(start_y), 0.0, speed_mm_s, HIT_S - 0.3)
    balls = {"white": after(coming, HIT_S, rolling(*cue, *went[0], HIT_S))}
    for k, (at, v) in enumerate(zip(places, went[1:], strict=True), 1):
        balls[f"red_{k}"] = rolling(*at, *v, HIT_S) if np.hypot(*v) > 1.0 else still(*at)
    return solve(film(balls, until_s=1.1, hz=hz), SNOOKER_TABLE)[0]


@pytest.mark.parametrize("rows", [3, 5])
@pytest.mark.parametrize("aside_mm", [0.5, 9.0])
@pytest.mark.parametrize("hz", [25.0, 50.0])
def test_a_break_is_explained_by_the_ball_that_was_met(rows: int, aside_mm: float, hz: float) -> None:
    """A rack of fifteen takes more contacts than a search that adds one at a time ever reached."""
    best = broken(rows, 4500.0, aside_mm, hz)
    lay = {s.key: s.way.place[:2] for s in best.stories}
    cue = next(s.key for s in best.stories if s.name == "white")
    met = [i.met_by(cue) for i in best.interactions if i.met_by(cue) is not None]
    assert math.dist(lay[met[0]], APEX) < 2.0
    assert dict(best.logs)["causes"] > -2.0 * len(rack(rows))
