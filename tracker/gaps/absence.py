"""Balls after a span without usable images: one that lies where it lay keeps its name, all others are named
anew.

Nothing is concluded about how balls came to lie elsewhere: strokes and hands that nobody saw are not
invented.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from tracker.association.follower import Follower
from tracker.ball import Ball, BallState
from tracker.detections.cover import near_cover
from tracker.identity.identify import lay
from tracker.identity.numbering import names_for
from tracker.place import Rest
from vision.observation import ImageObservations, UnusableReason

BRIDGED_S = 0.5
"""Balls in motion are found again over a span up to this, as over lost images."""
STILL_S = 0.7
"""All must lie still this long after a longer span before the layout is read: three whole looks."""
PATIENCE_S = 90.0
"""The layout is read after this long whatever moves."""
SAME_MM, SAME_SIGMAS = 6.0, 5.0
"""A ball found this near to where it lay has lain there all the time."""
SURE = 0.6
RANK: tuple[UnusableReason, ...] = (
    "images_lost",
    "corrupt",
    "no_colour",
    "other_view",
    "size_changed",
    "clock_changed",
)
"""Of several reasons in one span the last of these is told."""


@dataclass(slots=True)
class Absence:
    """From the last usable image to the layout after the span. `fresh`: what is followed since the return."""

    start_s: float
    end_s: float
    reason: UnusableReason
    fresh: Follower | None = None
    quiet_s: float = 0.0
    moved: bool = False

    def prolong(self, image: ImageObservations) -> None:
        """One more image that shows nothing; what was seen since an earlier return is void."""
        self.end_s, self.fresh = image.t_s, None
        if image.unusable is not None and RANK.index(image.unusable) > RANK.index(self.reason):
            self.reason = image.unusable

    def brief(self, t_s: float) -> bool:
        """Whether motion can be followed over it to an image at a time."""
        return self.reason != "clock_changed" and t_s - self.start_s <= BRIDGED_S

    def follow(self, table: TableSpec, pieces: PieceSet, image: ImageObservations) -> bool:
        """Take an image after the return; whether all has been still for long enough to read the layout."""
        if self.fresh is None:
            self.fresh = Follower(table, pieces)
            self.fresh.begin(image)
            self.end_s = self.quiet_s = image.t_s
            self.moved = False
            return False
        if image.observations or image.looked is None or image.looked.any or self.fresh.stirs:
            self.fresh.step(image)
        else:
            self.fresh.t_s = image.t_s
        if self.fresh.stirs:
            self.quiet_s, self.moved = image.t_s, True
        return image.t_s - self.quiet_s > STILL_S or image.t_s - self.end_s > PATIENCE_S

    def over_s(self, t_s: float) -> float:
        """When the span ended: at the first image after it, or when what then moved had come to rest."""
        return t_s if self.moved else self.end_s


def unchanged(follower: Follower, image: ImageObservations) -> bool:
    """Whether an image shows every ball where it lay, or covered, or nothing that changed there, and nothing
    else.
    """
    if any(b.state is BallState.LEFT for b in follower.balls):
        return False
    seen = follower.usable(image)
    at_rest = [b for b in follower.balls if b.state is BallState.REST]
    explained = set()
    for b in at_rest:
        near = [k for k, o in enumerate(seen) if _same(b.rest, o.x_mm, o.y_mm, o.sigma_mm)]
        explained.update(near)
        looked = image.looked is None or image.looked.at(*b.place)
        if looked and not near and not _covered(b.rest, image, follower.table):
            return False
    strange = [o for k, o in enumerate(seen) if k not in explained and o.confidence >= SURE]
    return not any(not follower.tentatives.knows(o, image.t_s) for o in strange)


def lay_still(balls: list[Ball]) -> None:
    """Balls that were only missed before the span (the picture was fading) had not moved."""
    for b in balls:
        if b.state is BallState.LEFT and b.legs and not any(leg.points for leg in b.legs):
            b.rest = b.before or b.rest
            b.state, b.track, b.legs, b.before = BallState.REST, None, [], None


@dataclass(frozen=True, slots=True)
class Found:
    """The balls after an absence by name: those that lay there all the time, those that lie elsewhere or
    are new (with their rest), and those that are not there."""

    stayed: tuple[str, ...]
    elsewhere: dict[str, Ball]
    gone: tuple[str, ...]

    @property
    def changed(self) -> bool:
        return bool(self.elsewhere or self.gone)


def found_again(old: list[Ball], fresh: Follower, image: ImageObservations) -> Found:
    """Name what lies on the table now after the balls known before."""
    _lay_what_rolled(fresh)
    free = [b for b in fresh.balls if b.state is BallState.REST]
    known = [b for b in old if b.state is not BallState.GONE]
    seen, covered = _where_they_lay([b for b in known if not b.legs], free, fresh, image)
    accounted = {b.name for b in (*seen, *covered)}
    missing = [b for b in known if b.name not in accounted]
    gone = [b for b in old if b.state is BallState.GONE]
    elsewhere: dict[str, Ball] = {}
    for f in free:
        # what lies elsewhere and looks like one that may be covered is rather that one than one off the table
        owners = (b for b in (*missing, *covered, *gone) if b.colour == f.colour and b.name not in elsewhere)
        taken = [*(b.name for b in old), *elsewhere]
        name = next((b.name for b in owners), None) or names_for([f.colour], taken, fresh.pieces)[0]
        if name is not None:
            elsewhere[name] = f
    stayed = (b.name for b in (*seen, *covered) if b.name not in elsewhere)
    return Found(tuple(stayed), elsewhere, tuple(b.name for b in missing if b.name not in elsewhere))


def _where_they_lay(
    known: Sequence[Ball], free: list[Ball], fresh: Follower, image: ImageObservations
) -> tuple[list[Ball], list[Ball]]:
    """The known balls that are seen where they lay, which are taken out of those found (`free`), and those
    whose places are covered.
    """
    seen, covered = [], []
    for b in known:
        there = _nearest(b.rest, free)
        if there is not None:
            free.remove(there)
        if there is not None or _settled_there(b.rest, fresh):
            seen.append(b)
        elif _covered(b.rest, image, fresh.table):
            covered.append(b)
    return seen, covered


def _lay_what_rolled(fresh: Follower) -> None:
    """Balls that rolled when the pictures came back lie where the tracks on which they left came to rest."""
    there = fresh.tentatives.lying(fresh.t_s)
    for ball in fresh.balls:
        track = ball.track
        if ball.state is BallState.LEFT and track is not None and track in there:
            lay(fresh.table, ball, track)
            fresh.tentatives.remove(track)


def _nearest(rest: Rest, balls: list[Ball]) -> Ball | None:
    """The nearest of the balls that lie in a place, None where none does."""
    there = [f for f in balls if _same(rest, f.rest.x_mm, f.rest.y_mm, f.rest.sigma_mm)]
    return min(
        there, key=lambda f: math.hypot(f.rest.x_mm - rest.x_mm, f.rest.y_mm - rest.y_mm), default=None
    )


def _same(rest: Rest, x_mm: float, y_mm: float, sigma_mm: float) -> bool:
    limit = max(SAME_MM, SAME_SIGMAS * math.hypot(rest.sigma_mm, sigma_mm))
    return math.hypot(x_mm - rest.x_mm, y_mm - rest.y_mm) < limit


def _covered(rest: Rest, image: ImageObservations, table: TableSpec) -> bool:
    return near_cover(image.covered, rest.x_mm, rest.y_mm, table.ball_radius_mm)


def _settled_there(rest: Rest, fresh: Follower) -> bool:
    """Whether something lies there that the first image after the span missed."""
    return any(
        i.rest.n >= 2 and _same(rest, i.rest.x_mm, i.rest.y_mm, i.rest.sigma_mm)
        for i in fresh.tentatives.items
    )
