"""A plain picture of a carrom board under a known camera: surface with its lines, frame with its height.

Flat colours under uneven light; no program of the project draws such a board. For the search of the board.
"""

from __future__ import annotations

import math

import cv2
import numpy as np

from calibration.camera import Camera, rotation_vector
from calibration.table.board import CARROM_BOARD as BOARD
from calibration.table.board import SEATS

_FINE = 2  # the picture is drawn larger by this and reduced
_PX_PER_MM = 3.0  # of the surface's texture


def camera_above(
    size: tuple[int, int],
    focal_px: float,
    height_mm: float,
    tilt_deg: float,
    azimuth_deg: float,
    k1: float = 0.0,
) -> Camera:
    """A camera that looks at the board's middle from `height_mm` above it, leaning from the vertical."""
    tilt, azimuth = math.radians(tilt_deg), math.radians(azimuth_deg)
    out = math.tan(tilt) * height_mm
    centre = np.array([math.cos(azimuth) * out, 370.0 + math.sin(azimuth) * out, height_mm])
    ahead = np.array([0.0, 370.0, 0.0]) - centre
    ahead /= np.linalg.norm(ahead)
    right = np.cross(ahead, (0.0, 1.0, 0.0) if abs(ahead[1]) < 0.9 else (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    rotation = np.stack((right, np.cross(ahead, right), ahead))
    x, y, z = (float(v) for v in -rotation @ centre)
    w, h = size
    return Camera(
        w,
        h,
        "radial",
        focal_px,
        (w - 1) / 2 + 3,
        (h - 1) / 2 - 2,
        (k1, 0.0),
        rotation_vector(rotation),
        (x, y, z),
    )


def _texture(wood: tuple[int, int, int], ink: tuple[int, int, int], rng: np.random.Generator) -> np.ndarray:
    """The surface (N, N, 3): grain, base lines, circles, pockets; row 0 is player A's side."""
    n = round(BOARD.side_mm * _PX_PER_MM)
    grain = cv2.GaussianBlur(rng.normal(0, 1, (n // 8, n)), (0, 0), 2.5, sigmaY=18)
    grain = cv2.resize(grain / max(float(grain.std()), 1e-9), (n, n))
    image = np.clip(np.array(wood, float) * (1 + 0.03 * grain[..., None]), 0, 255).astype(np.uint8)

    def at(point: tuple[float, float]) -> tuple[int, int]:
        return tuple(round((v + BOARD.half_mm) * _PX_PER_MM * 16) for v in point)  # type: ignore[return-value]

    def circle(
        point: tuple[float, float], diameter: float, width_mm: float, colour: tuple[int, int, int]
    ) -> None:
        width = -1 if width_mm < 0 else max(1, round(width_mm * _PX_PER_MM))
        cv2.circle(image, at(point), round(diameter / 2 * _PX_PER_MM * 16), colour, width, cv2.LINE_AA, 4)

    for seat in SEATS:
        for (a, b), width in zip(BOARD.base_lines(seat), (5.5, 1.5), strict=True):
            cv2.line(image, at(a), at(b), ink, round(width * _PX_PER_MM), cv2.LINE_AA, 4)
        for place in BOARD.base_circles(seat):
            circle(place, BOARD.base_gap_mm, -1, wood)
            circle(place, BOARD.base_gap_mm, 1.0, ink)
            circle(place, 25.4, -1, (60, 60, 200))
    circle((0, 0), BOARD.outer_circle_mm, 1.0, ink)
    circle((0, 0), BOARD.centre_circle_mm, -1, (60, 60, 200))
    for place in BOARD.pockets.values():
        circle(place, BOARD.pocket_diameter_mm, -1, (12, 12, 12))
    return image


def board_picture(
    camera: Camera,
    wood: tuple[int, int, int] = (120, 180, 215),
    frame: tuple[int, int, int] = (30, 45, 70),
    floor: tuple[int, int, int] = (95, 90, 85),
    ink: tuple[int, int, int] = (40, 40, 45),
    seed: int = 0,
) -> np.ndarray:
    """The board (H, W, 3) BGR uint8 with twelve discs on it, under uneven light and noise."""
    rng = np.random.default_rng(seed)
    w, h = camera.width_px, camera.height_px
    v, u = np.mgrid[0 : h * _FINE, 0 : w * _FINE]
    px = np.column_stack(((u.ravel() + 0.5) / _FINE - 0.5, (v.ravel() + 0.5) / _FINE - 0.5))
    out = np.tile(np.array(floor, float), (len(px), 1))
    top = camera.table_from_pixels(px, BOARD.frame_height_mm) - (0.0, BOARD.half_mm)
    flat = camera.table_from_pixels(px, 0.0) - (0.0, BOARD.half_mm)
    reach_top, reach = np.abs(top).max(axis=1), np.abs(flat).max(axis=1)
    wide = BOARD.half_mm + 80.0
    out[np.minimum(reach_top, reach) < wide] = np.array(frame) * 0.8  # outer faces
    out[reach_top < wide] = frame
    inside = reach_top < BOARD.half_mm  # through the frame's opening: its inner faces, then the surface
    out[inside] = np.array(frame) * 0.7
    surface = inside & (reach < BOARD.half_mm)
    texture = _texture(wood, ink, rng)
    grid = ((flat[surface] + BOARD.half_mm) * _PX_PER_MM).astype(np.float32)
    colours = [
        cv2.remap(texture, part[None, :, :1].copy(), part[None, :, 1:].copy(), cv2.INTER_LINEAR)[0]
        for part in np.array_split(grid, 1 + len(grid) // 30000)
    ]
    out[surface] = np.concatenate(colours)
    tops = camera.table_from_pixels(px, BOARD.piece_height_mm) - (0.0, BOARD.half_mm)
    for place in rng.uniform(-330, 330, (12, 2)):
        disc = (np.abs(tops - place) < BOARD.man_radius_mm).all(axis=1)
        disc[disc] = np.hypot(*(tops[disc] - place).T) < BOARD.man_radius_mm
        out[disc & inside] = (35, 35, 35) if rng.random() < 0.5 else (150, 205, 235)
    image = out.reshape(h * _FINE, w * _FINE, 3)
    light = 1 + 0.25 * (px @ rng.normal(0, 1, 2)).reshape(h * _FINE, w * _FINE, 1) / (w + h)
    soft = cv2.GaussianBlur(image * light, (0, 0), 0.8 * _FINE)
    small = cv2.resize(soft, (w, h), interpolation=cv2.INTER_AREA)
    return np.asarray(np.clip(small + rng.normal(0, 2.0, small.shape), 0, 255), dtype=np.uint8)
