"""Carrom: `(state, stroke) -> (state, ruling)`, pure.

Source: Laws of Carrom 27 to 148 (clauses `carrom N`). `opening` begins a board; `judge_stroke` carries it
on; acts without a stroke are in `acts`, a board's end in `ends`.
"""

from __future__ import annotations

from dataclasses import dataclass

from calibration.table.board import MEN_EACH
from referee.rules.carrom.ends import End, board_end, queen_points
from referee.rules.carrom.placing import placings
from referee.rules.carrom.reasons import Reason
from referee.rules.carrom.types import (
    BOARD_MAXIMUM,
    BREAK_CHANCES,
    GAME_BOARDS,
    GAME_POINTS,
    Fall,
    Men,
    Queen,
    Returned,
    Ruling,
    Side,
    State,
    Stroke,
    covered_by,
    index,
    other,
    with_men,
)
from referee.rules.game import FactsError, in_turn
from referee.rules.records import replace


@dataclass(frozen=True)
class _QueenRuling:
    """The Queen after a stroke: its state, whether it is taken out, whether it settles the turn."""

    queen: Queen
    returned: bool = False
    turn_kept: bool | None = None
    reason: Reason | None = None


def opening(breaker: Side = "A", scores: tuple[int, int] = (0, 0), board_no: int = 1) -> State:
    """A new board (41 to 43): the breaker has white, nine C/m each, the Queen in the centre."""
    white, black = Men("white"), Men("black")
    men = (white, black) if breaker == "A" else (black, white)
    return State(turn=breaker, men=men, scores=scores, board_no=board_no, break_open=True, play_called=False)


def breaker(first: Side, game: int, board: int) -> Side:
    """49(a): players break alternately within a game; game 2 begins with the other, game 3 as game 1."""
    if game < 1 or board < 1:
        raise FactsError(f"games and boards are numbered from 1, got game {game!r}, board {board!r}")
    return in_turn(first, game + board)


def judge_stroke(state: State, stroke: Stroke) -> tuple[State, Ruling]:
    """Rules one stroke.

    Raises FactsError when the board is over, it is the other's turn (an out-of-turn stroke is an act:
    `acts.played_out_of_turn`), or more pieces fell than there were.
    """
    _check(state, stroke)
    if not stroke.infringements:
        return _judged(state, stroke)
    after, ruling = _judged(state, replace(stroke, proper=False))
    return after, replace(ruling, words=(*ruling.words, *(v.words for v in stroke.infringements)))


def _judged(state: State, stroke: Stroke) -> tuple[State, Ruling]:
    """A stroke that `proper` alone says the manner of."""
    if state.appeal_open:
        return lose_board(state, stroke.by, Reason.PLAYED_ON_APPEAL)
    state = _unnoticed_before(replace(state, passes=(0, 0), to_place=None))
    was_open = state.break_open
    if was_open:
        settled = _break(state, stroke)
        if settled is not None:
            return settled
        state = replace(state, break_open=False)
    end = board_end(state, stroke)
    if end is not None:
        return end_board(_queen_settled(_pieces_gone(state, stroke), stroke), end)
    after, ruling = _play_goes_on(state, stroke)
    return after, replace(ruling, break_made=True) if was_open else ruling


def _unnoticed_before(state: State) -> State:
    """96: what nobody noticed before this stroke: a Queen that the opponent left uncovered counts as
    covered.
    """
    if state.queen is Queen.TO_BE_COVERED and state.failed_cover == other(state.turn):
        return replace(state, queen=covered_by(other(state.turn)), failed_cover=None)
    return state


def _check(state: State, stroke: Stroke) -> None:
    if state.over:
        raise FactsError(f"a stroke needs a board in progress, got one that is over, by {stroke.by!r}")
    if stroke.by != state.turn:
        raise FactsError(f"expected a stroke by {state.turn!r}, whose turn it is, got one by {stroke.by!r}")
    for name, fell, men in (
        ("own", stroke.own, state.of(stroke.by)),
        ("opponent", stroke.opponent, state.of(other(stroke.by))),
    ):
        jumped = stroke.overboard.count(men.colour)
        if fell + jumped > men.on_board:
            raise FactsError(
                f"{fell} {name} C/m pocketed and {jumped} overboard, but {men.on_board} were on the board"
            )
    if (stroke.queen or "queen" in stroke.overboard) and state.queen is not Queen.ON_BOARD:
        raise FactsError(f"the Queen cannot fall or jump while it is {state.queen.value!r}")


