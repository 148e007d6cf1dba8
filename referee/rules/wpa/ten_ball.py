"""WPA ten ball (section 9): `(state, fact) -> (state, ruling)`.

Readings, beside those of `rotation`: an obvious shot counts as called (9.5); a ball pocketed without any call
was pocketed wrongfully (9.7); with a foul on the same shot the ball in hand stands and the hand-back option
does not arise; the ten wins only when it was the last ball before the shot (9.8); stalemate as nine ball 2.9
(9.12 is cut off).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.rules.common.pool import ClauseEnum, Side, other
from referee.rules.game import Game, MayCall
from referee.rules.records import replace
from referee.rules.wpa.general import (
    WPA_MARKS,
    PoolMarks,
    WpaShot,
    called_ball_made,
    called_safety,
    called_shot,
)
from referee.rules.wpa.rotation import Fact, Rotation, RotationRuling, RotationState, Table, rotation_game

ALL_BALLS = frozenset(range(1, 11))
POT_OPTIONS = ("take_shot_as_is", "hand_back_to_{by}")  # 9.6, 9.7; by: who made it


class Reason(ClauseEnum):
    """Reasons of section 9 itself; fouls of section 6 are `WpaFoul`."""

    BREAK = ("9.3(b)", "Foul, illegal break")
    PUSH_OUT = ("9.4", "Push out")
    SAFETY_POT = ("9.6", "Object ball pocketed on a safety")
    WRONG_POT = ("9.7", "Wrongfully pocketed ball")
    STALEMATE = ("9.12", "Stalemate, the rack is broken again")


@dataclass(frozen=True, kw_only=True)
class State(RotationState):
    """Before a shot of ten ball."""

    GAME_WORDS: ClassVar[str] = "ten ball"
    LAST: ClassVar[int] = 10

    on_table: frozenset[int] = ALL_BALLS


@dataclass(frozen=True, kw_only=True)
class Ruling(RotationRuling):
    """A ruling in ten ball."""


class _TenBall(Rotation[State, Ruling]):
    ruling_type = Ruling
    illegal_break = Reason.BREAK
    push_out = Reason.PUSH_OUT
    stalemate = Reason.STALEMATE
    passing_on = frozenset(POT_OPTIONS[:1])

    def new_rack(self, breaker: Side) -> State:
        return new_rack(breaker)

    def may_call(self, state: State) -> MayCall:
        """9.5: every shot but the break (9.3) is called, beside what rotation has."""
        said = super().may_call(state)
        if state.break_shot:
            return said
        return replace(called_shot(state, state.on_table, (str(state.lowest),)), push_out=said.push_out)

    def wins(self, state: State, shot: WpaShot) -> bool:
        """9.8: the ten falls as called when it is the last ball on the table."""
        return called_ball_made(shot) and not state.break_shot and state.on_table == {10}

    def fair(self, before: State, table: Table[State], shot: WpaShot) -> tuple[State, Ruling]:
        by, after = shot.by, table.state
        made = called_ball_made(shot) and not before.break_shot
        if made or (before.break_shot and shot.potted):
            return after, self.ruling(
                after, by, None, foul=False, respot=table.respot, stay_off=table.stay_off
            )
        if shot.potted:
            legal_on_safety = called_safety(shot) and str(before.lowest) in shot.potted_balls
            reason = Reason.SAFETY_POT if legal_on_safety else Reason.WRONG_POT
            first, second = POT_OPTIONS
            return self.offer(table, by, reason, (first, second.format(by=by)))
        new = replace(after, shooter=other(by))
        words = ("Safety",) if called_safety(shot) else ()
        return new, self.ruling(new, by, None, foul=False, words=words)


def new_rack(breaker: Side = "A", marks: PoolMarks = WPA_MARKS) -> State:
    """Ten balls racked, cue-ball in hand behind the head string (9.2, 9.3(a))."""
    return State(shooter=breaker, breaker=breaker, marks=marks)


_RULES = _TenBall()
apply = _RULES.apply
GAME: Game[State, Fact, Ruling] = rotation_game("wpa_10ball", State, new_rack, _RULES, *POT_OPTIONS)
