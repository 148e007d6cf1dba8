"""Meetings of ball and ball, ball and cushion, cue and ball, and the events that they are to explain.

Every event (a change of a ball's velocity) needs a cause. Balls of equal mass exchange impulses along the
line of centres, a cushion pushes at right angles to itself, the cue strikes the cue-ball, and no ball at rest
sets off by itself. `ball_ball` and `ball_cushion` find which meetings may explain an event, `causes` the sets
of them that explain all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calibration.table.specs import CushionName, TableSpec
from tracker.explain.arena import Arena
from tracker.explain.trajectory import GAP_S, LEAST_NUDGE_MM, SLOWEST_MM_S, Event, Way
from tracker.stroke.paths import Segment

F64 = NDArray[np.float64]
Meeting = Literal["strike", "contact", "cushion"]


@dataclass(frozen=True, slots=True)
class Interaction:
    """One meeting. `balls`: keys of the ways; one for a strike or a cushion."""

    kind: Meeting
    balls: tuple[int, ...]
    t_s: float
    sigma_s: float
    cushion: CushionName | None

    def met_by(self, ball: int | None) -> int | None:
        """The key of what a ball touches in it; None where it is no contact of that ball."""
        if self.kind != "contact" or ball not in self.balls:
            return None
        return next(b for b in self.balls if b != ball)


@dataclass(frozen=True, slots=True)
class Node:
    """An event to be explained, by its way's key. `struck`: the cue did it, and whatever else fits is free.

    `stays`: a ball at rest beside the event that shows none: what blows it takes must cancel out; of one that
    is `struck` the cue gives what is left. `mass`: as a share of the one that most pieces have.
    """

    ball: int
    event: Event
    struck: bool
    mass: float
    stays: bool = False


@dataclass(frozen=True, slots=True)
class Face:
    """A cushion as a ball may come to it. `place`: the ball's (x, y); `off_mm`: how far off its face is along
    (nx, ny); `spans`: of the face along the side, mm.
    """

    place: tuple[float, float]
    off_mm: float
    nx: float
    ny: float
    spans: tuple[tuple[float, float], ...]

    def met(self, vx: float, vy: float) -> bool:
        """Whether a ball that leaves its place at a velocity comes to the face, and to no pocket."""
        coming = max(-(vx * self.nx + vy * self.ny), 1.0)
        ahead_s = max(self.off_mm, 0.0) / coming
        along = self.place[1] + vy * ahead_s if self.nx else self.place[0] + vx * ahead_s
        return any(low <= along <= high for low, high in self.spans)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A meeting that may explain event `i`, pushing its ball along (nx, ny), and event `j` the other way.

    `j` -1: the other ball shows nothing, and can hide a blow of `hidden_mm_s`. `face`: of a cushion
    that is no pocket's jaw. `touched`: the two balls lay still and touched, so that neither goes without the
    other in its way feeling it.
    """

    what: Interaction
    i: int
    j: int
    nx: float
    ny: float
    logp: float
    hidden_mm_s: float = math.inf
    face: Face | None = None
    touched: bool = False


WITHIN = 14.0
LEAST_MM_S = 20.0
MODEL_MM = 0.8
"""What curves are wrong by where balls meet, beyond their own sigma."""
MOST_BYSTANDERS = 12
AT_ONCE_MM = 1.5
"""Balls at rest this near pass a blow on within the same image (two seen as apart by their own errors)."""


def nodes_of(ways: Mapping[int, Way], cue: int | None, arena: Arena) -> tuple[list[Interaction], list[Node]]:
    """The strike, which is the cue-ball's first start, and all events in order of time."""
    strikes, nodes = [], []
    for key, w in ways.items():
        for k, e in enumerate(w.events):
            if key == cue and k == 0 and e.kind == "start":
                strikes.append(Interaction("strike", (key,), e.t_s, e.sigma_s, None))
            struck = key == cue and k == 0 and e.kind == "start"
            nodes.append(
                Node(
                    key,
                    replace(e, early_s=_by_cushion_s(e, w, arena.radius_mm(key), arena)),
                    struck,
                    arena.mass(key),
                )
            )
    return strikes, sorted(nodes, key=lambda n: n.event.t_s)


def _by_cushion_s(e: Event, way: Way, radius_mm: float, arena: Arena) -> float:
    """How long a ball that comes away from a cushion may have taken to it, from where it lay, and back."""
    if e.kind != "start" or e.nudge_mm or e.size < LEAST_MM_S:
        return 0.0
    x, y, _ = way.place
    gaps = [(off, e.dv[0] * nx + e.dv[1] * ny) for off, nx, ny in sides(x, y, radius_mm, arena.table)]
    times = [2 * max(off, 0.0) / away for off, away in gaps if away > 0.3 * e.size]
    return min((s for s in times if s < MOST_BY_CUSHION_S), default=0.0)


MOST_BY_CUSHION_S = 0.35
"""A ball that takes longer to a cushion and back is seen on its way."""


