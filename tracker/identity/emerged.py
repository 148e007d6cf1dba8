"""Balls that roll on the table though none was known to be there."""

from __future__ import annotations

import math

from calibration.table.pieces import PieceSet
from tracker.association.follower import Follower
from tracker.association.motion import started
from tracker.ball import Ball, BallState, Point, Rest
from tracker.detections.tentative import STATIC_S, Tentative
from tracker.identity.identify import MISREAD, unlike
from tracker.identity.numbering import likely_colour, names_for

SURE_ROLL = 0.7


def emerged(follower: Follower) -> list[tuple[Ball, Tentative, bool]]:
    """Colours that are off the table, or never seen yet, and roll on it in four images, uncovered.

    A hand had put them back unseen; or the first picture missed them, or they were thought lifted and roll
    away from where they lay, hidden (third value True).
    """
    out: list[tuple[Ball, Tentative, bool]] = []
    for item in list(follower.tentatives.items):
        colour = _colour_that_rolls(follower, item)
        if colour is None:
            continue
        owners = [b for b in follower.balls if b.colour == colour]
        new = not owners
        if new:
            name = names_for([colour], [b.name for b in follower.balls], follower.pieces)[0]
            if name is None:
                continue
            owners = [follower.new_ball(name, colour, item.points[0].t_s)]
            owners[0].state = BallState.GONE
            follower.balls.extend(owners)
        out += [
            (b, item, _back_on_table(follower, b, item, new) or new)
            for b in owners
            if b.state is BallState.GONE
        ]
    return out


def _colour_that_rolls(follower: Follower, item: Tentative) -> str | None:
    """The colour of a track that is surely a ball and rolls, where the set has one of it."""
    if len(item.points) < 4 or item.misses or any(p.near_cover for p in item.points[1:]):
        return None
    colour, margin = likely_colour(item.logp, follower.balls, follower.pieces)
    run = _run_mm(item)
    away = (b.colour for b in follower.balls if _may_be_it(b, item.began, follower.pieces))
    if any(unlike(item, c, follower.pieces) < MISREAD for c in away):
        return None
    lies = item.seen_s - item.static_since_s >= STATIC_S  # it rolled once: `returns.take_up` names it
    if lies or margin < 6.0 or run < 20.0 or item.confidence < SURE_ROLL:
        return None
    return None if colour in follower.pieces.alike else colour


def _may_be_it(ball: Ball, began: Point, pieces: PieceSet) -> bool:
    """Whether a known ball may be what was seen first then and there: lost, or not seen since where it lay,
    however its place is covered, and no further away than a ball can go.
    """
    if ball.state is not BallState.REST:
        return ball.state is BallState.LOST
    since_s = began.t_s - ball.seen_s
    far_mm = math.dist(ball.place, (began.x_mm, began.y_mm))
    return since_s > 0.0 and bool(ball.missed or ball.covered) and far_mm < pieces.fastest_mm_s * since_s


def _run_mm(item: Tentative) -> float:
    """How far a track has come since it was first seen."""
    a, b = item.points[0], item.points[-1]
    return math.hypot(b.x_mm - a.x_mm, b.y_mm - a.y_mm)


def _back_on_table(follower: Follower, ball: Ball, item: Tentative, new: bool) -> bool:
    """Give a ball that was off the table the track that rolls; returns whether it had lain there, hidden."""
    hidden = not new and ball.fate == "lifted" and _leads_back(ball, item, _run_mm(item))
    if hidden:
        ball.legs, ball.before, ball.motion, ball.state = [], None, None, BallState.REST
    else:
        _revive(ball, item)
    _attach(follower, ball, item)
    return hidden


def _revive(ball: Ball, item: Tentative) -> None:
    first = item.points[0]
    ball.rest = Rest(since_s=first.t_s)
    ball.rest.add(first.t_s, first.x_mm, first.y_mm, first.sigma_mm)
    ball.legs, ball.before, ball.motion = [], None, None
    ball.state, ball.missed, ball.covered = BallState.REST, 0, False
    ball.seen_s, ball.row_since_s, ball.row_owed = first.t_s - 1e-3, first.t_s, True


def _attach(follower: Follower, ball: Ball, item: Tentative) -> None:
    if ball.state is BallState.REST:
        ball.set_off(item.points[-1].t_s)
    leg = ball.legs[-1]
    after = leg.points[-1].t_s if leg.points else -1.0
    leg.points.extend(p for p in item.points if p.t_s > after)
    a, b = item.points[-2], item.points[-1]
    ball.motion = started(a.t_s, a.x_mm, a.y_mm, b.t_s, b.x_mm, b.y_mm, b.sigma_mm)
    ball.state = BallState.MOVING
    ball.seen_s = b.t_s
    ball.missed, ball.covered = 0, False
    follower.tentatives.remove(item)


def _leads_back(ball: Ball, item: Tentative, run_mm: float) -> bool:
    """Whether a smooth way, drawn backwards, passes the ball's place; no longer than it takes to come from
    there.
    """
    a, b = item.points[0], item.points[-1]
    ux, uy = (b.x_mm - a.x_mm) / run_mm, (b.y_mm - a.y_mm) / run_mm
    if any(abs((p.x_mm - a.x_mm) * uy - (p.y_mm - a.y_mm) * ux) > 0.1 * run_mm for p in item.points):
        return False
    dx, dy = a.x_mm - ball.rest.x_mm, a.y_mm - ball.rest.y_mm
    along, aside = dx * ux + dy * uy, abs(dx * uy - dy * ux)
    speed = run_mm / max(b.t_s - a.t_s, 1e-3)
    return -10.0 < along < 1.5 * speed * (a.t_s - ball.seen_s) + 20.0 and aside < 15.0 + 0.1 * max(along, 0.0)
