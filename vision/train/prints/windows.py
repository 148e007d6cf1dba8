"""Windows of rendered numbered balls for the print network, with what is printed on each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.detect.print_net import PRINTS, WINDOW_PX, print_windows
from vision.io.picture import F32, Picture
from vision.render.game_patches import pool_shot
from vision.render.patches import Shot
from vision.train.centres.windows import even, off_centre, silhouettes
from vision.train.shards import Share, loaded, make_shards, one_after_another

SHARD = 100
_STARTS = 2
_LEAST_VISIBLE = 0.5
_MOST_WAY = 1.2  # radii that a ball goes during the exposure; in a longer streak nothing can be read
_NO_BALLS = 2  # windows of a piece that show no ball
_LEAST_ASIDE = 1.0  # radii from the nearest ball to the middle of such a window

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class PrintSet:
    """`images` (N, S, P, P, 3) uint8 RGB of each ball from S starts; `prints` (N,): indices of `PRINTS`;
    `pieces` (N,): the rendered piece of each, whose balls are of one set under one light.
    """

    images: NDArray[np.uint8]
    prints: NDArray[np.int64]
    pieces: NDArray[np.int64]


def piece_windows(seed: int) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Windows (B, S, P, P, 3) of one piece's balls and of what is none there, and their prints (B,)."""
    shot, rng = pool_shot(seed), np.random.default_rng([seed, 3])
    scene, radius = shot.scene, shot.scene.table.ball_radius_mm
    seen = [
        b
        for b, v in zip(scene.balls, shot.visible, strict=True)
        if v > _LEAST_VISIBLE
        and b.z_mm is None
        and np.hypot(*b.velocity) * shot.exposure_s < _MOST_WAY * radius
    ]
    prints = [scene.ball_looks[b.colour].number or 0 for b in seen]
    balls = np.array([(b.x_mm, b.y_mm) for b in seen], np.float64).reshape(-1, 2)
    empty = _no_balls(shot, rng)
    places = np.concatenate((balls, empty))
    if not len(places):
        return np.zeros((0, _STARTS, WINDOW_PX, WINDOW_PX, 3), np.uint8), np.zeros(0, np.int64)
    all_prints = np.array([*prints, *[PRINTS.index("none")] * len(empty)], np.int64)
    starts = np.repeat(places, _STARTS, axis=0)
    images, inside = windows_of(shot, starts + off_centre(rng, len(starts)) * radius)
    as_bytes = np.asarray(np.rint(images.transpose(0, 2, 3, 1) * 255), np.uint8)
    whole = inside.reshape(-1, _STARTS).all(axis=1)
    return as_bytes.reshape(-1, _STARTS, WINDOW_PX, WINDOW_PX, 3)[whole], all_prints[whole]


def windows_of(shot: Shot, places_mm: NDArray[np.float64]) -> tuple[F32, NDArray[np.bool_]]:
    """Windows (B, 3, P, P) of balls thought at places (B, 2), and which lie wholly in the picture (B,)."""
    middle, frame, _ = silhouettes(shot, places_mm)
    picture = Picture.from_bgr(np.ascontiguousarray(even(shot.picture)[..., ::-1]))
    reach = np.linalg.norm(frame, axis=2)
    size = np.array((picture.width_px, picture.height_px))
    inside = ((middle > reach) & (middle < size - 1 - reach)).all(axis=1)
    return print_windows(picture, middle, frame), inside


def _no_balls(shot: Shot, rng: Rng) -> NDArray[np.float64]:
    """Places (N, 2) mm in the plane of the ball centres, in sight, with no ball."""
    rays, scene = shot.rays, shot.scene
    h, w = rays.x.shape
    v, u = rng.integers(0, h, _NO_BALLS), rng.integers(0, w, _NO_BALLS)
    at = np.column_stack((rays.x[v, u], rays.y[v, u])).astype(np.float64)
    balls = np.array([(b.x_mm, b.y_mm) for b in scene.balls], np.float64).reshape(-1, 2)
    far = np.linalg.norm(at[:, None] - balls, axis=2).min(axis=1, initial=np.inf)
    return np.asarray(at[far > _LEAST_ASIDE * scene.table.ball_radius_mm], np.float64)


def render_windows(first: int, count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of `PrintSet` for `count` pieces with seeds from `first`."""
    found = [piece_windows(seed) for seed in range(first, first + count)]
    return {
        "images": np.concatenate([images for images, _ in found]),
        "prints": np.concatenate([prints for _, prints in found]),
        "pieces": np.repeat(np.arange(first, first + count), [len(prints) for _, prints in found]),
    }


def make_windows(folder: Path, first_seed: int, pieces: int, share: Share = one_after_another) -> None:
    """Render the windows of `pieces` pieces in shards."""
    make_shards(folder, "prints", first_seed, pieces, SHARD, render_windows, share)


def load_windows(folder: Path) -> PrintSet:
    """All shards of a folder, in the order of their seeds."""
    return PrintSet(*loaded(folder, "prints", "images", "prints", "pieces"))
