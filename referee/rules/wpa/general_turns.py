"""What every WPA game does alike with a fact: hand it on, count wheelchair offences, word the ruling.

What a foul, a stalemate or a choice costs stays with the game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, replace
from typing import Any, ClassVar, Protocol, TypeVar

from referee.rules.common.pool import (
    Choice,
    ClauseEnum,
    Event,
    FactsError,
    PoolShot,
    RefereeAct,
    Side,
    index,
    other,
    with_side,
)
from referee.rules.wpa.general import InHand, WpaRuling
from referee.rules.wpa.general_acts import GeneralAct, classify_event, classify_referee


class RackState(Protocol):
    """What the state of every game holds."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def shooter(self) -> Side: ...
    @property
    def winner(self) -> Side | None: ...
    @property
    def chooser(self) -> Side | None: ...
    @property
    def options(self) -> tuple[str, ...]: ...
    @property
    def in_hand(self) -> InHand | None: ...
    @property
    def wheelchair_offences(self) -> tuple[int, int]: ...


AnyState = TypeVar("AnyState", bound=RackState)
AnyRuling = TypeVar("AnyRuling", bound=WpaRuling)
AnyShot = TypeVar("AnyShot", bound=PoolShot)


def play_fact(
    state: AnyState,
    fact: AnyShot | Event | Choice | RefereeAct,
    *,
    choose: Callable[[AnyState, Choice], tuple[AnyState, AnyRuling]],
    shoot: Callable[[AnyState, AnyShot], tuple[AnyState, AnyRuling]],
    act: Callable[[AnyState, GeneralAct], tuple[AnyState, AnyRuling]],
    referee: Callable[[AnyState, RefereeAct], tuple[AnyState, AnyRuling]] | None = None,
    unit: str = "rack",
) -> tuple[AnyState, AnyRuling]:
    """Hand a fact to the game's own answer; `referee` where it answers the referee otherwise than by `act`.

    FactsError when the rack (or game: `unit`) is over.
    """
    if state.winner is not None:
        raise FactsError(f"the {unit} is over, {state.winner} has won it")
    if isinstance(fact, Choice):
        return choose(state, fact)
    if isinstance(fact, Event):
        return act(state, classify_event(fact, state.in_hand is not None))
    if isinstance(fact, RefereeAct):
        return refereed(state, fact, act) if referee is None else referee(state, fact)
    return shoot(state, fact)


def refereed(
    state: AnyState, fact: RefereeAct, act: Callable[[AnyState, GeneralAct], tuple[AnyState, AnyRuling]]
) -> tuple[AnyState, AnyRuling]:
    """A referee's act; offences of wheelchair players add up over the match (7)."""
    offences = state.wheelchair_offences[index(fact.against)] if fact.against else 0
    new, ruling = act(state, classify_referee(fact, offences))
    if fact.event == "wheelchair_violation" and fact.against is not None:
        counts = with_side(state.wheelchair_offences, fact.against, offences + 1)
        new = replace(new, wheelchair_offences=counts)
    return new, ruling


def lost_by_act(
    ruling: Callable[..., AnyRuling], state: AnyState, act: GeneralAct
) -> tuple[AnyState, AnyRuling]:
    """The rack, or with it the match, is lost by whoever acted; `ruling`: the game's own wording."""
    by = act.by or state.shooter
    new = replace(state, winner=other(by))
    lost = by if act.kind == "lose_match" else None
    return new, ruling(
        new,
        by,
        act.reason,
        foul=act.reason is not None,
        words=(act.words,),
        clause=act.clause,
        match_lost_by=lost,
    )


def no_consequence(
    ruling: Callable[..., AnyRuling], state: AnyState, act: GeneralAct
) -> tuple[AnyState, AnyRuling]:
    """The act is said, and the shot replayed where it asks for that; nothing else changes."""
    return state, ruling(
        state, act.by, None, foul=False, words=(act.words,), clause=act.clause, replay=act.kind == "replay"
    )


def ruling_after(
    kind: type[AnyRuling],
    state: RackState,
    by: Side | None,
    reason: ClauseEnum | None,
    *,
    foul: bool,
    **more: Any,
) -> AnyRuling:
    """The ruling that leaves `state`; `more` sets further fields of `kind`."""
    over = state.winner is not None
    said = (reason.words if reason is not None else "", *more.pop("words", ()))
    base = kind(
        by=by,
        foul=foul,
        reason=reason,
        fouls=(reason,) if foul and reason is not None else (),
        clause=reason.clause if reason is not None else None,
        next_shooter=None if over else state.shooter,
        chooser=state.chooser,
        options=state.options,
        in_hand=None if over else state.in_hand,
        rack_over=over,
        winner=state.winner,
        words=tuple(dict.fromkeys(w for w in said if w)),
    )
    ruling = replace(base, **more)
    if foul and reason is not None and reason not in ruling.fouls:
        ruling = replace(ruling, fouls=(*ruling.fouls, reason))
    return ruling
