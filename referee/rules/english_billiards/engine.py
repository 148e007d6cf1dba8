"""English billiards: `(state, stroke) -> (state, ruling)`, pure.

Source: The Official Rules of English Billiards (clauses `billiards ...`), with the commentary's options
(`billiards001 ...`). `opening` begins a game; `judge_stroke` and `choose` carry it on; acts without a
stroke are in `acts`.
"""

from __future__ import annotations

from calibration.table.specs import PointMm
from referee.rules.english_billiards.fouls import faults, in_crossing_window, is_hazard, is_pure_cannon
from referee.rules.english_billiards.spots import (
    hazard_limit_placement,
    red_after,
    respot_for_in_hand,
    spot_red,
)
from referee.rules.english_billiards.types import (
    CANNON_ANNOUNCED,
    CROSSING_FROM,
    HAZARD_ANNOUNCED,
    PENALTY_POINTS,
    Ball,
    Option,
    Placement,
    Reason,
    RedState,
    Rules,
    Ruling,
    Score,
    Side,
    Spot,
    State,
    Stroke,
    added,
    index,
    other,
    side_of,
    with_value,
)
from referee.rules.game import FactsError
from referee.rules.records import replace

_MISSES = {Reason.MISS, Reason.FOUL_MISS, Reason.COUP}  # 2.16: no object ball was contacted
_CANNON = 2  # 3.4(a)
_POT = {"red": 3, "white": 2}  # 3.4(a), (b)
_IN_OFF = {"red": 3, "white": 2}  # 3.4(a), (b), (d)


def opening(first: Side = "A", rules: Rules = Rules(), order: tuple[str, ...] | None = None) -> State:  # noqa: B008
    """The start of a game (3.2): red on the Spot, both whites in-hand; `order` for four-handed play
    (3.17).
    """
    players = order if order is not None else (first, other(first))
    return State(order=players, rules=rules)


def score_parts(stroke: Stroke) -> tuple[Score, ...]:
    """The score of a fair stroke (3.4): cannon, pots and in-off are all added."""
    met = stroke.object_contacts
    parts: list[Score] = []
    if {"red", "white"} <= set(met):
        parts.append(Score("cannon", _CANNON))
    if met:
        parts += [Score("pot_red" if b == "red" else "pot_white", _POT[b]) for b in stroke.potted]
    if met and stroke.cue_ball == "pocketed":
        if stroke.simultaneous_first:
            parts.append(Score("in_off_both", 2))  # 3.4(d)(iii)
        else:
            kind = "in_off_red" if met[0] == "red" else "in_off_white"  # 2.8: the first one contacted
            parts.append(Score("in_off_red" if kind == "in_off_red" else "in_off_white", _IN_OFF[met[0]]))
    return tuple(parts)


def judge_stroke(state: State, stroke: Stroke) -> tuple[State, Ruling]:
    """Rules one stroke.

    Raises FactsError when the game is over or the player is not in it.
    """
    if state.over:
        raise FactsError(f"a stroke needs a game in progress, got one that is over, by {stroke.by!r}")
    if stroke.by not in state.order:
        raise FactsError(f"the striker must be one of {state.order!r}, got {stroke.by!r}")
    if stroke.wrong_white and not state.started:
        return state, _void_opening(state)
    _check_balls(state, stroke)
    parts = score_parts(stroke)
    found = faults(state, stroke, parts)
    condoned = bool(found) and not stroke.called and found != (Reason.MISS,)
    if condoned:
        found = ()
    foul = bool(found) and found != (Reason.MISS,)
    if any(f.would_have_been_hit for f in stroke.fell_untouched):
        return _replaced_all(state, stroke, found if foul else ())
    if foul:
        return _foul(state, stroke, found)
    return _fair(state, stroke, parts, found, condoned)


