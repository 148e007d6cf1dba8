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

from calibration.find.spotted import Contrast, ball_places
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

    Things of a ball's size that differ from the cloth count in full, `unsure` observations (not taken for
    balls) elsewhere by the probability that they are balls, of which they come with the log-odds: marks and
    wear of a cloth are many.
    """
    _, seen = ball_places(Contrast(picture.bgr()), calibration.camera, calibration.table)
    near = _ONE_BALL_DIAMETERS * calibration.table.ball_diameter_mm
    known = [(o.x_mm, o.y_mm) for o in balls]
    weighed = ((o.x_mm, o.y_mm, 1.0 / (1.0 + math.exp(-odds))) for o, odds in unsure)
    count = 0.0
    for x, y, worth in (*((x, y, 1.0) for x, y in seen.tolist()), *weighed):
        hidden = covered is not None and covered.at(x, y)
        if hidden or _nearest_mm(known, x, y) < near:
            continue
        known.append((x, y))
        count += worth
    return round(count)


def mostly_unsure(things: int, balls: int, whole_set: int) -> bool:
    """Whether a layout leaves out more than it shows; it leaves out no more than its game's set has."""
    left_out = min(things, whole_set - balls)
    return left_out >= _LEAST_THINGS and left_out > balls


def _nearest_mm(places: Sequence[tuple[float, float]], x: float, y: float) -> float:
    if not places:
        return np.inf
    at: npt.NDArray[np.float64] = np.asarray(places, np.float64)
    return float(np.hypot(at[:, 0] - x, at[:, 1] - y).min())
