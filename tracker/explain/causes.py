"""The sets of meetings that explain all events of a span best.

Events that happen between the same two images are explained together: for a set of meetings the impulses that
fit all changes of velocity best are found by non-negative least squares, and what is left over is the set's
likelihood. A beam finds the best sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.typing import NDArray

from calibration.table.specs import TableSpec
from tracker.explain.arena import Arena
from tracker.explain.ball_ball import from_the_jaws, in_gap, one_sided, overlap, pairs
from tracker.explain.ball_cushion import JAW, cushions
from tracker.explain.interactions import (
    LEAST_MM_S,
    WITHIN,
    Candidate,
    Interaction,
    Node,
    bystanders,
    nodes_of,
    stopped_dead,
    window,
)
from tracker.explain.priors import log_prior
from tracker.explain.trajectory import GAP_S, Event, Way

F64 = NDArray[np.float64]
Bits = NDArray[np.bool_]
BEAM, MOST_MEETINGS = 8, 12
"""Sets that are kept while one group grows; meetings in one group."""
CROWD, CROWD_BEAM = 24, 3
"""Of more candidates than this (a pack that is opened) fewer sets are kept."""
MOST_SETS = 1500
"""Sets of meetings that are weighed for a span: 0.15 ms each, so that the search takes 0.25 s at most."""
MOST_CAUSES = 16
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
STOPPED_DEAD = log_prior(0.1)
"""Log-probability that a cue-ball that is struck into a ball which it all but touches gives all of its speed
to it, and stays within the noise of its place. Assumed.
"""
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
CUSHION_SHARE = 0.35
"""The same where a cushion is met: it grips the ball along its face as well."""
UNTURNED = -8.0
"""Log-probability that a ball is turned on its way by nothing that any meeting explains."""
AT_A_FACE = log_prior(1e-4)
"""Log-probability that a ball that comes to a cushion's face, and is turned back there, is turned by
something else that no meeting explains. Assumed; in the tracks tier none is.
"""
FACE_SIGMAS = 3.0
UNKNOWN_IN_GAP = -0.5


@dataclass(frozen=True, slots=True)
class Causes:
    """Meetings for all events, with the log-likelihood of all of them together. `cut`: the search for them
    was cut off by its bounds; `rivals`: all contacts of the cue-ball that it might have tried then.
    """

    interactions: tuple[Interaction, ...]
    logp: float
    cut: bool = False
    rivals: tuple[Interaction, ...] = ()


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
    strikes, nodes = nodes_of(ways, cue, arena)
    dead = stopped_dead(nodes, ways, cue, arena)
    nodes += [n for n in bystanders(nodes, ways, arena) if n.ball not in {d.ball for d in dead}]
    nodes += dead
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
    kept = [_with_strike(c, dead[0]) for c in kept] if dead else kept
    return [replace(c, interactions=tuple(sorted(c.interactions, key=lambda x: x.t_s))) for c in kept], used


def _with_strike(causes: Causes, dead: Node) -> Causes:
    """The causes with the strike of a cue-ball that shows none, where it sends off what sets off first."""
    lo, hi = window(dead.event)
    met = (i for i in causes.interactions if i.met_by(dead.ball) is not None and lo < i.t_s < hi)
    first = min(met, key=lambda i: i.t_s, default=None)
    if first is None:
        return causes
    strike = Interaction("strike", (dead.ball,), first.t_s, first.sigma_s, None)
    return replace(causes, interactions=(strike, *causes.interactions))


def _candidates(nodes: Sequence[Node], ways: Mapping[int, Way], arena: Arena) -> list[Candidate]:
    """Every meeting that one event or two may be explained by."""
    out = []
    for i, node in enumerate(nodes):
        if not node.struck and (not node.stays or _leans(node.event, arena.table)):
            out += cushions(i, node, ways[node.ball], arena)
        paired = set()
        for j, other in enumerate(nodes):
            if other.ball != node.ball and overlap(node.event, other.event):
                if not other.stays:  # which is no event of that ball
                    paired.add(other.ball)
                out += in_gap(i, node, j, other, ways, arena)
                if j > i:
                    out += pairs(i, node, j, other, ways, arena)
        for key, theirs in ways.items():
            if key != node.ball and not node.struck and not node.stays:
                out += one_sided(i, node, key, ways[node.ball], theirs, key in paired, arena)
                out += from_the_jaws(i, node, key, ways[node.ball], theirs, arena)
    return out


def _leans(e: Event, table: TableSpec) -> bool:
    """Whether a ball at rest leans on a cushion."""
    return table.at_cushion(*e.after.at(e.t_s), table.ball_radius_mm + 4.0)


def _groups(n: int, candidates: Sequence[Candidate]) -> list[list[int]]:
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


_Set = tuple[float, tuple[int, ...], frozenset[int], tuple[int, ...]]
"""Log-likelihood of a set of meetings, the set (indices of candidates), the events that it explains poorly,
and those of the set that are felt.
"""
POOR, POOR_NUDGE = -2.5, -0.2
"""An event (a nudge) less likely than this is worth another meeting: a graze makes a nudge."""


def _content(group: Sequence[int], nodes: Sequence[Node], own: Sequence[Candidate]) -> object:
    """All that the best sets of a group hang on, whatever the numbers of its events."""
    place = {n: k for k, n in enumerate(group)}
    return tuple(nodes[n] for n in group), tuple(
        (c.what, place[c.i], place.get(c.j, -1), c.nx, c.ny, c.logp, c.hidden_mm_s, c.face, c.touched)
        for c in own
    )


def _explained(
    group: list[int],
    nodes: Sequence[Node],
    own: Sequence[Candidate],
    most_sets: int,
    cue: int | None,
) -> tuple[list[Causes], int]:
    """The best sets of meetings for the events of one group, and how many were weighed. `own`: the meetings
    that may explain them.

    Sets grow from none, and from all contacts of balls that lay touching: a pack that is hit passes a blow on
    through all of them at once, so that no one of them explains anything by itself.
    """
    weighed_in = _group(group, nodes, own)
    pack = tuple(k for k, c in enumerate(own) if c.touched)
    states = [_scored(start, own, weighed_in) for start in dict.fromkeys(((), pack))]
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
    met: dict[tuple[int, ...], _Set] = {}
    for state in sorted(done.values(), key=lambda s: -s[0]):
        met.setdefault(state[3], state)
    best = list(met.values())[:BEAM]
    cut = len(own) > CROWD or weighed > most_sets or len(best[0][1]) >= MOST_MEETINGS
    contacts = (c.what for c in own if c.what.kind == "contact" and cue in c.what.balls)
    rivals = tuple(contacts) if cut else ()
    return [
        Causes(tuple(own[k].what for k in chosen), logp, cut, rivals)
        for logp, _, _, chosen in best
        if logp > best[0][0] - WITHIN
    ], weighed


def _grown(state: _Set, own: Sequence[Candidate], moving: set[int]) -> Iterator[tuple[int, ...]]:
    """The sets with one meeting more that may explain an event which this set explains poorly."""
    _, chosen, poor, _ = state
    worth = poor | _beside(poor, chosen, own)
    for k, c in enumerate(own):
        if k not in chosen and (c.i in worth or c.j in worth) and _follows(c, chosen, own, moving):
            yield tuple(sorted((*chosen, k)))


def _beside(poor: frozenset[int], chosen: tuple[int, ...], own: Sequence[Candidate]) -> frozenset[int]:
    """Events that a chosen meeting links to a poorly explained one: a ball on a cushion that is to stay takes
    no blow until the cushion pushes too.
    """
    links = [(own[k].i, own[k].j) for k in chosen if own[k].j >= 0]
    return frozenset(n for link in links if poor & set(link) for n in link)


def _follows(c: Candidate, chosen: tuple[int, ...], own: Sequence[Candidate], moving: set[int]) -> bool:
    """Whether a meeting begins with a ball in motion, or with one that a chosen meeting has pushed."""
    if c.j < 0 or c.i in moving or c.j in moving:
        return True
    return any(c.i in (own[k].i, own[k].j) or c.j in (own[k].i, own[k].j) for k in chosen)


@dataclass(frozen=True, slots=True)
class _Group:
    """Events that are explained together, with what every set of meetings is weighed against. Arrays (n,) in
    the order of `nodes`; `place`: where an event stands in them, by its number. `axes`: unit
    vectors along each change of velocity and across it, in which it (`dv`) and its `spread` (n, 2) are given,
    mm/s. `fell`: what nobody saw fall, and needs blows towards its pocket. `at_face`: turned back where the
    ball comes to a cushion.
    `unknown`, `unknown_by_size`: log-probability of what blows leave unexplained, and by how much it falls
    with its size.
    """

    nodes: tuple[Node, ...]
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
    at_face: Bits
    fell: Bits
    unknown: F64
    unknown_by_size: F64
    least: F64

    def given(self, k: int, nx: float, ny: float) -> tuple[float, float]:
        """What a blow of 1 mm/s along a direction gives the k-th event, along its axes."""
        (ux, uy), (vx, vy) = self.axes[k]
        return (ux * nx + uy * ny) / self.mass[k], (vx * nx + vy * ny) / self.mass[k]


def _group(numbers: Sequence[int], nodes: Sequence[Node], candidates: Sequence[Candidate]) -> _Group:
    at_face = {c.i for c in candidates if _turned_back(c, nodes[c.i].event)}
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
        at_face=np.array([n in at_face for n in numbers]),
        fell=np.array([e.fell for e in events]),
        unknown=np.array([_unknown(e) for e in events]),
        unknown_by_size=np.where(feigned, 0.0, 2.0),
        least=np.where(feigned, POOR_NUDGE, POOR),
    )


def _turned_back(c: Candidate, e: Event) -> bool:
    """Whether an event is where a ball comes to a cushion's face, and has it come no nearer."""
    if c.face is None or e.before is None or e.detour or c.logp < -0.5 * FACE_SIGMAS**2:
        return False
    vx, vy = e.before.velocity(e.t_s)
    return -(vx * c.nx + vy * c.ny) > LEAST_MM_S and c.face.met(vx, vy) and _leaves(c, e, vx, vy)


