"""Windows of rendered balls for the centre network: resampled as at run time, with the shift to be found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.centres import WINDOW_PX, ring_frame, sampled
from vision.outline import silhouette_mm
from vision.picture import Picture
from vision.synth.patches import Shot, random_shot
from vision.synth.scene import Lamp, Scene
from vision.train.shards import make_shards, shards

SHARD = 200
START_SIGMAS, START_MOST = (0.04, 0.04, 0.12), 0.25
"""How far from the truth a window is centred, in radii: what the detector is off, at balls like the cloth more; and the most that is tried."""
_LEAST_VISIBLE = 0.6
_RING = 48


@dataclass(frozen=True, slots=True)
class WindowSet:
    """`images` (N, P, P, 3) uint8 RGB; `shifts` (N, 2) float32, in radii."""

    images: NDArray[np.uint8]
    shifts: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.images)


def side_lit(seed: int, scene: Scene) -> Scene:
    """In half of the scenes one or two large lights low at a side share the lighting: doors, windows, other tables."""
    rng = np.random.default_rng([seed, 2])
    if rng.random() < 0.5:
        return scene
    lamps = [replace(lamp, power=lamp.power * float(rng.uniform(0.3, 1.0))) for lamp in scene.lamps]
    mid = scene.table.length_mm / 2
    for _ in range(int(rng.integers(1, 3))):
        a, far, z = float(rng.uniform(0, 2 * math.pi)), float(rng.uniform(1200, 6000)), float(rng.uniform(500, 2600))
        x, y = far * math.cos(a), mid + far * math.sin(a)
        power = float(rng.uniform(0.1, 0.9)) * (math.hypot(far, z) / z) ** 2
        half = float(rng.uniform(60, 900))
        tint = 1 + float(rng.normal(0, 0.08))
        lamps.append(Lamp((x, y, z), half, half, (tint, 1.0, 2 - tint), power, 0.0, False, ((-0.5, -0.5), (0.5, 0.5))))
    return replace(scene, lamps=tuple(lamps))


def ball_windows(seed: int, starts: int = 2) -> WindowSet:
    """The windows of all balls in one random piece of a picture, each from `starts` wrong centres."""
    shot = random_shot(seed, lambda scene: side_lit(seed, scene))
    rng = np.random.default_rng([seed, 3])
    r = shot.scene.table.ball_radius_mm
    true = [(b.x_mm, b.y_mm) for b, v in zip(shot.scene.balls, shot.visible, strict=True) if v > _LEAST_VISIBLE and b.z_mm is None]
    if not true:
        return WindowSet(np.zeros((0, WINDOW_PX, WINDOW_PX, 3), np.uint8), np.zeros((0, 2), np.float32))
    places = np.repeat(np.array(true, np.float64), starts, axis=0)
    off = rng.normal(0, 1, places.shape) * rng.choice(START_SIGMAS, (len(places), 1))
    off *= np.minimum(1.0, START_MOST / np.maximum(np.hypot(*off.T), 1e-9))[:, None]
    middle, frame = _silhouettes(shot, places + off * r)
    there, _ = _silhouettes(shot, places)
    size = np.array(shot.picture.shape[1::-1])
    inside = ((middle > 0) & (middle < size - 1)).all(axis=1)
    shifts = np.linalg.solve(frame, (there - middle)[..., None])[..., 0]
    picture = Picture.from_bgr(np.ascontiguousarray(_even(shot.picture)[..., ::-1]))
    images = sampled(picture, middle[inside], frame[inside]) if inside.any() else np.zeros((0, 3, WINDOW_PX, WINDOW_PX))
    return WindowSet(
        np.asarray(np.rint(images.transpose(0, 2, 3, 1) * 255), np.uint8), np.asarray(shifts[inside], np.float32)
    )


def _even(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    # chroma planes have half the size: an odd last row or column is left out
    return picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2]


def _silhouettes(shot: Shot, centres_mm: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middles and frames, source px, of balls' silhouettes; the shot's pixels are an affine grid of the ball plane."""
    rays, r = shot.rays, shot.scene.table.ball_radius_mm
    eye = np.array(rays.origin, np.float64)
    ring = silhouette_mm(np.column_stack((centres_mm, np.full(len(centres_mm), r))), r, eye, _RING)
    s = (eye[2] - rays.z_mm) / (eye[2] - ring[..., 2])
    plane = eye[:2] + s[..., None] * (ring[..., :2] - eye[:2])
    h, w = rays.x.shape
    x, y = rays.x.astype(np.float64), rays.y.astype(np.float64)
    across = np.array([x[0, -1] - x[0, 0], y[0, -1] - y[0, 0]]) / (w - 1)
    down = np.array([x[-1, 0] - x[0, 0], y[-1, 0] - y[0, 0]]) / (h - 1)
    px_from_mm = np.linalg.inv(np.stack((across, down), axis=1))
    return ring_frame((plane - np.array([x[0, 0], y[0, 0]])) @ px_from_mm.T)


def render_windows(first: int, count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of the windows of `count` pieces with seeds from `first`."""
    parts = [ball_windows(first + k) for k in range(count)]
    return {"images": np.concatenate([p.images for p in parts]), "shifts": np.concatenate([p.shifts for p in parts])}


def make_windows(folder: Path, first_seed: int, pieces: int, processes: int = 1) -> None:
    """Render the windows of `pieces` pieces in shards, several processes at a time."""
    make_shards(folder, "windows", first_seed, pieces, SHARD, render_windows, processes)


def load_windows(folder: Path) -> WindowSet:
    """All shards of a folder, in the order of their seeds."""
    images, shifts = [], []
    for path in shards(folder, "windows"):
        with np.load(path) as z:
            images.append(z["images"])
            shifts.append(z["shifts"])
    return WindowSet(np.concatenate(images), np.concatenate(shifts))
