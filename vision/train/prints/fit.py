"""Training of the print network on rendered windows, its export and its scores."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from vision.detect.print_net import PRINTS, WINDOW_PX
from vision.train.prints.network import PrintNetwork
from vision.train.prints.windows import PrintSet
from vision.train.schedule import Descent, descend
from vision.train.stored import restored

_LEFT_OUT = -100  # the label of what is not asked about
_EARLIER = 0.4  # share of the looks in which only some balls are seen, and others are known from before
_SMOOTH = 0.02


@dataclass(frozen=True, slots=True)
class PrintFitOptions:
    """`minutes` limits the wall clock: the schedule follows whichever of epochs and time ends first. `looks`:
    how many a step takes together.
    """

    epochs: float = 30.0
    looks: int = 16
    peak_rate: float = 1.2e-3
    minutes: float = 40.0
    seed: int = 1
    threads: int = 2


def fit_prints(
    data: PrintSet,
    options: PrintFitOptions,
    say: Callable[[str], None] = print,
    start: PrintNetwork | None = None,
) -> PrintNetwork:
    """A print network trained on a set of windows, from `start` on. Deterministic for a seed as long as
    `minutes` does not cut it.
    """
    torch.manual_seed(options.seed)
    net, looks = (start or PrintNetwork()).train(), _looks_of(data)
    net.trunk.to(memory_format=torch.channels_last)  # type: ignore[call-overload]  # torch's stubs leave it out

    def loss(rng: np.random.Generator) -> Tensor:
        pick = [looks[int(k)] for k in rng.integers(0, len(looks), options.looks)]
        return _loss(net, data, pick, rng)

    steps = max(1, int(options.epochs * len(looks) / options.looks))
    plan = Descent(steps, options.minutes, options.peak_rate, 1e-2, options.seed, options.threads)
    descend(net, loss, plan, say)
    return net.eval()


def from_onnx(path: Path) -> PrintNetwork:
    """The network of a file as `export_prints` writes it. Raises UnusableInput where it is another's."""
    return restored(PrintNetwork(), path).eval()


def _looks_of(data: PrintSet) -> list[np.ndarray]:
    """The indices of the windows of each piece."""
    order = np.argsort(data.pieces, kind="stable")
    return [p for p in np.split(order, np.flatnonzero(np.diff(data.pieces[order])) + 1) if len(p)]


