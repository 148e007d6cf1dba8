"""Tentative tracks: observations that no known ball explains (clutter, balls in or out of a hand)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from calibration.table.specs import PointMm
from tracker.ball import Point, Rest
from tracker.detections.people import near_cover
from tracker.events import PossibleBall
from tracker.params import COLOUR_FLOOR
from vision.observation import CellMask, ImageObservations, Observation

STATIC_S = 0.3
STATIC_NEAR_COVER_S = 1.2
MAX_KEPT = 60
STALE_S, STALE_MM = 0.4, 30.0
"""A track not seen for so long, though nobody looked for it, is taken up again near its place only, and so is
a mark: it does not roll."""
KNOWN_IMAGES, KNOWN_S, KNOWN_CONFIDENCE, KNOWN_MM = 3, 1.0, 0.65, 10.0
"""Seen this often, for this long, this unsure, and this near to where it was: known to be no ball."""
LAIN_IMAGES = 2
"""A track seen at one place as often lies there."""
LEAST_POSSIBLE = 0.001
"""What is a ball with less probability than that is none for certain."""
ROLLS_IMAGES, ROLLS_CONFIDENCE = 3, 0.6
ROLLS_MM, ROLLS_SIGMAS = 1.5, 4.0
"""What has come so far within `STATIC_S`, in so many images, rolls; if it is seen as surely, it may be a
ball.
"""
SURE_IMAGES, SURE_MM = 6, 60.0
"""What has been seen in so many images on a way so long is a ball that rolls."""
LAIN_S = 0.1
"""A track seen for as long at its first place lay there: what rolls is gone by then."""


@dataclass(slots=True)
class Tentative:
    """One tentative track: an unexplained detection, followed by its nearest observation."""

    points: list[Point]
    rest: Rest
    static_since_s: float
    logp: list[float] = field(
        default_factory=list
    )  # of each kind of the set; none before the first observation
    misses: int = 0
    seen_s: float = 0.0
    confidence: float = 0.0
    ball_nats: float = 0.0  # mean log-odds, where it lies, that it is a ball
    first: Point | None = None  # kept when `points` are too many

    def add(self, point: Point, obs: Observation, ball_nats: float = 0.0) -> None:
        if self.rest.n and not _at(self.rest, point):
            self.rest = Rest(since_s=point.t_s)
            self.static_since_s = point.t_s
        self.ball_nats += (ball_nats - self.ball_nats) / (self.rest.n + 1)
        self.rest.add(point.t_s, point.x_mm, point.y_mm, point.sigma_mm)
        self.points.append(point)
        self.first = self.first or point
        del self.points[:-MAX_KEPT]
        self.logp = self.logp or [0.0] * len(obs.colour_logp)
        top = max(obs.colour_logp)
        for i, lp in enumerate(obs.colour_logp):
            self.logp[i] += max(lp - top, -COLOUR_FLOOR)
        self.misses = 0
        self.seen_s = point.t_s
        n = len(self.points)
        self.confidence += (obs.confidence - self.confidence) / n

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
        """Whether it is seen as surely as a ball that rolls, with nobody near."""
        late = self.points[-ROLLS_IMAGES:]
        return self.confidence > ROLLS_CONFIDENCE and not any(p.near_cover for p in late)

    def rolls(self, t_s: float) -> bool:
        """Whether it has come further of late, up to a time, than it is seen exactly."""
        late = [p for p in self.points if p.t_s > t_s - STATIC_S]
        if len(late) < ROLLS_IMAGES:
            return False
        sigma_mm = math.hypot(late[0].sigma_mm, late[-1].sigma_mm)
        return _apart_mm(late[0], late[-1]) > max(ROLLS_MM, ROLLS_SIGMAS * sigma_mm)

    @property
    def look(self) -> Observation:
        """All looks at it where it lies, as one."""
        place, looks = self.rest, max(len(self.points), 1)
        colours = tuple(v / looks for v in self.logp)
        return Observation(place.x_mm, place.y_mm, place.place_sigma_mm, 0.0, 0.0, colours, self.confidence)

    @property
    def ball_probability(self) -> float:
        """That what lies there is a ball."""
        return 1.0 / (1.0 + math.exp(-self.ball_nats))

    @property
    def lay_at_first(self) -> bool:
        """Whether it lay still when it was seen first, wherever it has gone since."""
        first = self.points[0]
        lay = Rest(since_s=first.t_s)
        lay.add(first.t_s, first.x_mm, first.y_mm, first.sigma_mm)
        return any(p.t_s - first.t_s >= LAIN_S for p in takewhile(lambda p: _at(lay, p), self.points))

    @property
    def is_mark(self) -> bool:
        """Whether what has lain there for some images is rather a mark, leather or a print than a ball."""
        return self.rest.n >= LAIN_IMAGES and self.ball_nats < 0.0


def _apart_mm(a: Point, b: Point) -> float:
    return math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm)


def _at(rest: Rest, point: Point) -> bool:
    """Whether a ball is seen where it lay, by the sigmas of both."""
    away_mm = math.hypot(point.x_mm - rest.x_mm, point.y_mm - rest.y_mm)
    return away_mm <= max(3.0, 5 * math.hypot(rest.sigma_mm, point.sigma_mm))


class Tentatives:
    """The tentative tracks; bounded."""

    def __init__(self) -> None:
        self.items: list[Tentative] = []

    def update(
        self,
        observations: list[Observation],
        near: list[bool],
        image: ImageObservations,
        ball_nats: Sequence[float] | None = None,
    ) -> None:
        """Follow, start and forget tentative balls with one image's unmatched observations, of which
        `ball_nats` are the log-odds that they are balls at rest.
        """
        seen: set[int] = set()
        odds = [0.0] * len(observations) if ball_nats is None else ball_nats
        for obs, close, nats in zip(observations, near, odds, strict=True):
            point = Point(image.index, image.t_s, obs.x_mm, obs.y_mm, obs.sigma_mm, close)
            item = self._nearest(obs, image.t_s, seen)
            if item is None:
                item = Tentative([], Rest(since_s=image.t_s), image.t_s)
                self.items.append(item)
            item.add(point, obs, nats)
            seen.add(id(item))
        for item in self.items:
            if id(item) in seen:
                continue
            x, y = item.rest.x_mm, item.rest.y_mm
            hidden = image.covered is not None and image.covered.at(x, y)
            if (image.looked is None or image.looked.at(x, y)) and not hidden:
                item.misses += 1
        self.items = [
            i
            for i in self.items
            if i.misses < (2 if len(i.points) < 4 else 4) and image.t_s - i.points[0].t_s < 600.0
        ][-MAX_KEPT:]

    def _nearest(self, obs: Observation, t_s: float, seen: set[int]) -> Tentative | None:
        best, found = 1e9, None
        for item in self.items:
            if id(item) in seen:
                continue
            p = item.points[-1]
            reach = min(4000.0 * (t_s - p.t_s), 250.0 if not item.misses else 60.0) + 5.0
            if t_s - p.t_s > STALE_S or item.is_mark:
                reach = min(reach, STALE_MM)
            d = math.hypot(obs.x_mm - p.x_mm, obs.y_mm - p.y_mm)
            if d < reach and d < best:
                best, found = d, item
        return found

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
            i
            for i in self.items
            if i.rest.n >= LAIN_IMAGES and not i.misses and t_s - i.static_since_s >= STATIC_S
        )
        found = (PossibleBall(i.rest.x_mm, i.rest.y_mm, i.ball_probability) for i in lain)
        return tuple(b for b in found if b.probability >= LEAST_POSSIBLE)

    def lying(self, t_s: float, lost_mm: Sequence[PointMm] = ()) -> list[Tentative]:
        """What has lain unexplained for a while at a time and may be a ball. `lost_mm`: where balls lay that
        are lost; what lies there is no mark, however it was seen.
        """
        still = (i for i in self.items if not i.misses and not i.rolls(t_s))
        return [
            i
            for i in still
            if t_s - i.static_since_s >= STATIC_S
            and (
                (i.rest.n >= LAIN_IMAGES and not i.is_mark)
                or any(math.dist(i.place_mm, p) < KNOWN_MM for p in lost_mm)
            )
        ]

    def roll(self, t_s: float) -> bool:
        """Whether something that may be a ball rolls at a time."""
        return any(i.rolls(t_s) and not i.misses and i.may_roll for i in self.items)

    def rolls_since_s(self, t_s: float) -> float | None:
        """Since when something rolls that is a ball for certain; None where nothing does."""
        sure = (i for i in self.items if i.rolls(t_s) and i.may_roll and not i.misses)
        far = (i for i in sure if len(i.points) >= SURE_IMAGES and _apart_mm(i.began, i.points[-1]) > SURE_MM)
        return min((i.began.t_s for i in far), default=None)

    def lain_since_s(self, obs: Observation) -> float:
        """Since when something unexplained has lain where an observation is, inf if nothing has."""
        return min(
            (
                i.static_since_s
                for i in self.items
                if i.rest.n >= LAIN_IMAGES
                and math.hypot(obs.x_mm - i.rest.x_mm, obs.y_mm - i.rest.y_mm) < KNOWN_MM
            ),
            default=math.inf,
        )

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
