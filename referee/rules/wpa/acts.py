"""WPA: acts without a shot (1.7 to 1.12, 6, 7), and what every WPA game does with a fact.

A game applies its own consequence: what a foul, a stalemate or a choice costs differs by game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from referee.rules.common.pool import (
    Choice,
    ClauseEnum,
    Event,
    FactsError,
    Lying,
    PoolShot,
    RefereeAct,
    Side,
    index,
    other,
    with_side,
)
from referee.rules.records import replace
from referee.rules.wpa.general import (
    INFRINGEMENTS,
    InHand,
    WpaFoul,
    WpaRuling,
    WpaState,
    nearest_behind_string,
    spot_balls,
)


@dataclass(frozen=True, kw_only=True)
class GeneralAct:
    """The class of an event or a referee's act; the game applies its own consequence."""

    kind: Literal[
        "nothing",
        "foul",
        "warning",
        "lose_rack",
        "lose_match",
        "stalemate",
        "replay",
        "restore",
        "warn_two_fouls",
    ]
    by: Side | None
    reason: ClauseEnum | None = None
    clause: str | None = None
    words: str = ""
    in_hand: InHand | None = None


_EVENT_FOULS: Mapping[str, WpaFoul] = {**INFRINGEMENTS, "shot_clock_exceeded": WpaFoul.SLOW_PLAY}
_REFEREE: dict[
    str, tuple[Literal["stalemate", "replay", "restore", "warning", "warn_two_fouls"], str, str]
] = {
    "stalemate": ("stalemate", "1.12", "Stalemate"),
    "stalemate_declared": ("stalemate", "1.12", "Stalemate"),
    "no_progress_three_more_turns": ("warning", "1.12", "Three more turns each"),
    "outside_interference": ("replay", "1.9", "Outside interference, the shot is replayed"),
    "interference_without_effect": ("restore", "1.9", "Balls restored"),
    "balls_not_restorable": ("stalemate", "1.9", "The balls cannot be restored"),
    "ball_settled_into_pocket": ("restore", "1.7", "Ball restored"),
    "settling_ball_affected_shot": ("replay", "1.7", "Position restored, the shot is replayed"),
    "balls_restored": ("restore", "1.8", "Balls restored"),
    "advised_to_speed_up": ("warning", "6.15", "Please speed up"),
    "shot_clock_imposed": ("warning", "6.15", "Shot clock for both players"),
    "warn_two_fouls": ("warn_two_fouls", "6.14", "You are on two fouls"),
    "protest_appeal": ("warning", "1.10", "Play is suspended for the appeal"),
}
PENALTIES: tuple[str, ...] = ("warning", "standard_foul", "loss_of_rack", "loss_of_match")


def classify_event(event: Event, cue_in_hand: bool) -> GeneralAct:
    """A player's act without a shot. FactsError for an act that section 1 and 6 do not know."""
    name = event.event
    if name == "cue_ball_repositioned_by_hand":
        if cue_in_hand:
            return GeneralAct(kind="nothing", by=event.by, clause="1.5")
        return _touched(event)
    if name == "touched_ball":
        return _touched(event)
    if name in ("concede", "unscrewed_cue"):
        return GeneralAct(kind="lose_match", by=event.by, clause="1.11", words="Concession")
    if name in ("ball_settled", "miscue"):
        return GeneralAct(kind="nothing", by=event.by, clause="1.7" if name == "ball_settled" else "8.18")
    if name in _EVENT_FOULS:
        foul = _EVENT_FOULS[name]
        if event.intentional and foul is WpaFoul.OUT_OF_TURN:
            return _conduct(event.player, "loss_of_rack", "6.17")  # 6.13
        return GeneralAct(kind="foul", by=event.by, reason=foul, clause=foul.clause, words=foul.words)
    known = ", ".join(sorted({*_EVENT_FOULS, "cue_ball_repositioned_by_hand", "concede", "miscue"}))
    raise FactsError(f"event must be one of {known}, got {name!r}")


