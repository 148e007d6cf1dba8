"""Balls through images: association, rest and motion, loss and return. Decides no rule of the game."""

from __future__ import annotations

import math
from collections import deque

from calibration.mouths import in_mouth, no_rest_place
from calibration.table import TableSpec
from tracker.association import CONTRADICTION, Associator, Match, colour_cost, rest_gate_mm
from tracker.ball import SURE, Ball, BallState, Leg, Point, Rest
from tracker.identity import names_for
from tracker.motion import started
from tracker.params import HIDDEN_S, LOST_S, MIN_CONFIDENCE, SETTLE_S, STIRRED_LOOK
from tracker.people import CUT_SHARE, SHADE_DRAWS_MM, as_shaded, beside, in_other_light, near_cover
from tracker.side_by_side import GapLooks
from tracker.tentative import Tentatives
from vision.naming import joint_colours, only_of_their_colour
from vision.observation import ImageObservations, Observation

MAX_POINTS = 3000
CREEP_S = 0.35
RECENT_COVER_S = 6.0
"""A ball that is missed this soon after a cover lay over it was probably taken."""
OVERHANG_MM = 18.0
"""How far beyond its place at a cushion a ball may be seen: calibration error, and cushions that give."""
ON_ITS_WAY_MM = 400.0
SURE_FALLING = 0.6
"""A ball over a drop is seen as surely as any; what is less sure there is the net that swings where it fell."""
SPOT_MM = 20.0
"""A ball put on its spot by hand lies within this of it."""
POTTED_FROM_MM = 250.0
"""From this near a ball that was sent off may fall before it is seen twice."""
SURE_START = 0.7
"""Below it an outline does not set a ball off that nothing can have struck."""
SURELY_MOVED_MM = 150.0
"""No noise at rest reaches as far within `SETTLE_S`."""
STOPPING_MM_S = 60.0
"""A ball this fast does not come to rest between two images."""


