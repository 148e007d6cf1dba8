"""Colours of all balls together: at most one of each colour, up to fifteen reds, and a cue-ball."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from vision.observation import BALL_CLASSES, Observation

MAX_REDS = 15
CAPACITY: dict[str, int] = {c: MAX_REDS if c == "red" else 1 for c in BALL_CLASSES}
F64 = npt.NDArray[np.float64]

_SURPLUS = -40.0  # gain of a ball without a name: below that of any colour
_FLOOR = -39.0  # least gain of a colour
_CUE_BALL_PRESENT = 3.0
"""Log-odds that a layout without a certain cue-ball has one all the same, since play stops without it."""

_CLEARLY = float(np.log(0.7))  # log-probability of an unsure ball's colour
_APART_DIAMETERS = 0.92  # least distance of an unsure ball from others, the error of its place allowed for
_BESIDE_DIAMETERS, _BESIDE_CONFIDENCE = 1.25, 0.5  # a ball's shadow, so near to it, reaches this confidence


def only_of_their_colour(
    sure: Sequence[Observation], unsure: Sequence[Observation], ball_diameter_mm: float
) -> list[Observation]:
    """The unsure observations, best first, that are balls because no sure ball has their colour.

    Most false detections look like a red or like a ball that lies elsewhere; a table has only one green.
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
    """The jointly likeliest colour of each ball; None where no colour is left.

    `logps` (n, 8): log-likelihoods in the order of `BALL_CLASSES`. `taken`: colours of balls that are already
    named. Solved as an assignment (Kuhn-Munkres).
    """
    score, slots = _scores(logps, taken)
    _, chosen = _solve(score)
    return [slots[c] if c < len(slots) else None for c in chosen]


def assign_colours(logps: Sequence[Sequence[float]]) -> list[tuple[str, float]]:
    """The jointly likeliest colour of each ball and its probability.

    The probability compares the best assignment with the best one in which this ball has another colour. A
    ball in excess has its own likeliest colour and probability 0.
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
    """Gains (n, slots + n) of each name, where the last n columns mean no name; and the slots' colours."""
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