def _leaves(c: Candidate, e: Event, vx_mm_s: float, vy_mm_s: float) -> bool:
    """Whether a ball that came at that velocity has none into the face behind its event."""
    return (vx_mm_s + e.dv[0]) * c.nx + (vy_mm_s + e.dv[1]) * c.ny > -LEAST_MM_S


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


def _scored(chosen: tuple[int, ...], own: Sequence[Candidate], group: _Group) -> _Set:
    """One set of meetings weighed."""
    meetings = [own[k] for k in chosen]
    place, spread = group.place, group.spread.copy()
    at_cushion = [place[m.i] for m in meetings if m.what.kind == "cushion"]
    spread[at_cushion] = group.spread_cushion[at_cushion]
    wanted = group.dv / spread
    left, logp, felt = wanted, 0.0, chosen
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
        logp -= sum(_given_back(k, meetings, blows, group) for k in range(len(meetings)))
        felt = tuple(k for k, m, b in zip(chosen, meetings, blows, strict=True) if not _idle(m, float(b)))
    chi2 = (left**2).sum(axis=1)
    unexplained = left * spread
    size, along = np.sqrt((unexplained**2).sum(axis=1)), group.dv[:, 0]
    unknown = group.unknown - group.unknown_by_size * np.log1p(size / UNKNOWN_MM_S)
    not_driven = group.fell & (along - unexplained[:, 0] < DRIVEN * along)
    causeless = _causeless(meetings, group) | not_driven
    terms = np.logaddexp(-0.5 * chi2, unknown)
    terms = np.where(causeless, np.where(group.feigned, unknown, CAUSELESS), terms)
    unmet = np.ones(len(terms), dtype=np.bool_)
    unmet[[place[k] for m in meetings for k in (m.i, m.j) if k >= 0]] = False
    terms = np.where(group.detour & unmet, np.minimum(terms, UNTURNED), terms)
    terms = np.where(group.at_face & unmet, np.minimum(terms, AT_A_FACE), terms)
    terms = np.where(group.stays, np.maximum(-0.5 * chi2, unknown), terms)
    terms[group.struck] = 0.0
    worse = terms < group.least
    poor = frozenset(n for n, k in place.items() if worse[k])
    return logp + float(terms.sum()), chosen, poor, felt


