"""The weights of what explanations say differently."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from calibration.table.specs import PocketName
from tracker.explain.facts import facts
from tracker.explain.solver import Explanation

T = TypeVar("T", bound=Hashable)
CERTAIN = 0.999
"""A fact is certain where all explanations that say otherwise weigh less than 1 in 1,000 together."""


def weights(explanations: Sequence[Explanation], say: Callable[[Explanation], T]) -> list[tuple[T, float]]:
    """What the explanations say, with the summed weight of those that say it, best first."""
    total: dict[T, float] = {}
    for e in explanations:
        said = say(e)
        total[said] = total.get(said, 0.0) + e.weight
    return sorted(total.items(), key=lambda s: -s[1])


def first_contact_weights(explanations: Sequence[Explanation]) -> list[tuple[tuple[str, int] | None, float]]:
    """Balls that may have been met first, with their weights; None: none was hit."""
    return weights(explanations, lambda e: facts(e).first)


def pot_weights(
    explanations: Sequence[Explanation],
) -> list[tuple[tuple[tuple[str, PocketName], ...], float]]:
    """What may have been potted, with its weight."""
    return weights(explanations, lambda e: tuple(sorted((b, p) for b, p, _ in facts(e).pots)))
