"""Seamless random textures, made once for each seed, read at table coordinates."""

from __future__ import annotations

from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
SIZE = 512


@lru_cache(maxsize=8)
def tile(seed: int, octaves: int = 6, falloff: float = 0.6) -> F32:
    """A seamless (SIZE, SIZE) texture, mean 0, standard deviation 1: octaves of wrapped random values."""
    rng = np.random.default_rng(seed)
    out = np.zeros((SIZE, SIZE), np.float32)
    weight = 1.0
    for k in range(octaves):
        n = SIZE >> k
        fine = rng.standard_normal((n, n)).astype(np.float32)
        big = np.pad(fine, 4, mode="wrap")
        grown = cv2.resize(big, None, fx=1 << k, fy=1 << k, interpolation=cv2.INTER_CUBIC)
        edge = 4 << k
        out += weight * grown[edge : edge + SIZE, edge : edge + SIZE]
        weight /= falloff
    out -= out.mean()
    return np.asarray(out / out.std(), np.float32)


def sample(
    texture: F32, x_mm: F32, y_mm: F32, mm_per_texel_x: float, mm_per_texel_y: float | None = None
) -> F32:
    """The texture at every (x, y), wrapped and interpolated; arrays (H, W)."""
    step_y = mm_per_texel_x if mm_per_texel_y is None else mm_per_texel_y
    u = np.asarray(np.mod(x_mm / mm_per_texel_x, SIZE), np.float32)
    v = np.asarray(np.mod(y_mm / step_y, SIZE), np.float32)
    return np.asarray(cv2.remap(texture, u, v, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP), np.float32)
