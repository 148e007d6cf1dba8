"""WPA nine ball (section 2): `(state, fact) -> (state, ruling)`.

Readings: a push out is possible on the second shot of the rack only and after a break without a foul; a dry
break under the optional three point rule (2.3(c); its Regulation 18 is not in the text) is named and has no
further consequence; a jumped nine is spotted, any other ball that leaves the table stays off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, get_args

from referee.rules.common.pool import (
    Choice,
    ClauseEnum,
    Event,
    FactsError,
    Lying,
    RefereeAct,
    Respot,
    Side,
    check_side,
    index,
    other,
    with_side,
)
from referee.rules.common.replace import replace
from referee.rules.game import Game, GameRules
from referee.rules.wpa.general import (
    FOULS_9BALL,
    WPA_MARKS,
    InHand,
    PoolMarks,
    ShotConditions,
    WpaFoul,
    WpaRuling,
    WpaShot,
    check_shot_balls,
    find_fouls,
    lying_after,
    spot_balls,
)
from referee.rules.wpa.general_acts import GeneralAct
from referee.rules.wpa.general_turns import lost_by_act, no_consequence, play_fact, ruling_after

ALL_BALLS = frozenset(range(1, 10))


class Reason(ClauseEnum):
    """Reasons of section 2 itself; fouls of section 6 are `WpaFoul`."""

    BREAK = ("2.3(b)", "Foul, illegal break")
    DRY_BREAK = ("2.3(c)", "Dry break")
    PUSH_OUT = ("2.4", "Push out")
    STALEMATE = ("2.9", "Stalemate, the rack is broken again")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Before a shot. `fouls`: consecutive fouls of (A, B) in this rack; `warned`: the shooter was told that
    he is on two (6.14). `second_shot`: a push out may be declared (2.4)."""

    shooter: Side = "A"
    breaker: Side = "A"
    on_table: frozenset[int] = ALL_BALLS
    break_shot: bool = True
    second_shot: bool = False
    in_hand: InHand | None = "behind_head_string"
    fouls: tuple[int, int] = (0, 0)
    warned: bool = False
    options: tuple[str, ...] = ()
    chooser: Side | None = None
    frozen_declared: tuple[tuple[str, str], ...] = ()
    lying: tuple[Lying, ...] = ()
    three_point_break: bool = False
    wheelchair_offences: tuple[int, int] = (0, 0)
    marks: PoolMarks = field(default=WPA_MARKS)
    winner: Side | None = None

    def __post_init__(self) -> None:
        check_side(self.shooter, "shooter")
        if not self.on_table <= ALL_BALLS or 9 not in self.on_table:
            raise FactsError(
                f"nine ball has balls 1 to 9 with the 9 on the table, got {sorted(self.on_table)}"
            )

    @property
    def lowest(self) -> int:
        """The ball that must be hit first (6.2)."""
        return min(self.on_table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(WpaRuling):
    """A ruling in nine ball."""

    push_out_available: bool = False
    dry_break: bool = False


Fact = WpaShot | Event | Choice | RefereeAct


def new_rack(breaker: Side = "A", marks: PoolMarks = WPA_MARKS, *, three_point_break: bool = False) -> State:
    """Nine balls racked, cue-ball in hand behind the head string (2.2, 2.3(a)); foul counts begin anew."""
    return State(shooter=breaker, breaker=breaker, marks=marks, three_point_break=three_point_break)


def apply(state: State, fact: Fact) -> tuple[State, Ruling]:
    """Apply one fact. FactsError when the rack is over or the fact cannot be."""
    return play_fact(state, fact, choose=choose, shoot=shoot, act=_act)


def shoot(state: State, shot: WpaShot) -> tuple[State, Ruling]:
    """Rule on a shot; a pending option not taken in words is taken by shooting."""
    if state.options:
        if shot.by == state.chooser:
            state, _ = choose(state, Choice(by=shot.by, choice=state.options[0]))
        else:
            state, _ = choose(state, Choice(by=other(shot.by), choice=state.options[1]))
    check_shot_balls(shot, state.on_table)
    push = shot.push_out and state.second_shot
    found = find_fouls(
        shot,
        ShotConditions(
            listed=FOULS_9BALL,
            legal_first=None if push else frozenset((str(state.lowest),)),  # 2.4 suspends 6.2
            contact=not push,
            rail=not push,  # 2.4 suspends 6.3
            in_hand=state.in_hand,
            string_mm=state.marks.string_mm,
            frozen_declared=state.frozen_declared,
        ),
    )
    if shot.by != state.shooter and WpaFoul.OUT_OF_TURN not in found:
        found = (*found, WpaFoul.OUT_OF_TURN)
    return _rule(state, shot, found, push)


def _rule(state: State, shot: WpaShot, found: tuple[ClauseEnum, ...], push: bool) -> tuple[State, Ruling]:
    by = shot.by
    if state.break_shot and _too_few_rails(shot) and shot.foul_called:
        # listed before 6.3, which says the same of a break that reached no rail at all
        found = (*(f for f in found if f is not WpaFoul.NO_RAIL), Reason.BREAK)
    gone = frozenset(map(int, (*shot.potted_balls, *shot.off_table)))
    nine_won = "9" in shot.potted_balls and not found and not push
    after, respot = _after(state, shot, gone, nine_won)
    stay_off = tuple(
        b for b in (*shot.off_table, *shot.potted_balls) if b != "9" or nine_won
    )  # 2.6: only the nine is spotted
    if not found:
        after = replace(after, fouls=with_side(after.fouls, by, 0))  # 6.14: a legal shot
    if nine_won:
        new = replace(after, winner=by)
        return new, _ruling(new, by, None, foul=False, stay_off=stay_off, words=(f"Rack to {by}",))
    if found:
        return _foul(state, after, by, found, respot=respot, stay_off=stay_off)
    after = replace(after, second_shot=state.break_shot)
    if push:
        options = ("shoot", f"make_{by}_shoot")
        new = replace(after, shooter=other(by), options=options, chooser=other(by))
        return new, _ruling(
            new, by, Reason.PUSH_OUT, foul=False, respot=respot, stay_off=stay_off, clause=None
        )
    new = after if shot.potted else replace(after, shooter=other(by))
    dry = _dry(state, shot)
    reason = Reason.DRY_BREAK if dry else None
    return new, _ruling(new, by, reason, foul=False, stay_off=stay_off, dry_break=dry, clause=None)


def _too_few_rails(shot: WpaShot) -> bool:
    return not shot.potted and shot.object_rails is not None and shot.object_rails < 4  # 2.3(b)


def _dry(state: State, shot: WpaShot) -> bool:
    """2.3(c), only where the three point rule is used: nothing pocketed, fewer than three crossed."""
    return (
        state.break_shot
        and state.three_point_break
        and not shot.potted
        and shot.string_crossings is not None
        and shot.string_crossings < 3
    )


def _after(
    state: State, shot: WpaShot, gone: frozenset[int], nine_won: bool
) -> tuple[State, tuple[Respot, ...]]:
    left = state.on_table - gone
    lying = lying_after(state.lying, shot)
    respot: tuple[Respot, ...] = ()
    if 9 in gone and not nine_won:
        respot = spot_balls(("9",), lying, state.marks)
        lying = (*lying, Lying("9", respot[0].point_mm)) if lying else ()
    new = replace(
        state,
        on_table=left | {9},
        lying=lying,
        break_shot=False,
        second_shot=False,
        in_hand=None,
        frozen_declared=(),
        warned=False,
    )
    return new, respot


def _foul(
    state: State, after: State, by: Side, found: tuple[ClauseEnum, ...], **more: Any
) -> tuple[State, Ruling]:
    """2.7, 2.8: ball in hand anywhere; the third in a row loses the rack if the shooter had been warned."""
    before = state.fouls[index(by)]
    count = min(before + 1, 3)
    if count == 3 and not state.warned:
        count = 2  # 6.14: without the warning the third counts as the second
    after = replace(after, fouls=with_side(after.fouls, by, count))
    if count == 3:
        new = replace(after, winner=other(by))
        words = (f"Rack to {other(by)}",)
        return new, _ruling(
            new, by, WpaFoul.THREE_FOULS, foul=True, fouls=(*found, WpaFoul.THREE_FOULS), words=words, **more
        )
    in_hand: InHand = "behind_head_string" if after.break_shot else "anywhere"  # a foul before the break
    new = replace(after, shooter=other(by), in_hand=in_hand, options=(), chooser=None)
    return new, _ruling(new, by, found[0], foul=True, fouls=found, **more)


def choose(state: State, choice: Choice) -> tuple[State, Ruling]:
    """After a push out the other player chooses who shoots (2.4)."""
    if choice.by != state.chooser or choice.choice not in state.options:
        raise FactsError(
            f"{choice.by} cannot choose {choice.choice!r}; open options: "
            + (f"{', '.join(state.options)} for {state.chooser}" if state.options else "none")
        )
    shooter = choice.by if choice.choice == "shoot" else other(choice.by)
    new = replace(state, shooter=shooter, options=(), chooser=None)
    return new, _ruling(new, choice.by, None, foul=False)


def _act(state: State, act: GeneralAct) -> tuple[State, Ruling]:
    by = act.by or state.shooter
    if act.kind == "foul" and act.reason is not None:
        after = replace(state, second_shot=False, break_shot=state.break_shot, warned=False)
        return _foul(state, after, by, (act.reason,))
    if act.kind in ("lose_rack", "lose_match"):
        return lost_by_act(_ruling, state, act)
    if act.kind == "stalemate":
        fresh = new_rack(state.breaker, state.marks, three_point_break=state.three_point_break)
        new = replace(fresh, wheelchair_offences=state.wheelchair_offences)
        return new, _ruling(new, None, Reason.STALEMATE, foul=False, rerack=9, breaker=state.breaker)
    new = replace(state, warned=True) if act.kind == "warn_two_fouls" else state
    return no_consequence(_ruling, new, act)


def _ruling(state: State, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any) -> Ruling:
    """The ruling that leaves `state`; `more` sets further fields of `Ruling`."""
    more.setdefault("push_out_available", state.second_shot and state.winner is None)
    return ruling_after(Ruling, state, by, reason, foul=foul, **more)


GAME: Game[State, Fact, Ruling] = GameRules("wpa_9ball", "rack", State, get_args(Fact), new_rack, apply)
