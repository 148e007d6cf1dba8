"""Kinds of all pieces together: at most as many of each as the game's set has, and a cue-ball.

A detection may also be no ball at all (`assign_balls`): leather of a pocket, a mark on the cloth, a sleeve.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from vision.observation import Observation

F64 = npt.NDArray[np.float64]

_SURPLUS = -40.0  # gain of a ball without a name: below that of any colour
_FLOOR = -39.0  # least gain of a colour
_CUE_BALL_PRESENT = 3.0
"""Log-odds that a layout without a certain cue-ball has one all the same, since play stops without it."""

_PRESENT_SEEN, _PRESENT_NAMED = 4.0, 1.4
"""Log-odds that a colour of a frame which has not left it lies on the table: among detections some of which
are no balls, and among balls known to be balls (one colour in five is on its way back: assumed)."""

_LOOSE, _REDS_LEFT = 0.1, 0.5
"""Probability of balls that are no frame's, each colour there or not alike; and that a frame has reds left,
else as many of the colours have gone as may be. Assumed."""

_OFFSET, _SLOPE = -1.0, 5.0
"""Log-odds that a detection is a ball, by the log-odds of its confidence: 0.55 is even, 0.8 nearly sure."""
_AT_POCKET, _AT_POCKET_VAGUE = -2.5, -1.5
"""The same beside a pocket's drop, and less with the logarithm of sigma (mm): leather, nets and holes look
like balls whose outline fits badly. All four: docs/lab/2026-11-25-second-world.md, 556 detections."""

ON_SPOT, SPOT_MM = 0.6, 6.0
"""A colour on the table lies on its own spot: 0.8 at the beginning of the tracks tier's pieces, fewer later
(assumed); and one sigma of where it is seen there: hands, and calibrations of real rooms, up to 12 mm off."""

_DISC_SIGMA_MM = 0.6
"""Sigma of a disc's place that says nothing. Of 687 detections in 37 images of a path-traced board 660 were
discs with 0.14 to 0.5 mm, 27 were none with 0.93 to 1.1; whites on lines of another board had 0.6 to 1.0."""
_LEAST_SURE = 0.01  # keeps log-odds of a confidence finite
_CLEARLY = float(np.log(0.7))  # log-probability of an unsure ball's colour
_APART_DIAMETERS = 0.92  # least distance of an unsure ball from others, the error of its place allowed for
_BESIDE_DIAMETERS, _BESIDE_CONFIDENCE = 1.25, 0.5  # a ball's shadow, so near to it, reaches this confidence


def only_of_their_colour(
    sure: Sequence[Observation],
    unsure: Sequence[Observation],
    table: TableSpec,
    pieces: PieceSet = SNOOKER,
) -> list[Observation]:
    """The unsure observations, best first, that are balls because no sure ball has their colour.

    Most false detections look like a red or like a ball that lies elsewhere; a table has only one green.
    """
    balls, found = list(sure), []
    named = assign_balls([o.colour_logp for o in sure], ball_log_odds(sure, table, pieces), pieces)
    names = {name for name, _ in named} | pieces.alike
    for o in sorted(unsure, key=lambda o: -o.confidence):
        near = (
            min((np.hypot(b.x_mm - o.x_mm, b.y_mm - o.y_mm) for b in balls), default=np.inf)
            / table.ball_diameter_mm
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
    _, chosen = _solve_layout(score, slots, pieces, _PRESENT_NAMED) if not taken else _solve(score)
    return [slots[c] if c < len(slots) else None for c in chosen]


def joint_layout(logps: F64, pieces: PieceSet) -> F64:
    """The jointly likeliest names (B, kinds) of pieces: 1 for each one's kind, 0 where no name is left.

    `logps` (B, kinds): log-likelihoods with any offset.
    """
    top = logps.max(axis=1, keepdims=True)
    score, slots = _scores((logps - top).tolist(), (), pieces)
    _, chosen = _solve_layout(score, slots, pieces, _PRESENT_NAMED)
    names = np.zeros_like(logps)
    for ball, column in enumerate(chosen):
        if column < len(slots):
            names[ball, pieces.index[slots[column]]] = 1.0
    return names


def assign_colours(logps: Sequence[Sequence[float]], pieces: PieceSet = SNOOKER) -> list[tuple[str, float]]:
    """The jointly likeliest kind of each piece and its probability.

    The probability compares the best assignment with the best one in which this piece is of another kind. A
    piece in excess has its own likeliest kind and probability 0.
    """
    score, slots = _scores(logps, (), pieces)
    best, chosen = _solve_layout(score, slots, pieces, _PRESENT_NAMED)
    out: list[tuple[str, float]] = []
    for ball, column in enumerate(chosen):
        if column >= len(slots):
            out.append((likeliest(logps[ball], pieces), 0.0))
            continue
        other = score.copy()
        other[ball, [k for k, s in enumerate(slots) if s == slots[column]]] = 4 * _SURPLUS
        runner_up, _ = _solve_layout(other, slots, pieces, _PRESENT_NAMED)
        out.append((slots[column], float(1 / (1 + np.exp(min(runner_up - best, 0.0))))))
    return out


def piece_confidence(o: Observation, pieces: PieceSet) -> float:
    """How surely a detection at rest is a piece: of discs by how exactly their outline fits, too.

    What is printed on a board and fingers have no wall: they fit badly.
    """
    if not pieces.discs:
        return o.confidence
    odds = o.confidence / max(1.0 - o.confidence, _LEAST_SURE) * _DISC_SIGMA_MM / o.sigma_mm
    return odds / (1.0 + odds)


def ball_log_odds(seen: Sequence[Observation], table: TableSpec, pieces: PieceSet = SNOOKER) -> F64:
    """Log-odds (N,) that detections are balls, whatever else lies on the table."""
    sure = np.clip([piece_confidence(o, pieces) for o in seen], _LEAST_SURE, 1.0 - _LEAST_SURE)
    beside = [_beside_pocket(o, table) for o in seen]
    vague = np.log([o.sigma_mm for o in seen])
    at_pocket = np.where(beside, _AT_POCKET + _AT_POCKET_VAGUE * vague, 0.0)
    return np.asarray(_OFFSET + _SLOPE * np.log(sure / (1.0 - sure)) + at_pocket, np.float64)


def spot_nats(
    x_mm: float, y_mm: float, table: TableSpec, pieces: PieceSet = SNOOKER, spot_mm: float = SPOT_MM
) -> F64:
    """(kinds,) log-ratio of finding each kind at rest here to finding it anywhere: a colour is mostly on its
    spot.
    """
    out = np.zeros(len(pieces.names))
    area_mm2 = 2.0 * table.half_width_mm * table.length_mm
    for k, colour in enumerate(pieces.names) if pieces == SNOOKER else ():
        spot = table.spots.get(colour)
        if spot is not None:
            chi2 = ((x_mm - spot[0]) ** 2 + (y_mm - spot[1]) ** 2) / spot_mm**2
            on = ON_SPOT * math.exp(-0.5 * min(chi2, 100.0)) / (2 * math.pi * spot_mm**2)
            out[k] = math.log(on * area_mm2 + 1 - ON_SPOT)
    return out


def place_nats(x_mm: float, y_mm: float, table: TableSpec, pieces: PieceSet = SNOOKER) -> F64:
    """(kinds,) log-likelihood of each kind, of what is a ball, by where it lies; the likeliest has none.

    Under a club's lamps brown looks red and green blue; what lies just on the pink's spot is the pink all the
    same. Whether it is a ball at all is no matter of the spot: a mark lies there, too.
    """
    gain = np.maximum(spot_nats(x_mm, y_mm, table, pieces), 0.0)
    return np.asarray(gain - gain.max(), np.float64)


def _beside_pocket(o: Observation, table: TableSpec) -> bool:
    """Whether its place is less than a ball's diameter from a pocket's drop."""
    edge = min(math.hypot(o.x_mm - p.x_mm, o.y_mm - p.y_mm) - p.drop_radius_mm for p in table.pockets)
    return edge < table.ball_diameter_mm


def assign_balls(
    logps: Sequence[Sequence[float]], log_odds: F64, pieces: PieceSet = SNOOKER
) -> list[tuple[str | None, float]]:
    """The jointly likeliest kind of each detection, None where it is no ball, and its probability.

    `log_odds` (n,): that each is a ball at all (`ball_log_odds`). A surer detection of a unique kind leaves
    the others of that look no name, so that a pocket's leather takes none from a ball.
    """
    score, slots = _scores(logps, (), pieces, log_odds)
    best, chosen = _solve_layout(score, slots, pieces, _PRESENT_SEEN)
    out: list[tuple[str | None, float]] = []
    for ball, column in enumerate(chosen):
        name = slots[column] if column < len(slots) else None
        own = [k for k, s in enumerate(slots) if s == name] or list(range(len(slots), score.shape[1]))
        other = score.copy()
        other[ball, own] = 4 * _SURPLUS
        runner_up, _ = _solve_layout(other, slots, pieces, _PRESENT_SEEN)
        out.append((name, float(1 / (1 + np.exp(min(runner_up - best, 0.0))))))
    return out


def _scores(
    logps: Sequence[Sequence[float]],
    taken: Sequence[str],
    pieces: PieceSet,
    log_odds: F64 | None = None,
) -> tuple[F64, list[str]]:
    """Gains (n, slots + n) of each name, where the last n columns mean no name; and the slots' kinds.

    `log_odds` (n,): that each is a ball at all; without them every one is.
    """
    n = len(logps)
    room = {c: pieces.count(c) - list(taken).count(c) for c in pieces.names}
    slots = [c for c in pieces.names for _ in range(min(room[c], n))]
    score = np.full((n, len(slots) + n), _SURPLUS if log_odds is None else 0.0)
    if not n:
        return score, slots
    table = np.asarray(logps, np.float64)
    if log_odds is None:
        table = np.maximum(table - table.max(axis=1, keepdims=True), _FLOOR)
    else:
        table = table + log_odds[:, None]
    score[:, : len(slots)] = table[:, [pieces.index[s] for s in slots]]
    if not pieces.discs:  # a striker is lifted between strokes
        score[:, [k for k, s in enumerate(slots) if s == pieces.cue]] += _CUE_BALL_PRESENT
    return score, slots


def _solve_layout(score: F64, slots: list[str], pieces: PieceSet, present: float) -> tuple[float, list[int]]:
    """As `_solve`, over the layouts that a frame can have and over balls that are no frame's.

    While one of `stay_down` is left every colour is in play; afterwards they leave in order, so that of the
    last two a pale one is the pink, and at the end the cue-ball is alone. A colour in play is there by
    `present` log-odds; what has left costs nothing.
    """
    order = pieces.leave_in_order
    if not order or not len(score):
        return _solve(score)
    down = pieces.stay_down
    there, away = -np.logaddexp(0.0, -present), -np.logaddexp(0.0, present)
    options = [_solve_option(score, slots, {}, len(order) * np.log(0.5) + np.log(_LOOSE))]
    for gone in (None, *range(len(order) + 1)):
        left = order[gone or 0 :]
        closed = () if gone is None else (*down, *order[:gone])
        share = _REDS_LEFT if gone is None else (1.0 - _REDS_LEFT) / (len(order) + 1)
        gains = dict.fromkeys(left, there - away) | dict.fromkeys(closed, 4 * _SURPLUS)
        prior = np.log((1.0 - _LOOSE) * share) + len(left) * away
        options.append(_solve_option(score, slots, gains, prior))
    return max(options, key=lambda o: o[0])


def _solve_option(
    score: F64, slots: list[str], gains: dict[str, float], prior: float
) -> tuple[float, list[int]]:
    """The best names where each gains as in `gains`, and their log-probability with the layout's prior."""
    rows = score.copy()
    rows[:, : len(slots)] += [gains.get(s, 0.0) for s in slots]
    value, chosen = _solve(rows)
    return value + prior, chosen


def _solve(score: F64) -> tuple[float, list[int]]:
    rows, columns = linear_sum_assignment(score, maximize=True)
    return float(score[rows, columns].sum()), [int(c) for c in columns]
