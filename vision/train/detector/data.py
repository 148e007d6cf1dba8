"""Patches made beforehand in shards, and the targets and disturbances that training draws from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from vision.render.game_patches import carrom_patch, random_game_patch
from vision.render.patches import Patch, random_patch
from vision.train.shards import Render, Share, make_shards, one_after_another, shards

MAX_BALLS = 40
SHARD = 250
HELD_OUT_SEED = 9_000_000
"""Patches from this seed on are for scores only."""


@dataclass(frozen=True, slots=True)
class PatchSet:
    """`images` (N, P, P, 3) uint8 RGB, `covers` (N, P/2, P/2) uint8, `balls` (N, MAX_BALLS, 6) float32
    rows of x_px, y_px, class, visible share, way during the exposure px (x, y); nan rows are unused.
    `known` (N, P/2, P/2) uint8: 0 where nobody knows what is there; None: all is known. A class below 0 is
    not known."""

    images: NDArray[np.uint8]
    covers: NDArray[np.uint8]
    balls: NDArray[np.float32]
    known: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.images)


def render_patches(first: int, count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of `count` patches of snooker with seeds from `first`."""
    return _arrays(random_patch, first, count)


def render_game_patches(first: int, count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of `count` patches of pool, black ball and carrom with seeds from `first`."""
    return _arrays(random_game_patch, first, count)


def render_board_patches(first: int, count: int) -> dict[str, NDArray[np.generic]]:
    """The arrays of `count` patches of carrom boards with seeds from `first`."""
    return _arrays(carrom_patch, first, count)


RENDER: dict[str, Render] = {
    "snooker": render_patches,
    "games": render_game_patches,
    "boards": render_board_patches,
}
"""Kinds of patches by the names that `ship.Network.patch_kinds` has."""


def _arrays(draw: Callable[[int], Patch], first: int, count: int) -> dict[str, NDArray[np.generic]]:
    images, covers, balls = [], [], np.full((count, MAX_BALLS, 6), np.nan, np.float32)
    for k in range(count):
        patch = draw(first + k)
        images.append(patch.image)
        covers.append(patch.cover)
        rows = patch.balls[:MAX_BALLS]
        balls[k, : len(rows)] = rows
    return {"images": np.stack(images), "covers": np.stack(covers), "balls": balls}


def make_patches(
    folder: Path,
    first_seed: int,
    count: int,
    share: Share = one_after_another,
    render: Render = render_patches,
) -> None:
    """Render patches in shards of `SHARD`."""
    make_shards(folder, "patches", first_seed, count, SHARD, render, share)


def load_patches(folder: Path, limit: int | None = None) -> PatchSet:
    """All shards of a folder, at most `limit` patches."""
    parts, n = [], 0
    for path in shards(folder, "patches"):
        if limit is not None and n >= limit:
            continue
        with np.load(path) as z:
            parts.append((z["images"], z["covers"], z["balls"]))
        n += len(parts[-1][0])
    return PatchSet(*(np.concatenate([p[i] for p in parts])[:limit] for i in range(3)))


def joined(parts: Sequence[PatchSet]) -> PatchSet:
    """Several sets as one."""
    known = None
    if any(p.known is not None for p in parts):
        known = np.concatenate([np.ones_like(p.covers) if p.known is None else p.known for p in parts])
    return PatchSet(
        np.concatenate([p.images for p in parts]),
        np.concatenate([p.covers for p in parts]),
        np.concatenate([p.balls for p in parts]),
        known,
    )
