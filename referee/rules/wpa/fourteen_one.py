"""WPA 14.1 continuous (section 4): `(state, fact) -> (state, ruling)`.

Readings: a breaking foul is named 4.10 and neither counts towards three fouls nor resets the count; the
score that wins is reached at once, before any re-rack; several balls are spotted in the order in which they
fell, then those from the floor; a player on three fouls breaks from behind the head string.
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
    index,
    other,
    with_side,
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
from referee.rules.wpa.fourteen_one_rack import Interference, Rerack, rerack_after
from referee.rules.wpa.general import (
    FOULS_14_1,
    WPA_MARKS,
    InHand,
    PoolMarks,
    ShotConditions,
    WpaFoul,
    WpaRuling,
    WpaShot,
    WpaState,
    at_table,
    called_ball_made,
    called_safety,
    called_shot,
    check_numbered,
    find_fouls,
    infringements_of,
    lying_after,
    spot_balls,
)

ALL_BALLS = frozenset(range(1, 16))
BREAKING_FOUL_POINTS = 2  # 4.10
BREAKING_FOUL_OPTIONS = ("accept_balls_in_position", "require_{by}_to_rebreak")  # 4.3(b); by: who broke
STANDARD_FOUL_POINTS = 1  # 4.9
THREE_FOULS_POINTS = 15  # 4.11


class Reason(ClauseEnum):
    """Reasons of section 4 itself; fouls of section 6 are `WpaFoul`."""

    BREAKING_FOUL = ("4.10", "Breaking foul, minus two")
    STALEMATE = ("4.12", "Stalemate, the players lag again")


@dataclass(frozen=True, kw_only=True)
class Shot(WpaShot):
    """A 14.1 shot; `interference` (seen, or from the referee) matters when fourteen balls are racked."""

    interference: Interference = field(default_factory=Interference)


@dataclass(frozen=True, kw_only=True)
class State(WpaState):
    """Before a shot. `balls_on_table`: object balls; `fouls`: consecutive standard fouls of (A, B)."""

    scores: tuple[int, int] = (0, 0)
    target: int = 150
    balls_on_table: int = 15
    opening_break: bool = True
    fouls: tuple[int, int] = (0, 0)
    warned: bool = False

    def __post_init__(self) -> None:
        WpaState.__post_init__(self)
        if not 1 <= self.balls_on_table <= 15:
            raise FactsError(f"14.1 has 1 to 15 object balls on the table, got {self.balls_on_table!r}")
        if self.target < 1:
            raise FactsError(f"the target must be 1 point or more, got {self.target!r}")


@dataclass(frozen=True, kw_only=True)
class Ruling(WpaRuling):
    """A ruling in 14.1. `points`: change of the shooter's score. `placed`: what a re-rack does with the
    cue-ball and the fifteenth ball (None: no re-rack)."""

    points: int = 0
    racked: Rerack | None = None


Fact = Shot | Event | Choice | RefereeAct


def new_game(breaker: Side = "A", target: int = 150, marks: PoolMarks = WPA_MARKS) -> State:
    """Fifteen balls racked, the opening break (4.2, 4.3)."""
    return State(shooter=breaker, target=target, marks=marks)


def apply(state: State, fact: Fact) -> tuple[State, Ruling]:
    """Apply one fact. FactsError when the game is over or the fact cannot be."""
    return play_fact(state, fact, choose=choose, shoot=shoot, act=_act, unit="game")


def shoot(state: State, shot: Shot) -> tuple[State, Ruling]:
    """Rule on a shot; pending options not taken in words are taken by whoever plays."""
    if state.options and state.chooser is not None:
        taken = state.options[0 if shot.by == state.chooser else 1]
        state, _ = choose(state, Choice(by=state.chooser, choice=taken))
    gone = (*shot.potted_balls, *shot.off_table)
    for balls in (gone, *((ball,) for ball in shot.first_contact)):
        check_numbered(balls, ALL_BALLS)
    if len(gone) > state.balls_on_table:
        raise FactsError(f"{len(gone)} balls left a table that had {state.balls_on_table}")
    conditions = ShotConditions(
        listed=FOULS_14_1,
        in_hand=state.in_hand,
        string_mm=state.marks.string_mm,
        frozen_declared=state.frozen_declared,
    )
    found: tuple[ClauseEnum, ...] = find_fouls(shot, conditions)
    if shot.by != state.shooter and WpaFoul.OUT_OF_TURN not in found:
        found = (*found, WpaFoul.OUT_OF_TURN)
    after = replace(
        state,
        in_hand=None,
        opening_break=False,
        warned=False,
        frozen_declared=(),
        lying=lying_after(state.lying, shot),
    )
    if state.opening_break and shot.foul_called and _breaking_foul(shot):
        return _break_foul(after, shot, (Reason.BREAKING_FOUL, *found), gone)
    if found:
        return _foul(state, after, shot.by, found, gone, in_hand=_in_hand_after(found))
    return _legal(state, after, shot, gone)


def _breaking_foul(shot: Shot) -> bool:
    """4.3(b): no called ball, and not the cue-ball and two object balls to a rail."""
    if called_ball_made(shot) or shot.object_rails is None:
        return False
    objects = max(shot.object_rails, len(shot.potted) + len(shot.off_table))  # 8.4
    cue = bool(shot.cue_ball_rail) or shot.cue_ball != "on_table"
    return objects < 2 or not cue


def _in_hand_after(found: tuple[ClauseEnum, ...]) -> InHand | None:
    """4.9: in position, except after a scratch and a foul under 6.11."""
    in_hand = {
        WpaFoul.SCRATCH,
        WpaFoul.CUE_BALL_OFF,
        WpaFoul.BAD_PLAY_BEHIND_STRING,
        WpaFoul.DID_NOT_CROSS_STRING,
    }
    return "behind_head_string" if in_hand.intersection(f for f in found if isinstance(f, WpaFoul)) else None


def _break_foul(
    after: State, shot: Shot, found: tuple[ClauseEnum, ...], gone: tuple[str, ...]
) -> tuple[State, Ruling]:
    by, them = shot.by, other(shot.by)
    after, respot = _spot(after, gone)
    in_hand: InHand | None = "behind_head_string" if shot.cue_ball != "on_table" else None
    options = tuple(option.format(by=by) for option in BREAKING_FOUL_OPTIONS)
    new = replace(
        _score(after, by, -BREAKING_FOUL_POINTS), shooter=them, options=options, chooser=them, in_hand=in_hand
    )
    return new, _ruling(
        new, by, Reason.BREAKING_FOUL, foul=True, fouls=found, respot=respot, points=-BREAKING_FOUL_POINTS
    )


def _foul(
    state: State,
    after: State,
    by: Side,
    found: tuple[ClauseEnum, ...],
    gone: tuple[str, ...] = (),
    in_hand: InHand | None = None,
) -> tuple[State, Ruling]:
    """4.9: minus one, balls spotted; 4.11 on three in a row."""
    count = state.fouls[index(by)] + 1
    if count >= 3 and state.warned:
        return _third_foul(state, after, by, found)
    count = min(count, 2)  # 6.14: without the warning the third counts as the second
    points = -STANDARD_FOUL_POINTS
    after, respot = _spot(after, gone)
    new = replace(
        _score(after, by, points),
        fouls=with_side(state.fouls, by, count),
        shooter=other(by),
        options=(),
        chooser=None,
        in_hand="behind_head_string" if after.opening_break else in_hand,
    )
    return new, _ruling(new, by, found[0], foul=True, fouls=found, respot=respot, points=points)


def _third_foul(state: State, after: State, by: Side, found: tuple[ClauseEnum, ...]) -> tuple[State, Ruling]:
    """4.11: minus fifteen beside the foul's one; all balls are racked again and the offender breaks."""
    points = -STANDARD_FOUL_POINTS - THREE_FOULS_POINTS
    new = replace(
        _score(after, by, points),
        fouls=with_side(state.fouls, by, 0),
        lying=(),
        shooter=by,
        balls_on_table=15,
        opening_break=True,
        in_hand=new_game(by, state.target, state.marks).in_hand,
        options=(),
        chooser=None,
    )
    return new, _ruling(
        new,
        by,
        WpaFoul.THREE_FOULS,
        foul=True,
        fouls=(*found, WpaFoul.THREE_FOULS),
        points=points,
        rerack=15,
        racked=Rerack(balls=15, cue_in_hand=True),
    )


