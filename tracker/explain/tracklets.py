"""Short sure pieces of track: detections that follow upon each other so plainly that no one would doubt it.

A piece ends where its next detection is ambiguous, missing for long, or not predicted (a contact, a cushion).
What continues it is decided later, for all pieces together (`joining`). A piece may lie still or move.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tracker.explain.arena import INTO
from tracker.explain.detections import Detections, Views
from tracker.params import ROLL_MM_S2

F64 = NDArray[np.float64]
STILL_MM = 2.5
"""A ball at rest is detected this near to its mean place; contours that an arm cuts move by as much."""
ACCELERATION_MM_S2 = 1000.0
"""One sigma of what a moving ball's speed changes by: half of sliding friction (0.2 g)."""
NOISE_MM = 0.4
"""What is added to a detection's sigma: errors of moving balls are 1.4 times the stated sigma (n = 6,974)."""
GATE = 5.0
"""Sigmas within which a detection continues a piece."""
AMBIGUOUS = 8.0
"""Two continuations whose chi-square differs by less are ambiguous."""
MOVING_MISSES, STILL_MISSES = 2, 3
"""Looks without a detection after which a piece ends."""
UNLIKE, UNLIKE_FROM = 5.0, 1.5
"""Chi-square for each nat by which two looks disagree about the colour, beyond what blur and shade make of
it.
"""
PAIR_S = 0.1
"""Two detections further apart in time than this do not make a moving piece by themselves."""
TELL_SPEED = 4
"""Detections on one line that tell a ball's speed."""
SETTLED = 7
"""A piece of more detections that lies still does not set off by itself: that is another piece."""
STAYED_MM = 15.0
"""Two pieces further apart are not of one ball that lay still from the one to the other."""
STILL_MM_S = 15.0
"""A piece slower than this lies still, for the gates."""
STOPS_MM_S = 45.0
"""One that was slower than this and is seen again after a pause has stopped, within 10 mm."""


@dataclass(frozen=True, slots=True)
class State:
    """Place and velocity at a time with one covariance for both axes. mm, s."""

    t_s: float
    x: float
    y: float
    vx: float
    vy: float
    p_xx: float
    p_xv: float
    p_vv: float

    @property
    def speed(self) -> float:
        return math.hypot(self.vx, self.vy)

    def after(self, dt: float) -> State:
        """The state `dt` seconds later (earlier, where negative): friction and what is not known of it."""
        speed = self.speed
        keep = max(0.0, 1.0 - ROLL_MM_S2 * dt / speed) if speed > 1e-6 else 0.0
        a = ACCELERATION_MM_S2 if speed > STILL_MM_S else 100.0
        q = (a * dt) ** 2
        p_xx = self.p_xx + 2 * dt * self.p_xv + dt * dt * self.p_vv + 0.25 * q * dt * dt
        mean = 0.5 * (1.0 + keep) * dt
        return State(
            self.t_s + dt,
            self.x + self.vx * mean,
            self.y + self.vy * mean,
            self.vx * keep,
            self.vy * keep,
            p_xx,
            self.p_xv + dt * self.p_vv + 0.5 * a * a * dt**3,
            self.p_vv + q,
        )

    def seen_at(self, x: float, y: float, sigma: float) -> State:
        """Kalman update with one detection at this state's own time."""
        s = self.p_xx + sigma * sigma
        kx, kv = self.p_xx / s, self.p_xv / s
        dx, dy = x - self.x, y - self.y
        return State(
            self.t_s,
            self.x + kx * dx,
            self.y + kx * dy,
            self.vx + kv * dx,
            self.vy + kv * dy,
            (1 - kx) * self.p_xx,
            (1 - kx) * self.p_xv,
            max(self.p_vv - kv * self.p_xv, 1.0),
        )


FREE_SPEED_MM_S = 3000.0
"""One sigma of the velocity of a ball of which one place is known."""


def first_state(t_s: float, x: float, y: float, sigma: float) -> State:
    """One detection: the place is known, the velocity is free."""
    return State(t_s, x, y, 0.0, 0.0, sigma * sigma, 0.0, FREE_SPEED_MM_S**2)