def _check_balls(state: State, stroke: Stroke) -> None:
    """A ball that is off the table can be neither met nor lost."""
    named = {*stroke.object_contacts, *stroke.potted, *stroke.off_table}
    if "white" in named and state.in_hand[index(other(side_of(stroke.by)))]:
        raise FactsError("the object white is off the table, got a stroke that met or lost it")
    if "red" in named and state.red.off_table:
        raise FactsError("the red is off the table, got a stroke that met or lost it")


def _void_opening(state: State) -> Ruling:
    """3.2(b): the wrong white at the opening; the game is started again."""
    return Ruling(
        Reason.VOID_OPENING,
        scores=state.scores,
        next_striker=state.striker,
        in_hand=True,
        restart=True,
        words=(Reason.VOID_OPENING.words,),
    )


def _replaced_all(state: State, stroke: Stroke, found: tuple[Reason, ...]) -> tuple[State, Ruling]:
    """3.11(b): a ball on the edge fell that would have been hit: all balls go back where they were."""
    everything: tuple[Ball, ...] = ("cue", "white", "red")
    if found:
        after, ruling = _penalised(state, side_of(stroke.by), found)
        return after, replace(ruling, replaced=everything, in_hand=after.striker_in_hand)
    ruling = Ruling(
        Reason.REPLAY,
        scores=state.scores,
        break_points=state.break_points,
        next_striker=state.striker,
        in_hand=state.striker_in_hand,
        replaced=everything,
        replay=True,
        words=(Reason.REPLAY.words,),
    )
    return state, ruling


def _fair(
    state: State, stroke: Stroke, parts: tuple[Score, ...], found: tuple[Reason, ...], condoned: bool
) -> tuple[State, Ruling]:
    """A fair stroke or a mere miss: points, hands, spots, limits and who plays on."""
    points = sum(p.points for p in parts)
    miss = found == (Reason.MISS,)
    table_state, placed = _balls_after(state, stroke, points)
    after = _counted(table_state, stroke, parts)
    scores = added(state.scores, side_of(stroke.by), points)
    if miss:
        scores = added(scores, other(side_of(stroke.by)), PENALTY_POINTS)
    total = state.break_points + points
    after = replace(after, scores=scores, break_points=total, started=True, options=())
    words = _score_words(after, total, points, miss)
    white = hazard_limit_placement(state, after.hazards, stroke, _red_place(placed)) if points else None
    if white is not None:
        placed = (*placed, white)
        after = replace(after, in_hand=with_value(after.in_hand, other(state.side), False))
    if points == 0:
        after = _turn_passed(after)
    after, placed = _touching_ball(after, state, stroke, placed)
    reason = Reason.MISS if miss else Reason.SCORED if points else Reason.NO_SCORE
    ruling = Ruling(
        reason,
        miss=miss,
        faults=found,
        penalty=PENALTY_POINTS if miss else 0,
        penalty_to=other(state.side) if miss else None,
        points=points,
        parts=parts,
        break_points=total,
        placed=placed,
        replaced=tuple(f.ball for f in stroke.fell_untouched),
        words=words,
        condoned=condoned,
    )
    return _finished(after, stroke, ruling)


def _foul(state: State, stroke: Stroke, found: tuple[Reason, ...]) -> tuple[State, Ruling]:
    """3.15: no points for the stroke, two to the other side, options for the next player."""
    if stroke.by == state.striker:
        table_state, placed = _balls_after(state, stroke, None)
    else:
        table_state, placed = state, ()  # out of turn: the referee restores what was moved
    after, ruling = _penalised(table_state, side_of(stroke.by), found)
    after = replace(after, started=True, touching=_next_touches(after, state, stroke))
    ruling = replace(ruling, placed=placed, replaced=tuple(f.ball for f in stroke.fell_untouched))
    return _finished(after, stroke, ruling)


