"""Meetings of ball and ball, ball and cushion, cue and ball: where paths meet, and how likely that they did.

Every event (a change of a ball's velocity) needs a cause. Balls of equal mass exchange impulses along the
line of centres, a cushion pushes at right angles to itself, the cue strikes the cue-ball, and no ball at rest
sets off by itself. Events that happen between the same two images are explained together: for a set of
meetings the impulses that fit all changes of velocity best are found by non-negative least squares, and what
is left over is the set's likelihood. A beam finds the best sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from calibration.table.pockets import in_mouth
from calibration.table.specs import CushionName, TableSpec
from tracker.explain.arena import Arena
from tracker.explain.priors import log_prior
from tracker.explain.sliding import less_sliding
from tracker.explain.trajectory import GAP_S, LEAST_NUDGE_MM, SLOWEST_MM_S, Event, Way
from tracker.stroke.paths import Segment

F64 = NDArray[np.float64]
Bits = NDArray[np.bool_]
Meeting = Literal["strike", "contact", "cushion"]
BEAM, MOST_MEETINGS = 8, 12
"""Sets that are kept while one group grows; meetings in one group."""
CROWD, CROWD_BEAM = 24, 3
"""Of more candidates than this (a pack that is opened) fewer sets are kept."""
MOST_SETS = 1500
"""Sets of meetings that are weighed for a span: 0.15 ms each, so that the search takes 0.25 s at most."""
MOST_BYSTANDERS = 12
MOST_CAUSES = 16
WITHIN = 14.0
STEPS = 33
MODEL_MM = 0.8
"""What curves are wrong by where balls meet, beyond their own sigma."""
CAUSELESS = log_prior(1e-4)
"""Log-probability that a ball at rest sets off though nothing that moves leads to it (a hand, a wrong
curve). Assumed; in the tracks tier none does.
"""
UNKNOWN, UNKNOWN_MM_S = -3.5, 30.0
"""Log-probability that something unknown adds to an event's blows, and the scale of how it falls with their
size.
"""
FEIGNED_MM, FEIGNED = 1.0, log_prior(0.01)
"""How far light or a ball beside it moves the outline of a ball at rest: one sigma; how often by more: 2
of 5,600 balls in the tracks tier (19 of 21 such nudges were real); one in 100 is assumed for real rooms.
"""
A_MEETING = -1.0
"""Log-probability of each meeting: two are not assumed where one does."""
GRAZE = log_prior(0.02)
"""Log-probability that two balls touch so thinly that the one at rest stays: the overlap that does it is a
hundredth of a millimetre or two, places are known to half of one.
"""
BLOW_SHARE = 0.12
"""Share of a change of velocity by which it may differ from the sum of the blows: throw, and sliding between
images.
"""
DRIVEN = 0.2
"""What falls unseen goes where blows drive it: less than this share of its velocity from them is no cause."""
LEAST_MM_S = 20.0
CUSHION_SHARE = 0.35
"""The same where a cushion is met: it grips the ball along its face as well."""
CUSHION_UNSEEN = -3.0
"""Log-probability of each cushion for a ball that was turned where nobody saw it."""
UNTURNED = -8.0
"""Log-probability that a ball is turned on its way by nothing that any meeting explains."""
UNKNOWN_IN_GAP = -0.5
UNSEEN_CONTACT, UNSEEN_TWICE = -2.5, -7.0
"""Log-probability of a contact in a gap: the partner can have come to it; or met another thing after it
too.
"""
AT_ONCE_MM = 1.5
"""Balls at rest this near pass a blow on within the same image (two seen as apart by their own errors)."""


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
class Causes:
    """Meetings for all events, with the log-likelihood of all of them together. `cut`: the search for them
    was cut off by its bounds; `rivals`: all contacts of the cue-ball that it might have tried then.
    """

    interactions: tuple[Interaction, ...]
    logp: float
    cut: bool = False
    rivals: tuple[Interaction, ...] = ()


@dataclass(frozen=True, slots=True)
class _Node:
    """An event to be explained, by its way's key. `struck`: the cue did it, and whatever else fits is free.

    `stays`: a ball at rest beside the event that shows none: what blows it takes must cancel out. `mass`: as
    a share of the one that most pieces have.
    """

    ball: int
    event: Event
    struck: bool
    mass: float
    stays: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A meeting that may explain event `i`, pushing its ball along (nx, ny), and event `j` the other way.

    `j` -1: the other ball shows nothing, and can hide a blow of `hidden_mm_s`.
    """

    what: Interaction
    i: int
    j: int
    nx: float
    ny: float
    logp: float
    hidden_mm_s: float = math.inf


Known = dict[object, "list[Causes]"]
"""The best sets for groups of events that were explained before: ways of one span differ in few balls, so
that most groups come again.
"""