@dataclass(frozen=True, slots=True)
class Tracklet:
    """One piece: `rows` index `Detections`, ascending in time. `still`: it lies still from end to end.

    `head`, `tail`: state at its first and last detection. `misses`: looks inside it without a detection.
    """

    number: int
    rows: tuple[int, ...]
    first: int
    last: int
    head: State
    tail: State
    still: bool
    misses: int

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def top_speed(self) -> float:
        """The higher speed of its ends, mm/s; 0 where it lies still, or too few detections lie on one line to
        tell one: any two make a fast piece.
        """
        return max(self.head.speed, self.tail.speed) if self.n >= TELL_SPEED and not self.still else 0.0


@dataclass(slots=True)
class _Growing:
    """A piece while it grows. Lying still: mean place, else a Kalman state."""

    rows: list[int]
    state: State
    mean_x: float
    mean_y: float
    n_still: int = 1
    lies: bool = True
    image: int = 0
    missing: int = 0
    misses: int = 0
    closed: bool = field(default=False)
    in_layout: bool = False
    drawn_on: tuple[State, float, State] | None = None

    def at(self, t_s: float) -> State:
        """Its state, drawn on to a time: once for all detections of an image."""
        if self.drawn_on is None or self.drawn_on[0] is not self.state or self.drawn_on[1] != t_s:
            self.drawn_on = self.state, t_s, self.state.after(t_s - self.state.t_s)
        return self.drawn_on[2]


MOST_PIECES = 120
"""Of more pieces of track than this none are made: random detections, at a cost that grows with their square.
Strokes of the tracks tier have up to 48 (64 spans, detections missed or images lost), 16 real ones up to 97.
"""


def tracklets(found: Detections, views: Views) -> list[Tracklet]:
    """All pieces of a span in order of their first detection; every detection is in exactly one. None where
    they are more than `MOST_PIECES`.
    """
    done: list[_Growing] = []
    active: list[_Growing] = []
    starts = np.searchsorted(found.image, np.arange(len(views.t_s) + 1))
    for k in range(len(views.t_s)):
        rows = range(int(starts[k]), int(starts[k + 1]))
        links = _links(active, done, found, rows, float(views.t_s[k]))
        taken = set(links.values())
        for i, piece in enumerate(active):
            if i in links:
                _extend(piece, found, links[i], k)
            elif not piece.closed:
                _miss(piece, views, k)
        done += [p for p in active if p.closed and p.rows]  # another has taken over what is empty
        active = [p for p in active if not p.closed]
        active += [_begun(found, r, k, bool(views.layout[k])) for r in rows if r not in taken]
        if len(done) + len(active) > MOST_PIECES:
            return []
    done += [p for p in active if p.rows]
    done.sort(key=lambda p: (p.rows[0], p.rows[-1]))
    return [_closed(number, p, found) for number, p in enumerate(done)]


def _begun(found: Detections, row: int, image: int, in_layout: bool) -> _Growing:
    x, y = float(found.xy[row, 0]), float(found.xy[row, 1])
    state = first_state(float(found.t_s[row]), x, y, float(found.sigma[row]) + NOISE_MM)
    return _Growing([row], state, x, y, image=image, in_layout=in_layout)


