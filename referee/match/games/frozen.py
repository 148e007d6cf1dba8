"""Balls that lie against a cushion before a shot, and whether they left it before they met it again (WPA 8.4,
WEPF G(4)).

A ball that rolls goes straight away from its cushion: it comes back only off another cushion, which counts by
itself, or off a ball. Where it met that one says how far away it was.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from calibration.table.pieces import PieceSet
from calibration.table.specs import CUSHIONS, CushionName, TableSpec
from referee.facts.calls import Frozen
from referee.facts.seen import SeenBall, SeenCushion, SeenStroke
from referee.match.touching import touch_weight
from referee.match.weighing import EVEN

LEAST_SIGMA_MM = 0.3
"""No place is told more exactly from a cushion than this."""

Place = tuple[str, CushionName]
"""A ball and a cushion."""
Against = Mapping[Place, float]
"""Weight that a ball lay against a cushion before a shot, as far as that counts in the game."""


def to_cushion_mm(x_mm: float, y_mm: float, cushion: str, table: TableSpec) -> float:
    """From the edge of a ball at a place to the face of a cushion."""
    gaps = {
        "left": x_mm + table.half_width_mm,
        "right": table.half_width_mm - x_mm,
        "bottom": y_mm - table.bottom_mm,
        "top": table.top_mm - y_mm,
    }
    return gaps[cushion] - table.ball_radius_mm


def gap_mm(ball: SeenBall, cushion: str, table: TableSpec) -> float:
    """From the edge of a ball at rest to the face of a cushion."""
    return to_cushion_mm(ball.x_mm, ball.y_mm, cushion, table)


def touches(ball: SeenBall, cushion: str, table: TableSpec) -> float:
    """Weight that a ball at rest touches a cushion, as measured."""
    return touch_weight(gap_mm(ball, cushion, table), ball.sigma_mm)


def places_of(
    ball: str, rail: CushionName | None, layout: Sequence[SeenBall], table: TableSpec
) -> list[Place]:
    """The balls that a declaration may mean, nearest first, each with that cushion, or its nearest."""
    rails = CUSHIONS if rail is None else (rail,)
    found = (min((gap_mm(b, r, table), b.ball, r) for r in rails) for b in layout if b.colour == ball)
    return [(name, cushion) for _, name, cushion in sorted(found)]


def declared(said: Sequence[Frozen], seen: SeenStroke, table: TableSpec) -> Against:
    """Balls that were declared frozen (WPA 8.4), of those that may touch the cushion as measured. Who
    declares has looked from near.
    """
    lay = {b.ball: b for b in seen.before}
    found: dict[Place, float] = {}
    for (ball, rail), count in Counter((c.ball, c.rail) for c in said).items():
        places = places_of(ball, rail, seen.before, table)
        near = [p for p in places if touches(lay[p[0]], p[1], table)]
        if len(near) > count:  # balls that look alike, any of which may be meant
            found |= dict.fromkeys(near, EVEN)
        else:
            found |= dict.fromkeys(near, 1.0)
    return found


def pressed(seen: SeenStroke, first: str | None, pieces: PieceSet, table: TableSpec) -> Against:
    """The ball that is met first against its cushion, and the cue-ball against the same one (WEPF G(4))."""
    lay = {b.ball: b for b in seen.before}
    if first not in lay:
        return {}
    met = {cushion: touches(lay[first], cushion, table) for cushion in CUSHIONS}
    found: dict[Place, float] = {(first, cushion): weight for cushion, weight in met.items() if weight}
    for cue in (b for b in seen.before if b.colour == pieces.cue):
        both = {cushion: weight * touches(cue, cushion, table) for cushion, weight in met.items()}
        found |= {(cue.ball, cushion): weight for cushion, weight in both.items() if weight}
    return found


def left_before(hit: SeenCushion, seen: SeenStroke, pieces: PieceSet, table: TableSpec) -> float:
    """Weight that a ball left a cushion before it met it at `hit`. Another cushion in between counts by
    itself; another ball in between says how far away it was.
    """
    times = [c.t_s for c in seen.met if hit.ball in c.balls]
    if seen.gap_before or seen.unseen or hit.t_s is None or None in times:
        return EVEN
    known = [t for t in times if t is not None]
    struck = pieces.kind_of.get(hit.ball) == pieces.cue
    began_s = seen.start_s if struck else min(known, default=math.inf)
    if began_s > hit.t_s:
        return EVEN  # nobody knows what set it off
    away = []
    for contact in seen.met:
        if hit.ball in contact.balls and began_s < (contact.t_s or 0.0) < hit.t_s:
            other = contact.balls[1 - contact.balls.index(hit.ball)]
            away.append(_away_at_ball(other, contact.t_s or 0.0, hit.cushion, seen, table))
    return max(away, default=0.0)


def _away_at_ball(other: str, t_s: float, own: str, seen: SeenStroke, table: TableSpec) -> float:
    """Weight that a ball is away from its cushion where it meets another: known where that one still lay at
    its place, further from the cushion than a ball is wide.
    """
    lay = next((b for b in seen.before if b.ball == other), None)
    moved = any(other in c.balls and (c.t_s or 0.0) < t_s for c in seen.met)
    if lay is None or moved:
        return EVEN
    return max(_beyond(gap_mm(lay, own, table) - table.ball_diameter_mm, lay.sigma_mm), EVEN)


def _beyond(away_mm: float, sigma_mm: float) -> float:
    """Weight that what was measured so far from a cushion is off it."""
    return 0.5 * (1.0 + math.erf(away_mm / (math.sqrt(2.0) * max(sigma_mm, LEAST_SIGMA_MM))))
