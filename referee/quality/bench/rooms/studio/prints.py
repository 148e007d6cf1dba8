"""What is printed on the balls of this world: numbers in circles, bands, spots; drawn round the whole ball.

In a ball's own axes its numbers lie at +x and -x and a band runs round the z axis. A sheet's columns are the
turn about z, its rows the angle from +z, as the tracer lays them round a sphere.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import Look
from referee.quality.bench.rooms.studio.draws import Rng, one_of

F32 = NDArray[np.float32]
_ROWS, _COLUMNS = 256, 512
_GLYPH_PX = 96
_EDGE = 0.02  # of a printed edge, on the unit sphere
_FONTS = (cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_TRIPLEX, cv2.FONT_HERSHEY_COMPLEX)


class Printer:
    """One maker's way to print a set: sizes of circles and band, letters, the colour of the white."""

    def __init__(self, rng: Rng, white: F32) -> None:
        self._white = white
        self._circle = float(rng.uniform(0.26, 0.4))  # radius over the ball's
        self._band = float(rng.uniform(0.42, 0.6))  # half its width over the radius
        self._font = one_of(rng, _FONTS)
        self._ring = bool(rng.random() < 0.3)  # a thin dark ring about the number
        self._cue_spots = int(rng.choice([0, 0, 1, 6]))
        self._spot_colour = np.asarray(one_of(rng, ((0.5, 0.02, 0.02), (0.02, 0.05, 0.35))), np.float32)

    def numbered(self, look: Look, colour: F32) -> F32:
        """The sheet (H, W, 3) of a ball with a number."""
        x, y, z = _directions()
        out = np.broadcast_to(colour, (*x.shape, 3)).astype(np.float32)
        if look.form == "stripe":
            out = _over(out, self._white, (np.abs(z) - self._band) / _EDGE + 0.5)
        far = np.sqrt(np.maximum(1 - x**2, 0))  # from the axis through the numbers
        out = _over(out, self._white, (self._circle - far) / _EDGE + 0.5)
        if self._ring:
            out = _over(out, np.full(3, 0.01, np.float32), (0.03 - np.abs(far - 0.93 * self._circle)) / _EDGE)
        ink = self._ink(look.number or 0, x, y, z)
        return _over(out, np.full(3, 0.01, np.float32), np.where(far < self._circle, ink, 0.0))

    def cue_ball(self, colour: F32) -> F32 | None:
        """The sheet of a cue-ball with spots or one mark; None for a plain one."""
        if not self._cue_spots:
            return None
        at = np.eye(3)[[0, 0, 1, 1, 2, 2]] * np.array([1, -1, 1, -1, 1, -1])[:, None]
        near = np.stack([np.tensordot(p, np.stack(_directions()), 1) for p in at[: self._cue_spots]]).max(
            axis=0
        )
        white = np.broadcast_to(colour, (*near.shape, 3)).astype(np.float32)
        return _over(white, self._spot_colour, (near - math.cos(0.2)) / (_EDGE * 0.3) + 0.5)

    def _ink(self, number: int, x: F32, y: F32, z: F32) -> F32:
        glyph = np.zeros((_GLYPH_PX, _GLYPH_PX), np.uint8)
        text, scale, thick = str(number), 2.4 if number < 10 else 1.7, 5
        (w, h), _ = cv2.getTextSize(text, self._font, scale, thick)
        at = ((_GLYPH_PX - w) // 2, (_GLYPH_PX + h) // 2)
        cv2.putText(glyph, text, at, self._font, scale, 255, thick, cv2.LINE_AA)
        if number in (6, 9):
            cv2.line(glyph, (22, _GLYPH_PX - 9), (_GLYPH_PX - 22, _GLYPH_PX - 9), 255, 5)
        to_px = _GLYPH_PX / (2 * 0.78 * self._circle)
        u = (y * np.sign(x) * to_px + _GLYPH_PX / 2).astype(np.float32)
        v = (-z * to_px + _GLYPH_PX / 2).astype(np.float32)
        ink = cv2.remap(glyph, u, v, cv2.INTER_LINEAR, borderValue=0)
        return np.asarray(ink / np.float32(255), np.float32)


def turn_at(place_mm: tuple[float, float], radius_mm: float, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """The orientation (3, 3) of a ball at a place: as far turned as it rolls between two places along x or y.

    It follows from the place alone, so that a ball lies as it came; on other ways its axis is not quite that
    of rolling. `own`: its orientation at the origin.
    """
    a, b = place_mm[0] / radius_mm, -place_mm[1] / radius_mm
    about_y = np.array([(math.cos(a), 0, math.sin(a)), (0, 1, 0), (-math.sin(a), 0, math.cos(a))])
    about_x = np.array([(1, 0, 0), (0, math.cos(b), -math.sin(b)), (0, math.sin(b), math.cos(b))])
    return np.asarray(about_y @ about_x @ own)


def any_turn(rng: Rng) -> NDArray[np.float64]:
    """A random orientation (3, 3)."""
    q, r = np.linalg.qr(rng.standard_normal((3, 3)))
    q = q * np.sign(np.diag(r))
    return np.asarray(q * np.sign(np.linalg.det(q)))


def _directions() -> tuple[F32, F32, F32]:
    theta = (np.arange(_ROWS, dtype=np.float32) + 0.5)[:, None] / _ROWS * math.pi
    phi = (np.arange(_COLUMNS, dtype=np.float32) + 0.5)[None, :] / _COLUMNS * 2 * math.pi
    x, y = np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi)
    return x, y, np.broadcast_to(np.cos(theta), x.shape).astype(np.float32)


def _over(colour: F32, paint: F32, share: NDArray[np.floating]) -> F32:
    a = np.clip(share, 0, 1)[..., None]
    return np.asarray(colour * (1 - a) + a * paint, np.float32)
