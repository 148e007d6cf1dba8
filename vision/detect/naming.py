"""Kinds of all pieces together: at most as many of each as the game's set has, and a cue-ball."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from calibration.table.pieces import SNOOKER, PieceSet
from vision.observation import Observation

F64 = npt.NDArray[np.float64]

_SURPLUS = -40.0  # gain of a ball without a name: below that of any colour
_FLOOR = -39.0  # least gain of a colour
_CUE_BALL_PRESENT = 3.0
"""Log-odds that a layout without a certain cue-ball has one all the same, since play stops without it."""

_ONE_AWAY, _MORE_AWAY, _PRACTICE = 0.2, 0.03, 0.1
"""Probability that a colour above the lowest one on the table is away (potted, and not yet put back), and of
each further one, once the reds are gone; and of balls that are no frame's. Assumed."""

_CLEARLY = float(np.log(0.7))  # log-probability of an unsure ball's colour
_APART_DIAMETERS = 0.92  # least distance of an unsure ball from others, the error of its place allowed for
_BESIDE_DIAMETERS, _BESIDE_CONFIDENCE = 1.25, 0.5  # a ball's shadow, so near to it, reaches this confidence


def only_of_their_colour(
    sure: Sequence[Observation],
    unsure: Sequence[Observation],
    ball_diameter_mm: float,
    pieces: PieceSet = SNOOKER,
) -> list[Observation]:
    """The unsure observations, best first, that are balls because no sure ball has their colour.

    Most false detections look like a red or like a ball that lies elsewhere; a table has only one green.
    """
    balls, found = list(sure), []
    names = {name for name, _ in assign_colours([o.colour_logp for o in sure], pieces)} | pieces.alike
    for o in sorted(unsure, key=lambda o: -o.confidence):
        near = (
            min((np.hypot(b.x_mm - o.x_mm, b.y_mm - o.y_mm) for b in balls), default=np.inf)
            / ball_diameter_mm
        )
        shadow = near < _BESIDE_DIAMETERS and o.confidence < _BESIDE_CONFIDENCE
        kind = likeliest(o.colour_logp, pieces)
        if kind not in names and max(o.colour_logp) > _CLEARLY and near > _APART_DIAMETERS and not shadow:
            balls.append(o)
            found.append(o)
            names.add(kind)
    return found


def likeliest(logp: Sequence[float], pieces: PieceSet = SNOOKER) -> str:
    """The kind that one piece looks most like, by itself."""
    return pieces.names[max(range(len(logp)), key=logp.__getitem__)]


def joint_colours(
    logps: Sequence[Sequence[float]], taken: Sequence[str] = (), pieces: PieceSet = SNOOKER
) -> list[str | None]:
    """The jointly likeliest kind of each piece; None where no kind is left.

    `logps` (n, kinds): log-likelihoods in the order of `pieces.kinds`. `taken`: kinds of pieces that are
    already named. Solved as an assignment (Kuhn-Munkres).
    """
    score, slots = _scores(logps, taken, pieces)
    _, chosen = _solve_in_order(score, slots, pieces) if not taken else _solve(score)
    return [slots[c] if c < len(slots) else None for c in chosen]


def assign_colours(logps: Sequence[Sequence[float]], pieces: PieceSet = SNOOKER) -> list[tuple[str, float]]:
    """The jointly likeliest kind of each piece and its probability.

    The probability compares the best assignment with the best one in which this piece is of another kind. A
    piece in excess has its own likeliest kind and probability 0.
    """
    score, slots = _scores(logps, (), pieces)
    best, chosen = _solve_in_order(score, slots, pieces)
    out: list[tuple[str, float]] = []
    for ball, column in enumerate(chosen):
        if column >= len(slots):
            out.append((likeliest(logps[ball], pieces), 0.0))
            continue
        other = score.copy()
        other[ball, [k for k, s in enumerate(slots) if s == slots[column]]] = 4 * _SURPLUS
        runner_up, _ = _solve_in_order(other, slots, pieces)
        out.append((slots[column], float(1 / (1 + np.exp(min(runner_up - best, 0.0))))))
    return out


def _scores(
    logps: Sequence[Sequence[float]], taken: Sequence[str], pieces: PieceSet
) -> tuple[F64, list[str]]:
    """Gains (n, slots + n) of each name, where the last n columns mean no name; and the slots' kinds."""
    n = len(logps)
    room = {c: pieces.count(c) - list(taken).count(c) for c in pieces.names}
    slots = [c for c in pieces.names for _ in range(min(room[c], n))]
    score = np.full((n, len(slots) + n), _SURPLUS)
    if n:
        table = np.asarray(logps, np.float64)
        table = np.maximum(table - table.max(axis=1, keepdims=True), _FLOOR)
        score[:, : len(slots)] = table[:, [pieces.index[s] for s in slots]]
        if not pieces.discs:  # a striker is lifted between strokes
            score[:, [k for k, s in enumerate(slots) if s == pieces.cue]] += _CUE_BALL_PRESENT
    return score, slots


def _solve_in_order(score: F64, slots: list[str], pieces: PieceSet) -> tuple[float, list[int]]:
    """As `_solve`, with the prior of colours that leave in order: of the last two a pale one is the pink."""
    best = _solve(score)
    order = pieces.leave_in_order
    if not 0 < len(score) <= len(order) + 1:
        return best
    if any(slots[c] in pieces.stay_down for c in best[1] if c < len(slots)):
        return best
    options = [best]
    for gone in range(1, len(order)):
        closed = [k for k, s in enumerate(slots) if s in order[:gone] or s in pieces.stay_down]
        rest = score.copy()
        rest[:, closed] = 4 * _SURPLUS
        options.append(_solve(rest))
    total, chosen = max(((v + _order_logp(c, slots, order), c) for v, c in options), key=lambda o: o[0])
    return total, chosen


def _order_logp(chosen: list[int], slots: list[str], order: tuple[str, ...]) -> float:
    """Log-probability of the colours named, from how many above the lowest of them are away."""
    named = {slots[c] for c in chosen if c < len(slots)}
    there = [i for i, name in enumerate(order) if name in named]
    away = len(order) - there[0] - len(there) if there else 0
    in_frame = _ONE_AWAY * _MORE_AWAY ** (away - 1) if away else 1.0
    return float(np.log((1.0 - _PRACTICE) * in_frame + _PRACTICE))


def _solve(score: F64) -> tuple[float, list[int]]:
    rows, columns = linear_sum_assignment(score, maximize=True)
    return float(score[rows, columns].sum()), [int(c) for c in columns]
