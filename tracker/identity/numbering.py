"""Names for balls from their kinds: of which a set has several, they are numbered."""

from __future__ import annotations

from collections.abc import Sequence

from calibration.table.pieces import SNOOKER, PieceSet
from tracker.ball import Ball, BallState


def names_for(
    colours: Sequence[str | None], used: Sequence[str] = (), pieces: PieceSet = SNOOKER
) -> list[str | None]:
    """Names of balls of these kinds: the kind itself, or numbered from the lowest free number in the order
    given.
    """
    free = {k: [p for p in pieces.pieces_of(k) if p not in used] for k in pieces.alike}
    out: list[str | None] = []
    for c in colours:
        if c in free:
            out.append(free[c].pop(0) if free[c] else None)
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
        b.own
        for b in only.values()
        if b is not None and not b.is_alike and b.state is BallState.REST and not b.missed and not b.covered
    )


def likely_colour(
    logp: Sequence[float], balls: Sequence[Ball], pieces: PieceSet = SNOOKER
) -> tuple[str, float]:
    """The best kind that is not accounted for, and by how much it beats the next such kind.

    Where every kind is (billiards' three balls), the best of all.
    """
    taken = accounted(balls)
    order = sorted(((v, -i) for i, v in enumerate(logp) if i not in taken), reverse=True)
    order = order or sorted(((v, -i) for i, v in enumerate(logp)), reverse=True)
    margin = order[0][0] - order[1][0] if len(order) > 1 else 100.0
    return pieces.names[-order[0][1]], margin
