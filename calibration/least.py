"""Least squares by Levenberg and Marquardt on the normal equations.

A calibration has some 40 unknowns and 600 points and is solved some 40 times: on problems so small SciPy's
trust region spends its time in singular values and calls. Priors keep the equations well conditioned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_FIRST_DAMPING = 1e-4
_ENOUGH = 1e-7
"""Relative fall of the cost below which the solution stands."""


class Problem(Protocol):
    """What is to be minimised."""

    def cost(self, q: FloatArray) -> float:
        """The sum of squares."""

    def normal(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """J'J (K, K) and J'r (K,)."""


@dataclass(frozen=True)
class Least:
    """The solution `q`, its cost and J'J there."""

    q: FloatArray
    cost: float
    normal: FloatArray


def least_squares(problem: Problem, q: FloatArray, steps: int) -> Least:
    """From `q`, with at most `steps` costs asked for."""
    cost = problem.cost(q)
    normal, slope = problem.normal(q)
    damping, worse, asked = _FIRST_DAMPING, 2.0, 1
    weights = np.maximum(np.diag(normal), 1e-12)
    while asked < steps:
        try:
            step = -np.linalg.solve(normal + damping * np.diag(weights), slope)
        except np.linalg.LinAlgError:
            damping *= 10.0
            asked += 1
            continue
        promised = float(step @ (damping * weights * step - slope))
        trial = q + step
        other = problem.cost(trial)
        asked += 1
        gain = (cost - other) / max(promised, 1e-300)
        if not gain > 1e-4:
            if promised < _ENOUGH * cost:
                break
            damping, worse = damping * worse, worse * 2.0
            continue
        q, fallen, cost = trial, cost - other, other
        normal, slope = problem.normal(q)
        weights = np.maximum(weights, np.diag(normal))
        damping, worse = damping * max(0.1, 1.0 - (2.0 * gain - 1.0) ** 3), 2.0
        if fallen < _ENOUGH * cost and gain > 0.25:
            break
    return Least(q, cost, normal)
