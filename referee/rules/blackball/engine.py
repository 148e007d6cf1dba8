"""Black ball (WPA section 5): `(state, fact) -> (state, ruling)`.

Readings: 5.10 suspends all of 6.3, as a push out does in nine ball (2.4): who is snookered, tries
(5.14(d)) and hits nothing has not fouled; on a break that pockets the black only 6.1 and 6.5 are ignored,
any other foul makes it an illegal shot (5.14(a)); 5.13.1 is not suspended on a free shot; the black is no
legal target on an open table; of two losses the first letter of 5.14 is named.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, get_args

from calibration.table.specs import BRITISH_POOL_TABLE
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
from referee.rules.common.red_yellow import Colour, RedYellowState, other_colour
from referee.rules.game import Game, GameRules, MayCall
from referee.rules.records import replace
from referee.rules.wpa.acts import (
    SPOT_NEAREST,
    GeneralAct,
    check_open,
    lost_by_act,
    no_consequence,
    play_fact,
    refereed,
    ruling_after,
    spot_nearest,
)
from referee.rules.wpa.general import (
    FOULS_BLACKBALL,
    InHand,
    PoolMarks,
    ShotConditions,
    WpaFoul,
    WpaRuling,
    WpaShot,
    WpaState,
    at_table,
    but_rail,
    find_fouls,
    frozen_only,
    infringements_of,
    lying_after,
    spot_balls,
)

BALLS = ("red", "yellow", "black")
MARKS = PoolMarks.of(BRITISH_POOL_TABLE, BRITISH_POOL_TABLE.length_mm / 5)  # 5.1: baulk line at one fifth
FEWEST_CROSSED = 2  # 5.5(b): object balls over the middle string


class Reason(ClauseEnum):
    """Reasons of section 5 itself; fouls of section 6 are `WpaFoul`. In the order in which they are named."""

    BREAK = ("5.5(b)", "Foul, illegal break")
    BLACK_ON_BREAK = ("5.5(c)", "Black on the break, rack again")
    TOUCHING_BALL = ("5.9", "Foul, played into a touching ball")
    OPPONENTS_BALL = ("5.13.1", "Foul, opponent's ball potted")
    TABLE_INCORRECT = ("5.13.2", "Foul, a ball was to be spotted first")
    JUMP_SHOT = ("5.13.3", "Foul, jump shot")
    BLACK_ILLEGAL = ("5.14(a)", "Loss of rack, black potted on an illegal shot")
    BLACK_EARLY = ("5.14(b)", "Loss of rack, black potted early")
    INTENTIONAL_WRONG_BALL = ("5.14(c)", "Loss of rack, wrong ball hit on purpose")
    NO_ATTEMPT = ("5.14(d)", "Loss of rack, no attempt to hit a ball on")
    STALEMATE = ("5.12", "Stalemate, the rack is broken again")


@dataclass(frozen=True, kw_only=True)
class Shot(WpaShot):
    """A black ball shot; balls are `red`, `yellow`, `black`. `string_crossings`: over the centre string.

    `wrong_ball_intended`, `attempted`: the referee's judgement of intent (5.14(c), (d)).
    """

    wrong_ball_intended: bool = False
    attempted: bool = True

    def __post_init__(self) -> None:
        WpaShot.__post_init__(self)
        for ball in (*self.first_contact, *self.potted_balls, *self.off_table):
            if ball not in BALLS:
                raise FactsError(f"object ball must be red, yellow or black, got {ball!r}")


@dataclass(frozen=True, kw_only=True)
class State(RedYellowState, WpaState):
    """Before a shot. `colour_a`: A's group; None: open. `reds`, `yellows`: balls left on the table.

    `touching`: balls that the cue-ball touches; `to_spot`: balls that must be spotted before a shot.
    """

    LAST_BALL: ClassVar[str] = "black"

    breaker: Side = "A"
    colour_a: Colour | None = None
    reds: int = 7
    yellows: int = 7
    break_shot: bool = True
    free_shot: bool = False
    snookered_declared: bool = False
    in_hand: InHand | None = "baulk"
    touching: tuple[str, ...] = ()
    to_spot: tuple[str, ...] = ()
    marks: PoolMarks = field(default=MARKS)

    def __post_init__(self) -> None:
        WpaState.__post_init__(self)
        self.check_groups("black ball")

    @property
    def table_open(self) -> bool:
        return self.colour_a is None

    @property
    def groups(self) -> tuple[Colour | None, int, int]:
        return self.colour_a, self.reds, self.yellows


@dataclass(frozen=True, kw_only=True)
class Ruling(WpaRuling):
    """A ruling in black ball. `foul_ignored`: a scratch or jumped ball on a break that pots the black."""

    free_shot: bool = False
    foul_ignored: bool = False


Fact = Shot | Event | Choice | RefereeAct

__all__ = ["BALLS", "MARKS", "Colour", "Fact", "Reason", "Ruling", "Shot", "State", "apply", "new_rack"]
FREE_SHOT_OPTIONS = ("play_from_position", "cue_in_hand_in_baulk")


def new_rack(breaker: Side = "A", marks: PoolMarks = MARKS) -> State:
    """Fifteen balls racked with the black on the foot spot, cue-ball in hand in baulk (5.4, 5.5(a))."""
    return State(shooter=breaker, breaker=breaker, marks=marks)


def apply(state: State, fact: Fact) -> tuple[State, Ruling]:
    """Apply one fact. FactsError when the rack is over or the fact cannot be."""
    return play_fact(state, fact, choose=choose, shoot=shoot, act=_act, referee=_referee)


def _referee(state: State, act: RefereeAct) -> tuple[State, Ruling]:
    if act.event == "no_legal_shot_position":
        return _stalemate(state)
    if act.event == "snooker_declared":  # 5.1: only a declared snooker is in effect
        new = replace(state, snookered_declared=True)
        return new, _ruling(new, None, None, foul=False, words=("Snooker",), clause="5.1")
    if act.event == "balls_spotted":
        new = replace(state, to_spot=())
        return new, _ruling(new, None, None, foul=False, clause="5.11")
    return refereed(state, act, _act)


def shoot(state: State, shot: Shot) -> tuple[State, Ruling]:
    """Rule on a shot; of a free shot's options playing on means: from the position."""
    if state.options:
        if shot.by != state.chooser:
            raise FactsError(f"{state.chooser} has to choose first: {', '.join(state.options)}")
        taken = state.options[-1 if shot.placed is not None else 0]
        state, _ = choose(state, Choice(by=shot.by, choice=taken))
    state.check_gone(shot)
    found = _fouls(state, shot)
    gone = (*shot.potted_balls, *shot.off_table)
    after = replace(
        state,
        reds=state.reds - gone.count("red"),
        yellows=state.yellows - gone.count("yellow"),
        break_shot=False,
        free_shot=False,
        snookered_declared=False,
        in_hand=None,
        touching=(),
        to_spot=(),
        frozen_declared=(),
        lying=lying_after(state.lying, shot),
    )
    if state.break_shot and "black" in shot.potted_balls and shot.by == state.shooter:
        return _black_on_break(state, shot, found)
    loss = _loss(state, after, shot, found)
    if loss is not None:
        new = replace(after, winner=other(shot.by))
        words = (f"Rack to {other(shot.by)}",)
        return new, _ruling(new, shot.by, loss, foul=True, fouls=(*found, loss), words=words)
    if "black" in shot.potted_balls:
        new = replace(after, winner=shot.by)
        return new, _ruling(new, shot.by, None, foul=False, words=(f"Rack to {shot.by}",))
    if found:
        return _foul(after, shot.by, found, shot)
    return _legal(state, after, shot)


