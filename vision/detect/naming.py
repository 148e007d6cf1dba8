"""Colours of all balls together: at most one of each, up to fifteen reds, and a cue-ball among them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from vision.observation import BALL_CLASSES, Observation

MAX_REDS = 15
CAPACITY: dict[str, int] = {c: MAX_REDS if c == "red" else 1 for c in BALL_CLASSES}
F64 = npt.NDArray[np.float64]

_SURPLUS = -40.0  # dearer than any colour: only where there are more balls than names
_FLOOR = -39.0
_CUE_BALL_PRESENT = 3.0
"""Log-odds that a layout without a certain cue-ball has one all the same: play stops without it."""


_CLEARLY = float(np.log(0.7))  # of an unsure ball's colour
_APART_DIAMETERS = 0.92  # of two balls, as nearly as an unsure one is placed
_BESIDE_DIAMETERS, _BESIDE_CONFIDENCE = (
    1.25,
    0.5,
)  # so near to a ball its shadow looks like one to this confidence


def only_of_their_colour(
    sure: Sequence[Observation], unsure: Sequence[Observation], ball_diameter_mm: float
) -> list[Observation]:
    """Those of the unsure sights, best first, that are balls because no sure ball has their colour.

    Most that is no ball looks like one of the many reds or like a ball that lies elsewhere; a table has one
    green.
    """
    balls, found = list(sure), []
    names = {name for name, _ in assign_colours([o.colour_logp for o in sure])} | {"red"}
    for o in sorted(unsure, key=lambda o: -o.confidence):
        near = (
            min((np.hypot(b.x_mm - o.x_mm, b.y_mm - o.y_mm) for b in balls), default=np.inf)
            / ball_diameter_mm
        )
        shadow = near < _BESIDE_DIAMETERS and o.confidence < _BESIDE_CONFIDENCE
        if o.colour not in names and max(o.colour_logp) > _CLEARLY and near > _APART_DIAMETERS and not shadow:
            balls.append(o)
            found.append(o)
            names.add(o.colour)
    return found


def joint_colours(logps: Sequence[Sequence[float]], taken: Sequence[str] = ()) -> list[str | None]:
    """The jointly most likely colour of each ball; None where no name is left.

    `logps`: (n, 8) log-likelihoods in the order of `BALL_CLASSES`; `taken`: colours of balls that have
    their names already.
    """
    score, slots = _scores(logps, taken)
    _, chosen = _solve(score)
    return [slots[c] if c < len(slots) else None for c in chosen]


def assign_colours(logps: Sequence[Sequence[float]]) -> list[tuple[str, float]]:
    """The most likely colour of each ball and its probability.

    The probability compares the best joint assignment with the best one in which this ball has another
    colour; it is 0 for a ball too many, which is named by its own best colour.
    """
    score, slots = _scores(logps, ())
    best, chosen = _solve(score)
    out: list[tuple[str, float]] = []
    for ball, column in enumerate(chosen):
        if column >= len(slots):
            out.append((BALL_CLASSES[int(np.argmax(logps[ball]))], 0.0))
            continue
        other = score.copy()
        other[ball, [k for k, s in enumerate(slots) if s == slots[column]]] = 4 * _SURPLUS
        runner_up, _ = _solve(other)
        out.append((slots[column], float(1 / (1 + np.exp(min(runner_up - best, 0.0))))))
    return out


def _scores(logps: Sequence[Sequence[float]], taken: Sequence[str]) -> tuple[F64, list[str]]:
    """(n, slots + n) gains of naming each ball, the last n columns meaning no name; and the slots."""
    n = len(logps)
    room = {c: CAPACITY[c] - list(taken).count(c) for c in BALL_CLASSES}
    slots = [c for c in BALL_CLASSES for _ in range(min(room[c], n))]
    score = np.full((n, len(slots) + n), _SURPLUS)
    if n:
        table = np.asarray(logps, np.float64)
        table = np.maximum(table - table.max(axis=1, keepdims=True), _FLOOR)
        score[:, : len(slots)] = table[:, [BALL_CLASSES.index(s) for s in slots]]
        score[:, [k for k, s in enumerate(slots) if s == "white"]] += _CUE_BALL_PRESENT
    return score, slots


def _solve(score: F64) -> tuple[float, list[int]]:
    rows, columns = linear_sum_assignment(score, maximize=True)
    return float(score[rows, columns].sum()), [int(c) for c in columns]
