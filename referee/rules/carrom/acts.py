"""Carrom: acts without a stroke, each `(state, ...) -> (state, ruling)`; a person enters them.

Violations follow their phase (62 to 64). Due C/m are placed (78 to 89). A board is lost at once (51, 91,
121, 126) or played again (137, 140, 142, 148). Pieces fall without a stroke (69 to 71, 113); a striker
slips (127).
"""

from __future__ import annotations

from referee.rules.carrom.engine import game_state, judge_stroke, lose_board, ruling_of, take_out
from referee.rules.carrom.facts import Phase as Phase
from referee.rules.carrom.reasons import MatchLoss, Reason, Violation
from referee.rules.carrom.types import (
    Piece,
    Queen,
    Returned,
    Ruling,
    Side,
    State,
    Stroke,
    covered_by,
    other,
    with_men,
)
from referee.rules.game import FactsError
from referee.rules.records import replace

PASSES_EACH = 3  # 137
NOTED_LAWS = frozenset(
    (
        "27",
        "28",
        "31",
        "35",
        "36",
        "39(d)",
        "40",
        "41(b)",
        "60(a)",
        "61",
        "90",
        "117",
        "118",
        "119",
        "128",
        "129",
        "132",
        "138",
        "144",
        "145",
        "146",
    )
)


def phase_of(state: State, by: Side, in_stroke: bool = False) -> Phase:
    """The phase of a violation committed now."""
    if by != state.turn:
        return Phase.NOT_HIS_TURN
    if state.first_stroke_made:
        return Phase.AFTER_FIRST_STROKE
    return Phase.DURING_FIRST_STROKE if in_stroke else Phase.BEFORE_FIRST_STROKE


def violation(
    state: State, by: Side, phase: Phase, what: Violation = Violation.OTHER, reason: Reason | None = None
) -> tuple[State, Ruling]:
    """62 to 64: one C/m of the offender comes out; only a foul (64) costs the turn."""
    _in_progress(state)
    if (phase is Phase.NOT_HIS_TURN) != (by != state.turn):
        raise FactsError(
            f"phase {phase.value!r} does not fit: the turn is {state.turn!r}'s, the act {by!r}'s"
        )
    after, returned = take_out(state, by, 0, 1)
    technical = phase in (Phase.NOT_HIS_TURN, Phase.BEFORE_FIRST_STROKE)
    if phase is Phase.NOT_HIS_TURN:
        because = Reason.TECHNICAL_FOUL_OUT_OF_TURN
    else:
        because = Reason.TECHNICAL_FOUL if technical else Reason.FOUL
    if not technical:
        after, queen_out = _turn_lost(after)
        returned = replace(returned, queen=queen_out)
    words = tuple(w for w in (because.words, what.words if what is not Violation.OTHER else "") if w)
    ruling = ruling_of(
        after,
        reason or because,
        foul="technical" if technical else "foul",
        foul_against=by,
        penalty=1,
        returned=returned,
        words=words,
    )
    return after, ruling


def _turn_lost(state: State) -> tuple[State, bool]:
    """The turn passes without a stroke; a Queen not yet covered is taken out (96): (state, whether it is)."""
    out = state.queen is Queen.TO_BE_COVERED and state.failed_cover is None
    after = replace(
        state,
        turn=other(state.turn),
        first_stroke_made=False,
        attempts=0,
        unnoticed_opponent_man=False,
        queen=Queen.ON_BOARD if out else state.queen,
    )
    return after, out


def _in_progress(state: State) -> None:
    if state.over:
        raise FactsError("expected a board in progress, got one that is over")


def call_play(state: State) -> tuple[State, Ruling]:
    """46, 121(a): the umpire calls 'Play': the board has begun, or goes on after an appeal."""
    after = replace(state, play_called=True, appeal_open=False)
    return after, ruling_of(after, Reason.PLAY)


