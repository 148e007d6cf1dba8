"""The rendered patches that a network is trained on, and those that are held out."""

from __future__ import annotations

from pathlib import Path

from vision.train.detector.data import HELD_OUT_SEED, RENDER, PatchSet, joined, load_patches, make_patches
from vision.train.shards import Sharing
from vision.train.ship import Network


def rendered(
    network: Network, work: Path, seed: int, patches: int, scored: int, sharing: Sharing
) -> tuple[PatchSet, PatchSet]:
    """`patches` of the network's kinds to train on and `scored` others for scores only; kept in the folder
    `work` and used again.
    """
    first = 1000 + 1_000_000 * (seed % 8)
    parts: dict[int, list[PatchSet]] = {first: [], HELD_OUT_SEED: []}
    kinds = network.patch_kinds
    with sharing() as share:
        for kind in kinds:
            for first_seed, count in ((first, patches), (HELD_OUT_SEED, scored)):
                folder, each = work / f"{network.name}_{kind}_{first_seed}", count // len(kinds)
                make_patches(folder, first_seed, each, share, RENDER[kind])
                parts[first_seed].append(load_patches(folder, each))
    return joined(parts[first]), joined(parts[HELD_OUT_SEED])
