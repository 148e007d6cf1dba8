"""The table of a span and the sizes and masses of what lies on it."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec

INTO = 0.7
"""A way that comes nearer to a ball than this share of the distance at which they touch leads into it: no
error of a place, which from the side is some mm, makes a graze of that.
"""


@dataclass(frozen=True, slots=True)
class Arena:
    """The table and the sizes of what lies on it. `cue`: key of the cue-ball's way, which may be of another
    size.
    """

    table: TableSpec
    kinds: PieceSet
    cue: int | None

    def radius_mm(self, key: int) -> float:
        """Radius of a way's ball."""
        share = self.kinds.size_share(self.kinds.cue) if key == self.cue else 1.0
        return share * self.table.ball_radius_mm

    def mass(self, key: int) -> float:
        """Mass of a way's ball as a share of the one that most pieces have."""
        return self.kinds.mass_share(self.kinds.cue) if key == self.cue else 1.0

    def apart_mm(self, a: int, b: int) -> float:
        """How far apart the centres of two balls are when they touch."""
        return self.radius_mm(a) + self.radius_mm(b)
