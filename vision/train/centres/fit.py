"""Training of the centre network on rendered windows, of the pair network from it, and their export."""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor, nn

from vision.locate.centres import WINDOW_PX
from vision.train.centres.network import CentreNetwork, PairNetwork
from vision.train.centres.windows import PairSet, WindowSet
from vision.train.schedule import Descent, descend
from vision.train.stored import restored


@dataclass(frozen=True, slots=True)
class CentreFitOptions:
    """`minutes` limits the wall clock: the schedule follows whichever of epochs and time ends first."""

    epochs: float = 40.0
    batch: int = 128
    peak_rate: float = 1.5e-3
    minutes: float = 25.0
    seed: int = 1
    threads: int = 2


Batch = Callable[[np.random.Generator], tuple[Tensor, Tensor]]
"""Draws windows (N, C, P, P) and what is to be said of each (N, K)."""
Network = TypeVar("Network", bound=nn.Module)


def loss_of(out: Tensor, true: Tensor) -> Tensor:
    """Negative log-likelihood (up to a constant) of a Laplace-like density in K dimensions, `out` (N, K +
    1) and `true` (N, K): a few hopeless windows do not rule it.
    """
    k = true.shape[1]
    far = (out[:, :k] - true).pow(2).sum(1).add(1e-8).sqrt()
    return (far / out[:, k].exp() * math.sqrt(2) + k * out[:, k]).mean()


def fit_network(
    net: Network, draw: Batch, windows: int, options: CentreFitOptions, say: Callable[[str], None] = print
) -> Network:
    """The network trained on batches drawn from a set of `windows`. Deterministic for a seed as long as
    `minutes` does not cut it.
    """
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's own stubs leave it out

    def loss(rng: np.random.Generator) -> Tensor:
        images, true = draw(rng)
        # bfloat16 products: three times faster where the processor has them, the same losses
        with torch.autocast("cpu", torch.bfloat16):
            out = net(images.contiguous(memory_format=torch.channels_last))
        return loss_of(out.float(), true)

    steps = max(1, int(options.epochs * windows / options.batch))
    plan = Descent(steps, options.minutes, options.peak_rate, 1e-3, options.seed, options.threads)
    descend(net, loss, plan, say)
    return net.eval()


def fit_centres(
    data: WindowSet,
    options: CentreFitOptions,
    say: Callable[[str], None] = print,
    start: Path | None = None,
) -> CentreNetwork:
    """A centre network trained on a set of windows, from the ONNX file `start` on or from nothing."""
    torch.manual_seed(options.seed)
    net = CentreNetwork()

    def draw(rng: np.random.Generator) -> tuple[Tensor, Tensor]:
        return batch_of(data, rng.integers(0, len(data), options.batch), rng)

    return fit_network(net if start is None else restored(net, start), draw, len(data), options, say)


def batch_of(data: WindowSet, pick: np.ndarray, rng: np.random.Generator) -> tuple[Tensor, Tensor]:
    """Windows turned and mirrored at random, with the light's level and colour changed."""
    images = torch.from_numpy(data.images[pick]).permute(0, 3, 1, 2).float() / 255
    shifts = torch.from_numpy(data.shifts[pick]).clone()
    if rng.random() < 0.5:
        images, shifts = images.flip(3), shifts * torch.tensor([-1.0, 1.0])
    if rng.random() < 0.5:
        images, shifts = images.flip(2), shifts * torch.tensor([1.0, -1.0])
    if rng.random() < 0.5:
        images, shifts = images.transpose(2, 3), shifts.flip(1)
    return relit(images, rng).contiguous(), shifts


def relit(images: Tensor, rng: np.random.Generator) -> Tensor:
    """Windows (N, 3 or 6, P, P) under light of another level, colour and tone, the same for both windows of a
    pair.
    """
    n, halves = len(images), images.shape[1] // 3
    gain = rng.uniform(0.7, 1.3, (n, 1, 1, 1)) * np.tile(
        rng.uniform(0.9, 1.1, (n, 3, 1, 1)), (1, halves, 1, 1)
    )
    tone = rng.uniform(0.8, 1.25, (n, 1, 1, 1))
    return (images * torch.from_numpy(gain).float()).clamp(1e-4, 1).pow(torch.from_numpy(tone).float())


def export_windows(net: nn.Module, path: Path, channels: int, answer: str) -> str:
    """Write the ONNX file (dynamic N; input `image`, output of the given name); returns its sha256."""
    part = path.with_suffix(".part")
    with warnings.catch_warnings():
        # the classic exporter writes one self-contained file and needs no further package
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net.eval(),
            (torch.zeros(1, channels, WINDOW_PX, WINDOW_PX),),
            str(part),
            input_names=["image"],
            output_names=[answer],
            dynamic_axes={"image": {0: "n"}, answer: {0: "n"}},
            opset_version=17,
            dynamo=False,
        )
    part.replace(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class CentreScores:
    """Of held-out windows, in radii: median error before and after, 95 %, share within one and two sigma per
    axis.
    """

    windows: int
    before: float
    after: float
    after_95: float
    within_one: float
    within_two: float

    def text(self) -> str:
        """One line."""
        return (
            f"{self.windows} windows: median {self.before:.4f} radii before, {self.after:.4f} after, 95 %"
            f" {self.after_95:.4f}; within one sigma {100 * self.within_one:.0f} %, two"
            f" {100 * self.within_two:.0f} %"
        )


def _answers(net: CentreNetwork | PairNetwork, held_out: WindowSet | PairSet) -> np.ndarray:
    """What a network says of every window, 500 at a time."""
    with torch.no_grad():
        parts = [
            net(torch.from_numpy(held_out.images[k : k + 500]).permute(0, 3, 1, 2).float() / 255)
            for k in range(0, len(held_out), 500)
        ]
    return torch.cat(parts).numpy().astype(np.float64)


def score_centres(net: CentreNetwork, held_out: WindowSet) -> CentreScores:
    """How well the network does on windows that it was not trained on."""
    out = _answers(net, held_out)
    off = out[:, :2] - held_out.shifts
    far, z = np.hypot(*off.T), np.abs(off) / np.exp(out[:, 2:])
    return CentreScores(
        len(held_out),
        float(np.median(np.hypot(*held_out.shifts.T))),
        float(np.median(far)),
        float(np.quantile(far, 0.95)),
        float((z < 1).mean()),
        float((z < 2).mean()),
    )


def fit_pairs(
    data: PairSet,
    centres: CentreNetwork,
    options: CentreFitOptions,
    say: Callable[[str], None] = print,
    start: Path | None = None,
) -> PairNetwork:
    """A pair network, from the ONNX file `start` on, or with a trunk that begins as the centre network's: an
    edge is an edge.
    """
    torch.manual_seed(options.seed)
    net = PairNetwork()
    if start is None:
        net.trunk.load_state_dict(centres.trunk.state_dict())
    else:
        restored(net, start)

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
    out = _answers(net, held_out)
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