_OWN_INFRINGEMENTS = {
    "played_into_touching_ball": Reason.TOUCHING_BALL,
    "jump_shot": Reason.JUMP_SHOT,
    "played_before_spotting": Reason.TABLE_INCORRECT,
}


def _fouls(state: State, shot: Shot) -> tuple[ClauseEnum, ...]:
    """Every foul on the shot, section 6 first, then 5.5(b), 5.9 and 5.13.1 to 5.13.3."""
    entered = tuple(_OWN_INFRINGEMENTS[i] for i in shot.infringements if i in _OWN_INFRINGEMENTS)
    general = _general_fouls(state, shot, into_touching=Reason.TOUCHING_BALL in entered)
    if not shot.foul_called:
        return general
    found: list[ClauseEnum] = list(general)
    if shot.by != state.shooter and WpaFoul.OUT_OF_TURN not in general:
        found.append(WpaFoul.OUT_OF_TURN)
    if state.break_shot and shot.crossed_fewer_than(FEWEST_CROSSED):
        found = [*but_rail(found), Reason.BREAK]
    if Reason.TOUCHING_BALL in entered:
        found.insert(0, Reason.TOUCHING_BALL)  # what was hit follows from it
    if _potted_theirs_alone(state, shot):
        found.append(Reason.OPPONENTS_BALL)
    if state.to_spot or Reason.TABLE_INCORRECT in entered:
        found.append(Reason.TABLE_INCORRECT)
    if Reason.JUMP_SHOT in entered:
        found.append(Reason.JUMP_SHOT)
    return tuple(found)


