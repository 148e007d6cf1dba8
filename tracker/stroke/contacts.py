"""Causes of every bend and start: a ball, a cushion, or nothing. Times from both radii, not from images.

Each event of a path is explained by the cheapest cause. A ball as the cause must be one diameter away
at the time, the change of velocity must lie along the line of centres, and the partner should have an
event of its own; a cushion must be one radius away and push along its normal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from calibration.table.specs import CushionName
from tracker.events import Contact, CushionHit
from tracker.params import SLIDE_MM_S2
from tracker.stroke.world import Curve, Event, Piece, World, before_curve

KINK_SPEED_MM_S = 60.0
"""A change of speed that friction, swerve or a poor fit can feign."""
MAX_COST = 25.0
UNSEEN_COST = 16.0
"""A cue-ball that bends sharply for no known cause: it met what nobody saw."""
UNKNOWN_COST = 30.0
"""A ball at rest that starts without any visible cause."""
FEIGNED_COST, FEIGNED_MM = 3.0, 0.9
"""A ball that lies still may seem to creep by about this much when a shadow or an arm comes over it."""
BEFORE_ITS_CAUSE_COST = 12.0
"""A ball that lies still cannot have started another one; times are known to about `CAUSE_S`."""
CAUSE_S = 0.003
BENT_COST, LAY_COST = 2.0, 4.0
UNNOTICED_BEND_MM_S, UNNOTICED_PUSH_MM_S = 250.0, 30.0
"""Changes of velocity that a moving ball, and a ball at rest, can hide in the noise of the images."""
MOST_UNMOVED_COST = 14.0
BACKED_MM = 4.0
SLID_S = 0.4 / SLIDE_MM_S2
"""A struck ball slides for `2 v / (7 mu g)` (Marlow, ch. 2) and rolls on with 5/7 of its speed; times that
speed, s.
"""
START_EARLY, START_SPREAD = 0.071 / SLIDE_MM_S2, 0.029 / SLIDE_MM_S2
"""Drawn back from where it rolls, a ball left its place too early by `2 v / (35 mu g)`: by theory 0.08,
here 0.071 of its rolling speed over mu g (bench, 38 slow starts: 6.7 to 8.3 ms early where 1.3 ms was
stated).
"""
BEND_EARLY, BEND_SPREAD = 0.034 / SLIDE_MM_S2, 0.057 / SLIDE_MM_S2
"""The same of a ball that was rolling and keeps its spin: by the change of velocity, less surely."""
LATE_COST = 12.0
LATE_S = 0.12
COST_SCALE = 1.5
"""Costs are not exact log-likelihoods: differences count for less."""


@dataclass(frozen=True, slots=True)
class Cause:
    cost: float
    t_s: float
    sigma_s: float
    partner: str | None = None
    cushion: CushionName | None = None
    confidence: float = 1.0


def explain(world: World) -> tuple[list[Contact], list[CushionHit], dict[int, Cause]]:
    """Contacts and cushion hits of a stroke in order of time, and the cause of each event by its id().

    A ball that creeps inside the noise before the strike met nothing.
    """
    options = {id(e): _causal(world, e, _options(world, e)) for e in world.events}
    causes = {k: _best(o) for k, o in options.items() if o}
    _root(world, options, causes)
    contacts: list[Contact] = []
    cushions: list[CushionHit] = []
    strike = next((e for e in world.events if e.is_start and e.ball == world.cue), None)
    for e in world.events:
        c = causes.get(id(e))
        if c is None or (strike is not None and e.at.hi_s < strike.at.lo_s):
            continue
        if c.cushion is not None:
            cushions.append(CushionHit(e.ball, c.cushion, c.t_s))
        elif c.partner is not None:
            _add(contacts, e, c)
    contacts.sort(key=lambda c: c.t_s)
    cushions.sort(key=lambda c: c.t_s)
    return contacts, cushions, causes


def _add(contacts: list[Contact], e: Event, c: Cause) -> None:
    assert c.partner is not None
    confidence = c.confidence
    pair = (min(e.ball, c.partner), max(e.ball, c.partner))
    width = max(0.035, 1.2 * (e.at.hi_s - e.at.lo_s))
    for i, old in enumerate(contacts):
        if old.balls == pair and abs(old.t_s - c.t_s) < width:
            better = c.sigma_s < old.sigma_s
            contacts[i] = Contact(
                pair,
                c.t_s if better else old.t_s,
                min(c.sigma_s, old.sigma_s),
                1 - (1 - confidence) * (1 - old.confidence),
            )
            return
    contacts.append(Contact(pair, c.t_s, c.sigma_s, confidence))


def _root(world: World, options: dict[int, list[Cause]], causes: dict[int, Cause]) -> None:
    """Balls that touch start together and would explain each other: one of them was struck from outside.

    Where the causes of first starts form a ring, the start with the cheapest cause outside the ring takes
    that one; the contact inside the ring stays, for another start still names it.
    """
    first: dict[str, Event] = {}
    for e in world.events:
        if e.is_start and e.ball != world.cue and e.ball not in first and id(e) in causes:
            first[e.ball] = e
    for _ in range(len(first)):
        ring = _ring(first, causes)
        if not ring:
            return
        best: tuple[float, int, Cause] | None = None
        for ball in ring:
            key = id(first[ball])
            for c in options[key]:
                if c.partner is not None and c.partner not in ring:
                    extra = c.cost - causes[key].cost
                    if best is None or extra < best[0]:
                        best = extra, key, c
        if best is None:
            return
        causes[best[1]] = replace(best[2], confidence=0.98)


def _ring(first: dict[str, Event], causes: dict[int, Cause]) -> list[str]:
    """Balls whose chain of first causes returns to themselves."""
    for start in first:
        chain = [start]
        while True:
            partner = causes[id(first[chain[-1]])].partner
            if partner is None or partner not in first:
                break
            if first[partner].at.hi_s < first[chain[-1]].at.hi_s - 1e-6:
                break  # it moved before: no ring
            if partner in chain:
                return chain[chain.index(partner) :]
            chain.append(partner)
    return []


def _options(world: World, e: Event) -> list[Cause]:
    """Every possible cause of one event; none for the strike itself."""
    if e.is_start and e.ball == world.cue and e.path is world.paths[e.ball][0]:
        return []
    options = _ball_causes(world, e, 0.0)
    if e.is_start and min((c.cost for c in options), default=MAX_COST) > LATE_COST:
        # a ball barely touched creeps inside the noise: look further back
        options += [replace(c, cost=c.cost + LATE_COST / 2) for c in _ball_causes(world, e, LATE_S)]
    if not e.is_start:
        cushion = _cushion_cause(world, e)
        if cushion is not None:
            options.append(cushion)
        spread = math.hypot(e.at.sigma_v, KINK_SPEED_MM_S)
        most = UNSEEN_COST if e.ball == world.cue else MAX_COST
        options.append(Cause(min(0.5 * (e.at.dv / spread) ** 2, most), e.at.t_s, e.at.sigma_s))
    else:
        feigned = FEIGNED_COST + 0.5 * (_travel(e) / FEIGNED_MM) ** 2
        # no ball starts by itself: it was hit by what nobody saw, or it never moved
        options.append(Cause(min(feigned, UNKNOWN_COST), e.at.t_s, e.at.sigma_s))
    return options


def _travel(e: Event) -> float:
    """How far the ball of a start lies in the end, or was last seen, from where it lay, mm."""
    leg = e.path.leg
    end = leg.end[:2] if leg.end is not None else e.path.segments[-1].at(e.path.stop_s)
    return math.hypot(end[0] - leg.x0_mm, end[1] - leg.y0_mm)


def _causal(world: World, e: Event, options: list[Cause]) -> list[Cause]:
    """The options of a start, dearer where the partner itself lay still until later."""
    if not e.is_start:
        return options
    return [replace(c, cost=c.cost + _at_rest_cost(world, e, c)) for c in options]


def _at_rest_cost(world: World, e: Event, c: Cause) -> float:
    if c.partner is None:
        return 0.0
    start = next((x for x in world.events if x.ball == c.partner and x.is_start), None)
    if start is None:
        return 0.0
    late = start.at.t_s - c.t_s
    spread = math.hypot(CAUSE_S, math.hypot(start.at.sigma_s, c.sigma_s))
    return min(0.5 * (late / spread) ** 2, BEFORE_ITS_CAUSE_COST) if late > 0 else 0.0


def _best(options: list[Cause]) -> Cause:
    best = min(options, key=lambda c: c.cost)
    total = sum(math.exp((best.cost - c.cost) / COST_SCALE) for c in options)
    return replace(best, confidence=min(1.0 / total, 0.9995))


def meeting(a: Curve, b: Curve, lo_s: float, hi_s: float, distance_mm: float) -> tuple[float, float, float]:
    """When two curves first come within a distance: (time, gap left in mm, closing speed).

    The gap is 0 where they do; otherwise the time is that of the closest approach.
    """
    steps = 48
    ts = [lo_s + (hi_s - lo_s) * k / steps for k in range(steps + 1)]
    ds = [math.dist(a(t), b(t)) - distance_mm for t in ts]
    for k in range(1, steps + 1):
        if ds[k] <= 0.0 < ds[k - 1]:
            f = ds[k - 1] / (ds[k - 1] - ds[k])
            return ts[k - 1] + f * (ts[k] - ts[k - 1]), 0.0, (ds[k - 1] - ds[k]) / (ts[k] - ts[k - 1])
    k = min(range(steps + 1), key=lambda i: abs(ds[i]))
    speed = abs(ds[min(k + 1, steps)] - ds[max(k - 1, 0)]) / (2 * (hi_s - lo_s) / steps)
    return ts[k], ds[k], speed


def _ball_causes(world: World, e: Event, late_s: float) -> list[Cause]:
    found = (_ball_cause(world, e, other, late_s) for other in world.places if other != e.ball)
    return [c for c in found if c is not None]


def _ball_cause(world: World, e: Event, other: str, late_s: float) -> Cause | None:
    """The other ball as the cause; `late_s`: how much earlier than seen the contact may have been."""
    margin = 0.25 * (e.at.hi_s - e.at.lo_s) + 0.003
    lo, hi = e.at.lo_s - margin - late_s, e.at.hi_s + margin
    mine = before_curve(e)
    crossed_s, crossed_sigma_s = _crossed(e, world.table.is_board)
    partner_events = [x for x in world.events_of(other, lo, hi) if x is not e]
    here = mine.curve(e.at.t_s)
    best: Cause | None = None
    for theirs in world.curves(other, lo, hi):
        speed, since, until = theirs.speed_mm_s, max(lo, theirs.from_s), min(hi, theirs.to_s)
        reach = world.reach_mm(e.ball, other) + speed * (hi - lo) + 40.0 + e.at.dv * (hi - lo)
        if until <= since or math.dist(here, theirs.curve(e.at.t_s)) > reach:
            continue
        t, gap, closing = meeting(mine.curve, theirs.curve, since, until, world.reach_mm(e.ball, other))
        sigma = math.hypot(math.hypot(mine.sigma_mm, theirs.sigma_mm), 0.7)
        cost = min(0.5 * (gap / sigma) ** 2, 40.0)
        own = math.hypot(max(crossed_sigma_s, 1e-4), sigma / max(closing, 30.0))
        if not late_s:
            cost += min(0.5 * ((t - crossed_s) / max(own, 5e-4)) ** 2, 6.0)
        cost += _direction_cost(mine.curve(t), theirs.curve(t), e, sigma)
        cost += 0.0 if partner_events else _unmoved_cost(world, e, other, theirs, t)
        # what is left of the gap says how wrong a time is at which the curves do not meet
        sigma_t = min(math.hypot(sigma, gap) / max(closing, 1.0), 0.3 * (hi - lo))
        if not late_s:
            t, sigma_t = combined(t, sigma_t, crossed_s, max(crossed_sigma_s, 2e-4))
        if best is None or cost < best.cost:
            best = Cause(cost, t, sigma_t, partner=other)
    return best


def _crossed(e: Event, slides: bool) -> tuple[float, float]:
    """When the curves before and after an event cross, and its sigma, less what sliding feigns."""
    after = e.at.after
    if after is None:
        return e.at.t_s, e.at.sigma_s
    return less_sliding(e.at.t_s, e.at.sigma_s, after.last_s - after.first_s, e.at.dv, e.is_start, slides)


def less_sliding(
    t_s: float, sigma_s: float, seen_s: float, dv: float, is_start: bool, slides: bool
) -> tuple[float, float]:
    """The time `t_s` at which two curves cross, and its sigma, less what sliding feigns: where the curve
    after it, `seen_s` long, is mostly rolling, the sliding before that is no part of its parabola.

    `dv`: change of velocity, mm/s. `slides`: the pieces are discs, which never roll.
    """
    if dv < 1.0 or slides:  # a disc only slides: the parabola is all of it
        return t_s, sigma_s
    rolls = min(max((seen_s / (SLID_S * dv) - 1.0) / 2.0, 0.0), 1.0) * dv
    early, spread = (START_EARLY, START_SPREAD) if is_start else (BEND_EARLY, BEND_SPREAD)
    return t_s + early * rolls, math.hypot(sigma_s, spread * rolls)


def _unmoved_cost(world: World, e: Event, other: str, theirs: Piece, t_s: float) -> float:
    """How badly it fits that the other ball shows nothing of the contact, by momentum.

    What one ball's velocity changes by, the other's does too (equal masses, Marlow ch. 5): a moving one
    bends as sharply, one at rest rolls off, unless a cushion or a ball behind it takes the blow.
    """
    if theirs.speed_mm_s > 0:
        return min(BENT_COST + 0.5 * (e.at.dv / UNNOTICED_BEND_MM_S) ** 2, MOST_UNMOVED_COST)
    there, here = theirs.curve(t_s), before_curve(e).curve(t_s)
    if _backed(world, other, there, (there[0] - here[0], there[1] - here[1])):
        return LAY_COST
    surely = max(e.at.dv - 2.0 * e.at.sigma_v, 0.0)
    return min(LAY_COST + 0.5 * (surely / UNNOTICED_PUSH_MM_S) ** 2, MOST_UNMOVED_COST)


def _backed(world: World, ball: str, there: tuple[float, float], push: tuple[float, float]) -> bool:
    """Whether a ball at rest is pushed against a cushion or another ball close behind it."""
    t, n = world.table, max(math.hypot(*push), 1e-6)
    ux, uy = push[0] / n, push[1] / n
    gaps = (
        (t.half_width_mm - t.ball_radius_mm - math.copysign(1.0, ux) * there[0], abs(ux)),
        (
            t.top_mm - t.ball_radius_mm - there[1] if uy > 0 else there[1] - t.bottom_mm - t.ball_radius_mm,
            abs(uy),
        ),
    )
    if any(gap < BACKED_MM and into > 0.5 for gap, into in gaps):
        return True
    for other, (x, y, _) in world.places.items():
        dx, dy = x - there[0], y - there[1]
        d = math.hypot(dx, dy)
        if other != ball and 1.0 < d < t.ball_diameter_mm + BACKED_MM and (dx * ux + dy * uy) / d > 0.5:
            return True
    return False


def combined(t1: float, s1: float, t2: float, s2: float) -> tuple[float, float]:
    """The better of two estimates of a time, or their mean where they agree."""
    if abs(t1 - t2) > 3 * math.hypot(s1, s2):
        return (t1, s1) if s1 <= s2 else (t2, s2)
    w1, w2 = 1 / (s1 * s1), 1 / (s2 * s2)
    return (t1 * w1 + t2 * w2) / (w1 + w2), 1 / math.sqrt(w1 + w2)


def _direction_cost(here: tuple[float, float], there: tuple[float, float], e: Event, sigma: float) -> float:
    """How badly the change of velocity points away from the partner's centre."""
    nx, ny = here[0] - there[0], here[1] - there[1]
    n = math.hypot(nx, ny)
    dv = e.at.dv
    if n < 1.0 or dv < 1.0:
        return 6.0
    angle = math.acos(max(-1.0, min(1.0, (nx * e.at.dvx + ny * e.at.dvy) / (n * dv))))
    spread = math.hypot(0.15, math.hypot(e.at.sigma_v / dv, 2 * sigma / n))
    return min(0.5 * (angle / spread) ** 2, 12.0)


