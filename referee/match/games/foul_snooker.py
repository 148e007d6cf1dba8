"""A ball nominated out of a foul snooker (WEPF Q): who may, as measured, and what the rules are told of it.

That there is a foul snooker a player asks and a referee rules (Q(2), Q(3)); a nomination says both. A camera
sees whether there can be one: whether both finest cuts of some ball of his own are free (P(1) to P(4)).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from calibration.table.pieces import PieceSet
from calibration.table.specs import TableSpec
from referee.facts.seen import SeenBall
from referee.geometry import BallAt, snookered
from referee.match.games.ruling import FIRST
from referee.match.weighing import EVEN, OPEN, Part

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


def _word(ball: str) -> str:
    return "8" if ball == "black" else ball


def _nominated(ball: str, weight: float) -> Part:
    ruled = {"type": "referee", "event": "foul_snooker_ruled"}
    return Part("foul_snooker", ball, weight, {FIRST: [ruled], "nominated": _word(ball)})


def _none(weight: float) -> Part:
    return Part("foul_snooker", NONE, weight, {})
