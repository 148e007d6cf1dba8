"""Where every ball of a stroke is at any time, from its solved legs: what contacts and pots are read from."""

from __future__ import annotations

from dataclasses import dataclass, field

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import TableSpec
from tracker.stroke.paths import Break, Path


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
