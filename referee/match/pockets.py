"""Into which pocket a ball fell, where it surely fell and nobody saw where: a question of its own. It is
asked, too, where the calibration is not sure which end of the table is baulk.

The answer changes no ruling of snooker; where a pocket is called it may change one of pool.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from calibration.table.pieces import colour_of
from referee.facts.corrections import into_pocket
from referee.facts.judged import Asked, asks
from referee.facts.seen import SeenPot, SeenStroke
from referee.match.weighing import CERTAIN, LEAST_OFFERED, Labels, summed

_OPPOSITE = {"BL": "TR", "TR": "BL", "BR": "TL", "TL": "BR", "CL": "CR", "CR": "CL"}
"""The pocket that each one is where the table's ends are the other way round."""


def open_pocket(seen: SeenStroke) -> SeenPot | None:
    """The first ball that fell for certain, and into a pocket that is not."""
    found = [p for p in seen.pots if p.confidence >= CERTAIN and p.pocket and seen.pocket_share(p) < CERTAIN]
    return min(found, key=lambda p: p.order, default=None)


def pocket_asked(seen: SeenStroke, pot: SeenPot) -> tuple[Asked, ...]:
    """The question about it."""
    colour = colour_of(pot.ball)
    asked = Asked("pocket_red") if colour == "red" else asks("pocket", ball=colour)
    return (asked, Asked("other_end")) if seen.other_end else (asked,)


def with_pockets(seen: SeenStroke, pot: SeenPot) -> list[tuple[Labels, SeenStroke, float]]:
    """The stroke with each pocket into which the ball may have fallen: what that answer says of all balls
    that fell, the stroke, and its weight; heaviest first.
    """
    at = seen.pots.index(pot)
    ends = [(replace(seen, other_end=0.0), 1.0 - seen.other_end)]
    ends += [(_turned(seen), seen.other_end)] if seen.other_end else []
    told = [
        (said, so, weight * end) for one, end in ends for said, so, weight in _at_one_end(one, one.pots[at])
    ]
    weights = summed((said, weight) for said, _, weight in told)
    likeliest = {said: so for said, so, _ in sorted(told, key=lambda answer: answer[2])}
    found = [(said, so, weights[said]) for said, so in likeliest.items() if weights[said] >= LEAST_OFFERED]
    return sorted(found, key=lambda answer: -answer[2])


def _turned(seen: SeenStroke) -> SeenStroke:
    """The stroke with the table's ends the other way round."""
    pots = tuple(replace(p, pocket=p.pocket and _OPPOSITE[p.pocket]) for p in seen.pots)
    so = (replace(e, pots=tuple((b, p and _OPPOSITE[p], t) for b, p, t in e.pots)) for e in seen.explanations)
    return replace(seen, pots=pots, explanations=tuple(so), other_end=0.0)


def _at_one_end(seen: SeenStroke, pot: SeenPot) -> Iterator[tuple[Labels, SeenStroke, float]]:
    """`with_pockets` where the table's ends are known."""
    colour = colour_of(pot.ball)
    for pocket, weight in _weights(seen, pot).items():
        told = replace(pot, pocket=pocket, pocket_confidence=1.0)
        pots = tuple(told if p is pot else p for p in seen.pots)
        so = tuple(
            e for e in seen.explanations if any(colour_of(b) == colour and p == pocket for b, p, _ in e.pots)
        )
        fell = ", ".join(into_pocket(colour_of(p.ball), p.pocket) for p in pots)
        said: Labels = (("potted", fell),)
        yield said, replace(seen, pots=pots, explanations=so), weight


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
    into = all(p.pocket is not None and happened.pocket_share(p) >= CERTAIN for p in happened.pots)
    return into and not any(p.lies_later for p in seen.pots)
