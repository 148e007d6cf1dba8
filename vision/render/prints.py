"""What is printed on balls: numbers in circles, stripes, spots, turned as the ball lies.

In the ball's own axes the numbers' circles lie at +x and -x and a stripe runs round the z axis. Arrays (H, W)
are the pixels of a ball; normals are unit vectors from its centre.
"""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.render.scene import Ball, BallLook, Rgb

F32 = NDArray[np.float32]
Turn = tuple[float, float, float, float, float, float, float, float, float]

_EDGE = 0.03  # width of a printed edge on the unit sphere: print and gloss blur it
_GLYPH_PX = 40
_FACES = (
    (cv2.FONT_HERSHEY_SIMPLEX, 4),
    (cv2.FONT_HERSHEY_DUPLEX, 3),
    (cv2.FONT_HERSHEY_DUPLEX, 5),
    (cv2.FONT_HERSHEY_COMPLEX, 4),
    (cv2.FONT_HERSHEY_TRIPLEX, 3),
    (cv2.FONT_HERSHEY_SIMPLEX, 6),
)
FONTS = len(_FACES)
"""Fonts that numbers may have."""
_SPOT_AXES = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)], np.float32)


def random_turn(rng: np.random.Generator) -> Turn:
    """A uniformly random orientation: the rotation matrix world-from-ball, row after row."""
    w, x, y, z = (float(v) for v in rng.standard_normal(4))
    n = math.sqrt(w * w + x * x + y * y + z * z)
    return turn_of((w / n, x / n, y / n, z / n))


def turn_of(quaternion: tuple[float, float, float, float]) -> Turn:
    """The rotation matrix world-from-ball of a unit quaternion (w, x, y, z)."""
    w, x, y, z = quaternion
    return (
        1 - 2 * (y * y + z * z),
        2 * (x * y - w * z),
        2 * (x * z + w * y),
        2 * (x * y + w * z),
        1 - 2 * (x * x + z * z),
        2 * (y * z - w * x),
        2 * (x * z - w * y),
        2 * (y * z + w * x),
        1 - 2 * (x * x + y * y),
    )


def rolled(turn: Turn, way_mm: tuple[float, float], radius_mm: float) -> Turn:
    """The orientation after rolling straight over the cloth by `way_mm` (x, y)."""
    length = math.hypot(*way_mm)
    if length == 0.0:
        return turn
    half = length / radius_mm / 2
    s = math.sin(half) / length
    step = np.array(turn_of((math.cos(half), -way_mm[1] * s, way_mm[0] * s, 0.0))).reshape(3, 3)
    out = (step @ np.array(turn).reshape(3, 3)).ravel().tolist()
    return tuple(out)


def printed(look: BallLook, ball: Ball, normal: tuple[F32, F32, F32], way_mm: tuple[float, float]) -> F32:
    """Colours (H, W, 3) of a ball with its print; `way_mm`: how far it has rolled since its orientation."""
    turn = ball.turn or random_turn(np.random.default_rng(ball.spin_seed))
    radius = ball.radius_mm or 28.0
    m = np.asarray(rolled(turn, way_mm, radius), np.float32).reshape(3, 3)
    nx, ny, nz = normal
    bx, by, bz = (nx * m[0, k] + ny * m[1, k] + nz * m[2, k] for k in range(3))
    albedo: F32 = np.broadcast_to(np.asarray(look.albedo, np.float32), (*nx.shape, 3))
    if look.band is not None:
        albedo = _mixed(albedo, look.band, (look.band_half - np.abs(bz)) / _EDGE + 0.5)
    if look.spots:
        far = np.stack([bx * a + by * b + bz * c for a, b, c in _SPOT_AXES[: look.spots]]).max(axis=0)
        albedo = _mixed(albedo, look.mark_albedo, (far - look.spot_cosine) / (_EDGE / 2) + 0.5)
    if look.number is not None:
        albedo = _numbered(albedo, look, bx, by, bz)
    return albedo


def _numbered(albedo: F32, look: BallLook, bx: F32, by: F32, bz: F32) -> F32:
    rim = math.sqrt(1 - look.circle_radius**2)
    albedo = _mixed(albedo, look.circle, (np.abs(bx) - rim) / _EDGE + 0.5)
    side = np.sign(bx)
    scale = _GLYPH_PX / (2 * 0.75 * look.circle_radius)
    u = (by * side * scale + _GLYPH_PX / 2).astype(np.float32)
    v = (-bz * scale + _GLYPH_PX / 2).astype(np.float32)
    ink = cv2.remap(_glyph(look.number or 0, look.font), u, v, cv2.INTER_LINEAR, borderValue=0.0)
    return _mixed(albedo, (0.01, 0.01, 0.01), np.where(np.abs(bx) > rim, ink, 0))


@lru_cache(maxsize=16 * FONTS)
def _glyph(number: int, font: int) -> F32:
    """A number, 1 where its ink is, (P, P); 6 and 9 are underlined."""
    face, weight = _FACES[font]
    out = np.zeros((_GLYPH_PX, _GLYPH_PX), np.uint8)
    text, scale = str(number), 1.1 if number < 10 else 0.8
    (w, h), _ = cv2.getTextSize(text, face, scale, weight)
    at = ((_GLYPH_PX - w) // 2, (_GLYPH_PX + h) // 2)
    cv2.putText(out, text, at, face, scale, 255, weight, cv2.LINE_AA)
    if number in (6, 9):
        cv2.line(out, (10, _GLYPH_PX - 5), (_GLYPH_PX - 10, _GLYPH_PX - 5), 255, 3)
    return np.asarray(out / np.float32(255), np.float32)


def _mixed(albedo: F32, colour: Rgb, share: NDArray[np.floating]) -> F32:
    a = np.clip(share, 0, 1)[..., None]
    return np.asarray(albedo + (np.asarray(colour, np.float32) - albedo) * a, np.float32)
