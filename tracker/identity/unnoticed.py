"""A stroke that the tracker took for a hand's doing, because its cue-ball has another name there, or is two
balls: one that was lifted where it lay, and one that a hand rolled.

Looks change with the light, and most on the move: a white rolled pink. What lay there, set off as if struck
and met a ball that then set off is the cue-ball by all explanations, whatever it is called. A hand rolls one
ball away, but hardly one into another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from calibration.table.specs import PointMm, TableSpec
from tracker.ball import Ball, BallState
from tracker.events import Layout
from tracker.explain.solver import Explanation, Story
from tracker.identity.numbering import names_for
from tracker.stroke.span import Span
from vision.detect.naming import joint_colours

STRUCK = 0.99
"""Weight of explanations that have it so."""
NAMED_RIGHT = 0.5
"""Probability of the new name at most (assumed): looks speak for the old one, the motion for the new one."""

BY_MOTION = 6.0
"""Nats by which the looks have to say otherwise again before the motion is doubted."""

Renamed = dict[str, tuple[str, str]]
"""Old name: new name and new kind."""


def struck_unnoticed(
    found: Sequence[Explanation], span: Span, balls: list[Ball], table: TableSpec
) -> Ball | None:
    """The ball of `balls` that was struck, as the explanations of a span have it; None where they have none.

    Where two of the balls are that one, they are one ball of the first one's name from here on, in `balls`
    and in the layout before.
    """
    told = [(e, story) for e in found if (story := _struck(e)) is not None]
    if sum(e.weight for e, _ in told) < STRUCK:
        return None
    way, within_mm = told[0][1].way, table.ball_radius_mm
    left = [((b.legs[0].x0_mm, b.legs[0].y0_mm), b) for b in balls if b.legs]
    lay = _nearest(left, way.place[:2], within_mm)
    if lay is None or lay.state is BallState.REST:
        return lay
    lying = [(b.place, b) for b in balls if b is not lay and b.state is BallState.REST and b.legs]
    lies = _nearest(lying, way.end[:2], within_mm)
    if lies is None:
        return lay
    span.before = tuple(p for p in span.before if p.ball != lies.name)
    first, leg = lay.legs[0], lies.legs[0]
    leg.x0_mm, leg.y0_mm, leg.sigma0_mm = first.x0_mm, first.y0_mm, first.sigma0_mm
    leg.t_rest_s, leg.head, leg.exact_start = first.t_rest_s, first.head, first.exact_start
    lies.name, lies.colour, lies.before = lay.name, lay.colour, lay.before or lay.rest
    balls.remove(lay)
    return lies


def _nearest(there: Sequence[tuple[PointMm, Ball]], at: PointMm, within_mm: float) -> Ball | None:
    """The ball whose place is nearest to `at`, if it is that near."""
    place, ball = min(there, key=lambda p: math.dist(p[0], at), default=(None, None))
    return ball if place is not None and math.dist(place, at) <= within_mm else None


def _struck(e: Explanation) -> Story | None:
    """The ball that is struck in an explanation and met another, which moved; where none is, the one that set
    off first: no object ball does.
    """
    stories = {s.key: s for s in e.stories}
    moved = (s for s in e.stories if s.way.moved and not s.placed)
    first = min(moved, key=lambda s: s.way.start_s, default=None)
    struck = next((i.balls[0] for i in e.interactions if i.kind == "strike"), None)
    key = struck if struck is not None or first is None else first.key
    met = (i.met_by(key) for i in e.interactions)
    if key not in stories or not any(m in stories and stories[m].way.moved for m in met if m is not None):
        return None
    return stories[key]


def name_cue(struck: Ball, balls: Sequence[Ball]) -> Renamed:
    """Name the struck ball the cue-ball, and the one that had the name after what else it looks like.

    Returns what was renamed; nothing where no name is left for that one.
    """
    pieces = struck.pieces
    owner = next((b for b in balls if b.is_cue), None)
    renamed: Renamed = {struck.name: (pieces.cue, pieces.cue)}
    if owner is not None:
        others = [b for b in balls if b is not owner and b is not struck]
        kind = joint_colours([owner.logp], [pieces.cue, *(b.colour for b in others)], pieces)[0]
        name = names_for([kind], [b.name for b in others], pieces)[0]
        if kind is None or name is None:
            return {}
        renamed[owner.name] = (name, kind)
        owner.name, owner.colour, owner.rest.agreed = name, kind, 0
    struck.name, struck.colour, struck.rest.agreed = pieces.cue, pieces.cue, 0
    for ball in (struck, *([] if owner is None else [owner])):
        ball.expect(max(ball.logp) - ball.logp[ball.own] + BY_MOTION)
    return renamed


def layout_renamed(layout: Layout, renamed: Renamed) -> Layout:
    """The layout with the new names, none of them surer than the motion makes it."""
    return tuple(
        replace(
            p,
            ball=renamed[p.ball][0],
            colour=renamed[p.ball][1],
            confidence=min(p.confidence, NAMED_RIGHT),
        )
        if p.ball in renamed
        else p
        for p in layout
    )
