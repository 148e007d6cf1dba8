"""WPA eight ball (section 3): `(state, fact) -> (state, ruling)`.

Readings: an illegal break (3.3(d)) with a foul on it gives the options of both, and one that met the rack and
reached no rail is (d) alone; the eight potted on a break
with a foul other than a scratch is spotted (3.7); a loss is named by the first letter of 3.8 that fits; a
safety with the eight potted is the eight in an uncalled pocket.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from referee.rules.common.pool import (
    Choice,
    ClauseEnum,
    Event,
    FactsError,
    Lying,
    RefereeAct,
    Respot,
    Side,
    other,
)
from referee.rules.game import Game, GameRules, MayCall, of_both
from referee.rules.records import replace
from referee.rules.wpa.acts import (
    SPOT_NEAREST,
    GeneralAct,
    check_open,
    lost_by_act,
    no_consequence,
    play_fact,
    ruling_after,
    spot_nearest,
)
from referee.rules.wpa.general import (
    FOULS_8BALL,
    WPA_MARKS,
    InHand,
    PoolMarks,
    ShotConditions,
    WpaFoul,
    WpaRuling,
    WpaShot,
    WpaState,
    at_table,
    but_rail,
    called_ball_made,
    called_shot,
    check_shot_balls,
    find_fouls,
    frozen_only,
    infringements_of,
    lying_after,
    spot_balls,
    too_few_rails,
)

Group = Literal["solids", "stripes"]
GROUPS: tuple[Group, Group] = ("solids", "stripes")
SOLIDS = frozenset(range(1, 8))
STRIPES = frozenset(range(9, 16))
ALL_BALLS = frozenset(range(1, 16))
BREAK_FOUL_OPTIONS = ("accept_table_in_position", "cue_in_hand_behind_head_string")  # 3.3(g), (h)
ILLEGAL_BREAK_OPTIONS = (
    "accept_table_in_position",
    "rerack_and_break",
    "rerack_and_offender_breaks_again",
)  # 3.3(d)
EIGHT_ON_BREAK_OPTIONS = ("respot_8_and_accept_position", "rebreak")  # 3.3(e)
EIGHT_AND_SCRATCH_OPTIONS = ("respot_8_and_cue_in_hand_behind_head_string", "rebreak")  # 3.3(f)
CHOICES = of_both(
    *BREAK_FOUL_OPTIONS,
    *ILLEGAL_BREAK_OPTIONS,
    *EIGHT_ON_BREAK_OPTIONS,
    *EIGHT_AND_SCRATCH_OPTIONS,
    SPOT_NEAREST,
)


class Reason(ClauseEnum):
    """Reasons of section 3 itself; fouls of section 6 are `WpaFoul`."""

    ILLEGAL_BREAK = ("3.3(d)", "Illegal break")
    EIGHT_ON_BREAK = ("3.3(e)", "Eight on the break")
    BALL_OFF_ON_BREAK = ("3.3(g)", "Foul, ball off the table on the break")
    EIGHT_AND_FOUL = ("3.8(a)", "Loss of rack, eight potted on a foul")
    EIGHT_EARLY = ("3.8(b)", "Loss of rack, eight potted early")
    EIGHT_UNCALLED = ("3.8(c)", "Loss of rack, eight in an uncalled pocket")
    EIGHT_OFF_TABLE = ("3.8(d)", "Loss of rack, eight off the table")
    STALEMATE = ("3.11", "Stalemate, the rack is broken again")


@dataclass(frozen=True, kw_only=True)
class State(WpaState):
    """Before a shot. `group_a`: A's group, B has the other; None: the table is open."""

    breaker: Side = "A"
    group_a: Group | None = None
    on_table: frozenset[int] = ALL_BALLS
    break_shot: bool = True

    def __post_init__(self) -> None:
        WpaState.__post_init__(self)
        if not self.on_table <= ALL_BALLS:
            raise FactsError(f"eight ball has balls 1 to 15, got {sorted(self.on_table - ALL_BALLS)}")

    @property
    def table_open(self) -> bool:
        return self.group_a is None

    def group(self, side: Side) -> Group | None:
        """The group of a side, None on an open table."""
        if self.group_a is None or side == "A":
            return self.group_a
        return "stripes" if self.group_a == "solids" else "solids"

    def left(self, side: Side) -> frozenset[int]:
        """The balls of a side's group that are on the table (both groups on an open table)."""
        return self.on_table & _members(self.group(side))

    def legal_first(self, side: Side) -> frozenset[str] | None:
        """Balls that `side` may hit first: None (any) on the break, its group, then the eight."""
        if self.break_shot:
            return None  # 3.3(b)
        balls = self.left(side)
        return frozenset(map(str, balls)) if balls else frozenset(("8",))


@dataclass(frozen=True, kw_only=True)
class Ruling(WpaRuling):
    """A ruling in eight ball."""

    illegal_break: bool = False


Fact = WpaShot | Event | Choice | RefereeAct


def _members(group: Group | None) -> frozenset[int]:
    return {"solids": SOLIDS, "stripes": STRIPES, None: SOLIDS | STRIPES}[group]


