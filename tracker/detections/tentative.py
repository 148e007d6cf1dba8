"""Tentative tracks, without names: all that is seen where no ball at rest is. Balls on their way, balls in or
out of a hand, clutter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from calibration.table.specs import PointMm, TableSpec
from tracker.association.motion import FASTEST_MM_S, Motion, started
from tracker.detections.cover import near_cover
from tracker.events import PossibleBall
from tracker.explain.priors import ALIKE, TEMPERATURE
from tracker.params import COLOUR_FLOOR, DETOUR_MM, DETOUR_S, HIDDEN_S, LAYOUT_SURE, LOST_S, SETTLE_S
from tracker.place import Point, Rest
from vision.observation import CellMask, ImageObservations, Observation

STATIC_S = 0.3
STATIC_NEAR_COVER_S = 1.2
MAX_KEPT = 60
STALE_S, STALE_ROLLS_S, STALE_MM = 0.12, 0.4, 30.0
"""A track not seen for so long, though nobody looked for it, is taken up again near its place only, one that
rolls where it should be by then. A mark does not roll.
"""
KNOWN_IMAGES, KNOWN_S, KNOWN_CONFIDENCE, KNOWN_MM = 3, 1.0, 0.65, 10.0
"""Seen this often, for this long, this unsure, and this near to where it was: known to be no ball."""
SURE_LOOKS, SURE_CONFIDENCE = 3, 0.65
"""What lies there, seen so often and so surely, is a ball."""
LAIN_IMAGES = 2
"""A track seen at one place as often lies there."""
LEAST_POSSIBLE = 0.001
"""What is a ball with less probability than that is none for certain."""
ROLLS_IMAGES, ROLLS_CONFIDENCE = 3, 0.6
ROLLS_MM, ROLLS_SIGMAS = 1.5, 3.0
"""What has come so far within `STATIC_S`, in so many images, rolls; if it is seen as surely, it may be a
ball.
"""
CUT_DRAWS_MM = 5.0
"""An outline that a hand beside it cuts has its middle so far off, one sigma. Assumed."""
SURE_IMAGES, SURE_MM = 6, 60.0
"""What has been seen in so many images on a way so long is a ball that rolls."""
PREDICTED_CHI2 = 25.0
"""A look no further from where a track should be, over its variance, is no turn."""
SEEN_REACH_MM, MISSED_REACH_MM = 250.0, 60.0
"""A track that has no speed yet is looked for so far away at most, and so far where it was missed since."""
STOOD_MM = 6.0
"""What lies still is seen within this of where it was (as in `tracker.explain.window`)."""
DRIFTED_LOOKS = 3
"""So many looks together, further off its place than noise explains, show that it rolled on."""
LAIN_S = 0.1
"""A track seen for as long at one place lay there: what rolls is gone by then."""
SET_OFF_S = 1.0
"""What rolls is known so long after it was seen last where it lay."""


@dataclass(slots=True)
class Tentative:
    """One tentative track: a detection that no ball at rest explains, and those that follow it."""

    points: list[Point]
    rest: Rest
    static_since_s: float
    logp: list[float] = field(default_factory=list)  # of each kind of the set, of all looks where it lies
    way_logp: list[float] = field(default_factory=list)  # the same of all looks since it was seen first
    looks: int = 0
    misses: int = 0
    seen_s: float = 0.0
    confidence: float = 0.0
    ball_nats: float = 0.0  # mean log-odds, where it lies, that it is a ball
    first: Point | None = None  # kept when `points` are too many
    away: Point | None = None  # the first look that is surely not where it was seen first
    lain: Observation | None = None  # all looks at it where it lay before it set off
    set_off: Point | None = None  # the last look at it there
    motion: Motion | None = None  # none before it was seen twice
    covered: bool = False  # something lies over where it should be since it was seen last
    by_hand: bool = False  # a hand was near as it appeared
    of_ball: bool = False  # it has told of a ball that left its place
    told_rolls: tuple[float, bool] | None = None  # a time, and whether it rolls then: asked often in an image

    def add(self, point: Point, obs: Observation, table: TableSpec, ball_nats: float = 0.0) -> None:
        self.motion = self._moved_on(point, table)
        self.covered = False
        if self.rest.n and not _at(self.rest, point):
            if self.seen_s - self.static_since_s >= LAIN_S:
                self.lain, self.set_off = self.lay_before, self.points[-1]
            self.rest, self.logp = Rest(since_s=point.t_s), []
            self.static_since_s = point.t_s
        self.ball_nats += (ball_nats - self.ball_nats) / (self.rest.n + 1)
        self.rest.add(point.t_s, point.x_mm, point.y_mm, point.sigma_mm)
        self.points.append(point)
        self.told_rolls = None
        self.first = self.first or point
        if self.away is None and _apart_mm(self.first, point) > SURE_MM:
            self.away = point
        del self.points[:-MAX_KEPT]
        top = max(obs.colour_logp)
        look = [max(lp - top, -COLOUR_FLOOR) for lp in obs.colour_logp]
        self.logp = [a + b for a, b in zip(self.logp or [0.0] * len(look), look, strict=True)]
        self.way_logp = [a + b for a, b in zip(self.way_logp or [0.0] * len(look), look, strict=True)]
        self.looks += 1
        self.misses = 0
        self.seen_s = point.t_s
        n = len(self.points)
        self.confidence += (obs.confidence - self.confidence) / n
        if self.rest.left(DRIFTED_LOOKS):
            self._lies_further_on()

    def _lies_further_on(self) -> None:
        """It rolled on, too slowly to leave its place: it lies where it was seen last."""
        self.logp = [v * DRIFTED_LOOKS / self.rest.n for v in self.logp]
        since_s = self.rest.since_s
        self.rest = Rest.at(self.points[-DRIFTED_LOOKS:])
        self.rest.since_s = since_s

    def _moved_on(self, point: Point, table: TableSpec) -> Motion | None:
        """Its motion with one more look: as predicted, or turned since the last one."""
        if not self.points:
            return None
        last, at = self.points[-1], (point.t_s, point.x_mm, point.y_mm, point.sigma_mm)
        if self.motion is None:
            return started(last.t_s, last.x_mm, last.y_mm, *at)
        ahead = self.motion.predicted(point.t_s, table)
        away2 = (point.x_mm - ahead.x_mm) ** 2 + (point.y_mm - ahead.y_mm) ** 2
        if away2 < PREDICTED_CHI2 * (ahead.p_xx + point.sigma_mm**2):
            return ahead.updated(*at[1:])
        return started(self.motion.t_s, self.motion.x_mm, self.motion.y_mm, *at)

    def place_at(self, t_s: float, table: TableSpec) -> PointMm:
        """Where it should be at a time."""
        if self.motion is None:
            return self.last_mm
        ahead = self.motion.predicted(t_s, table)
        return ahead.x_mm, ahead.y_mm

    @property
    def rolled_in(self) -> Observation | None:
        """What rolls, as it was seen first: there it lay, if it is a ball that nobody knew of. None of what
        has not come far enough to be one for certain.
        """
        if len(self.points) < SURE_IMAGES or _apart_mm(self.began, self.points[-1]) <= SURE_MM:
            return None
        p, worth = self.began, min(self.looks, ALIKE) / TEMPERATURE / self.looks
        colours = tuple(v * worth for v in self.way_logp)
        return Observation(p.x_mm, p.y_mm, p.sigma_mm, 0.0, 0.0, colours, LAYOUT_SURE)

    def comes_from(self, t_s: float, place: Rest) -> None:
        """Take it as the ball that lay at a place, and was seen there last at a time."""
        self.of_ball = True
        if self.motion is None:
            p = self.points[0]
            self.motion = started(t_s, place.x_mm, place.y_mm, p.t_s, p.x_mm, p.y_mm, p.sigma_mm)

    def comes_from_where_lay(self, other: Tentative) -> None:
        """Take it as what lay where another track was seen last: both are one."""
        self.lain, self.set_off = other.lies, other.points[-1]
        self.first, self.points = other.began, [*other.points, *self.points][-MAX_KEPT:]
        self.by_hand = other.by_hand

    def leads_from(self, place_mm: PointMm) -> bool:
        """Whether it was seen first on a straight way from a place, so far away as a ball goes unseen."""
        at, ahead, (x, y) = self.began, self.away, place_mm
        if ahead is None or ahead.t_s - at.t_s > STATIC_S:
            return False
        way_mm, speed_mm_s = _apart_mm(at, ahead), _apart_mm(at, ahead) / (ahead.t_s - at.t_s)
        u, v = (ahead.x_mm - at.x_mm) / way_mm, (ahead.y_mm - at.y_mm) / way_mm
        behind_mm, aside_mm = (at.x_mm - x) * u + (at.y_mm - y) * v, (at.x_mm - x) * v - (at.y_mm - y) * u
        return -DETOUR_MM < behind_mm < speed_mm_s * DETOUR_S and abs(aside_mm) < DETOUR_MM

    @property
    def hidden(self) -> bool:
        """Whether it rolled under a cover. What lay still when the cover came lies there."""
        return self.covered and self.rolls(self.seen_s)

    @property
    def lies(self) -> Observation:
        """All looks at it where it lies as one, as sure as it is a ball; what rolled there is one."""
        sure = max(self.ball_probability, LAYOUT_SURE) if self.rolled_there else self.ball_probability
        look, worth = self.look, min(self.rest.n, ALIKE) / TEMPERATURE
        return replace(look, confidence=sure, colour_logp=tuple(v * worth for v in look.colour_logp))

    @property
    def lay_before(self) -> Observation | None:
        """All looks at it where it lies, or lay until it set off, as one, as sure as it is a ball; None of
        what is none for certain.
        """
        if self.rest.n < LAIN_IMAGES:
            return self.lain
        return self.lies if self.may_be_ball else None

    @property
    def lies_as_ball(self) -> bool:
        """Whether it has been seen at one place in enough looks to lie there, and may be a ball."""
        return self.rest.n >= LAIN_IMAGES and self.may_be_ball

    @property
    def may_be_ball(self) -> bool:
        """Whether what lies there is a ball with more probability than none for certain."""
        return self.ball_probability >= LEAST_POSSIBLE

    def comes_to_lie(self, t_s: float, x_mm: float, y_mm: float, sigma_mm: float) -> None:
        """Take it as lying at a place to which it rolls on unseen."""
        self.logp = [v * LAIN_IMAGES / max(self.rest.n, 1) for v in self.logp]
        self.points, self.told_rolls = [Point(-1, t_s, x_mm, y_mm, sigma_mm)], None
        self.rest, self.motion, self.static_since_s = Rest(since_s=t_s), None, t_s - 2.0 * STATIC_S
        for _ in range(LAIN_IMAGES):
            self.rest.add(t_s, x_mm, y_mm, sigma_mm)

    @property
    def hand_was_near(self) -> bool:
        """Whether a hand was near when it appeared, or since."""
        return self.by_hand or any(p.near_cover for p in self.points)

    @property
    def last_mm(self) -> PointMm:
        """Where it was seen last."""
        return self.points[-1].x_mm, self.points[-1].y_mm

    def peak_mm_s(self, since_s: float) -> float:
        """Its greatest speed from one look to the next since a time."""
        late = [p for p in self.points if p.t_s >= since_s]
        steps = ((_apart_mm(a, b), b.t_s - a.t_s) for a, b in pairwise(late))
        return max((mm / s for mm, s in steps if s > 0.0), default=0.0)

    @property
    def began(self) -> Point:
        """Where and when it was seen first."""
        return self.points[0] if self.first is None else self.first

    @property
    def place_mm(self) -> PointMm:
        """Where it lies."""
        return self.rest.x_mm, self.rest.y_mm

    @property
    def may_roll(self) -> bool:
        """Whether it is a ball that left its place, or seen as surely as one that rolls, with nobody near."""
        late = self.points[-ROLLS_IMAGES:]
        return self.of_ball or (self.confidence > ROLLS_CONFIDENCE and not any(p.near_cover for p in late))

    def rolls(self, t_s: float) -> bool:
        """Whether it has come further of late, up to a time, than it is seen exactly, and not to and fro."""
        if self.told_rolls is None or self.told_rolls[0] != t_s:
            self.told_rolls = t_s, rolled(self.points, t_s, ROLLS_MM)
        return self.told_rolls[1]

    @property
    def look(self) -> Observation:
        """All looks at it where it lies, as one."""
        place, looks = self.rest, max(self.rest.n, 1)
        colours = tuple(v / looks for v in self.logp)
        return Observation(place.x_mm, place.y_mm, place.place_sigma_mm, 0.0, 0.0, colours, self.confidence)

    @property
    def ball_probability(self) -> float:
        """That what lies there is a ball."""
        return 1.0 / (1.0 + math.exp(-self.ball_nats))

    @property
    def lay_there(self) -> bool:
        """Whether it lies where it was seen first: it did not roll there."""
        return self.static_since_s <= self.began.t_s

    @property
    def rolled_there(self) -> bool:
        """Whether it rolled to where it lies, as a ball does: one look there is enough, for where nothing
        changes any more nobody looks.
        """
        return not self.lay_there and len(self.points) >= ROLLS_IMAGES and self.confidence > ROLLS_CONFIDENCE

    @property
    def is_mark(self) -> bool:
        """Whether what has lain there for some images is rather a mark, leather or a print than a ball: what
        has rolled there is none.
        """
        return self.rest.n >= LAIN_IMAGES and self.ball_nats < 0.0 and self.lay_there


def rolled(points: Sequence[Point], t_s: float, least_mm: float) -> bool:
    """Whether the latest looks up to a time lie on a way longer than they are exact, and than `least_mm`."""
    late = [p for p in points if p.t_s > t_s - STATIC_S]
    if len(late) < ROLLS_IMAGES:
        return False
    variances = (p.sigma_mm**2 + (CUT_DRAWS_MM**2 if p.near_cover else 0.0) for p in late)
    sigma_mm = math.sqrt(12.0 * sum(variances)) / len(late)  # of a fitted way's length
    way_mm, scatter_mm = _straight_way_mm(late)
    return way_mm > max(least_mm, ROLLS_SIGMAS * sigma_mm, 2.0 * scatter_mm)


def _straight_way_mm(points: Sequence[Point]) -> tuple[float, float]:
    """How far a steady way through points leads from the first to the last time, and how far they scatter
    about it.
    """
    n = len(points)
    t, x, y = (
        [v - sum(vs) / n for v in vs] for vs in zip(*((p.t_s, p.x_mm, p.y_mm) for p in points), strict=True)
    )
    tt = sum(v * v for v in t) or 1e-9
    vx, vy = (sum(a * b for a, b in zip(t, vs, strict=True)) / tt for vs in (x, y))
    off = sum((a - vx * s) ** 2 + (b - vy * s) ** 2 for s, a, b in zip(t, x, y, strict=True))
    return math.hypot(vx, vy) * (t[-1] - t[0]), math.sqrt(off / n)


def _apart_mm(a: Point, b: Point) -> float:
    return math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm)


def _at(rest: Rest, point: Point) -> bool:
    """Whether a ball is seen where it lay, by the sigmas of both."""
    away_mm = math.hypot(point.x_mm - rest.x_mm, point.y_mm - rest.y_mm)
    return away_mm <= max(STOOD_MM, 5 * math.hypot(rest.sigma_mm, point.sigma_mm))


def each_once(pairs: Iterable[tuple[float, int, int]]) -> dict[int, int]:
    """The second of each pair (cost, first, second) by its first: the cheapest pairs, each of both once."""
    found: dict[int, int] = {}
    taken = set[int]()
    for _, first, second in sorted(pairs):
        if first not in found and second not in taken:
            found[first] = second
            taken.add(second)
    return found


class Tentatives:
    """The tentative tracks; bounded."""

    def __init__(self, table: TableSpec) -> None:
        self.table = table
        self.items: list[Tentative] = []
        self._missed: list[Tentative] = []  # what lay, and is not seen there any more
        self.lost_s = -math.inf
        """When something that rolls, and is a ball for certain, was seen last before it was missed."""

    def update(
        self,
        observations: list[Observation],
        near: list[bool],
        image: ImageObservations,
        ball_nats: Sequence[float] | None = None,
    ) -> list[Tentative]:
        """Follow, start and forget tentative balls with one image's unmatched observations, of which
        `ball_nats` are the log-odds that they are balls at rest; the track of each.
        """
        tracks = list[Tentative]()
        odds = [0.0] * len(observations) if ball_nats is None else ball_nats
        followed = self._followed(observations, image.t_s)
        for j, (obs, close, nats) in enumerate(zip(observations, near, odds, strict=True)):
            point = Point(image.index, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm, close)
            item = followed.get(j)
            if item is None:
                item = Tentative(
                    [], Rest(since_s=image.t_s), image.t_s, by_hand=self._by_hand(obs, image.t_s)
                )
                self.items.append(item)
            item.add(point, obs, self.table, nats)
            tracks.append(item)
        for item in self.items:
            if item.seen_s < image.t_s:
                self._miss(item, image)
        for i in self.items:
            if i.misses and not i.of_ball and i.rolled_in is not None and i.rolls(i.seen_s):
                self.lost_s = max(self.lost_s, i.seen_s)
        kept = [i for i in self.items if self._followed_on(i, image.t_s)][-MAX_KEPT:]
        gone = (i for i in self.items if i.lies_as_ball and not self._followed_on(i, image.t_s))
        self._missed = [i for i in (*self._missed, *gone) if image.t_s - i.seen_s < SET_OFF_S]
        self.items = kept
        self._join_with_what_lay()
        return tracks

    @staticmethod
    def _followed_on(item: Tentative, t_s: float) -> bool:
        """Whether a track may still be seen again at a time."""
        return (
            item.misses < (2 if len(item.points) < 4 else 4)
            and t_s - item.points[0].t_s < 600.0
            and not (item.of_ball and t_s - item.seen_s > HIDDEN_S and item.covered)
        )

    def _join_with_what_lay(self) -> None:
        """Take what rolls straight away from where something lay, and is not seen any more, as the same: the
        cue hid the strike, or a fast ball was missed.
        """
        for item in list(self.items):
            if item.of_ball or item.lain is not None or item.rolled_in is None:
                continue
            began_s = item.began.t_s
            lay = (
                i
                for i in (*self.items, *self._missed)
                if i is not item and i.lies_as_ball
                if i.seen_s < began_s < i.seen_s + DETOUR_S and item.leads_from(i.place_mm)
            )
            other = max(lay, key=lambda i: i.ball_nats, default=None)
            if other is not None:
                item.comes_from_where_lay(other)
                self.items = [i for i in self.items if i is not other]
                self._missed = [i for i in self._missed if i is not other]

    def _by_hand(self, obs: Observation, t_s: float) -> bool:
        """Whether a moment before something was seen beside a hand, and so near that it can be the same."""
        return any(
            i.points[-1].near_cover
            and t_s - i.seen_s < STALE_ROLLS_S
            and math.dist(i.last_mm, (obs.x_mm, obs.y_mm)) < SEEN_REACH_MM
            for i in self.items
            if i.seen_s < t_s
        )

    def _miss(self, item: Tentative, image: ImageObservations) -> None:
        """Take note that an image does not show a track. Where one is that rolled under a cover some time ago
        nobody knows.
        """
        places = item.place_at(image.t_s, self.table), item.place_mm
        out_of_sight = item.hidden and image.t_s - item.seen_s > SETTLE_S
        item.covered = out_of_sight or (
            image.covered is not None and any(image.covered.at(*at) for at in places)
        )
        item.misses += not item.covered and (
            image.looked is None or any(image.looked.at(*at) for at in places)
        )

    def _followed(self, observations: Sequence[Observation], t_s: float) -> dict[int, Tentative]:
        """Which track goes on with which observation, the nearest first."""
        found = each_once(
            (away_mm, j, k)
            for k, item in enumerate(self.items)
            for j, obs in enumerate(observations)
            if (away_mm := self._away_mm(item, obs, t_s)) is not None
        )
        return {j: self.items[k] for j, k in found.items()}

    def _away_mm(self, item: Tentative, obs: Observation, t_s: float) -> float | None:
        """How far from where a track should be an observation lies; None where it cannot be of it."""
        since_s = t_s - item.points[-1].t_s
        reach = min(FASTEST_MM_S * since_s, MISSED_REACH_MM if item.misses else SEEN_REACH_MM) + 5.0
        rolls = item.motion is not None and item.rest.n <= 1
        stale = since_s > (STALE_ROLLS_S if rolls else STALE_S) or item.is_mark
        last_mm = math.dist(item.last_mm, (obs.x_mm, obs.y_mm))
        if last_mm < (min(reach, STALE_MM) if stale or since_s > STALE_S else reach):
            near = True
        elif item.motion is None or stale:
            return None
        else:
            near = False
        if item.motion is None or stale:
            return last_mm
        ahead = item.motion.predicted(t_s, self.table)
        away_mm = math.hypot(obs.x_mm - ahead.x_mm, obs.y_mm - ahead.y_mm)
        near = near or away_mm**2 < PREDICTED_CHI2 * (min(ahead.p_xx, reach**2 / 9.0) + obs.sigma_mm**2)
        return away_mm if near else None

    def knows(self, obs: Observation, t_s: float) -> bool:
        """Whether it belongs to a track that has lain there for a while and was no ball: a pocket's hole, a
        reflection.
        """
        return any(
            i.rest.n >= KNOWN_IMAGES
            and t_s - i.static_since_s > KNOWN_S
            and (i.is_mark or i.confidence < KNOWN_CONFIDENCE)
            and obs.confidence < i.confidence + 0.2
            and math.hypot(obs.x_mm - i.rest.x_mm, obs.y_mm - i.rest.y_mm) < KNOWN_MM
            for i in self.items
        )

    def possible_balls(self, t_s: float) -> tuple[PossibleBall, ...]:
        """What has lain unexplained for a while at a time, and in each look at its place."""
        lain = (
            i for i in self.items if i.lies_as_ball and not i.misses and t_s - i.static_since_s >= STATIC_S
        )
        return tuple(PossibleBall(*i.place_mm, i.ball_probability) for i in lain)

    def moving(self, t_s: float) -> list[Tentative]:
        """What may be a ball and rolls at a time, or does not lie still for long enough yet."""
        return [
            i
            for i in self.items
            if i.may_roll and (i.rolls(t_s) or (i.static_since_s > t_s - STATIC_S and not i.lay_there))
        ]

    def lying(self, t_s: float, lost_mm: Sequence[PointMm] = ()) -> list[Tentative]:
        """What has lain unexplained for a while at a time and may be a ball. `lost_mm`: where balls lay that
        are lost; what lies there is no mark, however it was seen.
        """
        still = (i for i in self.items if not i.misses and not i.hidden and not i.rolls(t_s))
        return [
            i
            for i in still
            if i.rolled_there
            or (
                t_s - i.static_since_s >= STATIC_S
                and (
                    (i.rest.n >= LAIN_IMAGES and not i.is_mark)
                    or any(math.dist(i.place_mm, p) < KNOWN_MM for p in lost_mm)
                )
            )
        ]

    def stir(self, t_s: float) -> bool:
        """Whether something that may be a ball is in sight and moves at a time."""
        return any(not i.misses for i in self.moving(t_s))

    def awaited(self, t_s: float, since_s: float) -> bool:
        """Whether what rolled, for certain a ball and none that was known, may come into sight again."""
        if since_s < self.lost_s and t_s - self.lost_s < LOST_S:
            return True
        hidden = (i for i in self.items if i.hidden and not i.of_ball)
        return any(
            since_s < i.seen_s and t_s - i.seen_s < HIDDEN_S and i.rolled_in is not None for i in hidden
        )

    def rolling(self, t_s: float) -> list[Tentative]:
        """What rolls at a time, and may be a ball."""
        return [i for i in self.items if i.rolls(t_s) and not i.misses and i.may_roll]

    def rolls_since_s(self, t_s: float) -> float | None:
        """Since when something rolls that is a ball for certain; None where nothing does."""
        ways = ((i, i.set_off or i.began) for i in self.rolling(t_s) if len(i.points) >= SURE_IMAGES)
        return min((since.t_s for i, since in ways if _apart_mm(since, i.points[-1]) > SURE_MM), default=None)

    def settled(
        self,
        t_s: float,
        covered: CellMask | None,
        radius_mm: float,
        set_down: Callable[[float, float], bool] = lambda _x_mm, _y_mm: False,
    ) -> list[Tentative]:
        """Tracks that lie still long enough to be balls on the table; longer while a hand is near.

        `set_down`: places where a hand stays at what it has put down (a striker before its stroke).
        """
        out = []
        for item in self.items:
            still = t_s - item.static_since_s
            if (
                item.misses
                or item.is_mark
                or still < STATIC_S
                or (item.rest.n < 2 and (still < 2 * STATIC_S or item.confidence < 0.8))
            ):
                continue
            close = near_cover(covered, item.rest.x_mm, item.rest.y_mm, radius_mm * 2)
            waits = STATIC_S if set_down(item.rest.x_mm, item.rest.y_mm) else STATIC_NEAR_COVER_S
            if close and still < waits:
                continue
            out.append(item)
        return out

    def remove(self, item: Tentative) -> None:
        self.items = [i for i in self.items if i is not item]