def _links(
    active: list[_Growing], done: Sequence[_Growing], found: Detections, rows: range, t_s: float
) -> dict[int, int]:
    """Piece index -> detection row, only where both sides have no other comparable choice."""
    gated = [
        (chi2, i, row)
        for i, row in _within_reach(active, found, rows, t_s)
        if (chi2 := _chi2(active[i], found, row, t_s)) < GATE * GATE
    ]
    sure = [o for o in gated if not _contested(active[o[1]], active, found, o[2], t_s)]
    out = _chosen([o for o in sure if not _leads_through(active[o[1]], active, found, o[2])])
    left = [row for row in rows if row not in out.values()]
    if not left:
        return out
    out = {i: row for i, row in out.items() if not _turned_instead(active[i], found, row, left, t_s)}
    left = [row for row in rows if row not in out.values()]
    singles = [i for i, p in enumerate(active) if len(p.rows) == 1 and i not in out]
    out |= _triples(active, [i for i in singles if not active[i].in_layout], found, left, t_s)
    left = [row for row in left if row not in out.values()]
    singles = [i for i in singles if i not in out and active[i].rows and t_s - active[i].state.t_s < PAIR_S]
    turned = [p for i, p in enumerate(active) if i not in out and len(p.rows) > 1 and not p.lies]
    lain = [p for p in (*done, *active) if p.lies and p.rows] if singles and left else []
    singles = [i for i in singles if not _may_lie_there(lain, active[i])]
    far = [
        (_far_chi2(active[i], found, row, t_s), i, row)
        for i in singles
        for row in left
        if not _may_be_turned(turned, active[i], found, row, t_s)
    ]
    return out | _chosen([o for o in far if o[0] < GATE * GATE])


def _within_reach(
    active: Sequence[_Growing], found: Detections, rows: range, t_s: float
) -> list[tuple[int, int]]:
    """(piece index, detection row): the detections of an image that any ball can have come to from a piece's
    last one, by piece.
    """
    if not active or not rows:
        return []
    settled = np.array([p.lies and len(p.rows) > SETTLED for p in active])
    since = np.array([t_s - p.state.t_s for p in active])
    # one that has settled stays in its place (`_chi2`)
    reach = REST_REACH_MM + np.where(settled, 0.0, found.fastest_mm_s * since)
    at = np.array([(p.mean_x, p.mean_y) if p.lies else (p.state.x, p.state.y) for p in active])
    seen = found.xy[rows.start : rows.stop]
    away = np.hypot(seen[:, 0] - at[:, :1], seen[:, 1] - at[:, 1:])
    pieces, near = np.nonzero(away < reach[:, None])
    pairs = zip(pieces.tolist(), near.tolist(), strict=True)
    return [(i, rows.start + k) for i, k in pairs if active[i].rows]


REST_REACH_MM = 60.0
"""Further than any gate of a ball at rest: three sigmas of the worst detection."""


def _contested(piece: _Growing, active: list[_Growing], found: Detections, row: int, t_s: float) -> bool:
    """Whether a piece was missed since, and what appeared then may as well be what is detected now.

    It was struck, or struck another ball, in the image that misses it: what goes on ahead is the other one.
    What appeared so near to one that lay still that no two balls have room there is the ball itself.
    """
    if piece.missing == 0:
        return False
    x, y = float(found.xy[row, 0]), float(found.xy[row, 1])
    if piece.lies and math.hypot(x - piece.mean_x, y - piece.mean_y) < STILL_MM:
        return False
    reach = 2.0 * max(piece.state.speed, SLOW_MM_S)
    room = found.apart_mm if piece.lies else 0.0
    return any(
        len(p.rows) == 1
        and p.image > piece.image
        and (
            math.hypot(x - p.state.x, y - p.state.y) < reach * (t_s - p.state.t_s)
            or math.hypot(piece.mean_x - p.state.x, piece.mean_y - p.state.y) < room
        )
        for p in active
    )


def _turned_instead(piece: _Growing, found: Detections, row: int, left: Sequence[int], t_s: float) -> bool:
    """Whether a moving piece may have been turned to something else that looks like it, and that is more
    surely a ball than what is detected where it was going.
    """
    if piece.lies:
        return False
    reach = max(piece.state.speed, SLOW_MM_S) * (t_s - piece.state.t_s)
    return any(
        found.confidence[r] > found.confidence[row]
        and math.hypot(found.xy[r, 0] - piece.state.x, found.xy[r, 1] - piece.state.y) < reach
        and _unlike(piece, found, r) <= AMBIGUOUS
        for r in left
    )


def _may_be_turned(
    turned: Sequence[_Growing], single: _Growing, found: Detections, row: int, t_s: float
) -> bool:
    """Whether a detection may be of a moving piece that was seen since a single one was, and is not where it
    was going: it was turned, where the single one was missed.
    """
    x, y = float(found.xy[row, 0]), float(found.xy[row, 1])
    return any(
        p.state.t_s > single.state.t_s
        and math.hypot(x - p.state.x, y - p.state.y) < max(p.state.speed, SLOW_MM_S) * (t_s - p.state.t_s)
        for p in turned
    )


