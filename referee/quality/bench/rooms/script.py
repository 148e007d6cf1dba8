"""Scripts of the second world's clips: strokes by the tracks tier's physics, people beside the table.

Places of balls at any time follow from a `PlayedSpan`; poses of people are kept to few steps, so that a
picture of one is traced once for many images.
"""

from __future__ import annotations

import math

import numpy as np

from calibration.table.specs import TableSpec
from referee.quality.bench.rooms.stage import NOBODY, People, Places
from referee.quality.bench.rooms.studio.people import Person, draw_person
from referee.quality.bench.rooms.studio.poses import placer, striker
from referee.quality.bench.tracks.play import Cover, PlayedSpan, TrueStroke

MOVES_MM = 0.02
"""A ball that goes less than this during an exposure lies still in it."""
_ARRIVES_S = 0.2
"""A hand shows its ball in place this long before it lets go."""
_BACK_STEP_MM, _GONE_MM = 260.0, 1050.0
_DRAWN_STEP_MM, _DRAWN_MM, _THROUGH_MM = 30.0, 120.0, -70.0
_FEATHER_HZ = 1.4


def places_at(span: PlayedSpan, t_s: float) -> dict[str, tuple[float, float]]:
    """Where the balls are at a time; those that have fallen are left out."""
    events: list[tuple[float, int]] = [(s.t_strike_s, k) for k, s in enumerate(span.strokes)]
    last = max((k for at, k in events if at <= t_s), default=None)
    if last is None:
        return dict(span.opening)
    stroke = span.strokes[last]
    out = _during(stroke, t_s - stroke.t_strike_s)
    for hand in span.hands:
        if stroke.t_strike_s < hand.t_s - _ARRIVES_S <= t_s:
            if hand.to is None:  # taken away
                out.pop(hand.ball, None)
            else:
                out[hand.ball] = hand.to
    return out


def _during(stroke: TrueStroke, t_s: float) -> dict[str, tuple[float, float]]:
    """Balls at a time from the strike."""
    fallen = {b for b, _, at in stroke.flown.pots if at <= t_s}
    out = {b: p for b, p in stroke.flown.start.items() if b not in fallen}
    for ball, pieces in stroke.flown.paths.items():
        if ball in fallen or t_s < pieces[0].t0_s:
            continue
        piece = next((p for p in pieces if p.t0_s <= t_s <= p.t1_s), None)
        if piece is None:  # between two pieces, or after the last
            piece = [p for p in pieces if p.t0_s <= t_s][-1]
            out[ball] = piece.at(piece.t1_s)
        else:
            out[ball] = piece.at(t_s)
    return out


def exposure_at(
    span: PlayedSpan, t_s: float, exposure_s: float, mm_per_px: float
) -> tuple[list[dict[str, tuple[float, float]]], Places]:
    """The places of the moving balls at moments of an exposure whose middle is `t_s`, and the balls that lie.

    Moments are so near that no ball goes further than about a pixel between two.
    """
    first, last = (places_at(span, t_s + d * exposure_s) for d in (-0.5, 0.5))
    middle = places_at(span, t_s)
    still = {
        n: p
        for n, p in middle.items()
        if n in first and n in last and math.dist(first[n], last[n]) < MOVES_MM
    }
    moving = (set(first) | set(last)) - set(still)
    if not moving:
        return [], still
    ways = [math.dist(first[n], last[n]) for n in moving if n in first and n in last]
    count = int(np.clip(math.ceil(max(ways, default=0.0) / mm_per_px / 1.1), 2, 20))
    shares = (np.arange(count) + 0.5) / count - 0.5
    moments = [places_at(span, t_s + float(s) * exposure_s) for s in shares]
    return [{n: p for n, p in m.items() if n in moving} for m in moments], still


def struck(stroke: TrueStroke) -> str:
    """The ball that a stroke was played with: the first that moved."""
    return min(stroke.flown.paths, key=lambda b: stroke.flown.paths[b][0].t0_s)


class Cast:
    """The two players and the referee of a room, and what they do at each time."""

    def __init__(self, seed: int, table: TableSpec, span: PlayedSpan) -> None:
        self._seed, self._table, self._span = seed, table, span
        draw = np.random.default_rng([seed, 30])
        self._players = (draw_person(draw), draw_person(draw))
        self._referee = draw_person(draw, referee=True)

    def at(self, t_s: float) -> People:
        """Who is over the table, in a pose that many times share."""
        for k, cover in enumerate(self._span.covers):
            if cover.t0_s <= t_s <= cover.t1_s:
                back = math.ceil(cover.back_mm(t_s) / _BACK_STEP_MM) * _BACK_STEP_MM
                if back > _GONE_MM:
                    return NOBODY
                return self._striker(k, cover, t_s, back) if cover.cue else self._placer(k, cover, back)
        return NOBODY

    def _striker(self, k: int, cover: Cover, t_s: float, back_mm: float) -> People:
        stroke = min(self._span.strokes, key=lambda s: abs(s.t_strike_s - cover.in_until_s - 0.9))
        white = stroke.flown.start[struck(stroke)]
        direction = math.atan2(-cover.dy, -cover.dx)
        before = stroke.t_strike_s - t_s
        drawn = _THROUGH_MM
        if before > 0:
            wave = 0.5 - 0.5 * math.cos(2 * math.pi * _FEATHER_HZ * before)
            drawn = max(round(_DRAWN_MM * wave / _DRAWN_STEP_MM), 0) * _DRAWN_STEP_MM + 6.0
        key = f"s{k}_{back_mm:.0f}_{drawn:.0f}"
        person: Person = self._players[self._span.strokes.index(stroke) % 2]
        at = (white[0] + back_mm * cover.dx, white[1] + back_mm * cover.dy)
        reach = math.dist(white, (cover.x, cover.y))
        r = self._table.ball_radius_mm
        parts = striker(person, self._seed + k, at, direction, reach, drawn, r, self._table)
        return People(key, tuple(parts))

    def _placer(self, k: int, cover: Cover, back_mm: float) -> People:
        r = self._table.ball_radius_mm
        at = (cover.x - cover.dx * (r + 10) + back_mm * cover.dx, cover.y)
        parts = placer(self._referee, self._seed + k, at, r, self._table)
        return People(f"p{k}_{back_mm:.0f}", tuple(parts))
