"""Rendered training data in files of a few hundred seeds each: made by several processes, kept and used
again.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from functools import partial
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

_PART = ".part.npz"

Render = Callable[[int, int], dict[str, NDArray[np.generic]]]
"""(first seed, count) -> the arrays of a shard. A function of a module, so that other processes find it."""


def make_shards(
    folder: Path, stem: str, first_seed: int, count: int, size: int, render: Render, processes: int = 1
) -> None:
    """Write `STEM_SEED.npz` for every `size` seeds from `first_seed`; files that exist are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [
        (folder / f"{stem}_{first_seed + k:07d}.npz", first_seed + k, min(size, count - k))
        for k in range(0, count, size)
    ]
    if processes <= 1:
        for job in jobs:
            _make(render, job)
        return
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        for _ in pool.imap_unordered(partial(_make, render), jobs):
            pass


def shards(folder: Path, stem: str) -> list[Path]:
    """The whole shards of a folder, in the order of their seeds."""
    return [p for p in sorted(folder.glob(f"{stem}_*.npz")) if not p.name.endswith(_PART)]


def _make(render: Render, job: tuple[Path, int, int]) -> None:
    path, first, count = job
    if path.exists():
        return
    cv2.setNumThreads(1)
    part = path.with_suffix(_PART)
    np.savez(part, **render(first, count))  # type: ignore[arg-type]  # numpy takes its own options by name as well
    part.replace(path)