def _may_lie_there(lain: Sequence[_Growing], single: _Growing) -> bool:
    """Whether a single detection may be of a ball that lay beside it, and that nobody has seen since."""
    return any(
        p.image < single.image and math.hypot(single.mean_x - p.mean_x, single.mean_y - p.mean_y) < STAYED_MM
        for p in lain
    )


def _leads_through(piece: _Growing, active: Sequence[_Growing], found: Detections, row: int) -> bool:
    """Whether a moving piece would come to a detection through a ball of the layout that lies in its way: it
    meets that one, and what is seen behind it is another.
    """
    x, y = float(found.xy[row, 0]), float(found.xy[row, 1])
    dx, dy = x - piece.state.x, y - piece.state.y
    step2 = dx * dx + dy * dy
    if piece.lies or step2 < found.apart_mm**2:
        return False
    for p in active:
        if not (p.in_layout and p.lies) or p is piece or p.missing or not p.rows:
            continue
        ax, ay = p.mean_x - piece.state.x, p.mean_y - piece.state.y
        along = (ax * dx + ay * dy) / step2
        if 0.0 < along < 1.0 and abs(ax * dy - ay * dx) < INTO * found.apart_mm * math.sqrt(step2):
            return True
    return False


SLOW_MM_S = 300.0
"""Any ball that was struck may go as fast as this."""


def _triples(
    active: list[_Growing], singles: list[int], found: Detections, rows: list[int], t_s: float
) -> dict[int, int]:
    """Three single detections in a row that lie as one motion puts them, and of which the last looks like
    both others; the first joins the second's piece.
    """
    options: list[tuple[float, int, int]] = []
    earlier: dict[tuple[int, int], int] = {}
    for i in singles:
        for j in singles:
            gap = active[i].state.t_s - active[j].state.t_s
            if not 0 < gap < PAIR_S or t_s - active[i].state.t_s > PAIR_S:
                continue
            for row in rows:
                if max(_unlike(active[k], found, row) for k in (i, j)) > AMBIGUOUS:
                    continue
                chi2 = _bent_chi2(active[j].state, active[i].state, found, row, t_s)
                if chi2 < GATE * GATE and chi2 < dict(((a, b), c) for c, a, b in options).get(
                    (i, row), math.inf
                ):
                    options.append((chi2, i, row))
                    earlier[i, row] = j
    links = _chosen(options)
    used: set[int] = set()
    for i, row in list(links.items()):
        j = earlier[i, row]
        if j in used or j in links:
            del links[i]
            continue
        used.add(j)
        _absorb(active[i], active[j], found)
    return links


def _bent_chi2(a: State, b: State, found: Detections, row: int, t_s: float) -> float:
    """How badly three places lie on one line at one speed, sliding friction allowed."""
    u, w = b.t_s - a.t_s, t_s - b.t_s
    x, y = float(found.xy[row, 0]), float(found.xy[row, 1])
    if (
        math.hypot(x - b.x, y - b.y) > found.fastest_mm_s * w
        or math.hypot(b.x - a.x, b.y - a.y) > found.fastest_mm_s * u
    ):
        return math.inf
    ex = x - b.x - (b.x - a.x) * w / u
    ey = y - b.y - (b.y - a.y) * w / u
    sigma = 2.5 * (float(found.sigma[row]) + NOISE_MM) + 0.5 * ACCELERATION_MM_S2 * w * (u + w)
    return (ex * ex + ey * ey) / sigma**2


def _absorb(piece: _Growing, before: _Growing, found: Detections) -> None:
    """Put the one earlier detection of `before` in front of the piece."""
    old = piece.state
    moved = before.state.after(old.t_s - before.state.t_s)
    piece.state = moved.seen_at(old.x, old.y, math.sqrt(old.p_xx))
    piece.rows = before.rows + piece.rows
    piece.lies = False
    before.rows, before.closed = [], True


