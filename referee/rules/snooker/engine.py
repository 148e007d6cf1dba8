"""The engine: a state and a fact in, a new state and a ruling out. Pure; nothing is mutated."""

from __future__ import annotations

from typing import get_args

from referee.rules.game import GameRules
from referee.rules.records import replace
from referee.rules.snooker import acts, choices, decisions, stroke
from referee.rules.snooker.facts import (
    JUDGEMENTS,
    Act,
    ActFacts,
    Choice,
    ChoiceFacts,
    Facts,
    FactsError,
    Infringement,
    RefereeFacts,
    StrokeFacts,
)
from referee.rules.snooker.on import at_table, may_call
from referee.rules.snooker.ruling import Ruling, say
from referee.rules.snooker.state import State, new_frame


def apply(state: State, facts: Facts) -> tuple[State, Ruling]:
    """Rule on one fact. Raises `FactsError` (one clear sentence) for facts that cannot be true here."""
    after, ruling = _judge(state, facts)
    return after, replace(ruling, words=say(ruling))


def _judge(state: State, facts: Facts) -> tuple[State, Ruling]:
    if state.over and not _allowed_when_over(facts):
        raise FactsError("the frame is over")
    if isinstance(facts, StrokeFacts):
        return stroke.judge(state, facts)
    if isinstance(facts, ActFacts):
        if facts.act is Act.CLAIM:
            return _claimed(state)
        return acts.judge(state, facts)
    if isinstance(facts, ChoiceFacts):
        return choices.judge(state, facts)
    if isinstance(facts, RefereeFacts):
        return decisions.judge(state, facts)
    raise FactsError(f"expected a stroke, an act, a choice or a referee's act, got {type(facts).__name__}")


def _allowed_when_over(facts: Facts) -> bool:
    """A late claim is answered even then; and a foul on the last ball may be claimed."""
    return isinstance(facts, ActFacts) and facts.act in (Act.CLAIM, Act.LATE_CLAIM)


def _claimed(state: State) -> tuple[State, Ruling]:
    """3.11(c): a foul that the referee did not call is claimed before the next stroke."""
    if state.unclaimed is None:
        return acts.judge(state, ActFacts(Act.LATE_CLAIM))
    before, facts = state.unclaimed
    return stroke.judge(before, replace(facts, called=True))


GAME: GameRules[State, Facts, Ruling] = GameRules(
    "snooker",
    "frame",
    State,
    get_args(Facts),
    new_frame,
    apply,
    tuple(i.value for i in Infringement),
    tuple(c.value for c in Choice),
    judgements=JUDGEMENTS,
    jump=Infringement.JUMP_SHOT.value,  # 3.12(a)(ix)
    calls=may_call,
    table=at_table,
)
