"""WPA nine ball (section 2): `(state, fact) -> (state, ruling)`.

Readings, beside those of `rotation`: a dry break under the optional three point rule (2.3(c); its Regulation
18 is not in the text) is named and has no further consequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from referee.rules.common.pool import ClauseEnum, Side, other
from referee.rules.game import Game
from referee.rules.records import replace
from referee.rules.wpa.general import WPA_MARKS, PoolMarks, WpaShot
from referee.rules.wpa.rotation import Fact, Rotation, RotationRuling, RotationState, Table, rotation_game

ALL_BALLS = frozenset(range(1, 10))
FEWEST_CROSSED = 3  # 2.3(c): object balls over the head string


class Reason(ClauseEnum):
    """Reasons of section 2 itself; fouls of section 6 are `WpaFoul`."""

    BREAK = ("2.3(b)", "Foul, illegal break")
    DRY_BREAK = ("2.3(c)", "Dry break")
    PUSH_OUT = ("2.4", "Push out")
    STALEMATE = ("2.9", "Stalemate, the rack is broken again")


@dataclass(frozen=True, kw_only=True)
class State(RotationState):
    """Before a shot of nine ball. `three_point_break`: the rule of 2.3(c) is used."""

    GAME_WORDS: ClassVar[str] = "nine ball"
    LAST: ClassVar[int] = 9

    on_table: frozenset[int] = ALL_BALLS
    three_point_break: bool = False


@dataclass(frozen=True, kw_only=True)
class Ruling(RotationRuling):
    """A ruling in nine ball."""

    dry_break: bool = False


class _NineBall(Rotation[State, Ruling]):
    ruling_type = Ruling
    illegal_break = Reason.BREAK
    push_out = Reason.PUSH_OUT
    stalemate = Reason.STALEMATE

    def new_rack(self, breaker: Side) -> State:
        return State(shooter=breaker, breaker=breaker)

    def racked_again(self, state: State) -> State:
        return replace(new_rack(state.breaker, state.marks), three_point_break=state.three_point_break)

    def wins(self, state: State, shot: WpaShot) -> bool:
        """2.5: the nine falls, whichever ball was met first legally."""
        return "9" in shot.potted_balls

    def fair(self, before: State, table: Table[State], shot: WpaShot) -> tuple[State, Ruling]:
        new = table.state if shot.potted else replace(table.state, shooter=other(shot.by))
        dry = _dry(before, shot)
        reason = Reason.DRY_BREAK if dry else None
        return new, self.ruling(
            new, shot.by, reason, foul=False, stay_off=table.stay_off, dry_break=dry, clause=None
        )


def _dry(state: State, shot: WpaShot) -> bool:
    """2.3(c), only where the three point rule is used: nothing pocketed, fewer than three crossed."""
    return state.break_shot and state.three_point_break and shot.crossed_fewer_than(FEWEST_CROSSED)


def new_rack(breaker: Side = "A", marks: PoolMarks = WPA_MARKS, *, three_point_break: bool = False) -> State:
    """Nine balls racked, cue-ball in hand behind the head string (2.2, 2.3(a))."""
    return State(shooter=breaker, breaker=breaker, marks=marks, three_point_break=three_point_break)


_RULES = _NineBall()
apply = _RULES.apply
GAME: Game[State, Fact, Ruling] = rotation_game("wpa_9ball", State, new_rack, _RULES)
