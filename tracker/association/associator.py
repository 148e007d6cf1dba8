"""Which observation is which ball, image by image: one linear assignment over places and colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.pockets import in_mouth, no_rest_place
from calibration.table.specs import TableSpec
from tracker.association.motion import Motion
from tracker.ball import SURE, Ball, BallState
from tracker.detections.unseen import MOUTH_MM
from tracker.identity.exchange import Exchange, exchanges
from tracker.identity.names import one_of_each
from tracker.identity.numbering import accounted
from tracker.layout.hands import on_base_line
from tracker.params import (
    COLOUR_FLOOR,
    EVENT_COST,
    FALSE_ALARM_COST,
    MUCH_SURER,
)
from vision.detect.naming import likeliest
from vision.observation import ImageObservations, Observation

FORBIDDEN = 1e6
HOME_MM = 150.0
"""No gate of a ball at rest is as wide."""
PEAK_S = 0.3
"""A ball that has just given its speed away may have given it to another that was not seen since."""
IN_HAND_OVER = 2.0
"""Intervals since a ball was last seen within which another can have given it speed: one, and one more for a
speed that is known by the image after it only."""
LOST_LOOKS, SAME_MM = 2, 4.0
"""A ball missed this often is not what is seen this near to where another lies."""
SHORT_MM = 120.0
FAR_SURE = 0.55
"""An unsure observation starts a ball only if it is near: a knuckle far away is none."""
UNCAUSED_MM, UNCAUSED_UNLIKE = 80.0, 2.0
"""A ball at rest that nothing can have struck is not followed further than this, nor to what looks like
another one: a hand's doing is seen later.
"""
CONTRADICTION = 5.0
"""With a colour this wrong a ball is not believed to have done anything unpredicted."""
FINE_MM = 5.0
"""A ball seen in the last image is predicted to about this. One missed in earlier images has a wider
prediction: `log(s2 / FINE_MM**2)` is added to its cost, so that it does not win over a well-predicted ball.
"""
USUAL_REACH_MM = 150.0
"""`EVENT_COST` is that of a contact after which a ball may be anywhere within this: 4 m/s over an image
interval of 40 ms. What could have gone further is the less likely to be just here, by the area it had."""
VAGUE_MM = 60.0
"""A prediction with a sigma beyond it predicts nothing: most of the table lies within it."""
OUT_OF_JAWS = 0.6
"""Share of its speed with which a ball comes out of a pocket's jaws at most."""
UNSEEN_ON_ITS_WAY, MOST_UNSEEN = 2.0, 6.0
"""A ball that left its place some looks ago has been missed on its way in each of them."""
JUST_STRUCK_S = 0.1
"""So soon after the strike what lay close to the cue-ball may have taken a speed that was never seen."""
STRUCK_NEAR_MM = 150.0
OF_ANOTHER_COLOUR = 2.5
"""Beside a hand, what looks this much more like a ball that is off the table is that ball."""
MISREAD_COST = 3.0
"""A ball that moves is read as a colour that lies elsewhere: blur, glare."""
MISREAD_SURE = 0.8
"""Less sure an observation is rather no ball at all."""


@dataclass(frozen=True, slots=True)
class Source:
    """Something from which a ball can get speed: where it is, its greatest speed now, and lately until
    `peak_s`. `ball`: its name, for none gets speed from itself."""

    ball: str
    x_mm: float
    y_mm: float
    speed_mm_s: float
    peak_mm_s: float
    peak_s: float

    def gives_mm_s(self, t_s: float, seen_s: float) -> float:
        """The greatest speed that it can have given by a time to a ball that was last seen at `seen_s`.

        Speed that it had lost before that, the other ball did not get: it would have been seen with it.
        """
        since_s = seen_s - (IN_HAND_OVER - 1.0) * (t_s - seen_s)
        return max(self.speed_mm_s, self.peak_mm_s if self.peak_s >= since_s else 0.0)


