"""The true place of a nose whose shadow is as thin as the picture's blur.

The gradient's peak at a nose is pushed outwards when the dark strip inside it is only a few pixels
wide, because the strip's other edge pulls the slope the other way. Fitting both edges with their common
blur gives the place of the first one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.optimize import least_squares
from scipy.special import erf

from calibration.strips import FloatArray, Strip

REACH_PX = 8.0
_STEP_PX = 0.25

USUAL_BLUR_PX = 0.8
"""Lens, pixel and compression; keeps blur and width of a strip apart where the picture alone cannot."""


def aligned(strip: Strip, rows: npt.NDArray[np.int_], at_mm: FloatArray, direction: FloatArray, px_mm: float) -> FloatArray:
    """Median profile (M,) along `direction` of a strip's rows, shifted so that each one's edge is at 0."""
    grid = np.arange(-REACH_PX, REACH_PX + _STEP_PX / 2, _STEP_PX)
    values = strip.colour @ direction
    out = np.empty((len(rows), len(grid)))
    for n, (row, at) in enumerate(zip(rows, at_mm, strict=True)):
        out[n] = np.interp(grid * px_mm + at, strip.offset_mm, values[row], left=np.nan, right=np.nan)
    with np.errstate(all="ignore"):
        return np.asarray(np.nanmedian(out, axis=0), dtype=np.float64)


def _model(q: FloatArray, grid: FloatArray) -> FloatArray:
    """Two edges with one blur on a ground that slopes differently on both sides: see `edge_shift`."""
    first, width, blur, rise, fall, level, outer, inner = q
    scale = 1.0 / (abs(blur) * np.sqrt(2.0))
    up = 0.5 * (1 + erf((grid - first) * scale))
    down = 0.5 * (1 + erf((grid - first - width) * scale))
    ground = level + outer * np.minimum(grid - first, 0.0) + inner * np.maximum(grid - first - width, 0.0)
    return np.asarray(ground + rise * up - fall * down, dtype=np.float64)


def edge_shift(profile: FloatArray) -> float:
    """Where the first edge really is, in px inwards of the gradient's peak (at 0); 0 when it is not clear.

    `profile`: change across the edge counted positive; see `aligned`.
    """
    grid = np.arange(-REACH_PX, REACH_PX + _STEP_PX / 2, _STEP_PX)
    good = np.isfinite(profile)
    if good.sum() < 0.7 * len(grid):
        return 0.0
    grid, profile = grid[good], profile[good]
    rise = float(profile[np.abs(grid - 1.5) < 0.6].mean() - profile[np.abs(grid + 2.0) < 0.6].mean())
    if rise <= 1.0:
        return 0.0
    slope = np.gradient(profile, grid)
    inside = (grid > 1.0) & (grid < 6.5)
    width = float(grid[inside][int(np.argmin(slope[inside]))])
    if -float(slope[inside].min()) < 0.15 * float(slope.max()):
        return 0.0
    start = np.array([0.2, width, 0.8, rise * 1.3, rise, float(profile[:8].mean()), 0.0, 0.0])
    # the ground far from the nose says little about it
    weight = np.exp(-0.5 * (grid / 5.0) ** 2)
    low = [-0.1, 0.8, 0.35, 0.2 * rise, 0.0, -np.inf, -0.2 * rise, -0.2 * rise]
    high = [0.8, 9.0, 2.5, 8.0 * rise, 8.0 * rise, np.inf, 0.2 * rise, 0.2 * rise]
    fit = least_squares(lambda q: np.append((_model(q, grid) - profile) * weight, (q[2] - USUAL_BLUR_PX) / 0.2 * 0.1 * rise), np.clip(start, low, high),
                        bounds=(low, high), x_scale=[0.3, 1, 0.3, rise, rise, rise, rise * 0.1, rise * 0.1])  # fmt: skip
    error = float(np.sqrt(np.mean(fit.fun[:-1] ** 2)))
    return float(fit.x[0]) if error < 0.08 * rise else 0.0
