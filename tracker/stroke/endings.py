"""How a ball that is not seen any more ended, as most of the weight of a stroke's explanations has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from calibration.table.pieces import colour_of
from calibration.table.specs import PocketName
from tracker.ball import Ball
from tracker.events import Pot
from tracker.explain.joining import Ending as EndOfWay
from tracker.explain.posterior import Named, bounded

MOST = 0.5
"""A ball fell, or lies somewhere, where explanations in which it does weigh more than this."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a ball that is not seen any more ended. Exactly one of `pot`, `off`, `hidden` or none of them."""

    pot: Pot | None = None
    off: bool = False
    hidden: bool = False

    @property
    def vanished(self) -> bool:
        """Whether it is not known to have left the table: hidden, or out of sight for no known cause."""
        return self.pot is None and not self.off


def endings(lost: Sequence[Ball], found: Sequence[Named]) -> dict[str, Ending]:
    """The ending of each of these balls, by its name. `found`: explanations, heaviest first, with names."""
    told: dict[str, list[tuple[float, EndOfWay]]] = {b.name: [] for b in lost}
    for explanation, names in found:
        ways = (s for s in explanation.stories if s.key in names and not s.placed)
        for ball, end in _of_the_lost(lost, {names[s.key]: s.end for s in ways}).items():
            told[ball].append((explanation.weight, end))
    return {b.name: _ending(b, told[b.name]) for b in lost}


def put_back(lying: Sequence[Ball], found: Sequence[Named]) -> dict[str, Pot]:
    """The pots of balls that lie on the table, by their names: they fell, and a hand put them back before the
    tracker missed them.
    """
    told: dict[str, list[tuple[float, EndOfWay]]] = {b.name: [] for b in lying}
    for explanation, names in found:
        placed = {names.get(s.key) for s in explanation.stories if s.placed}
        for s in explanation.stories:
            if not s.placed and s.key in names and names[s.key] in placed & told.keys():
                told[names[s.key]].append((explanation.weight, s.end))
    ended = ((b.name, _ending(b, told[b.name]).pot) for b in lying)
    return {name: pot for name, pot in ended if pot is not None}


def _of_the_lost(lost: Sequence[Ball], ends: Mapping[str, EndOfWay]) -> dict[str, EndOfWay]:
    """How one explanation has the lost balls end; `ends`: of all its balls. If another of those that are
    alike fell, and is not lost, it is this one: nobody tells them apart.
    """
    names = {b.name for b in lost}
    others = [b for b, end in ends.items() if end.kind == "potted" and b not in names]
    own = {b.name: ends[b.name] for b in lost if b.name in ends}
    for ball in lost:
        alike = [b for b in others if colour_of(b) == colour_of(ball.name)]
        if alike and (ball.name not in own or own[ball.name].kind != "potted"):
            own[ball.name] = ends[alike[0]]
            others.remove(alike[0])
    return own


def _ending(ball: Ball, told: Sequence[tuple[float, EndOfWay]]) -> Ending:
    """`told`: what each explanation says of the ball, with its weight."""
    there: defaultdict[PocketName, float] = defaultdict(float)
    for weight, end in told:
        if end.kind == "potted" and end.pocket is not None:
            there[end.pocket] += weight
    if (fell := sum(there.values())) > MOST:
        pocket = max(there, key=lambda name: there[name])
        t_s = next(end.t_s for _, end in told if end.pocket == pocket)
        return Ending(Pot(ball.name, pocket, max(t_s, 0.0), bounded(fell), there[pocket] / fell))
    if sum(weight for weight, end in told if end.kind == "off") > MOST:
        return Ending(off=True)
    return Ending(hidden=ball.covered)
