"""What vision hands to the tracker: per image, the balls seen and where it looked. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BALL_CLASSES: tuple[str, ...] = ("white", "red", "yellow", "green", "brown", "blue", "pink", "black")
"""Order of the colour log-probabilities in an observation and of the detector's classes."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One ball seen in one image. Position: projection of its centre on the cloth, table frame, mm.

    `sigma_mm` is one standard deviation per axis. `colour_logp`: log-probability of each class of
    `BALL_CLASSES`. `confidence`: that this is a ball at all. `x_px, y_px`: its centre in the image.
    """

    x_mm: float
    y_mm: float
    sigma_mm: float
    x_px: float
    y_px: float
    colour_logp: tuple[float, ...]
    confidence: float

    @property
    def colour(self) -> str:
        return BALL_CLASSES[max(range(len(self.colour_logp)), key=self.colour_logp.__getitem__)]


@dataclass(frozen=True, slots=True)
class GapSeen:
    """The gap between two near balls, measured on both at once, mm between their surfaces, with one sigma.

    `first`, `second`: which of the balls that it comes with. It may come out below nothing by its own error.
    """

    first: int
    second: int
    gap_mm: float
    sigma_mm: float


@dataclass(frozen=True, slots=True)
class CellMask:
    """A coarse boolean map of the table in cells of `cell_mm`, column 0 row 0 at (x0_mm, y0_mm).

    `bits`: one byte a cell (0 or 1), row after row (y), each row `columns` long (x). Cells reach a
    little beyond the cushions so that the pockets lie inside.
    """

    x0_mm: float
    y0_mm: float
    cell_mm: float
    columns: int
    rows: int
    bits: bytes

    def at(self, x_mm: float, y_mm: float) -> bool:
        """Whether the cell under the point is set; False outside the map."""
        i = int((x_mm - self.x0_mm) // self.cell_mm)
        j = int((y_mm - self.y0_mm) // self.cell_mm)
        return 0 <= i < self.columns and 0 <= j < self.rows and self.bits[j * self.columns + i] != 0

    @property
    def any(self) -> bool:
        return 1 in self.bits


@dataclass(frozen=True, slots=True)
class CameraMoved:
    """The view lies elsewhere than before: by how much on the cloth at most, and since when it is known.

    `healed`: the new pose is measured, and places from this image on are right; else they are off until it
    is.
    """

    shift_mm: float
    since_s: float
    healed: bool


UnusableReason = Literal["corrupt", "images_lost", "clock_changed", "size_changed", "other_view", "no_colour"]
"""Why images could not be used: damaged data; none there; the recorder's clock was set anew, so that nobody
knows how long nothing was recorded; another size and shape; another camera's picture, or darkness; grey
pictures, in which no ball has a colour.
"""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A span in which no image could be used: from the last image before it to the first one after it.

    At the beginning or end of a video it begins or ends where the video does. Seconds on the video's clock.
    """

    start_s: float
    end_s: float
    reason: UnusableReason


@dataclass(frozen=True, slots=True)
class ImageObservations:
    """What one image of the video shows.

    `t_s`: presentation time minus the first image's, mid-exposure. `looked`: where the image was
    examined; elsewhere nothing has changed since the image before, and balls there are as they were
    (None: everywhere). A ball known to lie in a looked-at cell and not among `observations` is hidden
    (see `covered`), moved or gone. `covered`: cells where something that is neither cloth nor ball
    (person, hand, cue) hides the table. `repeated`: the same picture as before, no observation at all.
    `camera_moved`: told once when a knock is known and once when it is healed (mostly the same image).
    `unusable`: why this image, or the span that ends with it, shows nothing; no observation then.
    `altered`: cells that look otherwise than when the table was last at rest, whatever the cause.
    `gaps`: of the cue-ball and balls beside it, measured where nothing moves.
    `size_px`: told once, when images begin to come in another size and are scaled to the calibrated one (or
    not any more).
    """

    index: int
    t_s: float
    observations: tuple[Observation, ...]
    looked: CellMask | None
    covered: CellMask | None
    repeated: bool = False
    camera_moved: CameraMoved | None = None
    unusable: UnusableReason | None = None
    size_px: tuple[int, int] | None = None
    altered: CellMask | None = None
    gaps: tuple[GapSeen, ...] = ()