def _chosen(options: list[tuple[float, int, int]]) -> dict[int, int]:
    """The pairs (chi-square, piece, row) that have no rival on either side, best first."""
    by_piece: dict[int, list[float]] = {}
    by_row: dict[int, list[float]] = {}
    for chi2, i, row in options:
        by_piece.setdefault(i, []).append(chi2)
        by_row.setdefault(row, []).append(chi2)
    out: dict[int, int] = {}
    for chi2, i, row in sorted(options):
        if i in out or row in out.values():
            continue
        if _unrivalled(chi2, by_piece[i]) and _unrivalled(chi2, by_row[row]):
            out[i] = row
    return out


def _unrivalled(chi2: float, options: list[float]) -> bool:
    rivals = sorted(options)
    return chi2 == rivals[0] and (len(rivals) == 1 or rivals[1] - chi2 > AMBIGUOUS)


def _chi2(piece: _Growing, found: Detections, row: int, t_s: float) -> float:
    x, y = float(found.xy[row, 0]), float(found.xy[row, 1])
    sigma = float(found.sigma[row]) + NOISE_MM
    if piece.lies:
        away = math.hypot(x - piece.mean_x, y - piece.mean_y)
        if away < max(STILL_MM, 3.0 * sigma):
            return min((away / sigma) ** 2, GATE * GATE - 1.0)
        if len(piece.rows) > SETTLED or t_s - piece.state.t_s > PAIR_S:
            return math.inf
    if len(piece.rows) == 1:
        return math.inf
    if t_s - piece.state.t_s > PAIR_S and piece.state.speed < STOPS_MM_S:
        away = math.hypot(x - piece.state.x, y - piece.state.y)
        stops = piece.state.speed**2 / (2 * ROLL_MM_S2)
        return (away / sigma) ** 2 if away < stops + max(STILL_MM, 3.0 * sigma) else math.inf
    p = piece.at(t_s)
    if t_s - piece.state.t_s > PAIR_S and p.p_xx > VAGUE_MM**2:
        return math.inf
    chi2 = ((x - p.x) ** 2 + (y - p.y) ** 2) / (p.p_xx + sigma * sigma)
    if chi2 >= GATE * GATE:
        return math.inf
    unlike = _unlike(piece, found, row)
    return chi2 + unlike if unlike <= AMBIGUOUS else math.inf


VAGUE_MM = 25.0
"""After a pause a piece goes on only if it is known to half a ball where: else whatever appears would fit."""


def _unlike(piece: _Growing, found: Detections, row: int) -> float:
    """How unlike a moving piece's colour a detection is, as chi-square.

    A full contact hands the whole velocity on: the other ball is where this one would have been.
    """
    recent = piece.rows[-3:]
    piece_looks = found.logp[recent[0]]
    for r in recent[1:]:
        piece_looks = piece_looks + found.logp[r]
    piece_looks = piece_looks / len(recent)
    look = found.logp[row]
    worse = float(piece_looks.max() + look.max() - (piece_looks + look).max())
    return UNLIKE * max(min(worse, 6.0) - UNLIKE_FROM, 0.0)


def _far_chi2(piece: _Growing, found: Detections, row: int, t_s: float) -> float:
    """A second detection away from the first: any speed that a ball can have, slow ones rather. Only the
    colour tells then that it is the same ball: where it speaks against it that is not sure. A layout sums up
    many looks: what it shows does not set off by itself, but may be seen aside by another light.
    """
    unlike = _unlike(piece, found, row)
    if unlike > AMBIGUOUS:
        return math.inf
    reach = found.fastest_mm_s * (t_s - piece.state.t_s)
    away = math.hypot(float(found.xy[row, 0]) - piece.state.x, float(found.xy[row, 1]) - piece.state.y)
    if away > (min(reach, STAYED_MM) if piece.in_layout else reach):
        return math.inf
    return (4.0 * away / reach) ** 2 + unlike