def _cushion_cause(world: World, e: Event) -> Cause | None:
    table = world.table
    r, w = table.ball_radius_mm * world.pieces.size_share(e.ball), table.half_width_mm
    piece = before_curve(e)
    mine, sigma = piece.curve, piece.sigma_mm
    margin = 0.25 * (e.at.hi_s - e.at.lo_s) + 0.003
    lo, hi = e.at.lo_s - margin, e.at.hi_s + margin
    best: Cause | None = None
    sides: tuple[tuple[CushionName, int, float, float], ...] = (
        ("left", 0, -w + r, 1.0),
        ("right", 0, w - r, -1.0),
        ("bottom", 1, table.bottom_mm + r, 1.0),
        ("top", 1, table.top_mm - r, -1.0),
    )
    for name, axis, wall, inward in sides:
        t, off, speed = _reach_wall(mine, axis, wall, lo, hi)
        spread = math.hypot(sigma, 2.5)  # the table's dimensions and the cushion's give
        push = (e.at.dvx, e.at.dvy)[axis] * inward
        if push <= 0 or abs(off) > 40.0:
            continue
        angle = math.acos(min(1.0, push / max(e.at.dv, 1e-6)))
        cost = min(0.5 * (off / spread) ** 2, 40.0) + min(0.5 * (angle / 0.5) ** 2, 8.0)
        t, s = combined(t, spread / max(speed, 1.0), e.at.t_s, max(e.at.sigma_s, 2e-4))
        if best is None or cost < best.cost:
            best = Cause(cost, t, s, cushion=name)
    jaw = _jaw_cause(world, e, mine)
    if jaw is not None and (best is None or jaw.cost < best.cost):
        best = jaw
    return best