def _break(state: State, stroke: Stroke) -> tuple[State, Ruling] | None:
    """44 to 47: a break attempt; None when the break is made and rules as any stroke does."""
    moved = stroke.own + stroke.opponent + stroke.queen + len(stroke.overboard) > 0
    touched = moved or stroke.touched is None or stroke.touched > 0
    if not state.play_called:
        return _broke_before_play(state, stroke, touched)
    if touched:
        return None
    if not stroke.proper or stroke.striker:
        return _break_passes(state, Reason.BREAK_FAULT, state.attempts + 1)
    attempts = state.attempts + 1
    if attempts >= BREAK_CHANCES:
        return _break_passes(state, Reason.BREAK_LOST, attempts)
    after = replace(state, attempts=attempts)
    return after, ruling_of(after, Reason.BREAK_NOT_MADE, break_made=False, attempts=attempts)


def _break_passes(state: State, reason: Reason, attempts: int) -> tuple[State, Ruling]:
    """45(b), (c): the turn to break passes; the opponent keeps black, nothing is arranged anew, no due."""
    after = replace(state, turn=other(state.turn), attempts=0)
    return after, ruling_of(after, reason, break_made=False, attempts=attempts, break_right_lost=True)


def _broke_before_play(state: State, stroke: Stroke, touched: bool) -> tuple[State, Ruling]:
    """47: his C/m and the Queen come out again, a foul, the turn is lost; the opponent's C/m stay in."""
    opened = replace(state, break_open=not touched, play_called=True, attempts=0)
    after, ruling = _play_goes_on(opened, replace(stroke, proper=False), Reason.BEFORE_PLAY)
    return after, replace(ruling, break_made=touched)


def _pieces_gone(state: State, stroke: Stroke) -> State:
    """The board after the stroke, before anything is taken out: what fell is off it."""
    me, opponent = state.of(stroke.by), state.of(other(stroke.by))
    men = with_men(
        state.men,
        stroke.by,
        replace(me, on_board=me.on_board - stroke.own, ever_pocketed=me.ever_pocketed or stroke.own > 0),
    )
    men = with_men(
        men,
        other(stroke.by),
        replace(
            opponent,
            on_board=opponent.on_board - stroke.opponent,
            ever_pocketed=opponent.ever_pocketed or stroke.opponent > 0,
        ),
    )
    return replace(state, men=men)


def _queen_settled(state: State, stroke: Stroke) -> State:
    """97(a): a clean stroke that pockets own C/m with the Queen, or while covering it, covers it at the end
    too.
    """
    clean = stroke.proper and not stroke.striker and stroke.own > 0
    if clean and (stroke.queen or state.queen is Queen.TO_BE_COVERED):
        return replace(state, queen=covered_by(stroke.by))
    return state


def _play_goes_on(state: State, stroke: Stroke, because: Reason | None = None) -> tuple[State, Ruling]:
    """72 to 77, 92 to 101: what comes out, what is due, whose turn it is."""
    me = stroke.by
    clean = stroke.proper and not stroke.striker
    own_returned = 0 if clean else stroke.own
    due, penalty = int(stroke.striker), int(not stroke.proper)
    after = _pieces_gone(state, stroke)
    men = after.of(me)
    after = replace(after, men=with_men(after.men, me, replace(men, on_board=men.on_board + own_returned)))
    after, returned = take_out(after, me, due, penalty)
    if stroke.opponent:  # 78(b)(ii): the opponent's outstanding C/m become available
        after, late = take_out(after, other(me), 0, 0)
        returned = replace(returned, due=returned.due + late.due)
    queen = _queen_after(state, stroke)
    kept = queen.turn_kept if queen.turn_kept is not None else stroke.proper and stroke.own > 0
    reason = because or queen.reason or _reason(stroke)
    if reason is Reason.OPPONENT and not stroke.noticed:
        kept, reason = True, Reason.OPPONENT_UNNOTICED
    after = _next(after, stroke, queen, kept)
    unnoticed = state.unnoticed_opponent_man or reason is Reason.OPPONENT_UNNOTICED
    after = replace(
        after, unnoticed_opponent_man=unnoticed and kept
    )  # 125(b): while the turn wrongly goes on
    placed = placings(stroke.overboard, state.of(me).colour, me)
    ruling = ruling_of(
        after,
        reason,
        due=due,
        penalty=penalty,
        foul=None if stroke.proper else "foul",
        foul_against=None if stroke.proper else me,
        placings=placed,
        repositioned=Fall.FELL_BACK in stroke.falls,
        returned=replace(returned, own=own_returned, queen=queen.returned),
    )
    return after, ruling


