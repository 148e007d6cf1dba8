"""Joins pieces of track: which may follow which, where a ball's path begins and ends.

A way is a chain of pieces with a beginning (it lay there, a hand put it there) and an ending (at rest,
potted, ...). Every piece is in one chain or is clutter: that is an assignment of ends to beginnings, and
Murty's method ranks the best ones. Pieces that no edge connects are ranked apart from each other, which keeps
the matrices small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import PieceSet
from calibration.table.pockets import HOLE_SHARE, in_mouth
from calibration.table.specs import Pocket, PocketName, TableSpec
from tracker.explain import priors
from tracker.explain.assignment import ALONE, FORBIDDEN, matchings
from tracker.explain.likelihood import Likelihood, log_normal
from tracker.explain.tracklets import STAYED_MM, STILL_MM_S, State, Tracklet
from tracker.params import ROLL_MM_S2

F64 = NDArray[np.float64]
EndKind = Literal["rest", "potted", "hidden", "lifted", "off", "vanished", "unfinished"]
BeginKind = Literal["present", "placed"]

MOST_JOININGS, MOST_A_COMPONENT = 48, 36
"""The beam: so many whole layouts are kept, so many of a group of connected pieces."""
MOST_CONNECTED = 150
"""Pieces that edges connect. Strokes of the tracks tier have up to 39, real ones up to 51 and one 97, a
carrom break 94. Beyond it the pieces that look least like balls are joined to none.
"""
MOST_PAIRS = 4000
"""Pairs of pieces that one ball may have made, each weighed as an edge (0.1 ms); beyond it the same. Strokes
of the tracks tier have up to 526 (64 spans), real ones up to 1,465 (15) and one 3,784, a break 3,056.
"""
WITHIN = 14.0
"""Layouts less likely than the best by more than exp(14) are dropped: together they weigh under 1 in
10,000.
"""
LONGEST_GAP_S = 2.5
"""A moving ball that is not detected for longer is not joined to what appears then. Bound on the edges."""
ROLLS_OUT_MM_S = 200.0
"""A faster ball is followed on its way: it rolls further than 200 mm."""
EVENT, START = -3.5, -4.0
"""Log-probability that a moving ball meets something, or one at rest is struck, between two given images."""
UNSEEN_EVENTS = -9.0
"""The same for two such events in images that do not show the ball."""
ONCE = -3.0
"""Log-probability that a ball that came to rest is seen in one image only, though more were looked at after
it.
"""
BIAS_MM, BIAS_SIGMAS = 0.7, 1.5
"""What an outline moves by when light or an arm changes about a ball at rest, and by how many sigmas of one
look where these are more: seen from an end a ball that is known to 1.5 mm moves by 5. Assumed.
"""
HOPELESS = -12.0
"""A piece that is joined with a log-likelihood below this, its own gain included, is better left as clutter:
less than a fall that nobody saw costs.
"""
ANOTHER_COLOUR = 1e-6
"""Least likelihood ratio of one ball that looks like two: blur and shade change what a whole piece looks
like.
"""
CLUTTER_VELOCITY = -math.log(2 * math.pi * 1500.0**2)
"""Log-density of a velocity of which nothing is known."""


BESIDE = 2.0
"""Within so many diameters of another a ball meets it, or all but does."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a ball's way ends. `t_s`: when it fell or was last there. `unseen`: between which looks it set off,
    where it was not seen on its way into the pocket.
    """

    kind: EndKind
    pocket: PocketName | None
    t_s: float
    logp: float
    unseen: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """One ball's way: its pieces in order, how it came into the span and how it left it."""

    begin: BeginKind
    pieces: tuple[int, ...]
    end: Ending


@dataclass(frozen=True, slots=True)
class Joining:
    """All pieces accounted for; `logw` without the terms that need several balls at once."""

    chains: tuple[Chain, ...]
    clutter: tuple[int, ...]
    logw: float


