"""The images of one span as arrays: what was detected, and where the camera looked and saw cloth.

Images in which nothing was examined say nothing and are left out; so are repeated and unusable ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER, PieceSet
from tracker.detections.cover import sides_mm
from vision.observation import CellMask, ImageObservations, Observation

F64 = NDArray[np.float64]
I64 = NDArray[np.int64]
Bits = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class LayoutLook(ImageObservations):
    """A layout as a look at the whole table: what many looks at the still table agree on."""


@dataclass(frozen=True, slots=True)
class Detections:
    """All detections of a span, in order of time. Shapes (n,) but `logp` (n, kinds); places mm, table frame.

    `image`: index into `Views.t_s`. `fastest_mm_s`: no ball of this game is faster; `apart_mm`: no two are
    nearer to each other, as well as they are seen. `layout`: (n,) True for what sums up many looks.
    """

    image: I64
    t_s: F64
    xy: F64
    sigma: F64
    confidence: F64
    logp: F64
    near_cover: Bits
    layout: Bits
    fastest_mm_s: float
    apart_mm: float


@dataclass(frozen=True, slots=True)
class Views:
    """When and where the camera looked. `looked`, `covered`, `altered` (it looks otherwise than at rest):
    (images, rows, columns), True where so. `layout`: (images,) True for what sums up many looks at the still
    table.

    Without any mask in the span the grid has one cell, and everything is looked at and nothing covered.
    """

    t_s: F64
    looked: Bits
    covered: Bits
    altered: Bits
    layout: Bits
    x0_mm: float
    y0_mm: float
    cell_mm: float

    def sees(self, image: int, x_mm: float, y_mm: float) -> bool:
        """Whether a ball at the place would be in sight: its cell is looked at and nothing covers it."""
        j, i = self._cell(x_mm, y_mm)
        return bool(self.looked[image, j, i]) and not self.covered[image, j, i]

    def unlooked(self, first: int, x_mm: float, y_mm: float) -> int:
        """In how many images from `first` on nothing covers the place and nobody looks there, until one shows
        it.
        """
        j, i = self._cell(x_mm, y_mm)
        bare, looked = ~self.covered[first:, j, i], self.looked[first:, j, i]
        shown = np.flatnonzero(bare & looked)
        return int(np.count_nonzero(bare[: shown[0]] if len(shown) else bare))

    def in_sight(self, first: int, last: int, x_mm: F64, y_mm: F64) -> tuple[NDArray[np.int64], int, bool]:
        """Which of the images first to last - 1 have the place in each of them in sight, layouts left out; in
        how many more nothing covers it, and nobody looked because nothing changed there; and whether it is in
        sight in a layout.
        """
        if last <= first:
            return np.empty(0, dtype=np.int64), 0, False
        rows, columns = self.looked.shape[1:]
        i = np.minimum(np.maximum(((x_mm - self.x0_mm) // self.cell_mm).astype(np.int64), 0), columns - 1)
        j = np.minimum(np.maximum(((y_mm - self.y0_mm) // self.cell_mm).astype(np.int64), 0), rows - 1)
        k = np.arange(first, last)
        bare, looked, layout = ~self.covered[k, j, i], self.looked[k, j, i], self.layout[first:last]
        seen = np.flatnonzero(bare & looked & ~layout) + first
        return seen, int(np.count_nonzero(bare & ~looked)), bool((bare & looked & layout).any())

    def surrounded(self, images: I64, x_mm: float, y_mm: float, diameter_mm: float) -> Bits:
        """In which of the images the table looks otherwise than at rest on all sides of a place: what stands
        there has no name, such as a dark back, and may hide a ball.
        """
        around = [self._cell(x, y) for x, y in sides_mm(x_mm, y_mm, diameter_mm)]
        found: Bits = np.logical_and.reduce([self.altered[images, j, i] for j, i in around])
        return found

    def covered_share(self, first: int, last: int, x_mm: float, y_mm: float) -> float:
        """Share of the images first to last - 1 in which something covers the place or a cell beside it."""
        if last <= first:
            return 0.0
        j, i = self._cell(x_mm, y_mm)
        around = self.covered[first:last, max(j - 1, 0) : j + 2, max(i - 1, 0) : i + 2]
        return float(around.any(axis=(1, 2)).mean())

    def _cell(self, x_mm: float, y_mm: float) -> tuple[int, int]:
        rows, columns = self.looked.shape[1:]
        i = int((x_mm - self.x0_mm) // self.cell_mm)
        j = int((y_mm - self.y0_mm) // self.cell_mm)
        return min(max(j, 0), rows - 1), min(max(i, 0), columns - 1)


def arrays(images: Sequence[ImageObservations], kinds: PieceSet = SNOOKER) -> tuple[Detections, Views]:
    """The span's detections and views; images that say nothing are left out. `kinds`: the game's pieces."""
    apart_mm = OVERLAP * kinds.least_apart_mm
    told = without_streaks([without_doubles(i, apart_mm) for i in images if tells(i)], kinds)
    views = _views(told)
    rows = [(k, image, o) for k, image in enumerate(told) for o in image.observations]
    n = len(rows)
    xy = np.array([(o.x_mm, o.y_mm) for _, _, o in rows], dtype=np.float64).reshape(n, 2)
    image = np.array([k for k, _, _ in rows], dtype=np.int64)
    found = Detections(
        image,
        np.array([i.t_s for _, i, _ in rows], dtype=np.float64),
        xy,
        np.maximum(np.array([o.sigma_mm for _, _, o in rows], dtype=np.float64), 0.15),
        np.array([o.confidence for _, _, o in rows], dtype=np.float64),
        np.array([o.colour_logp for _, _, o in rows], dtype=np.float64).reshape(n, -1 if n else 0),
        _near_cover(views, image, xy),
        views.layout[image],
        kinds.fastest_mm_s,
        apart_mm,
    )
    return found, views


def tells(image: ImageObservations) -> bool:
    """Whether an image shows anything new."""
    if image.repeated or image.unusable is not None:
        return False
    return bool(image.observations) or image.looked is None or image.looked.any


def without_doubles(image: ImageObservations, apart_mm: float) -> ImageObservations:
    """The image with one detection for each ball: a streak may be detected at both its ends.

    Two balls are never in one place, so that of detections nearer than `apart_mm` all are one ball's. It
    was in the middle of them at mid-exposure.
    """
    left, out = list(image.observations), []
    if all(math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) >= apart_mm for a, b in combinations(left, 2)):
        return image
    while left:
        first = left.pop(0)
        same = [o for o in left if math.hypot(o.x_mm - first.x_mm, o.y_mm - first.y_mm) < apart_mm]
        left = [o for o in left if o not in same]
        out.append(_one([first, *same]))
    return replace(image, observations=tuple(out))


OVERLAP = 0.8
"""Centres of balls are a diameter apart at least; as a share of it what two sigmas of bad places leave."""


def without_streaks(images: Sequence[ImageObservations], kinds: PieceSet) -> list[ImageObservations]:
    """The images with one detection for each streak, also of one so long that two balls have room in it.

    Two detections that may be of a kind of which there is one ball are its streak's ends if it came or goes
    the way on which they lie, and nothing was near either place before, nor is in the next image: what lies
    still, sets off or stops there is a ball of its own.
    """
    single = [k for k, name in enumerate(kinds.names) if kinds.count(name) == 1]
    near_mm = STREAK * kinds.least_apart_mm
    lay = [o for i in images[:1] if isinstance(i, LayoutLook) for o in i.observations]
    out = list(images)
    for k, image in enumerate(images):
        near = [
            (a, b)
            for a, b in combinations(image.observations, 2)
            if math.hypot(a.x_mm - b.x_mm, a.y_mm - b.y_mm) < near_mm
        ]
        beside = [o for i in (k - 1, k + 1) if near and 0 <= i < len(images) for o in images[i].observations]
        for a, b in near:
            left = out[k].observations
            if a in left and b in left and _one_streak(a, b, single, beside, lay):
                others = tuple(o for o in left if o not in (a, b))
                out[k] = replace(image, observations=(*others, _one([a, b])))
    return out


def _one_streak(
    a: Observation,
    b: Observation,
    single: Sequence[int],
    beside: Sequence[Observation],
    lay: Sequence[Observation],
) -> bool:
    """Whether two detections are a streak's ends. `single`: the kinds of which there is one ball; `beside`:
    what is seen in the images before and after; `lay`: what lay there before anything moved.
    """
    kind = max(single, key=lambda i: a.colour_logp[i] + b.colour_logp[i])
    if min(a.colour_logp[kind], b.colour_logp[kind]) <= MAY_BE:
        return False
    if not any(o.colour_logp[kind] > MAY_BE and _on_its_way(a, b, o) for o in beside):
        return False
    return not any(_there(end, others) for end in (a, b) for others in (beside, lay))


def _there(o: Observation, others: Sequence[Observation]) -> bool:
    """Whether one of the others is where this one is."""
    return any(
        math.hypot(o.x_mm - p.x_mm, o.y_mm - p.y_mm) < STAYS_MM + 2.0 * math.hypot(o.sigma_mm, p.sigma_mm)
        for p in others
    )


def _on_its_way(a: Observation, b: Observation, o: Observation) -> bool:
    """Whether a look in the image before or after lies on the line of a streak's ends, as far from its middle
    as a ball goes that leaves such a streak.
    """
    ux, uy = b.x_mm - a.x_mm, b.y_mm - a.y_mm
    length = math.hypot(ux, uy)
    dx, dy = o.x_mm - 0.5 * (a.x_mm + b.x_mm), o.y_mm - 0.5 * (a.y_mm + b.y_mm)
    along, aside = abs(dx * ux + dy * uy) / length, abs(dx * uy - dy * ux) / length
    return 0.8 * length < along < MOST_STEPS * length and aside < SIDEWAYS * along


STREAK = 2.0
"""The ends of a streak lie no further apart, in diameters: 5 m/s at an exposure of 20 ms. Assumed."""
MAY_BE = -3.0
"""Log-probability of a kind from which a look may be of it: blur fades colours. Assumed."""
STAYS_MM = 20.0
"""What is seen so near to where something was seen, beyond the sigmas of both, may be it: a streak is longer.
"""
MOST_STEPS, SIDEWAYS = 10.0, 0.25
"""From image to image a ball goes so many times its streak at most (a tenth of the time exposed), and so much
aside of it.
"""


def _one(same: Sequence[Observation]) -> Observation:
    """One detection in place of several of one ball: the surest, in the middle of them."""
    best = max(same, key=lambda o: o.confidence)
    if len(same) == 1:
        return best
    x, y = (sum(v) / len(same) for v in ([o.x_mm for o in same], [o.y_mm for o in same]))
    half = max(math.hypot(o.x_mm - x, o.y_mm - y) for o in same)
    return replace(best, x_mm=x, y_mm=y, sigma_mm=math.hypot(best.sigma_mm, UNEVEN * half))


UNEVEN = 0.2
"""One sigma of where between a streak's ends its middle is found, as a share of half its length. Assumed."""