def appeal(state: State) -> tuple[State, Ruling]:
    """121(a): a player appeals: time stops; who plays on before 'Play' loses the board (121(b))."""
    _in_progress(state)
    after = replace(state, appeal_open=True)
    return after, ruling_of(after, Reason.APPEAL)


def played_out_of_turn(state: State, by: Side, noticed: bool) -> tuple[State, Ruling]:
    """51: the board is lost, unless nobody noticed before the next stroke: then the turn is allowed."""
    if by == state.turn:
        raise FactsError(f"it is {by!r}'s turn: that is not out of turn")
    if noticed:
        return lose_board(state, by, Reason.OUT_OF_TURN)
    return state, ruling_of(state, Reason.OUT_OF_TURN_ALLOWED, allowed=True)


def request_set_off(state: State) -> tuple[State, Ruling]:
    """89(a): dues of both players are not set off against each other."""
    return state, ruling_of(state, Reason.NO_SET_OFF, allowed=False)


def forgo(state: State, by: Side, count: int, of: int) -> tuple[State, Ruling]:
    """87(a): due and penalty C/m are forgone in total or not at all; the offender keeps them pocketed."""
    if not 0 < count <= of:
        raise FactsError(f"expected 1 to {of} C/m to forgo, got {count}")
    if count != of:
        return state, ruling_of(state, Reason.FORGO_PARTLY, accepted=False)
    return _without_placing(state, by, Reason.FORGONE, accepted=True)


def decline_placing(state: State, by: Side) -> tuple[State, Ruling]:
    """80: there is space but he does not risk a foul: the claim is forfeited."""
    return _without_placing(state, by, Reason.PLACING_DECLINED)


def _without_placing(
    state: State, by: Side, reason: Reason, accepted: bool | None = None
) -> tuple[State, Ruling]:
    offender = other(by)
    men = state.of(offender)
    back = min(
        state.to_place[1] if state.to_place is not None and state.to_place[0] == by else 0, men.on_board
    )
    new = replace(men, on_board=men.on_board - back, outstanding=0)
    after = replace(state, men=with_men(state.men, offender, new), to_place=None)
    return after, ruling_of(after, reason, accepted=accepted)


def no_space_to_place(state: State, by: Side) -> tuple[State, Ruling]:
    """79, 81: no space: the C/m wait, and are placed as soon as there is some."""
    offender = other(by)
    men = state.of(offender)
    count = (
        min(state.to_place[1], men.on_board) if state.to_place is not None and state.to_place[0] == by else 0
    )
    new = replace(men, on_board=men.on_board - count, outstanding=men.outstanding + count)
    after = replace(state, men=with_men(state.men, offender, new), to_place=None)
    return after, ruling_of(after, Reason.NO_SPACE_TO_PLACE)


def placing_done(state: State) -> tuple[State, Ruling]:
    """84(a): the finger has left the C/m, inside the outer circle."""
    after = replace(state, to_place=None)
    return after, ruling_of(after, Reason.PLACED)


def placing_time_expired(state: State, by: Side) -> tuple[State, Ruling]:
    """88: not placed in 15 seconds: what was placed may be removed, and a foul against the placer."""
    _in_progress(state)
    removed, _ = _without_placing(state, by, Reason.PLACING_EXPIRED)
    after, ruling = violation(removed, by, phase_of(state, by))
    return after, replace(ruling, reason=Reason.PLACING_EXPIRED, words=("Foul",))


def next_stroke_without_return(state: State) -> tuple[State, Ruling]:
    """96, 83: the Queen was not covered, or due C/m were not placed, and nobody noticed before the next
    stroke.

    The Queen is recorded as covered by who pocketed it; the C/m not placed are forfeited.
    """
    _in_progress(state)
    who = state.failed_cover
    if who is None and state.queen is Queen.TO_BE_COVERED:
        who = state.turn
    if who is not None:
        turn = other(who) if state.queen is Queen.TO_BE_COVERED else state.turn
        after = replace(state, queen=covered_by(who), failed_cover=None, turn=turn)
        return after, ruling_of(after, Reason.QUEEN_RECORDED_COVERED)
    by = state.to_place[0] if state.to_place is not None else state.turn
    return _without_placing(state, by, Reason.PLACING_FORFEITED)


