"""Kinds of all pieces together: at most as many of each as the game's set has, and a cue-ball.

A detection may also be no ball at all (`assign_balls`): leather of a pocket, a mark on the cloth, a sleeve.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from vision.observation import Observation

F64 = npt.NDArray[np.float64]

_SURPLUS = -40.0  # gain of a ball without a name: below that of any colour
_FLOOR = -39.0  # least gain of a colour
_NEVER = 4 * _SURPLUS  # gain of a name that a ball cannot have
_CUE_BALL_PRESENT = 3.0
"""Log-odds that a layout without a certain cue-ball has one all the same, since play stops without it."""

_PRESENT_SEEN, _PRESENT_NAMED, _PRESENT_FOLLOWED = 4.0, 1.4, 3.0
"""Log-odds that a colour that is still in play lies on the table and is seen.

Among detections of which some are not balls; among known balls (one colour in five is on its way back:
assumed); and where it is known which balls are off the table (one in twenty has been hidden since the
recording began: assumed)."""

_LOOSE, _REDS_LEFT = 0.1, 0.5
"""Probability that the balls are not those of a frame (each colour is there with probability 0.5), and that a
frame has reds left (otherwise any number of colours has gone, all equally likely). Assumed."""

_OFFSET, SLOPE, _VAGUE = 2.5, 4.5, -3.3
"""Log-odds that a detection at rest is a ball: constant, weight of its confidence's log-odds, and weight of
the logarithm of its sigma over that of the sure balls of the view. A mark has no ball's outline, so that its
place is vague. Fitted to 6,322 detections of the training's world (docs/lab/2026-11-26-balls-and-marks.md);
141 of seven path-traced carrom boards give 3.0, 5.0 and -3.3."""
_AT_POCKET = -4.0
"""Added beside a pocket's drop, where leather, nets and holes look like balls. The training's renderer
hardly draws them; measured in the second world."""

ON_SPOT, ON_OTHER_SPOT, SPOT_MM = 0.6, 0.03, 6.0
"""Probability that a colour on the table lies on its own spot (0.8 at the beginning of the tracks tier's
pieces, later less: assumed) or on another's, as its own was occupied (assumed); and one sigma of its place
there: hands and calibrations of real rooms are up to 12 mm off."""

_USUAL = 1.0  # balls of a kind that the sigma of all sure balls is worth. Assumed
_LEAST_SURE = 0.01  # keeps log-odds of a confidence finite
_APART_DIAMETERS = 0.92  # least distance of an unsure ball from others, the error of its place allowed for
_NO_ROOM = -60.0  # log-odds of what has no room: it is no ball


def named_layout(
    seen: Sequence[Observation], table: TableSpec, pieces: PieceSet = SNOOKER
) -> list[tuple[str | None, float]]:
    """The jointly likeliest kind of each detection of one look at pieces at rest, by its look and its place,
    None where it is no piece; and its probability.
    """
    return assign_balls(placed_logp(seen, table, pieces), ball_log_odds(seen, table, pieces=pieces), pieces)


def placed_logp(
    seen: Sequence[Observation], table: TableSpec, pieces: PieceSet = SNOOKER
) -> list[list[float]]:
    """Log-likelihoods (n, kinds) of each kind by a detection's look and its place."""
    return [(np.array(o.colour_logp) + place_nats(o.x_mm, o.y_mm, table, pieces)).tolist() for o in seen]


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
    frames = _frames(score, slots, pieces, _PRESENT_NAMED)
    _, chosen = _solve(score) if taken else _best_layout(score, frames)[:2]
    return [slots[c] if c < len(slots) else None for c in chosen]


def assign_colours(logps: Sequence[Sequence[float]], pieces: PieceSet = SNOOKER) -> list[tuple[str, float]]:
    """The jointly likeliest kind of each piece and its probability.

    The probability compares the best assignment with the best one in which this piece is of another kind. A
    piece in excess has its own likeliest kind and probability 0.
    """
    score, slots = _scores(logps, (), pieces)
    frames = _frames(score, slots, pieces, _PRESENT_NAMED)
    best, chosen, values = _best_layout(score, frames)
    out: list[tuple[str, float]] = []
    for ball, column in enumerate(chosen):
        if column >= len(slots):
            out.append((likeliest(logps[ball], pieces), 0.0))
            continue
        own = [k for k, s in enumerate(slots) if s == slots[column]]
        runner_up = _best_without(own, ball, score, frames, values)
        out.append((slots[column], _share(best, runner_up)))
    return out


