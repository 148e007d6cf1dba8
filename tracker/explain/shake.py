"""A camera that shakes: for some images all balls at rest seem to lie elsewhere, all shifted alike.

Whoever leans on a table, or a camera's arm that swings, moves the picture by a pixel or two. Each ball at
rest by itself would then be nudged, or a new piece of track; that all of them go together and come back tells
better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tracker.events import Layout
from vision.observation import ImageObservations, Observation

F64 = NDArray[np.float64]
LEAST_BALLS, LEAST_SHARE = 5, 0.8
"""So many balls at rest that are seen are shifted alike, and this share of all: fewer tell no shake."""
WIDELY_MM = 700.0
"""They lie so far apart: a pack that is pushed is smaller."""
NEAR_MM = 15.0
"""A look further from where a ball lay is of no ball at rest: less than a radius, a pixel or two anywhere."""
LEAST_MM = 1.0
"""A smaller shake is none: places would get the error of its measuring."""


def steadied(images: Sequence[ImageObservations], before: Layout) -> list[ImageObservations]:
    """The images as a camera that holds still shows them. `before`: what lay there before anything moved;
    balls that have left say nothing.
    """
    lay = np.array([(b.x_mm, b.y_mm) for b in before], dtype=np.float64).reshape(-1, 2)
    return [_steadied(image, lay) for image in images]


def _steadied(image: ImageObservations, lay: F64) -> ImageObservations:
    seen = np.array([(o.x_mm, o.y_mm) for o in image.observations], dtype=np.float64).reshape(-1, 2)
    if len(seen) < LEAST_BALLS or len(lay) < LEAST_BALLS:
        return image
    away = seen[:, None, :] - lay[None, :, :]
    shifts = away[np.hypot(away[..., 0], away[..., 1]).argmin(axis=0), np.arange(len(lay))]
    at_rest = np.hypot(shifts[:, 0], shifts[:, 1]) < NEAR_MM
    places, shifts = lay[at_rest], shifts[at_rest]
    middle = np.median(shifts, axis=0) if len(shifts) else np.zeros(2)
    size = float(np.hypot(*middle))
    alike = np.hypot(*(shifts - middle).T) < max(LEAST_MM, 0.5 * size)
    if size < LEAST_MM or alike.sum() < max(LEAST_BALLS, LEAST_SHARE * len(shifts)):
        return image
    if np.ptp(places[alike], axis=0).max() < WIDELY_MM:
        return image
    moved = _along_the_table(places[alike, 1], shifts[alike], seen[:, 1])
    put_back = (_put_back(o, m) for o, m in zip(image.observations, moved, strict=True))
    return replace(image, observations=tuple(put_back))


def _along_the_table(y_mm: F64, shifts: F64, at_mm: F64) -> F64:
    """(n, 2) the shift at places along the table: in mm it grows with the distance from the camera."""
    if np.ptp(y_mm) < WIDELY_MM:
        return np.broadcast_to(shifts.mean(axis=0), (len(at_mm), 2))
    line, *_ = np.linalg.lstsq(np.stack([y_mm, np.ones_like(y_mm)], axis=1), shifts, rcond=None)
    moved: F64 = np.stack([at_mm, np.ones_like(at_mm)], axis=1) @ line
    return moved


def _put_back(o: Observation, moved: F64) -> Observation:
    return replace(o, x_mm=o.x_mm - float(moved[0]), y_mm=o.y_mm - float(moved[1]))
