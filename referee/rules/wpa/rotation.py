"""Nine ball and ten ball: the lowest ball is met first, and the highest one decides the rack.

Readings: a push out is possible on the second shot of the rack only, and only after a break without a foul; a
last ball that leaves the table, or falls without winning the rack, is spotted, any other stays off.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar, get_args

from referee.rules.common.pool import (
    Choice,
    ClauseEnum,
    Event,
    FactsError,
    Lying,
    RefereeAct,
    Respot,
    Side,
    index,
    other,
    with_side,
)
from referee.rules.game import Game, GameRules, MayCall, of_both
from referee.rules.records import replace
from referee.rules.wpa.acts import (
    GeneralAct,
    check_open,
    lost_by_act,
    no_consequence,
    play_fact,
    ruling_after,
)
from referee.rules.wpa.general import (
    FOULS_9BALL,
    InHand,
    ShotConditions,
    WpaFoul,
    WpaRuling,
    WpaShot,
    WpaState,
    at_table,
    but_rail,
    check_shot_balls,
    find_fouls,
    frozen_only,
    infringements_of,
    lying_after,
    spot_balls,
    too_few_rails,
)

Fact = WpaShot | Event | Choice | RefereeAct
PUSH_OUT_OPTIONS = ("shoot", "make_{by}_shoot")  # 2.4, 9.4; by: who pushed out


@dataclass(frozen=True, kw_only=True)
class RotationState(WpaState):
    """Before a shot. `fouls`: consecutive fouls of (A, B) in this rack; `warned`: the shooter knows that
    he is on two (6.14). `second_shot`: a push out may be declared (2.4, 9.4).
    """

    GAME_WORDS: ClassVar[str]
    LAST: ClassVar[int]

    breaker: Side = "A"
    on_table: frozenset[int]
    break_shot: bool = True
    second_shot: bool = False
    fouls: tuple[int, int] = (0, 0)
    warned: bool = False

    def __post_init__(self) -> None:
        WpaState.__post_init__(self)
        if not self.on_table <= set(range(1, self.LAST + 1)) or self.LAST not in self.on_table:
            raise FactsError(
                f"{self.GAME_WORDS} has balls 1 to {self.LAST} with the {self.LAST} on the table,"
                f" got {sorted(self.on_table)}"
            )

    @property
    def lowest(self) -> int:
        """The ball that must be hit first (6.2)."""
        return min(self.on_table)


@dataclass(frozen=True, kw_only=True)
class RotationRuling(WpaRuling):
    """A ruling in nine or ten ball."""

    push_out_available: bool = False


S = TypeVar("S", bound=RotationState)
R = TypeVar("R", bound=RotationRuling)


@dataclass(frozen=True)
class Table(Generic[S]):
    """The table after a shot, before anybody's turn is settled: what was spotted and what stays off."""

    state: S
    respot: tuple[Respot, ...] = ()
    stay_off: tuple[str, ...] = ()


