"""Noise of a sensor laid over a developed picture: by brightness, in rows, in columns, bad pixels, flicker.

Training's noise (`sensor.develop`) is white and stays white; what real cameras add is banded as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
U8 = NDArray[np.uint8]
_SPARE_PX = 64


@dataclass(frozen=True, slots=True)
class Grain:
    """In grey levels of 255, one standard deviation. `dark`, `bright`: white noise at black and at white;
    `clumped`: 0 white, 1 blotches of 2 px; `rows`: a level for each row anew in each picture; `columns`:
    fixed;
    `bad_pixels`: share that is always bright; `flicker`: relative swing of lamps on mains, as bands when the
    shutter rolls."""

    dark: float = 1.0
    bright: float = 2.0
    clumped: float = 0.0
    rows: float = 0.0
    columns: float = 0.0
    bad_pixels: float = 0.0
    flicker: float = 0.0


class GrainMaker:
    """Lays grain over pictures of one camera (H, W, 3) uint8; the same seed gives the same sequence."""

    def __init__(self, grain: Grain, height_px: int, width_px: int, readout_s: float, seed: int) -> None:
        self.grain, self.rng = grain, np.random.default_rng(seed)
        self.shape = (height_px, width_px)
        dirt = self.rng.standard_normal((height_px + _SPARE_PX, width_px + _SPARE_PX, 3), np.float32)
        if grain.clumped > 0:
            soft = cv2.GaussianBlur(dirt, (0, 0), 0.9)
            dirt = (1 - grain.clumped) * dirt + grain.clumped * soft / soft.std()
        self.dirt: F32 = np.asarray(dirt, np.float32)
        levels = np.arange(256) / 255
        # photons: variance grows with light; after the gamma curve less than that
        self.strength = np.sqrt(grain.dark**2 + (grain.bright**2 - grain.dark**2) * levels).astype(np.float32)
        self.fixed: F32 = np.asarray(self.rng.standard_normal((1, width_px, 1)) * grain.columns, np.float32)
        self.phase = (
            np.arange(height_px, dtype=np.float32)[:, None, None]
            / height_px
            * np.float32(2 * math.pi * 100 * readout_s)
        )
        n = round(grain.bad_pixels * height_px * width_px)
        self.bad = (self.rng.integers(0, height_px, n), self.rng.integers(0, width_px, n))

    def lay(self, picture: U8, t_s: float) -> U8:
        """The picture with this moment's grain; `t_s`: mid-exposure of its middle row."""
        h, w = self.shape
        i, j = (int(v) for v in self.rng.integers(0, _SPARE_PX, 2))
        out = np.asarray(
            cv2.multiply(cv2.LUT(picture, self.strength), self.dirt[i : i + h, j : j + w]), np.float32
        )
        if self.grain.flicker > 0:
            # lamps on 50 Hz mains pulse at 100 Hz; a camera of 25 or 50 images a second drifts slowly against
            # them
            wave = np.float32(self.grain.flicker) * np.sin(self.phase + np.float32(2 * math.pi * 99.7 * t_s))
            out += picture * wave
        if self.grain.rows > 0:
            out += np.asarray(self.rng.standard_normal((h, 1, 1)) * self.grain.rows, np.float32)
        if self.grain.columns > 0:
            out += self.fixed
        if self.bad[0].size:
            out[self.bad] = 200
        return np.asarray(cv2.add(picture, out, dtype=cv2.CV_8U), np.uint8)
