"""Training of the pair network, from the trunk of the centre network on."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from vision.train.centres.fit import CentreFitOptions, CentreScores, fit_network, relit
from vision.train.centres.network import CentreNetwork, PairNetwork
from vision.train.centres.windows import PairSet


def fit_pairs(
    data: PairSet, centres: CentreNetwork, options: CentreFitOptions, say: Callable[[str], None] = print
) -> PairNetwork:
    """A pair network whose trunk begins as the centre network's: an edge is an edge."""
    torch.manual_seed(options.seed)
    net = PairNetwork()
    net.trunk.load_state_dict(centres.trunk.state_dict())

    def draw(rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        return pairs_of(data, rng.integers(0, len(data), options.batch), rng)

    return fit_network(net, draw, len(data), options, say)


def pairs_of(data: PairSet, pick: np.ndarray, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Pairs mirrored at random, with the light's level and colour changed."""
    images = torch.from_numpy(data.images[pick]).permute(0, 3, 1, 2).float() / 255
    if rng.random() < 0.5:
        images = images.flip(2)  # across the line of the two balls: the gap stays
    return relit(images, rng).contiguous(), torch.from_numpy(data.wider[pick, None])


def score_pairs(net: PairNetwork, held_out: PairSet) -> CentreScores:
    """How well the network does on pairs that it was not trained on; the error is along the gap."""
    with torch.no_grad():
        parts = [
            net(torch.from_numpy(held_out.images[k : k + 500]).permute(0, 3, 1, 2).float() / 255)
            for k in range(0, len(held_out), 500)
        ]
    out = torch.cat(parts).numpy().astype(np.float64)
    off = np.abs(out[:, 0] - held_out.wider)
    z = off / np.exp(out[:, 1])
    return CentreScores(
        len(held_out),
        float(np.median(np.abs(held_out.wider))),
        float(np.median(off)),
        float(np.quantile(off, 0.95)),
        float((z < 1).mean()),
        float((z < 2).mean()),
    )
