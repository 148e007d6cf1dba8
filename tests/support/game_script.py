"""A match of any game written as strokes, as the tracker would tell it: exact places, sure facts."""

from __future__ import annotations

import math
from collections.abc import Sequence

from calibration.table.games import PIECES
from calibration.table.pieces import PieceSet
from calibration.table.specs import CushionName, PocketName, TableSpec
from tracker.events import (
    Contact,
    CushionHit,
    FirstContact,
    PlacedBall,
    Pot,
    StrokeRecord,
)

Place = tuple[float, float]


class GameScript:
    """Strokes one after the other over one layout; `places` by piece, mm."""

    def __init__(self, game: str, table: TableSpec, places: dict[str, Place]) -> None:
        self.pieces: PieceSet = PIECES[game]
        self.table, self.places = table, dict(places)
        self.t_s = 1.0

    @property
    def layout(self) -> tuple[PlacedBall, ...]:
        return tuple(
            PlacedBall(b, self.pieces.kind_of[b], x, y, 0.3, 0.9999) for b, (x, y) in self.places.items()
        )

    def stroke(
        self,
        first: str | None,
        *pots: tuple[str, PocketName],
        rails: Sequence[str] = (),
        early_rails: Sequence[str] = (),
        met: Sequence[tuple[str, str]] = (),
        moves: dict[str, Place] | None = None,
        cue: str | None = None,
        sure: float = 0.999,
    ) -> StrokeRecord:
        """One stroke. `rails`: balls at a cushion after the first contact, `early_rails`: before they fell;
        `met`: further contacts; `moves`: where balls lie afterwards; `cue`: the struck ball.
        """
        start, cue = self.t_s, cue or self.pieces.cue
        before = self.layout
        for ball, place in (moves or {}).items():
            self.places[ball] = place
        for ball, _ in pots:
            self.places.pop(ball, None)
        cushions: list[CushionHit] = []
        names: tuple[CushionName, ...] = ("left", "right", "top", "bottom")
        for k, ball in enumerate([*early_rails, *rails]):
            after_s = 0.55 if ball in early_rails else 0.8
            cushions.append(CushionHit(ball, names[k % 4], start + after_s))
        contacts = [] if first is None else [Contact(_pair(cue, first), start + 0.5, 0.001, 0.999)]
        contacts += [Contact(_pair(*pair), start + 0.52, 0.001, 0.999) for pair in met]
        record = StrokeRecord(
            start_s=start,
            end_s=start + 4.0,
            before=before,
            after=self.layout,
            first_contact=(FirstContact(first, None if first is None else start + 0.5, 1.0),),
            contacts=tuple(contacts),
            cushions=tuple(cushions),
            pots=tuple(Pot(b, p, start + 1.2, sure) for b, p in pots),
            off_table=(),
            vanished=(),
            touching=(),
        )
        self.t_s += 10.0
        return record


def _pair(a: str, b: str) -> tuple[str, str]:
    return (a, b) if a < b else (b, a)


def diamond(table: TableSpec) -> dict[str, Place]:
    """Nine ball's rack on the foot spot: the one at the apex, the nine in the middle."""
    d, foot = table.ball_diameter_mm + 0.2, table.length_mm * 3 / 4
    rows = (("1",), ("2", "3"), ("4", "9", "5"), ("6", "7"), ("8",))
    out: dict[str, Place] = {}
    for k, row in enumerate(rows):
        for j, ball in enumerate(row):
            out[ball] = ((j - (len(row) - 1) / 2) * d, foot + k * d * math.sqrt(3) / 2)
    return out


def triangle(table: TableSpec, balls: Sequence[str]) -> dict[str, Place]:
    """Fifteen balls in a triangle on the foot spot, in the order given."""
    d, foot = table.ball_diameter_mm + 0.2, table.length_mm * 3 / 4
    out: dict[str, Place] = {}
    k = row = 0
    for ball in balls:
        out[ball] = ((k - row / 2) * d, foot + row * d * math.sqrt(3) / 2)
        k += 1
        if k > row:
            k, row = 0, row + 1
    return out


def spread(table: TableSpec, balls: Sequence[str]) -> dict[str, Place]:
    """Balls in the open, far from every cushion and from each other."""
    across = max(int((table.width_mm - 400) // 150), 1)
    return {
        b: (-table.half_width_mm + 220 + 150.0 * (i % across), table.length_mm * 0.3 + 150.0 * (i // across))
        for i, b in enumerate(balls)
    }
