"""Acts without a stroke: fouls before a stroke (3.11(a)), and what is put right without penalty."""

from __future__ import annotations

from collections.abc import Callable

from referee.rules.records import replace
from referee.rules.snooker.facts import COLOURS, VALUES, Act, ActFacts, Choice, FactsError
from referee.rules.snooker.fouls import deciding, penalty_for
from referee.rules.snooker.ruling import FoulPart, Miss, Reason, Ruling
from referee.rules.snooker.state import ANY_COLOUR, Misses, Offence, Pending, State, lowest_on, opponent, side
from referee.rules.snooker.turn import add, advance, due_places, end_of_visit, end_on_black, in_order

_FOUL: dict[Act, Reason] = {
    Act.TOUCHED_BALL: Reason.TOUCHED_BALL,
    Act.TOUCHED_MARKER: Reason.TOUCHED_BALL,
    Act.TOUCHED_IN_CONSULTATION: Reason.TOUCHED_BALL,
    Act.PICKED_UP_BALL: Reason.OFF_TABLE,  # 2.14: picked up is forced off the table
    Act.USED_BALL_OFF_TABLE: Reason.BALL_AS_TOOL,
    Act.MEASURED: Reason.MEASURED,
    Act.CONFERRED: Reason.CONFERRING,
}


