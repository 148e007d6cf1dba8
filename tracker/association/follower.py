"""Balls through images: association, rest and motion, loss and return. Decides no rule of the game."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.pockets import in_mouth, no_rest_place
from calibration.table.specs import TableSpec
from tracker.association.associator import (
    CONTRADICTION,
    Associator,
    Match,
    colour_cost,
    gate_mm,
    rest_gate_mm,
)
from tracker.association.motion import started
from tracker.ball import SURE, Ball, BallState, Point, Rest
from tracker.detections.people import CUT_SHARE, SHADE_DRAWS_MM, as_shaded, beside, in_other_light, near_cover
from tracker.detections.tentative import Tentatives
from tracker.detections.unseen import missed, unwatched
from tracker.identity.exchange import mix
from tracker.identity.numbering import names_for
from tracker.layout.hands import spots_of
from tracker.params import HIDDEN_S, LOST_S, MIN_CONFIDENCE, STIRRED_LOOK, SURE_FALLING
from tracker.rest.settling import settle
from tracker.rest.side_by_side import GapLooks
from vision.detect.naming import ball_log_odds, likeliest, named_layout, place_nats, sure_balls_sigma_mm
from vision.observation import ImageObservations, Observation

MAX_POINTS = 3000
OVERHANG_MM = 18.0
"""How far beyond its place at a cushion a ball may be seen: calibration error, and cushions that give."""
FRAME_OVERHANG_MM = 5.0
"""The same on a board, whose frame is wood: what calibration by its base lines leaves open there."""
ON_ITS_WAY_MM = 400.0
AFTERIMAGES = 3
"""Images for which a camera's noise reduction shows a ball where it was, clearly enough to be detected."""
SPOT_MM = 20.0
"""A ball put on its spot by hand lies within this of it."""
SURE_START = 0.7
"""Below it an outline does not set a ball off that nothing can have struck."""


@dataclass(frozen=True, slots=True)
class _Detection:
    """An observation and its surroundings: a person's cover within reach, a shadow over it, a place that is
    known to look like a ball and to have none.
    """

    obs: Observation
    near_cover: bool
    shaded: bool
    no_ball: bool


