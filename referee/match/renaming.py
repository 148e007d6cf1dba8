"""A stroke as seen, with other names for its balls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from calibration.table.pieces import PieceSet
from referee.facts.seen import (
    SeenBall,
    SeenCushion,
    SeenExplanation,
    SeenPot,
    SeenReached,
    SeenStroke,
    SeenTouching,
)

Names = Mapping[str, str]
"""Names as recorded -> names under a naming; a ball that is not in it keeps its name."""

T = TypeVar("T", SeenCushion, SeenReached, SeenPot, SeenTouching)


def probability(seen: SeenStroke, ball: str | None) -> float:
    """Probability that a ball of the stroke has the name under which it is recorded."""
    if ball is None or not seen.namings:
        return 1.0
    return sum(n.weight for n in seen.namings if dict(n.names).get(ball, ball) == ball)


def may_be(seen: SeenStroke, ball: str) -> dict[str, float]:
    """Every name that a ball of the stroke may have, with its probability."""
    out: dict[str, float] = {}
    for n in seen.namings:
        name = dict(n.names).get(ball, ball)
        out[name] = out.get(name, 0.0) + n.weight
    return out or {ball: 1.0}


def renamed(seen: SeenStroke, names: Names, pieces: PieceSet) -> SeenStroke:
    """The stroke as it is under a naming."""
    if not names:
        return seen

    def name(ball: str) -> str:
        return names.get(ball, ball)

    def or_none(ball: str | None) -> str | None:
        return None if ball is None else name(ball)

    def each(things: Iterable[T]) -> tuple[T, ...]:
        return tuple(replace(thing, ball=name(thing.ball)) for thing in things)

    def lying(b: SeenBall) -> SeenBall:
        new = name(b.ball)
        return replace(b, ball=new, colour=pieces.kind_of.get(new, b.colour))

    def explained(e: SeenExplanation) -> SeenExplanation:
        return replace(
            e,
            first_contact=or_none(e.first_contact),
            pots=tuple((name(ball), pocket, t_s) for ball, pocket, t_s in e.pots),
            gone=tuple(map(name, e.gone)),
            over=tuple(map(name, e.over)),
            may_have_met=tuple((or_none(b), w) for b, w in e.may_have_met),
        )

    return replace(
        seen,
        before=tuple(map(lying, seen.before)),
        after=tuple(map(lying, seen.after)),
        first_contact=tuple(replace(f, ball=or_none(f.ball)) for f in seen.first_contact),
        contacts=tuple(replace(c, balls=(name(c.balls[0]), name(c.balls[1]))) for c in seen.contacts),
        cushions=each(seen.cushions),
        reached=each(seen.reached),
        pots=each(seen.pots),
        off_table=tuple(map(name, seen.off_table)),
        vanished=tuple(map(name, seen.vanished)),
        touching=each(seen.touching),
        explanations=tuple(map(explained, seen.explanations)),
    )