def name_probabilities(
    logps: Sequence[Sequence[float]],
    names: Sequence[str],
    off: Sequence[Sequence[float]] = (),
    pieces: PieceSet = SNOOKER,
) -> list[float]:
    """That each piece on the table is of the kind that it is called by: the best assignment in which it is,
    against the best in which it is not.

    `logps` (n, kinds), `names` (n,). `off` (m, kinds): log-likelihoods of the pieces that have left it.
    """
    score, slots = _scores([*logps, *off], (), pieces)
    n = len(logps)
    frames = _frames(score, slots, pieces, _PRESENT_FOLLOWED, n)
    best, chosen, values = _best_layout(score, frames)
    out = []
    for ball, name in enumerate(names):
        own = [k for k, s in enumerate(slots) if s == name]
        is_own = chosen[ball] in own
        others = [k for k in range(score.shape[1]) if k not in own]
        rival = _best_without(own if is_own else others, ball, score, frames, values)
        right = _share(best, rival)
        out.append(right if is_own else 1.0 - right if own else 0.0)
    return out


def ball_log_odds(
    seen: Sequence[Observation],
    table: TableSpec,
    usual_sigma_mm: float | None = None,
    pieces: PieceSet = SNOOKER,
) -> F64:
    """Log-odds (n,) that detections are balls at rest, whatever their kind.

    `usual_sigma_mm`: of the sure balls of this view; by default of those among the detections, which are then
    all of a look, and each is compared with its kin: pale men on wood are all placed less exactly than black
    ones.
    """
    if not seen:
        return np.zeros(0)
    usual = usual_sigma_mm or sure_balls_sigma_mm(seen)
    vague = np.log([o.sigma_mm / usual for o in seen])
    at_pocket = np.array([_beside_pocket(o, table) for o in seen], np.float64)
    others = _OFFSET + SLOPE * _sure_nats(seen) + _AT_POCKET * at_pocket
    odds = others + _VAGUE * vague
    if usual_sigma_mm is None:
        kinds = kind_shares(seen)
        kin = kin_weights(kinds / (1.0 + np.exp(-odds))[:, None], pieces)
        by_kind = (kin @ vague) / (_USUAL + kin.sum(axis=2))
        odds = others + _VAGUE * (vague - (kinds * by_kind.T).sum(axis=1))
    return _with_room(seen, odds, table)


def kind_shares(seen: Sequence[Observation]) -> F64:
    """Probability (n, kinds) of each kind, of what is a ball, by its look."""
    logp = np.array([o.colour_logp for o in seen])
    return np.asarray(np.exp(logp - np.logaddexp.reduce(logp, axis=1, keepdims=True)), np.float64)


def kin_weights(balls: F64, pieces: PieceSet) -> F64:
    """How much each detection is kin of each other in each kind, (kinds, n, n): `balls` (n, kinds) is that
    each is a ball of a kind. No one is its own kin, and a kind of which the set has one has none.
    """
    several = np.array([pieces.count(k) > 1 for k in pieces.names])
    return np.where(np.eye(len(balls), dtype=np.bool_), 0.0, (balls * several).T[:, None, :])


def sure_balls_sigma_mm(seen: Sequence[Observation]) -> float:
    """Sigma of the sure balls of a whole look at one detection or more: the median, each counted by the
    square of its confidence's odds.
    """
    sigma_mm = np.array([o.sigma_mm for o in seen])
    order = np.argsort(sigma_mm)
    share = np.cumsum(np.exp(2.0 * _sure_nats(seen))[order])
    return float(sigma_mm[order][np.searchsorted(share, share[-1] / 2)])


def _sure_nats(seen: Sequence[Observation]) -> F64:
    """Log-odds (n,) of the detections' confidence."""
    sure = np.clip([o.confidence for o in seen], _LEAST_SURE, 1.0 - _LEAST_SURE)
    return np.asarray(np.log(sure / (1.0 - sure)), np.float64)


def _with_room(seen: Sequence[Observation], odds: F64, table: TableSpec) -> F64:
    """The log-odds (n,), where what is rather no ball and overlaps a likelier one is none."""
    at = np.array([(o.x_mm, o.y_mm) for o in seen])
    apart = np.linalg.norm(at[:, None] - at, axis=2) / table.ball_diameter_mm
    crowded = ((apart < _APART_DIAMETERS) & (odds > odds[:, None])).any(axis=1)
    return np.where(crowded & (odds < 0.0), _NO_ROOM, odds)