def _next(after: State, stroke: Stroke, queen: _QueenRuling, kept: bool) -> State:
    failed = stroke.by if queen.reason in (Reason.QUEEN_NOT_COVERED, Reason.QUEEN_UNNOTICED) else None
    return replace(
        after,
        queen=queen.queen,
        failed_cover=failed,
        turn=stroke.by if kept else other(stroke.by),
        first_stroke_made=kept,
        attempts=0,
    )


def take_out(state: State, side: Side, due: int, penalty: int) -> tuple[State, Returned]:
    """72(c), 78(a): due and penalty C/m come out as far as there are any in the pockets; the rest waits."""
    men = state.of(side)
    owed = men.outstanding + due + penalty
    taken = min(men.pocketed, owed)
    new = replace(men, on_board=men.on_board + taken, outstanding=owed - taken)
    as_due = min(taken, men.outstanding + due)
    after = replace(state, men=with_men(state.men, side, new))
    if taken:
        after = replace(after, to_place=(other(side), taken))
    return after, Returned(due=as_due, penalty=taken - as_due)


def has_queen_right(men: Men) -> bool:
    """92, 95: a C/m of his own has been pocketed before, and no due is outstanding against him."""
    return men.outstanding == 0 and (men.on_board < MEN_EACH or men.ever_pocketed)


def _queen_after(state: State, stroke: Stroke) -> _QueenRuling:
    if stroke.queen:
        return _queen_pocketed(state, stroke)
    if state.queen is Queen.TO_BE_COVERED:
        return _covering(state, stroke)
    return _QueenRuling(state.queen)


def _queen_pocketed(state: State, stroke: Stroke) -> _QueenRuling:
    """92, 95, 97 to 99: the Queen fell in this stroke."""
    men = state.of(stroke.by)
    nine = men.on_board == MEN_EACH
    out = Queen.ON_BOARD
    if not stroke.proper:
        pair = Reason.QUEEN_OWN_STRIKER_IMPROPER if stroke.own else Reason.QUEEN_STRIKER_IMPROPER
        return _QueenRuling(out, True, False, pair if stroke.striker else Reason.IMPROPER_QUEEN)
    if men.outstanding:
        return _QueenRuling(out, True, False, Reason.QUEEN_UNDER_DUE)
    if stroke.striker and stroke.own:
        return _QueenRuling(out, True, True, Reason.QUEEN_OWN_STRIKER)
    if stroke.striker:
        lost = _QueenRuling(out, True, False, Reason.QUEEN_STRIKER_NINE)
        return lost if nine else _QueenRuling(out, True, True, Reason.QUEEN_STRIKER)
    if not stroke.own:
        if has_queen_right(men):
            return _QueenRuling(Queen.TO_BE_COVERED, False, True, Reason.QUEEN)
        return _QueenRuling(out, True, False, Reason.QUEEN_NO_RIGHT)
    if nine and stroke.own == 1:
        return _QueenRuling(Queen.TO_BE_COVERED, False, True, Reason.QUEEN_ONE_OF_NINE)
    reason = Reason.QUEEN_TWO_OF_NINE if nine else Reason.QUEEN_COVERED
    return _QueenRuling(covered_by(stroke.by), False, True, reason)


def _covering(state: State, stroke: Stroke) -> _QueenRuling:
    """96, 100, 101: the stroke that has to cover the Queen."""
    out = Queen.ON_BOARD
    if not stroke.proper:
        if stroke.striker:
            pair = Reason.COVERING_OWN_STRIKER_IMPROPER if stroke.own else Reason.COVERING_STRIKER_IMPROPER
            return _QueenRuling(out, True, False, pair)
        return _QueenRuling(out, True, False, _reason(stroke))
    if stroke.striker:
        if stroke.own:
            return _QueenRuling(Queen.TO_BE_COVERED, False, True, Reason.COVERING_OWN_STRIKER)
        return _QueenRuling(out, True, False, Reason.COVERING_STRIKER)
    if stroke.own:
        return _QueenRuling(covered_by(stroke.by), False, True, Reason.QUEEN_COVERED)
    if not stroke.noticed:
        return _QueenRuling(Queen.TO_BE_COVERED, False, False, Reason.QUEEN_UNNOTICED)
    return _QueenRuling(out, True, False, Reason.QUEEN_NOT_COVERED)


