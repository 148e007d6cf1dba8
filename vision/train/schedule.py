"""Training step by step: the learning rate, and the descent of the networks for windows."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor, nn


def cosine(step: int, done: float, warm_up: int) -> float:
    """The share of the peak rate: a warm-up of so many steps, then a cosine to nothing; `done`: 0 to 1."""
    return min(1.0, (step + 1) / warm_up) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))) + 1e-3


@dataclass(frozen=True, slots=True)
class Descent:
    """`minutes` limits the wall clock: the schedule follows whichever of steps and time ends first."""

    steps: int
    minutes: float
    peak_rate: float
    weight_decay: float
    seed: int
    threads: int


def descend(
    net: nn.Module,
    loss_of: Callable[[np.random.Generator], Tensor],
    options: Descent,
    say: Callable[[str], None],
) -> None:
    """Train a network in place; `loss_of` draws a batch and gives its loss. Deterministic for a seed as long
    as `minutes` does not cut it.
    """
    import torch

    torch.set_num_threads(options.threads)
    rng, began = np.random.default_rng(options.seed), time.monotonic()
    optimiser = torch.optim.AdamW(net.parameters(), lr=options.peak_rate, weight_decay=options.weight_decay)
    mean = 0.0
    for step in range(options.steps):
        done = max(step / options.steps, (time.monotonic() - began) / (60 * options.minutes))
        if done >= 1:
            break
        rate = cosine(step, done, min(200, options.steps // 8 + 1))
        optimiser.param_groups[0]["lr"] = options.peak_rate * rate
        loss = loss_of(rng)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
        optimiser.step()
        mean = loss.item() if step == 0 else 0.98 * mean + 0.02 * loss.item()
        if step % 200 == 0:
            say(f"step {step} of {options.steps}, {time.monotonic() - began:.0f} s, loss {mean:.3f}")