def _penalised(state: State, offender: Side, found: tuple[Reason, ...]) -> tuple[State, Ruling]:
    """Two points to the other side, its player next, with both options (3.15(c))."""
    to = other(offender)
    scores = added(state.scores, to, PENALTY_POINTS)
    broke = state.break_points
    if state.side == offender:
        after = _turn_passed(replace(state, scores=scores))
    else:
        after = replace(state, scores=scores)
    options = (Option.POSITION, Option.IN_HAND)
    after = replace(after, options=options)
    after, over = _ended_by_points(after)
    ruling = Ruling(
        found[0],
        foul=True,
        miss=bool(_MISSES & set(found)),
        faults=found,
        penalty=PENALTY_POINTS,
        penalty_to=to,
        scores=after.scores,
        break_points=broke,
        next_striker=None if over else after.striker,
        in_hand=after.striker_in_hand,
        options=() if over else options,
        words=("Foul",),
        game_over=over,
        winner=after.winner,
    )
    return after, ruling


def penalise(state: State, offender: Side, reason: Reason) -> tuple[State, Ruling]:
    """A foul without a stroke (3.15(a)): the turn ends at once, two points, the usual options."""
    return _penalised(replace(state, started=True), offender, (reason,))


def _balls_after(
    state: State, stroke: Stroke, fair_points: int | None
) -> tuple[State, tuple[Placement, ...]]:
    """Whose white is in-hand and where the red is after the stroke; spots a red that is off (3.8)."""
    fell = {f.ball for f in stroke.fell_untouched}
    cue_gone = stroke.cue_ball != "on_table" and "cue" not in fell
    white_gone = ("white" in stroke.potted or "white" in stroke.off_table) and "white" not in fell
    me, opponent = state.side, other(state.side)
    in_hand = with_value(state.in_hand, me, cue_gone)
    by_owner = with_value(state.off_by_owner, me, cue_gone)
    if white_gone:
        in_hand = with_value(in_hand, opponent, True)
        by_owner = with_value(by_owner, opponent, False)
    red, centre_due = red_after(state, stroke, fair_points)
    red, red_placed = spot_red(red, centre_due, stroke, state.rules.table)
    after = replace(state, in_hand=in_hand, off_by_owner=by_owner, red=red, must_play_in_hand=False)
    return after, () if red_placed is None else (red_placed,)


def _red_place(placed: tuple[Placement, ...]) -> PointMm | None:
    return next(((p.x_mm, p.y_mm) for p in placed if p.ball == "red"), None)


def _counted(state: State, stroke: Stroke, parts: tuple[Score, ...]) -> State:
    """Counts consecutive hazards and cannons (3.9, 3.10) and the crossing (billiards001 2.13)."""
    hazards = state.hazards + 1 if is_hazard(parts) else 0
    cannons = state.cannons + 1 if is_pure_cannon(parts) else 0
    total = state.break_points + sum(p.points for p in parts)
    crossed = state.crossed or (stroke.crossed_baulk_line and in_crossing_window(state.break_points))
    if total // 100 > state.break_points // 100:
        crossed = False
    return replace(
        state,
        hazards=hazards,
        cannons=cannons,
        crossed=crossed,
        hazards_at=state.hazards_at if hazards else None,
        cannons_at=state.cannons_at if cannons else None,
    )


def _turn_passed(state: State) -> State:
    """The turn ends: counts of the break begin anew (3.8(b) "in one break", 3.9, 3.10)."""
    return replace(
        state,
        turn=(state.turn + 1) % len(state.order),
        break_points=0,
        hazards=0,
        cannons=0,
        hazards_at=None,
        cannons_at=None,
        crossed=False,
        red=replace(state.red, pots=0),
        must_play_in_hand=False,
    )


def _next_touches(after: State, before: State, stroke: Stroke) -> bool:
    """3.13: the next striker's ball remains touching another ball."""
    if stroke.by != before.striker or after.in_hand[index(after.side)]:
        return False
    mine: Ball = "cue" if after.side == before.side else "white"
    return any(mine in pair for pair in stroke.touching)