@dataclass(frozen=True, slots=True)
class Match:
    """`near`: within the noise of the ball's rest place; `predicted`: within that of its prediction."""

    obs: Observation
    near: bool
    predicted: bool
    back: bool = False  # a ball thought to move lies where it lay before

    @property
    def unpredicted(self) -> bool:
        """Neither where the ball lay nor where its motion leads: something must have sent it there."""
        return not (self.near or self.predicted or self.back)


def colour_cost(obs: Observation, own: int, elsewhere: frozenset[int] = frozenset()) -> float:
    """Negative log-likelihood of a kind (its index `own`) relative to the best one, bounded.

    `elsewhere`: colours whose only ball is known to lie in another place; this cannot be it.
    """
    lp = obs.colour_logp
    raw = min(max(lp) - lp[own], COLOUR_FLOOR)
    if not elsewhere or own in elsewhere or obs.confidence < MISREAD_SURE:
        return raw
    top = max(v for i, v in enumerate(lp) if i not in elsewhere)
    return min(raw, top - lp[own] + MISREAD_COST)


def rest_gate_mm(ball: Ball, obs: Observation, near_cover: bool) -> float:
    """How far an observation may lie from a ball at rest and still be noise."""
    gate = gate_mm(ball.rest.sigma_mm, obs)
    return gate * 2 if near_cover else gate


def gate_mm(place_sigma_mm: float, obs: Observation) -> float:
    """How far an observation may lie from a place known to this and still be noise."""
    return max(2.0, 4.5 * math.hypot(place_sigma_mm, obs.sigma_mm))


def spread_cost(reach_mm: float) -> float:
    """What it costs to be found at one place of all those within a reach, beyond that of the usual reach."""
    return 2.0 * math.log(max(reach_mm / USUAL_REACH_MM, 1.0))


