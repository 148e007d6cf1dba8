"""From linear radiance to the image that a camera hands on: sensor, processing, exposure that breathes.

Lens blur and falling-off corners, shot and read noise under a Bayer mosaic, demosaicing, noise reduction over
space and time, sharpening, tone curve, saturation. Pure numpy and OpenCV; drawn from seeds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
Rng = np.random.Generator
_WHITE = 4095  # of a 12-bit converter


@dataclass(frozen=True, slots=True)
class Processing:
    """A camera's ways. `electrons`: full well, few for small dark sensors; `smooth`, `sharpen`: strengths;
    `held`: share of the last image that temporal noise reduction keeps; `wide`: local tone mapping;
    `flicker_hz` with `flicker`: depth of the lamps' bands; `breathe`: depth of slow exposure changes.
    """

    key: float
    balance: tuple[float, float, float]
    electrons: float
    read_electrons: float
    blur_px: float
    falloff: float
    smooth: float
    sharpen: float
    held: float
    gamma: float
    contrast: float
    saturation: float
    wide: float
    flicker_hz: float
    flicker: float
    breathe: float
    reduced: float


def draw_processing(rng: Rng, dark: bool) -> Processing:
    """A camera of a seed; `dark`: a cheap one in a dim room."""
    return Processing(
        key=float(rng.uniform(0.8, 1.5)),
        balance=(float(rng.normal(1, 0.07)), 1.0, float(rng.normal(1, 0.07))),
        electrons=float(rng.uniform(900, 2500) if dark else rng.uniform(3000, 15000)),
        read_electrons=float(rng.uniform(3, 9) if dark else rng.uniform(1.5, 4)),
        blur_px=float(rng.uniform(0.4, 1.1)),
        falloff=float(rng.uniform(0.0, 0.35)),
        smooth=float(rng.choice([0.0, 0.5, 1.0])),
        sharpen=float(rng.choice([0.0, 0.4, 0.8, 1.4])),
        held=float(rng.choice([0.0, 0.0, 0.25, 0.45])),
        gamma=float(rng.uniform(2.0, 2.4)),
        contrast=float(rng.uniform(0.0, 0.6)),
        saturation=float(rng.uniform(0.95, 1.45)),
        wide=float(rng.choice([0.0, 0.0, 0.5])),
        flicker_hz=float(rng.choice([100.0, 120.0])),
        flicker=float(rng.choice([0.0, 0.0, 0.03])),
        breathe=float(rng.choice([0.0, 0.02, 0.06])),
        reduced=float(rng.choice([1.0, 1.0, 0.75])),
    )


class Sensor:
    """A camera being run: image after image, in order. The first image sets the exposure."""

    def __init__(self, processing: Processing, seed: int) -> None:
        self._p, self._seed = processing, seed
        self._gain: F32 | None = None
        self._last: F32 | None = None
        self._count = 0

    def image(self, light: F32, t_s: float) -> U8:
        """The (H, W, 3) RGB image of linear radiance at a time."""
        p = self._p
        rng = np.random.default_rng([self._seed, self._count])
        self._count += 1
        if self._gain is None:
            self._gain = self._exposed(light)
        seen = cv2.GaussianBlur(light, (0, 0), p.blur_px) * self._gain * self._lamps(light.shape[0], t_s)
        seen = self._demosaiced(np.asarray(seen, np.float32), rng)
        seen = self._processed(seen)
        if p.held and self._last is not None:
            seen = np.asarray((1 - p.held) * seen + p.held * self._last, np.float32)
        self._last = seen
        return np.asarray(np.clip(seen * 255 + 0.5, 0, 255), np.uint8)

    def _exposed(self, light: F32) -> F32:
        """Gain (H, W, 3): mean brightness at the key, grey world half believed, corners darker."""
        p = self._p
        h, w = light.shape[:2]
        middle = light[h // 5 : -h // 5, w // 5 : -w // 5].reshape(-1, 3)
        level = float(np.mean(np.clip(middle.mean(1), 0, np.quantile(middle.mean(1), 0.98))))
        lamps = np.quantile(light.reshape(-1, 3), 0.97, axis=0)
        grey = (lamps.mean() / np.maximum(lamps, 1e-6)) ** 0.25
        y, x = np.mgrid[0:h, 0:w]
        r2 = ((x - w / 2) ** 2 + (y - h / 2) ** 2) / (w * w / 4)
        gain = 0.11 * p.key / max(level, 1e-6) * (1 - p.falloff * 0.5 * r2)
        return np.asarray(gain[..., None] * grey * np.asarray(p.balance), np.float32)

    def _lamps(self, rows: int, t_s: float) -> F32:
        """Flicker's bands over the rows (H, 1, 1), and the slow breath of automatic exposure."""
        p = self._p
        row = np.arange(rows)[:, None, None] / rows
        bands = p.flicker * np.sin(2 * math.pi * p.flicker_hz * (t_s + row * 0.015))
        return np.asarray((1 + bands) * (1 + p.breathe * math.sin(2 * math.pi * t_s / 3.7)), np.float32)

    def _demosaiced(self, seen: F32, rng: Rng) -> F32:
        """Through a Bayer mosaic with its noise and back to three colours, 0 to 1 and linear."""
        p = self._p
        h, w = seen.shape[:2]
        h2, w2 = h - h % 2, w - w % 2
        mosaic = np.empty((h2, w2), np.float32)
        for dy, dx, channel in ((0, 0, 2), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
            mosaic[dy::2, dx::2] = seen[dy:h2:2, dx:w2:2, channel]
        charge = np.clip(mosaic, 0, 1.0) * p.electrons
        noise = rng.standard_normal(charge.shape, np.float32)
        charge = charge + noise * np.sqrt(charge + p.read_electrons**2)
        raw = np.clip(charge / p.electrons * (_WHITE - 64) + 64, 0, _WHITE).astype(np.uint16)
        colour = cv2.cvtColor(raw, cv2.COLOR_BayerRG2BGR_EA if min(h2, w2) > 8 else cv2.COLOR_BayerRG2BGR)
        out: Any = (colour.astype(np.float32) - 64) / (_WHITE - 64)
        out = out[..., ::-1] if _swapped() else out
        if (h2, w2) != (h, w):
            out = cv2.copyMakeBorder(out, 0, h - h2, 0, w - w2, cv2.BORDER_REPLICATE)
        return np.asarray(np.clip(out, 0, 1), np.float32)

    def _processed(self, seen: F32) -> F32:
        p = self._p
        out = np.power(np.clip(seen, 0, 1), 1 / p.gamma)
        if p.contrast:
            curve = out * out * (3 - 2 * out)
            out = (1 - 0.5 * p.contrast) * out + 0.5 * p.contrast * curve
        if p.wide:
            local = cv2.GaussianBlur(out, (0, 0), out.shape[1] / 12)
            out = out + 0.25 * p.wide * (local.mean() - local)
        grey = out.mean(2, keepdims=True)
        out = grey + p.saturation * (out - grey)
        out = np.asarray(np.clip(out, 0, 1), np.float32)
        if p.smooth:
            out = cv2.bilateralFilter(out, 5, 0.05 + 0.05 * p.smooth, 2.0)
        if p.reduced < 1.0:
            small = cv2.resize(out, None, fx=p.reduced, fy=p.reduced, interpolation=cv2.INTER_AREA)
            out = cv2.resize(small, (out.shape[1], out.shape[0]), interpolation=cv2.INTER_CUBIC)
        if p.sharpen:
            out = out + p.sharpen * (out - cv2.GaussianBlur(out, (0, 0), 1.2))
        return np.asarray(np.clip(out, 0, 1), np.float32)


@lru_cache(maxsize=1)
def _swapped() -> bool:
    """Whether OpenCV's name of the mosaic gives blue first: its letters name the second row's pixels."""
    raw = np.zeros((16, 16), np.uint16)
    raw[1::2, 1::2] = 1000  # the red pixels of the mosaic above
    out = cv2.cvtColor(raw, cv2.COLOR_BayerRG2BGR)
    return bool(out[..., 2].mean() > out[..., 0].mean())