def _loss(net: PrintNetwork, data: PrintSet, looks: list[np.ndarray], rng: np.random.Generator) -> Tensor:
    """Cross entropy of the balls that are asked about."""
    windows, labels, known, look = [], [], [], []
    for k, balls in enumerate(looks):
        asked = balls
        if rng.random() < _EARLIER:
            asked = rng.permutation(balls)[: max(1, int(rng.integers(1, len(balls) + 1)) // 2)]
            before = balls[rng.random(len(balls)) < rng.choice([0.5, 0.9])]
            before = before[data.prints[before] != PRINTS.index("none")]
            windows.append(data.images[before, rng.integers(0, data.images.shape[1])])
            labels += [_LEFT_OUT] * len(before)
            known += [1.0] * len(before)
            look += [k] * len(before)
        windows.append(data.images[asked, rng.integers(0, data.images.shape[1])])
        labels += data.prints[asked].tolist()
        known += [0.0] * len(asked)
        look += [k] * len(asked)
    of = torch.tensor(look)
    images = torch.from_numpy(np.concatenate(windows)).permute(0, 3, 1, 2).float() / 255
    images = disturbed(images, of, len(looks), rng).contiguous(memory_format=torch.channels_last)
    # bfloat16 products: three times faster where the processor has them, the same losses
    with torch.autocast("cpu", torch.bfloat16):
        tokens = net.tokens(images)
    tokens = tokens.float()
    tokens = tokens + torch.tensor(known)[:, None] * net.earlier
    place = torch.cat([torch.arange(n) for n in torch.bincount(of, minlength=len(looks)).tolist()])
    size = (len(looks), int(place.max()) + 1)
    every = torch.zeros(*size, tokens.shape[1]).index_put((of, place), tokens)
    there = torch.zeros(size).index_put((of, place), torch.ones(len(of)))
    asked_of = torch.full(size, _LEFT_OUT).index_put((of, place), torch.tensor(labels))
    logits = net.compared(every, there)
    return functional.cross_entropy(
        logits.flatten(0, 1), asked_of.flatten(), ignore_index=_LEFT_OUT, label_smoothing=_SMOOTH
    )


def disturbed(images: Tensor, look: Tensor, looks: int, rng: np.random.Generator) -> Tensor:
    """Windows (N, 3, P, P) turned by quarters each by itself (print lies anyhow; it is never mirrored), and
    under another light and camera, one for each look (N,).
    """

    def each(values: np.ndarray) -> Tensor:
        return torch.from_numpy(values).float()[look].reshape(len(images), -1, 1, 1)

    turned = [
        torch.rot90(w, int(q), (1, 2)) for w, q in zip(images, rng.integers(0, 4, len(images)), strict=True)
    ]
    out = torch.stack(turned)
    level = np.exp(rng.normal(0, 0.22, (looks, 1)))
    tint = np.exp(rng.normal(0, 1, (looks, 3)) * rng.choice([0.03, 0.12, 0.25], (looks, 1)))
    grey = each(rng.uniform(-0.15, 0.35, (looks, 1)))
    out = out + grey * (out.mean(1, keepdim=True) - out)
    out = (out * each(level * tint)).clamp(1e-4, 1).pow(each(rng.uniform(0.7, 1.45, (looks, 1))))
    return out + torch.from_numpy(rng.normal(0, 0.01, tuple(out.shape))).float()


def export_prints(net: PrintNetwork, path: Path) -> str:
    """Write the ONNX file (inputs `image`, `known`; outputs `logits`, `tokens`); returns its sha256."""
    part = path.with_suffix(".part")
    image, known = torch.zeros(2, 3, WINDOW_PX, WINDOW_PX), torch.zeros(3, len(net.earlier))
    with warnings.catch_warnings():
        # the classic exporter writes one self-contained file and needs no further package
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net.eval(),
            (image, known),
            str(part),
            input_names=["image", "known"],
            output_names=["logits", "tokens"],
            dynamic_axes={"image": {0: "n"}, "known": {0: "k"}, "logits": {0: "n"}, "tokens": {0: "n"}},
            opset_version=17,
            dynamo=False,
            do_constant_folding=False,  # so that weights keep their names, to be trained on
        )
    part.replace(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass(frozen=True, slots=True)
class PrintScores:
    """Counts over held-out pieces, each read as a whole.

    `balls`, of which `right` are named rightly; `sure`: named with more than 0.9, of which `sure_right` are
    right; `others`: windows without a ball, of which `others_right` are recognised as such.
    """

    balls: int
    right: int
    sure: int
    sure_right: int
    others: int
    others_right: int

    def text(self) -> str:
        """One line."""
        return (
            f"{self.right} of {self.balls} balls right, {self.sure_right} of {self.sure} said with more than"
            f" 0.9; {self.others_right} of {self.others} other things are none"
        )


def score_prints(net: PrintNetwork, held_out: PrintSet) -> PrintScores:
    """How well the network does on pieces that it was not trained on."""
    none, known = PRINTS.index("none"), torch.zeros(0, len(net.earlier))
    says, true = [], []
    with torch.no_grad():
        for balls in _looks_of(held_out):
            images = torch.from_numpy(held_out.images[balls, 0]).permute(0, 3, 1, 2).float() / 255
            says.append(torch.softmax(net(images, known)[0], dim=1).numpy())
            true.append(held_out.prints[balls])
    p, t = np.concatenate(says), np.concatenate(true)
    ball, right, sure = t != none, p.argmax(axis=1) == t, p.max(axis=1) > 0.9
    return PrintScores(
        int(ball.sum()),
        int((ball & right).sum()),
        int((ball & sure).sum()),
        int((ball & sure & right).sum()),
        int((~ball).sum()),
        int((~ball & right).sum()),
    )
