"""World Eightball Pool Federation rules: `(state, fact) -> (state, ruling)`.

Readings: letters T and U in references mean S and T; a colour nominated after the break but not potted on it
leaves the table open, so that potting only the other colour decides for that (H(3)(a)); the consequences of a
ball that fell and would have been struck (in-off, nothing hit) are no fouls (U(3)(a)); with equal penalties
the first in the text is named; a foul snooker is one that was ruled (Q(3)), and who takes an option of one
straight after a foul shot has asked for that ruling (Q(2)).
"""

from __future__ import annotations

from typing import Any, get_args

from referee.rules.common.pool import Choice, Event, FactsError, RefereeAct, Side, index, other, with_side
from referee.rules.game import NOTHING_TO_CALL, AtTable, Game, GameRules, MayCall
from referee.rules.records import replace
from referee.rules.wepf.acts import apply_event, apply_referee, choose, decide
from referee.rules.wepf.fouls import (
    BALLS,
    INFRINGEMENTS,
    Foul,
    Shot,
    ShotConditions,
    common_fouls,
    entered,
    find_fouls,
)
from referee.rules.wepf.penalties import in_order, lose, new_turn, penalise, stalemate, touching_call
from referee.rules.wepf.types import (
    CHOICES,
    OUT_OF_TURN_OPTIONS,
    Reason,
    Ruling,
    State,
    make_ruling,
    new_frame,
)

__all__ = ["Fact", "Reason", "Ruling", "Shot", "State", "apply", "new_frame"]

Fact = Shot | Event | Choice | RefereeAct
STALEMATE_TURNS = 6  # X: three turns in succession of each


def apply(state: State, fact: Fact) -> tuple[State, Ruling]:
    """Apply one fact. FactsError when the frame is over or the fact cannot be."""
    if state.winner is not None:
        raise FactsError(f"the frame is over, {state.winner} has won it")
    if isinstance(fact, Choice):
        return choose(state, fact)
    if isinstance(fact, Event):
        if fact.event == "tip_touched_cue_ball_while_positioning":
            return shoot(state, Shot(by=fact.player))  # E(2)(b): a shot is deemed to have been played
        return apply_event(state, fact)
    if isinstance(fact, RefereeAct):
        return apply_referee(state, fact)
    return shoot(state, fact)


def shoot(state: State, shot: Shot) -> tuple[State, Ruling]:
    """Rule on a shot. A pending option not taken in words is taken by playing."""
    if state.options and shot.by == state.player:
        at_baulk = shot.placed is not None and "play_from_baulk" in state.options
        state, _ = choose(state, Choice(by=shot.by, choice=state.options[-1 if at_baulk else 0]))
    if shot.by != state.player:
        return _out_of_turn(state, shot.by, restorable="balls_beyond_restoration" not in shot.infringements)
    state.check_gone(shot)
    new, ruling = _fallen(state, shot) if shot.fell_untouched else _ruled(state, shot)
    return _stalemate_count(state, shot, new, ruling)


def _ruled(state: State, shot: Shot) -> tuple[State, Ruling]:
    return _break(state, shot) if state.break_shot else _normal(state, shot)


def _conditions(state: State, shot: Shot) -> ShotConditions:
    on = state.balls_on(shot.by)
    if state.foul_snooker and shot.nominated is not None:
        on |= {shot.nominated}  # Q(4)(a)(ii): one of the player's own for this shot
    return ShotConditions(
        own=state.colour(shot.by),
        on=on,
        touching=state.touching,
        must_nominate=state.must_nominate,
        foul_snooker=state.foul_snooker,
        total_snooker=state.total_snooker,
        from_baulk=state.from_baulk,
        to_spot=state.to_spot,
        baulk_line_mm=state.marks.baulk_line_mm,
    )


def _after(state: State, shot: Shot) -> State:
    """The table after the shot, before anybody's turn is settled."""
    gone = (*shot.potted_balls, *shot.off_table)
    kept = tuple(b for b in shot.end_positions or state.lying if b.ball not in gone)
    return replace(
        state,
        reds=state.reds - gone.count("red"),
        yellows=state.yellows - gone.count("yellow"),
        lying=kept,
        break_shot=False,
        from_baulk=False,
        must_nominate=False,
        offered_colours=frozenset(),
        pending_colour=None,
        after_foul=False,
        foul_snooker=False,
        total_snooker=False,
        to_spot=False,
        options=(),
        touching=frozenset(shot.left.touching),
    )


def _normal(state: State, shot: Shot) -> tuple[State, Ruling]:
    found = find_fouls(shot, _conditions(state, shot)) if shot.foul_called else set()
    if not shot.foul_called and shot.cue_ball == "pocketed":
        found = {Foul.IN_OFF}  # the cue-ball is gone whether or not it was called
    after = _after(state, shot)
    if "8" in shot.potted_balls:
        return _eight_potted(state, after, shot, found)
    if found:
        return penalise(state, after, shot.by, found, shot)
    return _legal(state, after, shot)