class Follower:
    """All balls of the table and what is not yet explained. Fed one accepted image at a time."""

    def __init__(self, table: TableSpec, pieces: PieceSet = SNOOKER) -> None:
        self.table, self.pieces = table, pieces
        self.balls: list[Ball] = []
        self.tentatives = Tentatives()
        self.associator = Associator(table, pieces)
        self.t_s = 0.0
        self.usual_sigma_mm: float | None = None  # of sure balls at rest in this view
        self.gaps = GapLooks()
        self.covers: deque[tuple[float, ImageObservations]] = deque(maxlen=4)

    # -- layout -------------------------------------------------------------------------------------

    def begin(self, image: ImageObservations) -> None:
        """Name the balls of the first picture."""
        seen = sorted(self.usable(image), key=lambda o: (round(o.y_mm / 20.0), o.x_mm))
        self.usual_sigma_mm = sure_balls_sigma_mm(seen) if seen else None
        places = [place_nats(o.x_mm, o.y_mm, self.table, self.pieces).tolist() for o in seen]
        colours = [c for c, _ in named_layout(seen, self.table, self.pieces)]
        names = names_for(colours, (), self.pieces)
        self.balls = []
        for obs, at, colour, name in zip(seen, places, colours, names, strict=True):
            if colour is not None and name is not None:
                ball = self.new_ball(name, colour, image.t_s)
                ball.rest.add(image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
                ball.by_place = at
                ball.learn(obs)
                self.balls.append(ball)
        self.t_s = image.t_s

    def at_spot(self, colour: str, x_mm: float, y_mm: float) -> bool:
        """Whether it is the spot of the colour, to which a hand puts that ball back."""
        spot = spots_of(self.table, self.pieces).get(colour)
        return spot is not None and math.hypot(x_mm - spot[0], y_mm - spot[1]) < SPOT_MM

    def new_ball(self, name: str, colour: str, t_s: float) -> Ball:
        return Ball(name, colour, Rest(since_s=t_s), self.pieces, seen_s=t_s, row_since_s=t_s)

    def kind_of(self, obs: Observation) -> str:
        """The kind that an observation looks most like."""
        return likeliest(obs.colour_logp, self.pieces)

    def usable(self, image: ImageObservations) -> list[Observation]:
        """Observations that can be balls: confident enough and on or just beyond the playing area."""
        return [
            o
            for o in image.observations
            if o.confidence >= MIN_CONFIDENCE and self._on_table(o.x_mm, o.y_mm) and not self._in_pocket(o)
        ]

    def _on_table(self, x_mm: float, y_mm: float) -> bool:
        """Whether a ball's centre can be there: between the cushions, or in a pocket's mouth."""
        t = self.table
        inset = t.ball_radius_mm - (FRAME_OVERHANG_MM if t.is_board else OVERHANG_MM)
        if abs(x_mm) < t.half_width_mm - inset and t.bottom_mm + inset < y_mm < t.top_mm - inset:
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
            b.state is BallState.MOVING
            and math.hypot(b.place[0] - obs.x_mm, b.place[1] - obs.y_mm) < ON_ITS_WAY_MM
            for b in self.balls
        )

    # -- one image ----------------------------------------------------------------------------------

    def step(self, image: ImageObservations) -> bool:
        """Take one image; returns whether any ball is in motion afterwards."""
        usable = self.usable(image)
        if image.looked is None and usable:
            self.usual_sigma_mm = sure_balls_sigma_mm(usable)
        detections = [self._with_surroundings(o, image) for o in usable]
        self.gaps.add(image)
        for b in self.balls:
            if b.state is BallState.REST and b.missed == 0 and not b.covered:
                b.seen_s = self.t_s
        # where a lost ball is, its stroke's explanations say (`tracker.stroke.recovered`)
        present = [b for b in self.balls if b.state not in (BallState.GONE, BallState.LOST)]
        looked = image.looked
        watched = [looked is None or looked.at(b.rest.x_mm, b.rest.y_mm) for b in present]
        matches, without_ball = self._associate(present, watched, detections, image)
        for i, ball in enumerate(present):
            self._account_for(ball, matches.get(i), watched[i], image)
        for ball in present:
            if ball.state is BallState.MOVING:
                settle(ball, image.t_s, self.table)
        without_ball = [d for d in without_ball if not self._afterimage(d.obs, image.t_s)]
        free = [d.obs for d in without_ball]
        nats = ball_log_odds(free, self.table, self.usual_sigma_mm).tolist()
        self.tentatives.update(free, [d.near_cover for d in without_ball], image, nats)
        self.t_s = image.t_s
        return self.busy

    def _account_for(
        self, ball: Ball, match: tuple[Match, _Detection] | None, watched: bool, image: ImageObservations
    ) -> None:
        if match is not None:
            self._seen(ball, *match, image)
        elif ball.state is BallState.REST and image.covered is None and not watched:
            unwatched(ball, self.balls, image.t_s, self.table)
        else:
            missed(ball, self.balls, image, self.table)

    def shown_again(self, t_s: float) -> None:
        """Take note that an image of a later time shows once more what the last one did."""
        for ball in self.balls:
            if ball.state is BallState.MOVING and ball.motion is not None and not ball.missed:
                ball.motion.shown_again(t_s)

    def _associate(
        self, balls: list[Ball], watched: list[bool], detections: list[_Detection], image: ImageObservations
    ) -> tuple[dict[int, tuple[Match, _Detection]], list[_Detection]]:
        """Each ball's match with its detection, by the ball's place in the list, and detections without a
        ball.
        """
        free = [d for d in detections if not d.no_ball]
        matches, left = self.associator.assign(
            balls,
            [d.obs for d in free],
            image,
            [d.near_cover for d in free],
            watched,
            [self.tentatives.lain_since_s(d.obs) for d in free],
        )
        for first, second, nats in self.associator.exchanged:
            mix(balls[first], balls[second], nats)
        detection_of = {id(d.obs): d for d in free}
        found = {i: (match, detection_of[id(match.obs)]) for i, match in matches.items()}
        return found, [free[j] for j in left] + [d for d in detections if d.no_ball]

    def _afterimage(self, obs: Observation, t_s: float) -> bool:
        """Whether it is where a ball that runs, seen elsewhere in this image, was in the last images: there a
        camera's noise reduction shows it still, faint and of another colour.
        """
        for b in self.balls:
            if b.state is not BallState.MOVING or b.seen_s != t_s or not b.legs:
                continue
            if math.hypot(b.place[0] - obs.x_mm, b.place[1] - obs.y_mm) < self.table.ball_radius_mm:
                continue
            for p in b.legs[-1].points[-1 - AFTERIMAGES : -1]:
                if math.hypot(p.x_mm - obs.x_mm, p.y_mm - obs.y_mm) < gate_mm(p.sigma_mm, obs):
                    return True
        return False

    def _with_surroundings(self, obs: Observation, image: ImageObservations) -> _Detection:
        shaded = in_other_light(obs, self.balls, image, self.table)
        obs = as_shaded(obs) if shaded else obs
        near = near_cover(image.covered, obs.x_mm, obs.y_mm, self.table.ball_radius_mm * 1.5)
        return _Detection(obs, near, shaded, self.tentatives.knows(obs, image.t_s))

    @property
    def busy(self) -> bool:
        """Whether a ball is in motion."""
        return any(b.state is BallState.MOVING for b in self.balls)

    @property
    def stirs(self) -> bool:
        """Whether a ball is in motion, or something that may be one."""
        return self.busy or self.tentatives.roll(self.t_s)

    def awaited(self, t_s: float) -> list[Ball]:
        """The lost balls that may still come into sight."""
        return [b for b in self.balls if awaited(b, t_s)]

    def _seen(self, ball: Ball, match: Match, detection: _Detection, image: ImageObservations) -> None:
        obs, was, moved = match.obs, ball.place, ball.motion
        point = Point(image.index, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm, detection.near_cover)
        if ball.state is BallState.REST and match.near:
            self._at_rest(ball, detection, image)
        elif match.back:
            ball.stays()
            self._at_rest(ball, detection, image)
        elif ball.state is BallState.REST and self._cut_outline(ball, obs):
            ball.covered, ball.covered_s = True, image.t_s
            if self._off_place_mm(ball, obs) < CUT_SHARE * self.table.ball_radius_mm:
                ball.seen_s = image.t_s  # cut, but there
            return
        elif ball.state is BallState.REST:
            ball.set_off(image.t_s)
            ball.motion = started(
                ball.seen_s, ball.rest.x_mm, ball.rest.y_mm, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm
            )
            ball.legs[-1].points.append(point)
            self._learn_moving(ball, obs)
        else:
            self._moves(ball, match, image, point)
        far = math.hypot(obs.x_mm - was[0], obs.y_mm - was[1]) > self.table.ball_diameter_mm
        if match.unpredicted and far and ball.hopped_s is None:
            ball.hopped_s, ball.before_hop = image.t_s, moved
        ball.seen_s = image.t_s
        ball.missed, ball.covered = 0, False
        ball.trust(obs)
        if ball.motion is not None:
            speed = ball.motion.speed_mm_s
            if speed > ball.peak_mm_s * math.exp(-3.0 * (image.t_s - ball.peak_s)):
                ball.peak_mm_s, ball.peak_s = speed, image.t_s

    def _cut_outline(self, ball: Ball, obs: Observation) -> bool:
        """An unsure outline less than a ball away from a ball at rest: an arm or cue cuts it.

        While nothing moves no ball sets itself off: an unsure outline further away is a hand. The cue-ball
        does when it is struck, but a cue or hand before it moves its outline by less than a quarter of its
        radius.
        """
        d = self._off_place_mm(ball, obs)
        if ball.is_cue:
            return ball.doubts(obs) and d < CUT_SHARE * self.table.ball_radius_mm
        return (obs.confidence < SURE and d < self.table.ball_diameter_mm) or (
            obs.confidence < SURE_START and not self.busy
        )

    @staticmethod
    def _off_place_mm(ball: Ball, obs: Observation) -> float:
        return math.hypot(obs.x_mm - ball.rest.x_mm, obs.y_mm - ball.rest.y_mm)

    def _at_rest(self, ball: Ball, detection: _Detection, image: ImageObservations) -> None:
        obs, d = detection.obs, self._off_place_mm(ball, detection.obs)
        # what stirs about a ball at rest shades it in look after look: those say together what one says
        ball.learn(obs, 1.0 if image.looked is None else STIRRED_LOOK)
        if detection.near_cover or ball.doubts(obs) or d > rest_gate_mm(ball, obs, False):
            return  # an outline that a hand or cue cuts is biased
        if detection.shaded:  # and so is this: no number of looks averages it out
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
        ball.set_off(recent[-1][0])
        leg = ball.legs[-1]
        leg.t_rest_s = min(leg.t_rest_s, recent[0][0] - 1e-3)
        leg.points = [Point(-1, t, x, y, s) for t, x, y, s in recent]
        ball.rest = Rest(since_s=recent[0][0])
        for t, x, y, s in recent:
            ball.rest.add(t, x, y, s)
        leg.end, leg.t_end_s = (ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm), recent[0][0]
        ball.state, ball.motion = BallState.REST, None

    def _moves(self, ball: Ball, match: Match, image: ImageObservations, point: Point) -> None:
        obs = match.obs
        leg = ball.legs[-1]
        if ball.motion is None:
            ball.motion = started(
                leg.t_rest_s, leg.x0_mm, leg.y0_mm, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm
            )
        elif match.predicted:
            ball.motion = ball.motion.predicted(image.t_s, self.table).updated(
                obs.x_mm, obs.y_mm, obs.sigma_mm
            )
        else:
            m = ball.motion
            ball.motion = started(m.t_s, m.x_mm, m.y_mm, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
        ball.state = BallState.MOVING
        if len(leg.points) < MAX_POINTS:
            leg.points.append(point)
        self._learn_moving(ball, obs)

    @staticmethod
    def _learn_moving(ball: Ball, obs: Observation) -> None:
        """Blur takes a ball's colour away: what contradicts its name teaches nothing."""
        if colour_cost(obs, ball.own) < CONTRADICTION:
            ball.learn(obs, 0.2)


def awaited(ball: Ball, t_s: float) -> bool:
    """Whether a lost ball may still come into sight: just lost, under a cover, or from under it since."""
    if ball.state is not BallState.LOST:
        return False
    away_s = t_s - (ball.seen_s if ball.covered else max(ball.seen_s, ball.covered_s))
    return away_s < (HIDDEN_S if ball.covered else LOST_S)
