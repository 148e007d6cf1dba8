"""A camera's noise reduction over time, found in its recording and undone.

Such a filter hands on (1 - s) of the new image and s of what it handed on before (recursive), or s of the
image before (two taps, as a change of the image rate leaves it). What rests is none the worse. A ball that
moves is too faint by s, and seen once more where it was an image ago: a ghost looks like a ball. Where s is
known the new image is (out - s * before) / (1 - s), with what was handed on before, or with the image before
as it was found.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from vision.io.picture import U8, Picture

PASSED_GREY = 40.0
"""Grey levels by which a pixel must differ from the cloth for what passes over it to be measured."""
BACK_GREY = 6.0
"""Difference in grey levels up to which a pixel shows the cloth again, or a ghost's remainder: coding changes
less."""
ENOUGH_PX, LEAST_PX, LEAST_IMAGES = 400, 150, 12
"""Number of pixels at which the search ends; least numbers of pixels and images that determine a filter.
Assumed."""
LEAST_SHARE, MOST_SHARE = 0.2, 0.7
"""Range of shares that are undone. Fainter ghosts are not mistaken for balls, and undoing them amplifies the
coding's errors; with a larger share a moving ball would be hidden in its ghosts. Of two taps the ratio that
is measured is s / (1 - s), so that shares above 0.42 are not found.
"""
RESTS_LUMA, RESTS_CHROMA = 6, 3
"""Differences between images (grey levels) that are noise and stay: undoing the filter would double it."""
SAME_PIXELS, SAME_GREY = 0.001, 2
"""Largest share of pixels in which a repeated image differs, and largest difference (grey). Assumed."""
LATE = 1.6
"""Pause, in usual intervals, above which an image is missing that the camera's filter had."""
MEASURED_PX = 960
"""Largest width (px) at which ghosts are measured, by halving: their share is the same at all sizes."""
F64 = npt.NDArray[np.float64]
_BINS = np.arange(-0.2, 0.951, 0.05)
_COVERED = int(np.searchsorted(_BINS, MOST_SHARE, side="right")) - 2
"""Number of places of a peak, three bins wide, at ratios below those of things that still cover a pixel."""
_PEAK_SHARE, _PEAK_TIMES = 0.2, 1.5
"""Least share of all pixels in the peak of ratios, and least multiple of the counts beside it. Fades and
flickering lamps give no such peak.
"""


@dataclass(frozen=True, slots=True)
class TemporalFilter:
    """A camera's noise reduction over time: each image is mixed with a `share` (0 to 1) of an earlier one.

    `recursive`: of the filter's own last output; else of the last image before filtering.
    """

    share: float
    recursive: bool = True


NO_FILTER = TemporalFilter(0.0)