def _idle(m: Candidate, blow_mm_s: float) -> bool:
    """Whether balls that lay touching part without a blow: no meeting."""
    return m.touched and blow_mm_s < LEAST_MM_S


def _met_logp(m: Candidate, blow_mm_s: float, group: _Group) -> float:
    """Log-probability of one meeting of a set, given the blow that it has in it. Balls that lay touching need
    not come to one another.
    """
    if m.touched:
        return 0.0 if _idle(m, blow_mm_s) else m.logp
    stay = [group.place[k] for k in (m.i, m.j) if m.j >= 0 and group.stays[group.place[k]]]
    graze = GRAZE if stay and blow_mm_s < LEAST_MM_S else 0.0
    dead = STOPPED_DEAD if group.struck[stay].any() else 0.0
    return m.logp + A_MEETING + graze + dead - 0.5 * min(blow_mm_s / m.hidden_mm_s, 5.0) ** 2


def _given_back(k: int, meetings: Sequence[Candidate], blows: F64, group: _Group) -> float:
    """What speaks against the k-th meeting of a set (nats) if it is with a cushion.

    That pushes no harder than the ball came to it, by its way before and by the blows that it may have had by
    then; and where the ball came to a pocket instead, it was a jaw.
    """
    m, at = meetings[k], group.place[meetings[k].i]
    event = group.nodes[at].event
    if m.face is None or event.detour:
        return 0.0
    vx, vy = (0.0, 0.0) if event.before is None else event.before.velocity(event.t_s)
    for other, blow in zip(meetings, blows.tolist(), strict=True):
        if other is not m and m.i in (other.i, other.j):
            given = (blow if other.i == m.i else -blow) / group.mass[at]
            if given * (other.nx * m.nx + other.ny * m.ny) < 0.0:
                vx, vy = vx + given * other.nx, vy + given * other.ny
    coming = max(-(vx * m.nx + vy * m.ny), 0.0)
    if coming > LEAST_MM_S and not m.face.met(vx, vy):
        return -JAW
    more = float(blows[k]) / group.mass[at] - 2.0 * coming
    return 0.5 * min(max(more, 0.0) / float(group.spread[at, 0]), MOST_TOO_HARD) ** 2


