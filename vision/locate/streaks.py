"""Streaks: a ball that moves while the shutter is open, placed by where its streak begins and ends.

A streak is a disc drawn out along the ball's way. The network that places balls has learned discs: of a
streak of two diameters it finds the middle to a tenth of its length. What stands out from the cloth about it,
from one end to the other and as wide as a ball all the way, has its middle where the ball was in the middle
of the exposure (docs/lab/2026-12-01-packs-and-streaks.md). Across it the network is the better one, since a
ball is darker below. What is not of that shape (a ball beside it, a cue, a stripe) is left to the network.
"""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from calibration.camera import Camera
from vision.io.picture import Picture
from vision.locate.centres import frames

F64 = npt.NDArray[np.float64]

_REACH, _SIDE_PX = 6.4, 64
"""Half a window's side in radii, and its side in samples: a streak of two and a half diameters fits."""
_PITCH = 2 * _REACH / _SIDE_PX
_CLOTH_FROM = 3.2  # radii from the middle from which the window is taken for cloth
_STANDS_OUT = 8.0
"""The ball differs so many times as much from the cloth as the cloth from itself. Real and rendered streaks:
15 to 900.
"""
_OF_BALL = 0.4  # share of the ball's own difference from which a sample belongs to the streak
_LEAST_LENGTH = 1.2  # radii that a ball moves before it is a streak: shorter ones the network places as well
_WIDE = 1.7, 2.3
"""Width of a streak in radii, by its second moment: a ball's is 2. Balls beside one another are wider, a
stripe is narrower.
"""
_WAIST = 1.5
"""Least width of a streak between its ends' middles, radii: two balls that touch are narrower there."""


def place_streaks(
    picture: Picture, camera: Camera, radius_mm: float, xy_mm: F64, top_mm: float | None = None
) -> tuple[F64, F64]:
    """Places (B, 2) mm of balls detected at `xy_mm` (B, 2), those of streaks by their streaks, and how far
    each went while it was exposed (B, 2) mm, one way or the other; 0 of what shows no streak.
    """
    out, along_mm = xy_mm.copy(), np.zeros((len(xy_mm), 2))
    middle, px_from_unit, mm_from_unit = frames(camera, radius_mm, xy_mm, top_mm)
    seen = picture.windows(middle, px_from_unit, _REACH, _SIDE_PX, 0)
    for k, rgb in enumerate(seen):
        found = _streak(rgb)
        if found is not None:
            moved, along = found
            out[k] += mm_from_unit[k] @ moved
            along_mm[k] = mm_from_unit[k] @ along
    return out, along_mm


def _streak(rgb: npt.NDArray[np.float32]) -> tuple[F64, F64] | None:
    """How far along itself a streak's middle lies off the window's, (u, v) in radii, and the vector from its
    one end's middle to the other's; None where the window (3, P, P) shows none about its own middle.
    """
    cloth = np.median(rgb[:, _AROUND], axis=1)
    differs = np.abs(rgb - cloth[:, None, None]).sum(axis=0)
    ball = float(np.median(differs[_WITHIN]))
    if ball < _STANDS_OUT * float(np.median(differs[_AROUND])):
        return None
    share = np.minimum(differs / max(ball, 1e-6), 1.0)
    _, labels = cv2.connectedComponents((share > _OF_BALL).astype(np.uint8), connectivity=4)
    label = labels[_SIDE_PX // 2, _SIDE_PX // 2]
    own = labels == label
    if not label or own[[0, -1]].any() or own[:, [0, -1]].any():
        return None
    about = cv2.dilate(own.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    u, v = (float(np.average(at[about], weights=share[about])) for at in (_U, _V))
    spread, axes = np.linalg.eigh(np.cov(_U[own], _V[own]))
    length, wide = np.sqrt(np.maximum(12.0 * (spread[1] - 0.25), 0.0)), 4.0 * np.sqrt(max(spread[0], 0.0))
    if length < _LEAST_LENGTH or not _WIDE[0] < wide < _WIDE[1]:
        return None
    along = axes[:, 1]
    s = (_U - u) * along[0] + (_V - v) * along[1]
    bins = np.round(s[own] / _BIN).astype(int)
    widths = np.bincount(bins - bins.min()) * _PITCH**2 / _BIN
    between = np.abs(np.arange(len(widths)) + bins.min()) * _BIN <= 0.3 * length  # its ends are round
    if widths[between].min() < _WAIST:
        return None
    return (u * along[0] + v * along[1]) * along, length * along


_BIN = 0.4  # radii: of the width along a streak
_AT = (np.arange(_SIDE_PX) + 0.5) * _PITCH - _REACH
_V, _U = np.meshgrid(_AT, _AT, indexing="ij")
_AROUND, _WITHIN = np.hypot(_U, _V) > _CLOTH_FROM, np.hypot(_U, _V) < 0.5
