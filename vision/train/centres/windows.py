"""Windows of rendered balls for the centre network: resampled as at run time, with the shift to be found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.io.picture import Picture
from vision.locate.centres import WINDOW_PX, ring_frame, sampled
from vision.locate.outline import silhouette_mm
from vision.locate.pairs import facing
from vision.observation import BALL_CLASSES
from vision.render.patches import Shot, random_shot
from vision.render.scene import Ball, Lamp, Scene
from vision.train.shards import Share, loaded, make_shards, one_after_another

SHARD = 200
BALL_STARTS, PAIR_STARTS = 4, 4
SIZES_PX = (8.0, 34.0)  # of a ball's diameter: 17 or less at 720p, 20 to 26 at 1080p
NEAR_RADII = 0.3  # pairs with a gap below it are taught
START_SIGMAS, START_MOST = (0.02, 0.05, 0.12), 0.25
"""How far from the truth a window is centred, in radii: what the detector is off, at balls like the cloth
more; and the most that is tried.
"""
_LEAST_VISIBLE = 0.6
_RING = 48

Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class WindowSet:
    """`images` (N, P, P, 3) uint8 RGB; `shifts` (N, 2) float32, in radii."""

    images: NDArray[np.uint8]
    shifts: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.images)


@dataclass(frozen=True, slots=True)
class PairSet:
    """`images` (N, P, P, 6) uint8 RGB of both balls, each turned towards the other; `wider` (N,) float32, in
    radii.
    """

    images: NDArray[np.uint8]
    wider: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.images)


def side_lit(seed: int, scene: Scene) -> Scene:
    """In half of the scenes one or two large lights low at a side share the lighting: doors, windows, other
    tables.
    """
    rng = np.random.default_rng([seed, 2])
    if rng.random() < 0.5:
        return scene
    lamps = [replace(lamp, power=lamp.power * float(rng.uniform(0.3, 1.0))) for lamp in scene.lamps]
    mid = scene.table.length_mm / 2
    for _ in range(int(rng.integers(1, 3))):
        a, far, z = (
            float(rng.uniform(0, 2 * math.pi)),
            float(rng.uniform(1200, 6000)),
            float(rng.uniform(500, 2600)),
        )
        x, y = far * math.cos(a), mid + far * math.sin(a)
        power = float(rng.uniform(0.1, 0.9)) * (math.hypot(far, z) / z) ** 2
        half = float(rng.uniform(60, 900))
        tint = 1 + float(rng.normal(0, 0.08))
        lamps.append(
            Lamp((x, y, z), half, half, (tint, 1.0, 2 - tint), power, 0.0, False, ((-0.5, -0.5), (0.5, 0.5)))
        )
    return replace(scene, lamps=tuple(lamps))


def with_partners(seed: int, scene: Scene) -> Scene:
    """In most scenes balls get another one at a gap of 0 to 6 mm, mostly a cue-ball."""
    rng = np.random.default_rng([seed, 5])
    if rng.random() < 0.2:
        return scene
    table, balls = scene.table, list(scene.balls)
    d, w, length = table.ball_diameter_mm, table.half_width_mm, table.length_mm
    for beside in scene.balls:
        if rng.random() < 0.2 or beside.velocity != (0.0, 0.0) or beside.z_mm is not None:
            continue
        a = float(rng.uniform(0, 2 * math.pi))
        gap = float(rng.choice([0.0, rng.uniform(0, 1), rng.uniform(1, 6)], p=[0.3, 0.3, 0.4])) * d / 52.5
        x, y = beside.x_mm + (d + gap) * math.cos(a), beside.y_mm + (d + gap) * math.sin(a)
        if (
            abs(x) > w - d / 2
            or not d / 2 <= y <= length - d / 2
            or any(math.dist((x, y), (b.x_mm, b.y_mm)) < d for b in balls if b is not beside)
        ):
            continue
        colour = (
            "white" if beside.colour != "white" and rng.random() < 0.85 else str(rng.choice(BALL_CLASSES))
        )
        balls.append(Ball(colour, x, y, (0.0, 0.0), None, int(rng.integers(0, 1 << 30))))
    return replace(scene, balls=tuple(balls))


@dataclass(frozen=True, slots=True)
class RenderedPiece:
    """A rendered piece of a picture and the balls (N, 2) mm in it that are seen well and lie at rest on the
    cloth.

    `moving`: of which balls (N,) only the single windows are of use; `white`: which are cue-balls.
    """

    shot: Shot
    picture: Picture
    true_mm: NDArray[np.float64]
    moving: NDArray[np.bool_]
    white: NDArray[np.bool_]


def draw_piece(seed: int) -> RenderedPiece:
    """One random piece of a picture with near pairs in it."""
    shot = random_shot(seed, lambda scene: with_partners(seed, side_lit(seed, scene)), SIZES_PX)
    seen = [
        b
        for b, v in zip(shot.scene.balls, shot.visible, strict=True)
        if v > _LEAST_VISIBLE and b.z_mm is None
    ]
    true = np.array([(b.x_mm, b.y_mm) for b in seen], np.float64).reshape(-1, 2)
    picture = Picture.from_bgr(np.ascontiguousarray(even(shot.picture)[..., ::-1]))
    moving = np.array([b.velocity != (0.0, 0.0) for b in seen], np.bool_)
    return RenderedPiece(shot, picture, true, moving, np.array([b.colour == "white" for b in seen], np.bool_))


def ball_windows(piece: RenderedPiece, rng: Rng, starts: int) -> WindowSet:
    """The windows of all balls of a piece, each from `starts` wrong centres."""
    r, shot = piece.shot.scene.table.ball_radius_mm, piece.shot
    places = np.repeat(piece.true_mm, starts, axis=0)
    if not len(places):
        return WindowSet(np.zeros((0, WINDOW_PX, WINDOW_PX, 3), np.uint8), np.zeros((0, 2), np.float32))
    middle, frame, _ = silhouettes(shot, places + off_centre(rng, len(places)) * r)
    there, _, _ = silhouettes(shot, places)
    inside = _inside(piece, middle, frame)
    shifts = np.linalg.solve(frame, (there - middle)[..., None])[..., 0]
    return WindowSet(_bytes(piece, middle[inside], frame[inside]), np.asarray(shifts[inside], np.float32))


def pair_windows(piece: RenderedPiece, rng: Rng, starts: int) -> PairSet:
    """Both windows (N, P, P, 6) of cue-balls and balls beside them, at rest, each from `starts` wrong
    centres, and by how many radii (N,), as seen in the windows, the gap is wider than the centres started
    from.
    """
    r, still = piece.shot.scene.table.ball_radius_mm, ~piece.moving
    true, white = piece.true_mm[still], piece.white[still]
    apart = np.linalg.norm(true[:, None] - true[None], axis=2)
    which = np.argwhere(np.triu((apart < 2 * r + NEAR_RADII * r) & (white[:, None] | white[None]), 1))
    if not len(which):
        return PairSet(np.zeros((0, WINDOW_PX, WINDOW_PX, 6), np.uint8), np.zeros(0, np.float32))
    places = np.repeat(true[which], starts, axis=0)  # (N, 2, 2)
    n = len(places)
    thought = places + off_centre(rng, 2 * n).reshape(n, 2, 2) * r
    middle, frame, mm_from_unit = (
        v.reshape(n, 2, *v.shape[1:]) for v in silhouettes(piece.shot, thought.reshape(-1, 2))
    )
    frame, along_mm = facing(middle, frame, mm_from_unit)
    wider = np.linalg.norm(places[:, 1] - places[:, 0], axis=1) - np.linalg.norm(
        thought[:, 1] - thought[:, 0], axis=1
    )
    inside = _inside(piece, middle.reshape(-1, 2), frame.reshape(-1, 2, 2)).reshape(n, 2).all(axis=1)
    images = _bytes(piece, middle[inside].reshape(-1, 2), frame[inside].reshape(-1, 2, 2))
    both = (
        images.reshape(-1, 2, WINDOW_PX, WINDOW_PX, 3)
        .transpose(0, 2, 3, 1, 4)
        .reshape(-1, WINDOW_PX, WINDOW_PX, 6)
    )
    return PairSet(np.ascontiguousarray(both), np.asarray((wider / along_mm)[inside], np.float32))


def off_centre(rng: Rng, count: int) -> NDArray[np.float64]:
    """How far (N, 2), in radii, thought centres are from true ones."""
    off = rng.normal(0, 1, (count, 2)) * rng.choice(START_SIGMAS, (count, 1))
    return np.asarray(
        off * np.minimum(1.0, START_MOST / np.maximum(np.hypot(*off.T), 1e-9))[:, None], np.float64
    )


def _inside(
    piece: RenderedPiece, middle_px: NDArray[np.float64], px_from_unit: NDArray[np.float64]
) -> NDArray[np.bool_]:
    # a piece's border repeated beyond it looks like nothing that a camera shows
    reach = np.linalg.norm(px_from_unit, axis=2)
    size = np.array((piece.picture.width_px, piece.picture.height_px))
    return np.asarray(((middle_px > reach) & (middle_px < size - 1 - reach)).all(axis=1), np.bool_)


def _bytes(
    piece: RenderedPiece, middle_px: NDArray[np.float64], px_from_unit: NDArray[np.float64]
) -> NDArray[np.uint8]:
    if not len(middle_px):
        return np.zeros((0, WINDOW_PX, WINDOW_PX, 3), np.uint8)
    images = sampled(piece.picture, middle_px, px_from_unit)
    return np.asarray(np.rint(images.transpose(0, 2, 3, 1) * 255), np.uint8)


def even(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture without an odd last row or column: chroma planes have half the size."""
    return picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2]