def _legal(state: State, after: State, shot: Shot, gone: tuple[str, ...]) -> tuple[State, Ruling]:
    by = shot.by
    after = replace(after, fouls=with_side(state.fouls, by, 0))
    if called_safety(shot) or not called_ball_made(shot):
        after, respot = _spot(after, gone)  # 4.6
        new = replace(after, shooter=other(by))
        words = ("Safety",) if called_safety(shot) else ()
        return new, _ruling(new, by, None, foul=False, respot=respot, words=words)
    points = len(shot.potted)
    left = state.balls_on_table - points
    after = _score(after, by, points)
    score = after.scores[index(by)]
    words = (str(score),)
    if score >= state.target:
        new = replace(after, balls_on_table=max(left, 1), winner=by)
        return new, _ruling(new, by, None, foul=False, points=points, words=(*words, f"Game to {by}"))
    if left > 1:
        new = replace(after, balls_on_table=left)
        return new, _ruling(new, by, None, foul=False, points=points, words=words)
    racked = rerack_after(left, shot.interference, after.lying, state.marks)
    new = replace(
        after,
        balls_on_table=15,
        lying=racked.lying,
        in_hand="behind_head_string" if racked.cue_in_hand else None,
    )
    return new, _ruling(
        new, by, None, foul=False, points=points, rerack=racked.balls, racked=racked, words=(*words, "Rack")
    )


