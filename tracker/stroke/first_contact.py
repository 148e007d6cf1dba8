"""Which ball the cue-ball met first: hypotheses with weights that sum to one.

For carrom. In all other games explanations of whole strokes say it (`tracker.explain`); of nineteen discs
side by side those still ask more than this does.

The contacts that `contacts.py` found give the first weights. Each further kind of evidence then gives one
ball a share of the belief, and all earlier hypotheses keep the rest. In order: grazes that leave no trace, a
bend of the cue-ball without a cause, balls that moved too early, a ball that fell unseen, a ball that set off
for no known cause, a ball in the cue-ball's path that set off just then.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from tracker.events import Contact, FirstContact, PlacedBall
from tracker.explain.reach import heavy_share
from tracker.layout.hands import runs_free
from tracker.params import DISC_MM_S2, SLIDE_MM_S2
from tracker.stroke.contacts import KINK_SPEED_MM_S, UNKNOWN_COST, Cause, meeting
from tracker.stroke.paths import STEADY_IMAGES, Break, Path, Segment
from tracker.stroke.pots import STRUCK_SLACK_MM
from tracker.stroke.ways import (
    BEYOND_S,
    EARLY_S,
    ORDER_S,
    STEP_S,
    WAY_IMAGES,
    lay_until,
    normal_share,
    reach_of,
    way_from_rest,
    way_up_to,
)
from tracker.stroke.world import Event, World

MIN_WEIGHT = 0.005
SHARP, SHARP_MM_S = 3.5, 250.0
"""A bend is sharp from this many sigmas and this change of velocity on: friction, swerve and blur reach no
further.
"""
UNSEEN_WEIGHT = 0.5
AT_BALL_WEIGHT, AT_BALL_MM = 0.8, 15.0
"""The same where a ball lies this near to being hit, although it shows nothing of it."""
UNSEEN_BEFORE_S = 0.03
NOT_FAR_MM = 200.0
"""Times of what moves before the first contact may be off by as much of the cue-ball's way."""
FELL_WEIGHT = 0.995
"""No ball starts by itself: as sure as any contact that was seen."""
UNSURE_START_S = 0.15
"""So much later than it began a cue-ball may be said to have begun that something hid as it was struck."""
SHIFTED, SHIFTED_WEIGHT = 4.0, 0.9
"""Lying so many sigmas from where it lay before, a ball that the cue-ball passed was met; not known for
certain.
"""
SET_OFF_WEIGHT = 0.9995
"""Weight that a ball in the cue-ball's way that moved off just then was met by it."""
EDGE_MM = 25.0
SURE_BENDS = 0.999
"""No bends say more surely than this that two balls met: a neighbour's may be taken for theirs. Assumed."""
SURELY_MET = 0.99
"""Weight from which a way drawn on says which of two balls it met."""
ROLL_OUT_MM_S2 = 100.0  # rolling resistance: how far a ball runs that was barely touched


@dataclass(slots=True)
class Belief:
    """What the cue-ball may have met first, None for no ball: weights, and when."""

    weights: dict[str | None, float] = field(default_factory=dict)
    times: dict[str | None, float | None] = field(default_factory=lambda: {None: None})

    def give(self, ball: str, share: float, t_s: float | None) -> None:
        """Give a ball this share of the belief; all hypotheses so far keep the rest in proportion."""
        for other in self.weights:
            self.weights[other] *= 1.0 - share
        self.weights[ball] = self.weights.get(ball, 0.0) + share
        self.times.setdefault(ball, t_s)

    def earlier(self, t_s: float, but: str) -> bool:
        """Whether it holds that another ball than `but` was met before a time."""
        return any(
            at is not None and at < t_s and self.weights.get(ball, 0.0) > MIN_WEIGHT
            for ball, at in self.times.items()
            if ball != but
        )

    def best_first(self, timed: bool) -> tuple[FirstContact, ...]:
        """The hypotheses of some weight; `timed`: whether their times can be told."""
        total = sum(self.weights.values())
        kept = [(b, w / total) for b, w in self.weights.items() if w / total >= MIN_WEIGHT]
        kept.sort(key=lambda bw: -bw[1])
        total = sum(w for _, w in kept)
        return tuple(FirstContact(b, self.times.get(b) if timed else None, w / total) for b, w in kept)


