"""Colours on their spots: known places at another height than the noses; they tell the noses' height.

No rule gives that height, and light decides which line of a rounded nose is its edge. In a level view from
above a wrong nose height and a wrong camera height explain the same picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from calibration.calibrate import Solution
from calibration.result import Calibration
from calibration.table.specs import TableSpec
from vision.detect.detector import Detector
from vision.detect.naming import assign_balls, ball_log_odds
from vision.io.picture import Picture
from vision.locate.slant import along_axes, slants
from vision.observation import Observation
from vision.observer import Observer

F64 = npt.NDArray[np.float64]

_HELD_MM = 0.05  # one sigma of a height that is tried
_STEP_MM = 3.0  # difference of the heights tried; positions are linear in the height over it
_GRID_STEPS, _GRID_POINTS = 3, 361
"""Half the range of heights that is searched, in steps; points of the search."""
_LEAST_SIGMA_MM = 0.3  # of the result
_NEAR_SPOT_MM = 12.0  # a colour nearer to its spot than this may have been placed on it
_ABOUT_MM = 100.0
"""A colour nearer to its spot than this was put there, and nudged since at most: by chance one in 200 lies so
near.
"""
_NUDGED = 0.05
"""Of those so many were nudged since, to anywhere about the spot. Assumed."""
_STATED_COUNTS = 10.0
"""Squares of offsets that a calibration's own sigma is worth: five colours off as it states. Assumed."""
_VARIANCES = np.geomspace(0.1, 1000.0, 241)
"""Factors on a calibration's variance that are weighed."""
_WORTH_SAYING = 4.0  # factor on the variance from which a note says so
_PLACED_MM = 1.0  # one sigma with which a hand places a ball on its spot
_SURE = 0.9  # probability of a colour that is used
_SAME_PX = 0.4  # distance of two looks at one resting ball
_LEAST_SPOTS = 3
_LEAST_SPAN = 0.25  # table lengths that the spots must span; spots in one line across give no height


class SpottedColour(NamedTuple):
    """A colour that was put on its spot: its centre (2,) px, and one sigma per axis, mm."""

    name: str
    px: F64
    sigma_mm: float


def settle_by_spots(
    pictures: Sequence[Picture], solution: Solution, detector: Detector | None
) -> Calibration:
    """The calibration with the nose height at which the spotted colours lie on their spots.

    `pictures`: with balls, under the camera that `solution` solved. `detector`: None loads the shipped one
    where a table has such spots. Without enough colours on their spots the solution's own calibration is
    returned, with a sigma that counts what they show.
    """
    calibration, table = solution.calibration, solution.table
    if not calibration.table.spots or not table.marks_measured:
        return calibration  # only snooker's colours have spots of their own
    spotted = _spotted(pictures, calibration, detector or Detector())
    if not spotted:
        return calibration
    off = np.hypot(*_offsets_mm(calibration, spotted).T)
    placed = [colour for colour, d in zip(spotted, off, strict=True) if d < _NEAR_SPOT_MM]
    along = [calibration.table.spots[c.name][1] for c in placed]
    if len(placed) < _LEAST_SPOTS or np.ptp(along) < _LEAST_SPAN * table.length_mm:
        return told_by_spots(calibration, spotted)
    at = calibration.camera.table_from_pixels([c.px for c in placed], table.ball_radius_mm)
    seen_mm = np.array([c.sigma_mm for c in placed])
    sigma_mm = np.hypot(_PLACED_MM, along_axes(seen_mm, *slants(calibration.camera, at)))
    middle = calibration.table.nose_height_mm
    # an unknown length is solved with each height, and the spots depend on it
    off_low, off_high = (
        _offsets_mm(solution.with_nose(middle + d, _HELD_MM), placed) for d in (-_STEP_MM, _STEP_MM)
    )
    best = _best_height(off_low, off_high, sigma_mm, middle, table)
    return told_by_spots(solution.with_nose(*best), spotted)


def _offsets_mm(calibration: Calibration, spotted: Sequence[SpottedColour]) -> F64:
    """How far (N, 2) mm the colours lie from their spots under a calibration."""
    table = calibration.table
    at = calibration.camera.table_from_pixels([c.px for c in spotted], table.ball_radius_mm)
    return np.asarray(at - [table.spots[c.name] for c in spotted], np.float64)