@dataclass(slots=True)
class FilterMeasure:
    """Measures a recording's filter, image by image.

    `counts` (bins, bins): pixels by the share of a passing thing that is left one image later, and by the
    share of that which is left another image later.
    """

    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((len(_BINS) - 1,) * 2, np.int64))
    images: int = 0
    recent: list[U8] = field(default_factory=list)

    def forget(self) -> None:
        """The next image does not follow upon the last one."""
        self.recent = []

    def take(self, picture: Picture) -> None:
        """Take one more image into account.

        Where a thing passed over a pixel in one image alone, the share of it that the next image still shows
        is the filter's share.
        """
        luma = picture.luma((picture.width_px - 1) // MEASURED_PX)
        if self.recent and luma.shape != self.recent[-1].shape:
            self.forget()
            return
        if self.recent and not cv2.absdiff(luma, self.recent[-1]).any():
            return  # the same again
        self.recent = [*self.recent[-3:], luma]
        if len(self.recent) < 4:
            return
        ratios, later = _ratios(*self.recent)
        self.images += len(ratios) > 0
        self.counts += np.histogram2d(ratios, later, (_BINS, _BINS))[0].astype(np.int64)

    @property
    def known(self) -> bool:
        """Whether enough was seen."""
        return self.images >= LEAST_IMAGES and int(self.counts.sum()) >= ENOUGH_PX

    @property
    def filter(self) -> TemporalFilter:
        """The filter as far as it is known; none where not enough was seen."""
        counts = self.counts.sum(axis=1)
        about = counts[:-2] + counts[1:-1] + counts[2:]
        k = int(about[:_COVERED].argmax())
        beside = max(about[max(k - 3, 0)], about[k + 3])
        seen = self.images >= LEAST_IMAGES and counts.sum() >= LEAST_PX
        if not seen or about[k] < max(_PEAK_SHARE * counts.sum(), _PEAK_TIMES * beside):
            return NO_FILTER
        middles = (_BINS[:-1] + _BINS[1:]) / 2
        ratio = float(np.average(middles[k : k + 3], weights=counts[k : k + 3]))
        again = self.counts[k : k + 3].sum(axis=0).cumsum()
        later = float(middles[np.searchsorted(again, again[-1] / 2)])  # their median
        recursive = later > ratio / 2
        share = ratio if recursive else ratio / (1 + ratio)
        return TemporalFilter(share, recursive) if LEAST_SHARE <= share <= MOST_SHARE else NO_FILTER


def _ratios(before: U8, passed: U8, after: U8, later: U8) -> tuple[F64, F64]:
    """Shares of a thing that passed over a pixel in one image: left in the image after it, and of that in the
    image later. Only pixels count whose last image shows cloth again, or no more than a twice faded ghost.
    """
    rough = cv2.absdiff(passed, before) > PASSED_GREY
    if not rough.any():
        return np.zeros(0), np.zeros(0)
    b, p, a, c = (v[rough].astype(np.float64) for v in (before, passed, after, later))
    ratio = (a - b) / (p - b)
    left = (c - b) * np.sign(p - b)
    faded = np.maximum(ratio, 0.0) ** 2 * np.abs(p - b)
    once = (left > -BACK_GREY) & (left < faded + BACK_GREY) & (np.abs(ratio) < _BINS[-1])
    again = np.clip(left / np.maximum(np.abs(a - b), 1.0), _BINS[0], _BINS[-1] - 1e-6)
    return ratio[once], again[once]


def found_filter(looks: Iterable[Iterable[Picture]]) -> TemporalFilter:
    """A recording's filter, from runs of successive pictures: no more runs are read than it takes."""
    measure = FilterMeasure()
    for pictures in looks:
        measure.forget()
        for picture in pictures:
            measure.take(picture)
        if measure.known:
            break
    return measure.filter


class Unfiltered:
    """Undoes a filter, picture by picture."""

    def __init__(self, found: TemporalFilter) -> None:
        self._filter = found
        self._pauses_s: deque[float] = deque(maxlen=9)
        self._last: tuple[float, Picture] | None = None
        self._shown: Picture | None = None

    def take(self, t_s: float, picture: Picture) -> Picture:
        """The picture before the camera's filter; unchanged where the picture before it is missing."""
        if not self._filter.share:
            return picture
        last, self._last = self._last, (t_s, picture)
        shown, self._shown = self._shown, picture
        if last is None or shown is None or last[1].y.shape != picture.y.shape:
            return picture
        if self._late(t_s - last[0]):
            return picture
        if _same(picture.y, last[1].y):
            self._shown = shown
            return shown
        held = last[1] if self._filter.recursive else shown
        gain = self._filter.share / (1.0 - self._filter.share)
        self._shown = Picture(
            _undone(picture.y, held.y, gain, RESTS_LUMA),
            _undone(picture.u, held.u, gain, RESTS_CHROMA),
            _undone(picture.v, held.v, gain, RESTS_CHROMA),
            picture.standard,
            picture.full_range,
        )
        return self._shown

    def _late(self, pause_s: float) -> bool:
        """Whether images are missing between two."""
        usual_s = sorted(self._pauses_s)[len(self._pauses_s) // 2] if self._pauses_s else pause_s
        self._pauses_s.append(pause_s)
        return pause_s > LATE * usual_s


def _same(a: U8, b: U8) -> bool:
    """Whether one image repeats the other, encoded again."""
    apart = cv2.absdiff(a, b)
    return cv2.countNonZero(apart) < SAME_PIXELS * apart.size and int(apart.max()) <= SAME_GREY


def _undone(plane: U8, held: U8, gain: float, rests: int) -> U8:
    """A plane before the filter, which mixed it with `held`. Differences up to `rests` are noise and stay."""
    more = cv2.subtract(cv2.subtract(plane, held), np.array([rests], np.float64))
    less = cv2.subtract(cv2.subtract(held, plane), np.array([rests], np.float64))
    return np.asarray(
        cv2.addWeighted(cv2.addWeighted(plane, 1.0, more, gain, 0.0), 1.0, less, -gain, 0.0), np.uint8
    )


class Unfiltering:
    """Undoes the filter of a camera that is watched live, once enough was seen to know it."""

    def __init__(self) -> None:
        self._measure: FilterMeasure | None = FilterMeasure()
        self._unfiltered = Unfiltered(NO_FILTER)

    def take(self, t_s: float, picture: Picture) -> Picture:
        """A picture as the camera had it before its filter, as far as that is known."""
        if self._measure is not None:
            self._measure.take(picture)
            if self._measure.known:
                self._unfiltered, self._measure = Unfiltered(self._measure.filter), None
        return self._unfiltered.take(t_s, picture)
