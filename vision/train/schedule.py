"""The learning rate over a training."""

from __future__ import annotations

import math


def cosine(step: int, done: float, warm_up: int) -> float:
    """The share of the peak rate: a warm-up of so many steps, then a cosine to nothing; `done`: 0 to 1."""
    return min(1.0, (step + 1) / warm_up) * 0.5 * (1 + math.cos(math.pi * min(done, 1.0))) + 1e-3
