"""English billiards as a camera sees it: which white is struck, cannons and hazards in their order.

Which white is whose is never guessed from its colour: the ball that is struck first in a match is the
striker's, the other one the opponent's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from calibration.table.specs import TableSpec
from referee.cases import play
from referee.cases.model import Position, Values
from referee.facts.judged import Asked
from referee.facts.seen import SeenBall, SeenPot, SeenStroke
from referee.match.games import seen_facts
from referee.match.games.eyes import Beginning, Eyes, Shot
from referee.match.games.ruling import Reading, readings
from referee.match.games.seen_facts import kind_of
from referee.match.weighing import Part
from referee.rules.game import Side

WHITES = ("white", "yellow")


class Billiards(Eyes):
    """English billiards."""

    order: Sequence[str] = ("striker", "potted", "first_contact", "cannon")

    def __init__(self, game: str) -> None:
        self.game = game

    def opens(self, layout: Sequence[SeenBall], racked: bool) -> bool:
        """The second white comes to the table after the first stroke."""
        return len(layout) < 3

    def a_plays(self, seen: SeenStroke, by: str) -> str | None:
        """A's white, from the stroke that shows it."""
        cue = played_with(seen)
        return cue if cue is None or by == "A" else WHITES[1 - WHITES.index(cue)]

    def inside(self, start: Values, beginning: Beginning) -> Position[Any, Any]:
        """Inside a game: the red in open play unless it lies on its spot, both whites where they lie."""
        there = {b.colour: b for b in beginning.layout}
        red = there.get("red")
        spot = beginning.table.spots.get("black")
        on_spot = red is not None and spot is not None and _near(red.x_mm, red.y_mm, spot)
        inside = {k: v for k, v in start.items() if k != "opening"}
        return play.begin(
            self.game,
            {
                **inside,
                "striker": beginning.striker,
                "red_at": "spot" if on_spot else [red.x_mm, red.y_mm] if red is not None else None,
                "object_white": "on_table" if len([c for c in there if c in WHITES]) == 2 else "off_table",
                "scores": dict(zip("AB", beginning.score, strict=True)),
            },
            {},
        )

    def measured(self, position: Position[Any, Any], table: TableSpec) -> Position[Any, Any]:
        """The red's spots where this table has them (1.1(f)); a pool table has none."""
        state = position.state
        if not table.spots:
            return position
        return replace(position, state=replace(state, rules=replace(state.rules, table=table)))

    def readings(self, shot: Shot) -> list[Reading]:
        """Every reading of a stroke worth pursuing."""
        return seen_facts.over_drops(shot.seen, shot.pieces, shot.fix, partial(self._with_pots, shot))

    def _with_pots(self, shot: Shot, pots: tuple[SeenPot, ...]) -> list[Reading]:
        seen, fix = shot.seen, shot.fix
        state = shot.position.state
        cue = played_with(seen) or self._own(shot, state.striker)
        fell = [kind_of(p.ball, shot.pieces) for p in pots]
        base: dict[str, Any] = {
            "type": "stroke",
            "potted": [_seen_as(b, cue) for b in fell if b != cue],
            "cue_ball": (fix.cue_ball if fix and fix.cue_ball else None)
            or ("pocketed" if cue in fell else "off_table" if cue in seen.off_table else "on_table"),
            "off_table": [_seen_as(b, cue) for b in seen.off_table if b != cue],
            "infringements": seen_facts.entered(fix),
            "end_positions": {
                "cue" if b.colour == cue else _seen_as(b.colour, cue): [b.x_mm, b.y_mm] for b in seen.after
            },
        }
        named = Part("potted", seen_facts.named_pots(pots, shot.pieces), 1.0, {})
        contacts = [
            replace(p, changes={"contacts": self._contacts(shot, cue, p.value)})
            for p in seen_facts.contacts(seen, shot.pieces, fix)
        ]
        return readings(base, [[named], self._strikers(shot, cue), contacts])

    def _own(self, shot: Shot, side: str) -> str:
        """The white that a player plays with."""
        mine = shot.a_plays or WHITES[0]
        return mine if side == "A" else WHITES[1 - WHITES.index(mine)]

    def _strikers(self, shot: Shot, cue: str) -> list[Part]:
        """Who played: the owner of the ball that was struck, who should be the one at the table."""
        turn, fix = shot.position.state.striker, shot.fix
        if fix is not None and fix.striker is not None:
            return [Part("striker", fix.striker, 1.0, {"by": fix.striker})]
        if shot.a_plays is None or self._own(shot, turn) == cue:
            return [Part("striker", turn, 1.0, {"by": turn})]
        them = "B" if turn == "A" else "A"
        wrong = {
            "by": turn,
            "infringements": [*seen_facts.entered(fix), "struck_ball_other_than_cue_ball"],
        }
        return [Part("striker", them, 0.5 + 1e-6, {"by": them}), Part("striker", turn, 0.5 - 1e-6, wrong)]

    def _contacts(self, shot: Shot, cue: str, first: str) -> list[str]:
        """What the cue-ball met, in order: balls and cushions, beginning with the first contact."""
        if first == "none":
            return []
        met: list[tuple[float, str]] = []
        for c in shot.seen.contacts:
            kinds = [kind_of(b, shot.pieces) for b in c.balls]
            if cue in kinds:
                other = kinds[1 - kinds.index(cue)]
                met.append((c.t_s or 0.0, _seen_as(other, cue)))
        met += [
            (c.t_s or 0.0, f"cushion:{_cushion(c.cushion)}")
            for c in shot.seen.cushions
            if kind_of(c.ball, shot.pieces) == cue
        ]
        words = [w for _, w in sorted(met)]
        lead = _seen_as(first, cue)
        balls = [w for w in words if not w.startswith("cushion")]
        if lead in balls:
            k = words.index(lead)
            ahead = [w for w in words[:k] if w.startswith("cushion")]
            return [*ahead, *words[k:]]
        return [lead, *words]

    def at_table(self, position: Position[Any, Any], side: Side) -> Position[Any, Any]:
        """The position with that player's turn."""
        state = position.state
        return replace(position, state=replace(state, turn=state.order.index(side)))

    def doubt(self, shot: Shot) -> str | None:
        """Whether the ball that was struck is not the one of the player whose turn it is."""
        cue = played_with(shot.seen)
        told = shot.fix is not None and shot.fix.striker is not None
        if told or cue is None or shot.a_plays is None:
            return None
        return None if self._own(shot, shot.position.state.striker) == cue else "striker"

    def question(self, name: str, by: str) -> Asked:
        """The question about an uncertain thing."""
        return Asked(
            f"billiards_{name}" if name in ("striker", "potted", "first_contact") else "what_happened"
        )


def played_with(seen: SeenStroke) -> str | None:
    """Which white was struck: the one that made the first contact, or the only one that moved."""
    best = max(seen.first_contact, key=lambda f: f.confidence, default=None)
    if best is not None and best.ball in WHITES:
        return WHITES[1 - WHITES.index(best.ball)]
    timed = sorted((c for c in seen.contacts if c.t_s is not None), key=lambda c: c.t_s or 0.0)
    for c in timed:
        other = [b for b in c.balls if b in WHITES]
        if len(other) == 1:
            return other[0]
    left = [b.colour for b in seen_facts.moved(seen) if b.colour in WHITES]
    left += [p.ball for p in seen.pots if p.ball in WHITES]
    return left[0] if len(set(left)) == 1 else None


def _seen_as(kind: str, cue: str) -> str:
    """An object ball as the rules name it: the other white is `white`."""
    return "red" if kind == "red" else "white"


def _cushion(name: str) -> str:
    return name if name in ("bottom", "top") else "side"


def _near(x_mm: float, y_mm: float, spot: tuple[float, float]) -> bool:
    return abs(x_mm - spot[0]) < 8.0 and abs(y_mm - spot[1]) < 8.0