MOST_TOO_HARD = 4.0
"""Sigmas that a push beyond what a cushion can give counts at most: a jaw, or a rail's edge, did it."""


def _causeless(meetings: Sequence[Candidate], group: _Group) -> Bits:
    """(events,) True for a start that no ball in motion leads to, through whatever balls at rest, each in its
    turn: a ball sends nothing off before it was sent off itself.
    """
    own, place = group.nodes, group.place
    in_motion = [_in_motion_s(n) for n in own]
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


def _in_motion_s(n: Node) -> float:
    """Since when an event's ball may send others off by itself: never where it sets off and is not struck."""
    if n.struck:
        return window(n.event)[0]
    return -math.inf if n.event.kind == "bend" else math.inf


IN_TURN, AT_ONCE_S = 4.0, 5e-3
"""Sigmas by which a contact may be dated before the one that set its ball off, and the least sigma of that
(s): in a pack all meet at once.
"""


def _start_of(ball: int, t_s: float, own: Sequence[Node]) -> int | None:
    """Index of the event by which a ball set off that is in motion at a time, where the same group has it:
    that needs a cause itself.
    """
    starts = (
        k
        for k, n in enumerate(own)
        if n.ball == ball and n.event.kind == "start" and not n.stays and n.event.lo_s < t_s
    )
    return next(starts, None)