def _touched(event: Event) -> GeneralAct:
    if event.intentional:
        return _conduct(event.player, "loss_of_rack", "6.17")  # 6.6; the referee may choose otherwise (6.17)
    foul = WpaFoul.TOUCHED_BALL
    return GeneralAct(kind="foul", by=event.by, reason=foul, clause=foul.clause, words=foul.words)


def classify_referee(act: RefereeAct, wheelchair_offences: int = 0) -> GeneralAct:
    """A referee's decision. For `unsportsmanlike` and `wheelchair_violation` the penalty may be given.

    6.17: the normal penalty is that of a serious foul (loss of rack). 7.2: first offence ball in hand,
    second loss of the game, third loss of the match; `wheelchair_offences` counts the earlier ones.
    """
    if act.event in ("unsportsmanlike", "wheelchair_violation"):
        if act.against is None:
            raise FactsError(f"{act.event} needs the player it is against")
        usual = "loss_of_rack"
        if act.event == "wheelchair_violation":
            usual = ("standard_foul", "loss_of_rack", "loss_of_match")[min(wheelchair_offences, 2)]
        return _conduct(
            act.against, act.penalty or usual, "7.2" if act.event != "unsportsmanlike" else "6.17"
        )
    if act.event not in _REFEREE:
        known = ", ".join(sorted({*_REFEREE, "unsportsmanlike", "wheelchair_violation"}))
        raise FactsError(f"referee's act must be one of {known}, got {act.event!r}")
    kind, clause, words = _REFEREE[act.event]
    return GeneralAct(kind=kind, by=act.against, clause=clause, words=words)


def _conduct(against: Side, penalty: str, clause: str) -> GeneralAct:
    foul = WpaFoul.CONDUCT
    if penalty == "warning":
        return GeneralAct(kind="warning", by=against, reason=foul, clause=clause, words="Warning, conduct")
    if penalty == "standard_foul":
        return GeneralAct(
            kind="foul",
            by=against,
            reason=foul,
            clause=clause,
            words=foul.words,
            in_hand="anywhere" if clause == "7.2" else None,
        )
    if penalty == "loss_of_rack":
        return GeneralAct(kind="lose_rack", by=against, reason=foul, clause=clause, words="Loss of rack")
    if penalty == "loss_of_match":
        return GeneralAct(kind="lose_match", by=against, reason=foul, clause=clause, words="Loss of match")
    raise FactsError(f"penalty must be one of {', '.join(PENALTIES)}, got {penalty!r}")


AnyState = TypeVar("AnyState", bound=WpaState)
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


def check_open(state: WpaState, choice: Choice) -> None:
    """Raise FactsError for a choice that is not open to that player."""
    if choice.by != state.chooser or choice.choice not in state.options:
        raise FactsError(
            f"{choice.by} cannot choose {choice.choice!r}; open options: "
            + (f"{', '.join(state.options)} for {state.chooser}" if state.options else "none")
        )


SPOT_NEAREST = "request_spot_nearest"  # 1.5


def spot_nearest(
    ruling: Callable[..., AnyRuling],
    state: AnyState,
    choice: Choice,
    legal: frozenset[str] | None,
    zone: InHand = "behind_head_string",
) -> tuple[AnyState, AnyRuling]:
    """1.5: the nearest of the legal balls (None: of all) is spotted, where all lie behind the string."""
    if choice.by != state.shooter or state.in_hand != zone:
        where = "in baulk" if zone == "baulk" else "behind the head string"
        raise FactsError(f"only the shooter with the cue-ball in hand {where} may ask for it")
    ball = nearest_behind_string(state.lying, legal, state.marks, choice.ball)
    rest = tuple(b for b in state.lying if b is not ball)
    respot = spot_balls((ball.ball,), rest, state.marks)
    new = replace(state, lying=(*rest, Lying(ball.ball, respot[0].point_mm)))
    return new, ruling(new, choice.by, None, foul=False, respot=respot)


def ruling_after(
    kind: type[AnyRuling],
    state: WpaState,
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