def first_contact(
    world: World,
    contacts: list[Contact],
    gap: bool,
    causes: dict[int, Cause] | None = None,
    after: Sequence[PlacedBall] = (),
    potted: Sequence[str] = (),
) -> tuple[FirstContact, ...]:
    """Best first. Without any contact: one hypothesis of no ball, unless a near miss or a sharp bend says
    otherwise.

    `gap`: images were lost in the stroke, no time is claimed. `causes`: of every event, by its id().
    `after`: the balls at rest behind the stroke; `potted`: those that fell in it.
    """
    cue = world.cue
    if cue is None:
        return (FirstContact(None, None, 1.0),)
    mine = sorted((c for c in contacts if cue in c.balls), key=lambda c: c.t_s)
    belief = _of_lost_images(world) if gap and not mine else _of_contacts(world, mine)
    unexplained = _unexplained(world, causes or {})
    _grazes(world, mine, {e.ball for e, _ in unexplained}, {b.ball: b for b in after}, belief)
    if not gap:
        if causes is not None:
            _unseen_ball(world, causes, belief)
        _moved_before(world, contacts, mine, belief)
        _fell_unseen(world, mine, potted, belief)
        _set_off(world, mine, unexplained, belief)
        _on_its_way(world, mine, belief)
    return belief.best_first(timed=not gap)


def _of_contacts(world: World, mine: list[Contact]) -> Belief:
    """What the cue-ball's known contacts say, in the order of their times, and that none of them was one."""
    belief, left = Belief(), 1.0
    for i, c in enumerate(mine):
        other = _other(c, world.cue)
        if other in belief.weights:
            continue
        p_real = max(c.confidence, _met_on_way(world, other, c.t_s))
        # the next contacts may have come before this one when their times overlap
        for later in mine[i + 1 :]:
            p_real *= 1 - later.confidence * (1 - _comes_after(world, c, later))
        belief.weights[other], belief.times[other] = left * p_real, c.t_s
        left *= 1 - p_real
        if left < MIN_WEIGHT:
            break
    belief.weights[None] = left
    return belief


def _other(contact: Contact, ball: str | None) -> str:
    """The ball that met `ball`."""
    a, b = contact.balls
    return a if b == ball else b


def _comes_after(world: World, first: Contact, later: Contact) -> float:
    """Weight that of two contacts of the cue-ball the second came second.

    Where both balls lay still, the cue-ball's one way up to there says which it reached first: errors of time
    that both have in common fall out. Else their times say it.
    """
    assert world.cue is not None
    a, b = _other(first, world.cue), _other(later, world.cue)
    by_way = _reached_first(world, a, b, min(first.t_s, later.t_s), first.confidence)
    if by_way is not None:
        return by_way
    spread = math.hypot(ORDER_S, math.hypot(first.sigma_s, later.sigma_s))
    return normal_share((later.t_s - first.t_s) / spread)


def _met_on_way(world: World, ball: str, t_s: float) -> float:
    """Weight that the cue-ball met a ball that lay still and was set off just then: its way led there."""
    legs = world.paths.get(ball, [])
    way = way_up_to(world, t_s) if legs and legs[0].start is not None else None
    if way is None or not lay_until(world, ball, t_s):
        return 0.0
    at, hit, _ = reach_of(world, way, ball, t_s)
    return hit if at is not None and abs(at - t_s) < EARLY_S else 0.0


def _both_say(way: float, bends: float) -> float:
    """Weight that two balls met, from the weight that the way gives and the one that their bends give."""
    bends = min(bends, SURE_BENDS)
    yes, no = way * bends, (1.0 - way) * (1.0 - bends)
    return yes / (yes + no) if yes + no > 0.0 else 0.5


