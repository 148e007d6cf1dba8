"""Exposure time from the smear of a rolling ball: its length over its speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from calibration.robust import robust_sigma
from vision.io.picture import Picture

F64 = npt.NDArray[np.float64]

_LENGTHS = np.arange(0.0, 4.01, 0.1)  # diameters: of the smear
_SHIFTS = np.arange(-0.45, 0.46, 0.15)  # diameters: of the ball along its path, for the error of the track
_ASIDE = (-0.12, 0.0, 0.12)  # diameters: across it
_ALONG_STEP, _ACROSS_STEP = 0.125, 0.1  # diameters between samples along and across the path
_ALONG = np.arange(-3.0, 3.01, _ALONG_STEP)
_ACROSS = np.arange(-0.7, 0.71, _ACROSS_STEP)
_SOFT = (0.02, 0.07, 0.12, 0.18, 0.25)  # lens blur and shading at the rim, one sigma in diameters
_GAMMA = 1.5  # from file to light: measured times are 8 % short with 2.2, 17 % long with 1.0 (docs/lab)
_LEAST_LIGHT = 2e-4  # variance that noise and the cloth's grain do not reach
_LEAST_EXPLAINED = 0.6  # share of the samples' variance that the smear must explain
_LEAST_SPEED = 0.6  # diameters an image: slower balls hardly smear
_MOST_INTERVALS = 1.2  # longest exposure over the interval between images, error included
_LEAST_BALLS = 3
_SHARED_IMAGES = 3  # neighbouring images of one ball share their errors
_SYSTEMATIC = 0.1  # share of the time that is counted as systematic error
_LEAST_SPREAD_S = 1e-4


@dataclass(frozen=True, slots=True)
class RollingBall:
    """A moving ball in one picture: centre at mid-exposure (px), velocity (px/s), diameter (px).

    `interval_s`: time to the next image.
    """

    x_px: float
    y_px: float
    vx_px_s: float
    vy_px_s: float
    diameter_px: float
    interval_s: float


@dataclass(frozen=True, slots=True)
class ExposureTime:
    """Exposure time: median and standard error (s) over `balls` smears."""

    seconds: float
    sigma_s: float
    balls: int


def smear_s(picture: Picture, ball: RollingBall) -> float | None:
    """Exposure time (s) from one ball; None when it is too slow, beside another thing or not clearly visible.

    The picture around it is modelled by the ball's disc, drawn out along the path, on an even background. The
    length that explains most of the variance, divided by the speed, is the time.
    """
    speed = float(np.hypot(ball.vx_px_s, ball.vy_px_s))
    if speed * ball.interval_s < _LEAST_SPEED * ball.diameter_px:
        return None
    along = np.array([ball.vx_px_s, ball.vy_px_s]) / speed
    u, v = (a.ravel() for a in np.meshgrid(_ALONG, _ACROSS, indexing="ij"))
    at = np.array([ball.x_px, ball.y_px]) + ball.diameter_px * (
        u[:, None] * along + v[:, None] * (-along[1], along[0])
    )
    if at.min() < 0 or at[:, 0].max() > picture.width_px - 1 or at[:, 1].max() > picture.height_px - 1:
        return None
    rgb = picture.sample_rgb(at[None, :, 0].astype(np.float32), at[None, :, 1].astype(np.float32))[0].astype(
        np.float64
    )
    # a smear averages light, not the file's values, in which a white ball on dark cloth would look too long
    light = rgb**_GAMMA
    values = light - light.mean(axis=0)
    total = float((values**2).sum())
    unit = _templates()
    explained = ((unit @ values.astype(np.float32)) ** 2).sum(axis=1) / max(total, 1e-9)
    grid = explained.reshape(len(_SOFT), len(_ASIDE), len(_LENGTHS), len(_SHIFTS)).max(axis=(0, 1, 3))
    best = int(grid.argmax())
    # the longest smear has no visible end
    if grid[best] < _LEAST_EXPLAINED or best == len(_LENGTHS) - 1 or total < _LEAST_LIGHT * len(values):
        return None
    length = _LENGTHS[best]
    if best > 0:
        left, mid, right = grid[best - 1], grid[best], grid[best + 1]
        bend = left - 2 * mid + right
        if bend < 0:
            length += 0.5 * (left - right) / bend * (_LENGTHS[1] - _LENGTHS[0])
    seconds = float(length * ball.diameter_px / speed)
    return seconds if seconds <= _MOST_INTERVALS * ball.interval_s else None


def exposure_time(smears_s: Sequence[float]) -> ExposureTime | None:
    """The exposure time from several smears (s); None with fewer than three."""
    if len(smears_s) < _LEAST_BALLS:
        return None
    middle = float(np.median(smears_s))
    spread = robust_sigma(np.array(smears_s) - middle)
    random_s = max(spread, _LEAST_SPREAD_S) / max(1.0, len(smears_s) / _SHARED_IMAGES) ** 0.5
    return ExposureTime(middle, float(np.hypot(random_s, _SYSTEMATIC * middle)), len(smears_s))


@lru_cache(maxsize=1)
def _templates() -> npt.NDArray[np.float32]:
    """Smeared soft discs (softness x aside x lengths x shifts, samples), without mean and of unit length."""
    wide = np.arange(-1.4, 1.41, _ACROSS_STEP)  # wider than the samples, so that blurring sees the ends
    middle = np.abs(wide) < 0.75
    u, v = np.meshgrid(_ALONG, wide, indexing="ij")
    sharp = [
        _drawn_out(u, v - aside, float(n), float(d)) for aside in _ASIDE for n in _LENGTHS for d in _SHIFTS
    ]
    # rows run along the path, columns across it
    rows = [
        cv2.GaussianBlur(one, (0, 0), sigmaX=soft / _ACROSS_STEP, sigmaY=soft / _ALONG_STEP)[
            :, middle
        ].ravel()
        for soft in _SOFT
        for one in sharp
    ]
    out = np.stack(rows) - np.mean(rows, axis=1, keepdims=True)
    return np.asarray(out / np.linalg.norm(out, axis=1, keepdims=True), np.float32)


def _drawn_out(u: F64, v: F64, length: float, shift: float) -> F64:
    """Share of the exposure during which a disc of diameter 1 that travels `length` along u covers (u, v)."""
    half = np.sqrt(np.maximum(0.25 - v**2, 0.0))
    start, stop, drawn = u - shift - half, u - shift + half, max(length, 0.05)
    cover = np.clip((np.minimum(stop, drawn / 2) - np.maximum(start, -drawn / 2)) / drawn, 0.0, 1.0)
    return np.asarray(np.where(half > 0, cover, 0.0), np.float64)