def new_rack(breaker: Side = "A", marks: PoolMarks = WPA_MARKS) -> State:
    """Fifteen balls racked, cue-ball in hand behind the head string (3.2, 3.3(a))."""
    return State(shooter=breaker, breaker=breaker, marks=marks)


def apply(state: State, fact: Fact) -> tuple[State, Ruling]:
    """Apply one fact. FactsError when the rack is over or the fact cannot be."""
    return play_fact(state, fact, choose=choose, shoot=shoot, act=_act)


def shoot(state: State, shot: WpaShot) -> tuple[State, Ruling]:
    """Rule on a shot; a pending option not taken in words is taken by playing on as the balls lie."""
    if state.options:
        if shot.by != state.chooser:
            raise FactsError(f"{state.chooser} has to choose first: {', '.join(state.options)}")
        state, _ = choose(state, Choice(by=shot.by, choice=state.options[0]))
    check_shot_balls(shot, state.on_table)
    conditions = ShotConditions(
        listed=FOULS_8BALL,
        legal_first=state.legal_first(shot.by),
        in_hand=state.in_hand,
        string_mm=state.marks.string_mm,
        frozen_declared=state.frozen_declared,
    )
    found = find_fouls(shot, conditions)
    if shot.by != state.shooter and WpaFoul.OUT_OF_TURN not in found:
        found = (*found, WpaFoul.OUT_OF_TURN)
    gone = frozenset(map(int, (*shot.potted_balls, *shot.off_table)))
    after = replace(
        state,
        on_table=state.on_table - gone,
        lying=lying_after(state.lying, shot),
        frozen_declared=(),
        in_hand=None,
        break_shot=False,
    )
    stay_off = tuple(b for b in (*shot.off_table, *shot.potted_balls) if b != "8")
    if state.break_shot and shot.by == state.shooter:
        return _break(state, after, shot, found, stay_off)
    return _normal(state, after, shot, found, stay_off)


def _break(
    state: State, after: State, shot: WpaShot, found: tuple[WpaFoul, ...], stay_off: tuple[str, ...]
) -> tuple[State, Ruling]:
    illegal = too_few_rails(shot, found)
    found = but_rail(found) if illegal else found
    eight = "8" in shot.potted_balls
    if found:
        return _break_foul(after, shot, found, stay_off, illegal)
    if illegal:
        new = replace(after, shooter=other(shot.by), options=ILLEGAL_BREAK_OPTIONS, chooser=other(shot.by))
        return new, _ruling(new, shot.by, Reason.ILLEGAL_BREAK, foul=False, illegal_break=True)
    if eight:
        new = replace(after, options=EIGHT_ON_BREAK_OPTIONS, chooser=shot.by)
        return new, _ruling(new, shot.by, Reason.EIGHT_ON_BREAK, foul=False, stay_off=stay_off)
    new = after if shot.potted else replace(after, shooter=other(shot.by))
    return new, _ruling(new, shot.by, None, foul=False, stay_off=stay_off, words=("Table open",))


def _break_foul(
    after: State, shot: WpaShot, found: tuple[WpaFoul, ...], stay_off: tuple[str, ...], illegal: bool
) -> tuple[State, Ruling]:
    them = other(shot.by)
    scratch = shot.cue_ball != "on_table"
    reason: ClauseEnum = found[0]
    if scratch and "8" in shot.potted_balls:
        new = replace(
            after, shooter=them, options=EIGHT_AND_SCRATCH_OPTIONS, chooser=them, in_hand="behind_head_string"
        )
        return new, _ruling(new, shot.by, reason, foul=True, fouls=found, stay_off=stay_off)
    if shot.off_table:
        reason = Reason.BALL_OFF_ON_BREAK if not scratch else reason
    options: tuple[str, ...] = BREAK_FOUL_OPTIONS[1:] if scratch else BREAK_FOUL_OPTIONS
    if illegal:
        options = (*options, *ILLEGAL_BREAK_OPTIONS[1:])
    respot: tuple[Respot, ...] = ()
    if 8 not in after.on_table:
        after, respot = _spot_eight(after)
    new = replace(
        after, shooter=them, options=options, chooser=them, in_hand="behind_head_string" if scratch else None
    )
    return new, _ruling(
        new, shot.by, reason, foul=True, fouls=found, stay_off=stay_off, illegal_break=illegal, respot=respot
    )


def _spot_eight(state: State) -> tuple[State, tuple[Respot, ...]]:
    respot = spot_balls(("8",), state.lying, state.marks)
    lying = (*state.lying, Lying("8", respot[0].point_mm)) if state.lying else ()
    return replace(state, on_table=state.on_table | {8}, lying=lying), respot


