"""Time that is missing from a recording though no clock says so: from one image to the next a ball is
somewhere else.

A recording that is cut, or whose images are counted instead of timed, goes on as if nothing were missing.
That time is missing is a hypothesis of the span like any other: with it the images behind are so much later.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from calibration.table.specs import PointMm
from tracker.explain.joining import UNSEEN_MM_S, Ending, Joiner, Joining, apart
from tracker.explain.tracklets import Tracklet
from vision.observation import ImageObservations


@dataclass(frozen=True, slots=True)
class Lost:
    """Time lost behind the image at `at_s`, over which a ball came from one place to another (mm)."""

    at_s: float
    lost_s: float
    from_mm: PointMm = (0.0, 0.0)
    to_mm: PointMm = (0.0, 0.0)

    def later(self, images: Sequence[ImageObservations]) -> list[ImageObservations]:
        """The images by a clock that did not stop."""
        return [replace(i, t_s=i.t_s + self.lost_s) if i.t_s > self.at_s else i for i in images]

    def shown_s(self, t_s: float) -> float:
        """When the recording shows what was at a time of that clock."""
        return t_s if t_s <= self.at_s else max(self.at_s, t_s - self.lost_s)

    def tells(self, joiner: Joiner, joining: Joining) -> bool:
        """Whether a joining of the later images has that ball come from there to here: another has no use for
        lost time but to fit better.
        """
        steps = (
            (joiner.pieces[a].tail, joiner.pieces[b].head)
            for c in joining.chains
            for a, b in pairwise(c.pieces)
        )
        return any(
            math.dist((a.x, a.y), self.from_mm) < SAME_MM and math.dist((b.x, b.y), self.to_mm) < SAME_MM
            for a, b in steps
        )


def lost_time(joiner: Joiner) -> Lost | None:
    """Where time must be missing if a ball that is gone unseen, as a likely joining has it, is what appears
    further away than any ball goes, or if a way that is joined to nothing begins or ends so; None if there is
    no such ball.
    """
    gone, nowhere = set[int](), set[int]()
    firsts: dict[int, set[int]] = {p.number: {p.number} for p in joiner.pieces}
    ways = {p.number for p in joiner.pieces if p.n >= A_WAY and p.top_speed > 0.0}
    for joining in joiner.best:
        gone |= {c.pieces[-1] for c in joining.chains if _unseen(c.end)}
        nowhere |= ways - {i for c in joining.chains for i in c.pieces}
        for c in joining.chains:
            firsts[c.pieces[-1]].add(c.pieces[0])
    found = [
        (b.first, away_mm, a, b)
        for a in joiner.pieces
        for b in joiner.pieces
        if (a.number in gone | nowhere or b.number in nowhere)
        and (away_mm := _jump_mm(joiner, a, b))
        and any(joiner.same_colour(joiner.pieces[k], b) > 0.0 for k in firsts[a.number])
    ]
    if not found:
        return None
    image, away_mm, a, b = min(found, key=lambda f: f[:2])
    at_s = float(joiner.views.t_s[image - 1])
    return Lost(at_s, away_mm / UNSEEN_MM_S, (a.tail.x, a.tail.y), (b.head.x, b.head.y))


def _unseen(end: Ending) -> bool:
    """Whether a ball is gone and nobody saw how."""
    return end.kind in ("vanished", "lifted", "off") or end.unseen is not None


def _jump_mm(joiner: Joiner, a: Tracklet, b: Tracklet) -> float:
    """How far a piece that is seen more than once begins from where another ended just before, if that is
    further than any ball goes; else 0. A layout behind the images has no time of its own.
    """
    if b.n < LEAST_SEEN or not a.last < b.first <= a.last + SOON or joiner.views.layout[b.first]:
        return 0.0
    dt_s, away_mm = apart(a, b)
    return away_mm if away_mm > joiner.likelihood.found.fastest_mm_s * dt_s else 0.0


LEAST_SEEN, SOON = 2, 5
"""A ball that jumped is seen so often behind it, within so many images."""
A_WAY = 5
"""What is seen to roll in so many images is left as clutter only for want of an explanation."""
SAME_MM = 30.0
"""Pieces of track that end or begin so near are the same, with the images' times moved: about a radius."""