_PLAIN: dict[tuple[bool, bool, bool, bool], Reason] = {
    # (proper, striker, own, opponent) -> law
    (True, False, False, False): Reason.NOTHING,
    (True, False, True, False): Reason.OWN,
    (True, False, True, True): Reason.OWN,
    (True, False, False, True): Reason.OPPONENT,
    (True, True, False, False): Reason.DUE,
    (True, True, True, False): Reason.OWN_WITH_STRIKER,
    (True, True, False, True): Reason.OPPONENT_WITH_STRIKER,
    (True, True, True, True): Reason.BOTH_WITH_STRIKER,
    (False, False, False, False): Reason.IMPROPER,
    (False, False, True, False): Reason.IMPROPER_OWN,
    (False, False, True, True): Reason.IMPROPER_OWN,
    (False, False, False, True): Reason.IMPROPER_OPPONENT,
    (False, True, False, False): Reason.DUE_AND_FOUL,
    (False, True, True, False): Reason.IMPROPER_OWN_WITH_STRIKER,
    (False, True, True, True): Reason.IMPROPER_OWN_WITH_STRIKER,
    (False, True, False, True): Reason.IMPROPER_OPPONENT,
}


def _reason(stroke: Stroke) -> Reason:
    return _PLAIN[stroke.proper, stroke.striker, stroke.own > 0, stroke.opponent > 0]


def end_board(state: State, end: End) -> tuple[State, Ruling]:
    """Scores a board that is over (52 to 56): the game too, if it is 25 points or the eighth board.

    All due and penalty C/m are written off (55). A tie after eight boards asks for an extra one (56(b)).
    """
    gain = (end.points, 0) if end.winner == "A" else (0, end.points)
    scores = (state.scores[0] + gain[0], state.scores[1] + gain[1])
    men = (replace(state.men[0], outstanding=0), replace(state.men[1], outstanding=0))
    after = replace(
        state,
        men=men,
        scores=scores,
        over=True,
        winner=end.winner,
        to_place=None,
        extra_demandable=min(end.extra, BOARD_MAXIMUM - end.points),
    )
    over, winner, extra_board = game_state(scores, state.board_no)
    ruling = ruling_of(
        after,
        end.reason,
        board_over=True,
        board_winner=end.winner,
        points=end.points,
        extra=end.extra,
        game_over=over,
        game_winner=winner,
        extra_board=extra_board,
        words=(f"Board, {end.points} point{'' if end.points == 1 else 's'}", *(("Game",) if over else ())),
    )
    return after, ruling


def lose_board(state: State, loser: Side, reason: Reason) -> tuple[State, Ruling]:
    """51, 91, 121(b), 126(b): lost by his C/m on the board, with the Queen's points if it lies there.

    A Queen that the winner has covered is his to count as well (53(b)); from 22 on C/m only.
    """
    if state.over:
        raise FactsError("expected a board in progress, got one that is over")
    winner = other(loser)
    points = state.of(loser).on_board
    if state.queen is not covered_by(loser):
        points += queen_points(state.scores[index(winner)])
    return end_board(state, End(winner, min(points, BOARD_MAXIMUM), 0, reason))


def game_state(scores: tuple[int, int], board_no: int) -> tuple[bool, Side | None, bool]:
    """56: (over, winner, extra board needed) after a board."""
    leader: Side | None = "A" if scores[0] > scores[1] else "B" if scores[1] > scores[0] else None
    if max(scores) >= GAME_POINTS or (board_no >= GAME_BOARDS and leader is not None):
        return True, leader, False
    return False, None, board_no >= GAME_BOARDS


def ruling_of(state: State, reason: Reason, **fields: object) -> Ruling:
    """A ruling with what the state says filled in; a board that is over has no next turn."""
    base = Ruling(
        reason,
        next_turn=None if state.over else state.turn,
        queen=state.queen,
        scores=state.scores,
        outstanding=(state.men[0].outstanding, state.men[1].outstanding),
        on_board=(state.men[0].on_board, state.men[1].on_board),
        words=(reason.words,) if reason.words else (),
    )
    return replace(base, **fields)  # type: ignore[arg-type]
