"""Scripted tracker events: a table that strokes and hands change, for the tests of the referee."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from calibration.table.specs import SNOOKER_TABLE, PocketName
from tracker.events import (
    FirstContact,
    HandMove,
    Layout,
    LayoutChange,
    PlacedBall,
    Pot,
    StrokeRecord,
    TouchingPair,
)

COLOURS = ("yellow", "green", "brown", "blue", "pink", "black")
Place = tuple[float, float]


class Scene:
    """Balls on a table and a clock; each method makes the event that a perfect tracker would give."""

    def __init__(
        self,
        reds: dict[str, Place] | None = None,
        white: Place = (300.0, 1000.0),
        colours: Iterable[str] = COLOURS,
    ) -> None:
        self.balls: dict[str, Place] = {c: SNOOKER_TABLE.spots[c] for c in colours}
        self.balls |= {"white": white} | (
            reds if reds is not None else {"red_1": (-400.0, 2300.0), "red_2": (500.0, 2400.0)}
        )
        self.t_s = 0.0

    def layout(self, sigma_mm: float = 0.2) -> Layout:
        return tuple(
            PlacedBall(b, b.split("_")[0], x, y, sigma_mm, 1.0) for b, (x, y) in sorted(self.balls.items())
        )

    def stroke(
        self,
        hit: str | dict[str, float] | None,
        pots: Iterable[str] | dict[str, float] = (),
        move: dict[str, Place] | None = None,
        off: Iterable[str] = (),
        vanished: Iterable[str] = (),
        touching: Iterable[str] = (),
        gap: bool = False,
    ) -> StrokeRecord:
        """The cue-ball hits `hit` first; balls fall, move, leave or vanish; six seconds later all lie
        still.
        """
        before = self.layout()
        weights = {hit: 1.0} if isinstance(hit, str) else hit or {}
        start = self.t_s = self.t_s + 6.0
        fell = {b: 1.0 for b in pots} if not isinstance(pots, dict) else pots
        for b in (*fell, *off, *vanished):
            self.balls.pop(b, None)
        self.balls |= move or {}
        self.t_s += 4.0
        pocket: PocketName = "TR"
        return StrokeRecord(
            start,
            self.t_s,
            before,
            self.layout(),
            tuple(FirstContact(b if b != "none" else None, start + 0.5, w) for b, w in weights.items())
            or (FirstContact(None, None, 1.0),),
            (),
            (),
            tuple(Pot(b, pocket, start + 1.0, c) for b, c in fell.items()),
            tuple(off),
            tuple(vanished),
            tuple(TouchingPair(("white", b), -0.1, 0.1) for b in touching),
            gap,
        )

    def hand(
        self, kind: Literal["respot", "in_hand", "replaced", "moved"], ball: str, place: Place | None = None
    ) -> HandMove:
        """A hand puts a ball down; a colour without `place` on its spot."""
        self.t_s += 1.0
        source = self.balls.get(ball)
        self.balls[ball] = place or SNOOKER_TABLE.spots[ball]
        return HandMove(kind, ball, source, (*self.balls[ball], 0.2), self.t_s)

    def rack(self, reds: int = 15) -> LayoutChange:
        """A new triangle (or fewer rows), cue-ball in the D."""
        self.t_s += 20.0
        self.balls = {c: SNOOKER_TABLE.spots[c] for c in COLOURS} | {"white": (-100.0, 700.0)}
        rows = {15: 5, 10: 4, 6: 3}[reds]
        n = 0
        for row in range(rows):
            for k in range(row + 1):
                n += 1
                self.balls[f"red_{n}"] = (52.6 * (k - row / 2), 2730.0 + 45.6 * row)
        return LayoutChange(self.t_s, self.layout(), True)