class Follower:
    """All balls of the table and what is not yet explained. Fed one accepted image at a time."""

    def __init__(self, table: TableSpec) -> None:
        self.table = table
        self.balls: list[Ball] = []
        self.tentatives = Tentatives()
        self.associator = Associator(table)
        self.t_s = 0.0
        self.gaps = GapLooks()
        self.covers: deque[tuple[float, ImageObservations]] = deque(maxlen=4)

    # -- layout -------------------------------------------------------------------------------------

    def begin(self, image: ImageObservations) -> None:
        """Name the balls of the first picture."""
        usable = self.usable(image)
        seen = [o for o in usable if o.confidence >= SURE]
        sure, unsure = {o.colour for o in seen}, [o for o in usable if o.confidence < SURE]
        alone = only_of_their_colour(seen, unsure, self.table.ball_diameter_mm)
        seen += [o for o in unsure if o in alone or (o.colour not in sure and self.at_spot(o.colour, o.x_mm, o.y_mm))]
        seen.sort(key=lambda o: (round(o.y_mm / 20.0), o.x_mm))
        colours = joint_colours([o.colour_logp for o in seen])
        names = names_for(colours)
        self.balls = []
        for obs, colour, name in zip(seen, colours, names, strict=True):
            if colour is not None and name is not None:
                ball = self.new_ball(name, colour, image.t_s)
                ball.rest.add(image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
                ball.learn(obs)
                self.balls.append(ball)
        self.t_s = image.t_s

    def at_spot(self, colour: str, x_mm: float, y_mm: float) -> bool:
        """Whether it is the spot of the colour, where that ball mostly lies: an unsure look is enough there."""
        spot = self.table.spots.get(colour)
        return spot is not None and math.hypot(x_mm - spot[0], y_mm - spot[1]) < SPOT_MM

    def new_ball(self, name: str, colour: str, t_s: float) -> Ball:
        return Ball(name, colour, Rest(since_s=t_s), seen_s=t_s, row_since_s=t_s)

    def usable(self, image: ImageObservations) -> list[Observation]:
        """Observations that can be balls: confident enough and on or just beyond the playing area."""
        return [
            o for o in image.observations
            if o.confidence >= MIN_CONFIDENCE and self._on_table(o.x_mm, o.y_mm) and not self._in_pocket(o)
        ]

    def _on_table(self, x_mm: float, y_mm: float) -> bool:
        """Whether a ball's centre can be there: between the cushions, or in a pocket's mouth."""
        t = self.table
        inset = t.ball_radius_mm - OVERHANG_MM
        if abs(x_mm) < t.half_width_mm - inset and inset < y_mm < t.length_mm - inset:
            return True
        return in_mouth(x_mm, y_mm, t)

    def _in_pocket(self, obs: Observation) -> bool:
        """Whether it lies where no ball can rest, over or beyond a drop, and no ball is on its way there.

        A pocket's dark hole or leather, or a ball that lies in its net, looks like a ball.
        """
        if not no_rest_place(obs.x_mm, obs.y_mm, self.table):
            return False
        if obs.confidence < SURE_FALLING:
            return True
        return not any(
            b.state is BallState.MOVING and math.hypot(b.place[0] - obs.x_mm, b.place[1] - obs.y_mm) < ON_ITS_WAY_MM
            for b in self.balls
        )

    # -- one image ----------------------------------------------------------------------------------

    def step(self, image: ImageObservations) -> bool:
        """Take one image; returns whether any ball is in motion or lost afterwards."""
        usable = self.usable(image)
        shaded = [in_other_light(o, self.balls, image, self.table) for o in usable]
        observations = [as_shaded(o) if s else o for o, s in zip(usable, shaded, strict=True)]
        self.gaps.add(image)
        reach = self.table.ball_radius_mm * 1.5
        near = [near_cover(image.covered, o.x_mm, o.y_mm, reach) for o in observations]
        known = [self.tentatives.knows(o, image.t_s) for o in observations]
        for b in self.balls:
            if b.state is BallState.REST and b.missed == 0 and not b.covered:
                b.seen_s = self.t_s
        present = [b for b in self.balls if b.state is not BallState.GONE]
        free = [j for j, k in enumerate(known) if not k]
        looked = image.looked
        watched = [looked is None or looked.at(b.rest.x_mm, b.rest.y_mm) for b in present]
        matches, left = self.associator.assign(
            present, [observations[j] for j in free], image, [near[j] for j in free], watched,
            [self.tentatives.lain_since_s(observations[j]) for j in free],
        )  # fmt: skip
        left = [free[j] for j in left] + [j for j, k in enumerate(known) if k]
        close = {id(o): n for o, n in zip(observations, near, strict=True)}
        in_shade = {id(o) for o, s in zip(observations, shaded, strict=True) if s}
        for i, ball in enumerate(present):
            match = matches.get(i)
            if match is None:
                if ball.state is BallState.REST and image.covered is None and not watched[i]:
                    ball.covered = False  # nothing has changed there
                    continue
                self._missed(ball, image)
            else:
                self._seen(ball, match, image, close[id(match.obs)], id(match.obs) in in_shade)
        for ball in present:
            if ball.state is BallState.MOVING:
                self._settle(ball, image)
        self.tentatives.update([observations[j] for j in left], [near[j] for j in left], image)
        self.t_s = image.t_s
        return self.busy

    @property
    def busy(self) -> bool:
        return any(b.state is BallState.MOVING for b in self.balls)

    def awaited(self, t_s: float) -> bool:
        """Whether a lost ball may still come into sight: just lost, or under a cover."""
        for b in self.balls:
            if b.state is BallState.LOST:
                away = t_s - b.seen_s
                if away < LOST_S or (b.covered and away < HIDDEN_S):
                    return True
        return False

    def _seen(self, ball: Ball, match: Match, image: ImageObservations, near: bool, shaded: bool) -> None:
        obs = match.obs
        point = Point(image.index, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm, near)
        if ball.state is BallState.REST and match.near:
            self._at_rest(ball, obs, image, near, shaded)
        elif match.back:
            self._back(ball)
            self._at_rest(ball, obs, image, near, shaded)
        elif ball.state is BallState.REST and self._cut_outline(ball, obs):
            ball.covered, ball.covered_s = True, image.t_s
            if self._off_place_mm(ball, obs) < CUT_SHARE * self.table.ball_radius_mm:
                ball.seen_s = image.t_s  # cut, but there
            return
        elif ball.state is BallState.REST:
            self.set_off(ball)
            ball.motion = started(ball.seen_s, ball.rest.x_mm, ball.rest.y_mm, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
            ball.legs[-1].points.append(point)
            self._learn_moving(ball, obs)
        else:
            self._moves(ball, match, image, point)
        ball.seen_s = image.t_s
        ball.missed, ball.covered = 0, False
        ball.trust(obs)
        if ball.motion is not None:
            speed = ball.motion.speed_mm_s
            if speed > ball.peak_mm_s * math.exp(-3.0 * (image.t_s - ball.peak_s)):
                ball.peak_mm_s, ball.peak_s = speed, image.t_s

    def _cut_outline(self, ball: Ball, obs: Observation) -> bool:
        """An unsure outline less than a ball away from a ball at rest: an arm or cue cuts it.

        While nothing moves no ball sets itself off: an unsure outline further away is a hand. The cue-ball does
        when it is struck, but a cue or hand before it moves its outline by less than a quarter of its radius.
        """
        d = self._off_place_mm(ball, obs)
        if ball.colour == "white":
            return ball.doubts(obs) and d < CUT_SHARE * self.table.ball_radius_mm
        return (obs.confidence < SURE and d < self.table.ball_diameter_mm) or (
            obs.confidence < SURE_START and not self.busy
        )

    @staticmethod
    def _off_place_mm(ball: Ball, obs: Observation) -> float:
        return math.hypot(obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm)

    def _at_rest(self, ball: Ball, obs: Observation, image: ImageObservations, near: bool, shaded: bool) -> None:
        d = math.hypot(obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm)
        # what stirs about a ball at rest shades it in look after look: those say together what one says
        ball.learn(obs, 1.0 if image.looked is None else STIRRED_LOOK)
        if near or ball.doubts(obs) or d > rest_gate_mm(ball, obs, False):
            return  # an outline that a hand or cue cuts is biased
        if shaded:  # and so is this: no number of looks averages it out
            ball.rest.in_shade.append((image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm))
            if ball.rest.left_in_shade(SHADE_DRAWS_MM):
                ball.rest.recent.extend(ball.rest.in_shade)
                self._nudged(ball)
            return
        ball.rest.add(image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
        ball.rest.unshaded += image.looked is None and not beside(ball, self.balls, image, self.table)
        if ball.legs:
            ball.trail.append(Point(image.index, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm))
        if ball.rest.left(4 if self.busy else 8):
            self._nudged(ball)

    def _nudged(self, ball: Ball) -> None:
        """A displacement too small to leave the gate: a new rest with a leg of its own."""
        recent = list(ball.rest.recent)[-4:]
        self.set_off(ball)
        leg = ball.legs[-1]
        leg.t_rest_s = min(leg.t_rest_s, recent[0][0] - 1e-3)
        leg.points = [Point(-1, t, x, y, s) for t, x, y, s in recent]
        ball.rest = Rest(since_s=recent[0][0])
        for t, x, y, s in recent:
            ball.rest.add(t, x, y, s)
        leg.end, leg.t_end_s = (ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm), recent[0][0]
        ball.state, ball.motion = BallState.REST, None

    def set_off(self, ball: Ball) -> None:
        """The ball leaves its place: remember it and open a leg."""
        if ball.before is None:
            ball.before = ball.rest
        leg = Leg(ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm, ball.seen_s)
        leg.exact_start = ball.missed == 0 and not ball.covered
        recent = [r for r in ball.rest.recent if r[0] > ball.seen_s - CREEP_S]
        if leg.exact_start and len(recent) >= 3:
            leg.head = [Point(-1, t, x, y, s) for t, x, y, s in recent]
        ball.legs.append(leg)
        ball.state = BallState.MOVING

    def _back(self, ball: Ball) -> None:
        ball.legs.pop()
        ball.state, ball.motion = BallState.REST, None
        if not ball.legs:
            ball.before = None

    def _moves(self, ball: Ball, match: Match, image: ImageObservations, point: Point) -> None:
        obs = match.obs
        leg = ball.legs[-1]
        if ball.motion is None:
            ball.motion = started(leg.t_rest_s, leg.x0_mm, leg.y0_mm, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
        elif match.predicted:
            ball.motion = ball.motion.predicted(image.t_s, self.table).updated(obs.x_mm, obs.y_mm, obs.sigma_mm)
            ball.hopped_from = None
        else:
            m = ball.hopped_from = ball.motion
            ball.motion = started(m.t_s, m.x_mm, m.y_mm, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
        ball.state = BallState.MOVING
        if len(leg.points) < MAX_POINTS:
            leg.points.append(point)
        self._learn_moving(ball, obs)

    @staticmethod
    def _learn_moving(ball: Ball, obs: Observation) -> None:
        """Blur takes a ball's colour away: what contradicts its name teaches nothing."""
        if colour_cost(obs, ball.colour) < CONTRADICTION:
            ball.learn(obs, 0.2)

    def _missed(self, ball: Ball, image: ImageObservations) -> None:
        x, y = ball.place
        if ball.motion is not None and ball.state is BallState.MOVING:
            p = ball.motion.predicted(image.t_s, self.table)
            x, y = p.x_mm, p.y_mm
        reach = self.table.ball_radius_mm * (1.0 if ball.state is BallState.REST else 1.5)
        if near_cover(image.covered, x, y, reach) or self._may_be_hidden(ball, image):
            ball.covered = True
            ball.covered_s = image.t_s
            if ball.state is BallState.MOVING and image.t_s - ball.seen_s > SETTLE_S:
                ball.state = BallState.LOST
            return
        px, py = ball.place
        looked = image.looked is None or image.looked.at(px, py) or image.looked.at(x, y)
        if not looked:
            ball.covered = False
            self._unwatched(ball, image.t_s)
            return
        ball.covered = False
        ball.missed += 1
        if ball.missed == 1:
            ball.missed_since_s = image.t_s
        self._maybe_lost(ball, image.t_s)

    def _may_be_hidden(self, ball: Ball, image: ImageObservations) -> bool:
        """Whether somebody is at a missing ball, while nothing rolls that can have met it.

        A sleeve of the cloth's colour is no cover to the network. The cue-ball is left out: who plays it stands there.
        """
        return ball.state is BallState.REST and ball.colour != "white" and beside(ball, self.balls, image, self.table)

    def _unwatched(self, ball: Ball, t_s: float) -> None:
        """Nothing changes where a moving ball was: it lies there, or it had gone before the last change."""
        if ball.state is not BallState.MOVING or ball.motion is None or t_s - ball.seen_s < 0.06:
            return
        m = ball.motion
        if ball.missed and (m.speed_mm_s > STOPPING_MM_S or in_mouth(m.x_mm, m.y_mm, self.table)):
            ball.state = BallState.LOST
        elif not ball.missed or t_s - ball.seen_s > SETTLE_S:
            self.to_rest(ball, t_s)

    def _maybe_lost(self, ball: Ball, t_s: float) -> None:
        away = t_s - ball.seen_s
        if ball.state is BallState.MOVING and ball.missed >= 3 and away > 0.1:
            if self._hop_withdrawn(ball, t_s):
                return
            ball.state = BallState.LOST
        needed = 2 if t_s - ball.covered_s < RECENT_COVER_S and not self.busy else 3
        if ball.state is BallState.REST and ball.missed >= needed and t_s - ball.missed_since_s > 0.3:
            self.set_off(ball)
            ball.state = BallState.LOST

    def _hop_withdrawn(self, ball: Ball, t_s: float) -> bool:
        """Undo a single unpredicted observation of a slow ball that nothing confirmed: it was a false one.

        Returns whether the ball lies where it had been before. Near a pocket it stands: a ball sent into
        it is seen once and no more.
        """
        m, leg = ball.hopped_from, ball.legs[-1]
        if m is None or len(leg.points) < 2 or m.speed_mm_s > STOPPING_MM_S:
            return False
        x, y = ball.place
        if any(math.hypot(x - p.x_mm, y - p.y_mm) < POTTED_FROM_MM for p in self.table.pockets):
            return False
        leg.points.pop()
        ball.motion, ball.hopped_from = m, None
        self.to_rest(ball, t_s, leg.points[-3:])
        return ball.state is BallState.REST

    def _settle(self, ball: Ball, image: ImageObservations) -> None:
        leg = ball.legs[-1]
        if len(leg.points) >= 4 and all(no_rest_place(p.x_mm, p.y_mm, self.table) for p in leg.points[-4:]):
            ball.state = BallState.LOST  # it lies in the net
            return
        first = len(leg.points)
        while first and leg.points[first - 1].t_s > image.t_s - SETTLE_S - 0.02:
            first -= 1
        window = leg.points[first:]
        if window and abs(window[-1].x_mm - window[0].x_mm) + abs(window[-1].y_mm - window[0].y_mm) > SURELY_MOVED_MM:
            return
        if len(window) < 4 or window[-1].t_s - window[0].t_s < 0.7 * SETTLE_S:
            return
        n = len(window)
        mean_t = sum(p.t_s for p in window) / n
        mean_x = sum(p.x_mm for p in window) / n
        mean_y = sum(p.y_mm for p in window) / n
        tt = sum((p.t_s - mean_t) ** 2 for p in window)
        vx = sum((p.t_s - mean_t) * (p.x_mm - mean_x) for p in window) / tt
        vy = sum((p.t_s - mean_t) * (p.y_mm - mean_y) for p in window) / tt
        sigma = math.sqrt(sum(p.sigma_mm**2 for p in window) / n)
        worst = max(math.hypot(p.x_mm - mean_x, p.y_mm - mean_y) for p in window)
        if math.hypot(vx, vy) < max(6.0, 2.5 * sigma / math.sqrt(tt)) and worst < max(1.5, 4 * sigma):
            self.to_rest(ball, image.t_s, window)

    def to_rest(self, ball: Ball, t_s: float, window: list[Point] | None = None) -> None:
        """The ball lies still where it was last seen; lost instead where that is over or beyond a drop."""
        leg = ball.legs[-1]
        points = window or leg.points[-1:]
        if points and no_rest_place(points[-1].x_mm, points[-1].y_mm, self.table):
            ball.state = BallState.LOST
            return
        ball.rest = Rest(since_s=t_s)
        for p in points[len(points) // 2 :]:
            ball.rest.add(p.t_s, p.x_mm, p.y_mm, p.sigma_mm)
        if not points:
            ball.rest.add(leg.t_rest_s, leg.x0_mm, leg.y0_mm, leg.sigma0_mm)
        leg.end, leg.t_end_s = (ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm), t_s
        ball.state, ball.motion, ball.missed = BallState.REST, None, 0
