"""Contacts of two balls: where their ways meet, and how likely it is that they did."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calibration.table.pockets import in_mouth
from calibration.table.specs import TableSpec
from tracker.explain.arena import Arena
from tracker.explain.ball_cushion import off_cushions
from tracker.explain.interactions import (
    AT_ONCE_MM,
    LEAST_MM_S,
    MODEL_MM,
    WITHIN,
    Candidate,
    Interaction,
    Node,
    between_s,
    moving_on,
    place_at,
    sigma_mm,
    travel_mm,
    window,
)
from tracker.explain.sliding import less_sliding
from tracker.explain.trajectory import GAP_S, Event, Way
from tracker.stroke.paths import Segment

F64 = NDArray[np.float64]
STEPS = 33
AT_ONCE_S = 5e-3
"""One sigma of when a ball sets off that another one sends off, at least."""
UNSEEN_CONTACT, UNSEEN_TWICE = -2.5, -7.0
"""Log-probability of a contact in a gap: the partner can have come to it; or met another thing after it
too.
"""


def pairs(i: int, node: Node, j: int, other: Node, ways: Mapping[int, Way], arena: Arena) -> list[Candidate]:
    """A contact of two balls that each have an event: on their curves before it, or one already on that
    after.
    """
    e, f = node.event, other.event
    mine, theirs = ways[node.ball], ways[other.ball]
    (a0, a1), (b0, b1) = window(e), window(f)
    lo, hi = max(a0, b0), min(a1, b1)
    d = arena.apart_mm(node.ball, other.ball)
    if math.dist(place_at(mine, e), place_at(theirs, f)) > d + 60.0 + _reach(e, f, hi - lo):
        return []
    options = [
        _met(e, mine_on, mine, f, theirs_on, theirs, (lo, hi), d)
        for mine_on, theirs_on in ((e.before, f.before), (e.after, f.before), (e.before, f.after))
    ]
    still = all(n.event.before is None or n.stays for n in (node, other))
    if still:
        options += _ghosts(node, mine, other, theirs, d)
    found = [max(options, key=lambda o: o[0])]
    seen = max(e.lo_s, f.lo_s), min(e.hi_s, f.hi_s)  # the images between which both were turned
    if seen[0] < seen[1]:
        for a in off_cushions(e, arena.radius_mm(node.ball), arena):
            found.append(_met(e, a, mine, f, f.before, theirs, (max(seen[0], a.first_s), seen[1]), d))
        for b in off_cushions(f, arena.radius_mm(other.ball), arena):
            found.append(_met(e, e.before, mine, f, b, theirs, (max(seen[0], b.first_s), seen[1]), d))
    dated = [n.event for n in (node, other) if not n.struck]
    out = []
    for logp, touch in found:
        if logp >= -WITHIN:
            t, s = _time(dated, touch, slides=arena.kinds.discs)
            what = Interaction("contact", (node.ball, other.ball), t, s, None)
            lay = touch.closing == 0.0 and touch.gap < 2 * AT_ONCE_MM  # both, on no curve yet
            touched = lay and not (node.struck or other.struck)
            out.append(Candidate(what, i, j, touch.nx, touch.ny, logp, touched=touched))
    return out


def overlap(e: Event, f: Event) -> bool:
    (a, b), (c, d) = window(e), window(f)
    return a < d and c < b


def in_gap(i: int, node: Node, j: int, other: Node, ways: Mapping[int, Way], arena: Arena) -> list[Candidate]:
    """A ball at rest was struck by one that nobody saw then: could that have come to it and on to where it
    was seen?
    """
    e, f = node.event, other.event
    if (
        e.kind != "start"
        or e.nudge_mm
        or node.stays
        or other.stays
        or e.size < LEAST_MM_S
        # of a ball that was turned unseen the turn has the gap, not its start
        or not _gap_before(f, e.t_s, other.struck and not ways[other.ball].turned_unseen)
    ):
        return []
    d, place = arena.apart_mm(node.ball, other.ball), place_at(ways[node.ball], e)
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
    return [Candidate(what, i, j if f.detour else -1, ux, uy, logp)] if logp > -WITHIN else []


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
    sigma = math.hypot(sigma_mm(a, mine, touch.t_s), sigma_mm(b, theirs, touch.t_s), MODEL_MM)
    if a is None and b is None:
        t = max(e.t_s, f.t_s)
        early = min(abs(e.t_s - f.t_s) / math.hypot(e.sigma_s, f.sigma_s, AT_ONCE_S), 3.0)
        gap = touch.gap / math.hypot(sigma, AT_ONCE_MM)
        return -0.5 * gap**2 - 0.5 * early**2, _Touch(t, touch.gap, 0.0, touch.nx, touch.ny, AT_ONCE_S)
    later = 0.7 if a is e.after or b is f.after else 0.0
    return -0.5 * (touch.gap / sigma) ** 2 + _timed(e, touch, sigma) + _timed(f, touch, sigma) - later, touch


def _ghosts(one: Node, mine: Way, other: Node, theirs: Way, d: float) -> list[tuple[float, _Touch]]:
    """Two balls that lay still and apart, and met between two images: the line of centres is that of a blow.

    The ball that gave the blow has come to where it touches the other, no further than it can go by then.
    What the cue sent off had its way from that.
    """
    out = []
    for giver, given, sign in ((mine, other, -1.0), (theirs, one, 1.0)):
        taker, taken = (theirs, one.event) if giver is mine else (mine, other.event)
        if given.struck or given.event.size < LEAST_MM_S:
            continue
        set_off = given.event
        ux, uy = set_off.dv[0] / set_off.size, set_off.dv[1] / set_off.size
        gone = math.hypot(taker.place[0] - d * ux - giver.place[0], taker.place[1] - d * uy - giver.place[1])
        most = 3.0 + 0.5 * travel_mm(taken)
        touch = _Touch(
            set_off.t_s, 0.0, set_off.size, sign * ux, sign * uy, math.hypot(set_off.sigma_s, AT_ONCE_S)
        )
        out.append((-1.0 - 0.5 * (gone / most) ** 2, touch))
    return out


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
    noise = math.hypot(sigma_mm(a, mine, 0.5 * (lo + hi)), sigma_mm(b, theirs, 0.5 * (lo + hi)), MODEL_MM)
    step = (hi - lo) / (STEPS - 1)
    inside = np.flatnonzero((gap[1:] <= 0) & (gap[:-1] > 0))
    k = int(inside[0]) if len(inside) else int(np.abs(gap).argmin())
    after, before = min(k + 1, STEPS - 1), k if len(inside) else max(k - 1, 0)
    moves = (d[after] - d[before]) / ((after - before) * step)
    at, left, u = d[k], float(gap[k]), 0.0
    closing = abs(float(gap[after]) - float(gap[before])) / (2 * step)
    if left > 0.0:  # outside at this step: a fast ball touches within one, and may be off again
        speed = max(float(np.hypot(*moves)), 1.0)
        u = -float(d[k] @ moves) / speed**2
        u = u if len(inside) else min(max(u, -step), step)
        at = d[k] + u * moves
        left = float(np.hypot(*at)) - diameter
        if left <= 0.0:
            u -= math.sqrt(diameter**2 - float(at @ at)) / speed
            at, left = d[k] + u * moves, 0.0
            closing = abs(float(at @ moves)) / diameter
    t_s = float(t[k]) + u
    size = max(float(np.hypot(at[0], at[1])), 1e-6)
    sigma_s = min(math.hypot(noise, left) / max(closing, 30.0), 0.3 * (hi - lo))
    return _Touch(t_s, left, closing, float(at[0]) / size, float(at[1]) / size, sigma_s)


def _timed(e: Event, touch: _Touch, sigma: float) -> float:
    """How well the time of the touch agrees with the event's: between its images, and where its curves cross.

    Two blows in one interval bend the curve after it, so that the crossing says little.
    """
    late = min(sigma / max(touch.closing, 30.0), 0.25 * between_s(e) + 2e-3)
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


def one_sided(
    i: int, node: Node, other: int, mine: Way, theirs: Way, has_event: bool, arena: Arena
) -> list[Candidate]:
    """A contact that the other ball does not show: it took the blow unseen, or leans on a cushion."""
    e = node.event
    lo, hi = window(e)
    seg, speed = moving_on(theirs, e.t_s)
    if speed < LEAST_MM_S:
        seg, speed = moving_on(theirs, lo)  # it all but stopped where it met the other
    if seg is None or speed < LEAST_MM_S:
        return []  # a ball at rest is a bystander
    own = 0.0 if e.before is None else math.hypot(*e.before.velocity(e.t_s))
    d = arena.apart_mm(node.ball, other)
    apart = math.dist(place_at(mine, e), theirs.at(e.t_s)) - d
    if apart > 40.0 + (speed + own) * (hi - lo):
        return []
    touch = _touch(e.before, mine, seg, theirs, lo, hi, d)
    sigma = math.hypot(sigma_mm(e.before, mine, touch.t_s), sigma_mm(seg, theirs, touch.t_s), MODEL_MM)
    logp = -0.5 * (touch.gap / sigma) ** 2 + _timed(e, touch, sigma) - (4.0 if has_event else 1.0)
    if logp < -WITHIN:
        return []
    hidden = 30.0 + seg.sigma_velocity(touch.t_s)
    what = Interaction("contact", (node.ball, other), touch.t_s, touch.sigma_s, None)
    return [Candidate(what, i, -1, touch.nx, touch.ny, logp, hidden)]


def from_the_jaws(i: int, node: Node, other: int, mine: Way, theirs: Way, arena: Arena) -> list[Candidate]:
    """A ball that lay in a pocket's jaws and fell between two looks was met by one that came by, however: the
    jaws lead it in.
    """
    e = node.event
    seg, speed = moving_on(theirs, e.t_s)
    if not e.fell or seg is None or speed < LEAST_MM_S or not in_mouth(*mine.place[:2], arena.table):
        return []
    touch = _touch(None, mine, seg, theirs, *window(e), arena.apart_mm(node.ball, other))
    sigma = math.hypot(sigma_mm(seg, theirs, touch.t_s), JAWS_MM)
    logp = -0.5 * (touch.gap / sigma) ** 2 - 1.0
    if logp < -WITHIN:
        return []
    what = Interaction("contact", (node.ball, other), touch.t_s, touch.sigma_s, None)
    return [Candidate(what, i, -1, e.dv[0] / e.size, e.dv[1] / e.size, logp)]


JAWS_MM = 6.0
"""One sigma of where a ball in the jaws is seen: leather and shadow draw it aside. Assumed."""
