"""Draws from a seed that all parts of this world share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Rng = np.random.Generator
T = TypeVar("T")


def one_of(rng: Rng, things: Sequence[T]) -> T:
    """One of the things, each as likely as another."""
    return things[int(rng.integers(len(things)))]
