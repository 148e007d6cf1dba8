"""Time that is missing from a recording though no clock says so: from one image to the next a ball is
somewhere else.

A recording that is cut, or whose images are counted instead of timed, goes on as if nothing were missing.
That time is missing is a hypothesis of the span like any other: with it the images behind are so much later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tracker.explain.joining import UNSEEN_MM_S, Ending, Joiner, Joining, apart
from tracker.explain.tracklets import Tracklet
from vision.observation import ImageObservations


@dataclass(frozen=True, slots=True)
class Lost:
    """Time lost behind the image at `at_s`."""

    at_s: float
    lost_s: float

    def later(self, images: Sequence[ImageObservations]) -> list[ImageObservations]:
        """The images by a clock that did not stop."""
        return [replace(i, t_s=i.t_s + self.lost_s) if i.t_s > self.at_s else i for i in images]

    def shown_s(self, t_s: float) -> float:
        """When the recording shows what was at a time of that clock."""
        return t_s if t_s <= self.at_s else max(self.at_s, t_s - self.lost_s)


def lost_time(joiner: Joiner) -> Lost | None:
    """Where time must be missing if a ball that is gone unseen, or a way that leads nowhere, as a joining has
    it, is what appears further away than any ball goes; None if there is no such ball.
    """
    gone = {pieces for joining in joiner.best for pieces in _ended_nowhere(joiner, joining)}
    found = [
        (b.first, apart(joiner.pieces[pieces[-1]], b)[1])
        for pieces in gone
        for b in joiner.pieces
        if _jumped(joiner, pieces, b)
    ]
    if not found:
        return None
    first, away_mm = min(found)
    return Lost(float(joiner.views.t_s[first - 1]), away_mm / UNSEEN_MM_S)


def _ended_nowhere(joiner: Joiner, joining: Joining) -> Iterator[tuple[int, ...]]:
    """The pieces of what is gone unseen in a joining, and of what rolls and is joined to nothing."""
    joined = {i for c in joining.chains for i in c.pieces}
    yield from (c.pieces for c in joining.chains if _unseen(c.end))
    rolls = (p for p in joiner.pieces if p.n >= A_WAY and p.top_speed > 0.0)
    yield from ((p.number,) for p in rolls if p.number not in joined)


def _unseen(end: Ending) -> bool:
    """Whether a ball is gone and nobody saw how."""
    return end.kind in ("vanished", "lifted", "off") or end.unseen is not None


def _jumped(joiner: Joiner, pieces: Sequence[int], b: Tracklet) -> bool:
    """Whether a piece that is seen more than once looks like the ball of other pieces, and nothing but lost
    time lets it be that.
    """
    a = joiner.pieces[pieces[-1]]
    if b.n < LEAST_SEEN or not a.last < b.first <= a.last + SOON:
        return False
    dt_s, away_mm = apart(a, b)
    too_far = away_mm > joiner.likelihood.found.fastest_mm_s * dt_s
    return too_far and joiner.same_colour(joiner.pieces[pieces[0]], b) > 0.0


LEAST_SEEN, SOON = 2, 5
"""A ball that jumped is seen so often behind it, within so many images."""
A_WAY = 5
"""What is seen to roll in so many images is left as clutter only for want of an explanation."""