def _reached_first(world: World, a: str, b: str, t_s: float, met: float = 0.5) -> float | None:
    """Weight that the cue-ball's way reaches ball `a` before ball `b`; None where it does not tell.

    `met`: weight that the bends of the two ways give to a contact with `a`; a half says nothing.
    """
    assert world.cue is not None
    if not all(lay_until(world, n, t_s) for n in (a, b)):
        return None
    way = way_up_to(world, t_s)
    if way is None:
        return None
    meets = [reach_of(world, way, n, t_s) for n in (a, b)]
    (t_a, hit_a, s_a), (t_b, hit_b, s_b) = meets
    if max(hit_a, hit_b) < SURELY_MET:
        return None
    hit_a = _both_say(hit_a, met)
    if t_a is None or t_b is None:
        return 1.0 - hit_b if t_b is None else hit_a
    return hit_a * heavy_share((t_b - t_a) / math.hypot(s_a, s_b))


def _on_its_way(world: World, mine: list[Contact], belief: Belief) -> None:
    """A ball at rest into which the cue-ball's first way leads, and that was set off just then, was met: in a
    pack that bursts, its start may seem to come from a neighbour.
    """
    legs = world.paths.get(world.cue or "", [])
    found = _first_way(world, legs[0]) if legs else None
    if found is None:
        return
    way, turn_s = found
    ahead = [(*reach_of(world, way, b, turn_s), b) for b in world.places if b != world.cue]
    at, hit, _, ball = min(
        (a for a in ahead if a[0] is not None and a[1] >= SURELY_MET),
        key=lambda a: a[0] or 0.0,
        default=(None, 0.0, 1.0, ""),
    )
    start = _start_of(world, ball)
    if at is None or start is None or not start.lo_s - EARLY_S < at < start.hi_s + EARLY_S:
        return
    if mine and mine[0].t_s < at + ORDER_S and ball in mine[0].balls:
        return
    if belief.earlier(at - EARLY_S, ball):
        return
    share = min(hit, SET_OFF_WEIGHT) * (1.0 - _reached_another(world, way, mine, ball, at, turn_s))
    if share > MIN_WEIGHT:
        belief.give(ball, share, at)


def _first_way(world: World, path: Path) -> tuple[Segment, float] | None:
    """The cue-ball's way before anything turned it, and a time by which it had turned.

    Where it met a ball before it was seen often enough, that is from where it lay to where it was first seen.
    """
    if path.segments and path.segments[0].n >= WAY_IMAGES:
        return path.segments[0], path.breaks[0].hi_s if path.breaks else path.stop_s
    points = path.leg.points
    way = way_from_rest(world, points[0].t_s) if points else None
    return None if way is None else (way, points[min(1, len(points) - 1)].t_s)


def _reached_another(
    world: World, way: Segment, mine: Sequence[Contact], ball: str, at_s: float, turn_s: float
) -> float:
    """Weight that the cue-ball met another ball before it came to `ball`, at `at_s`: its way leads there, and
    both bend.
    """
    none = 1.0
    for c in mine:
        other = _other(c, world.cue)
        if other == ball or other not in world.places or not lay_until(world, other, at_s):
            continue
        t_s, hit, spread_s = reach_of(world, way, other, turn_s)
        if t_s is not None:
            none *= 1.0 - _both_say(hit, c.confidence) * heavy_share((at_s - t_s) / spread_s)
    return 1.0 - none


def _of_lost_images(world: World) -> Belief:
    """Lost images hid the contacts: whichever ball left its place first is the likeliest, without a time.

    No ball starts by itself: where one alone has moved it is (nearly) sure.
    """
    moved = sorted(
        (legs[0].leg.t_rest_s, name) for name, legs in world.paths.items() if name != world.cue and legs
    )
    weights: dict[str | None, float] = {}
    share = 0.99
    for k, (_, name) in enumerate(moved):
        weights[name] = share if k == len(moved) - 1 else 0.75 * share
        share -= weights[name]
    return Belief({**weights, None: 0.01 if moved else 1.0})