def explain(
    ways: Mapping[int, Way],
    cue: int | None,
    arena: Arena,
    most_sets: int = MOST_SETS,
    known: Known | None = None,
) -> tuple[list[Causes], int]:
    """The best sets of causes, most likely first, and how many sets were weighed. `cue`: key of the
    cue-ball's way; `known`: of this span, added to.
    """
    known = {} if known is None else known
    strikes, nodes = _nodes(ways, cue, arena)
    nodes += _bystanders(nodes, ways, arena)
    candidates = _candidates(nodes, ways, arena)
    kept, used = [Causes(tuple(strikes), 0.0)], 0
    for group in _groups(len(nodes), candidates):
        inside = set(group)
        own = [c for c in candidates if c.i in inside]
        same = _content(group, nodes, own), cue
        if same not in known:
            known[same], n = _explained(group, nodes, own, most_sets - used, cue)
            used += n
        options = known[same]
        sums = [
            Causes(a.interactions + b.interactions, a.logp + b.logp, a.cut or b.cut, a.rivals + b.rivals)
            for a in kept
            for b in options
        ]
        sums.sort(key=lambda c: -c.logp)
        kept = [c for c in sums[:MOST_CAUSES] if c.logp > sums[0].logp - WITHIN]
    return [replace(c, interactions=tuple(sorted(c.interactions, key=lambda x: x.t_s))) for c in kept], used