def sides(x: float, y: float, radius_mm: float, table: TableSpec) -> tuple[tuple[float, float, float], ...]:
    """Of each of `CUSHIONS` how far a ball is from it, mm, and the unit vector away from it."""
    w, r = table.half_width_mm, radius_mm
    return (
        (y - table.bottom_mm - r, 0.0, 1.0),
        (table.top_mm - r - y, 0.0, -1.0),
        (x + w - r, 1.0, 0.0),
        (w - r - x, -1.0, 0.0),
    )


def bystanders(nodes: Sequence[Node], ways: Mapping[int, Way], arena: Arena) -> list[Node]:
    """Balls at rest that an event's ball, or a ball at rest that touches it, may have pushed in vain."""
    out: dict[tuple[int, int], Node] = {}
    for n, node in enumerate(nodes):
        e = node.event
        free = {k: w for k, w in ways.items() if k != node.ball and _rests(w, e)}
        ring = [place_at(ways[node.ball], e)]
        slack, d = 3.0 + travel_mm(e), arena.table.ball_diameter_mm
        while ring and len(out) < MOST_BYSTANDERS:
            near = [k for k, w in free.items() if any(math.dist(w.at(e.t_s), p) < d + slack for p in ring)]
            near = near[: MOST_BYSTANDERS - len(out)]
            ring = [free.pop(k).at(e.t_s) for k in near]
            for k in near:
                out[k, n] = Node(k, _still_event(ways[k], e), False, arena.mass(k), stays=True)
            slack = 2 * AT_ONCE_MM
    return list(_apart(out))


def stopped_dead(nodes: Sequence[Node], ways: Mapping[int, Way], cue: int | None, arena: Arena) -> list[Node]:
    """The cue-ball as the first ball sets off, if it shows no event itself: it may have been struck into a
    ball that it all but touched, and have stayed there.
    """
    first = next((n.event for n in nodes if not n.stays), None)
    way = None if cue is None else ways.get(cue)
    if cue is None or way is None or way.events or first is None or first.kind != "start":
        return []
    return [Node(cue, _still_event(way, first), struck=True, mass=arena.mass(cue), stays=True)]


def _apart(found: Mapping[tuple[int, int], Node]) -> list[Node]:
    """One bystander for each ball and moment."""
    kept: list[Node] = []
    for (ball, _), node in found.items():
        if not any(k.ball == ball and abs(k.event.t_s - node.event.t_s) < 0.05 for k in kept):
            kept.append(node)
    return kept


def _rests(way: Way, e: Event) -> bool:
    """Whether a ball lies still around the time of another's event."""
    lo, hi = window(e)
    if way.since_s > e.t_s or any((f.lo_s < hi and lo < f.hi_s) or lo < f.t_s < hi for f in way.events):
        return False
    seg = way.segment_at(e.t_s)
    return seg is None or math.hypot(*seg.velocity(e.t_s)) < LEAST_MM_S


def _still_event(way: Way, e: Event) -> Event:
    x, y = way.at(e.t_s)
    rest = Segment(e.t_s, e.lo_s, e.hi_s, 1, (x, 0.0, 0.0), (y, 0.0, 0.0), _STILL_COV)
    return Event("start", e.t_s, e.sigma_s, e.lo_s, e.hi_s, rest, rest, (0.0, 0.0), 10.0)


_STILL_COV = ((0.2, 0.0, 0.0), (0.0, 100.0, 0.0), (0.0, 0.0, 1.0))


def window(e: Event) -> tuple[float, float]:
    margin = 0.25 * between_s(e) + 0.004 + 2 * e.sigma_s
    if (
        e.kind == "start"
    ):  # its first image is where it is seen to have left; the rest before it is known less well
        # a ball that goes so slowly seems to lie where it lay until it has gone as far as shows
        unseen_s = LEAST_NUDGE_MM / max(e.size, SLOWEST_MM_S) if e.nudge_mm else 0.0
        return max(e.lo_s, e.t_s - margin - 0.04 - e.early_s) - unseen_s, max(e.hi_s, e.t_s) + margin
    return min(e.lo_s, e.t_s) - margin, max(e.hi_s, e.t_s) + margin


def between_s(e: Event) -> float:
    """How long nobody saw what happened. A ball at rest is seldom looked at, which says nothing."""
    return min(e.hi_s - e.lo_s, GAP_S) if e.kind == "start" else e.hi_s - e.lo_s


def place_at(way: Way, e: Event) -> tuple[float, float]:
    return way.place[:2] if e.before is None else e.before.at(e.t_s)


def sigma_mm(seg: Segment | None, way: Way, t_s: float) -> float:
    return way.place[2] if seg is None else min(seg.sigma(t_s), 60.0)


def travel_mm(e: Event) -> float:
    """How far the ball can go between the images of its event, mm."""
    before = 0.0 if e.before is None else math.hypot(*e.before.velocity(e.t_s))
    return min(max(before, e.size) * (e.hi_s - max(e.lo_s, e.t_s - 0.06)), 120.0)


def moving_on(way: Way, t_s: float) -> tuple[Segment | None, float]:
    """The curve on which a ball is at a time, and its speed there; none at rest."""
    seg = way.segment_at(t_s)
    return seg, 0.0 if seg is None else math.hypot(*seg.velocity(t_s))