class Associator:
    """Builds the costs for one image. `table` and the balls are read, never changed."""

    def __init__(self, table: TableSpec, pieces: PieceSet = SNOOKER) -> None:
        self.table, self.pieces = table, pieces
        self.elsewhere: frozenset[int] = frozenset()
        self.absent: frozenset[str] = frozenset()
        self.struck_at: list[tuple[float, float]] = []
        self.lying: list[tuple[float, float]] = []
        self.exchanged: list[Exchange] = []

    @staticmethod
    def _at_home(
        balls: list[Ball], observations: list[Observation], image: ImageObservations
    ) -> frozenset[int]:
        """Colours whose only ball lies at rest and is seen there, or where nothing has changed."""
        out = set()
        for i in accounted(balls):
            b = next(b for b in balls if b.own == i)
            x, y = b.rest.x_mm, b.rest.y_mm
            looked = image.looked is None or image.looked.at(x, y)
            if not looked or any(
                abs(o.x_mm - x) < HOME_MM and math.hypot(o.x_mm - x, o.y_mm - y) < rest_gate_mm(b, o, False)
                for o in observations
            ):
                out.add(i)
        return frozenset(out)

    def assign(
        self,
        balls: list[Ball],
        observations: list[Observation],
        image: ImageObservations,
        near: list[bool],
        watched: Sequence[bool] | None = None,
        lain_since_s: Sequence[float] | None = None,
    ) -> tuple[dict[int, Match], list[int]]:
        """Match balls (by list index) to observations; returns the matches and the unmatched observations.

        `near[j]`: observation j lies in or next to covered cells; `watched[i]`: ball i's rest place was
        looked at;
        `lain_since_s[j]`: since when something that no ball explained has lain where observation j is.
        """
        self.exchanged = []
        if not observations or not balls:
            return {}, list(range(len(observations)))
        widest = max(o.sigma_mm for o in observations)
        if watched is None:
            watched = [image.looked is None or image.looked.at(b.rest.x_mm, b.rest.y_mm) for b in balls]
        active = [
            c
            for i, (b, w) in enumerate(zip(balls, watched, strict=True))
            if (c := self._candidates(i, b, w, observations, widest)) is not None
        ]
        if not active:
            return {}, list(range(len(observations)))
        cost, kinds = self._costs(balls, observations, image, near, active, lain_since_s)
        rows, columns = scipy.optimize.linear_sum_assignment(cost)
        chosen = [(r, j) for r, j in zip(rows.tolist(), columns.tolist(), strict=True) if (r, j) in kinds]
        taken = {j for _, j in chosen}
        self.exchanged = self._exchanged(balls, observations, active, cost, kinds, dict(chosen))
        unmatched = [j for j in range(len(observations)) if j not in taken]
        return {active[r][0]: kinds[r, j] for r, j in chosen}, unmatched

    def _costs(
        self,
        balls: list[Ball],
        observations: list[Observation],
        image: ImageObservations,
        near: list[bool],
        active: Sequence[tuple[int, Sequence[int]]],
        lain_since_s: Sequence[float] | None,
    ) -> tuple[NDArray[np.float64], dict[tuple[int, int], Match]]:
        """What each pair of an active ball (row) and an observation costs against a false alarm, with its
        match where it can be one; behind the observations a column for each ball to be missed.
        """
        n, m = len(active), len(observations)
        cost: NDArray[np.float64] = np.full((n, m + n), FORBIDDEN)
        kinds: dict[tuple[int, int], Match] = {}
        sources = self._sources(balls, observations, image)
        self._look_around(balls, observations, image)
        for row, (i, near_enough) in enumerate(active):
            ball = balls[i]
            miss = cost[row, m + row] = self._miss_cost(ball, image)
            predicted = ball.motion.predicted(image.t_s, self.table) if ball.motion else None
            for j in near_enough:
                found = self._cost(ball, observations[j], image, near[j], predicted, sources)
                if found is None or found[0] >= FALSE_ALARM_COST + miss:
                    continue
                lay = lain_since_s is not None and lain_since_s[j] <= ball.seen_s
                if not (lay and found[1].unpredicted):  # it lay there while the ball was still seen elsewhere
                    cost[row, j] = found[0] - FALSE_ALARM_COST
                    kinds[row, j] = found[1]
        return cost, kinds

    def _look_around(
        self, balls: list[Ball], observations: list[Observation], image: ImageObservations
    ) -> None:
        """Keep what the costs of this image ask of all balls together."""
        self.elsewhere = self._at_home(balls, observations, image)
        there = {b.colour for b in balls}
        self.absent = frozenset(c for c in self.pieces.names if c not in self.pieces.alike and c not in there)
        seen = [b.rest for b in balls if b.state is BallState.REST and not b.missed and not b.covered]
        self.lying = [(r.x_mm, r.y_mm) for r in seen]
        legs = [b.legs[-1] for b in balls if b.is_cue and b.legs]
        self.struck_at = [(g.x0_mm, g.y0_mm) for g in legs if image.t_s - g.t_rest_s < JUST_STRUCK_S]

    def _exchanged(
        self,
        balls: list[Ball],
        observations: list[Observation],
        active: list[tuple[int, Sequence[int]]],
        cost: NDArray[np.float64],
        kinds: dict[tuple[int, int], Match],
        chosen: dict[int, int],
    ) -> list[Exchange]:
        """Balls that may have taken each other's observations, as their motion alone says: how they look is
        told by the looks themselves.
        """
        if not one_of_each(self.pieces) or not any(m.unpredicted for m in kinds.values()):
            return []
        ways = cost.copy()
        for row, j in kinds:
            ways[row, j] -= colour_cost(observations[j], balls[active[row][0]].own, self.elsewhere)
        found = exchanges(ways, chosen, kinds, len(observations))
        return [(active[a][0], active[b][0], nats) for a, b, nats in found]

    @staticmethod
    def _candidates(
        i: int, ball: Ball, watched: bool, observations: list[Observation], widest_mm: float
    ) -> tuple[int, Sequence[int]] | None:
        """The ball's index with the observations that may be it; None for a ball that nothing concerns.

        What lies where nothing was looked at is nothing far away; most balls end here.
        """
        if watched or ball.missed or ball.state is not BallState.REST:
            return i, range(len(observations))
        x, y = ball.rest.x_mm, ball.rest.y_mm
        idle_mm = max(4.0, 9.0 * (ball.rest.sigma_mm + widest_mm))  # never less than the doubled gate
        near = [
            j for j, o in enumerate(observations) if abs(o.x_mm - x) <= idle_mm and abs(o.y_mm - y) <= idle_mm
        ]
        return (i, near) if near else None

    def _sources(
        self, balls: list[Ball], observations: list[Observation], image: ImageObservations
    ) -> list[Source]:
        """What can set a ball in motion now: all that moves, and a cue-ball that may just have been
        struck.
        """
        out: list[Source] = []
        for b in balls:
            if b.state is BallState.MOVING and b.motion is not None:
                m, late = b.motion, image.t_s - b.peak_s < PEAK_S
                now = m.speed_mm_s * 1.3 + 200.0
                peak = b.peak_mm_s * 1.3 + 200.0 if late else 0.0
                out.append(Source(b.name, m.x_mm, m.y_mm, now, peak, b.peak_s))
            elif b.is_cue and b.state is BallState.REST and self._may_be_struck(b):
                at_home = any(
                    math.hypot(o.x_mm - b.rest.x_mm, o.y_mm - b.rest.y_mm) < rest_gate_mm(b, o, True)
                    for o in observations
                )
                looked = image.looked is None or image.looked.at(b.rest.x_mm, b.rest.y_mm)
                if not at_home and (looked or b.missed or b.covered):
                    out.append(
                        Source(b.name, b.rest.x_mm, b.rest.y_mm, self.pieces.fastest_mm_s, 0.0, image.t_s)
                    )
        return out

    def _may_be_struck(self, ball: Ball) -> bool:
        """Whether a cue-ball at rest can be struck where it lies: a striker only from its base lines."""
        return not ball.pieces.discs or on_base_line(self.table, ball.rest.x_mm, ball.rest.y_mm)

    def _miss_cost(self, ball: Ball, image: ImageObservations) -> float:
        x, y = ball.place
        if image.covered is not None and image.covered.at(x, y):
            return 1.0
        if ball.state is BallState.MOVING:
            return 4.0
        looked = image.looked is None or image.looked.at(x, y)
        return 6.0 if looked else 0.0

    def _cost(
        self,
        ball: Ball,
        obs: Observation,
        image: ImageObservations,
        near_cover: bool,
        predicted: Motion | None,
        sources: list[Source],
    ) -> tuple[float, Match] | None:
        colour = colour_cost(obs, ball.own, self.elsewhere) + 2.0 * (1.0 - obs.confidence)
        if self._brought(ball, obs, near_cover):
            return None
        if ball.state is BallState.REST:
            return self._rest_cost(ball, obs, image, near_cover, sources, colour)
        if predicted is None:
            return self._struck_cost(ball, obs, image, sources, colour)
        if self._fell(ball, obs, image.t_s) or self._no_net(obs, colour) or self._of_another(ball, obs):
            return None
        best = self._moving_cost(ball, obs, predicted, colour)
        if self._lies_unwatched(ball, predicted, image):
            return best
        return self._wide_cost(ball, obs, image.t_s, sources, colour, best)

    def _lies_unwatched(self, ball: Ball, predicted: Motion, image: ImageObservations) -> bool:
        """Whether a ball that has all but stopped lies where it was seen last: nothing has changed there."""
        x, y = ball.place
        if ball.missed or image.looked is None or image.looked.at(x, y):
            return False
        return math.hypot(predicted.x_mm - x, predicted.y_mm - y) < self.table.ball_radius_mm

    def _brought(self, ball: Ball, obs: Observation, near_cover: bool) -> bool:
        """Whether a hand rather brings a ball of another colour that is off the table; beside a ball hidden
        by its arm.
        """
        lp = obs.colour_logp
        if not near_cover or not self.absent or likeliest(obs.colour_logp, self.pieces) not in self.absent:
            return False
        return max(lp) - lp[ball.own] > OF_ANOTHER_COLOUR

    @staticmethod
    def _moving_cost(
        ball: Ball, obs: Observation, predicted: Motion, colour: float
    ) -> tuple[float, Match] | None:
        """Where a moving ball is predicted, or back where it lay when it was thought to have left."""
        s2 = predicted.p_xx + obs.sigma_mm**2
        d = math.hypot(obs.x_mm - predicted.x_mm, obs.y_mm - predicted.y_mm)
        half = 0.5 * d * d / s2
        best: tuple[float, Match] | None = None
        other = colour >= CONTRADICTION
        stranger = other and ball.missed >= LOST_LOOKS and obs.confidence < SURE
        if half < 12.5 and (not other or s2 < VAGUE_MM**2) and not stranger:
            # a wide prediction fits every observation near it, so it pays for its width
            vague = max(math.log(s2 / FINE_MM**2), 0.0)
            best = half + vague + colour, Match(obs, False, half < 8.0)
        leg = ball.legs[-1] if ball.legs else None
        if leg is not None and (len(leg.points) <= 3 or obs.confidence > ball.sure + MUCH_SURER):
            d0 = math.hypot(obs.x_mm - leg.x0_mm, obs.y_mm - leg.y0_mm)
            if d0 < gate_mm(leg.sigma0_mm, obs) and (best is None or best[0] > 2.0 + colour):
                best = 2.0 + colour, Match(obs, True, False, back=True)
        return best

    def _wide_cost(
        self,
        ball: Ball,
        obs: Observation,
        t_s: float,
        sources: list[Source],
        colour: float,
        best: tuple[float, Match] | None,
    ) -> tuple[float, Match] | None:
        """Anywhere that a contact can have sent it."""
        leg = ball.legs[-1] if ball.legs else None
        dt = t_s - ball.seen_s
        assert ball.motion is not None
        speed = max(ball.motion.speed_mm_s, self._fastest_near(ball, sources, t_s))
        if leg is not None and len(leg.points) <= 1 and ball.is_cue:
            speed = (
                self.pieces.fastest_mm_s / 1.3
            )  # struck late in the last interval, it may be many times faster now
        reach = (speed * 1.3 + 3 * min(math.sqrt(ball.motion.p_vv), 1500.0) + 100.0) * min(
            dt, 0.6
        ) + 3 * obs.sigma_mm
        d_last = math.hypot(obs.x_mm - ball.motion.x_mm, obs.y_mm - ball.motion.y_mm)
        if d_last < reach and colour < CONTRADICTION:
            wide = EVENT_COST + spread_cost(reach) + 4.0 * (d_last / reach) ** 2 + colour
            if best is None or wide < best[0]:
                best = wide, Match(obs, False, False)
        return best

    def _fell(self, ball: Ball, obs: Observation, t_s: float) -> bool:
        """Whether a ball followed into a pocket's mouth, or on its way there, and missed since cannot be what
        is seen.

        Once its centre is past the drop it comes out no more; out of the jaws it comes slower than it went
        in.
        """
        m = ball.motion
        if m is None or not ball.legs or len(ball.legs[-1].points) < 2:
            return False
        if not in_mouth(m.x_mm, m.y_mm, self.table):
            return False
        dropped = no_rest_place(m.x_mm, m.y_mm, self.table)
        if not dropped and (ball.missed == 0 or ball.covered):
            return False
        speed = 0.0 if dropped else OUT_OF_JAWS * m.speed_mm_s
        reach = speed * (t_s - ball.seen_s) + MOUTH_MM / 2
        return math.hypot(obs.x_mm - m.x_mm, obs.y_mm - m.y_mm) > reach

    def _of_another(self, ball: Ball, obs: Observation) -> bool:
        """Whether a ball missed on its way is seen where another was seen to lie until now: it is that
        other.
        """
        if ball.missed < LOST_LOOKS:
            return False
        return any(math.hypot(obs.x_mm - x, obs.y_mm - y) < SAME_MM for x, y in self.lying)

    def _no_net(self, obs: Observation, colour: float) -> bool:
        """Whether it is a thing in a pocket whose colour no ball on its way there has: leather, the hole
        itself.
        """
        return colour >= CONTRADICTION and no_rest_place(obs.x_mm, obs.y_mm, self.table)

    def _fastest_near(self, ball: Ball, sources: list[Source], t_s: float) -> float:
        """The greatest speed that anything near can have given to a ball since it was last seen, mm/s."""
        (x, y), dt = ball.place, t_s - ball.seen_s
        given = [(s, s.gives_mm_s(t_s, ball.seen_s)) for s in sources if s.ball != ball.name]
        speeds = [v for s, v in given if math.hypot(s.x_mm - x, s.y_mm - y) < 2 * v * dt + 60.0]
        return min(max(speeds, default=0.0), self.pieces.fastest_mm_s)

    def _rest_cost(
        self,
        ball: Ball,
        obs: Observation,
        image: ImageObservations,
        near_cover: bool,
        sources: list[Source],
        colour: float,
    ) -> tuple[float, Match] | None:
        d = math.hypot(obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm)
        if d < rest_gate_mm(ball, obs, near_cover):
            s = math.hypot(ball.rest.sigma_mm, obs.sigma_mm)
            return min(0.5 * (d / s) ** 2, EVENT_COST) + colour, Match(obs, True, False)
        return self._struck_cost(ball, obs, image, sources, colour)

    def _struck_cost(
        self,
        ball: Ball,
        obs: Observation,
        image: ImageObservations,
        sources: list[Source],
        colour: float,
    ) -> tuple[float, Match] | None:
        """A ball that lay at rest is now elsewhere: it was struck by what moves, or a hand took it."""
        looked = image.looked is None or image.looked.at(ball.rest.x_mm, ball.rest.y_mm)
        if not looked and ball.missed == 0:
            return None
        d = math.hypot(obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm)
        dt = max(image.t_s - ball.seen_s, 1e-3)
        penalty = 0.0
        reach = 0.0
        if ball.is_cue and self._may_be_struck(ball):
            reach = self.pieces.fastest_mm_s * min(dt, 0.25)
        else:
            r4 = 2.5 * self.table.ball_diameter_mm
            for s in sources:
                r = s.gives_mm_s(image.t_s, ball.seen_s) * min(dt, 0.3)
                if math.hypot(s.x_mm - ball.rest.x_mm, s.y_mm - ball.rest.y_mm) < r + r4:
                    reach = max(reach, r)
            if any(
                math.hypot(x - ball.rest.x_mm, y - ball.rest.y_mm) < STRUCK_NEAR_MM for x, y in self.struck_at
            ):
                reach = self.pieces.fastest_mm_s * min(dt, 0.3)
            if reach == 0.0:
                if colour > UNCAUSED_UNLIKE:
                    return None
                reach, penalty = UNCAUSED_MM, 3.0
            penalty += min(UNSEEN_ON_ITS_WAY * max(ball.missed - 1, 0), MOST_UNSEEN)
        if (
            d > reach + 3 * obs.sigma_mm
            or colour > CONTRADICTION
            or (d > SHORT_MM and obs.confidence < FAR_SURE)
        ):
            return None
        return EVENT_COST + penalty + 4.0 * (d / max(reach, 1.0)) ** 2 + colour, Match(obs, False, False)
