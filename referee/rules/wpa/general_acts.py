"""Acts without a shot that the WPA general rules know (1.2, 1.7 to 1.12, 6, 7), classified for the games.

A game applies its own consequence: what a foul or a stalemate costs differs by game.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from referee.rules.common.pool import ClauseEnum, Event, FactsError, RefereeAct, Side
from referee.rules.wpa.general import INFRINGEMENTS, InHand, WpaFoul


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralAct:
    """What an event or a referee's act amounts to, before the game applies its own consequence."""

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