class Joiner:
    """Edges, beginnings and endings of one span's pieces, and the k best ways to join them."""

    def __init__(
        self, pieces: Sequence[Tracklet], likelihood: Likelihood, table: TableSpec, kinds: PieceSet
    ) -> None:
        self.pieces, self.likelihood, self.table = pieces, likelihood, table
        self._shares = np.exp(priors.kind_shares(kinds))
        self.views = likelihood.views
        self.gains = [likelihood.gain(p) for p in pieces]
        self.colours = [likelihood.colour(p) for p in pieces]
        self._looks = [_normal(c + np.log(self._shares)) for c in self.colours]
        self.begins = [self._begin(p) for p in pieces]
        self.cut = False
        """Whether some pieces are joined to none because there are too many of them."""
        self.edges = self._edges(self._paired(may_follow(pieces, kinds.fastest_mm_s)))
        self._loosen()
        self._endings: dict[int, list[Ending]] = {}

    @cached_property
    def best(self) -> list[Joining]:
        """The best joinings, most likely first."""
        kept: list[Joining] = [Joining((), (), 0.0)]
        for group in self._groups():
            options = self._component(group)
            sums = [
                Joining(a.chains + b.chains, a.clutter + b.clutter, a.logw + b.logw)
                for a in kept
                for b in options
            ]
            sums.sort(key=lambda j: -j.logw)
            kept = [j for j in sums[:MOST_JOININGS] if j.logw > sums[0].logw - WITHIN]
        several = [*(other for j in kept for other in self._other_pockets(j)), *kept]
        return sorted({(j.chains, j.clutter): j for j in several}.values(), key=lambda j: -j.logw)

    def _other_pockets(self, joining: Joining) -> Iterator[Joining]:
        """The joining with each ball that nobody saw fall in each other pocket: which it is tells only the
        blow that sent it there.
        """
        for k, chain in enumerate(joining.chains):
            if chain.end.unseen is None:
                continue
            for end in self.endings(self.pieces[chain.pieces[-1]]):
                if end.unseen is not None and end.pocket != chain.end.pocket:
                    chains = (*joining.chains[:k], replace(chain, end=end), *joining.chains[k + 1 :])
                    yield replace(joining, chains=chains, logw=joining.logw + end.logp - chain.end.logp)

    # -- edges ----------------------------------------------------------------------------------------

    def _ranks(self) -> list[int]:
        """The place of each piece in the order of how much better a ball explains it than clutter."""
        order = sorted(range(len(self.pieces)), key=lambda i: -self.gains[i])
        return [k for k, _ in sorted(enumerate(order), key=lambda ki: ki[1])]

    def _paired(self, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The pairs of so many of the best pieces that they are no more than `MOST_PAIRS`."""
        if len(pairs) <= MOST_PAIRS:
            return pairs
        self.cut, ranks = True, self._ranks()
        later = sorted(max(ranks[a], ranks[b]) for a, b in pairs)
        return [(a, b) for a, b in pairs if max(ranks[a], ranks[b]) < later[MOST_PAIRS]]

    def _loosen(self) -> None:
        """Take the edges of the worst pieces away until no more than `MOST_CONNECTED` are connected."""
        ranks, most = self._ranks(), len(self.pieces)
        while max(map(len, self._groups()), default=0) > MOST_CONNECTED:
            self.cut, most = True, most - 1
            self.edges = {e: v for e, v in self.edges.items() if max(ranks[e[0]], ranks[e[1]]) < most}

    def _edges(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Log-likelihood of every pair of pieces that may follow upon each other (end, beginning)."""
        out = {}
        for a, b in pairs:
            one = self.pieces[a], self.pieces[b]
            colour = self.same_colour(*one)
            least = HOPELESS - self.gains[b] - colour
            if (logp := self._edge(*one, least)) > least:
                out[a, b] = logp + colour
        return out

    def _edge(self, a: Tracklet, b: Tracklet, least: float) -> float:
        """The likeliest way from a piece to another but for their colours. Looks between them that missed the
        ball are counted only where it may be likelier than `least`: they make it no likelier.
        """
        dt, away = apart(a, b)
        options = [self._stayed(a, b, away), self._came_to_rest(a, b)]
        if not (a.tail.speed > STILL_MM_S and dt > LONGEST_GAP_S):
            over = [self._went_on(a, b, dt), self._unseen(a, b, dt)]
            if b.n == 1:
                over.append(self._turned_to_one(a, b))
            else:
                options.append(self._turned(a, b))
            if max(over) > least:
                missed = self.likelihood.missed(a.tail, a.last, b.head, b.first, lay=a.still)
                missed += self.likelihood.left_unnoticed(a, b.first) if a.still else 0.0
                options.append(max(over) + missed)
        return max(options)

    def same_colour(self, a: Tracklet, b: Tracklet) -> float:
        """Log-ratio of one ball having both looks against two balls drawn at random from the table."""
        pa, pb = self._looks[a.number], self._looks[b.number]
        together = float((pa * pb / self._shares).sum())
        return math.log(max(together, ANOTHER_COLOUR))

    def _stayed(self, a: Tracklet, b: Tracklet, away: float) -> float:
        """It lay still from the one to the other."""
        if a.tail.speed > 2 * STILL_MM_S or b.head.speed > 2 * STILL_MM_S or away > STAYED_MM:
            return -math.inf
        variance = a.tail.p_xx + b.head.p_xx + self._bias_mm(a, b) ** 2
        missed = self.likelihood.missed_at(a.tail.x, a.tail.y, a.last + 1, b.first)
        return log_normal(away * away / variance, variance) + missed + _velocity(b, 0.0, 0.0, 200.0)

    def _bias_mm(self, a: Tracklet, b: Tracklet) -> float:
        """What all looks at a ball at rest are off by alike, and looks in other light or on its way not."""
        look_mm = max(float(np.median(self.likelihood.found.sigma[list(p.rows)])) for p in (a, b))
        return max(BIAS_MM, BIAS_SIGMAS * look_mm)

    def _came_to_rest(self, a: Tracklet, b: Tracklet) -> float:
        """It rolled out after it was last looked at, and lay where it is seen then.

        A slow ball changes so little that the camera may not look at it again before the table is still. It
        goes no further than rolling takes it, and less where it slides.
        """
        speed = a.tail.speed
        if not STILL_MM_S < speed < ROLLS_OUT_MM_S or a.n == 1 or b.head.speed > 2 * STILL_MM_S:
            return -math.inf
        half = 0.25 * speed * speed / ROLL_MM_S2
        x, y = a.tail.x + half * a.tail.vx / speed, a.tail.y + half * a.tail.vy / speed
        variance = half * half * (1.0 + a.tail.p_vv / speed**2) + a.tail.p_xx + b.head.p_xx
        chi2 = ((x - b.head.x) ** 2 + (y - b.head.y) ** 2) / variance
        if chi2 > 60.0:
            return -math.inf
        missed = self.likelihood.missed_at(b.head.x, b.head.y, a.last + 1, b.first)
        return log_normal(chi2, variance) + missed + _velocity(b, 0.0, 0.0, 200.0)

    def _went_on(self, a: Tracklet, b: Tracklet, dt: float) -> float:
        """It rolled on undisturbed, but for what missed it between."""
        if a.n == 1 or a.still or dt > 1.0:
            return -math.inf
        p = a.tail.after(dt)
        variance = p.p_xx + b.head.p_xx
        chi2 = ((p.x - b.head.x) ** 2 + (p.y - b.head.y) ** 2) / variance
        if chi2 > 60.0:
            return -math.inf
        return log_normal(chi2, variance) + _velocity(b, p.vx, p.vy, p.p_vv)

    def _turned(self, a: Tracklet, b: Tracklet) -> float:
        """Between the two it met something, or was struck: both ways lead to one place."""
        t, gap, variance = meeting(a, b)
        if a.still:
            variance += self._bias_mm(a, b) ** 2
        chi2 = gap * gap / variance
        if chi2 > 60.0:
            return -math.inf
        at = (
            State(t, a.tail.x, a.tail.y, 0.0, 0.0, 0.0, 0.0, 0.0)
            if a.tail.speed < STILL_MM_S
            else b.head.after(t - b.head.t_s)
        )
        turn = int(np.searchsorted(self.views.t_s, t))
        missed = self.likelihood.missed(a.tail, a.last, at, turn) if turn > a.last else 0.0
        missed += self.likelihood.missed(at, max(turn - 1, a.last), b.head, b.first)
        return (
            (START if a.tail.speed < STILL_MM_S else EVENT)
            + log_normal(chi2, variance)
            + missed
            + CLUTTER_VELOCITY
        )

    def _turned_to_one(self, a: Tracklet, b: Tracklet) -> float:
        """The same where the second piece is one detection, but for what missed the ball between: it lies
        within its reach.
        """
        dt = b.head.t_s - a.tail.t_s
        away = math.hypot(b.head.x - a.tail.x, b.head.y - a.tail.y)
        speed = 3500.0 if a.n == 1 and a.first > 0 else max(1.3 * a.tail.speed, 1200.0)
        spread = (0.6 * speed * dt) ** 2 + 9.0
        return (START if a.tail.speed < STILL_MM_S else EVENT) + log_normal(away * away / spread, spread)

    def _unseen(self, a: Tracklet, b: Tracklet, dt: float) -> float:
        """It met two things or more between, but for what missed it: nothing links the two ways but their
        distance.
        """
        velocity = CLUTTER_VELOCITY if b.n > 1 and not b.still else 0.0
        spread = (2500.0 * dt) ** 2
        away2 = (b.head.x - a.tail.x) ** 2 + (b.head.y - a.tail.y) ** 2
        place = max(log_normal(away2 / spread, spread), -math.log(self.table.area_mm2) - 3.0)
        return UNSEEN_EVENTS + place + velocity

    # -- beginnings and endings -----------------------------------------------------------------------

    def _begin(self, b: Tracklet) -> tuple[BeginKind, float]:
        """How a ball comes to be at a piece's beginning if no other piece leads there, with its
        log-density.
        """
        known = b.first == 0 or bool(self.views.layout[: b.first].any())
        present = math.log((priors.BALLS_ON_TABLE if known else priors.BALLS_UNSEEN) / self.table.area_mm2)
        if b.first > 0:
            present += self.likelihood.missed_at(b.head.x, b.head.y, 0, b.first)
            present += 0.0 if b.head.speed < 2 * STILL_MM_S else -10.0
        velocity = CLUTTER_VELOCITY if b.n > 1 and not b.still else 0.0
        hand = self._hand_before(b)
        placed = math.log(priors.PLACED) + log_placed(b.head.x, b.head.y, self.table)
        placed += -math.log(priors.HAND_THERE) if hand else priors.log_prior(priors.PLACED_UNSEEN)
        placed -= 0.0 if b.head.speed < 2 * STILL_MM_S else 10.0
        if present > placed:
            return "present", present + velocity
        return "placed", placed + velocity

    def _hand_before(self, b: Tracklet) -> bool:
        """Whether something covered the place of a piece, or a cell beside it, in the second before it."""
        since = int(np.searchsorted(self.views.t_s, b.head.t_s - 1.0))
        return self.views.covered_share(since, b.first + 1, b.head.x, b.head.y) > 0.0

    def endings(self, a: Tracklet) -> list[Ending]:
        """Every way to end after a piece that is not dropped anyway, worked out once."""
        if a.number not in self._endings:
            self._endings[a.number] = self._ways_to_end(a)
        return self._endings[a.number]

    def _ways_to_end(self, a: Tracklet) -> list[Ending]:
        out = [self._rest(a), Ending("vanished", None, a.tail.t_s, priors.log_prior(priors.VANISHED))]
        out += [e for p in self.table.pockets if (e := self._potted(a, p.name)) is not None]
        if a.last + 1 < len(self.views.t_s):
            out.append(self._lifted(a))
        if self._leaves(a):
            out.append(Ending("off", None, a.tail.t_s, priors.log_prior(priors.OFF_TABLE)))
        nearest, not_over = self._over_drop(a)  # over a drop a ball falls, and goes nowhere else
        out = [e if e.pocket == nearest else replace(e, logp=e.logp + not_over) for e in out]
        least = max(e.logp for e in out) - WITHIN  # a joining with a worse one is worse than that by as much
        return [e for e in out if e.logp >= least]

    def _over_drop(self, a: Tracklet) -> tuple[PocketName, float]:
        """The pocket whose drop is nearest to where a piece ends, and the log-probability that it had not
        come over that drop yet.
        """
        inside_mm, name = max(
            (HOLE_SHARE * p.drop_radius_mm - math.hypot(a.tail.x - p.x_mm, a.tail.y - p.y_mm), p.name)
            for p in self.table.pockets
        )
        spread_mm = math.sqrt(a.tail.p_xx + DROP_SIGMA_MM**2)
        return name, math.log(max(0.5 * math.erfc(inside_mm / spread_mm / math.sqrt(2.0)), FLOATS))

    def _rest(self, a: Tracklet) -> Ending:
        """It lies where it was seen last, or rolls still when the images end, or came to rest under a
        cover.
        """
        last = len(self.views.t_s)
        if a.tail.speed < 3 * STILL_MM_S or a.n == 1:
            missed = self.likelihood.missed_at(a.tail.x, a.tail.y, a.last + 1, last)
            once = ONCE if a.n == 1 and 0 < a.first < last - 3 else 0.0
            return Ending("rest", None, a.tail.t_s, missed + once)
        end = a.tail.after(float(self.views.t_s[-1]) - a.tail.t_s)
        missed = self.likelihood.missed(a.tail, a.last, end, last)
        if float(self.views.t_s[-1]) - a.tail.t_s < 0.3:
            return Ending("unfinished", None, a.tail.t_s, missed)
        return Ending("hidden", None, a.tail.t_s, missed + priors.log_prior(self._under_cover(a)))

    def _under_cover(self, a: Tracklet) -> float:
        """Probability that a ball which rolled when it was last seen stops under a cover: the share of the
        table that is covered after that.
        """
        after = self.views.covered[a.last + 1 :]
        return max(float(after.mean()) if after.size else 0.0, priors.UNDER_UNKNOWN_COVER)

    def _potted(self, a: Tracklet, name: PocketName) -> Ending | None:
        """It falls into a pocket: its way leads there, and it is not seen where it would have been on it."""
        pocket = next(p for p in self.table.pockets if p.name == name)
        dx, dy = pocket.x_mm - a.tail.x, pocket.y_mm - a.tail.y
        far = math.hypot(dx, dy) - pocket.drop_radius_mm
        fell = _fall(a.tail, dx, dy, pocket.drop_radius_mm) if a.n > 1 and a.tail.speed > STILL_MM_S else None
        prior = math.log(priors.POTS_A_BALL_MOVED)
        if self._seen_once(a) and far < MOUTH * self.table.ball_diameter_mm:
            return self._potted_from(a, name, max(far, 0.0))
        if fell is None and self._in_jaws(a, pocket, far):
            fell = max(far, 0.0) / a.tail.speed, 0.0, a.tail.p_xx + 18.0**2
        if fell is not None:
            dt, off, variance = fell
            at = State(a.tail.t_s + dt, pocket.x_mm, pocket.y_mm, 0.0, 0.0, 0.0, 0.0, 0.0)
            until = int(np.searchsorted(self.views.t_s, a.tail.t_s + dt))
            missed = self.likelihood.missed(a.tail, a.last, at, max(until, a.last + 1))
            within = 2 * pocket.drop_radius_mm / math.sqrt(2 * math.pi * variance)
            logp = math.log(min(within, FALLS)) - 0.5 * off * off / variance + missed
            return Ending("potted", name, a.tail.t_s + dt, logp)
        return self._potted_unseen(a, name, max(far, 0.0), prior)

    def _seen_once(self, a: Tracklet) -> bool:
        """Whether a ball was seen in one image alone, between others: on its way, if it is one."""
        return a.n == 1 and 0 < a.first < len(self.views.t_s) - 1

    def _in_jaws(self, a: Tracklet, pocket: Pocket, far: float) -> bool:
        """Whether a ball was rolling in a pocket's mouth when it was seen last: the jaws turn it in."""
        moves = a.n > 1 and a.tail.speed > STILL_MM_S
        return moves and far < pocket.drop_radius_mm and in_mouth(a.tail.x, a.tail.y, self.table)

    def _potted_from(self, a: Tracklet, name: PocketName, far: float) -> Ending:
        """It was on its way when it was seen once, and fell: the way that its pocket is, of all ways."""
        pocket = next(p for p in self.table.pockets if p.name == name)
        t = a.tail.t_s + far / UNSEEN_MM_S
        at = State(t, pocket.x_mm, pocket.y_mm, 0.0, 0.0, 0.0, 0.0, 0.0)
        until = int(np.searchsorted(self.views.t_s, t))
        missed = self.likelihood.missed(a.tail, a.last, at, max(until, a.last + 1))
        return Ending("potted", name, t, _angle(far) + missed)

    def _potted_unseen(self, a: Tracklet, name: PocketName, far: float, prior: float) -> Ending | None:
        """It was struck after it was last detected and fell without being detected on its way."""
        pocket = next(p for p in self.table.pockets if p.name == name)
        start = int(np.searchsorted(self.views.t_s, a.tail.t_s, side="right"))
        seen = next(
            (k for k in range(start, len(self.views.t_s)) if self.views.sees(k, a.tail.x, a.tail.y)), None
        )
        if seen is None:
            return None
        left_s = float(self.views.t_s[max(seen - 1, a.last)])
        begin = State(left_s, a.tail.x, a.tail.y, 0.0, 0.0, 0.0, 0.0, 0.0)
        ways = []
        for speed, share in priors.POTTED_MM_S:
            fell_s = left_s + far / speed
            at = State(fell_s, pocket.x_mm, pocket.y_mm, 0.0, 0.0, 0.0, 0.0, 0.0)
            until = int(np.searchsorted(self.views.t_s, fell_s))
            missed = self.likelihood.missed(begin, seen - 1, at, max(until, seen))
            ways.append((math.log(share) + missed, fell_s))
        fell_s = max(ways)[1]
        gone_s = float(self.views.t_s[seen])
        logp = START + prior + _angle(far) + float(np.logaddexp.reduce([w for w, _ in ways]))
        return Ending("potted", name, fell_s, logp, (left_s, max(gone_s, left_s + 0.01)))

    def _lifted(self, a: Tracklet) -> Ending:
        """A hand took it away: one must be beside it, and none reaches for a ball that rolls, or that another
        is about to hit.
        """
        until = int(np.searchsorted(self.views.t_s, a.tail.t_s + 1.0))
        hand = self.views.covered_share(a.last, min(until + 1, len(self.views.t_s)), a.tail.x, a.tail.y) > 0.0
        rolls = a.tail.speed > 3 * STILL_MM_S or self._seen_once(a)
        logp = priors.log_prior(priors.LIFTED) - (0.0 if hand else 12.0)
        if rolls or self._rolled_at(a):
            logp += priors.log_prior(priors.LIFTED_IN_PLAY)
        return Ending("lifted", None, a.tail.t_s, logp)

    def _rolled_at(self, a: Tracklet) -> bool:
        """Whether a ball rolled by beside a piece between its last look and the next one at its place, in
        sight or under the same cover.
        """
        bare = (k for k in range(a.last + 1, len(self.views.t_s)) if self.views.sees(k, a.tail.x, a.tail.y))
        gone = next(bare, a.last)
        near_mm, at = BESIDE * self.table.ball_diameter_mm, np.array((a.tail.x, a.tail.y))
        found = self.likelihood.found
        for p in self.pieces:
            if p is a or p.top_speed <= 3 * STILL_MM_S or p.last < a.last or p.first > gone:
                continue
            rows = np.array(p.rows)
            during = (found.image[rows[1:]] >= a.last) & (found.image[rows[:-1]] <= gone)
            if (_from_steps_mm(at, found.xy[rows])[during] < near_mm).any():
                return True
        return False

    def _leaves(self, a: Tracklet) -> bool:
        return a.tail.speed > 800.0

    # -- k best ---------------------------------------------------------------------------------------

    def _groups(self) -> list[list[int]]:
        """Numbers of pieces that edges connect, in groups."""
        parent = list(range(len(self.pieces)))

        def root(i: int) -> int:
            while parent[i] != i:
                parent[i] = parent[parent[i]]
                i = parent[i]
            return i

        for i, j in self.edges:
            parent[root(i)] = root(j)
        groups: dict[int, list[int]] = {}
        for i in range(len(self.pieces)):
            groups.setdefault(root(i), []).append(i)
        return list(groups.values())

    def _component(self, group: list[int]) -> list[Joining]:
        """The best joinings of one group."""
        endings = [
            sorted(self.endings(self.pieces[i]), key=lambda e: -e.logp)[:MOST_A_COMPONENT] for i in group
        ]
        alone = sum(
            self.begins[i][1] + self.gains[i] + e[0].logp for i, e in zip(group, endings, strict=True)
        )
        found: list[Joining] = []
        for matching in matchings(self._costs(group, [e[0].logp for e in endings]), WITHIN):
            if len(found) == MOST_A_COMPONENT and alone - matching.cost < found[-1].logw:
                break
            found += self._joinings(group, endings, matching.columns, alone - matching.cost)
            found = sorted(found, key=lambda j: -j.logw)[:MOST_A_COMPONENT]
        return found

    def _costs(self, group: list[int], ending: list[float]) -> F64:
        """(ends, beginnings) costs of one piece following another, against each being a way of its own with
        the best `ending`. A piece that follows itself is clutter.
        """
        cost = np.full((len(group), len(group)), FORBIDDEN)
        begin = [self.begins[number][1] for number in group]
        for i, number in enumerate(group):
            cost[i, i] = begin[i] + self.gains[number] + ending[i]
            for j, other in enumerate(group):
                edge = self.edges.get((number, other))
                if edge is not None:
                    cost[i, j] = begin[j] + ending[i] - edge
        return cost

    def _joinings(
        self, group: list[int], endings: list[list[Ending]], columns: tuple[int, ...], logw: float
    ) -> list[Joining]:
        """The best joinings of pieces that follow each other so, which differ in how their ways end. `logw`:
        with the likeliest of the `endings` of each piece, which come first.
        """
        clutter = tuple(group[i] for i, c in enumerate(columns) if c == i)
        follow = set(columns)
        ways = []
        for i in range(len(group)):
            if i not in follow:
                path = [i]
                while columns[path[-1]] != ALONE:
                    path.append(columns[path[-1]])
                ways.append(path)
        ends: list[tuple[float, tuple[Ending, ...]]] = [(logw, ())]
        for path in ways:
            own = endings[path[-1]]
            more = ((w + e.logp - own[0].logp, (*before, e)) for w, before in ends for e in own)
            ends = sorted(more, key=lambda e: -e[0])[:MOST_A_COMPONENT]
        return [
            Joining(
                tuple(
                    Chain(self.begins[group[path[0]]][0], tuple(group[k] for k in path), end)
                    for path, end in zip(ways, chosen, strict=True)
                ),
                clutter,
                w,
            )
            for w, chosen in ends
            if w > logw - WITHIN
        ]


def apart(a: Tracklet, b: Tracklet) -> tuple[float, float]:
    """(s, mm) from the end of one piece to the beginning of another."""
    return b.head.t_s - a.tail.t_s, math.hypot(b.head.x - a.tail.x, b.head.y - a.tail.y)


def may_follow(pieces: Sequence[Tracklet], fastest_mm_s: float) -> list[tuple[int, int]]:
    """Indices of all pairs of pieces of which one ball, at `fastest_mm_s` at most, can have come from the end
    of the first to the beginning of the second.
    """
    if not pieces:
        return []
    tails = np.array([(p.tail.t_s, p.tail.x, p.tail.y) for p in pieces])
    heads = np.array([(p.head.t_s, p.head.x, p.head.y) for p in pieces])
    first, last = (np.array(n) for n in zip(*((p.first, p.last) for p in pieces), strict=True))
    dt, dx, dy = (heads[:, k] - tails[:, k, None] for k in range(3))
    follows = (first > last[:, None]) & (np.hypot(dx, dy) <= 60.0 + fastest_mm_s * dt)
    return [(int(a), int(b)) for a, b in np.argwhere(follows)]


def log_placed(x_mm: float, y_mm: float, table: TableSpec, spot: tuple[float, float] | None = None) -> float:
    """Log-density of where a hand puts a ball: on a spot (`spot`: on this one, else on any), or anywhere."""
    anywhere = math.log((1.0 - priors.PLACED_ON_SPOT) / table.area_mm2)
    spots = tuple(table.spots.values()) if spot is None else (spot,)
    if not spots:
        return anywhere
    near2 = min((x_mm - x) ** 2 + (y_mm - y) ** 2 for x, y in spots)
    on_spot = log_normal(near2 / priors.SPOT_MM**2, priors.SPOT_MM**2)
    return max(math.log(priors.PLACED_ON_SPOT / len(spots)) + on_spot, anywhere)


def _normal(logp: F64) -> F64:
    p = np.exp(logp - logp.max())
    normal: F64 = p / p.sum()
    return normal


def _velocity(b: Tracklet, vx: float, vy: float, p_vv: float) -> float:
    """Log-density of a moving piece's velocity; a piece that lies still only pays for what it ought to
    move.
    """
    variance = p_vv + b.head.p_vv
    chi2 = ((b.head.vx - vx) ** 2 + (b.head.vy - vy) ** 2) / variance
    if b.n == 1:
        return 0.0
    if b.still:
        return -0.5 * min(chi2, 60.0)
    return log_normal(min(chi2, 60.0), variance)


def meeting(a: Tracklet, b: Tracklet) -> tuple[float, float, float]:
    """When the way after a and the way before b come nearest, how near, and the variance of that."""
    ta, tb = a.tail.t_s, b.head.t_s
    still = a.tail.speed < STILL_MM_S
    avx, avy = (0.0, 0.0) if still else (a.tail.vx, a.tail.vy)
    rx, ry = a.tail.x - (b.head.x + b.head.vx * (ta - tb)), a.tail.y - (b.head.y + b.head.vy * (ta - tb))
    wx, wy = avx - b.head.vx, avy - b.head.vy
    ww = wx * wx + wy * wy
    u = min(max(-(rx * wx + ry * wy) / ww, 0.0), tb - ta) if ww > 1.0 else 0.0
    gap = math.hypot(rx + wx * u, ry + wy * u)
    before, after = (a.tail.p_xx if still else a.tail.after(u).p_xx), b.head.after(u - (tb - ta)).p_xx
    return ta + u, gap, min(before, 2500.0) + min(after, 2500.0)


MOUTH = 4.8
"""A ball that is seen once, this near to a drop, was on its way to it rather than struck there later: it goes
as far between two images. In diameters: 250 mm in snooker.
"""
FALLS = 0.8
"""Probability that a ball whose way leads into a drop falls, where that way is known exactly. Assumed; a way
known less well is spread over more than the drop.
"""
DROP_SIGMA_MM = 5.0
"""How exactly it is known where a table's drops begin. Assumed."""
FLOATS = 1e-9
"""Least probability of a place at which no ball can be: a clutter's, a shadow's. Assumed."""
INTO_MM = 60.0
"""A way that leads so far beside a pocket still ends in it."""
UNSEEN_MM_S = 2500.0
"""Speed of a ball that is not detected on its way into a pocket: streaks begin at about this (issue 21)."""


def _angle(far_mm: float) -> float:
    """Log-share of all directions that lead into a pocket so far away."""
    return math.log(min(0.5, INTO_MM / (math.pi * max(far_mm, 40.0))))


def _from_steps_mm(at: F64, way: F64) -> F64:
    """(n - 1,) distances of a place from the n - 1 steps of a way, (n, 2) mm."""
    step, to = way[1:] - way[:-1], at - way[:-1]
    along = np.clip((to * step).sum(axis=1) / np.maximum((step * step).sum(axis=1), 1e-9), 0.0, 1.0)
    off: F64 = to - along[:, None] * step
    return np.hypot(off[:, 0], off[:, 1])


def _fall(a: State, dx: float, dy: float, drop_mm: float) -> tuple[float, float, float] | None:
    """When a way comes nearest to a pocket at (dx, dy) from it, how far beside the drop, and the variance."""
    speed = a.speed
    along = (dx * a.vx + dy * a.vy) / speed
    aside = abs(dx * a.vy - dy * a.vx) / speed
    if along <= 0 and math.hypot(dx, dy) > drop_mm:
        return None
    reach = max(along - math.sqrt(max(drop_mm**2 - aside**2, 0.0)), 0.0)
    dt = reach / speed
    if dt > 2.0:
        return None
    p = a.after(dt)
    if p.speed < 1.0 and math.hypot(p.x - a.x, p.y - a.y) < reach - 20.0:
        return None
    return dt, max(aside - drop_mm, 0.0), p.p_xx + 18.0**2
