"""WPA ten ball (section 9): `(state, fact) -> (state, ruling)`.

Readings: an obvious shot counts as called (9.5); a ball pocketed without any call was pocketed wrongfully
(9.7); with a foul on the same shot the ball in hand stands and the hand-back option does not arise; the ten
wins only when it was the last ball before the shot (9.8); stalemate as nine ball 2.9 (9.12 is cut off).
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
    FOULS_10BALL,
    WPA_MARKS,
    InHand,
    PoolMarks,
    ShotConditions,
    WpaFoul,
    WpaRuling,
    WpaShot,
    called_ball_made,
    called_safety,
    check_shot_balls,
    find_fouls,
    lying_after,
    spot_balls,
)
from referee.rules.wpa.general_acts import GeneralAct
from referee.rules.wpa.general_turns import lost_by_act, no_consequence, play_fact, ruling_after

ALL_BALLS = frozenset(range(1, 11))


class Reason(ClauseEnum):
    """Reasons of section 9 itself; fouls of section 6 are `WpaFoul`."""

    BREAK = ("9.3(b)", "Foul, illegal break")
    PUSH_OUT = ("9.4", "Push out")
    SAFETY_POT = ("9.6", "Object ball pocketed on a safety")
    WRONG_POT = ("9.7", "Wrongfully pocketed ball")
    STALEMATE = ("9.12", "Stalemate, the rack is broken again")


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Before a shot. `fouls`: consecutive fouls of (A, B) in this rack; `warned`: the shooter was told that
    he is on two (6.14). `second_shot`: a push out may be declared (9.4)."""

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
    wheelchair_offences: tuple[int, int] = (0, 0)
    marks: PoolMarks = field(default=WPA_MARKS)
    winner: Side | None = None

    def __post_init__(self) -> None:
        check_side(self.shooter, "shooter")
        if not self.on_table <= ALL_BALLS or 10 not in self.on_table:
            raise FactsError(
                f"ten ball has balls 1 to 10 with the 10 on the table, got {sorted(self.on_table)}"
            )

    @property
    def lowest(self) -> int:
        """The ball that must be hit first (6.2)."""
        return min(self.on_table)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(WpaRuling):
    """A ruling in ten ball."""

    push_out_available: bool = False


Fact = WpaShot | Event | Choice | RefereeAct


def new_rack(breaker: Side = "A", marks: PoolMarks = WPA_MARKS) -> State:
    """Ten balls racked, cue-ball in hand behind the head string (9.2, 9.3(a)); foul counts begin anew."""
    return State(shooter=breaker, breaker=breaker, marks=marks)


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
            listed=FOULS_10BALL,
            legal_first=None if push else frozenset((str(state.lowest),)),  # 9.4 suspends 6.2
            contact=not push,
            rail=not push,  # 9.4 suspends 6.3
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
    made = called_ball_made(shot) and not state.break_shot and not push
    won = made and not found and state.on_table == {10}
    after, respot = _after(state, shot, gone, won)
    stay_off = tuple(b for b in (*shot.off_table, *shot.potted_balls) if b != "10" or won)  # 9.9
    if not found:
        after = replace(after, fouls=with_side(after.fouls, by, 0))  # 6.14: a legal shot
    if won:
        new = replace(after, winner=by)
        return new, _ruling(new, by, None, foul=False, stay_off=stay_off, words=(f"Rack to {by}",))
    if found:
        return _foul(state, after, by, found, respot=respot, stay_off=stay_off)
    after = replace(after, second_shot=state.break_shot)
    if push:
        return _offer(after, by, Reason.PUSH_OUT, ("shoot", f"make_{by}_shoot"), respot, stay_off)
    if made or (state.break_shot and shot.potted):
        return after, _ruling(after, by, None, foul=False, respot=respot, stay_off=stay_off)
    if shot.potted:
        legal_on_safety = called_safety(shot) and str(state.lowest) in shot.potted_balls
        reason = Reason.SAFETY_POT if legal_on_safety else Reason.WRONG_POT
        return _offer(after, by, reason, ("take_shot_as_is", f"hand_back_to_{by}"), respot, stay_off)
    new = replace(after, shooter=other(by))
    words = ("Safety",) if called_safety(shot) else ()
    return new, _ruling(new, by, None, foul=False, words=words)


def _offer(
    after: State,
    by: Side,
    reason: Reason,
    options: tuple[str, str],
    respot: tuple[Respot, ...],
    stay_off: tuple[str, ...],
) -> tuple[State, Ruling]:
    """The incoming player has a choice who plays (9.4, 9.6, 9.7)."""
    new = replace(after, shooter=other(by), options=options, chooser=other(by))
    return new, _ruling(new, by, reason, foul=False, respot=respot, stay_off=stay_off, clause=None)


def _too_few_rails(shot: WpaShot) -> bool:
    return not shot.potted and shot.object_rails is not None and shot.object_rails < 4  # 9.3(b)


def _after(state: State, shot: WpaShot, gone: frozenset[int], won: bool) -> tuple[State, tuple[Respot, ...]]:
    left = state.on_table - gone
    lying = lying_after(state.lying, shot)
    respot: tuple[Respot, ...] = ()
    if 10 in gone and not won:
        respot = spot_balls(("10",), lying, state.marks)
        lying = (*lying, Lying("10", respot[0].point_mm)) if lying else ()
    new = replace(
        state,
        on_table=left | {10},
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
    """9.10, 9.11: ball in hand anywhere; the third in a row loses the rack if the shooter had been warned."""
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
    """After a push out, or a ball pocketed wrongfully or on a safety, the other player chooses who shoots."""
    if choice.by != state.chooser or choice.choice not in state.options:
        raise FactsError(
            f"{choice.by} cannot choose {choice.choice!r}; open options: "
            + (f"{', '.join(state.options)} for {state.chooser}" if state.options else "none")
        )
    shooter = choice.by if choice.choice in ("shoot", "take_shot_as_is") else other(choice.by)
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
        fresh = new_rack(state.breaker, state.marks)
        new = replace(fresh, wheelchair_offences=state.wheelchair_offences)
        return new, _ruling(new, None, Reason.STALEMATE, foul=False, rerack=10, breaker=state.breaker)
    new = replace(state, warned=True) if act.kind == "warn_two_fouls" else state
    return no_consequence(_ruling, new, act)


def _ruling(state: State, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any) -> Ruling:
    """The ruling that leaves `state`; `more` sets further fields of `Ruling`."""
    more.setdefault("push_out_available", state.second_shot and state.winner is None)
    return ruling_after(Ruling, state, by, reason, foul=foul, **more)


GAME: Game[State, Fact, Ruling] = GameRules("wpa_10ball", "rack", State, get_args(Fact), new_rack, apply)
