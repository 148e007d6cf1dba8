"""Where the picture has changed, so that the network runs only there.

`Gate` compares the reduced luma plane with the last accepted one, cell by cell: most of a match nothing
moves. `RepeatWatch` finds copies of the image before, encoded anew. `StillView` compares with the table as it
last looked at rest, which distinguishes a hidden ball from one that is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.io.picture import U8, Picture
from vision.plane import GATE_PX_PER_CELL, Cells

_LEAST_STEP = 5.0  # grey levels: compression alone stays below
_NOISE_STEPS = 7.0  # sigmas of the image's own noise that a change must exceed
_NOISE_MEMORY = 0.05  # weight of the newest image in the running noise
_LEAST_NOISE = 0.3  # grey levels: one sigma that rounding to whole levels causes
_NOISE_QUANTILE = 0.6  # of the differences between two images; noise even while a player leans over the table
_NOISE_QUANTILE_SIGMAS = 1.19  # that quantile of |N(0, 2 sigma^2)|, in sigmas
_STIRRED_SHARE = 0.7  # of the step; a smaller change beside a larger one is no ball that came or went
_CELL = np.ones((GATE_PX_PER_CELL, GATE_PX_PER_CELL), np.uint8)

_CHANGED_SHARE = 0.3  # of a cell's pixels; a cue over the cell, or a ball beside it, changes fewer
_TAKEN_OVER_S = (
    20.0  # seconds without a change after which a thing belongs to the table: no person stands so still
)
_COPY_MOST, _COPY_MEAN, _MOVES_GREY = 0.08, 0.2, 15
"""Largest and mean difference between two images of which one is a copy, as shares of those to the image
before, and grey levels from which something moves. In six real and rendered clips that repeat images copies
differ by 0 to 5 grey levels at most and 0.01 in the mean, images in motion by 20 to 130 and 0.15 to 0.4; a
camera's own noise leaves no mean so small (docs/lab/2026-11-30-films-of-fresh-rooms.md).
"""
_HALVED_PX = 960
"""Luma is halved once, and once more for each of these widths that a picture exceeds: so what coding changes
of single pixels averages out.
"""
_OTHER_LIGHT_SHARE = 0.6  # of the table's cells; so many change with the lamps, not with people


def take_over(reference: U8, luma: U8, cells: Cells) -> None:
    """Copy the given cells of the newer luma into a reference, in place."""
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    if not len(rows):
        return
    i, j, n = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1), GATE_PX_PER_CELL
    part = slice(n * i.start, n * i.stop), slice(n * j.start, n * j.stop)
    mask = np.repeat(np.repeat(cells[i, j], n, 0), n, 1)
    np.copyto(reference[part], luma[part], where=mask)


@dataclass(frozen=True, slots=True)
class GateResult:
    """Comparison of an image with the last accepted one.

    `changed`: cells (rows, columns) that differ from it. `identical`: the image equals the previous one.
    `stirred`: cells that differ by 70 % of the step or more, noise included; all others are unchanged.
    """

    changed: Cells
    identical: bool
    stirred: Cells


class Gate:
    """Keeps the last accepted luma and finds the cells that differ. One `compare` an image, in order."""

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
        """The difference (grey levels) above which a pixel has changed."""
        return max(_LEAST_STEP, _NOISE_STEPS * self._noise)

    def compare(self, luma: U8) -> GateResult:
        """Compare the ball plane's luma (rows * 6, columns * 6) uint8 with the accepted one."""
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
        """Drop the reference: all of the next image counts as changed. The noise is kept."""
        self._accepted = self._previous = None

    def withdraw(self) -> None:
        """Take back the last comparison: that image did not show the table, so its difference is no noise."""
        self._noise = self._noise_before
        self.forget()

    def accept(self, luma: U8, cells: Cells) -> None:
        """Make this image the reference of the cells that were examined in it."""
        if self._accepted is not None:
            take_over(self._accepted, luma, cells)

    def _measure_noise(self, luma: U8) -> bool:
        """Update the running noise; True when the image equals the previous one."""
        assert self._previous is not None
        self._noise_before = self._noise
        difference = cv2.absdiff(luma[::2, ::2], self._previous[::2, ::2])
        histogram = cv2.calcHist([difference], [0], None, [256], [0, 256]).ravel().cumsum()
        if histogram[0] == difference.size:
            return not cv2.absdiff(luma, self._previous).any()
        middle = float(np.searchsorted(histogram, _NOISE_QUANTILE * histogram[-1]))
        sigma = max((middle + 0.5) / _NOISE_QUANTILE_SIGMAS, _LEAST_NOISE)
        self._noise += _NOISE_MEMORY * (sigma - self._noise)
        return False


@dataclass
class RepeatWatch:
    """Notices an image that shows the one before again, coded anew: nothing moves in it, anywhere in the
    picture, behind an image in which something did. A camera's own images differ by their noise at least.
    """

    last: U8 | None = None
    moved_grey: tuple[float, float] = (0.0, 0.0)  # largest and mean difference of the last two images

    def shown_again(self, picture: Picture) -> bool:
        """Whether an image is the one before, as far as coding leaves it. One `shown_again` an image, in
        order; of several copies the first is noticed.
        """
        luma = picture.luma(1 + (picture.width_px - 1) // _HALVED_PX)
        last, self.last = self.last, luma
        if last is None or last.shape != luma.shape:
            self.moved_grey = 0.0, 0.0
            return False
        apart, (most, mean) = cv2.absdiff(luma, last), self.moved_grey
        self.moved_grey = float(apart.max()), float(apart.mean())
        alike = self.moved_grey[0] <= _COPY_MOST * most and self.moved_grey[1] <= _COPY_MEAN * mean
        return most >= _MOVES_GREY and alike


@dataclass
class StillView:
    """The gate's luma of the table at rest, cell by cell, without things that stand on it briefly.

    The network recognises covers by their kind and misses a sleeve of the cloth's colour. Where a ball lay
    and is not seen, the cloth around it decides. If it is unchanged, the ball has left; if it has changed,
    something is there and may hide the ball.
    """

    luma: U8 | None = None
    calm_since_s: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))

    def changed_cells(self, luma: U8, changed: Cells, step: float, t_s: float, whole: bool) -> Cells:
        """Cells (rows, columns) that differ from the table at rest by more than `step` grey levels.

        `luma`: of the gate; `changed`: cells that changed since they were last examined; `whole`: nothing has
        moved for a moment and every cell is examined. Unchanged cells then become the new state of rest.
        """
        if self.luma is None:
            self.luma, self.calm_since_s = luma.copy(), np.full(changed.shape, t_s)
            return np.zeros_like(changed)
        self.calm_since_s[changed] = t_s
        differs = (cv2.absdiff(luma, self.luma) > step).view(np.uint8)
        share = cv2.resize(differs * np.uint8(255), changed.shape[::-1], interpolation=cv2.INTER_AREA)
        found: Cells = share > 255 * _CHANGED_SHARE
        if whole:
            taken = ~found | (t_s - self.calm_since_s > _TAKEN_OVER_S)
            if found.mean() > _OTHER_LIGHT_SHARE:
                taken[:] = True
            take_over(self.luma, luma, taken)
        return found
