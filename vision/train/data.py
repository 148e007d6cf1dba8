"""Patches made beforehand in shards, and the targets and disturbances that training draws from them."""

from __future__ import annotations

import multiprocessing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

MAX_BALLS = 40
SHARD = 250
HELD_OUT_SEED = 9_000_000
"""Patches from this seed on are for scores only."""


@dataclass(frozen=True, slots=True)
class PatchSet:
    """`images` (N, P, P, 3) uint8 RGB, `covers` (N, P/2, P/2) uint8, `balls` (N, MAX_BALLS, 5) float32
    rows of x_px, y_px, class, visible share, blur px; nan rows are unused."""

    images: NDArray[np.uint8]
    covers: NDArray[np.uint8]
    balls: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.images)


def make_shard(job: tuple[str, int, int]) -> str:
    """Render `count` patches with seeds from `first` into one npz file; an existing file is kept."""
    import cv2

    from vision.synth.patches import random_patch

    folder, first, count = job
    path = Path(folder) / f"patches_{first:07d}.npz"
    if path.exists():
        return str(path)
    cv2.setNumThreads(1)
    images, covers, balls = [], [], np.full((count, MAX_BALLS, 5), np.nan, np.float32)
    for k in range(count):
        patch = random_patch(first + k)
        images.append(patch.image)
        covers.append(patch.cover)
        rows = patch.balls[:MAX_BALLS]
        balls[k, : len(rows)] = rows
    part = path.with_suffix(".part.npz")
    np.savez(part, images=np.stack(images), covers=np.stack(covers), balls=balls)
    part.replace(path)
    return str(path)


def make_patches(folder: Path, first_seed: int, count: int, processes: int = 1) -> None:
    """Render patches in shards of `SHARD`, several processes at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(str(folder), first_seed + k, min(SHARD, count - k)) for k in range(0, count, SHARD)]
    if processes <= 1:
        for job in jobs:
            make_shard(job)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for _ in pool.imap_unordered(make_shard, jobs):
            pass


def load_patches(folder: Path, limit: int | None = None) -> PatchSet:
    """All shards of a folder, at most `limit` patches."""
    parts, n = [], 0
    for path in sorted(folder.glob("patches_*.npz")):
        if path.name.endswith(".part.npz") or (limit is not None and n >= limit):
            continue
        with np.load(path) as z:
            parts.append((z["images"], z["covers"], z["balls"]))
        n += len(parts[-1][0])
    return PatchSet(*(np.concatenate([p[i] for p in parts])[:limit] for i in range(3)))