def _unseen_ball(world: World, causes: dict[int, Cause], belief: Belief) -> None:
    """A bend of the cue-ball that no known ball, cushion or pocket explains: half that it met something
    there.

    What it met is named as the ball nearest to the bend; who is asked sees the place.
    """
    known = [t for t in belief.times.values() if t is not None]
    until = min(known, default=math.inf) - UNSEEN_BEFORE_S
    for e in world.events:
        cause = causes.get(id(e))
        if e.ball != world.cue or e.is_start or cause is None or e.at.t_s > until:
            continue
        if cause.partner is not None or cause.cushion is not None or _at_edge(world, e):
            continue
        if not _lasting(e, *_between_causes(world, causes, e)):
            continue
        x, y = e.path.at(e.at.t_s)
        others = [(math.hypot(p[0] - x, p[1] - y), b) for b, p in world.places.items() if b != world.cue]
        if others:
            far, nearest = min(others)
            share = AT_BALL_WEIGHT if far < world.reach_mm(world.cue, nearest) + AT_BALL_MM else UNSEEN_WEIGHT
            belief.give(nearest, share, e.at.t_s)
        return


def _between_causes(world: World, causes: dict[int, Cause], e: Event) -> tuple[float, float]:
    """From when to when the event's path bends for no other, known cause."""
    since, until = -math.inf, math.inf
    for x in world.events:
        cause = causes.get(id(x))
        known = cause is not None and (cause.partner is not None or cause.cushion is not None)
        if x.path is not e.path or not known:
            continue
        if x.at.t_s < e.at.t_s:
            since = max(since, x.at.hi_s)
        else:
            until = min(until, x.at.lo_s)
    return since, until


def _lasting(e: Event, since_s: float, until_s: float) -> bool:
    """Whether a path goes on sharply bent, or half stopped, behind an event.

    A false observation bends it there and back; times that are off by a little change its speed, not its way.
    """
    pieces = e.path.segments
    k = next(i for i, s in enumerate(pieces) if s is e.at.before)
    before = next((s for s in reversed(pieces[: k + 1]) if s.n >= STEADY_IMAGES), None)
    after = next((s for s in pieces[k + 1 :] if s.n >= STEADY_IMAGES), None)
    if before is None or after is None or before.first_s < since_s - 1e-6 or after.last_s > until_s + 1e-6:
        return False
    (ux, uy), (vx, vy) = before.velocity(before.last_s), after.velocity(after.first_s)
    spread = math.hypot(before.sigma_velocity(before.last_s), after.sigma_velocity(after.first_s))
    friction = SLIDE_MM_S2 * (after.first_s - before.last_s)
    least = max(SHARP * math.hypot(spread, KINK_SPEED_MM_S), SHARP_MM_S) + friction
    speed = max(math.hypot(ux, uy), 1.0)
    aside = abs(ux * vy - uy * vx) / speed
    lost = speed - (ux * vx + uy * vy) / speed
    return aside > least or lost > least + 0.5 * speed


def _at_edge(world: World, e: Event) -> bool:
    """Whether a bend lies so near a cushion's nose or a pocket that these may have made it."""
    return world.table.at_cushion(*e.path.at(e.at.t_s), world.table.ball_radius_mm + EDGE_MM)


def _unexplained(world: World, causes: dict[int, Cause]) -> list[tuple[Event, Cause]]:
    """Balls' first starts that no other ball explains, with the cause that was found: none, or a shadow that
    crept over it.
    """
    starts = (e for e in world.events if e.is_start and e.path is world.paths[e.ball][0])
    found = ((e, causes.get(id(e))) for e in starts)
    return [(e, cause) for e, cause in found if cause is not None and cause.partner is None]