def judge(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    """Rule on an act. Raises `FactsError` for a ball or player that is not there."""
    if facts.by is not None and facts.by not in state.order:
        raise FactsError(f"the player must be one of {', '.join(state.order)}, got {facts.by!r}")
    if facts.ball is not None and facts.ball not in VALUES:
        raise FactsError(f"a ball must be one of {', '.join(VALUES)}, got {facts.ball!r}")
    if facts.act in _FOUL:
        return _foul_act(state, facts)
    return _PUT_RIGHT[facts.act](state, facts)


def unchanged(state: State, reason: Reason, **more: object) -> Ruling:
    """A ruling that leaves everything as it is."""
    base = Ruling(
        reason,
        scores=state.scores,
        break_points=state.break_points,
        next_striker=None if state.pending in (Pending.LOTS, Pending.OVER) else state.striker,
        next_ball_on=state.ball_on,
        cue_ball_in_hand=state.in_hand,
        free_ball=state.free_ball,
        touching=state.touching,
        options=state.offence.options if state.pending is Pending.AFTER_FOUL and state.offence else (),
        frame_over=state.over,
        winner=state.winner,
    )
    return replace(base, **more)  # type: ignore[arg-type]


def _foul_act(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    if facts.by is None:
        raise FactsError(f"{facts.act.value} needs the player who did it")
    if not state.started:  # 3.3(c): before the frame has commenced nothing can be infringed
        return state, unchanged(state, Reason.NOT_STARTED)
    if facts.ball == "white" and state.in_hand and not _cue_ball_lies(state, facts):
        return state, unchanged(state, Reason.NOT_A_STROKE)  # 2.10(a): in-hand it is not in play
    _check_on_table(state, facts)
    parts = _parts(state, facts)
    if facts.act is Act.TOUCHED_IN_CONSULTATION:
        return _order_unchanged(state, facts, parts)
    return _turn_over(state, facts, parts)


def _check_on_table(state: State, facts: ActFacts) -> None:
    ball = facts.ball
    if ball is None or ball == "white" or facts.act is Act.TOUCHED_MARKER:
        return
    if (ball == "red" and not state.reds) or (ball != "red" and ball not in state.colours):
        raise FactsError(f"the {ball} is not on the table")


def _cue_ball_lies(state: State, facts: ActFacts) -> bool:
    """Whether an in-hand cue-ball is on the table, so that a foul ends in-hand (2.9(b)(ii))."""
    return state.cue_placed if facts.cue_ball_on_table is None else facts.cue_ball_on_table


def _parts(state: State, facts: ActFacts) -> tuple[FoulPart, ...]:
    reason = _FOUL[facts.act]
    own_turn = facts.by == state.striker
    base = state.ball_on or "black"
    if base == ANY_COLOUR and not own_turn:
        base = lowest_on(state.reds, state.colours)
    on_value = (
        VALUES[facts.nominated] if facts.nominated in COLOURS and base == ANY_COLOUR else VALUES.get(base, 0)
    )
    concerned = VALUES[facts.ball] if facts.ball else 0
    part = FoulPart(reason, penalty_for(reason, on_value, concerned, state.options.club_rules), facts.ball)
    if base == ANY_COLOUR and facts.nominated is None and own_turn:
        seven = FoulPart(Reason.BEFORE_NOMINATION, 7)
        return (part, seven) if part.penalty == 7 and reason.clause.startswith("3.12(d)") else (seven, part)
    return (part,)


def _order_unchanged(state: State, facts: ActFacts, parts: tuple[FoulPart, ...]) -> tuple[State, Ruling]:
    """3.14(h): penalised as if the striker, without affecting the order of play; the choice stays open."""
    assert facts.by is not None
    worst = deciding(parts)
    after = replace(state, scores=add(state.scores, opponent(facts.by), worst.penalty))
    ruling = unchanged(
        after,
        worst.reason,
        foul=True,
        parts=parts,
        penalty=worst.penalty,
        penalty_to=opponent(facts.by),
        replaced=(facts.ball,) if facts.ball else (),
    )
    return after, ruling


def _turn_over(state: State, facts: ActFacts, parts: tuple[FoulPart, ...]) -> tuple[State, Ruling]:
    """3.11(a): no stroke was made, the turn ends at once; the other side's turn is not touched by it.

    That includes a marker touched by the non-striker (3.2(b)(ii)): the striker goes on, and may ask the
    offender to play, which 3.3(a) excepts from the order of play after any foul.
    """
    assert facts.by is not None
    worst = deciding(parts)
    same_side = side(facts.by) == side(state.striker)
    upcoming, skipped = advance(state, state.striker) if same_side else (state.striker, state.skipped)
    picked = facts.ball if facts.act is Act.PICKED_UP_BALL else None
    reds = state.reds - (picked == "red")
    keeps_on = state.ball_on == ANY_COLOUR and not same_side
    ball_on = ANY_COLOUR if keeps_on else lowest_on(reds, state.colours)
    in_hand = picked == "white" or (state.in_hand and not _cue_ball_lies(state, facts))
    after = replace(
        state,
        reds=reds,
        scores=add(state.scores, opponent(facts.by), worst.penalty),
        striker=upcoming,
        skipped=skipped,
        ball_on=ball_on,
        in_hand=in_hand,
        free_ball=False,
        break_points=0 if same_side else state.break_points,
        spotting=None,
        touching=facts.after.touching,
        foul_since_first=state.foul_since_first or state.strokes > 0,
        unclaimed=None,
    )
    back = (picked,) if picked in COLOURS else ()
    ruling = Ruling(
        worst.reason,
        foul=True,
        parts=parts,
        penalty=worst.penalty,
        penalty_to=opponent(facts.by),
        scores=after.scores,
        break_points=state.break_points,
        respot=due_places(back, facts.placements),
        cue_ball_in_hand=in_hand,
        touching=after.touching,
    )
    if state.only_black:
        return end_on_black(after, ruling)
    return _choices(state, after, facts, ruling)


def _choices(state: State, after: State, facts: ActFacts, ruling: Ruling) -> tuple[State, Ruling]:
    assert facts.by is not None
    others = side(facts.by) != side(state.striker)
    if others and state.pending is Pending.AFTER_FOUL and state.offence is not None:
        return _fouled_again(state, after, state.offence, ruling)
    replaced = state.misses.replaced and facts.by == state.striker and state.pending is Pending.NOTHING
    free = bool(facts.after.snookered) and after.ball_on != ANY_COLOUR
    free = free or (others and state.free_ball)  # the striker's turn goes on as it was
    options = [Choice.PLAY, Choice.AGAIN_LEFT]
    if replaced:
        options.append(Choice.AGAIN_ALL_REPLACED)  # 3.14(d)(v)
    if free:
        options.append(Choice.FREE_BALL)
    offence = Offence(
        facts.by,
        state.ball_on or "red",
        state.free_ball,
        state.in_hand,
        state.reds,
        tuple(options),
        not replaced,
    )
    if others and state.misses.replaced:
        misses = state.misses  # 3.14(h): another's touch changes nothing in the striker's sequence
    else:
        misses = replace(state.misses, replaced=False) if replaced else Misses()
    settled = replace(after, pending=Pending.AFTER_FOUL, offence=offence, misses=misses, free_ball=free)
    ruled = replace(
        ruling,
        miss=Miss.NONE,
        free_ball=free,
        options=tuple(options),
        next_striker=after.striker,
        next_ball_on=after.ball_on,
    )
    return end_of_visit(settled, ruled)


def _fouled_again(state: State, after: State, first: Offence, ruling: Ruling) -> tuple[State, Ruling]:
    """The offender fouls once more while leaving (3.3(i)): what the next player could ask, he still can."""
    settled = replace(after, pending=Pending.AFTER_FOUL, misses=state.misses, free_ball=state.free_ball)
    return settled, replace(
        ruling,
        free_ball=state.free_ball,
        options=first.options,
        next_striker=after.striker,
        next_ball_on=after.ball_on,
    )


def _no_penalty(reason: Reason) -> Callable[[State, ActFacts], tuple[State, Ruling]]:
    def put_right(state: State, facts: ActFacts) -> tuple[State, Ruling]:
        replaced = (facts.ball,) if facts.ball else ()
        return state, unchanged(state, reason, replaced=replaced)

    return put_right


def _tip(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    """3.5(b): no stroke attempted, the cue-ball is not in play."""
    if not state.in_hand:
        raise FactsError(
            "the tip touches the cue-ball while positioning it only in-hand; enter a stroke instead"
        )
    return state, unchanged(state, Reason.NOT_A_STROKE)


def _late_claim(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    return replace(state, unclaimed=None), unchanged(state, Reason.CONDONED, condoned=True)


def _misplaced(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    """3.7(c), 3.11(d): after a stroke they stay; before it the referee corrects his mistake (3.7(a), (i))."""
    named = () if facts.ball is None else (facts.ball,)
    placed = () if facts.after_stroke else due_places(named, facts.placements)
    moved = tuple(p.ball for p in placed)
    return state, unchanged(state, Reason.SPOTTED_WRONGLY, moved=moved, respot=placed)


def _in_error(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    """3.7(b): a colour spotted again after its last pot is removed."""
    if facts.ball not in state.colours:
        raise FactsError(f"a colour on the table must be named, got {facts.ball!r}")
    on = state.ball_on if state.ball_on in COLOURS else None
    if on is None or COLOURS.index(str(facts.ball)) >= COLOURS.index(on):
        raise FactsError(f"the {facts.ball} belongs on the table with {state.ball_on} on")
    after = replace(state, colours=tuple(c for c in state.colours if c != facts.ball))
    return after, unchanged(after, Reason.SPOTTED_IN_ERROR, removed=(str(facts.ball),))


def _missing(state: State, facts: ActFacts) -> tuple[State, Ruling]:
    """3.7(c): spotted without penalty after an oversight, with one when the striker did not wait."""
    if facts.ball not in COLOURS:
        raise FactsError(f"a colour must be named, got {facts.ball!r}")
    placed = due_places((str(facts.ball),), facts.placements)
    after = replace(state, colours=in_order((*state.colours, str(facts.ball))))
    if not facts.early:
        return after, unchanged(after, Reason.MISSING_COLOUR, respot=placed)
    if facts.by is None:
        raise FactsError("a colour missing because a player did not wait needs the player")
    base = VALUES.get(state.ball_on or "", 0)
    part = FoulPart(
        Reason.COLOUR_NOT_SPOTTED,
        penalty_for(Reason.COLOUR_NOT_SPOTTED, base, VALUES[str(facts.ball)]),
        facts.ball,
    )
    settled, ruling = _turn_over(after, facts, (part,))
    return settled, replace(ruling, respot=placed)


_PUT_RIGHT: dict[Act, Callable[[State, ActFacts], tuple[State, Ruling]]] = {
    Act.TIP_TOUCHED_CUE_BALL: _tip,
    Act.LATE_CLAIM: _late_claim,
    Act.BALL_FELL: _no_penalty(Reason.BALL_FELL),
    Act.EQUIPMENT_FAILED: _no_penalty(Reason.NO_FOUL_EQUIPMENT),
    Act.DISTURBED: _no_penalty(Reason.NO_FOUL_OTHERS),
    Act.BALL_CLEANED: _no_penalty(Reason.BALL_CLEANED),
    Act.NOTED: _no_penalty(Reason.NOTED),
    Act.BALL_CHANGED: _no_penalty(Reason.BALL_CHANGED),
    Act.MISPLACED_COLOURS: _misplaced,
    Act.COLOUR_SPOTTED_IN_ERROR: _in_error,
    Act.MISSING_COLOUR: _missing,
}
