"""Where a span's explanations have balls lie that the tracker lost sight of, or took something else for."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from calibration.table.pieces import PieceSet, colour_of
from calibration.table.specs import PointMm
from tracker.association.follower import Follower
from tracker.ball import SUREST, Ball, BallState
from tracker.detections.tentative import Tentative
from tracker.explain.detections import OVERLAP
from tracker.explain.posterior import SAME_MM, Named
from tracker.explain.priors import ALIKE
from tracker.explain.solver import Story
from tracker.explain.trajectory import Way
from tracker.identity.exchange import exchanged
from tracker.identity.identify import UNMOVED_MM, lay, unmoved
from tracker.identity.names import one_of_each, placed
from tracker.identity.numbering import accounted
from tracker.layout import hands
from tracker.params import HIDDEN_S, STIRRED_LOOK
from tracker.place import Point, Rest
from tracker.rest.settling import come_to_rest
from tracker.state import State
from tracker.stroke.endings import MOST
from tracker.stroke.span import Span

STOPPED_LOOKS, STILL_LOOKS = 2, 4
"""So many last looks tell where a ball came to rest: before them it crept; more where it lies still by then.
"""
OTHERWISE = 7.0
"""Nats for another ball, by its looks, from which it is not this one: 999 in 1,000."""


def recover(s: State, span: Span, found: Sequence[Named]) -> None:
    """Put balls that were lost sight of where most of the weight of a span's explanations has them lie:
    where they lay, where they rolled, or where a hand put them back. `found`: heaviest first, with names.
    """
    f = s.follower
    for ball in f.balls:
        if ball.state is BallState.REST and (ball.missed or ball.covered) and _falls(ball, found):
            _leave(ball)
    _appear(s, span, found)
    _learn([b for b in f.balls if b.state is BallState.LEFT], found)
    near_mm = one_place_mm(f.pieces)
    lay_there = [(b, b.place) for b in f.balls if b.state is BallState.REST]
    vacated: list[tuple[PointMm, float]] = []
    for ball, story in _elsewhere(f.balls, found):
        at = story.way.end[:2]
        others = (b for b, place in lay_there if b is not ball and math.dist(place, at) < near_mm)
        seen = min(f.tentatives.items, key=lambda i: math.dist(i.place_mm, at), default=None)
        if seen is not None and math.dist(seen.place_mm, at) > near_mm:
            seen = None
        if any(_known_otherwise(b, ball) for b in others) or (seen and looks_otherwise(seen, ball, f.balls)):
            continue  # the explanations have it wrong: nobody says where the ball is
        if ball.state is BallState.REST and ball.legs:
            vacated.append((ball.place, ball.legs[-1].t_end_s or ball.seen_s))
        _move(s, span, ball, story, seen, found)
    _put_down(s, vacated, found)
    _account(s, span, found)
    _nudge(f, found)
    exchanged(f.balls, found, near_mm)
    for ball in f.balls:
        if ball.state is BallState.LEFT:
            _on_its_way(ball, found)


def _account(s: State, span: Span, found: Sequence[Named]) -> None:
    """Balls of which the explanations do not know where they lie, nor that they fell, are what lies there and
    looks like them: it is one of them, whichever.
    """
    f = s.follower
    for item in f.tentatives.lying(s.last_s):
        lost = [b for b in f.balls if b.state is BallState.LEFT and not _falls(b, found)]
        own = [b for b in lost if not looks_otherwise(item, b, f.balls)]
        if not item.rolled_there or len({b.colour for b in own}) != 1:
            continue
        ball = min(own, key=lambda b: math.dist(b.place, item.place_mm))
        since_s = ball.legs[-1].t_rest_s
        ball.legs[-1].points = [p for p in item.points if p.t_s > max(since_s, item.static_since_s)]
        come_to_rest(ball, item.static_since_s, s.table, _looks_where_it_lies(item))
        _learn_where_it_lies(ball, item)
        ball.seen_s, ball.missed = item.seen_s, 0
        f.tentatives.remove(item)


def _on_its_way(ball: Ball, found: Sequence[Named]) -> None:
    """Note where a ball that is nowhere any more was seen on its way, as the heaviest explanation has it."""
    told = [s for _, s in told_of(ball, found[:1]) if not s.placed]
    leg = ball.legs[-1]
    leg.points = [p for s in told[:1] for p in _looks_at(ball, s, found) if p.t_s > leg.t_rest_s]
    if leg.points:
        ball.seen_s = leg.points[-1].t_s


def one_place_mm(pieces: PieceSet) -> float:
    """Nearer to each other than this no two pieces lie, as well as they are seen."""
    return OVERLAP * pieces.least_apart_mm


def _put_down(s: State, vacated: Sequence[tuple[PointMm, float]], found: Sequence[Named]) -> None:
    """What was seen where a ball does not lie after all (`vacated`, since when) is one that was off the table
    and that a hand put there.
    """
    gone = [b for b in s.follower.balls if b.state is BallState.GONE]
    for at, since_s in vacated:
        for ball in gone:
            put = [
                (w, t) for w, t in told_of(ball, found) if t.placed and math.dist(t.way.end[:2], at) < SAME_MM
            ]
            if sum(w for w, _ in put) > MOST:
                _lie(ball, since_s, put[0][1].way.end)
                ball.missed = 0
                s.tell(hands.returned(ball, None, ball.rest, since_s))


def _move(
    s: State, span: Span, ball: Ball, story: Story, seen: Tentative | None, found: Sequence[Named]
) -> None:
    """Put a ball where a story of it ends; `seen`: what is seen there."""
    if story.placed and seen is None:
        return
    if not ball.legs:
        _leave(ball)
    if seen is not None and story.placed and _falls(ball, found):
        _put_back(s, span, ball, seen)
    elif story.placed or story.way.moved:  # a hand carried it, or it rolled
        _came(s, span, ball, story.way, seen, _looks_at(ball, story, found))
    else:
        _lay_there(ball, found)
    if seen is not None:
        s.follower.tentatives.remove(seen)


def come_to_light(s: State, span: Span) -> None:
    """Balls that were thought taken, and are seen where they had lain: they lay there, and can have been
    met.
    """
    f = s.follower
    for item in f.tentatives.lying(s.last_s):
        found = unmoved(item, f.balls)
        if found is not None and found.ball is not None:
            lay(s.table, found.ball, item)
            s.lifted.pop(found.ball.name, None)
            f.tentatives.remove(item)
            span.before = (*span.before, *placed([found.ball], f.balls))


def roll_from_there(s: State, span: Span) -> None:
    """Balls that were thought taken a moment before, and from whose place something rolls straight away: a
    hand hid them, and they were struck there.
    """
    f = s.follower
    for ball in [b for b in f.balls if b.state is BallState.GONE]:
        lifted = s.lifted.get(ball.name)
        if lifted is None or lifted.from_mm is None:
            continue
        for item in f.tentatives.items:
            hidden = 0.0 < item.began.t_s - lifted.t_s < HIDDEN_S and not item.of_ball
            if hidden and item.leads_from(lifted.from_mm) and not looks_otherwise(item, ball, f.balls):
                del s.lifted[ball.name]
                _lie(ball, lifted.t_s, (*lifted.from_mm, item.began.sigma_mm))
                span.before = (*span.before, *placed([ball], f.balls))
                ball.leave_on(item, ball.seen_s)
                break


def _leave(ball: Ball) -> None:
    """It has left its place, and nobody has seen where to."""
    ball.set_off(ball.seen_s)


def _learn(lost: Sequence[Ball], found: Sequence[Named]) -> None:
    """Looks at lost balls, where the heaviest explanation has seen them on their way, tell what they are."""
    for explanation, names in found[:1]:
        looks = {names[s.key]: s.looks for s in explanation.stories if s.key in names and s.looks}
        for ball in lost:
            if ball.name in looks:
                ball.learn_on_its_way(looks[ball.name], ALIKE)


def _appear(s: State, span: Span, found: Sequence[Named]) -> None:
    """Balls of which the set has one, that nobody knew to be on the table, and that rolled on it: they lay
    where their ways begin.
    """
    f, lay = s.follower, {p.ball for p in span.before}
    told: defaultdict[str, list[tuple[float, Way]]] = defaultdict(list)
    for e, names in found:
        for story in e.stories:
            name = names.get(story.key)
            if story.way.moved and not story.placed and name is not None and name not in lay:
                told[name].append((e.weight, story.way))
    for name, ways in told.items():
        ball = next((b for b in f.balls if b.name == name), None)
        colour = colour_of(name) if ball is None else ball.colour
        known = ball is not None and ball.state is not BallState.GONE
        weight = sum(w for w, _ in ways)
        if known or weight < MOST:
            continue
        way = ways[0][1]
        if ball is None:
            other = _lay_where_begins(f.balls, way, set(found[0][1].values()), s.table.ball_radius_mm)
            if other is not None:
                _rename(span, other, name, colour, weight)
                continue
            ball = f.new_ball(name, colour, way.start_s)
            f.balls.append(ball)
            _lie(ball, way.start_s, way.place)
        else:
            _back_on_table(s, span, ball, way)
        span.before = (*(p for p in span.before if p.ball != name), *placed([ball], f.balls))
        _leave(ball)


def _lay_where_begins(balls: Sequence[Ball], way: Way, told: Set[str], within_mm: float) -> Ball | None:
    """The ball that lay where a way begins, and of which nothing is `told` under its own name: two are never
    in one place, so that it is the one on that way.
    """
    left = ((b.before, b) for b in balls if b.state is BallState.LEFT and b.name not in told)
    lay = ((math.dist((r.x_mm, r.y_mm), way.place[:2]), b) for r, b in left if r is not None)
    away_mm, ball = min(lay, key=lambda a: a[0], default=(math.inf, None))
    return ball if away_mm < within_mm else None


def _rename(span: Span, ball: Ball, name: str, colour: str, sure: float) -> None:
    """Give a ball another name, also in the layout before; `sure`: the probability that it has it."""
    named = (
        replace(p, ball=name, colour=colour, confidence=min(sure, SUREST)) if p.ball == ball.name else p
        for p in span.before
    )
    span.before = tuple(named)
    ball.name, ball.colour, ball.rest.agreed = name, colour, 0


def _back_on_table(s: State, span: Span, ball: Ball, way: Way) -> None:
    """A ball that was off the table rolls on it: put back unseen, or never gone where it was only thought
    lifted. What a cue-ball met that was hidden where it was struck nobody saw.
    """
    lifted = s.lifted.pop(ball.name, None)
    _lie(ball, way.start_s, way.place)
    was = None if lifted is None else lifted.from_mm
    if was is None:
        s.out.append(hands.returned(ball, None, ball.rest, way.start_s))
    elif math.dist(ball.place, was) <= UNMOVED_MM:
        return
    elif ball.is_cue:
        span.unseen = True
    else:
        earlier = s.earlier.get(ball.name)
        s.out.append(hands.moved(s.table, ball.name, was, ball.rest, way.start_s, earlier))


def _lie(ball: Ball, since_s: float, place: tuple[float, float, float]) -> None:
    """It lies at a place (x, y, sigma) mm from a time on."""
    ball.rest, ball.state = Rest(since_s=since_s), BallState.REST
    ball.legs, ball.before, ball.track = [], None, None
    ball.rest.add(since_s, *place)
    ball.seen_s = ball.row_since_s = since_s


def _falls(ball: Ball, found: Sequence[Named]) -> bool:
    """Whether a ball that is not seen where it lay fell, by most of the weight."""
    return sum(w for w, s in told_of(ball, found) if s.end.kind == "potted" and not s.placed) > MOST


def _nudge(f: Follower, found: Sequence[Named]) -> None:
    """Put balls that something met, by most of the weight, where they are seen a little beside it."""
    met: defaultdict[str, float] = defaultdict(float)
    for e, names in found:
        keys = {key for i in e.interactions if i.kind == "contact" for key in i.balls}
        for name in {names[key] for key in keys if key in names}:
            met[name] += e.weight
    for ball in f.balls:
        if ball.state is BallState.REST and ball.shifted and met[ball.name] > MOST:
            f.nudge(ball)


def told_of(ball: Ball, found: Sequence[Named]) -> Iterator[tuple[float, Story]]:
    """What explanations tell of a ball, with their weights; of one that a hand put down it is two stories."""
    return ((e.weight, s) for e, names in found for s in e.stories if names.get(s.key) == ball.name)


def stays(ball: Ball, found: Sequence[Named]) -> float:
    """The weight of the explanations in which a ball lies where it lay."""
    return sum(w for w, s in told_of(ball, found) if s.end.kind == "rest" and not s.way.moved)


def _looks_at(ball: Ball, story: Story, found: Sequence[Named]) -> list[Point]:
    """All looks at a ball since it left its place, as the explanation has them that tells this story of it;
    by the recording's clock.
    """
    for e, names in found:
        if any(s is story for s in e.stories):
            looks = [p for s in e.stories if names.get(s.key) == ball.name for p in s.way.seen]
            return looks if e.lost is None else [replace(p, t_s=e.lost.shown_s(p.t_s)) for p in looks]
    return list(story.way.seen)


def _elsewhere(balls: Sequence[Ball], found: Sequence[Named]) -> Iterator[tuple[Ball, Story]]:
    """Each ball of the span that lies elsewhere than the tracker has it, or that the tracker has lost, as the
    heaviest explanation of those has it that say so, where most do.
    """
    known = {b.name: b.place for b in balls if b.state is BallState.REST}
    near_mm = one_place_mm(balls[0].pieces) if balls else 0.0
    open_, moved = [b for b in balls if b.state is not BallState.GONE], True
    while moved:  # where one ball lay another may lie, once it is known to have moved on
        moved = False
        for ball in list(open_):
            story = _at_another_place(
                ball, found, [p for name, p in known.items() if name != ball.name], near_mm
            )
            if story is None or math.dist(known.get(ball.name, (math.inf, 0.0)), story.way.end[:2]) < near_mm:
                continue
            known[ball.name] = story.way.end[:2]
            open_.remove(ball)
            moved = True
            yield ball, story


def _at_another_place(
    ball: Ball, found: Sequence[Named], taken: Sequence[PointMm], near_mm: float
) -> Story | None:
    """The heaviest story of a ball that has it lie where no other does, and was seen later than the tracker
    has it, where most of the weight does.
    """
    lost = ball.state is BallState.LEFT
    rests_s = -math.inf if lost or not ball.legs else ball.legs[-1].t_end_s or math.inf
    free = [
        (w, s)
        for w, s in told_of(ball, found)
        if s.end.kind in ("rest", "unfinished")
        and s.way.last_s > rests_s
        and (lost or not s.placed)
        and all(math.dist(p, s.way.end[:2]) > near_mm for p in taken)
    ]
    if not free:
        return None
    best = free[0][1]
    weight = sum(w for w, s in free if math.dist(s.way.end[:2], best.way.end[:2]) < SAME_MM)
    return best if weight > MOST else None


def looks_otherwise(seen: Tentative, ball: Ball, balls: Sequence[Ball]) -> bool:
    """Whether what lies there looks so much like another ball, of those that do not lie elsewhere for
    certain, that it is not this one.
    """
    if one_of_each(ball.pieces):  # its name is in doubt itself: what it looked like counts
        known, worth = ball.known_logp, ALIKE / max(seen.rest.n, 1)
        best = max(seen.logp)
        both = max(a - max(known) + worth * (b - best) for a, b in zip(known, seen.logp, strict=True))
        return -both > OTHERWISE
    taken = accounted(balls)
    best = max(v for k, v in enumerate(seen.logp) if k == ball.own or k not in taken)
    return (best - seen.logp[ball.own]) / max(seen.rest.n, 1) * ALIKE > OTHERWISE


def _known_otherwise(known: Ball, ball: Ball) -> bool:
    """The same of what another ball was known to be."""
    return max(known.logp) - known.logp[ball.own] > OTHERWISE


def _lay_there(ball: Ball, found: Sequence[Named]) -> None:
    """It lies where it lay, and was not seen."""
    ball.legs.pop()
    if ball.before is not None and not ball.legs:
        ball.rest, ball.before = ball.before, None
    ball.state, ball.track, ball.missed = BallState.REST, None, 1
    ball.rest.there = min(stays(ball, found), SUREST)


def _came(s: State, span: Span, ball: Ball, way: Way, seen: Tentative | None, looks: Sequence[Point]) -> None:
    """It came there: the leg under way ends there. `looks`: at the ball since it left its place."""
    leg = ball.legs[-1]
    leg.end, leg.t_end_s = None, None
    leg.points = _points(way, ball, seen, looks, span.times)
    lies = leg.points[-STOPPED_LOOKS:] if seen is None else _looks_where_it_lies(seen)
    come_to_rest(ball, way.last_s, s.table, lies)
    if seen is not None:
        _learn_where_it_lies(ball, seen)
    ball.seen_s = way.last_s if seen is None else seen.seen_s
    ball.missed = int(seen is None)


def _learn_where_it_lies(ball: Ball, seen: Tentative) -> None:
    """All looks at it since it came to rest, while it had no name."""
    ball.learn_where_it_lies(seen.look.colour_logp, STIRRED_LOOK * seen.rest.n)


def _looks_where_it_lies(seen: Tentative) -> list[Point]:
    """The last looks at it, but for those before it had come there."""
    last = seen.points[-1]
    return [
        p
        for p in seen.points[-STILL_LOOKS:]
        if math.dist((p.x_mm, p.y_mm), seen.last_mm) < 3 * max(0.5, math.hypot(p.sigma_mm, last.sigma_mm))
    ]


def _put_back(s: State, span: Span, ball: Ball, seen: Tentative) -> None:
    """It fell, and a hand put it back while others rolled."""
    f = s.follower
    fresh = f.new_ball(ball.name, ball.colour, seen.static_since_s)
    f.balls[f.balls.index(ball)] = fresh
    lay(s.table, fresh, seen)
    span.departed.append(ball)
    span.returned.add(ball.name)
    s.tell(hands.returned(fresh, None, fresh.rest, seen.static_since_s))


def _points(
    way: Way, ball: Ball, seen: Tentative | None, looks: Sequence[Point], times: Sequence[float]
) -> list[Point]:
    """Where a ball was since it left its place: as it was seen, and where it was not, as its way has it."""
    since_s = ball.legs[-1].t_rest_s
    lies = () if seen is None else (p for p in seen.points if p.t_s >= seen.static_since_s)
    own = {p.t_s: p for p in (*looks, *lies) if p.t_s > since_s}
    until_s = max(own, default=way.last_s + 1e-6)
    for t_s in times:
        segment = way.segment_at(t_s)
        if since_s < t_s < until_s and t_s not in own and segment is not None:
            own[t_s] = Point(-1, t_s, *segment.at(t_s), max(segment.sigma(t_s), way.end[2]))
    return [own[t_s] for t_s in sorted(own)]