def _touching_ball(
    after: State, before: State, stroke: Stroke, placed: tuple[Placement, ...]
) -> tuple[State, tuple[Placement, ...]]:
    """3.13: red on the Spot, the other white on the Centre Spot if on the table, play from in-hand."""
    if not _next_touches(after, before, stroke):
        return after, placed
    if after.rules.touching_needs_consent and not stroke.touching_consent:
        return after, placed  # billiards001 2.10
    return _respotted(after, white_too=False)


def _respotted(state: State, white_too: bool) -> tuple[State, tuple[Placement, ...]]:
    """Red to the Spot, object white to the Centre Spot (`white_too`: even when it is off the table)."""
    opponent = other(state.side)
    white = white_too or not state.in_hand[index(opponent)]
    spots = respot_for_in_hand(white, state.rules.table)
    in_hand = with_value(state.in_hand, opponent, state.in_hand[index(opponent)] and not white)
    red = RedState(Spot.SPOT, 0)
    after = replace(state, in_hand=in_hand, red=red, must_play_in_hand=True, touching=False)
    return after, spots


def _score_words(after: State, total: int, points: int, miss: bool) -> tuple[str, ...]:
    """Break total and the announcements of 3.9(a), 3.10(a), billiards001 2.13.2."""
    words = ["Miss"] if miss else [str(total)] if points else []
    if after.hazards == HAZARD_ANNOUNCED:
        words.append("TEN HAZARDS")
    if after.cannons == CANNON_ANNOUNCED:
        words.append("SEVENTY CANNONS")
    if (
        after.rules.baulk_crossing
        and not after.crossed
        and total % 100 >= CROSSING_FROM > (total - points) % 100
    ):
        words.append("Baulk-line to be crossed")
    return tuple(words)


def _ended_by_points(state: State) -> tuple[State, bool]:
    """3.5(d): a player reaches or passes the target; only the points required are counted."""
    target = state.rules.target
    if target is None or max(state.scores) < target:
        return state, False
    winner: Side = "A" if state.scores[0] >= target else "B"
    capped = (min(state.scores[0], target), min(state.scores[1], target))
    return replace(state, scores=capped, over=True, winner=winner), True


def _finished(state: State, stroke: Stroke, ruling: Ruling) -> tuple[State, Ruling]:
    """Ends the game by points or time, and writes who is next and whether from in-hand."""
    state, over = _ended_by_points(state)
    words = ruling.words
    if stroke.time_called:
        words = (*words, "Time")
        if stroke.final_session and not over:
            state, over = ended_by_time(state), True
    ruling = replace(
        ruling,
        scores=state.scores,
        next_striker=None if over else state.striker,
        in_hand=state.striker_in_hand,
        game_over=over,
        winner=state.winner,
        words=words,
        options=() if over else ruling.options,
    )
    return state, ruling


def ended_by_time(state: State) -> State:
    """3.5(b): the final session is over; level scores leave the tie-break to the event (3.5(c))."""
    a, b = state.scores
    return replace(state, over=True, winner="A" if a > b else "B" if b > a else None)


def choose(state: State, by: Side, option: Option) -> tuple[State, Ruling]:
    """The next player takes an option after a foul (3.15(c)); it cannot be taken back.

    Raises FactsError when there is nothing to choose or the wrong side chooses.
    """
    if option not in state.options:
        raise FactsError(
            f"expected one of the options {[o.value for o in state.options]}, got {option.value!r}"
        )
    if by != state.side:
        raise FactsError(f"the option belongs to {state.side!r}, got {by!r}")
    after = replace(state, options=())
    placed: tuple[Placement, ...] = ()
    if option is Option.IN_HAND:
        after, placed = _respotted(after, white_too=True)
    elif state.touching:
        after, placed = _respotted(after, white_too=False)
    ruling = Ruling(
        Reason.CHOICE,
        scores=after.scores,
        next_striker=after.striker,
        in_hand=after.striker_in_hand,
        placed=placed,
    )
    return after, ruling
