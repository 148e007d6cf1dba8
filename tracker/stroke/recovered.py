"""Where a span's explanations have balls lie that the tracker lost sight of, or took something else for."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from calibration.table.pieces import colour_of
from calibration.table.specs import PointMm
from tracker.ball import Ball, BallState, Point, Rest
from tracker.detections.tentative import Tentative
from tracker.explain.likelihood import ALIKE
from tracker.explain.posterior import SAME_MM, Named
from tracker.explain.solver import Story
from tracker.explain.trajectory import Way
from tracker.identity.identify import lay, surely_a_ball, unlike, unmoved
from tracker.identity.names import placed
from tracker.identity.numbering import likely_colour, names_for
from tracker.layout import hands
from tracker.rest.settling import come_to_rest
from tracker.state import State
from tracker.stroke.endings import MOST
from tracker.stroke.span import Span

LAST_LOOKS = 8
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
    _learn([b for b in f.balls if b.state is BallState.LOST], found)
    lay_there = [(b, b.place) for b in f.balls if b.state is BallState.REST]
    vacated: list[tuple[PointMm, float]] = []
    for ball, story in _elsewhere(f.balls, found):
        at = story.way.end[:2]
        others = (b for b, place in lay_there if b is not ball and math.dist(place, at) < SAME_MM)
        seen = min(f.tentatives.items, key=lambda i: math.dist(i.place_mm, at), default=None)
        if seen is not None and math.dist(seen.place_mm, at) > SAME_MM:
            seen = None
        if any(_known_otherwise(b, ball) for b in others) or (seen and looks_otherwise(seen, ball)):
            continue  # the explanations have it wrong: nobody says where the ball is
        if ball.state is BallState.REST and ball.legs:
            vacated.append((ball.place, ball.legs[-1].t_end_s or ball.seen_s))
        _move(s, span, ball, story, seen, found)
    _put_down(s, vacated, found)


def _put_down(s: State, vacated: Sequence[tuple[PointMm, float]], found: Sequence[Named]) -> None:
    """What was seen where a ball does not lie after all (`vacated`, since when) is one that was off the table
    and that a hand put there.
    """
    gone = [b for b in s.follower.balls if b.state is BallState.GONE]
    for at, since_s in vacated:
        for ball in gone:
            put = [
                (w, t) for w, t in _told(ball, found) if t.placed and math.dist(t.way.end[:2], at) < SAME_MM
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
        _came(s, span, ball, story.way, seen)
    else:
        _lay_there(ball)
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
    for colour in f.pieces.alike:
        _more_than_known(s, span, colour)


def _more_than_known(s: State, span: Span, colour: str) -> None:
    """Balls that are alike, of which more lie there than were known: others hid them, and they lay where they
    were seen first.
    """
    f = s.follower
    rolled = (i for i in f.tentatives.lying(s.last_s) if span.start_s <= i.began.t_s < i.static_since_s)
    alike = (i for i in rolled if likely_colour(i.logp, f.balls, f.pieces)[0] == colour)
    lost = sum(b.colour == colour and b.state is BallState.LOST for b in f.balls)
    first = sorted((i.began for i in alike if surely_a_ball(i)), key=lambda p: p.t_s)
    for point in first[: max(len(first) - lost, 0)]:
        name = names_for([colour], [b.name for b in f.balls], f.pieces)[0]
        if name is None:
            return
        ball = f.new_ball(name, colour, point.t_s)
        ball.rest.add(point.t_s, point.x_mm, point.y_mm, point.sigma_mm)
        f.balls.append(ball)
        span.before = (*span.before, *placed([ball], f.balls))
        _leave(ball)


def _leave(ball: Ball) -> None:
    """It has left its place, and nobody has seen where to."""
    ball.set_off(ball.seen_s)
    ball.state = BallState.LOST


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
    f = s.follower
    told: defaultdict[str, list[tuple[float, Way]]] = defaultdict(list)
    for e, names in found:
        for story in e.stories:
            rolled = story.way.moved and not story.placed and story.end.kind in ("rest", "unfinished")
            if rolled and story.key in names:
                told[names[story.key]].append((e.weight, story.way))
    for name, ways in told.items():
        ball = next((b for b in f.balls if b.name == name), None)
        colour = colour_of(name) if ball is None else ball.colour
        known = ball is not None and ball.state is not BallState.GONE
        if known or sum(weight for weight, _ in ways) < MOST:
            continue
        way = ways[0][1]
        if ball is None:
            ball = f.new_ball(name, colour, way.start_s)
            f.balls.append(ball)
        _lie(ball, way.start_s, way.place)
        s.lifted.pop(name, None)
        span.before = (*(p for p in span.before if p.ball != name), *placed([ball], f.balls))
        _leave(ball)


def _lie(ball: Ball, since_s: float, place: tuple[float, float, float]) -> None:
    """It lies at a place (x, y, sigma) mm from a time on."""
    ball.rest, ball.state = Rest(since_s=since_s), BallState.REST
    ball.legs, ball.before, ball.motion = [], None, None
    ball.rest.add(since_s, *place)
    ball.seen_s = ball.row_since_s = since_s


def _falls(ball: Ball, found: Sequence[Named]) -> bool:
    """Whether a ball that is not seen where it lay fell, by most of the weight."""
    return sum(w for w, s in _told(ball, found) if s.end.kind == "potted" and not s.placed) > MOST


def _told(ball: Ball, found: Sequence[Named]) -> Iterator[tuple[float, Story]]:
    """What explanations tell of a ball, with their weights; of one that a hand put down it is two stories."""
    return ((e.weight, s) for e, names in found for s in e.stories if names.get(s.key) == ball.name)


def _elsewhere(balls: Sequence[Ball], found: Sequence[Named]) -> Iterator[tuple[Ball, Story]]:
    """Each ball of the span that lies elsewhere than the tracker has it, or that the tracker has lost, as the
    heaviest explanation of those has it that say so, where most do.
    """
    known = {b.name: b.place for b in balls if b.state is BallState.REST}
    for ball in balls:
        if ball.state is BallState.GONE:
            continue
        lost = ball.state is BallState.LOST
        rests_s = -math.inf if lost or not ball.legs else ball.legs[-1].t_end_s or math.inf
        free = [
            (w, s)
            for w, s in _told(ball, found)
            if s.end.kind in ("rest", "unfinished")
            and s.way.last_s > rests_s  # it was seen later
            and (lost or not s.placed)
            and all(math.dist(p, s.way.end[:2]) > SAME_MM for p in known.values())
        ]
        if not free:
            continue
        best = free[0][1]
        if sum(w for w, s in free if math.dist(s.way.end[:2], best.way.end[:2]) < SAME_MM) > MOST:
            known[ball.name] = best.way.end[:2]
            yield ball, best


def looks_otherwise(seen: Tentative, ball: Ball) -> bool:
    """Whether what lies there looks so much like another ball that it is not this one."""
    return unlike(seen, ball.colour, ball.pieces) * ALIKE > OTHERWISE


def _known_otherwise(known: Ball, ball: Ball) -> bool:
    """The same of what another ball was known to be."""
    return max(known.logp) - known.logp[ball.own] > OTHERWISE


def _lay_there(ball: Ball) -> None:
    """It lies where it lay, and was not seen."""
    ball.legs.pop()
    if ball.before is not None and not ball.legs:
        ball.rest, ball.before = ball.before, None
    ball.state, ball.motion, ball.missed = BallState.REST, None, 1


def _came(s: State, span: Span, ball: Ball, way: Way, seen: Tentative | None) -> None:
    """It came there: the leg under way ends there."""
    leg = ball.legs[-1]
    leg.end, leg.t_end_s = None, None
    leg.points += _points(way, ball, seen, span.times)
    ball.hopped_s = None
    come_to_rest(ball, way.last_s, s.table, leg.points[-LAST_LOOKS:])
    ball.seen_s = way.last_s if seen is None else seen.seen_s
    ball.missed = int(seen is None)


def _put_back(s: State, span: Span, ball: Ball, seen: Tentative) -> None:
    """It fell, and a hand put it back while others rolled."""
    f = s.follower
    fresh = f.new_ball(ball.name, ball.colour, seen.static_since_s)
    f.balls[f.balls.index(ball)] = fresh
    lay(s.table, fresh, seen)
    span.departed.append(ball)
    span.returned.add(ball.name)
    s.tell(hands.returned(fresh, None, fresh.rest, seen.static_since_s))


def _points(way: Way, ball: Ball, seen: Tentative | None, times: Sequence[float]) -> list[Point]:
    """Where a ball was on its way since it was lost sight of: as it was seen, else as its way has it."""
    points = ball.legs[-1].points
    since_s = points[-1].t_s if points else ball.legs[-1].t_rest_s
    own = [] if seen is None else [p for p in seen.points if p.t_s > since_s]
    until_s = own[0].t_s if own else way.last_s + 1e-6
    between = []
    for t_s in times:
        segment = way.segment_at(t_s)
        if since_s < t_s < until_s and segment is not None:
            between.append(Point(-1, t_s, *segment.at(t_s), max(segment.sigma(t_s), way.end[2])))
    return [*between, *own]
