"""A ball nominated out of a foul snooker (WEPF Q): who may, as measured, and what the rules are told of it.

That there is a foul snooker a player asks and a referee rules (Q(2), Q(3)); a nomination says both. A camera
sees whether there can be one: whether both finest cuts of some ball of his own are free (P(1) to P(4)).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from referee.facts.seen import SeenBall, SeenStroke
from referee.geometry import BallAt, snookered
from referee.match.games.ruling import FIRST
from referee.match.games.seen_facts import kind_of
from referee.match.weighing import EVEN, OPEN, Part, yes_no

NONE = "none"
"""The answer that nothing was nominated."""


def possible(state: Any, layout: Sequence[SeenBall], pieces: PieceSet, table: TableSpec) -> float:
    """Weight that the player at the table is foul snookered, by where the balls lie; even where that does not
    say it: from baulk (Q(4)(b)), behind a jaw (R), beside the cue-ball's lost place.
    """
    on: Collection[str] = {"black" if b == "8" else b for b in state.balls_on(state.player)}
    at = [
        BallAt(b.ball, "white" if b.colour == pieces.cue else b.colour, b.x_mm, b.y_mm, b.sigma_mm)
        for b in layout
    ]
    cue = next((b for b in at if b.colour == "white"), None)
    targets = [b.ball for b in at if b.colour in on]
    if cue is None or state.from_baulk or not targets:
        return EVEN
    found = snookered(cue, at, targets, table)
    if any(s.cushion_nearer for s in found.sights):
        return EVEN
    return found.answer.probability


def nominations(
    contacts: Sequence[Part],
    fell: Collection[str],
    may: Collection[str],
    weight: float,
    called: str | None,
    told: str | None,
) -> list[Part]:
    """What may have been nominated. `contacts`, `fell`: what may have been met first and what fell, in the
    rules' words; `may`: what may be nominated, `called`, `told`: said to be by a call and by an answer, by
    the pieces' names; `weight`: that he was foul snookered.

    He may play a ball of his own and pot the nominated one (Q(4)(a)(ii)): either shows it.
    """
    said = told or called
    if said is not None:
        return [_nominated(said, 1.0) if said in may else _none(1.0)]
    seen = {word for c in contacts for word in c.changes["first_contact"]}.union(fell)
    shown = [b for b in may if _word(b) in seen]
    if not shown or weight < OPEN:
        return []
    each = EVEN * weight / len(shown)
    return [_none(1.0 - EVEN * weight), *(_nominated(b, each) for b in shown)]


def that_fell(
    named: Sequence[Part], seen: SeenStroke, fell: Collection[str], pieces: PieceSet, told: str | None
) -> Sequence[Part | tuple[Part, ...]]:
    """The nominations, each with whether the ball of its colour that fell was the nominated one.

    One particular ball is nominated (Q(4)(a)(i)). A number says which; of balls alike nobody hears it. The
    one met first is taken to be it: if it is not, meeting it was the foul. `fell`: the balls that fell, by
    their names; by its kind alone, where nobody knows which it was.
    """
    found: list[Part | tuple[Part, ...]] = []
    for part in named:
        if pieces.numbered and part.value not in {NONE, *fell}:
            found.append(replace(part, changes={**part.changes, "nominated_potted": False}))
            continue
        alike = [b for b in fell if kind_of(b, pieces) == part.value]
        met = [f for f in seen.first_contact if f.ball is not None and kind_of(f.ball, pieces) == part.value]
        if not alike or not met:
            found.append(part)
            continue
        whole = sum(f.confidence for f in seen.first_contact)
        other = sum(f.confidence for f in met if f.ball not in alike) / whole
        same = EVEN if part.value in alike and other else 1.0 - other
        no = {"nominated_potted": False}
        found += [(part, p) for p in yes_no("met_fell", same, {}, no, told)]
    return found


def _word(ball: str) -> str:
    return "8" if ball == "black" else ball


def _nominated(ball: str, weight: float) -> Part:
    ruled = {"type": "referee", "event": "foul_snooker_ruled"}
    return Part("foul_snooker", ball, weight, {FIRST: [ruled], "nominated": _word(ball)})


def _none(weight: float) -> Part:
    return Part("foul_snooker", NONE, weight, {})
