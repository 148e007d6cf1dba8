"""Balls that reappear: brought by a hand, rolled out from under an arm, or missed until now."""

from __future__ import annotations

import math

from calibration.table.pockets import in_mouth
from tracker.association.motion import Motion
from tracker.ball import Ball, BallState, Rest
from tracker.detections.tentative import Tentative
from tracker.detections.unseen import fell_and_put_back, fell_off_board, led_into_drop
from tracker.events import LayoutChange
from tracker.identity.identify import (
    NEW_S,
    NEW_START_S,
    OFF_CIRCLE,
    PLACED_MAN,
    UNMOVED_MM,
    Identity,
    identify,
    mistaken,
    never_left,
    outline_of_known,
    unmoved,
    without_hand,
)
from tracker.identity.names import lying, one_of_each, placed
from tracker.identity.numbering import names_for
from tracker.identity.relabel import name_conflict
from tracker.layout import hands
from tracker.rest.settling import come_to_rest
from tracker.state import State
from tracker.stroke.paths import solve_leg
from tracker.stroke.spans import open_span
from vision.detect.naming import place_nats

PUT_BACK_MM = 250.0
"""A ball that comes to rest further than this from the pocket that it ran into was put there."""
SURELY, SURE_LOOKS = 0.8, 3
"""What takes a name from another ball is seen so surely, and so often."""


BESIDE_LOOKS = 6.0
"""Nats for the name that `identify` gives in a set with each piece once: which pieces can have come there at
all is no matter of looks."""


def tell_returned(s: State, ball: Ball, rest: Rest, t_s: float) -> None:
    """A ball that was off the table rolls on it: put back unseen, or never gone where it was only thought
    lifted.
    """
    lifted = s.lifted.pop(ball.name, None)
    if lifted is None or lifted.from_mm is None:
        s.tell(hands.returned(ball, None, rest, t_s))
    elif math.hypot(rest.x_mm - lifted.from_mm[0], rest.y_mm - lifted.from_mm[1]) > UNMOVED_MM:
        s.tell(hands.moved(s.table, ball.name, lifted.from_mm, rest, t_s, s.earlier.get(ball.name)))


def tell_lifted(s: State, until_s: float) -> None:
    """Balls that were lifted and have stayed away: said now."""
    for name, move in list(s.lifted.items()):
        if move.t_s <= until_s:
            s.out.append(s.lifted.pop(name))


def take_up(s: State, item: Tentative, t_s: float) -> None:
    """Name a track that lies still, if it is a ball, and say how it came there."""
    f = s.follower
    if outline_of_known(item, f.balls, s.table.ball_diameter_mm):
        return
    sure = item.confidence > SURELY and item.rest.n >= SURE_LOOKS
    conflict = name_conflict(f.balls, item.logp, f.pieces) if sure else None
    if conflict is not None:
        if s.span is None and t_s - item.static_since_s > (NEW_S if s.strokes else NEW_START_S):
            _give_name(s, conflict, item, t_s)
        return
    home = never_left(item, f.balls)
    if home is not None and home.before is not None:
        f.tentatives.remove(item)
        home.rest, home.legs, home.state, home.motion = home.before, [], BallState.REST, None
        home.missed, home.covered, home.seen_s = 0, False, item.seen_s
        return
    found = _identity_of(s, item, t_s)
    if found is not None:
        _take(s, item, found, t_s)


def _identity_of(s: State, item: Tentative, t_s: float) -> Identity | None:
    """Which ball a track is, by where it lies."""
    f, x, y = s.follower, item.rest.x_mm, item.rest.y_mm
    to_play = hands.on_base_line(s.table, x, y)
    found = unmoved(item, f.balls) or mistaken(item, f.balls, to_play)
    return found or identify(
        item,
        f.balls,
        t_s,
        s.strokes == 0 and s.span is None,
        next((c for c in f.pieces.names if f.at_spot(c, x, y)), None),
        f.tentatives.items,
        hands.put_back_there(s.table, f.pieces, x, y, in_hand=False),
        f.pieces,
        to_play,
        hands.put_back_there(s.table, f.pieces, x, y, in_hand=True),
        hands.in_outer_circle(s.table, x, y),
    )


def _take(s: State, item: Tentative, found: Identity, t_s: float) -> None:
    """Make a track the ball that it is, and say how it came there."""
    ball = found.ball
    fell = ball is not None and found.kind == "found" and _was_potted(s, ball, item)
    if ball is not None and fell:
        there = hands.put_back_there(
            s.table, s.follower.pieces, item.rest.x_mm, item.rest.y_mm, in_hand=ball.is_cue
        )
        if ball.stays_down or without_hand(ball, item, there):
            return  # nobody puts a red back, and no hand was seen: something else
    s.follower.tentatives.remove(item)
    if ball is None:
        _name_new(s, item, found, t_s)
    elif found.kind == "returned":
        _return(s, ball, item)
    elif fell:
        _return_in_span(s, ball, item)
    else:
        _put(s, ball, item)


def _give_name(s: State, usurped: tuple[Ball, str], item: Tentative, t_s: float) -> None:
    """What has reappeared is the ball whose name another one had."""
    owner, instead = usurped
    name, colour = (
        names_for([instead], [b.name for b in s.follower.balls], s.follower.pieces)[0],
        owner.colour,
    )
    if name is None:
        return
    owner.name, owner.colour, owner.rest.agreed = name, instead, 0
    s.follower.tentatives.remove(item)
    _name_new(s, item, Identity("new", None, colour), t_s)