def _views(told: Sequence[ImageObservations]) -> Views:
    masks = [m for i in told for m in (i.looked, i.covered, i.altered) if m is not None]
    t_s = np.array([i.t_s for i in told], dtype=np.float64)
    layout = np.array([isinstance(i, LayoutLook) for i in told], dtype=np.bool_)
    if not masks:
        everywhere = np.ones((len(told), 1, 1), dtype=np.bool_)
        return Views(t_s, everywhere, ~everywhere, ~everywhere, layout, -1e6, -1e6, 2e6)
    m = masks[0]
    looked = np.stack([_bits(i.looked, m, True) for i in told])
    covered = np.stack([_bits(i.covered, m, False) for i in told])
    altered = np.stack([_bits(i.altered, m, False) for i in told])
    return Views(t_s, looked, covered, altered, layout, m.x0_mm, m.y0_mm, m.cell_mm)


def _bits(mask: CellMask | None, grid: CellMask, default: bool) -> Bits:
    """A mask in the cells of a grid; a camera that was knocked and healed meanwhile has other ones."""
    shape = grid.rows, grid.columns
    if mask is None:
        return np.full(shape, default, dtype=np.bool_)
    bits = np.frombuffer(mask.bits, dtype=np.uint8).reshape(mask.rows, mask.columns).astype(np.bool_)
    if _lies(mask) == _lies(grid):
        return bits
    x = grid.x0_mm + (np.arange(grid.columns) + 0.5) * grid.cell_mm
    y = grid.y0_mm + (np.arange(grid.rows) + 0.5) * grid.cell_mm
    i = np.clip((x - mask.x0_mm) // mask.cell_mm, 0, mask.columns - 1).astype(np.int64)
    j = np.clip((y - mask.y0_mm) // mask.cell_mm, 0, mask.rows - 1).astype(np.int64)
    there: Bits = bits[np.ix_(j, i)]
    return there


def _lies(mask: CellMask) -> tuple[float, float, float, int, int]:
    return mask.x0_mm, mask.y0_mm, mask.cell_mm, mask.columns, mask.rows


def _near_cover(views: Views, image: I64, xy: F64) -> Bits:
    """Whether a covered cell lies within a cell and a half of each detection."""
    if not views.covered.any():
        return np.zeros(len(image), dtype=np.bool_)
    grown = views.covered.copy()
    grown[:, 1:] |= views.covered[:, :-1]
    grown[:, :-1] |= views.covered[:, 1:]
    sideways = grown.copy()
    sideways[:, :, 1:] |= grown[:, :, :-1]
    sideways[:, :, :-1] |= grown[:, :, 1:]
    rows, columns = views.covered.shape[1:]
    i = np.clip(((xy[:, 0] - views.x0_mm) // views.cell_mm).astype(np.int64), 0, columns - 1)
    j = np.clip(((xy[:, 1] - views.y0_mm) // views.cell_mm).astype(np.int64), 0, rows - 1)
    near: Bits = sideways[image, j, i]
    return near