def noticed_later(state: State) -> tuple[State, Ruling]:
    """125(b): the opponent's C/m, pocketed unnoticed, stays in; the turn, kept wrongly, is lost now."""
    if not state.unnoticed_opponent_man:
        return state, ruling_of(state, Reason.NOTICED_LATER)
    after, queen_out = _turn_lost(state)
    return after, ruling_of(after, Reason.NOTICED_LATER, returned=Returned(queen=queen_out))


def fell_at_mouth(state: State, piece: Piece) -> tuple[State, Ruling]:
    """71, 113: a piece that balanced on a pocket's mouth falls: properly pocketed, whatever the cause.

    It is as if the player having the turn had pocketed it by a proper stroke (the end of the board, the
    Queen's cover and outstanding dues follow); only a turn is not lost by it, since nobody has struck.
    """
    _in_progress(state)
    me, law = state.turn, Reason.QUEEN_FELL_AT_MOUTH if piece == "queen" else Reason.FELL_AT_MOUTH
    mine = piece == state.of(me).colour
    played = replace(state, break_open=False)
    stroke = Stroke(me, own=int(mine), opponent=int(piece != "queen" and not mine), queen=piece == "queen")
    after, ruling = judge_stroke(played, stroke)
    if after.over:
        return after, ruling
    after = replace(after, turn=me, break_open=state.break_open, first_stroke_made=state.first_stroke_made)
    if piece != "queen":
        queen = state.queen if not mine else after.queen
        after = replace(after, queen=queen, failed_cover=None)
        ruling = replace(ruling, returned=replace(ruling.returned, queen=False))
    return after, _kept(after, ruling, law)


def _kept(state: State, ruling: Ruling, law: Reason) -> Ruling:
    fresh = ruling_of(state, law)
    words = ruling.words if ruling.reason.words else fresh.words
    return replace(fresh, returned=ruling.returned, words=words)


def striker_removed_from_piece(state: State, by: Side, fell: Piece | None) -> tuple[State, Ruling]:
    """69: the striker is lifted off a piece; one that falls at the mouth is pocketed by `by`'s stroke just
    made.
    """
    if fell is None:
        return state, ruling_of(state, Reason.RESTORED)
    _in_progress(state)
    mine, theirs = fell == state.of(by).colour, fell == state.of(other(by)).colour
    stroke = Stroke(by, own=int(mine), opponent=int(theirs), queen=fell == "queen")
    after, ruling = judge_stroke(replace(state, turn=by, break_open=False), stroke)
    if after.over:
        return after, ruling
    return after, replace(ruling, reason=Reason.FELL_WITH_STRIKER_REMOVED)


def piece_removed_from_striker(state: State, by: Side, striker_fell: bool) -> tuple[State, Ruling]:
    """70: a piece lay on the striker; if the striker falls when it is lifted, it is pocketed: a due."""
    if not striker_fell:
        return state, ruling_of(state, Reason.STRIKER_STAYED)
    after, ruling = judge_stroke(replace(state, turn=by, break_open=False), Stroke(by, striker=True))
    return after, replace(ruling, reason=Reason.STRIKER_FELL)


def striker_slipped(state: State, by: Side, left_base_line: bool, moved_man: bool) -> tuple[State, Ruling]:
    """127: a slip that leaves the base lines, or moves a C/m, is a stroke; another is not."""
    if not left_base_line and not moved_man:
        return state, ruling_of(state, Reason.SLIP_NO_STROKE, stroke_made=False)
    touched = None if moved_man else 0
    after, ruling = judge_stroke(state, Stroke(by, touched=touched))
    return after, replace(ruling, reason=Reason.SLIP_STROKE) if ruling.reason is Reason.NOTHING else ruling