def _normal(
    state: State, after: State, shot: WpaShot, found: tuple[WpaFoul, ...], stay_off: tuple[str, ...]
) -> tuple[State, Ruling]:
    by = shot.by
    if "8" in (*shot.potted_balls, *shot.off_table):
        return _eight_gone(state, after, shot, found, stay_off)
    if found:
        still = state.break_shot  # out of turn before the break: the rack is still to be broken (3.3(a))
        in_hand: InHand = "behind_head_string" if still else "anywhere"
        new = replace(after, shooter=other(by), in_hand=in_hand, break_shot=still)
        return new, _ruling(new, by, found[0], foul=True, fouls=found, stay_off=stay_off)
    if not _called_own_ball(state, shot):
        new = replace(after, shooter=other(by))
        return new, _ruling(new, by, None, foul=False, stay_off=stay_off)
    words: tuple[str, ...] = ()
    if state.table_open and shot.called is not None and shot.called.ball is not None:
        mine: Group = "solids" if int(shot.called.ball) in SOLIDS else "stripes"
        theirs: Group = "stripes" if mine == "solids" else "solids"
        after = replace(after, group_a=mine if by == "A" else theirs)
        words = (f"{by} is on {mine}",)
    return after, _ruling(after, by, None, foul=False, stay_off=stay_off, words=words)


def _called_own_ball(state: State, shot: WpaShot) -> bool:
    """3.5: the called ball was made; with groups decided a call of the opponent's ball does not count."""
    if not called_ball_made(shot) or shot.called is None or shot.called.ball is None:
        return False
    return int(shot.called.ball) in _members(state.group(shot.by))


def _eight_gone(
    state: State, after: State, shot: WpaShot, found: tuple[WpaFoul, ...], stay_off: tuple[str, ...]
) -> tuple[State, Ruling]:
    by = shot.by
    loss: Reason | None = None
    if "8" in shot.off_table:
        loss = Reason.EIGHT_OFF_TABLE
    elif found:
        loss = Reason.EIGHT_AND_FOUL
    elif state.left(by):
        loss = Reason.EIGHT_EARLY  # the eight needs a shot of its own (3.6)
    elif not called_ball_made(shot) or shot.called is None or shot.called.ball != "8":
        loss = Reason.EIGHT_UNCALLED
    winner = by if loss is None else other(by)
    new = replace(after, winner=winner)
    return new, _ruling(
        new, by, loss, foul=loss is not None, fouls=found, stay_off=stay_off, words=(f"Rack to {winner}",)
    )


def choose(state: State, choice: Choice) -> tuple[State, Ruling]:
    """Take a pending option, or ask for the nearest ball to be spotted (1.5)."""
    if choice.choice == SPOT_NEAREST:
        return spot_nearest(_ruling, state, choice, state.legal_first(choice.by))
    check_open(state, choice)
    state = replace(state, options=(), chooser=None)
    respot: tuple[Respot, ...] = ()
    if choice.choice in ("rerack_and_break", "rebreak", "rerack_and_offender_breaks_again"):
        again = choice.choice == "rerack_and_offender_breaks_again"
        breaker = other(choice.by) if again else choice.by
        new = replace(
            new_rack(breaker, state.marks),
            breaker=state.breaker,
            wheelchair_offences=state.wheelchair_offences,
        )
        return new, _ruling(new, choice.by, None, foul=False, rerack=15, words=("Rack",))
    if choice.choice.startswith("respot_8"):
        state, respot = _spot_eight(state)
    if choice.choice.endswith("cue_in_hand_behind_head_string"):
        state = replace(state, in_hand="behind_head_string")
    new = replace(state, shooter=choice.by)
    return new, _ruling(new, choice.by, None, foul=False, respot=respot)


def _act(state: State, act: GeneralAct) -> tuple[State, Ruling]:
    by = act.by or state.shooter
    if act.kind == "foul":
        in_hand: InHand = "behind_head_string" if state.break_shot else "anywhere"
        new = replace(state, shooter=other(by), in_hand=in_hand, options=(), chooser=None)
        return new, _ruling(new, by, act.reason, foul=True, words=(act.words,), clause=act.clause)
    if act.kind in ("lose_rack", "lose_match"):
        return lost_by_act(_ruling, state, act)
    if act.kind == "stalemate":
        new = replace(new_rack(state.breaker, state.marks), wheelchair_offences=state.wheelchair_offences)
        return new, _ruling(new, None, Reason.STALEMATE, foul=False, rerack=15, breaker=state.breaker)
    return no_consequence(_ruling, state, act)


def _ruling(state: State, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any) -> Ruling:
    """The ruling that leaves `state`; `more` sets further fields of `Ruling`."""
    return ruling_after(Ruling, state, by, reason, foul=foul, **more)


def may_call(state: State) -> MayCall:
    """Every shot but the break (3.3(b)); the eight only when the group has been cleared (3.6)."""
    if state.break_shot:
        return frozen_only(state)
    balls = ALL_BALLS - {8} if state.left(state.shooter) else ALL_BALLS
    return called_shot(state, balls, state.legal_first(state.shooter))


GAME: Game[State, Fact, Ruling] = GameRules(
    "wpa_8ball",
    "rack",
    State,
    get_args(Fact),
    new_rack,
    apply,
    infringements_of(FOULS_8BALL),
    CHOICES,
    calls=may_call,
    table=lambda state: at_table(state, state.group(state.shooter), state.break_shot),
)
