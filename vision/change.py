"""Where the picture has changed, so that the network runs only there.

`Gate` compares the reduced picture with the last accepted one, cell by cell: most of a match nothing moves.
Colours count as well as brightness: a red ball in flight may be as bright as the cloth. `RepeatWatch` finds
copies of the image before, encoded anew. `StillView` compares with the table as it last looked at rest, which
distinguishes a hidden ball from one that is gone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.io.picture import U8, Picture
from vision.plane import GATE_PX_PER_CELL, Cells, GatePlanes

F64 = npt.NDArray[np.float64]

_LEAST_STEPS = np.array([5.0, 10.0, 10.0])
"""Grey levels of Y, U and V: compression alone stays below. It is coarser in colours."""
_NOISE_STEPS = 7.0  # sigmas of the image's own noise that a change must exceed
_NOISE_MEMORY = 0.05  # weight of the newest image in the running noise
_LEAST_NOISE = 0.3  # grey levels: one sigma that rounding to whole levels causes
_NOISE_QUANTILE = 0.6  # of the differences between two images; noise even while a player leans over the table
_NOISE_QUANTILE_SIGMAS = 1.19  # that quantile of |N(0, 2 sigma^2)|, in sigmas
_STIRRED_SHARE = 0.7  # of the step; a smaller change beside a larger one is no ball that came or went

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


def take_over(reference: U8, newer: U8, cells: Cells) -> None:
    """Copy the given cells of a newer plane into a reference, in place."""
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    if not len(rows):
        return
    i, j, n = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1), _px_per_cell(newer, cells)
    part = slice(n * i.start, n * i.stop), slice(n * j.start, n * j.stop)
    mask = np.repeat(np.repeat(cells[i, j], n, 0), n, 1)
    np.copyto(reference[part], newer[part], where=mask if newer.ndim == 2 else mask[:, :, None])


def _px_per_cell(plane: U8, cells: Cells) -> int:
    return int(plane.shape[0]) // int(cells.shape[0])


@dataclass(frozen=True, slots=True)
class GateResult:
    """Comparison of an image with the last accepted one.

    `changed`: cells (rows, columns) that differ from it. `identical`: its luma equals the previous one's.
    `stirred`: cells that differ by 70 % of the step or more, noise included; all others are unchanged.
    """

    changed: Cells
    identical: bool
    stirred: Cells


class Gate:
    """Keeps the last accepted picture and finds the cells that differ. One `compare` an image, in order."""

    def __init__(self) -> None:
        self._accepted: GatePlanes | None = None
        self._previous: GatePlanes | None = None
        self._noise = self._noise_before = np.ones(3)  # of Y, U, V

    @property
    def noise(self) -> float:
        """Running sigma of the reduced luma between images, grey levels."""
        return float(self._noise[0])

    @property
    def step(self) -> float:
        """The difference of luma (grey levels) above which a pixel has changed."""
        return float(_steps(self._noise)[0])

    def compare(self, planes: GatePlanes) -> GateResult:
        """Compare the ball plane's luma and colours (`BallPlane.gate_planes`) with the accepted ones."""
        rows, columns = (n // GATE_PX_PER_CELL for n in planes[0].shape)
        if self._accepted is None or self._previous is None:
            self._accepted, self._previous = (planes[0].copy(), planes[1].copy()), planes
            return GateResult(np.ones((rows, columns), np.bool_), False, np.ones((rows, columns), np.bool_))
        identical = self._measure_noise(planes, self._previous)
        self._previous = planes
        luma, chroma = (_most(a, b, rows) for a, b in zip(planes, self._accepted, strict=True))
        steps = _steps(self._noise)
        share = np.maximum(luma / steps[0], (chroma / steps[1:]).max(axis=2))
        return GateResult(share > 1.0, identical, share > _STIRRED_SHARE)

    def forget(self) -> None:
        """Drop the reference: all of the next image counts as changed. The noise is kept."""
        self._accepted = self._previous = None

    def withdraw(self) -> None:
        """Take back the last comparison: that image did not show the table, so its difference is no noise."""
        self._noise = self._noise_before
        self.forget()

    def accept(self, planes: GatePlanes, cells: Cells) -> None:
        """Make this image the reference of the cells that were examined in it."""
        if self._accepted is not None:
            for accepted, plane in zip(self._accepted, planes, strict=True):
                take_over(accepted, plane, cells)

    def _measure_noise(self, planes: GatePlanes, before: GatePlanes) -> bool:
        """Update the running noise; True when the image's luma equals that of the one before: a copy that was
        coded anew may have other colours.
        """
        self._noise_before = self._noise
        luma, chroma = (
            np.asarray(cv2.absdiff(a[::2, ::2], b[::2, ::2]), np.uint8)
            for a, b in zip(planes, before, strict=True)
        )
        if not luma.any():
            return not cv2.absdiff(planes[0], before[0]).any()
        middle = np.array([_quantile(luma, 0), _quantile(chroma, 0), _quantile(chroma, 1)])
        sigma = np.maximum((middle + 0.5) / _NOISE_QUANTILE_SIGMAS, _LEAST_NOISE)
        self._noise = self._noise + _NOISE_MEMORY * (sigma - self._noise)
        return False


def _steps(noise: F64) -> F64:
    """The differences (grey levels) above which a pixel has changed."""
    steps: F64 = np.maximum(_LEAST_STEPS, _NOISE_STEPS * noise)
    return steps


def _most(plane: U8, accepted: U8, rows: int) -> U8:
    """The largest difference of each channel in each cell."""
    n = plane.shape[0] // rows
    difference = cv2.dilate(cv2.absdiff(plane, accepted), np.ones((n, n), np.uint8), anchor=(0, 0))
    return np.asarray(difference[::n, ::n], np.uint8)


def _quantile(difference: U8, channel: int) -> int:
    """Grey levels that `_NOISE_QUANTILE` of a channel's differences do not exceed."""
    counts = cv2.calcHist([difference], [channel], None, [256], [0, 256]).ravel().cumsum()
    return int(np.searchsorted(counts, _NOISE_QUANTILE * counts[-1]))


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