def pass_turn(state: State, by: Side) -> tuple[State, Ruling]:
    """137: a turn passed over; three in succession by each cancel the board."""
    _in_progress(state)
    if by != state.turn:
        raise FactsError(f"expected {state.turn!r}, whose turn it is, to pass, got {by!r}")
    a, b = state.passes
    passes = (a + 1, b) if by == "A" else (a, b + 1)
    if min(passes) >= PASSES_EACH:
        return replay_board(state, Reason.THREE_PASSES)
    after, queen_out = _turn_lost(replace(state, passes=passes))
    return after, ruling_of(after, Reason.PASSED, stroke_made=False, returned=Returned(queen=queen_out))


def replay_board(state: State, reason: Reason) -> tuple[State, Ruling]:
    """137, 140, 142, 148(a): the board is cancelled and played again, no points."""
    after = replace(state, over=True, winner=None, extra_demandable=0)
    return after, ruling_of(after, reason, cancelled=True, replay=True, stroke_made=False)


def demand_extra(state: State, by: Side, points: int) -> tuple[State, Ruling]:
    """87(b): the winner of the board demands his additional points, all or some, up to the board's
    maximum.
    """
    if not state.over or by != state.winner or not 0 <= points <= state.extra_demandable:
        raise FactsError(
            f"{by!r} may demand 0 to {state.extra_demandable} points as winner {state.winner!r}, got {points}"
        )
    gain = (points, 0) if by == "A" else (0, points)
    after = replace(
        state,
        scores=(state.scores[0] + gain[0], state.scores[1] + gain[1]),
        extra_demandable=0,
    )
    over, winner, extra_board = game_state(after.scores, state.board_no)
    return after, ruling_of(
        after,
        Reason.EXTRA_DEMANDED,
        board_over=True,
        board_winner=by,
        points=points,
        game_over=over,
        game_winner=winner,
        extra_board=extra_board,
    )


def concede(state: State, by: Side) -> tuple[State, Ruling]:
    """139: a game is conceded at any stage."""
    after = replace(state, over=True, winner=other(by))
    return after, ruling_of(
        after, Reason.CONCEDED, board_over=True, board_winner=other(by), game_over=True, game_winner=other(by)
    )


def lose_match(state: State, loser: Side, why: MatchLoss) -> tuple[State, Ruling]:
    """143: the coordinator takes the whole match from a player."""
    after = replace(state, over=True, winner=other(loser))
    ruling = ruling_of(
        after,
        Reason.MATCH_LOST,
        board_over=True,
        board_winner=other(loser),
        game_over=True,
        game_winner=other(loser),
        match_winner=other(loser),
        words=("Match", why.words),
    )
    return after, ruling


def left_as_it_is(state: State, overlapping: bool) -> tuple[State, Ruling]:
    """67, 68: a piece that stands on its rim, or two that overlap, are left so."""
    return state, ruling_of(state, Reason.LEFT_OVERLAPPING if overlapping else Reason.LEFT_ON_RIM)


def restored(state: State, reason: Reason = Reason.RESTORED) -> tuple[State, Ruling]:
    """69(a), 70(a), 120, 134, 141: the umpire puts pieces back, as far as possible."""
    return state, ruling_of(state, reason, repositioned=True, returned=Returned())


def protest(state: State, upheld: bool) -> tuple[State, Ruling]:
    """147, 148: play goes on after a protest; upheld, the match goes on from that board's beginning."""
    if upheld:
        return replay_board(state, Reason.PROTEST_UPHELD)
    return state, ruling_of(state, Reason.PROTEST_OVERRULED)


def note(state: State, clause: str, text: str = "") -> tuple[State, Ruling]:
    """A law that software cannot enforce (seats, practice, intervals, talk): it is only written down.

    Raises FactsError for a law that is not one of `NOTED_LAWS`.
    """
    if clause not in NOTED_LAWS:
        raise FactsError(f"expected a law that is only noted, one of {sorted(NOTED_LAWS)}, got {clause!r}")
    return state, ruling_of(state, Reason.NOTED, words=tuple(w for w in (f"Noted, law {clause}", text) if w))
