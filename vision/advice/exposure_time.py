"""Exposure time from the smear of a rolling ball: its length over its speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
import numpy.typing as npt

from vision.io.picture import Picture

F64 = npt.NDArray[np.float64]

_LENGTHS = np.arange(0.0, 4.01, 0.1)  # of the smear, in diameters
_SHIFTS = np.arange(-0.45, 0.46, 0.15)  # of the ball along its way, in diameters: a track is not exact either
_ASIDE = (-0.12, 0.0, 0.12)  # and across it
_ALONG = np.arange(-3.0, 3.01, 0.125)  # samples along and across the way, in diameters
_ACROSS = np.arange(-0.7, 0.71, 0.1)
_SOFT = (0.02, 0.07, 0.12, 0.18, 0.25)  # lens blur and shading at the rim, one sigma in diameters
_GAMMA = 1.5  # between light and file: 2.2 came out 8 % short, 1.0 17 % long, 1.5 within 8 % (docs/lab)
_LEAST_LIGHT = 2e-4  # variance: what noise and grain of the cloth stay below
_LEAST_EXPLAINED = 0.6  # of the samples' variance
_LEAST_SPEED = 0.6  # diameters an image: slower balls hardly smear
_LEAST_BALLS = 3
_SYSTEMATIC = 0.1


@dataclass(frozen=True, slots=True)
class RollingBall:
    """A ball on its way in one picture: centre at mid exposure and velocity, px and px/s; its diameter in px;
    `interval_s`: to the next image."""

    x_px: float
    y_px: float
    vx_px_s: float
    vy_px_s: float
    diameter_px: float
    interval_s: float


@dataclass(frozen=True, slots=True)
class ExposureTime:
    """How long a picture is exposed: median and standard error over `balls` smears."""

    seconds: float
    sigma_s: float
    balls: int


def smear_s(picture: Picture, ball: RollingBall) -> float | None:
    """Exposure time (s) from one ball; None when it is too slow, beside another thing or not seen well.

    The picture around it is explained by the ball's disc drawn out by a length, of any colour, on an even
    background; the length that leaves least unexplained, over the speed, is the time.
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
    # a smear adds up in light, not in the file's numbers: a white ball's would look too long on a dark cloth
    light = rgb**_GAMMA
    values = light - light.mean(axis=0)
    total = float((values**2).sum())
    unit = _templates()
    explained = ((unit @ values.astype(np.float32)) ** 2).sum(axis=1) / max(total, 1e-9)
    grid = explained.reshape(len(_SOFT), len(_ASIDE), len(_LENGTHS), len(_SHIFTS)).max(axis=(0, 1, 3))
    best = int(grid.argmax())
    # at the longest the smear has no end; more than the interval is no exposure
    if grid[best] < _LEAST_EXPLAINED or best == len(_LENGTHS) - 1 or total < _LEAST_LIGHT * len(values):
        return None
    length = _LENGTHS[best]
    if best > 0:
        left, mid, right = grid[best - 1], grid[best], grid[best + 1]
        bend = left - 2 * mid + right
        if bend < 0:
            length += 0.5 * (left - right) / bend * (_LENGTHS[1] - _LENGTHS[0])
    seconds = float(length * ball.diameter_px / speed)
    return seconds if seconds <= 1.2 * ball.interval_s else None


def exposure_time(smears_s: Sequence[float]) -> ExposureTime | None:
    """The exposure time from several smears, a tenth of it counted as systematic; None with fewer than
    three.
    """
    if len(smears_s) < _LEAST_BALLS:
        return None
    middle = float(np.median(smears_s))
    spread = 1.4826 * float(np.median(np.abs(np.array(smears_s) - middle)))
    # neighbouring images of one ball share their errors: a third of them count
    random_s = max(spread, 1e-4) / max(1.0, len(smears_s) / 3) ** 0.5
    return ExposureTime(middle, float(np.hypot(random_s, _SYSTEMATIC * middle)), len(smears_s))


@lru_cache(maxsize=1)
def _templates() -> npt.NDArray[np.float32]:
    """Smeared soft discs (softness x aside x lengths x shifts, samples): mean taken off, scaled to unit
    length.
    """
    wide = np.arange(-1.4, 1.41, 0.1)  # farther than the samples, so that softening sees the ends
    middle = np.abs(wide) < 0.75
    u, v = np.meshgrid(_ALONG, wide, indexing="ij")
    sharp = [
        _drawn_out(u, v - aside, float(n), float(d)) for aside in _ASIDE for n in _LENGTHS for d in _SHIFTS
    ]
    # rows of the array run along the way in steps of 0.125, columns across it in steps of 0.1
    rows = [
        cv2.GaussianBlur(one, (0, 0), sigmaX=soft / 0.1, sigmaY=soft / 0.125)[:, middle].ravel()
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
