"""Training of the centre network on rendered windows, and its export."""

from __future__ import annotations

import hashlib
import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from vision.centres import WINDOW_PX
from vision.train.centre_data import WindowSet, load_windows, make_windows
from vision.train.ship import write_section

_LEAST_LOG_SIGMA = -5.5  # 0.004 of a radius, 0.1 mm: nothing rendered is known better


class CentreNetwork(nn.Module):
    """Input (N, 3, 32, 32) RGB 0..1; output (N, 3): shift u, v in radii, logarithm of its sigma."""

    def __init__(self, channels: tuple[int, int, int] = (16, 24, 32)) -> None:
        super().__init__()
        a, b, c = channels
        self.trunk = nn.Sequential(
            nn.Conv2d(3, a, 3, 1, 1), nn.ReLU(), nn.Conv2d(a, a, 3, 1, 1), nn.ReLU(),
            nn.Conv2d(a, b, 3, 2, 1), nn.ReLU(), nn.Conv2d(b, b, 3, 1, 1), nn.ReLU(),
            nn.Conv2d(b, c, 3, 2, 1), nn.ReLU(), nn.Conv2d(c, c, 3, 1, 1), nn.ReLU(),
        )
        side = WINDOW_PX // 4
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(c * side * side, 64), nn.ReLU(), nn.Linear(64, 3))

    def forward(self, image: Tensor) -> Tensor:
        # exposure is nothing that a centre depends on
        mean = image.mean(dim=(2, 3), keepdim=True)
        spread = (image - mean).pow(2).mean(dim=(1, 2, 3), keepdim=True).sqrt()
        out: Tensor = self.head(self.trunk((image - mean) / (spread + 0.02)))
        # shifts are about a twentieth of a radius
        shift, log_sigma = 0.05 * out[:, :2], out[:, 2:] + math.log(0.03)
        return torch.cat((shift, log_sigma.clamp(min=_LEAST_LOG_SIGMA)), dim=1)


@dataclass(frozen=True, slots=True)
class CentreFitOptions:
    """`minutes` limits the wall clock: the schedule follows whichever of epochs and time ends first."""

    epochs: float = 12.0
    batch: int = 128
    peak_rate: float = 2e-3
    minutes: float = 20.0
    seed: int = 1
    threads: int = 2


def loss_of(out: Tensor, shift: Tensor) -> Tensor:
    """Negative log-likelihood of a two-dimensional Laplace-like density: a few hopeless windows do not rule it."""
    far = (out[:, :2] - shift).pow(2).sum(1).add(1e-8).sqrt()
    return (far / out[:, 2].exp() * math.sqrt(2) + 2 * out[:, 2]).mean()


