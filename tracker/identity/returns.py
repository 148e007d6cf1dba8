"""Balls that reappear: brought by a hand, rolled out from under an arm, or missed until now."""

from __future__ import annotations

import math

from tracker.ball import Ball
from tracker.detections.tentative import Tentative
from tracker.events import LayoutChange
from tracker.identity.identify import (
    NEW_S,
    NEW_START_S,
    UNMOVED_MM,
    Identity,
    identify,
    lay,
    mistaken,
    outline_of_known,
    unmoved,
)
from tracker.identity.names import lying
from tracker.identity.numbering import names_for
from tracker.identity.relabel import name_conflict
from tracker.layout import hands
from tracker.rest.settling import come_to_rest
from tracker.state import State
from tracker.stroke.spans import open_span

SURELY, SURE_LOOKS = 0.8, 3
"""What takes a name from another ball is seen so surely, and so often."""


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
        if t_s - item.static_since_s > (NEW_S if s.strokes else NEW_START_S):
            _give_name(s, conflict, item, t_s)
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
        s.strokes == 0,
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
    s.follower.tentatives.remove(item)
    if found.ball is None:
        _name_new(s, item, found, t_s)
    elif found.kind == "returned":
        _return(s, found.ball, item)
    else:
        _carried(s, found.ball, item)


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
    lay(s.table, ball, item)
    f.balls.append(ball)
    if s.strokes:
        _tell_layout(s, t_s)


def _tell_layout(s: State, t_s: float) -> None:
    """A ball lies where neither a stroke nor a hand was seen to bring it."""
    balls = s.follower.balls
    s.tell(LayoutChange(t_s, lying(balls), False))


def _return(s: State, ball: Ball, item: Tentative) -> None:
    was = ball.rest.x_mm, ball.rest.y_mm
    same = math.hypot(item.rest.x_mm - was[0], item.rest.y_mm - was[1]) < max(
        UNMOVED_MM, 5 * item.rest.sigma_mm
    )
    lay(s.table, ball, item)
    ball.legs, ball.before = [], None
    lifted = s.lifted.pop(ball.name, None)
    if ball.fate in ("unknown", "lifted") and same and (lifted is not None or ball.fate == "unknown"):
        return  # it had lain there all the time, out of sight
    if ball.fate == "lifted":
        rest, at = ball.rest, item.static_since_s
        s.tell(hands.moved(s.table, ball.name, was, rest, at, s.earlier.get(ball.name)))
        return
    if ball.fate == "unknown":  # it rolled under a cover and reappears
        _tell_layout(s, item.static_since_s)
        return
    s.tell(hands.returned(ball, None, ball.rest, item.static_since_s))


def _carried(s: State, ball: Ball, item: Tentative) -> None:
    """A ball that a hand carried lies here now: the end of a leg."""
    ball.set_off(item.seen_s)
    open_span(s, ball.legs[-1].t_rest_s)
    assert s.span is not None
    ball.legs[-1].points.extend(item.points)
    come_to_rest(ball, item.static_since_s, s.table, item.points[-2:])
    ball.seen_s = item.seen_s
    s.span.last_motion_s = max(s.span.last_motion_s, item.static_since_s)
    s.span.rolled_s = max(s.span.rolled_s, item.static_since_s)
