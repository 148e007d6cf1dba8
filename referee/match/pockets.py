"""Into which pocket a ball fell, where it surely fell and nobody saw where: a question of its own.

The answer changes no ruling of snooker; where a pocket is called it may change one of pool.
"""

from __future__ import annotations

from dataclasses import replace

from calibration.table.pieces import colour_of
from referee.facts.corrections import into_pocket
from referee.facts.judged import Asked, asks
from referee.facts.seen import SeenPot, SeenStroke
from referee.match.weighing import CERTAIN, Labels


def open_pocket(seen: SeenStroke) -> SeenPot | None:
    """The first ball that fell for certain, and into a pocket that is not."""
    found = [p for p in seen.pots if p.confidence >= CERTAIN and p.pocket and p.pocket_confidence < CERTAIN]
    return min(found, key=lambda p: p.order, default=None)


def pocket_asked(pot: SeenPot) -> Asked:
    """The question about it."""
    colour = colour_of(pot.ball)
    return Asked("pocket_red") if colour == "red" else asks("pocket", ball=colour)


def with_pockets(seen: SeenStroke, pot: SeenPot) -> list[tuple[Labels, SeenStroke, float]]:
    """The stroke with each pocket into which the ball may have fallen: what that answer says of all balls
    that fell, the stroke, and its weight; heaviest first.
    """
    weights = _weights(seen, pot)
    colour = colour_of(pot.ball)
    found = []
    for pocket in sorted(weights, key=lambda name: -weights[name]):
        told = replace(pot, pocket=pocket, pocket_confidence=1.0)
        pots = tuple(told if p is pot else p for p in seen.pots)
        so = tuple(
            e for e in seen.explanations if any(colour_of(b) == colour and p == pocket for b, p, _ in e.pots)
        )
        fell = ", ".join(into_pocket(colour_of(p.ball), p.pocket) for p in pots)
        said: Labels = (("potted", fell),)
        found.append((said, replace(seen, pots=pots, explanations=so), weights[pocket]))
    return found


def _weights(seen: SeenStroke, pot: SeenPot) -> dict[str, float]:
    """How likely each pocket is: the one that was seen, and the explanations' others, by their weights."""
    weights = {str(pot.pocket): pot.pocket_confidence}
    kind = colour_of(pot.ball)
    others = [
        (into, e.weight)
        for e in seen.explanations
        for ball, into, _ in e.pots
        if into and into != pot.pocket and colour_of(ball) == kind
    ]
    whole = sum(w for _, w in others)
    for into, weight in others:
        weights[into] = weights.get(into, 0.0) + weight / whole * (1.0 - pot.pocket_confidence)
    return weights


def may_be_answered(seen: SeenStroke, happened: SeenStroke) -> bool:
    """Whether what follows can answer a question about a stroke as seen by saying that this `happened`: no
    later stroke tells a pocket, and where a ball that fell lies there later it speaks against itself.
    """
    into = all(p.pocket is not None and p.pocket_confidence >= CERTAIN for p in happened.pots)
    return into and not any(p.lies_later for p in seen.pots)