def fit_centres(data: WindowSet, options: CentreFitOptions, say: Callable[[str], None] = print) -> CentreNetwork:
    """A network trained on a set of windows. Deterministic for a seed as long as `minutes` does not cut it."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    rng, began = np.random.default_rng(options.seed), time.monotonic()
    net = CentreNetwork()
    net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's own stubs leave it out
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.peak_rate, weight_decay=1e-3)
    steps, mean = max(1, int(options.epochs * len(data) / options.batch)), 0.0
    for step in range(steps):
        done = max(step / steps, (time.monotonic() - began) / (60 * options.minutes))
        if done >= 1:
            break
        warm = min(1.0, (step + 1) / min(200, steps // 8 + 1))
        optimiser.param_groups[0]["lr"] = options.peak_rate * (warm * 0.5 * (1 + math.cos(math.pi * done)) + 1e-3)
        images, shifts = batch_of(data, rng.integers(0, len(data), options.batch), rng)
        # bfloat16 products: three times faster where the processor has them, the same losses
        with torch.autocast("cpu", torch.bfloat16):
            out = net(images.contiguous(memory_format=torch.channels_last))
        loss = loss_of(out.float(), shifts)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        mean = loss.item() if step == 0 else 0.98 * mean + 0.02 * loss.item()
        if step % 200 == 0:
            say(f"step {step} of {steps}, {time.monotonic() - began:.0f} s, loss {mean:.3f}")
    return net.eval()


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
    n = len(images)
    gain = torch.from_numpy(rng.uniform(0.7, 1.3, (n, 1, 1, 1)) * rng.uniform(0.9, 1.1, (n, 3, 1, 1))).float()
    tone = torch.from_numpy(rng.uniform(0.8, 1.25, (n, 1, 1, 1))).float()
    return ((images * gain).clamp(1e-4, 1).pow(tone)).contiguous(), shifts


def export_centres(net: CentreNetwork, path: Path) -> str:
    """Write the ONNX file (dynamic N; input `image`, output `shift`); returns its sha256."""
    part = path.with_suffix(".part")
    with warnings.catch_warnings():
        # the classic exporter writes one self-contained file and needs no further package
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net.eval(), (torch.zeros(1, 3, WINDOW_PX, WINDOW_PX),), str(part), input_names=["image"],
            output_names=["shift"], dynamic_axes={"image": {0: "n"}, "shift": {0: "n"}}, opset_version=17, dynamo=False,
        )
    part.replace(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class CentreScores:
    """Of held-out windows, in radii: median error before and after, 95 %, share within one and two sigma per axis."""

    windows: int
    before: float
    after: float
    after_95: float
    within_one: float
    within_two: float

    def text(self) -> str:
        """One line."""
        return (
            f"{self.windows} windows: median {self.before:.4f} radii before, {self.after:.4f} after, 95 % {self.after_95:.4f};"
            f" within one sigma {100 * self.within_one:.0f} %, two {100 * self.within_two:.0f} %"
        )


def score_centres(net: CentreNetwork, held_out: WindowSet) -> CentreScores:
    """How well the network does on windows that it was not trained on."""
    with torch.no_grad():
        parts = [net(torch.from_numpy(held_out.images[k : k + 500]).permute(0, 3, 1, 2).float() / 255) for k in range(0, len(held_out), 500)]
    out = torch.cat(parts).numpy().astype(np.float64)
    off = out[:, :2] - held_out.shifts
    far, z = np.hypot(*off.T), np.abs(off) / np.exp(out[:, 2:])
    return CentreScores(
        len(held_out), float(np.median(np.hypot(*held_out.shifts.T))), float(np.median(far)), float(np.quantile(far, 0.95)),
        float((z < 1).mean()), float((z < 2).mean()),
    )  # fmt: skip


_SECTION = """[ball_centre]
file = "ball_centre.onnx"
sha256 = "{sha256}"
input = "image: float32 (N, 3, 32, 32), RGB 0..1, a ball whose thought silhouette is the unit circle, 1.6 radii to each side"
output = "shift: float32 (N, 3): u, v in radii from the thought to the true centre, logarithm of its sigma"
trained_on = "{windows} windows of balls in {pieces} rendered pieces of pictures from vision.synth, no real picture"
seed = {seed}
training_minutes = {minutes:.1f}

[ball_centre.scores]
# {s.windows} windows of rendered balls with seeds never trained on; errors in radii of a ball
before_median = {s.before:.4f}
after_median = {s.after:.4f}
after_95 = {s.after_95:.4f}
within_one_sigma = {s.within_one:.3f}
within_two_sigma = {s.within_two:.3f}
"""


@dataclass(frozen=True, slots=True)
class CentreTrainOptions:
    """`work`: folder of the rendered windows, kept and used again; `pieces`: rendered pieces of pictures."""

    out: Path
    work: Path
    pieces: int = 4000
    held_out: int = 200
    processes: int = 2
    fit: CentreFitOptions = CentreFitOptions()


HELD_OUT_SEED = 9_500_000
"""Pieces from this seed on are for scores only."""


def train_centres(options: CentreTrainOptions, say: Callable[[str], None] = print) -> CentreScores:
    """Render, train, score, write the ONNX file and its section of `manifest.toml`; returns the held-out scores."""
    began = time.monotonic()
    first = 3_000_000 + 20_000 * (options.fit.seed % 8)
    say(f"rendering {options.pieces} pieces of pictures")
    make_windows(options.work / f"windows_{first}", first, options.pieces, options.processes)
    make_windows(options.work / "windows_held_out", HELD_OUT_SEED, options.held_out, options.processes)
    data = load_windows(options.work / f"windows_{first}")
    say(f"training on {len(data)} windows")
    net = fit_centres(data, options.fit, say)
    scores = score_centres(net, load_windows(options.work / "windows_held_out"))
    say(scores.text())
    options.out.parent.mkdir(parents=True, exist_ok=True)
    sha256 = export_centres(net, options.out)
    section = _SECTION.format(
        sha256=sha256, windows=len(data), pieces=options.pieces, seed=options.fit.seed, s=scores,
        minutes=(time.monotonic() - began) / 60,
    )  # fmt: skip
    write_section(options.out.with_name("manifest.toml"), options.out.stem, section)
    return scores
