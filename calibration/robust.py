"""A scatter that a few outliers do not rule."""

from __future__ import annotations

from typing import overload

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]

SIGMA_OVER_MEDIAN = 1.4826
"""Sigma of a normal distribution over its median absolute deviation."""


@overload
def robust_sigma(deviations: npt.ArrayLike) -> float: ...
@overload
def robust_sigma(deviations: npt.ArrayLike, axis: int) -> F64: ...
def robust_sigma(deviations: npt.ArrayLike, axis: int | None = None) -> float | F64:
    """The sigma of a normal distribution whose deviations have this median size: of all, or along an axis."""
    found = SIGMA_OVER_MEDIAN * np.median(np.abs(deviations), axis=axis)
    return float(found) if axis is None else np.asarray(found, np.float64)