def spot_nats(
    x_mm: float, y_mm: float, table: TableSpec, pieces: PieceSet = SNOOKER, spot_mm: float = SPOT_MM
) -> F64:
    """(kinds,) log-ratio of finding each kind at rest here to finding it anywhere: a colour is mostly on its
    spot, and sometimes on another's, where its own was occupied.
    """
    out = np.zeros(len(pieces.names))
    area_mm2 = 2.0 * table.half_width_mm * table.length_mm
    spots = table.spots if pieces == SNOOKER else {}
    density = {
        c: area_mm2
        * math.exp(-0.5 * min(math.dist((x_mm, y_mm), s) / spot_mm, 10.0) ** 2)
        / (2 * math.pi * spot_mm**2)
        for c, s in spots.items()
    }
    whole, anywhere = sum(density.values()), 1 - ON_SPOT - ON_OTHER_SPOT
    for colour, own in density.items():
        others = (whole - own) / (len(spots) - 1)
        out[pieces.index[colour]] = math.log(ON_SPOT * own + ON_OTHER_SPOT * others + anywhere)
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
    frames = _frames(score, slots, pieces, _PRESENT_SEEN)
    best, chosen, values = _best_layout(score, frames)
    out: list[tuple[str | None, float]] = []
    for ball, column in enumerate(chosen):
        name = slots[column] if column < len(slots) else None
        own = [k for k, s in enumerate(slots) if s == name] or list(range(len(slots), score.shape[1]))
        runner_up = _best_without(own, ball, score, frames, values)
        out.append((name, _share(best, runner_up)))
    return out


def _best_without(
    columns: Sequence[int], ball: int, score: F64, frames: Sequence[_Frame], values: Sequence[float]
) -> float:
    """The log-probability of the best names in which a ball has none of these columns. `values`: that of the
    best names in each frame (`_best_layout`), which bounds it.
    """
    other, best = score.copy(), -np.inf
    other[ball, columns] = _NEVER
    for k in sorted(range(len(frames)), key=lambda k: -values[k]):
        if values[k] <= best:
            break
        best = max(best, _solve(other + frames[k].gains)[0] + frames[k].prior)
    return float(best)


def _share(best: float, runner_up: float) -> float:
    """The probability of the best of two log-probabilities."""
    return float(1 / (1 + np.exp(min(runner_up - best, 0.0))))


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


class _Frame(NamedTuple):
    """One way in which the balls of a layout may be those of a frame: what each name gains there for each
    ball, (n, slots + n), and the log-probability that it is so.
    """

    gains: F64
    prior: float


def _frames(
    score: F64, slots: list[str], pieces: PieceSet, present: float, there: int | None = None
) -> list[_Frame]:
    """All layouts that a frame can have, and a loose set of balls.

    While one of `stay_down` is left every colour is in play. Afterwards the colours leave in order: of the
    last two a pale one is the pink, and at the end the cue-ball is alone. A colour in play is on the table
    with `present` log-odds; colours that have left, or are off the table for now, cost nothing. `there`:
    number of rows that are pieces on the table, the others are off it; None: all.
    """
    order = pieces.leave_in_order
    if not order or not len(score):
        return [_Frame(np.zeros_like(score), 0.0)]
    n = len(score) if there is None else there
    on, away = -np.logaddexp(0.0, -present), -np.logaddexp(0.0, present)

    def frame(gains: dict[str, float], off_gains: dict[str, float], prior: float) -> _Frame:
        rows = np.zeros_like(score)
        rows[:n, : len(slots)] = [gains.get(s, 0.0) for s in slots]
        rows[n:, : len(slots)] = [off_gains.get(s, 0.0) for s in slots]
        return _Frame(rows, prior)

    found = [frame({}, {}, len(order) * np.log(0.5) + np.log(_LOOSE))]
    for gone in (None, *range(len(order) + 1)):
        left = order[gone or 0 :]
        closed = () if gone is None else (*pieces.stay_down, *order[:gone])
        share = _REDS_LEFT if gone is None else (1.0 - _REDS_LEFT) / (len(order) + 1)
        gains = dict.fromkeys(left, on - away) | dict.fromkeys(closed, _NEVER)
        prior = np.log((1.0 - _LOOSE) * share) + len(left) * away
        found.append(frame(gains, dict.fromkeys(left, -away), prior))
    return found


def _best_layout(score: F64, frames: Sequence[_Frame]) -> tuple[float, list[int], list[float]]:
    """The best names over all frames (see `_solve`): their log-probability, the column of each row, and the
    log-probability of the best names in each frame.
    """
    solved = [_solve(score + f.gains) for f in frames]
    values = [value + f.prior for (value, _), f in zip(solved, frames, strict=True)]
    best = max(range(len(frames)), key=values.__getitem__)
    return values[best], solved[best][1], values


def _solve(score: F64) -> tuple[float, list[int]]:
    """The assignment with the largest total score: that score, and the column of each row."""
    rows, columns = scipy.optimize.linear_sum_assignment(score, maximize=True)
    return float(score[rows, columns].sum()), [int(c) for c in columns]