def silhouettes(
    shot: Shot, centres_mm: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Middles (B, 2) and frames (B, 2, 2), source px, of balls' silhouettes, and table mm of a shift by
    one radius in them (B, 2, 2); the shot's pixels are an affine grid of the ball plane.
    """
    rays, r = shot.rays, shot.scene.table.ball_radius_mm
    eye = np.array(rays.origin, np.float64)
    ring = silhouette_mm(np.column_stack((centres_mm, np.full(len(centres_mm), r))), r, eye, _RING)
    s = (eye[2] - rays.z_mm) / (eye[2] - ring[..., 2])
    plane = eye[:2] + s[..., None] * (ring[..., :2] - eye[:2])
    h, w = rays.x.shape
    x, y = rays.x.astype(np.float64), rays.y.astype(np.float64)
    across = np.array([x[0, -1] - x[0, 0], y[0, -1] - y[0, 0]]) / (w - 1)
    down = np.array([x[-1, 0] - x[0, 0], y[-1, 0] - y[0, 0]]) / (h - 1)
    mm_from_px = np.stack((across, down), axis=1)
    middle, frame = ring_frame((plane - np.array([x[0, 0], y[0, 0]])) @ np.linalg.inv(mm_from_px).T)
    return middle, frame, np.asarray(mm_from_px @ frame, np.float64)


def render_windows(first: int, count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of the windows of `count` pieces with seeds from `first`: of balls and of pairs."""
    single, pairs = [], []
    for seed in range(first, first + count):
        piece, rng = draw_piece(seed), np.random.default_rng([seed, 3])
        single.append(ball_windows(piece, rng, BALL_STARTS))
        pairs.append(pair_windows(piece, rng, PAIR_STARTS))
    return {
        "images": np.concatenate([p.images for p in single]),
        "shifts": np.concatenate([p.shifts for p in single]),
        "pairs": np.concatenate([p.images for p in pairs]),
        "wider": np.concatenate([p.wider for p in pairs]),
    }


def make_windows(folder: Path, first_seed: int, pieces: int, share: Share = one_after_another) -> None:
    """Render the windows of `pieces` pieces in shards."""
    make_shards(folder, "windows", first_seed, pieces, SHARD, render_windows, share)


def load_windows(folder: Path) -> WindowSet:
    """All shards of a folder, in the order of their seeds."""
    return WindowSet(*loaded(folder, "windows", "images", "shifts"))


def load_pairs(folder: Path) -> PairSet:
    """The same of pairs."""
    return PairSet(*loaded(folder, "windows", "pairs", "wider"))