def _eight_potted(state: State, after: State, shot: Shot, found: set[Foul]) -> tuple[State, Ruling]:
    """N(1) to N(3), D(1), Q(5), Q(6)."""
    if found:
        found = {*found, Foul.EIGHT_ON_FOUL}
    elif state.open or state.left(shot.by):
        last = not state.open and after.left(shot.by) == 0
        found = {Foul.EIGHT_WITH_LAST if last else Foul.EIGHT_EARLY}
    if found:
        return lose(after, shot.by, found)
    new = replace(after, winner=shot.by)
    return new, make_ruling(new, shot.by, None, foul=False, words=(f"Frame to {shot.by}",))


def _legal(state: State, after: State, shot: Shot) -> tuple[State, Ruling]:
    kinds = frozenset(shot.potted_balls)
    words: tuple[str, ...] = ()
    if state.open and kinds:
        if state.pending_colour in kinds or len(kinds) == 1:
            colour = state.pending_colour if state.pending_colour in kinds else next(iter(kinds))
            after, words = decide(after, shot.by, "red" if colour == "red" else "yellow")
        else:  # H(3)(b)
            after = replace(after, must_nominate=True, offered_colours=kinds)
            words = ("Nominate",)
    return _next_visit(after, shot.by, bool(kinds), stay_off=shot.potted_balls, words=words)


def _next_visit(after: State, by: Side, potted: bool, **more: Any) -> tuple[State, Ruling]:
    """C(5), C(6): a pot goes on; a miss ends the visit; the last visit ends the turn."""
    words = more.pop("words", ())
    if potted:
        return after, make_ruling(after, by, None, foul=False, words=(*words, *touching_call(after)), **more)
    if not after.last_visit:
        new = replace(after, visit=2)
        return new, make_ruling(
            new, by, None, foul=False, words=(*words, "Second Visit", *touching_call(new)), **more
        )
    new = new_turn(after, other(by), 1)
    said = (*words, *touching_call(new))
    return new, make_ruling(new, by, None, foul=False, visits_awarded=1, words=said, **more)


def _break(state: State, shot: Shot) -> tuple[State, Ruling]:
    """F: fair or not, in-off, the 8; the conditions of a legal shot do not apply (G(3)(a))."""
    found = _fouls_on_break(state, shot)
    colours = tuple(b for b in shot.potted_balls if b != "8")
    few = shot.object_rails is not None and shot.object_rails < 4
    jumped = shot.break_jumped_pack or Foul.JUMP_ACCIDENTAL in found
    if any(f.type in ("serious", "loss_of_frame") for f in found):
        return _serious_on_break(state, shot, found)
    if "8" in shot.potted_balls:
        return _eight_on_break(state, shot.by, foul_ignored=bool(found) or jumped)
    if jumped or (not colours and few):
        return _unfair(state, shot.by, found)
    after = _after(state, shot)
    if found == {Foul.IN_OFF_ON_BREAK}:
        return _in_off_on_break(after, shot)
    if found:
        return penalise(state, after, shot.by, found, shot)
    if colours:
        after = replace(after, must_nominate=True, offered_colours=frozenset(colours))
        said = (*(f"{c.capitalize()} potted" for c in colours), "Nominate")
        return _next_visit(after, shot.by, True, stay_off=colours, words=said)
    return _next_visit(after, shot.by, False)


def _fouls_on_break(state: State, shot: Shot) -> set[Foul]:
    """The fouls of a break, an in-off by its own name (L(3)); of uncalled ones that alone counts."""
    found = common_fouls(shot, _conditions(state, shot)) | entered(shot.infringements)
    if Foul.IN_OFF in found:
        found = found - {Foul.IN_OFF} | {Foul.IN_OFF_ON_BREAK}
    return found if shot.foul_called else found & {Foul.IN_OFF_ON_BREAK}


def _eight_on_break(state: State, by: Side, foul_ignored: bool) -> tuple[State, Ruling]:
    """F(5): a re-rack, which the same player breaks in the visit that he was in."""
    new = replace(new_frame(by, state.marks, visits=state.visits), visit=state.visit, serious=state.serious)
    return new, make_ruling(
        new, by, Reason.EIGHT_ON_BREAK, foul=False, rerack=True, foul_ignored=foul_ignored, breaker=by
    )


def _in_off_on_break(after: State, shot: Shot) -> tuple[State, Ruling]:
    """L(3), where it is the only foul: one visit from baulk for the other player."""
    new = replace(new_turn(after, other(shot.by), 1), from_baulk=True)
    return new, make_ruling(
        new,
        shot.by,
        Foul.IN_OFF_ON_BREAK,
        foul=True,
        foul_type="non_standard",
        visits_awarded=1,
        stay_off=shot.potted_balls,
    )