class Rotation(ABC, Generic[S, R]):
    """A rotation game: its reasons, and the answers in which the games differ."""

    ruling_type: type[R]

    def may_call(self, state: S) -> MayCall:
        """A push out on the shot after the break (2.4, 9.4), a frozen ball (8.4)."""
        return replace(frozen_only(state), push_out=state.second_shot and state.winner is None)

    illegal_break: ClauseEnum
    push_out: ClauseEnum
    stalemate: ClauseEnum
    passing_on: frozenset[str] = frozenset()
    """Choices beside `shoot` by which the player who chooses takes the shot himself."""

    @abstractmethod
    def wins(self, state: S, shot: WpaShot) -> bool:
        """Whether a shot without a foul or a push out wins the rack."""

    @abstractmethod
    def fair(self, before: S, table: Table[S], shot: WpaShot) -> tuple[S, R]:
        """A shot without a foul or a push out that does not win the rack."""

    @abstractmethod
    def new_rack(self, breaker: Side) -> S:
        """The rack before the break, cue-ball in hand behind the head string; foul counts begin anew."""

    def racked_again(self, state: S) -> S:
        """The same rack's settings, racked anew for the original breaker."""
        return replace(self.new_rack(state.breaker), marks=state.marks)

    def apply(self, state: S, fact: Fact) -> tuple[S, R]:
        """Apply one fact. FactsError when the rack is over or the fact cannot be."""
        return play_fact(state, fact, choose=self.choose, shoot=self.shoot, act=self._act)

    def shoot(self, state: S, shot: WpaShot) -> tuple[S, R]:
        """Rule on a shot; a pending option not taken in words is taken by shooting."""
        if state.options:
            if shot.by == state.chooser:
                state, _ = self.choose(state, Choice(by=shot.by, choice=state.options[0]))
            else:
                state, _ = self.choose(state, Choice(by=other(shot.by), choice=state.options[1]))
        check_shot_balls(shot, state.on_table)
        pushed = shot.push_out and state.second_shot
        found: tuple[ClauseEnum, ...] = find_fouls(
            shot,
            ShotConditions(
                listed=FOULS_9BALL,
                legal_first=None if pushed else frozenset((str(state.lowest),)),  # a push out suspends 6.2
                contact=not pushed,
                rail=not pushed,  # and 6.3
                in_hand=state.in_hand,
                string_mm=state.marks.string_mm,
                frozen_declared=state.frozen_declared,
            ),
        )
        if shot.by != state.shooter and WpaFoul.OUT_OF_TURN not in found:
            found = (*found, WpaFoul.OUT_OF_TURN)
        if state.break_shot and too_few_rails(shot, found) and shot.foul_called:
            found = (*but_rail(found), self.illegal_break)
        return self._rule(state, shot, found, pushed)

    def _rule(self, state: S, shot: WpaShot, found: tuple[ClauseEnum, ...], pushed: bool) -> tuple[S, R]:
        by = shot.by
        won = not found and not pushed and self.wins(state, shot)
        table = self._table(state, shot, won)
        if found:
            return self._foul(state, table.state, by, found, respot=table.respot, stay_off=table.stay_off)
        after = replace(table.state, fouls=with_side(table.state.fouls, by, 0))  # 6.14: a legal shot
        if won:
            new = replace(after, winner=by)
            words = (f"Rack to {by}",)
            return new, self.ruling(new, by, None, foul=False, stay_off=table.stay_off, words=words)
        table = replace(table, state=replace(after, second_shot=state.break_shot))
        if pushed:
            first, second = PUSH_OUT_OPTIONS
            return self.offer(table, by, self.push_out, (first, second.format(by=by)))
        return self.fair(state, table, shot)

    def offer(self, table: Table[S], by: Side, reason: ClauseEnum, options: tuple[str, str]) -> tuple[S, R]:
        """The incoming player chooses who plays (2.4, 9.4, 9.6, 9.7)."""
        new = replace(table.state, shooter=other(by), options=options, chooser=other(by))
        return new, self.ruling(
            new, by, reason, foul=False, respot=table.respot, stay_off=table.stay_off, clause=None
        )

    def _table(self, state: S, shot: WpaShot, won: bool) -> Table[S]:
        off = (*shot.off_table, *shot.potted_balls)
        last, lying = state.LAST, lying_after(state.lying, shot)
        respot: tuple[Respot, ...] = ()
        if str(last) in off and not won:
            respot = spot_balls((str(last),), lying, state.marks)
            lying = (*lying, Lying(str(last), respot[0].point_mm)) if lying else ()
        new = replace(
            state,
            on_table=state.on_table - frozenset(map(int, off)) | {last},
            lying=lying,
            break_shot=False,
            second_shot=False,
            in_hand=None,
            frozen_declared=(),
            warned=False,
        )
        return Table(new, respot, tuple(b for b in off if b != str(last) or won))

    def _foul(self, state: S, after: S, by: Side, found: tuple[ClauseEnum, ...], **more: Any) -> tuple[S, R]:
        """Ball in hand anywhere; the third in a row loses the rack if the shooter had been warned (6.14)."""
        count = min(state.fouls[index(by)] + 1, 3)
        if count == 3 and not state.warned:
            count = 2  # without the warning the third counts as the second
        after = replace(after, fouls=with_side(after.fouls, by, count))
        if count == 3:
            new = replace(after, winner=other(by))
            fouls, words = (*found, WpaFoul.THREE_FOULS), (f"Rack to {other(by)}",)
            return new, self.ruling(new, by, WpaFoul.THREE_FOULS, foul=True, fouls=fouls, words=words, **more)
        in_hand: InHand = "behind_head_string" if after.break_shot else "anywhere"  # before the break
        new = replace(after, shooter=other(by), in_hand=in_hand, options=(), chooser=None)
        return new, self.ruling(new, by, found[0], foul=True, fouls=found, **more)

    def choose(self, state: S, choice: Choice) -> tuple[S, R]:
        """The player who has a choice says who shoots."""
        check_open(state, choice)
        himself = choice.choice in ("shoot", *self.passing_on)
        shooter = choice.by if himself else other(choice.by)
        new = replace(state, shooter=shooter, options=(), chooser=None)
        return new, self.ruling(new, choice.by, None, foul=False)

    def _act(self, state: S, act: GeneralAct) -> tuple[S, R]:
        by = act.by or state.shooter
        if act.kind == "foul" and act.reason is not None:
            after = replace(state, second_shot=False, warned=False)
            return self._foul(state, after, by, (act.reason,))
        if act.kind in ("lose_rack", "lose_match"):
            return lost_by_act(self.ruling, state, act)
        if act.kind == "stalemate":
            new = replace(self.racked_again(state), wheelchair_offences=state.wheelchair_offences)
            return new, self.ruling(
                new, None, self.stalemate, foul=False, rerack=state.LAST, breaker=state.breaker
            )
        new = replace(state, warned=True) if act.kind == "warn_two_fouls" else state
        return no_consequence(self.ruling, new, act)

    def ruling(self, state: S, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any) -> R:
        """The ruling that leaves `state`; `more` sets further fields."""
        more.setdefault("push_out_available", state.second_shot and state.winner is None)
        return ruling_after(self.ruling_type, state, by, reason, foul=foul, **more)


def rotation_game(
    name: str, state_type: type[S], new_rack: Callable[[Side], S], rotation: Rotation[S, R], *options: str
) -> Game[S, Fact, R]:
    """A game of rotation. `options`: that it has beside those of a push out, as `of_both` takes them."""
    return GameRules(
        name,
        "rack",
        state_type,
        get_args(Fact),
        new_rack,
        rotation.apply,
        infringements_of(FOULS_9BALL),
        of_both(*PUSH_OUT_OPTIONS, *options),
        calls=rotation.may_call,
        table=lambda state: at_table(state, str(state.lowest), state.break_shot),
    )