def _reach_wall(curve: Curve, axis: int, wall: float, lo: float, hi: float) -> tuple[float, float, float]:
    """When a curve's coordinate reaches a line: (time, distance left, speed towards it)."""
    steps = 24
    ts = [lo + (hi - lo) * k / steps for k in range(steps + 1)]
    ds = [curve(t)[axis] - wall for t in ts]
    speed = abs(ds[-1] - ds[0]) / (hi - lo)
    for k in range(1, steps + 1):
        if ds[k - 1] * ds[k] <= 0 and ds[k] != ds[k - 1]:
            f = ds[k - 1] / (ds[k - 1] - ds[k])
            return ts[k - 1] + f * (ts[k] - ts[k - 1]), 0.0, speed
    k = min(range(steps + 1), key=lambda i: abs(ds[i]))
    return ts[k], ds[k], speed


def _jaw_cause(world: World, e: Event, mine: Curve) -> Cause | None:
    """A bend in a pocket's mouth: its jaws count as the nearest cushion."""
    x, y = mine(e.at.t_s)
    for p in world.table.pockets:
        mouth = math.dist(p.jaws[0], p.jaws[1]) / 2 + world.table.ball_radius_mm
        if math.hypot(x - p.x_mm, y - p.y_mm) > mouth + 20.0:
            continue
        jaw = min(p.jaws, key=lambda j: math.hypot(x - j[0], y - j[1]))
        vertical = abs(abs(jaw[0]) - world.table.half_width_mm) < 1.0
        name: CushionName
        if vertical:
            name = "left" if jaw[0] < 0 else "right"
        else:
            name = "bottom" if jaw[1] - world.table.bottom_mm < world.table.length_mm / 2 else "top"
        return Cause(5.0, e.at.t_s, max(e.at.sigma_s, 5e-3), cushion=name)
    return None