def _nodes(ways: Mapping[int, Way], cue: int | None, arena: Arena) -> tuple[list[Interaction], list[_Node]]:
    """The strike, which is the cue-ball's first start, and all events in order of time."""
    strikes, nodes = [], []
    for key, w in ways.items():
        for k, e in enumerate(w.events):
            if key == cue and k == 0 and e.kind == "start":
                strikes.append(Interaction("strike", (key,), e.t_s, e.sigma_s, None))
            struck = key == cue and k == 0 and e.kind == "start"
            nodes.append(
                _Node(
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
    t, (x, y) = arena.table, way.place[:2]
    gaps = (
        (x + t.half_width_mm - radius_mm, e.dv[0]),
        (t.half_width_mm - radius_mm - x, -e.dv[0]),
        (y - t.bottom_mm - radius_mm, e.dv[1]),
        (t.top_mm - radius_mm - y, -e.dv[1]),
    )
    times = [2 * max(gap, 0.0) / away for gap, away in gaps if away > 0.3 * e.size]
    return min((s for s in times if s < MOST_BY_CUSHION_S), default=0.0)


MOST_BY_CUSHION_S = 0.35
"""A ball that takes longer to a cushion and back is seen on its way."""


def _bystanders(nodes: Sequence[_Node], ways: Mapping[int, Way], arena: Arena) -> list[_Node]:
    """Balls at rest that an event's ball, or a ball at rest that touches it, may have pushed in vain."""
    out: dict[tuple[int, int], _Node] = {}
    for n, node in enumerate(nodes):
        e = node.event
        free = {k: w for k, w in ways.items() if k != node.ball and _rests(w, e)}
        ring = [_place(ways[node.ball], e)]
        slack, d = 3.0 + _travel(e), arena.table.ball_diameter_mm
        while ring and len(out) < MOST_BYSTANDERS:
            near = [k for k, w in free.items() if any(math.dist(w.at(e.t_s), p) < d + slack for p in ring)]
            near = near[: MOST_BYSTANDERS - len(out)]
            ring = [free.pop(k).at(e.t_s) for k in near]
            for k in near:
                out[k, n] = _Node(k, _still_event(ways[k], e), False, arena.mass(k), stays=True)
            slack = 2 * AT_ONCE_MM
    return list(_apart(out))


def _apart(found: Mapping[tuple[int, int], _Node]) -> list[_Node]:
    """One bystander for each ball and moment."""
    kept: list[_Node] = []
    for (ball, _), node in found.items():
        if not any(k.ball == ball and abs(k.event.t_s - node.event.t_s) < 0.05 for k in kept):
            kept.append(node)
    return kept


def _rests(way: Way, e: Event) -> bool:
    """Whether a ball lies still around the time of another's event."""
    lo, hi = _window(e)
    if way.since_s > e.t_s or any((f.lo_s < hi and lo < f.hi_s) or lo < f.t_s < hi for f in way.events):
        return False
    seg = way.segment_at(e.t_s)
    return seg is None or math.hypot(*seg.velocity(e.t_s)) < LEAST_MM_S


def _still_event(way: Way, e: Event) -> Event:
    x, y = way.at(e.t_s)
    rest = Segment(e.t_s, e.lo_s, e.hi_s, 1, (x, 0.0, 0.0), (y, 0.0, 0.0), _STILL_COV)
    return Event("start", e.t_s, e.sigma_s, e.lo_s, e.hi_s, rest, rest, (0.0, 0.0), 10.0)


_STILL_COV = ((0.2, 0.0, 0.0), (0.0, 100.0, 0.0), (0.0, 0.0, 1.0))


def _travel(e: Event) -> float:
    """How far the ball can go between the images of its event, mm."""
    before = 0.0 if e.before is None else math.hypot(*e.before.velocity(e.t_s))
    return min(max(before, e.size) * (e.hi_s - max(e.lo_s, e.t_s - 0.06)), 120.0)


def _groups(n: int, candidates: Sequence[_Candidate]) -> list[list[int]]:
    """Events that candidates connect, in groups."""
    label = list(range(n))
    for c in candidates:
        if c.j >= 0 and label[c.i] != label[c.j]:
            old, new = label[c.i], label[c.j]
            label = [new if x == old else x for x in label]
    groups: dict[int, list[int]] = {}
    for i, x in enumerate(label):
        groups.setdefault(x, []).append(i)
    return list(groups.values())


# -- one group ---------------------------------------------------------------------------------------------


_Set = tuple[float, tuple[int, ...], frozenset[int]]
"""Log-likelihood of a set of meetings, the set (indices of candidates), and the events that it explains
poorly.
"""
POOR, POOR_NUDGE = -2.5, -0.2
"""An event (a nudge) less likely than this is worth another meeting: a graze makes a nudge."""


def _content(group: Sequence[int], nodes: Sequence[_Node], own: Sequence[_Candidate]) -> object:
    """All that the best sets of a group hang on, whatever the numbers of its events."""
    place = {n: k for k, n in enumerate(group)}
    return tuple(nodes[n] for n in group), tuple(
        (c.what, place[c.i], place.get(c.j, -1), c.nx, c.ny, c.logp, c.hidden_mm_s) for c in own
    )


def _explained(
    group: list[int],
    nodes: Sequence[_Node],
    own: Sequence[_Candidate],
    most_sets: int,
    cue: int | None,
) -> tuple[list[Causes], int]:
    """The best sets of meetings for the events of one group, and how many were weighed. `own`: the meetings
    that may explain them.
    """
    weighed_in = _group(group, nodes)
    states = [_scored((), own, weighed_in)]
    done = {s[1]: s for s in states}
    moving = {n for n in group if nodes[n].struck or nodes[n].event.kind == "bend"}
    beam, weighed = (BEAM if len(own) <= CROWD else CROWD_BEAM), 0
    for _ in range(min(MOST_MEETINGS, len(own))):
        sets = {more: None for s in states for more in _grown(s, own, moving) if more not in done}
        grown = [_scored(more, own, weighed_in) for more in sets]
        weighed += len(grown)
        states = sorted(grown, key=lambda s: -s[0])[:beam]
        done |= {s[1]: s for s in states}
        if not states or weighed > most_sets:
            break
    best = sorted(done.values(), key=lambda s: -s[0])[:BEAM]
    cut = len(own) > CROWD or weighed > most_sets or len(best[0][1]) >= MOST_MEETINGS
    contacts = (c.what for c in own if c.what.kind == "contact" and cue in c.what.balls)
    rivals = tuple(contacts) if cut else ()
    return [
        Causes(tuple(own[k].what for k in chosen), logp, cut, rivals)
        for logp, chosen, _ in best
        if logp > best[0][0] - WITHIN
    ], weighed


def _grown(state: _Set, own: Sequence[_Candidate], moving: set[int]) -> Iterator[tuple[int, ...]]:
    """The sets with one meeting more that may explain an event which this set explains poorly."""
    _, chosen, poor = state
    worth = poor | _beside(poor, chosen, own)
    for k, c in enumerate(own):
        if k not in chosen and (c.i in worth or c.j in worth) and _follows(c, chosen, own, moving):
            yield tuple(sorted((*chosen, k)))


def _beside(poor: frozenset[int], chosen: tuple[int, ...], own: Sequence[_Candidate]) -> frozenset[int]:
    """Events that a chosen meeting links to a poorly explained one: a ball on a cushion that is to stay takes
    no blow until the cushion pushes too.
    """
    links = [(own[k].i, own[k].j) for k in chosen if own[k].j >= 0]
    return frozenset(n for link in links if poor & set(link) for n in link)


def _follows(c: _Candidate, chosen: tuple[int, ...], own: Sequence[_Candidate], moving: set[int]) -> bool:
    """Whether a meeting begins with a ball in motion, or with one that a chosen meeting has pushed."""
    if c.j < 0 or c.i in moving or c.j in moving:
        return True
    return any(c.i in (own[k].i, own[k].j) or c.j in (own[k].i, own[k].j) for k in chosen)


@dataclass(frozen=True, slots=True)
class _Group:
    """Events that are explained together, with what every set of meetings is weighed against. Arrays (n,) in
    the order of `nodes`; `place`: where an event stands in them, by its number. `axes`: unit
    vectors along each change of velocity and across it, in which it (`dv`) and its `spread` (n, 2) are given,
    mm/s. `fell`: what nobody saw fall, and needs blows towards its pocket.
    `unknown`, `unknown_by_size`: log-probability of what blows leave unexplained, and by how much it falls
    with its size.
    """

    nodes: tuple[_Node, ...]
    place: dict[int, int]
    mass: tuple[float, ...]
    axes: tuple[tuple[tuple[float, float], tuple[float, float]], ...]
    dv: F64
    spread: F64
    spread_cushion: F64
    struck: Bits
    stays: Bits
    feigned: Bits
    detour: Bits
    fell: Bits
    unknown: F64
    unknown_by_size: F64
    least: F64

    def given(self, k: int, nx: float, ny: float) -> tuple[float, float]:
        """What a blow of 1 mm/s along a direction gives the k-th event, along its axes."""
        (ux, uy), (vx, vy) = self.axes[k]
        return (ux * nx + uy * ny) / self.mass[k], (vx * nx + vy * ny) / self.mass[k]


def _group(numbers: Sequence[int], nodes: Sequence[_Node]) -> _Group:
    own = tuple(nodes[n] for n in numbers)
    events = [n.event for n in own]
    sigma_v, size = np.array([e.sigmas for e in events]).reshape(-1, 2), np.array([e.size for e in events])
    struck, feigned = np.array([n.struck for n in own]), np.array([e.nudge_mm > 0 for e in events])

    def spread(share: float) -> F64:
        known = np.sqrt(sigma_v**2 + (share * size[:, None]) ** 2 + LEAST_MM_S**2)
        return np.where(struck[:, None], 1e5, known)

    return _Group(
        nodes=own,
        place={n: k for k, n in enumerate(numbers)},
        mass=tuple(n.mass for n in own),
        axes=tuple(_axes(e) for e in events),
        dv=np.stack([size, np.zeros_like(size)], axis=1),
        spread=spread(BLOW_SHARE),
        spread_cushion=spread(CUSHION_SHARE),
        struck=struck,
        stays=np.array([n.stays for n in own]),
        feigned=feigned,
        detour=np.array([e.detour for e in events]),
        fell=np.array([e.fell for e in events]),
        unknown=np.array([_unknown(e) for e in events]),
        unknown_by_size=np.where(feigned, 0.0, 2.0),
        least=np.where(feigned, POOR_NUDGE, POOR),
    )


def _axes(e: Event) -> tuple[tuple[float, float], tuple[float, float]]:
    """Unit vectors along a change of velocity and across it."""
    ux, uy = (e.dv[0] / e.size, e.dv[1] / e.size) if e.size else (1.0, 0.0)
    return (ux, uy), (-uy, ux)


def _unknown(e: Event) -> float:
    """Log-probability that something unknown did it: a nudge that light feigns; what fills a gap; else
    rare.
    """
    if e.nudge_mm:
        return max(FEIGNED, -0.5 * (e.nudge_mm / FEIGNED_MM) ** 2)
    return UNKNOWN_IN_GAP if e.hi_s - e.lo_s > GAP_S and e.kind == "bend" else UNKNOWN


def _scored(chosen: tuple[int, ...], own: Sequence[_Candidate], group: _Group) -> _Set:
    """One set of meetings weighed."""
    meetings = [own[k] for k in chosen]
    place, spread = group.place, group.spread.copy()
    at_cushion = [place[m.i] for m in meetings if m.what.kind == "cushion"]
    spread[at_cushion] = group.spread_cushion[at_cushion]
    wanted = group.dv / spread
    left, logp = wanted, 0.0
    if meetings:
        matrix = np.zeros((len(spread), 2, len(meetings)))
        for k, m in enumerate(meetings):
            for event, nx, ny in ((m.i, m.nx, m.ny), (m.j, -m.nx, -m.ny)):
                if event >= 0:
                    matrix[place[event], :, k] = group.given(place[event], nx, ny)
        matrix /= spread[:, :, None]
        blows, _ = scipy.optimize.nnls(matrix.reshape(-1, len(meetings)), wanted.reshape(-1))
        left = wanted - (matrix @ blows)
        logp = sum(_met_logp(m, float(b), group) for b, m in zip(blows, meetings, strict=True))
    chi2 = (left**2).sum(axis=1)
    unexplained = left * spread
    size, along = np.sqrt((unexplained**2).sum(axis=1)), group.dv[:, 0]
    unknown = group.unknown - group.unknown_by_size * np.log1p(size / UNKNOWN_MM_S)
    not_driven = group.fell & (along - unexplained[:, 0] < DRIVEN * along)
    causeless = _causeless(meetings, group) | not_driven
    terms = np.logaddexp(-0.5 * chi2, unknown)
    terms = np.where(causeless, np.where(group.feigned, unknown, CAUSELESS), terms)
    turned = group.detour.copy()
    turned[[place[k] for m in meetings for k in (m.i, m.j) if k >= 0]] = False
    terms = np.where(turned, np.minimum(terms, UNTURNED), terms)
    terms = np.where(group.stays, np.maximum(-0.5 * chi2, unknown), terms)
    terms[group.struck] = 0.0
    worse = terms < group.least
    poor = frozenset(n for n, k in place.items() if worse[k])
    return logp + float(terms.sum()), chosen, poor


def _met_logp(m: _Candidate, blow_mm_s: float, group: _Group) -> float:
    """Log-probability of one meeting of a set, given the blow that it has in it."""
    graze = m.j >= 0 and blow_mm_s < LEAST_MM_S and any(group.stays[group.place[k]] for k in (m.i, m.j))
    return m.logp + A_MEETING + (GRAZE if graze else 0.0) - 0.5 * min(blow_mm_s / m.hidden_mm_s, 5.0) ** 2


def _causeless(meetings: Sequence[_Candidate], group: _Group) -> Bits:
    """(events,) True for a start that no ball in motion leads to, through whatever balls at rest, each in its
    turn: a ball sends nothing off before it was sent off itself.
    """
    own, place = group.nodes, group.place
    in_motion = [-math.inf if n.event.kind == "bend" or n.struck else math.inf for n in own]
    links: list[tuple[int, int, float, float]] = []
    for m in meetings:
        t_s, late_s = m.what.t_s, m.what.t_s + IN_TURN * math.hypot(m.what.sigma_s, AT_ONCE_S)
        if m.j >= 0:
            links.append((place[m.i], place[m.j], t_s, late_s))
        elif m.what.kind != "cushion":  # which sends nothing off that lay still
            start = _start_of(next(b for b in m.what.balls if b != own[place[m.i]].ball), t_s, own)
            if start is None:
                in_motion[place[m.i]] = -math.inf
            else:
                links.append((place[m.i], start, t_s, late_s))
    goes_on = True
    while goes_on:
        goes_on = False
        for a, b, t_s, late_s in links:
            for one, other in ((a, b), (b, a)):
                if in_motion[one] < late_s and t_s < in_motion[other]:
                    in_motion[other], goes_on = t_s, True
    causeless: Bits = np.array(in_motion) == math.inf
    return causeless


IN_TURN, AT_ONCE_S = 4.0, 5e-3
"""Sigmas by which a contact may be dated before the one that set its ball off, and the least sigma of that
(s): in a pack all meet at once.
"""


def _start_of(ball: int, t_s: float, own: Sequence[_Node]) -> int | None:
    """Index of the event by which a ball set off that is in motion at a time, where the same group has it:
    that needs a cause itself.
    """
    starts = (
        k
        for k, n in enumerate(own)
        if n.ball == ball and n.event.kind == "start" and not n.stays and n.event.lo_s < t_s
    )
    return next(starts, None)


# -- candidates: ball and ball -----------------------------------------------------------------------------


def _candidates(nodes: Sequence[_Node], ways: Mapping[int, Way], arena: Arena) -> list[_Candidate]:
    """Every meeting that one event or two may be explained by."""
    out = []
    for i, node in enumerate(nodes):
        if not node.struck and not (node.stays and not _at_cushion(node.event, arena.table)):
            out += _cushions(i, node, ways[node.ball], arena)
        paired = set()
        for j, other in enumerate(nodes):
            if other.ball != node.ball and _overlap(node.event, other.event):
                if not other.stays:  # which is no event of that ball
                    paired.add(other.ball)
                out += _in_gap(i, node, j, other, ways, arena)
                if j > i:
                    out += _pairs(i, node, j, other, ways, arena)
        for key, theirs in ways.items():
            if key != node.ball and not node.struck and not node.stays:
                out += _one_sided(i, node, key, ways[node.ball], theirs, key in paired, arena)
                out += _from_the_jaws(i, node, key, ways[node.ball], theirs, arena)
    return out


def _window(e: Event) -> tuple[float, float]:
    margin = 0.25 * _between_s(e) + 0.004 + 2 * e.sigma_s
    if (
        e.kind == "start"
    ):  # its first image is where it is seen to have left; the rest before it is known less well
        # a ball that goes so slowly seems to lie where it lay until it has gone as far as shows
        unseen_s = LEAST_NUDGE_MM / max(e.size, SLOWEST_MM_S) if e.nudge_mm else 0.0
        return max(e.lo_s, e.t_s - margin - 0.04 - e.early_s) - unseen_s, max(e.hi_s, e.t_s) + margin
    return min(e.lo_s, e.t_s) - margin, max(e.hi_s, e.t_s) + margin


def _between_s(e: Event) -> float:
    """How long nobody saw what happened. A ball at rest is seldom looked at, which says nothing."""
    return min(e.hi_s - e.lo_s, GAP_S) if e.kind == "start" else e.hi_s - e.lo_s


def _overlap(e: Event, f: Event) -> bool:
    (a, b), (c, d) = _window(e), _window(f)
    return a < d and c < b


def _pairs(
    i: int, node: _Node, j: int, other: _Node, ways: Mapping[int, Way], arena: Arena
) -> list[_Candidate]:
    """A contact of two balls that each have an event: on their curves before it, or one already on that
    after.
    """
    e, f = node.event, other.event
    mine, theirs = ways[node.ball], ways[other.ball]
    (a0, a1), (b0, b1) = _window(e), _window(f)
    lo, hi = max(a0, b0), min(a1, b1)
    d = arena.apart_mm(node.ball, other.ball)
    if math.dist(_place(mine, e), _place(theirs, f)) > d + 60.0 + _reach(e, f, hi - lo):
        return []
    options = [
        _met(e, mine_on, mine, f, theirs_on, theirs, (lo, hi), d)
        for mine_on, theirs_on in ((e.before, f.before), (e.after, f.before), (e.before, f.after))
    ]
    still = all(n.event.before is None or n.stays for n in (node, other))
    if still:
        options += _ghosts(e, mine, f, theirs, d)
    best, touch = max(options, key=lambda o: o[0])
    if best < -WITHIN:
        return []
    dated = [n.event for n in (node, other) if not n.struck]
    t, s = _time(dated, touch, slides=arena.kinds.discs)
    what = Interaction("contact", (node.ball, other.ball), t, s, None)
    return [_Candidate(what, i, j, touch.nx, touch.ny, best)]


def _in_gap(
    i: int, node: _Node, j: int, other: _Node, ways: Mapping[int, Way], arena: Arena
) -> list[_Candidate]:
    """A ball at rest was struck by one that nobody saw then: could that have come to it and on to where it
    was seen?
    """
    e, f = node.event, other.event
    if (
        e.kind != "start"
        or e.nudge_mm
        or node.stays
        or e.size < LEAST_MM_S
        # of a ball that was turned unseen the turn has the gap, not its start
        or not _gap_before(f, e.t_s, other.struck and not ways[other.ball].turned_unseen)
    ):
        return []
    d, place = arena.apart_mm(node.ball, other.ball), _place(ways[node.ball], e)
    ux, uy = e.dv[0] / e.size, e.dv[1] / e.size
    ghost = place[0] - d * ux, place[1] - d * uy
    others = (w for k, w in ways.items() if k not in (node.ball, other.ball) and w.since_s < e.t_s)
    if any(math.dist(ghost, w.at(e.t_s)) < d - 6.0 for w in others):
        return []
    aside = e.sigmas[1] / e.size * d + 8.0
    logp = max(UNSEEN_CONTACT - _missed_by(f, e.t_s, ghost, aside), UNSEEN_TWICE)
    if f.before is not None:
        logp -= _out_of_reach(f, ghost, (ux, uy), aside, arena)
    what = Interaction("contact", (node.ball, other.ball), *_crossed(e, arena.kinds.discs), None)
    return [_Candidate(what, i, j if f.detour else -1, ux, uy, logp)] if logp > -WITHIN else []


def _gap_before(f: Event, t_s: float, struck: bool) -> bool:
    """Whether a ball's event fills a gap in which nobody saw it, and the time lies in that."""
    if f.kind != "bend" and not struck:
        return False
    gap = f.detour or f.hi_s - f.lo_s > GAP_S
    return gap and f.lo_s - 0.02 < t_s < f.hi_s + 0.02


def _missed_by(f: Event, t_s: float, ghost: tuple[float, float], aside: float) -> float:
    """How badly the curve after the gap leads back to where the contact was."""
    away = math.dist(f.after.at(t_s), ghost)
    return (
        0.5 * (away / math.hypot(aside, min(f.after.sigma(t_s), 200.0), 0.15 * f.size * (f.hi_s - t_s))) ** 2
    )


def _out_of_reach(
    f: Event, ghost: tuple[float, float], blow: tuple[float, float], aside: float, arena: Arena
) -> float:
    """What speaks against the ball's way in the gap (nats): how much longer it is than the ball can have
    gone, by its speed before the gap, or by the fastest of any ball where it was turned before it was seen.
    It gives the `blow` (unit vector) from behind; from the other side it comes only by way of a cushion.
    """
    assert f.before is not None
    gap_s, origin = f.hi_s - f.lo_s, f.before.at(f.lo_s)
    behind = (ghost[0] - origin[0]) * blow[0] + (ghost[1] - origin[1]) * blow[1] > -aside
    coming = math.dist(origin, ghost) if behind else _by_a_cushion_mm(origin, ghost, arena.table)
    needed = coming + math.dist(ghost, f.after.at(f.hi_s))
    own = 1.1 * max(math.hypot(*f.before.velocity(f.lo_s)), 200.0)
    most = (arena.kinds.fastest_mm_s if f.detour else own) * gap_s
    return 0.5 * (max(needed - most, 0.0) / (aside + 30.0)) ** 2


def _by_a_cushion_mm(a: tuple[float, float], b: tuple[float, float], table: TableSpec) -> float:
    """Length of the shortest way of a ball from one place to another over one cushion."""
    r, (dx, dy) = table.ball_radius_mm, (a[0] - b[0], a[1] - b[1])
    w, bottom, top = table.half_width_mm - r, table.bottom_mm + r, table.top_mm - r
    across = min(2 * w - a[0] - b[0], 2 * w + a[0] + b[0])
    along = min(2 * top - a[1] - b[1], a[1] + b[1] - 2 * bottom)
    return min(math.hypot(across, dy), math.hypot(dx, along))


def _met(
    e: Event,
    a: Segment | None,
    mine: Way,
    f: Event,
    b: Segment | None,
    theirs: Way,
    span: tuple[float, float],
    d: float,
) -> tuple[float, _Touch]:
    """Log-likelihood that two balls met on two of their curves, and where."""
    touch = _touch(a, mine, b, theirs, *span, d)
    sigma = math.hypot(_sigma(a, mine, touch.t_s), _sigma(b, theirs, touch.t_s), MODEL_MM)
    if a is None and b is None:
        t = max(e.t_s, f.t_s)
        early = min(abs(e.t_s - f.t_s) / math.hypot(e.sigma_s, f.sigma_s, 5e-3), 3.0)
        gap = touch.gap / math.hypot(sigma, AT_ONCE_MM)
        return -0.5 * gap**2 - 0.5 * early**2, _Touch(t, touch.gap, 0.0, touch.nx, touch.ny, 5e-3)
    later = 0.7 if a is e.after or b is f.after else 0.0
    return -0.5 * (touch.gap / sigma) ** 2 + _timed(e, touch, sigma) + _timed(f, touch, sigma) - later, touch


def _ghosts(e: Event, mine: Way, f: Event, theirs: Way, d: float) -> list[tuple[float, _Touch]]:
    """Two balls that lay still and apart, and met between two images: the line of centres is that of a blow.

    The ball that gave the blow has come to where it touches the other, no further than it can go by then.
    """
    out = []
    for giver, given, sign in ((mine, f, -1.0), (theirs, e, 1.0)):
        taker, taken = (theirs, e) if giver is mine else (mine, f)
        if given.size < LEAST_MM_S:
            continue
        ux, uy = given.dv[0] / given.size, given.dv[1] / given.size
        gone = math.hypot(taker.place[0] - d * ux - giver.place[0], taker.place[1] - d * uy - giver.place[1])
        most = 3.0 + 0.5 * _travel(taken)
        t = given.t_s
        out.append((-1.0 - 0.5 * (gone / most) ** 2, _Touch(t, 0.0, given.size, sign * ux, sign * uy, 5e-3)))
    return out


def _place(way: Way, e: Event) -> tuple[float, float]:
    return way.place[:2] if e.before is None else e.before.at(e.t_s)


def _reach(e: Event, f: Event, span_s: float) -> float:
    speed = max(math.hypot(*e.after.velocity(e.t_s)), e.size) + max(
        math.hypot(*f.after.velocity(f.t_s)), f.size
    )
    return speed * span_s


def _curve(seg: Segment | None, way: Way, t: F64) -> F64:
    """(n, 2) places of a ball along a curve, or at the rest before it."""
    if seg is None:
        return np.broadcast_to(np.array(way.place[:2]), (len(t), 2))
    u = t - seg.t_ref_s
    return np.stack(
        [seg.x[0] + u * (seg.x[1] + u * seg.x[2]), seg.y[0] + u * (seg.y[1] + u * seg.y[2])], axis=1
    )


def _sigma(seg: Segment | None, way: Way, t_s: float) -> float:
    return way.place[2] if seg is None else min(seg.sigma(t_s), 60.0)


@dataclass(frozen=True, slots=True)
class _Touch:
    """When two curves come to one diameter: gap left, closing speed, unit vector from the other to mine."""

    t_s: float
    gap: float
    closing: float
    nx: float
    ny: float
    sigma_s: float


def _touch(
    a: Segment | None, mine: Way, b: Segment | None, theirs: Way, lo: float, hi: float, diameter: float
) -> _Touch:
    t = np.linspace(lo, hi, STEPS)
    d = _curve(a, mine, t) - _curve(b, theirs, t)
    gap = np.hypot(d[:, 0], d[:, 1]) - diameter
    noise = math.hypot(_sigma(a, mine, 0.5 * (lo + hi)), _sigma(b, theirs, 0.5 * (lo + hi)), MODEL_MM)
    step = (hi - lo) / (STEPS - 1)
    inside = np.flatnonzero((gap[1:] <= 0) & (gap[:-1] > 0))
    if len(inside):
        k = int(inside[0])
        f = float(gap[k] / (gap[k] - gap[k + 1]))
        at, left, t_s = d[k] + f * (d[k + 1] - d[k]), 0.0, float(t[k]) + f * step
        closing = float(gap[k] - gap[k + 1]) / step
    else:
        k = int(np.abs(gap).argmin())
        at, left, t_s = d[k], float(gap[k]), float(t[k])
        closing = abs(float(gap[min(k + 1, STEPS - 1)]) - float(gap[max(k - 1, 0)])) / (2 * step)
    size = max(float(np.hypot(at[0], at[1])), 1e-6)
    sigma_s = min(math.hypot(noise, left) / max(closing, 30.0), 0.3 * (hi - lo))
    return _Touch(t_s, left, closing, float(at[0]) / size, float(at[1]) / size, sigma_s)


def _timed(e: Event, touch: _Touch, sigma: float) -> float:
    """How well the time of the touch agrees with the event's: between its images, and where its curves cross.

    Two blows in one interval bend the curve after it, so that the crossing says little.
    """
    late = min(sigma / max(touch.closing, 30.0), 0.25 * _between_s(e) + 2e-3)
    spread = math.hypot(late, e.sigma_s, 2e-3)
    outside = max(e.lo_s - touch.t_s, touch.t_s - e.hi_s, 0.0)
    return -0.5 * (outside / spread) ** 2 - 0.5 * min((touch.t_s - e.t_s) / spread, 2.0) ** 2


def _time(events: Sequence[Event], touch: _Touch, slides: bool) -> tuple[float, float]:
    """The contact's time: mean of the touch and of its events, by their sigmas. `slides`: pieces never roll.

    Of a ball that was struck only now the curve may begin behind the contact: it tells no time.
    """
    times = [(touch.t_s, touch.sigma_s), *(_crossed(g, slides) for g in events)]
    w = [1.0 / max(s, 3e-4) ** 2 for _, s in times]
    return sum(t * k for (t, _), k in zip(times, w, strict=True)) / sum(w), math.sqrt(1.0 / sum(w))


def _crossed(e: Event, slides: bool) -> tuple[float, float]:
    """When the curves before and after an event cross, and its sigma, less what sliding feigns."""
    seen_s = e.after.last_s - e.after.first_s
    return less_sliding(e.t_s, e.sigma_s, seen_s, e.size, e.kind == "start", slides)


def _one_sided(
    i: int, node: _Node, other: int, mine: Way, theirs: Way, has_event: bool, arena: Arena
) -> list[_Candidate]:
    """A contact that the other ball does not show: it took the blow unseen, or leans on a cushion."""
    e = node.event
    lo, hi = _window(e)
    seg, speed = _moving_on(theirs, e.t_s)
    if speed < LEAST_MM_S:
        seg, speed = _moving_on(theirs, lo)  # it all but stopped where it met the other
    if seg is None or speed < LEAST_MM_S:
        return []  # a ball at rest is a bystander
    own = 0.0 if e.before is None else math.hypot(*e.before.velocity(e.t_s))
    d = arena.apart_mm(node.ball, other)
    apart = math.dist(_place(mine, e), theirs.at(e.t_s)) - d
    if apart > 40.0 + (speed + own) * (hi - lo):
        return []
    touch = _touch(e.before, mine, seg, theirs, lo, hi, d)
    sigma = math.hypot(_sigma(e.before, mine, touch.t_s), _sigma(seg, theirs, touch.t_s), MODEL_MM)
    logp = -0.5 * (touch.gap / sigma) ** 2 + _timed(e, touch, sigma) - (4.0 if has_event else 1.0)
    if logp < -WITHIN:
        return []
    hidden = 30.0 + seg.sigma_velocity(touch.t_s)
    what = Interaction("contact", (node.ball, other), touch.t_s, touch.sigma_s, None)
    return [_Candidate(what, i, -1, touch.nx, touch.ny, logp, hidden)]


def _moving_on(way: Way, t_s: float) -> tuple[Segment | None, float]:
    """The curve on which a ball is at a time, and its speed there; none at rest."""
    seg = way.segment_at(t_s)
    return seg, 0.0 if seg is None else math.hypot(*seg.velocity(t_s))


def _from_the_jaws(i: int, node: _Node, other: int, mine: Way, theirs: Way, arena: Arena) -> list[_Candidate]:
    """A ball that lay in a pocket's jaws and fell between two looks was met by one that came by, however: the
    jaws lead it in.
    """
    e = node.event
    seg, speed = _moving_on(theirs, e.t_s)
    if not e.fell or seg is None or speed < LEAST_MM_S or not in_mouth(*mine.place[:2], arena.table):
        return []
    touch = _touch(None, mine, seg, theirs, *_window(e), arena.apart_mm(node.ball, other))
    sigma = math.hypot(_sigma(seg, theirs, touch.t_s), JAWS_MM)
    logp = -0.5 * (touch.gap / sigma) ** 2 - 1.0
    if logp < -WITHIN:
        return []
    what = Interaction("contact", (node.ball, other), touch.t_s, touch.sigma_s, None)
    return [_Candidate(what, i, -1, e.dv[0] / e.size, e.dv[1] / e.size, logp)]


JAWS_MM = 6.0
"""One sigma of where a ball in the jaws is seen: leather and shadow draw it aside. Assumed."""


def _at_cushion(e: Event, table: TableSpec) -> bool:
    """Whether a ball at rest leans on a cushion."""
    x, y = e.after.at(e.t_s)
    r = table.ball_radius_mm
    return min(table.half_width_mm - r - abs(x), y - table.bottom_mm - r, table.top_mm - r - y) < 4.0


# -- candidates: ball and cushion --------------------------------------------------------------------------


def _cushions(i: int, node: _Node, way: Way, arena: Arena) -> list[_Candidate]:
    """Cushions, and a pocket's jaws, that explain a bend, or give back a ball that was pushed into them."""
    e = node.event
    table, r = arena.table, arena.radius_mm(node.ball)
    w = table.half_width_mm
    x, y = _place(way, e)
    sides: tuple[tuple[CushionName, float, float, float], ...] = (
        ("left", x + w - r, 1.0, 0.0),
        ("right", w - r - x, -1.0, 0.0),
        ("bottom", y - table.bottom_mm - r, 0.0, 1.0),
        ("top", table.top_mm - r - y, 0.0, -1.0),
    )
    speed = e.size if e.before is None else math.hypot(*e.before.velocity(e.t_s))
    moved = 0.5 * _travel(e) if e.before is None else e.sigma_s * speed
    sigma = math.hypot(_sigma(e.before, way, e.t_s), 3.0, moved)
    out = []
    for name, off, nx, ny in sides:
        logp = CUSHION_UNSEEN if e.detour else -0.5 * (off / sigma) ** 2
        if logp > -WITHIN:
            what = Interaction("cushion", (node.ball,), e.t_s, e.sigma_s, name)
            out.append(_Candidate(what, i, -1, nx, ny, logp))
    jaw = _jaw(x, y, table) if e.before is not None else None
    if jaw is not None and e.size > 1.0:
        what = Interaction("cushion", (node.ball,), e.t_s, e.sigma_s, jaw)
        out.append(_Candidate(what, i, -1, e.dv[0] / e.size, e.dv[1] / e.size, -2.5))
    return out


def _jaw(x: float, y: float, table: TableSpec) -> CushionName | None:
    """The cushion whose jaw is nearest, where the place is in a pocket's mouth."""
    for p in table.pockets:
        mouth = math.dist(p.jaws[0], p.jaws[1]) / 2 + table.ball_radius_mm
        if math.hypot(x - p.x_mm, y - p.y_mm) > mouth + 30.0:
            continue
        jaw = min(p.jaws, key=lambda j: math.hypot(x - j[0], y - j[1]))
        if abs(abs(jaw[0]) - table.half_width_mm) < 1.0:
            return "left" if jaw[0] < 0 else "right"
        return "bottom" if jaw[1] - table.bottom_mm < table.length_mm / 2 else "top"
    return None
