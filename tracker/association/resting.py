"""Which detection is of which ball at rest: one linear assignment over places and looks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy

from tracker.ball import Ball
from tracker.params import COLOUR_FLOOR, FALSE_ALARM_COST
from vision.observation import Observation

FORBIDDEN = 1e6
MOST_PLACE_COST = 6.0
"""A look at a ball at rest costs no more than this for its place: the gate says how far it may lie."""


def gate_mm(place_sigma_mm: float, obs: Observation) -> float:
    """How far an observation may lie from a place known to this and still be noise."""
    return max(2.0, 4.5 * math.hypot(place_sigma_mm, obs.sigma_mm))


def rest_gate_mm(ball: Ball, obs: Observation, near_cover: bool) -> float:
    """How far an observation may lie from a ball at rest and still be noise."""
    gate = gate_mm(ball.rest.sigma_mm, obs)
    return gate * 2 if near_cover else gate


def off_place_mm(ball: Ball, obs: Observation) -> float:
    """How far from where a ball lies an observation is."""
    return math.hypot(obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm)


def look_cost(ball: Ball, obs: Observation) -> float:
    """Negative log-likelihood of a look being of that ball's kind rather than of the best one, bounded, and
    of how surely it is seen.
    """
    lp = obs.colour_logp
    return min(max(lp) - lp[ball.own], COLOUR_FLOOR) + 2.0 * (1.0 - obs.confidence)


def where_they_lay(
    balls: Sequence[Ball], observations: Sequence[Observation], near_cover: Sequence[bool]
) -> dict[int, int]:
    """The observation of each ball at rest that is seen where it lies, by their indices. `near_cover`: which
    observations lie in or next to covered cells.
    """
    pairs = {
        (i, j): nats
        for i, ball in enumerate(balls)
        for j, obs in enumerate(observations)
        if (nats := _cost(ball, obs, near_cover[j])) is not None
    }
    if not pairs:
        return {}
    rows, columns = (sorted({pair[k] for pair in pairs}) for k in (0, 1))
    cost = np.full((len(rows), len(columns) + len(rows)), FORBIDDEN)  # the last columns: not seen
    np.fill_diagonal(cost[:, len(columns) :], 0.0)
    for (i, j), nats in pairs.items():
        cost[rows.index(i), columns.index(j)] = nats - FALSE_ALARM_COST
    chosen = zip(*scipy.optimize.linear_sum_assignment(cost), strict=True)
    return {rows[r]: columns[c] for r, c in chosen if c < len(columns) and cost[r, c] < FORBIDDEN}


def _cost(ball: Ball, obs: Observation, near_cover: bool) -> float | None:
    """What it costs that an observation is of a ball where it lies; None where it cannot be."""
    dx, dy = obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm
    far = max(4.0, 9.0 * (ball.rest.sigma_mm + obs.sigma_mm))  # never less than the doubled gate
    if abs(dx) > far or abs(dy) > far:
        return None
    away = math.hypot(dx, dy)
    if away >= rest_gate_mm(ball, obs, near_cover):
        return None
    sigma = math.hypot(ball.rest.sigma_mm, obs.sigma_mm)
    return min(0.5 * (away / sigma) ** 2, MOST_PLACE_COST) + look_cost(ball, obs)
