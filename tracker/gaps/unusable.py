"""Spans in which no image could be used: how the tracker goes on behind them (`absence` reads the layout
anew).
"""

from __future__ import annotations

from tracker.ball import Ball, BallState
from tracker.events import Gap, LayoutChange
from tracker.gaps.absence import Absence, Found, found_again, lay_still, unchanged
from tracker.identity.names import lying
from tracker.layout import rack
from tracker.machine import Phase, Signal, next_phase
from tracker.state import UNTIMED_S, State
from tracker.stroke.span import Span
from tracker.stroke.spans import close_span, close_where_it_stops, follow_ways, is_stroke
from vision.observation import ImageObservations, UnusableReason


def out_of_sight(s: State, image: ImageObservations) -> None:
    """Take note of an image that cannot be used."""
    assert image.unusable is not None
    if s.absence is None:
        s.absence = Absence(s.any_s, image.t_s, image.unusable)
    s.absence.prolong(image)


def came_back(s: State, absence: Absence, image: ImageObservations) -> bool:
    """Whether balls can be followed on from this image; until then the layout is being read anew."""
    f = s.follower
    brief = absence.fresh is None and absence.brief(image.t_s)
    if absence.fresh is None and not brief and not f.awaited(s.last_s):
        # it is to be found there again, and not another ball
        close_where_it_stops(s, s.table.ball_diameter_mm)
    if s.phase is Phase.EMPTY or brief or (absence.fresh is None and unchanged(f, image)):
        _end_absence(s, absence.start_s, image.t_s, absence.reason)
        if s.span is not None:
            s.span.losses.append((absence.start_s, image.t_s))
            if brief:  # else all lay still over it, and the stroke has ended
                s.span.last_motion_s += image.t_s - absence.start_s
                s.span.rolled_s += image.t_s - absence.start_s
            s.span.gap = s.span.gap or image.t_s - absence.start_s > UNTIMED_S
        s.any_s = image.t_s - s.nominal_s  # the pause is accounted for
        return True
    if absence.follow(s.table, s.follower.pieces, image):
        _read_anew(s, absence, image)
    s.any_s = image.t_s
    return False


def _end_absence(s: State, start_s: float, end_s: float, reason: UnusableReason) -> None:
    s.out.append(Gap(start_s, end_s, reason))
    s.absence = None


def never_back(s: State, absence: Absence) -> None:
    """The video ends without a usable image: what was under way stays unseen."""
    close_where_it_stops(s)
    _end_absence(s, absence.start_s, max(absence.end_s, s.any_s), absence.reason)
    if s.span is not None:
        s.span.gap = s.span.unseen = True


def _read_anew(s: State, absence: Absence, image: ImageObservations) -> None:
    """The layout after a span as it is found: a stroke under way is closed with it, nothing else
    concluded.
    """
    f, fresh = s.follower, absence.fresh
    assert fresh is not None
    if s.span is not None:
        follow_ways(s, s.span)
    lay_still(f.balls)
    found = found_again(f.balls, fresh, image)
    end_s = absence.over_s(image.t_s)
    _end_absence(s, absence.start_s, end_s, absence.reason)
    for b in f.balls:
        _place_anew(s, b, found, image.t_s)
    if s.span is not None:
        _close_cut_off(s, s.span, found, absence.start_s, end_s)
    else:
        _give_up_gone(s, found)
    known = {b.name for b in f.balls}
    for name, ball in found.elsewhere.items():
        if name not in known:
            ball.name, ball.row_since_s, ball.row_owed = name, end_s, True
            ball.legs, ball.before = [], None
            f.balls.append(ball)
    f.tentatives, f.t_s = fresh.tentatives, fresh.t_s
    s.last_s = image.t_s
    if found.changed:
        layout = lying(f.balls)
        s.out.append(LayoutChange(end_s, layout, rack.is_rack(s.table, layout, s.follower.pieces)))


def _place_anew(s: State, ball: Ball, found: Found, t_s: float) -> None:
    """A known ball where it lies after a span, or lost."""
    new = found.elsewhere.get(ball.name)
    if new is None and ball.name not in found.gone:
        if ball.name in found.stayed:
            ball.seen_s, ball.missed = t_s, 0
        return
    if ball.state is BallState.REST and not ball.legs:
        s.begin_row(ball)
    if new is None:
        ball.state = BallState.LEFT
        return
    ball.rest, ball.state, ball.track = new.rest, BallState.REST, None
    ball.take_identity(new.logp, new.looks)
    ball.missed, ball.covered, ball.seen_s = 0, False, t_s
    ball.row_since_s, ball.row_owed = new.rest.since_s, True


def _give_up_gone(s: State, found: Found) -> None:
    for b in s.follower.balls:
        if b.name in found.gone:
            b.state, b.fate, b.legs, b.before = BallState.GONE, "unknown", [], None


def _close_cut_off(s: State, span: Span, found: Found, start_s: float, end_s: float) -> None:
    """The span that was under way when images failed: what was seen of it, and what lay there after it."""
    span.gap = span.unseen = True
    span.losses.append((start_s, end_s))
    unseen = [b for b in s.follower.balls if b.name in found.gone and not b.legs]
    for b in unseen:
        b.state, b.fate = BallState.GONE, "unknown"
    span.vanished = tuple(b.name for b in unseen)
    moved = [b for b in s.follower.balls if b.legs]
    if is_stroke(moved, next((b for b in moved if b.is_cue), None), s.table):
        close_span(s)
    else:
        s.span = None
        s.phase = next_phase(s.phase, Signal.ALL_STILL)
        s.out.extend(span.later)
    _give_up_gone(s, found)
    for b in s.follower.balls:
        b.legs, b.before = [], None
