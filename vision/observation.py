"""The contract between vision and tracker: for each image the balls seen and the cells examined.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from calibration.table.pieces import SNOOKER, PieceSet

BALL_CLASSES: tuple[str, ...] = SNOOKER.names
"""Snooker's kinds: the order of the log-probabilities in an observation of a snooker table."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One ball seen in one image. Position: projection of its centre on the cloth, table frame, mm.

    `sigma_mm`: one standard deviation per axis. `colour_logp`: log-probability of each kind of the game's
    set, in the order of `PieceSet.names`. `confidence`: probability that this is a ball or disc. `x_px,
    y_px`: its centre in the image.
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
        """The likeliest kind of a snooker ball."""
        return self.kind_in(SNOOKER)

    def kind_in(self, pieces: PieceSet) -> str:
        """The likeliest kind of the set in whose order the log-probabilities are."""
        return pieces.names[max(range(len(self.colour_logp)), key=self.colour_logp.__getitem__)]


@dataclass(frozen=True, slots=True)
class GapSeen:
    """The gap between the surfaces of two near balls, measured on both at once, with one sigma.

    `first`, `second`: indices into the observations of the same image. Its error may make it negative.
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
    """The camera was knocked: largest shift on the cloth (mm), and since when it is known.

    `healed`: the new pose is measured, and places are right from this image on. Otherwise they are wrong
    until a later event with `healed`.
    """

    shift_mm: float
    since_s: float
    healed: bool


UnusableReason = Literal["corrupt", "images_lost", "clock_changed", "size_changed", "other_view", "no_colour"]
"""Why images could not be used.

- `corrupt`: damaged data
- `images_lost`: a hole in the recording
- `clock_changed`: the recorder's clock was set, so that the length of the hole is unknown
- `size_changed`: another size and shape
- `other_view`: the picture of another camera, or darkness
- `no_colour`: grey pictures, in which balls have no colours
"""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A span without usable images, from the last image before it to the first one after it.

    At a video's beginning or end it begins or ends with the video. Seconds on the video's clock.
    """

    start_s: float
    end_s: float
    reason: UnusableReason


@dataclass(frozen=True, slots=True)
class ImageObservations:
    """The observations of one image of the video.

    - `t_s`: presentation time minus the first image's, taken as mid-exposure.
    - `looked`: cells that were examined; None means all. Elsewhere nothing has changed since the image
    before,
      and balls keep their places. A ball known to lie in an examined cell and missing from `observations` is
      hidden (see `covered`), has moved or is gone.
    - `covered`: cells in which a person, hand or cue hides the table; None means none.
    - `repeated`: the image shows the previous one again, or the camera itself is moving: it has no
    observations.
    - `camera_moved`: set once when a knock is found and once when it is healed, mostly in the same image.
    - `unusable`: why this image, or the span that ends with it, has no observations.
    - `size_px`: set once when images come in another size and are scaled, or no longer.
    - `altered`: cells that differ from the table when it was last at rest, whatever the cause; None means
    none.
    - `gaps`: between the cue-ball and balls beside it, measured in whole looks only.
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

    def only(self, kept: Sequence[int]) -> ImageObservations:
        """The image with these observations alone, by their indices, and the gaps between them."""
        place = {old: new for new, old in enumerate(kept)}
        gaps = (
            replace(g, first=place[g.first], second=place[g.second])
            for g in self.gaps
            if g.first in place and g.second in place
        )
        return replace(self, observations=tuple(self.observations[k] for k in kept), gaps=tuple(gaps))
