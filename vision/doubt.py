"""Counts objects on the cloth that may be balls and of which the detector is not sure.

Another renderer, a phone's colours or balls that no training scene had can leave the detector without any
sure detection. A layout from such a picture looks like an empty table. What differs in colour from the cloth
about it and is as large as a ball is found without the network; it says how much the layout leaves out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from calibration.find.spotted import Contrast, ball_places, radii_px
from calibration.find.strips import FloatArray
from calibration.result import Calibration
from vision.io.picture import Picture
from vision.observation import CellMask, Observation

_ONE_BALL_DIAMETERS = 1.2
"""Things nearer together are one: a ball and its shadow, or its place by two ways. The shadow of a ball that
is seen flat shifts the middle of what differs from the cloth by up to one diameter."""
_LEAST_THINGS = 3  # fewer may be chalk and a coin


def unsure_things(
    picture: Picture,
    calibration: Calibration,
    balls: Sequence[Observation],
    unsure: Sequence[tuple[Observation, float]],
    covered: CellMask | None,
) -> int:
    """How many balls the `balls` of a layout may leave out, under no cover; an expected number, rounded.

    Things of a ball's size that differ from the cloth count by the share of the balls that differ from it no
    more than they do (with no balls to compare, in full), `unsure` observations (not taken for balls)
    elsewhere by the probability that they are balls, of which they come with the log-odds: marks and wear of
    a cloth are many.
    """
    contrast = Contrast(picture.bgr())
    _, seen = ball_places(contrast, calibration.camera, calibration.table)
    near = _ONE_BALL_DIAMETERS * calibration.table.ball_diameter_mm
    known = [(o.x_mm, o.y_mm) for o in balls]
    differ = np.sort(_differences(contrast, calibration, known))
    found = _differences(contrast, calibration, seen.tolist())
    lower = (np.searchsorted(differ, found, side="right") + 1.0) / (len(differ) + 1.0)
    spotted = ((x, y, worth) for (x, y), worth in zip(seen.tolist(), lower.tolist(), strict=True))
    weighed = ((o.x_mm, o.y_mm, 1.0 / (1.0 + math.exp(-odds))) for o, odds in unsure)
    count = 0.0
    for x, y, worth in (*spotted, *weighed):
        hidden = covered is not None and covered.at(x, y)
        if hidden or _nearest_mm(known, x, y) < near:
            continue
        known.append((x, y))
        count += worth
    return round(count)


def _differences(
    contrast: Contrast, calibration: Calibration, places: Sequence[tuple[float, float]]
) -> FloatArray:
    """How unlike the cloth each thing at `places` (N, 2), mm, is: the median (N,) over a ball's disc."""
    at = np.reshape(np.asarray(places, np.float64), (-1, 2))
    camera, table = calibration.camera, calibration.table
    px = camera.pixels_from_table(np.column_stack((at, np.full(len(at), table.ball_radius_mm))))
    radius_px = radii_px(camera, table, at)
    return np.array([_median_about(contrast.apart, x, y, r) for (x, y), r in zip(px, radius_px, strict=True)])


def _median_about(image: npt.NDArray[np.float32], x_px: float, y_px: float, radius_px: float) -> float:
    """The median over the square inside a disc, as far as it lies in the picture; 0 outside it."""
    half = max(1, round(radius_px / math.sqrt(2)))
    x, y = round(x_px), round(y_px)
    square = image[max(y - half, 0) : y + half + 1, max(x - half, 0) : x + half + 1]
    return float(np.median(square)) if square.size else 0.0


def mostly_unsure(things: int, balls: int, whole_set: int) -> bool:
    """Whether a layout leaves out more than it shows; it leaves out no more than its game's set has."""
    left_out = min(things, whole_set - balls)
    return left_out >= _LEAST_THINGS and left_out > balls


def _nearest_mm(places: Sequence[tuple[float, float]], x: float, y: float) -> float:
    if not places:
        return np.inf
    at: npt.NDArray[np.float64] = np.asarray(places, np.float64)
    return float(np.hypot(at[:, 0] - x, at[:, 1] - y).min())
