"""Where to look: compares the reduced luma plane with the last accepted one, cell by cell.

Most of a match nothing moves; such an image costs one small resampling and one difference.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import numpy.typing as npt

from vision.io.picture import U8
from vision.plane import GATE_PX_PER_CELL

Cells = npt.NDArray[np.bool_]

_LEAST_STEP = 5.0  # grey levels: compression alone stays below
_NOISE_STEPS = 7.0  # a change must exceed this many sigmas of the image's own noise
_NOISE_MEMORY = 0.05  # weight of the newest image in the running noise
_CELL = np.ones((GATE_PX_PER_CELL, GATE_PX_PER_CELL), np.uint8)
_STIRRED_SHARE = 0.7  # of the step: less than this beside a change is no ball that came or went


def take_over(reference: U8, luma: U8, cells: Cells) -> None:
    """Make these cells of a reference those of the newer luma, in place."""
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    if not len(rows):
        return
    i, j, n = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1), GATE_PX_PER_CELL
    part = slice(n * i.start, n * i.stop), slice(n * j.start, n * j.stop)
    mask = np.repeat(np.repeat(cells[i, j], n, 0), n, 1)
    np.copyto(reference[part], luma[part], where=mask)


@dataclass(frozen=True, slots=True)
class GateResult:
    """`changed` cells (rows, columns) against the last accepted picture; `identical` to the previous image.

    `stirred`: cells that differ by `_STIRRED_SHARE` of that or more, by noise too; the others are as they
    were accepted.
    """

    changed: Cells
    identical: bool
    stirred: Cells


class Gate:
    """Keeps the last accepted luma and says which cells differ. One `compare` an image, in order."""

    def __init__(self) -> None:
        self._accepted: U8 | None = None
        self._previous: U8 | None = None
        self._noise = self._noise_before = 1.0

    @property
    def noise(self) -> float:
        """Running sigma of the reduced luma between images, grey levels."""
        return self._noise

    @property
    def step(self) -> float:
        """What differs by more than this many grey levels is no noise."""
        return max(_LEAST_STEP, _NOISE_STEPS * self._noise)

    def compare(self, luma: U8) -> GateResult:
        """`luma`: (rows * 6, columns * 6) uint8 of the ball plane."""
        rows, columns = luma.shape[0] // GATE_PX_PER_CELL, luma.shape[1] // GATE_PX_PER_CELL
        if self._accepted is None or self._previous is None:
            self._accepted, self._previous = luma.copy(), luma
            return GateResult(np.ones((rows, columns), np.bool_), False, np.ones((rows, columns), np.bool_))
        identical = self._measure_noise(luma)
        self._previous = luma
        step = self.step
        difference = cv2.absdiff(luma, self._accepted)
        most = np.asarray(cv2.dilate(difference, _CELL, anchor=(0, 0)))[
            ::GATE_PX_PER_CELL, ::GATE_PX_PER_CELL
        ]
        return GateResult(most > step, identical, most > _STIRRED_SHARE * step)

    def forget(self) -> None:
        """The next picture is compared with nothing: all of it counts as changed. What noise there is
        stays.
        """
        self._accepted = self._previous = None

    def withdraw(self) -> None:
        """The last picture compared was none of the table: its difference is no noise."""
        self._noise = self._noise_before
        self.forget()

    def accept(self, luma: U8, cells: Cells) -> None:
        """These cells have been examined in this image: it becomes their reference."""
        if self._accepted is not None:
            take_over(self._accepted, luma, cells)

    def _measure_noise(self, luma: U8) -> bool:
        assert self._previous is not None
        self._noise_before = self._noise
        difference = cv2.absdiff(luma[::2, ::2], self._previous[::2, ::2])
        # the lower half of the differences is noise even while a player leans over the table
        histogram = cv2.calcHist([difference], [0], None, [256], [0, 256]).ravel().cumsum()
        if histogram[0] == difference.size:
            return not cv2.absdiff(luma, self._previous).any()
        middle = float(np.searchsorted(histogram, 0.6 * histogram[-1]))
        sigma = max((middle + 0.5) / 1.19, 0.3)  # 60th percentile of |N(0, 2 sigma^2)| is 1.19 sigma
        self._noise += _NOISE_MEMORY * (sigma - self._noise)
        return False