def _unfair(state: State, by: Side, found: set[Foul]) -> tuple[State, Ruling]:
    """F(4)(b), L(1): two visits, re-rack, the other breaks under the same obligation."""
    new = replace(new_frame(other(by), state.marks, visits=2), breaker=state.breaker, serious=state.serious)
    return new, make_ruling(
        new,
        by,
        Foul.UNFAIR_BREAK,
        foul=True,
        fouls=in_order({*found, Foul.UNFAIR_BREAK}),
        foul_type="non_standard",
        visits_awarded=2,
        rerack=True,
    )


def _serious_on_break(state: State, shot: Shot, found: set[Foul]) -> tuple[State, Ruling]:
    """The rack as it was before the break; the other breaks it from baulk with two visits (M, J exception
    2).
    """
    new, ruling = penalise(state, state, shot.by, found, None)
    if new.winner is not None:
        return new, ruling
    new = replace(new_frame(new.player, state.marks, visits=2), breaker=state.breaker, serious=new.serious)
    return new, replace(ruling, rerack=True, break_shot=True, from_baulk=True)


def _fallen(state: State, shot: Shot) -> tuple[State, Ruling]:
    """U(2), U(3): balls that fell without being hit while the shot was played."""
    if not any(f.would_have_been_struck for f in shot.fell_untouched):
        new, ruling = _ruled(state, replace(shot, fell_untouched=()))
        fell = tuple(f.ball for f in shot.fell_untouched)
        return new, replace(ruling, replaced=fell, words=(*ruling.words, Reason.FELL_IN_SHOT.words))
    conditions = _conditions(state, shot)
    found = common_fouls(shot, conditions) | entered(shot.infringements)
    if not state.break_shot:
        found = find_fouls(shot, conditions)
    found -= {Foul.IN_OFF, Foul.NOT_LEGAL_SHOT}
    if not shot.first_contact:
        found -= {Foul.WRONG_BALL}
    if not found:
        return state, make_ruling(
            state, shot.by, Reason.REPLAY_SHOT, foul=False, replaced_all=True, replay=True, clause=None
        )
    restored = replace(
        state, must_nominate=False, foul_snooker=False, pending_colour=None, from_baulk=state.break_shot
    )
    new, ruling = penalise(state, restored, shot.by, found, None)
    return new, replace(ruling, replaced_all=True)


def _out_of_turn(state: State, by: Side, restorable: bool) -> tuple[State, Ruling]:
    """M(1): serious; where the balls cannot be put back the other chooses to play on or replay the frame."""
    if not restorable:
        them = other(by)
        count = state.serious[index(by)] + 1
        if count >= 2:
            return lose(state, by, {Foul.OUT_OF_TURN, Foul.TWO_SERIOUS})
        serious = with_side(state.serious, by, count)
        new = replace(new_turn(state, them, 2), options=OUT_OF_TURN_OPTIONS, serious=serious)
        return new, make_ruling(new, by, Foul.OUT_OF_TURN, foul=True, foul_type="serious", visits_awarded=2)
    return penalise(state, state, by, {Foul.OUT_OF_TURN}, None)


def _stalemate_count(state: State, shot: Shot, new: State, ruling: Ruling) -> tuple[State, Ruling]:
    """X: three turns in succession of each without contact between cue-ball and object ball."""
    if new.winner is not None or new.break_shot or ruling.replay:
        return new, ruling
    contact = state.turn_contact or bool(shot.first_contact)
    if new.player == state.player:
        return replace(new, turn_contact=contact), ruling
    dry = 0 if contact else state.dry_turns + 1
    if dry >= STALEMATE_TURNS:
        return stalemate(state)
    return replace(new, turn_contact=False, dry_turns=dry), ruling


def at_table(state: State) -> AtTable:
    """The player in turn has the options himself (I(4), M(1)(b), Q(3))."""
    by = state.player
    return AtTable(by, state.colour(by), by if state.options else None, state.options, state.break_shot)


def may_call(state: State) -> MayCall:
    """A colour where one has to be nominated (H); after a foul shot a ball that is not on, out of a foul
    snooker (Q(4)(a)(i)); a ball that the cue-ball touches (Y(6)).
    """
    if state.winner is not None:
        return NOTHING_TO_CALL
    named: tuple[str, ...] = ("red", "yellow") if state.must_nominate else ()
    if not state.must_nominate and (state.after_foul or state.foul_snooker):
        others = [b for b in BALLS if b not in state.balls_on(state.player)]
        named = tuple("black" if b == "8" else b for b in others)
    return MayCall(by=state.player, balls=named, touching=not state.from_baulk)


GAME: Game[State, Fact, Ruling] = GameRules(
    "wepf",
    "frame",
    State,
    get_args(Fact),
    new_frame,
    apply,
    tuple(INFRINGEMENTS),
    CHOICES,
    jump="jump_accidental",  # K(22); on purpose it is M(5), which no camera tells
    calls=may_call,
    table=at_table,
)