def _potted_theirs_alone(state: State, shot: Shot) -> bool:
    """A ball of the opponent's was potted and none of the player's own."""
    theirs = state.colour(other(shot.by))
    return theirs in shot.potted_balls and state.colour(shot.by) not in shot.potted_balls


def _general_fouls(state: State, shot: Shot, into_touching: bool) -> tuple[WpaFoul, ...]:
    """Section 6 as 5.1 (free shot), 5.9 (touching ball) and 5.10 (declared snooker) change it."""
    on = state.balls_on(shot.by)
    any_first = state.break_shot or state.free_shot  # 5.1: a free shot suspends 6.2
    return find_fouls(
        replace(shot, infringements=tuple(i for i in shot.infringements if i not in _OWN_INFRINGEMENTS)),
        ShotConditions(
            listed=FOULS_BLACKBALL,
            legal_first=None if any_first else on,
            contact=not state.snookered_declared,
            rail=not state.snookered_declared,
            deemed_hit=bool(on.intersection(state.touching)) and not into_touching,
            in_hand=state.in_hand,
            string_mm=state.marks.string_mm,
            frozen_declared=state.frozen_declared,
        ),
    )


def _loss(state: State, after: State, shot: Shot, found: tuple[ClauseEnum, ...]) -> Reason | None:
    """5.14: what loses the rack at once."""
    if "black" in shot.potted_balls:
        if found:
            return Reason.BLACK_ILLEGAL
        if state.table_open or after.left(shot.by):
            return Reason.BLACK_EARLY
    if shot.wrong_ball_intended and WpaFoul.WRONG_BALL_FIRST in found:
        return Reason.INTENTIONAL_WRONG_BALL
    if not shot.attempted:
        return Reason.NO_ATTEMPT
    return None


def _black_on_break(state: State, shot: Shot, found: tuple[ClauseEnum, ...]) -> tuple[State, Ruling]:
    ignored = {WpaFoul.SCRATCH, WpaFoul.CUE_BALL_OFF, WpaFoul.BALL_OFF_TABLE}
    other_fouls = tuple(f for f in found if f not in ignored)
    if other_fouls:
        new = replace(state, winner=other(shot.by))
        words = (f"Rack to {other(shot.by)}",)
        return new, _ruling(new, shot.by, Reason.BLACK_ILLEGAL, foul=True, fouls=other_fouls, words=words)
    new = replace(new_rack(shot.by, state.marks), wheelchair_offences=state.wheelchair_offences)
    return new, _ruling(
        new, shot.by, Reason.BLACK_ON_BREAK, foul=False, rerack=15, breaker=shot.by, foul_ignored=bool(found)
    )


def _foul(after: State, by: Side, found: tuple[ClauseEnum, ...], shot: Shot | None) -> tuple[State, Ruling]:
    """5.13: one free shot for the other, from the position or from baulk; balls from the floor spotted."""
    them = other(by)
    respot: tuple[Respot, ...] = ()
    stay_off: tuple[str, ...] = ()
    in_baulk = after.break_shot or (shot is not None and shot.cue_ball != "on_table")
    if shot is not None:
        after, respot = _spot(after, shot.off_table, them)
        stay_off = shot.potted_balls
    options = FREE_SHOT_OPTIONS[1:] if in_baulk else FREE_SHOT_OPTIONS
    new = replace(
        after,
        shooter=them,
        free_shot=True,
        in_hand="baulk" if in_baulk else None,
        options=options,
        chooser=them,
    )
    return new, _ruling(
        new, by, found[0], foul=True, fouls=found, respot=respot, stay_off=stay_off, words=("Free shot",)
    )


