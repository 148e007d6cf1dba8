"""Where every ball of a stroke is at any time, from its solved legs: what contacts and pots are read from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from tracker.stroke.paths import Break, Path, Segment

Curve = Callable[[float], tuple[float, float]]
EDGE_S = 0.003
"""How far beyond the images that bound it a smooth piece is believed, besides a quarter of their distance."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A smooth part of a ball's way: where it is believed (`from_s` to `to_s`), its sigma and speed there."""

    curve: Curve
    sigma_mm: float
    speed_mm_s: float
    from_s: float = -math.inf
    to_s: float = math.inf


@dataclass(frozen=True, slots=True)
class Event:
    """One bend, or the start, of one ball's path."""

    ball: str
    path: Path
    at: Break
    is_start: bool


@dataclass(slots=True)
class World:
    """`paths`: the legs of each ball that moved, in order; `places`: (x, y, sigma) at rest before the
    stroke.
    """

    table: TableSpec
    cue: str | None
    paths: dict[str, list[Path]]
    places: dict[str, tuple[float, float, float]]
    pieces: PieceSet = SNOOKER
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, legs in self.paths.items():
            for path in legs:
                if path.start is not None and path.segments:
                    self.events.append(Event(name, path, path.start, True))
                self.events.extend(Event(name, path, b, False) for b in path.breaks)
        self.events.sort(key=lambda e: (e.at.t_s, e.ball))

    def reach_mm(self, ball: str | None, other: str) -> float:
        """How far apart the centres of two balls are when they touch: the sum of their radii."""
        share = (self.pieces.size_share(ball or other) + self.pieces.size_share(other)) / 2
        return share * self.table.ball_diameter_mm

    def leg_at(self, ball: str, t_s: float) -> Path | None:
        """The leg in force at a time: the last one begun."""
        found = None
        for path in self.paths.get(ball, []):
            if path.start is not None and path.start.t_s <= t_s:
                found = path
        return found

    def at(self, ball: str, t_s: float) -> tuple[float, float] | None:
        """Place of a ball at a time; None after it was last seen on a leg that ended in no rest."""
        path = self.leg_at(ball, t_s)
        if path is None:
            legs = self.paths.get(ball)
            if legs:
                return legs[0].leg.x0_mm, legs[0].leg.y0_mm
            p = self.places.get(ball)
            return None if p is None else (p[0], p[1])
        if path.leg.end is None and t_s > path.stop_s + 0.06:
            return None
        return path.at(t_s)

    def events_of(self, ball: str, lo_s: float, hi_s: float) -> list[Event]:
        """Events of a ball whose interval overlaps [lo, hi]."""
        return [e for e in self.events if e.ball == ball and e.at.hi_s >= lo_s and e.at.lo_s <= hi_s]

    def curves(self, ball: str, lo_s: float, hi_s: float) -> list[Piece]:
        """Smooth pieces that may describe the ball in [lo, hi]; several around an event."""
        out: list[Piece] = []
        mid = (lo_s + hi_s) / 2
        events = self.events_of(ball, lo_s, hi_s)
        for e in events:
            out.append(before_curve(e))
            if e.at.after is not None:
                out.append(_segment(e.at.after, mid, e.at.lo_s - _edge(e), self._until(e)))
        if events:
            return out
        path = self.leg_at(ball, mid)
        segment = path.segment_at(mid) if path is not None else None
        if path is not None and segment is not None and mid < path.stop_s + 0.05:
            return [_segment(segment, mid)]
        place = self.at(ball, mid)
        if place is not None:
            sigma = self.places.get(ball, (0.0, 0.0, 1.0))[2]
            out.append(Piece(_fixed(place), sigma, 0.0))
        return out

    @staticmethod
    def _until(e: Event) -> float:
        """How long the segment after an event lasts: to the next image behind it."""
        following = next((b for b in e.path.breaks if b.before is e.at.after), None)
        return following.hi_s if following is not None else math.inf


def before_curve(e: Event) -> Piece:
    """The motion that ended with the event."""
    until = e.at.hi_s + _edge(e)
    if e.at.before is None:
        return Piece(_fixed((e.path.leg.x0_mm, e.path.leg.y0_mm)), e.path.leg.sigma0_mm, 0.0, to_s=until)
    s = e.at.before
    return _segment(s, e.at.t_s, s.first_s - _edge(e), until)


def _edge(e: Event) -> float:
    return 0.25 * (e.at.hi_s - e.at.lo_s) + EDGE_S


def _segment(s: Segment, t_s: float, from_s: float = -math.inf, to_s: float = math.inf) -> Piece:
    return Piece(s.at, min(s.sigma(t_s), 30.0), math.hypot(*s.velocity(t_s)), from_s, to_s)


def _fixed(place: tuple[float, float]) -> Curve:
    return lambda _t: place