def _score(state: State, by: Side, points: int) -> State:
    return replace(state, scores=with_side(state.scores, by, state.scores[index(by)] + points))


def _spot(state: State, balls: tuple[str, ...]) -> tuple[State, tuple[Respot, ...]]:
    """4.6: every ball of an illegal or uncalled shot, and from the floor, comes back."""
    respot = spot_balls(balls, state.lying, state.marks)
    if not state.lying:
        return state, respot
    return replace(state, lying=(*state.lying, *(Lying(r.ball, r.point_mm) for r in respot))), respot


def choose(state: State, choice: Choice) -> tuple[State, Ruling]:
    """Accept or require another opening break (4.3(b)); ask for the nearest ball to be spotted (1.5)."""
    if choice.choice == SPOT_NEAREST:
        return spot_nearest(_ruling, state, choice, None)
    check_open(state, choice)
    if choice.choice == BREAKING_FOUL_OPTIONS[0]:
        new = replace(state, shooter=choice.by, options=(), chooser=None)
        return new, _ruling(new, choice.by, None, foul=False)
    new = replace(
        state,
        shooter=other(choice.by),
        options=(),
        chooser=None,
        opening_break=True,
        balls_on_table=15,
        in_hand="behind_head_string",
        lying=(),
    )
    return new, _ruling(new, choice.by, None, foul=False, rerack=15, words=("Rack",))


def _act(state: State, act: GeneralAct) -> tuple[State, Ruling]:
    by = act.by or state.shooter
    if act.kind == "foul" and act.reason is not None:
        after = replace(state, warned=False)
        return _foul(state, after, by, (act.reason,), in_hand="behind_head_string" if act.in_hand else None)
    if act.kind == "lose_rack" and act.reason is not None:  # the serious foul of this game is 4.11's
        return _foul(
            replace(state, fouls=with_side(state.fouls, by, 2), warned=True), state, by, (act.reason,)
        )
    if act.kind == "lose_match":
        return lost_by_act(_ruling, state, act)
    if act.kind == "stalemate":
        new = replace(
            new_game(state.shooter, state.target, state.marks),
            scores=state.scores,
            wheelchair_offences=state.wheelchair_offences,
        )
        return new, _ruling(new, None, Reason.STALEMATE, foul=False, rerack=15)
    new = replace(state, warned=True) if act.kind == "warn_two_fouls" else state
    return no_consequence(_ruling, new, act)


def _ruling(state: State, by: Side | None, reason: ClauseEnum | None, *, foul: bool, **more: Any) -> Ruling:
    """The ruling that leaves `state`; `more` sets further fields of `Ruling`."""
    return ruling_after(Ruling, state, by, reason, foul=foul, **more)


def may_call(state: State) -> MayCall:
    """4.5: every shot is called, the opening break too (4.3(a))."""
    return called_shot(state, ALL_BALLS)


GAME: Game[State, Fact, Ruling] = GameRules(
    "wpa_14_1",
    "game",
    State,
    get_args(Fact),
    new_game,
    apply,
    infringements_of(FOULS_14_1),
    of_both(*BREAKING_FOUL_OPTIONS, SPOT_NEAREST),
    calls=may_call,
    table=lambda state: at_table(state, None, state.opening_break),
    first_contact="whether",  # 4.5: any ball may be met first
)