def _grazes(
    world: World, mine: list[Contact], crept: set[str], after: dict[str, PlacedBall], belief: Belief
) -> None:
    """Balls that the cue-ball passed within the noise before its first contact, and that lie about where they
    lay.

    A graze without a visible effect needs an overlap so small that the ball rolls less than its noise; one
    that lies further off than its noise afterwards was all but surely met. `crept`: balls that moved for
    no known cause, as slowly as a shadow creeps: a thin graze does that.
    """
    cue = world.cue
    assert cue is not None
    legs = world.paths.get(cue, [])
    if not legs:
        return
    until = mine[0].t_s if mine else legs[0].stop_s
    slowing = DISC_MM_S2 if world.table.is_board else ROLL_OUT_MM_S2
    for ball, (x, y, sigma) in world.places.items():
        if ball == cue or ball in belief.weights or (ball in world.paths and ball not in crept):
            continue
        near = _closest(world, legs[0], (x, y), until, world.reach_mm(cue, ball))
        if near is None:
            continue
        t, gap, speed, s = near
        spread = math.hypot(s, sigma)
        visible = 3 * max(sigma, 0.3)
        slow = math.sqrt(2 * slowing * visible)  # speed of a ball that rolls no further than that
        cos = min(slow / max(speed, 1.0), 1.0)
        depth = world.reach_mm(cue, ball) * (1 - math.sqrt(1 - cos * cos)) if cos < 1 else 5.0
        p = 0.5 * (
            math.erf(-gap / (spread * math.sqrt(2))) - math.erf((-gap - depth) / (spread * math.sqrt(2)))
        )
        lies = after.get(ball)
        if lies is not None and math.hypot(lies.x_mm - x, lies.y_mm - y) > SHIFTED * max(
            math.hypot(sigma, lies.sigma_mm), 0.25
        ):
            p = max(p, SHIFTED_WEIGHT)
        if p > 0.01:
            belief.give(ball, p, t)


def _moved_before(world: World, contacts: list[Contact], mine: list[Contact], belief: Belief) -> None:
    """No ball starts by itself: where one moved before the cue-ball's first contact it met the ball beside
    it, unseen.

    So it did where two others met before: it was one of them, which may have passed on all of its speed.
    """
    assert world.cue is not None
    start = _start_of(world, world.cue)
    if start is None:
        return
    early = _earlier_motion(world, contacts, mine, start.t_s - EARLY_S)
    t_s = min((t for t, _ in early), default=math.inf)
    at = world.at(world.cue, t_s) if early else None
    if at is None:
        return
    others = [(math.dist(at, p[:2]), b) for b, p in world.places.items() if b != world.cue]
    far_mm, ball = min(others, default=(math.inf, ""))
    if far_mm < world.reach_mm(world.cue, ball) + AT_BALL_MM:
        belief.give(ball, AT_BALL_WEIGHT, t_s)
        return
    if mine and start.t_s <= t_s < mine[0].t_s - UNSURE_START_S:
        return
    moved = {b for _, balls in early for b in balls}
    far_mm, ball = min((o for o in others if o[1] in moved), default=(math.inf, ""))
    if far_mm < NOT_FAR_MM:  # a start or a meeting that is dated too early, or the cue-ball's own too late
        belief.give(ball, UNSEEN_WEIGHT, t_s)


def _start_of(world: World, ball: str) -> Break | None:
    """When a ball left its place; None where it did not, or nothing tells the time."""
    legs = world.paths.get(ball, [])
    return legs[0].start if legs else None


def _earlier_motion(
    world: World, contacts: list[Contact], mine: list[Contact], since_s: float
) -> list[tuple[float, tuple[str, ...]]]:
    """Starts of other balls, and their contacts with one another, before the cue-ball's first known contact;
    each with its time and its balls.
    """
    until_s = sooner_s = math.inf
    own: set[str] = set()
    if mine:
        until_s, sooner_s = mine[0].t_s - EARLY_S - 3 * mine[0].sigma_s, mine[0].t_s
        own = set(mine[0].balls)
    found: list[tuple[float, tuple[str, ...]]] = []
    for ball in world.paths.keys() - own - {world.cue}:
        start = _start_of(world, ball)
        if start is not None and since_s < start.t_s < until_s:
            found.append((start.t_s, (ball,)))
    for c in contacts:
        apart = ORDER_S + 3 * math.hypot(c.sigma_s, mine[0].sigma_s) if mine else 0.0
        if world.cue not in c.balls and since_s < c.t_s < sooner_s - apart:
            found.append((c.t_s, c.balls))
    return found


def _fell_unseen(world: World, mine: list[Contact], potted: Sequence[str], belief: Belief) -> None:
    """A ball that fell and was never seen to move (it lay in the jaws) was met by what came to it first.

    That is the cue-ball where it passes before its first known contact, and no other ball that moves passes
    earlier.
    """
    assert world.cue is not None
    until = mine[0].t_s - 3 * mine[0].sigma_s if mine else math.inf
    fallen: list[tuple[float, str]] = []
    for ball in potted:
        legs = world.paths.get(ball, [])
        if ball in belief.weights or ball not in world.places or not legs or legs[0].segments:
            continue
        came = _comes_to(world, world.cue, ball, until)
        others = (b for b in world.paths if b not in (ball, world.cue))
        if came is not None and all(_comes_to(world, b, ball, came + ORDER_S) is None for b in others):
            fallen.append((came, ball))
    if not fallen:
        return
    came, ball = min(fallen)
    belief.give(ball, UNSEEN_WEIGHT if belief.earlier(came, ball) else FELL_WEIGHT, came)


