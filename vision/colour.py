"""Colours of all balls together: club light makes a brown look red and a green look blue, but there is one of each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from vision.observation import BALL_CLASSES

MAX_REDS = 15
_NOT_A_BALL_LOGP = -25.0  # dearer than any colour: a surplus ball is named by its own best colour


def assign_colours(logps: Sequence[Sequence[float]]) -> list[tuple[str, float]]:
    """The most likely colour of each ball and its probability, given at most one of each and 15 reds.

    `logps`: one row a ball, log-probabilities in the order of `BALL_CLASSES`. The probability compares
    the best joint assignment with the best one in which this ball has another colour.
    """
    if not logps:
        return []
    table = np.asarray(logps, np.float64)
    column_class = [c for c, name in enumerate(BALL_CLASSES) for _ in range(MAX_REDS if name == "red" else 1)]
    score = np.hstack((table[:, column_class], np.full((len(table), len(table)), _NOT_A_BALL_LOGP)))
    best, chosen = _solve(score)
    names: list[tuple[str, float]] = []
    for ball, column in enumerate(chosen):
        if column >= len(column_class):
            names.append((BALL_CLASSES[int(np.argmax(table[ball]))], 0.0))
            continue
        same = [k for k, c in enumerate(column_class) if c == column_class[column]]
        other = score.copy()
        other[ball, same] = -1e3
        runner_up, _ = _solve(other)
        names.append((BALL_CLASSES[column_class[column]], float(1 / (1 + np.exp(min(runner_up - best, 0.0))))))
    return names


def _solve(score: npt.NDArray[np.float64]) -> tuple[float, list[int]]:
    rows, columns = linear_sum_assignment(score, maximize=True)
    return float(score[rows, columns].sum()), [int(c) for c in columns]