def told_by_spots(calibration: Calibration, spotted: Sequence[SpottedColour]) -> Calibration:
    """The calibration with the sigma that the colours on their spots show: never less than it states.

    A factor on its variance is weighed by how far they lie from their spots: on them, as the calibration has
    it, or nudged since. Its prior is worth `_STATED_COUNTS` squares of what the calibration states (inverse
    gamma).
    """
    if not spotted:
        return calibration
    at = calibration.camera.table_from_pixels([c.px for c in spotted], calibration.table.ball_radius_mm)
    off = np.hypot(*_offsets_mm(calibration, spotted).T)
    own = np.array([c.sigma_mm for c in spotted])
    stated = np.array([calibration.sigma_mm(x, y) for x, y in at.tolist()])
    factor2 = _variance_factor(off, stated, np.hypot(own, _PLACED_MM))
    if factor2 <= 1.0:
        return calibration
    note = (
        f"half of the colours lie {float(np.median(off)):.1f} mm or more off their spots: the table may not"
        " be where the cushions say; positions are stated with that doubt"
    )
    notes = (*calibration.notes, note) if factor2 > _WORTH_SAYING else calibration.notes
    doubtful = calibration.with_sigmas(lambda sigma: sigma.larger(math.sqrt(factor2)))
    return replace(doubtful, notes=notes)


def _variance_factor(off_mm: F64, stated_mm: F64, own_mm: F64) -> float:
    """The mean factor on a calibration's variance, by the offsets (N,) of colours from their spots, what it
    states there and the colours' own sigmas, mm.
    """
    variance = _VARIANCES[:, None] * stated_mm**2 + own_mm**2
    on_spot = np.exp(-0.5 * off_mm**2 / variance) / (2 * np.pi * variance)
    nudged = 1.0 / (np.pi * _ABOUT_MM**2)
    seen = np.log((1.0 - _NUDGED) * on_spot + _NUDGED * nudged).sum(axis=1)
    half = _STATED_COUNTS / 2
    weight = seen - half * (np.log(_VARIANCES) + 1.0 / _VARIANCES)
    weight = np.exp(weight - weight.max())
    return float((weight * _VARIANCES).sum() / weight.sum())


def _spotted(
    pictures: Sequence[Picture], calibration: Calibration, detector: Detector
) -> list[SpottedColour]:
    """Colours near their own spots over all pictures, with mean centre and sigma, one for each place."""
    found: list[tuple[str, list[F64], list[float]]] = []
    observer = Observer(calibration, detector)
    for o, colour in (seen for picture in pictures for seen in _on_spots(observer, picture)):
        at = np.array([o.x_px, o.y_px])
        same = (
            (p, s) for c, p, s in found if c == colour and np.hypot(*(np.mean(p, axis=0) - at)) < _SAME_PX
        )
        if (place := next(same, None)) is None:
            found.append((colour, [at], [o.sigma_mm]))
        else:
            place[0].append(at)
            place[1].append(o.sigma_mm)
    # looks at one resting ball share their error, so that its sigma is that of one look
    return [SpottedColour(c, np.mean(p, axis=0), float(np.mean(s))) for c, p, s in found]


def _on_spots(observer: Observer, picture: Picture) -> Iterator[tuple[Observation, str]]:
    """The balls of a picture that are surely of a colour and lie near its spot."""
    for o, colour in sure_colours(observer, picture):
        x, y = observer.calibration.table.spots[colour]
        if np.hypot(o.x_mm - x, o.y_mm - y) <= _ABOUT_MM:
            yield o, colour


def sure_colours(observer: Observer, picture: Picture) -> Iterator[tuple[Observation, str]]:
    """The balls of a picture that are surely of a colour that has a spot, wherever they lie, with it."""
    table = observer.calibration.table
    seen = observer.look(picture)
    named = assign_balls([o.colour_logp for o in seen], ball_log_odds(seen, table))
    for o, (colour, sure) in zip(seen, named, strict=True):
        if colour is not None and colour in table.spots and sure >= _SURE:
            yield o, colour


def _best_height(
    off_low: F64, off_high: F64, sigma_mm: F64, middle: float, table: TableSpec
) -> tuple[float, float]:
    """The nose height (mm) with the least robust misfit of the spots and the prior, and its sigma.

    `off_low`, `off_high` (N, 2): offsets of the colours from their spots at heights one step below and above
    `middle`. `sigma_mm` (N, 2): of the offsets, along x and along y.
    """
    heights = np.linspace(middle - _GRID_STEPS * _STEP_MM, middle + _GRID_STEPS * _STEP_MM, _GRID_POINTS)
    share = ((heights - middle + _STEP_MM) / (2 * _STEP_MM))[:, None, None]
    off = np.linalg.norm((off_low * (1 - share) + off_high * share) / sigma_mm, axis=2)
    prior = (heights - table.nose_height_mm) / table.nose_height_sigma_mm
    # Cauchy's loss: a badly placed colour is an outlier, not a wrong table
    cost = np.log1p(off**2 / 2).sum(axis=1) * 2 + prior**2
    best = int(np.argmin(cost))
    weight = np.exp(-0.5 * (cost - cost[best]))
    mean = float(np.sum(heights * weight) / weight.sum())
    sigma = float(np.sqrt(np.sum((heights - mean) ** 2 * weight) / weight.sum()))
    return float(heights[best]), max(sigma, _LEAST_SIGMA_MM)
