"""Balls through images: those that lie still, those that have left their places, and what is seen besides.

A ball that has left its place is in no association: what is seen of it is a tentative track, and what became
of it its span's explanations say (`tracker.explain`). Decides no rule of the game.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.pockets import in_mouth, no_rest_place
from calibration.table.specs import TableSpec
from tracker.association.departures import Departures
from tracker.association.resting import gate_mm, off_place_mm, rest_gate_mm, where_they_lay
from tracker.ball import SURE, Ball, BallState
from tracker.detections.cover import near_cover
from tracker.detections.people import CUT_SHARE, SHADE_DRAWS_MM, as_shaded, beside, in_other_light
from tracker.detections.tentative import STATIC_S, Tentative, Tentatives, rolled
from tracker.detections.unseen import missed, unwatched
from tracker.explain.looks import LooksAtRest
from tracker.identity.numbering import names_for
from tracker.layout.hands import spots_of
from tracker.params import HIDDEN_S, LOST_S, MIN_CONFIDENCE, STIRRED_LOOK, SURE_FALLING
from tracker.place import Point, Rest
from tracker.rest.side_by_side import GapLooks
from vision.detect.naming import ball_log_odds, named_layout, place_nats, sure_balls_sigma_mm
from vision.observation import ImageObservations, Observation

OVERHANG_MM = 18.0
"""How far beyond its place at a cushion a ball may be seen: calibration error, and cushions that give."""
FRAME_OVERHANG_MM = 5.0
"""The same on a board, whose frame is wood: what calibration by its base lines leaves open there."""
ON_ITS_WAY_MM = 400.0
MOST_SHIFTED = 64
"""So many looks at a ball beside its place are kept."""
ROOM_SHARE = 1.0
"""What is seen within a radius of where a ball lies, as surely as a ball, is that ball: two have no room."""
SPOT_MM = 20.0
"""A ball put on its spot by hand lies within this of it."""
ASIDE_SIGMAS = 3.0
"""A look nearer than this to where a ball lies is noise."""


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
        self.tentatives = Tentatives(table)
        self.t_s = 0.0
        self.usual_sigma_mm: float | None = None  # of sure balls at rest in this view
        self.gaps = GapLooks()
        self.looks = LooksAtRest()

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
        at = obs.x_mm, obs.y_mm
        return not any(math.dist(i.last_mm, at) < ON_ITS_WAY_MM for i in self.tentatives.rolling(self.t_s))

    # -- one image ----------------------------------------------------------------------------------

    def step(self, image: ImageObservations) -> None:
        """Take one image."""
        rolling = self.tentatives.rolling(self.t_s)
        usable = self.usable(image)
        if image.looked is None and usable:
            self.usual_sigma_mm = sure_balls_sigma_mm(usable)
        detections = [self._with_surroundings(o, rolling, image) for o in usable]
        self.gaps.add(image)
        lying = [b for b in self.balls if b.state is BallState.REST]
        for b in lying:
            if b.missed == 0 and not b.covered:
                b.seen_s = self.t_s
        left = list(detections)
        missing = list[Ball]()
        for ball, detection in self._seen_lying(lying, detections):
            if detection is not None:
                left = [d for d in left if d is not detection]
                self._at_rest(ball, detection, rolling, image)
            elif (cut := next((d for d in left if self._cut_outline(ball, d.obs)), None)) is not None:
                left = [d for d in left if d is not cut]
                ball.covered, ball.covered_s = True, image.t_s
                if off_place_mm(ball, cut.obs) < CUT_SHARE * self.table.ball_radius_mm:
                    ball.seen_s = image.t_s  # cut, but there
            elif (beside := next((d for d in left if self._shifted(ball, d.obs)), None)) is not None:
                left = [d for d in left if d is not beside]
                self._lies_beside(ball, beside, rolling, image)
            elif self._missed(ball, rolling, image):
                missing.append(ball)
        self._uncover(image)
        self._depart(missing, left, rolling, image)
        self.t_s = image.t_s

    def _uncover(self, image: ImageObservations) -> None:
        """Take note of balls that have left, where an image shows the place from which they did bare: they do
        not lie there under a cover.
        """
        for ball in self.balls:
            at = ball.rest.x_mm, ball.rest.y_mm
            looked = image.looked is None or image.looked.at(*at)
            if ball.state is BallState.LEFT and looked:
                ball.covered = ball.covered and near_cover(image.covered, *at, self.table.ball_radius_mm)

    @staticmethod
    def _seen_lying(
        lying: Sequence[Ball], detections: Sequence[_Detection]
    ) -> list[tuple[Ball, _Detection | None]]:
        """Each ball at rest with its detection where it lies; those that are seen there first."""
        free = [d for d in detections if not d.no_ball]
        found = where_they_lay(lying, [d.obs for d in free], [d.near_cover for d in free])
        seen = [(ball, free[found[i]] if i in found else None) for i, ball in enumerate(lying)]
        return sorted(seen, key=lambda s: s[1] is None)

    def _cut_outline(self, ball: Ball, obs: Observation) -> bool:
        """Whether an unsure outline beside a ball at rest is that ball, which an arm or a cue cuts."""
        near_mm = self.table.ball_radius_mm if ball.is_cue else self.table.ball_diameter_mm
        unsure = ball.doubts(obs) if ball.is_cue else obs.confidence < SURE
        return unsure and off_place_mm(ball, obs) < near_mm

    def _shifted(self, ball: Ball, obs: Observation) -> bool:
        """Whether what is seen is a ball at rest a little beside its place: no other has room there."""
        return off_place_mm(ball, obs) < ROOM_SHARE * self.table.ball_radius_mm

    def _lies_beside(
        self, ball: Ball, detection: _Detection, rolling: Sequence[Tentative], image: ImageObservations
    ) -> None:
        """Take a look at a ball a little beside its place: nudged if it is seen there again, and set off if
        it has rolled further than shade draws an outline; else the picture shook.
        """
        obs = detection.obs
        off = obs.x_mm, obs.y_mm
        ball.covered, ball.missed = False, 0
        ball.learn(obs, STIRRED_LOOK)
        point = Point(image.index, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm, detection.near_cover)
        ball.shifted = [*ball.shifted, point][-MOST_SHIFTED:]
        ball.rest.aside_mm = off_place_mm(ball, obs)
        far = ball.rest.aside_mm > SHADE_DRAWS_MM
        there = list(
            takewhile(
                lambda p: math.dist((p.x_mm, p.y_mm), off) < gate_mm(p.sigma_mm, obs), reversed(ball.shifted)
            )
        )
        if rolled(ball.shifted, image.t_s, SHADE_DRAWS_MM):
            self._rolls_off(ball, obs)
        elif point.t_s - there[-1].t_s >= STATIC_S and len(there) >= (2 if far else 4 if rolling else 8):
            self.nudge(ball)

    def _rolls_off(self, ball: Ball, obs: Observation) -> None:
        """It has left, on the way on which it is seen."""
        ball.seen_s = min(ball.seen_s, ball.shifted[0].t_s - 1e-3)
        track = Tentative([], Rest(since_s=ball.seen_s), ball.seen_s)
        for point in ball.shifted:
            track.add(point, obs, self.table)
        ball.leave_on(track, track.seen_s)
        self.tentatives.items.append(track)

    def let_lie(self) -> None:
        """All is still: what was seen last further beside its place than shade draws it was nudged there."""
        for ball in self.balls:
            if ball.state is BallState.REST and ball.shifted:
                last = ball.shifted[-1]
                if math.dist(ball.place, (last.x_mm, last.y_mm)) > SHADE_DRAWS_MM:
                    self.nudge(ball)

    def nudge(self, ball: Ball) -> None:
        """It lies where it was seen last beside its place."""
        self._nudged(ball, ball.shifted[-4:])

    def _missed(self, ball: Ball, rolling: Sequence[Tentative], image: ImageObservations) -> bool:
        """Take note that a ball is not seen where it lies; whether it should have been, or is covered."""
        looked = image.looked is None or image.looked.at(*ball.place)
        if looked:
            ball.shifted = []
        if looked or image.covered is not None:
            missed(ball, rolling, image, self.table)
        else:
            unwatched(ball, rolling, image.t_s, self.table)
        return ball.state is BallState.REST and (looked or bool(ball.missed))

    def _depart(
        self,
        missing: Sequence[Ball],
        without_ball: Sequence[_Detection],
        rolling: Sequence[Tentative],
        image: ImageObservations,
    ) -> None:
        """Follow what no ball at rest explains, and say which balls have left their places by it."""
        free = [d.obs for d in without_ball]
        nats = ball_log_odds(free, self.table, self.usual_sigma_mm).tolist()
        tracks = self.tentatives.update(free, [d.near_cover for d in without_ball], image, nats)
        seen = Departures(self.table, self.pieces, self.balls, image, rolling, missing)
        told = seen.told([(t, o) for t, o in zip(tracks, free, strict=True) if not t.is_mark])
        for ball, track in told:
            ball.leave_on(track, image.t_s)

    def shown_again(self, t_s: float) -> None:
        """Take note that an image of a later time shows once more what the last one did."""
        for item in self.tentatives.items:
            if item.motion is not None and not item.misses:
                item.motion.shown_again(t_s)

    def _with_surroundings(
        self, obs: Observation, rolling: Sequence[Tentative], image: ImageObservations
    ) -> _Detection:
        shaded = in_other_light(obs, self.balls, rolling, image, self.table)
        obs = as_shaded(obs) if shaded else obs
        near = near_cover(image.covered, obs.x_mm, obs.y_mm, self.table.ball_radius_mm * 1.5)
        return _Detection(obs, near, shaded, self.tentatives.knows(obs, image.t_s))

    @property
    def stirs(self) -> bool:
        """Whether something that may be a ball rolls, or does not lie still for long enough yet."""
        return self.tentatives.stir(self.t_s)

    @property
    def rolls(self) -> bool:
        """Whether something that may be a ball is seen to roll."""
        return bool(self.tentatives.rolling(self.t_s))

    def awaited(self, t_s: float) -> list[Ball]:
        """The balls that have left their places and may still come into sight."""
        return [b for b in self.balls if awaited(b, t_s)]

    def _at_rest(
        self, ball: Ball, detection: _Detection, rolling: Sequence[Tentative], image: ImageObservations
    ) -> None:
        """Take a look at a ball where it lies."""
        obs, away_mm = detection.obs, off_place_mm(ball, detection.obs)
        if not detection.near_cover:
            self.looks.add(obs, ball.missed > 0)
        ball.seen_s, ball.missed, ball.covered, ball.shifted = image.t_s, 0, False, []
        ball.rest.there = 1.0
        noise_mm = ASIDE_SIGMAS * math.hypot(ball.rest.sigma_mm, obs.sigma_mm)
        ball.rest.aside_mm = 0.0 if detection.near_cover or away_mm < noise_mm else away_mm
        ball.trust(obs)
        # what stirs about a ball at rest shades it in look after look: those say together what one says
        ball.learn(obs, 1.0 if image.looked is None else STIRRED_LOOK)
        if detection.near_cover or ball.doubts(obs) or away_mm > rest_gate_mm(ball, obs, False):
            return  # an outline that a hand or cue cuts is biased
        if detection.shaded:  # and so is this: no number of looks averages it out
            ball.rest.in_shade.append((image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm))
            if ball.rest.left_in_shade(SHADE_DRAWS_MM):
                self._nudged(ball, _points(list(ball.rest.in_shade)[-4:]))
            return
        ball.rest.add(image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm)
        ball.rest.unshaded += image.looked is None and not beside(ball, rolling, image, self.table)
        if ball.rest.left(4 if rolling else 8):
            self._nudged(ball, _points(list(ball.rest.recent)[-4:]))

    def _nudged(self, ball: Ball, looks: Sequence[Point]) -> None:
        """A displacement too small for a ball to be lost from sight: a new rest with a leg of its own."""
        ball.set_off(looks[-1].t_s)
        leg = ball.legs[-1]
        leg.t_rest_s = min(leg.t_rest_s, looks[0].t_s - 1e-3)
        leg.points = list(looks)
        ball.rest, ball.shifted = Rest.at(looks), []
        leg.end, leg.t_end_s = (ball.rest.x_mm, ball.rest.y_mm, ball.rest.sigma_mm), looks[0].t_s
        ball.state, ball.seen_s = BallState.REST, looks[-1].t_s


def _points(looks: Sequence[tuple[float, float, float, float]]) -> list[Point]:
    """Looks (t, x, y, sigma) as points."""
    return [Point(-1, t, x, y, s) for t, x, y, s in looks]


def awaited(ball: Ball, t_s: float) -> bool:
    """Whether a ball that left its place may still come into sight: just gone, under a cover, or from under
    it since. What its track shows to roll or to lie there is in sight.
    """
    if ball.state is not BallState.LEFT:
        return False
    track = ball.track
    if track is not None:
        in_sight = not track.misses and not track.hidden
        return not in_sight and t_s - track.seen_s < (HIDDEN_S if track.hidden else LOST_S)
    away_s = t_s - (ball.seen_s if ball.covered else max(ball.seen_s, ball.covered_s))
    return away_s < (HIDDEN_S if ball.covered else LOST_S)