def _spot(state: State, balls: tuple[str, ...], next_shooter: Side) -> tuple[State, tuple[Respot, ...]]:
    """5.11: the black, then the next shooter's group (red on an open table), then the others."""
    first = state.colour(next_shooter) or "red"
    rank = {"black": 0, first: 1}
    order = tuple(sorted(balls, key=lambda b: rank.get(b, 2)))
    respot = spot_balls(order, state.lying, state.marks)
    lying = (*state.lying, *(Lying(r.ball, r.point_mm) for r in respot)) if state.lying else ()
    reds, yellows = state.reds + order.count("red"), state.yellows + order.count("yellow")
    return replace(state, lying=lying, reds=reds, yellows=yellows), respot


def _legal(state: State, after: State, shot: Shot) -> tuple[State, Ruling]:
    by = shot.by
    words: tuple[str, ...] = ()
    kinds = set(shot.potted_balls)
    normal = not state.break_shot and not state.free_shot
    if state.table_open and normal and len(kinds) == 1:
        mine: Colour = "red" if "red" in kinds else "yellow"
        after = replace(after, colour_a=mine if by == "A" else other_colour(mine))
        words = (f"{by} is on {mine}",)
    new = after if shot.potted else replace(after, shooter=other(by))
    return new, _ruling(new, by, None, foul=False, stay_off=shot.potted_balls, words=words)


def choose(state: State, choice: Choice) -> tuple[State, Ruling]:
    """Where to play the free shot from (5.1); ask for the nearest ball to be spotted (1.5)."""
    if choice.choice == SPOT_NEAREST:
        legal = None if state.free_shot else state.balls_on(choice.by)
        return spot_nearest(_ruling, state, choice, legal, "baulk")
    check_open(state, choice)
    in_hand: InHand | None = "baulk" if choice.choice == "cue_in_hand_in_baulk" else None
    touching = () if in_hand else state.touching
    new = replace(state, options=(), chooser=None, in_hand=in_hand, touching=touching)
    return new, _ruling(new, choice.by, None, foul=False)


def _stalemate(state: State) -> tuple[State, Ruling]:
    new = replace(new_rack(state.breaker, state.marks), wheelchair_offences=state.wheelchair_offences)
    return new, _ruling(new, None, Reason.STALEMATE, foul=False, rerack=15, breaker=state.breaker)


def _act(state: State, act: GeneralAct) -> tuple[State, Ruling]:
    by = act.by or state.shooter
    if act.kind == "foul" and act.reason is not None:
        return _foul(state, by, (act.reason,), None)
    if act.kind in ("lose_rack", "lose_match"):
        return lost_by_act(_ruling, state, act)
    if act.kind == "stalemate":
        return _stalemate(state)
    return no_consequence(_ruling, state, act)


def _ruling(state: State, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any) -> Ruling:
    """The ruling that leaves `state`; `more` sets further fields of `Ruling`."""
    more.setdefault("free_shot", state.free_shot and state.winner is None)
    return ruling_after(Ruling, state, by, reason, foul=foul, **more)


def may_call(state: State) -> MayCall:
    """A frozen ball (8.4); a touching one where the cue-ball is played from where it lies (6.7, 5.9)."""
    return replace(frozen_only(state), touching=state.in_hand is None and state.winner is None)


GAME: Game[State, Fact, Ruling] = GameRules(
    "blackball",
    "rack",
    State,
    get_args(Fact),
    new_rack,
    apply,
    (*infringements_of(FOULS_BLACKBALL), *_OWN_INFRINGEMENTS),
    (*FREE_SHOT_OPTIONS, SPOT_NEAREST),
    jump="jump_shot",  # 5.13.3
    calls=may_call,
    table=lambda state: at_table(state, state.colour(state.shooter), state.break_shot),
)
