"""A stroke as seen, with other names for its balls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from calibration.table.pieces import PieceSet
from referee.facts.seen import SeenBall, SeenStroke

Names = Mapping[str, str]
"""Names as told, and what they are under a naming; who is missing is what he was told to be."""


def probability(seen: SeenStroke, ball: str | None) -> float:
    """That a ball of the stroke has the name that it is called by."""
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

    def lying(b: SeenBall) -> SeenBall:
        new = name(b.ball)
        return replace(b, ball=new, colour=pieces.kind_of.get(new, b.colour))

    return replace(
        seen,
        before=tuple(map(lying, seen.before)),
        after=tuple(map(lying, seen.after)),
        first_contact=tuple(
            replace(f, ball=None if f.ball is None else name(f.ball)) for f in seen.first_contact
        ),
        contacts=tuple(replace(c, balls=(name(c.balls[0]), name(c.balls[1]))) for c in seen.contacts),
        cushions=tuple(replace(c, ball=name(c.ball)) for c in seen.cushions),
        reached=tuple(replace(r, ball=name(r.ball)) for r in seen.reached),
        pots=tuple(replace(p, ball=name(p.ball)) for p in seen.pots),
        off_table=tuple(map(name, seen.off_table)),
        vanished=tuple(map(name, seen.vanished)),
        touching=tuple(replace(t, ball=name(t.ball)) for t in seen.touching),
        explanations=tuple(
            replace(
                e,
                first_contact=None if e.first_contact is None else name(e.first_contact),
                pots=tuple((name(ball), pocket, t_s) for ball, pocket, t_s in e.pots),
                gone=tuple(map(name, e.gone)),
                over=tuple(map(name, e.over)),
                may_have_met=tuple((None if b is None else name(b), w) for b, w in e.may_have_met),
            )
            for e in seen.explanations
        ),
    )