def _comes_to(world: World, other: str, ball: str, until_s: float) -> float | None:
    """When a ball on its way first comes to where another one lies, up to a time."""
    x, y, _ = world.places[ball]
    reach = world.reach_mm(other, ball) + STRUCK_SLACK_MM
    for path in world.paths.get(other, []):
        for k, seg in enumerate(path.segments):
            # a little beyond the segment: the contact lies between its last image and the next
            turn = path.breaks[k] if k < len(path.breaks) else None
            end = min(turn.t_s + 2 * turn.sigma_s, turn.hi_s) if turn is not None else seg.last_s + BEYOND_S
            t = seg.first_s
            while t <= min(end, until_s):
                if math.dist(seg.at(t), (x, y)) < reach:
                    return t
                t += STEP_S
    return None


def _set_off(
    world: World, mine: list[Contact], unexplained: list[tuple[Event, Cause]], belief: Belief
) -> None:
    """A ball that set off for no known cause, no later than the first contact that is known of, may have been
    met first.
    """
    assert world.cue is not None
    start = _start_of(world, world.cue)
    if start is None:
        return
    since = start.t_s - UNSURE_START_S
    until = mine[0].t_s + 3 * mine[0].sigma_s if mine else math.inf
    for e, cause in unexplained:
        if (
            cause.cost < UNKNOWN_COST
            or e.ball in belief.weights
            or e.ball not in world.places
            or not since < e.at.t_s < until
        ):
            continue
        if runs_free(e.path.leg) and not _through_another(world, mine, e):
            belief.give(e.ball, UNSEEN_WEIGHT, e.at.t_s)


def _through_another(world: World, mine: list[Contact], e: Event) -> bool:
    """Whether a ball lies beside one that the cue-ball is known to have met, which may have passed all its
    speed on to it.
    """
    x, y, _ = world.places[e.ball]
    met = (
        world.places.get(b)
        for c in mine
        if c.t_s - 3 * c.sigma_s - ORDER_S < e.at.t_s
        for b in c.balls
        if b != world.cue
    )
    reach = world.table.ball_diameter_mm + AT_BALL_MM
    return any(p is not None and math.hypot(p[0] - x, p[1] - y) < reach for p in met)


def _closest(
    world: World, path: Path, place: tuple[float, float], until_s: float, reach_mm: float
) -> tuple[float, float, float, float] | None:
    """Closest approach of the cue-ball's path to a place before a time: (t, gap, speed, sigma); None when
    far.
    """
    start = path.start.t_s if path.start is not None else path.leg.t_rest_s
    best: tuple[float, float, float, float] | None = None
    for k, seg in enumerate(path.segments):
        lo = start if k == 0 else path.breaks[k - 1].t_s
        hi = min(path.breaks[k].t_s if k < len(path.breaks) else path.stop_s, until_s - 1e-3)
        if hi <= lo:
            continue
        ts = [lo + (hi - lo) * i / 60 for i in range(61)]
        d = [math.dist(seg.at(t), place) - reach_mm for t in ts]
        i = min(range(61), key=lambda j: d[j])
        if i in (0, 60) and d[i] > 20:
            continue
        a, b = ts[max(i - 1, 0)], ts[min(i + 1, 60)]
        t, gap, _ = meeting(seg.at, lambda _t: place, a, b, reach_mm - 200.0)
        gap -= 200.0
        speed = math.hypot(*seg.velocity(t))
        if best is None or gap < best[1]:
            best = t, gap, speed, min(seg.sigma(t), 20.0)
    if best is None or best[1] > 6 * math.hypot(best[3], 0.5) or best[0] - start < 0.01:
        return None
    return best