def _name_new(s: State, item: Tentative, found: Identity, t_s: float) -> None:
    f = s.follower
    name = names_for([found.colour], [b.name for b in f.balls], f.pieces)[0]
    if name is None:
        return
    ball = f.new_ball(name, found.colour, item.static_since_s)
    _lay(s, ball, item)
    f.balls.append(ball)
    if s.strokes:
        _tell_layout(s, t_s)


def _tell_layout(s: State, t_s: float) -> None:
    """A ball lies where neither a stroke nor a hand was seen to bring it."""
    balls = s.follower.balls
    s.tell(LayoutChange(t_s, lying(balls), False))


def _lay(s: State, ball: Ball, item: Tentative) -> None:
    """Put the ball where the settled track lies."""
    ball.rest, ball.state, ball.motion = item.rest, BallState.REST, None
    ball.rest.since_s = ball.row_since_s = item.static_since_s
    ball.row_owed = True
    ball.take_identity(item.logp, len(item.points), _beside_looks(s, ball))
    ball.by_place = place_nats(item.rest.x_mm, item.rest.y_mm, s.table, ball.pieces).tolist()
    ball.missed, ball.covered = 0, False
    ball.seen_s = item.seen_s


def _beside_looks(s: State, ball: Ball) -> float:
    """Nats for a ball's name by how it came to lie where it does."""
    if one_of_each(ball.pieces):
        return BESIDE_LOOKS
    set_down = ball.is_cue and hands.on_base_line(s.table, ball.rest.x_mm, ball.rest.y_mm)
    return PLACED_MAN + OFF_CIRCLE if set_down else 0.0


def _return(s: State, ball: Ball, item: Tentative) -> None:
    was = ball.rest.x_mm, ball.rest.y_mm
    same = math.hypot(item.rest.x_mm - was[0], item.rest.y_mm - was[1]) < max(
        UNMOVED_MM, 5 * item.rest.sigma_mm
    )
    _lay(s, ball, item)
    ball.legs, ball.before = [], None
    lifted = s.lifted.pop(ball.name, None)
    if (
        same
        and ball.fate in ("unknown", "lifted")
        and s.span is not None
        and ball.name not in s.span.returned
    ):
        s.span.before = (
            *s.span.before,
            *placed([ball], s.follower.balls),
        )  # in the stroke it lay there, and can have been met
    if ball.fate in ("unknown", "lifted") and same and (lifted is not None or ball.fate == "unknown"):
        return  # it had lain there all the time, out of sight
    if ball.fate == "lifted":
        rest, at = ball.rest, item.static_since_s
        s.tell(hands.moved(s.table, ball.name, was, rest, at, s.earlier.get(ball.name)))
        return
    if ball.fate == "unknown":  # it rolled under a cover and reappears
        _tell_layout(s, item.static_since_s)
        return
    if s.span is not None and item.points[0].t_s < s.span.start_s and ball.name not in s.span.returned:
        s.span.before = (
            *s.span.before,
            *placed([ball], s.follower.balls),
        )  # it lay there before the stroke began
    s.tell(hands.returned(ball, None, ball.rest, item.static_since_s))


def _was_potted(s: State, ball: Ball, item: Tentative) -> bool:
    """Whether a lost ball fell before a hand put it back: it ended at a pocket and came back elsewhere."""
    first = item.points[0]
    if fell_and_put_back(ball, s.follower.balls, item.static_since_s, s.table) or fell_off_board(
        ball, (first.x_mm, first.y_mm), first.t_s, s.table
    ):
        return True
    x, y = ball.place
    far = math.hypot(item.rest.x_mm - x, item.rest.y_mm - y) > PUT_BACK_MM
    if s.span is None or not far or item.static_since_s - ball.seen_s < 0.2:
        return False
    path = solve_leg(ball.name, ball.legs[-1]) if ball.legs else None
    if path is None or not path.segments:
        return False
    last, seg = path.leg.points[-1], path.segments[-1]
    way = Motion(last.t_s, last.x_mm, last.y_mm, *seg.velocity(last.t_s), 0.0, 0.0, 0.0)
    return in_mouth(last.x_mm, last.y_mm, s.table) or led_into_drop(way, item.static_since_s, s.table)


def _return_in_span(s: State, ball: Ball, item: Tentative) -> None:
    assert s.span is not None
    f = s.follower
    fresh = f.new_ball(ball.name, ball.colour, item.static_since_s)
    f.balls[f.balls.index(ball)] = fresh
    fresh.fate, fresh.rest = "potted", ball.rest
    s.span.departed.append(ball)
    s.span.returned.add(ball.name)
    _return(s, fresh, item)


def _put(s: State, ball: Ball, item: Tentative) -> None:
    """A ball that was lost, or that a hand carried, lies here now: the end of a leg."""
    f = s.follower
    if ball.state is BallState.REST:
        ball.set_off(item.seen_s)
    if s.span is None:
        open_span(s, ball.legs[-1].t_rest_s)
    assert s.span is not None
    leg = ball.legs[-1]
    after = leg.points[-1].t_s if leg.points else -1.0
    leg.points.extend(p for p in item.points if p.t_s > after)
    come_to_rest(ball, item.static_since_s, f.table, item.points[-8:])
    ball.seen_s = item.seen_s
    s.span.last_motion_s = max(s.span.last_motion_s, item.static_since_s)