def _extend(piece: _Growing, found: Detections, row: int, image: int) -> None:
    x, y, t = float(found.xy[row, 0]), float(found.xy[row, 1]), float(found.t_s[row])
    sigma = float(found.sigma[row]) + NOISE_MM
    away = math.hypot(x - piece.mean_x, y - piece.mean_y)
    if piece.lies and len(piece.rows) > SETTLED:  # nothing asks for its velocity any more
        piece.state = State(t, x, y, 0.0, 0.0, sigma * sigma, 0.0, 25.0)
    else:
        piece.state = piece.state.after(t - piece.state.t_s).seen_at(x, y, sigma)
    if piece.lies and away < max(STILL_MM, 3.0 * sigma):
        piece.n_still += 1
        w = 1.0 / min(piece.n_still, 20)
        piece.mean_x += w * (x - piece.mean_x)
        piece.mean_y += w * (y - piece.mean_y)
    else:
        piece.lies = False
    if not piece.lies and len(piece.rows) > 3 and piece.state.speed < STILL_MM_S:
        piece.lies, piece.mean_x, piece.mean_y, piece.n_still = True, x, y, 3
    piece.rows.append(row)
    piece.image, piece.missing = image, 0


def _miss(piece: _Growing, views: Views, image: int) -> None:
    if piece.lies:
        x, y = piece.mean_x, piece.mean_y
    else:
        p = piece.at(float(views.t_s[image]))
        x, y = p.x, p.y
    alone = len(piece.rows) == 1 and image - piece.image > 3
    if views.sees(image, x, y):
        piece.missing += 1
        piece.misses += 1
    elif piece.lies and not alone:
        return
    most = STILL_MISSES if piece.lies and len(piece.rows) > 2 else MOVING_MISSES
    rolls = not piece.lies and piece.state.speed >= STOPS_MM_S  # one that has stopped is not looked at
    late = rolls and float(views.t_s[image]) - piece.state.t_s > 0.2
    if piece.missing >= most or late:
        piece.misses -= piece.missing
        piece.closed = True


def _closed(number: int, p: _Growing, found: Detections) -> Tracklet:
    rows = np.array(p.rows)
    xy, sigma, t = found.xy[rows], found.sigma[rows] + NOISE_MM, found.t_s[rows]
    spread = np.hypot(*(xy - xy.mean(axis=0)).T)
    still = p.lies and bool((spread < 2.0 * np.maximum(STILL_MM, 3.0 * sigma)).all())
    if still:
        head, tail = at_rest(p.rows, found)
    else:
        tail = p.state if not p.lies else _resting(xy[-5:], sigma[-5:], t[-5:], first=False)
        head = _backward(xy[:6], sigma[:6], t[:6])
    image = found.image[rows]
    return Tracklet(number, tuple(p.rows), int(image[0]), int(image[-1]), head, tail, still, p.misses)


def at_rest(rows: Sequence[int], found: Detections) -> tuple[State, State]:
    """The states at the first and the last of these detections of a ball that lies still."""
    k = np.array(rows)
    xy, sigma, t = found.xy[k], found.sigma[k] + NOISE_MM, found.t_s[k]
    return _resting(xy, sigma, t, first=True), _resting(xy, sigma, t, first=False)


def _resting(xy: F64, sigma: F64, t: F64, first: bool) -> State:
    """A piece that lies still; of one detection, where nothing says that it moves, the velocity is open."""
    w = 1.0 / sigma**2
    x, y = (xy * w[:, None]).sum(axis=0) / w.sum()
    p_vv = FREE_SPEED_MM_S**2 if len(t) == 1 else 25.0
    variance = max(float(1.0 / w.sum()), 0.3**2)
    return State(float(t[0] if first else t[-1]), float(x), float(y), 0.0, 0.0, variance, 0.0, p_vv)


def _backward(xy: F64, sigma: F64, t: F64) -> State:
    """The state at the first detection, from the first few, in reverse time."""
    n = len(t)
    state = first_state(float(t[-1]), float(xy[-1, 0]), float(xy[-1, 1]), float(sigma[-1]))
    for k in range(n - 2, -1, -1):
        state = state.after(float(t[k]) - state.t_s).seen_at(
            float(xy[k, 0]), float(xy[k, 1]), float(sigma[k])
        )
    return state
