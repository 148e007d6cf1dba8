"""Names for balls from their colours: reds are numbered."""

from __future__ import annotations

from collections.abc import Sequence

from tracker.ball import Ball, BallState
from vision.detect.naming import CAPACITY, MAX_REDS
from vision.observation import BALL_CLASSES


def names_for(colours: Sequence[str | None], used: Sequence[str] = ()) -> list[str | None]:
    """Ball names: the colour itself, reds numbered from the lowest free number in the order given."""
    free = [f"red_{k}" for k in range(1, MAX_REDS + 1) if f"red_{k}" not in used]
    out: list[str | None] = []
    for c in colours:
        if c == "red":
            out.append(free.pop(0) if free else None)
        else:
            out.append(None if c in used else c)
    return out


def accounted(balls: Sequence[Ball]) -> frozenset[int]:
    """Classes (indices) of which there is one ball, and it is known to lie at rest: nothing else is that
    ball.
    """
    only: dict[str, Ball | None] = {}
    for b in balls:
        only[b.colour] = None if b.colour in only else b
    return frozenset(
        BALL_CLASSES.index(colour)
        for colour, b in only.items()
        if b is not None
        and CAPACITY[colour] == 1
        and b.state is BallState.REST
        and not b.missed
        and not b.covered
    )


def likely_colour(logp: Sequence[float], balls: Sequence[Ball]) -> tuple[str, float]:
    """The best colour that is not accounted for, and by how much it beats the next such colour."""
    taken = accounted(balls)
    order = sorted(((v, -i) for i, v in enumerate(logp) if i not in taken), reverse=True)
    margin = order[0][0] - order[1][0] if len(order) > 1 else 100.0
    return BALL_CLASSES[-order[0][1]], margin
