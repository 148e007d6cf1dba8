"""Case adapter of carrom: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from calibration.table.board import MEN_EACH
from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.values import flag, listed, named, needed, only, table, whole
from referee.rules.carrom import facts
from referee.rules.carrom.engine import breaker
from referee.rules.carrom.facts import BoardLoss, Fact, Phase, Replay
from referee.rules.carrom.game import GAME as GAME
from referee.rules.carrom.reasons import INFRINGEMENTS, MatchLoss, Violation
from referee.rules.carrom.types import (
    SIDES,
    Fall,
    Men,
    Piece,
    Queen,
    Returned,
    Ruling,
    Side,
    State,
    Stroke,
    index,
    other,
)
from referee.rules.common.match import Match

_EXTRA = "demand_extra"  # an option for whole matches: every additional point of 87(b) is demanded


@dataclass(frozen=True, slots=True)
class Notes:
    """The parts of a case beside the board: who broke first in the match; all extra points are demanded."""

    first_breaker: Side
    demand_extra: bool
    begun: bool = False


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The next board: the breaker (49(a)) has white; scores go on within a game; a cancelled board recurs."""
    game_on = bool(before) and not before.get("game_over")
    board = int(before["board_no"]) + (0 if before.get("board_cancelled") else 1) if game_on else 1
    who = breaker(match.first_breaker, match.racks_played + 1, board)
    white, black = {"colour": "white", "on_board": 9}, {"colour": "black", "on_board": 9}
    return {
        "striker_player": who,
        "A": white if who == "A" else black,
        "B": black if who == "A" else white,
        "queen": "on_board",
        "break_": True,
        "play_called": True,
        "board_no": board,
        "game_scores": before["scores"] if game_on else {"A": 0, "B": 0},
        **settings,
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, Notes]:
    """The board before the first step."""
    if set(options) - {_EXTRA}:
        raise CaseError(f"expected the option {_EXTRA!r}, got {sorted(set(options) - {_EXTRA})!r}")
    first = _side(table(start, "match").get("first_breaker", "A"))
    return Position(_state(start), Notes(first, bool(options.get(_EXTRA))))


def advance(position: Position[State, Notes], step: Step) -> Ruled[State, Notes]:
    """One step: its facts, their rulings, and what came by the vocabulary's names."""
    before, notes = position.state, position.notes
    if step["type"] == "query":
        return Ruled(position, (), (), _query(notes.first_breaker, step))
    fact = _fact(before, step, notes)
    state, ruling = GAME.apply(before, fact)
    ruled, rulings = [fact], [ruling]
    if notes.demand_extra and state.winner is not None and state.extra_demandable:
        ruled.append(facts.ExtraDemanded(state.winner, state.extra_demandable))
        state, more = GAME.apply(state, ruled[-1])
        rulings.append(more)
        ruling = _with_extra(ruling, more)
    values = _actual(before, state, ruling, _side(step.get("by", before.turn)))
    after = Position(state, replace(notes, begun=True))
    return Ruled(after, tuple(ruled), tuple(rulings), values)


def _with_extra(ruling: Ruling, more: Ruling) -> Ruling:
    """The board's ruling with the winner's additional points counted (87(b))."""
    return replace(
        ruling,
        scores=more.scores,
        game_over=more.game_over,
        game_winner=more.game_winner,
        extra_board=more.extra_board,
    )


def _state(start: Mapping[str, Any]) -> State:
    turn = _side(start.get("striker_player", "A"))
    scores = only(table(start, "game_scores"), SIDES, "game_scores")
    placing = table(start, "pending_placing") if start.get("pending_placing") is not None else None
    only(placing or {}, ("beneficiary", "count"), "pending_placing")
    known = flag(start, "ever_pocketed") or flag(start, "dues_recovered")
    try:
        queen = Queen(start.get("queen", "on_board"))
    except ValueError as error:
        raise CaseError(
            f"expected the Queen to be one of {[q.value for q in Queen]}, got {start['queen']!r}"
        ) from error
    try:
        return _board(start, turn, scores, placing, queen, known)
    except ValueError as error:
        raise CaseError(str(error)) from error


def _board(
    start: Mapping[str, Any],
    turn: Side,
    scores: Mapping[str, Any],
    placing: Mapping[str, Any] | None,
    queen: Queen,
    known: bool,
) -> State:
    men = [_men(table(start, side), side, known and side == turn) for side in SIDES]
    return State(
        turn=turn,
        men=(men[0], men[1]),
        queen=queen,
        scores=(whole(scores, "A"), whole(scores, "B")),
        board_no=whole(start, "board_no", 1),
        break_open=flag(start, "break_") or not flag(start, "play_called", True),
        attempts=whole(start, "attempts"),
        play_called=flag(start, "play_called", True),
        to_place=None if placing is None else (_side(placing.get("beneficiary")), whole(placing, "count")),
    )


def _men(given: Mapping[str, Any], side: Side, ever_pocketed: bool) -> Men:
    only(given, ("colour", "on_board", "outstanding_due"), side)
    on_board = whole(given, "on_board", MEN_EACH)
    colour = given.get("colour", "white" if side == "A" else "black")
    if colour not in ("white", "black"):
        raise CaseError(f"C/m are white or black, got {colour!r}")
    return Men(colour, on_board, whole(given, "outstanding_due"), ever_pocketed or on_board < MEN_EACH)


def _fact(state: State, step: Step, notes: Notes) -> Fact:
    """The fact that a step says."""
    kind = step["type"]
    if kind == "stroke":
        return _stroke(state, step)
    if kind == "event":
        return _event(state, step, notes)
    if kind == "choice":
        return _choice(step)
    raise CaseError(f"expected a stroke, event, choice or query, got {kind!r}")


def _choice(step: Step) -> Fact:
    by, name = _side(needed(step, "by")), needed(step, "choice")
    return facts.CHOICES[named(name, facts.CHOICES, "a choice")](by)


def _stroke(state: State, step: Step) -> Stroke | facts.Slip:
    pocketed = only(table(step, "pocketed"), ("own", "opponent", "queen", "striker"), "pocketed")
    by = _side(step.get("by", state.turn))
    touched = None if step.get("touched") is None else whole(step, "touched")
    stroke = Stroke(
        by=by,
        proper=flag(step, "proper", True),
        own=whole(pocketed, "own"),
        opponent=whole(pocketed, "opponent"),
        queen=flag(pocketed, "queen"),
        striker=flag(pocketed, "striker"),
        touched=touched,
        overboard=tuple(_piece(p) for p in listed(step, "overboard")),
        falls=tuple(_fallen(e) for e in listed(step, "events")),
        striker_overboard=flag(step, "striker_overboard"),
        left_base_line=flag(step, "left_base_line", True),
        noticed=flag(step, "noticed", True),
        infringements=tuple(
            INFRINGEMENTS[named(i, INFRINGEMENTS, "an infringement")] for i in listed(step, "infringements")
        ),
    )
    if not stroke.left_base_line and not pocketed:
        return facts.Slip(by, False, bool(touched))
    return stroke


def _event(state: State, step: Step, notes: Notes) -> Fact:
    name, by = needed(step, "event"), _side(step.get("by", state.turn))
    if name in _PLAIN:
        return _PLAIN[name]
    if name in _BY_PLAYER:
        return _BY_PLAYER[name](by)
    if name in _IN_DETAIL:
        return _IN_DETAIL[name](state, step, by)
    if name == "noticed_later":
        return facts.NoticedLater(before_this_record=not notes.begun)
    raise CaseError(f"expected an event of carrom, got {name!r}")


_PLAIN: Mapping[str, Fact] = {
    **{why.value: facts.BoardCancelled(why) for why in Replay},
    "request_set_off": facts.SetOffAsked(),
    "next_stroke_made_without_return": facts.NotReturned(),
    "play_called": facts.PlayCalled(),
    "appeal": facts.Appealed(),
    "placed": facts.DuesPlaced(),
    "protest_upheld": facts.ProtestDecided(True),
    "protest_overruled": facts.ProtestDecided(False),
    "pieces_restored": facts.PiecesRestored(),
    "queen_fell_at_mouth": facts.PieceFell("queen"),
    "left_on_rim": facts.LeftInPlace(),
    "left_overlapping": facts.LeftInPlace(overlapping=True),
}
_BY_PLAYER: Mapping[str, Callable[[Side], Fact]] = {
    "placing_time_expired": facts.PlacingExpired,
    "passed": facts.TurnPassed,
    "no_space_to_place": facts.NoSpaceToPlace,
    "got_up": lambda by: facts.BoardLost(by, BoardLoss.GOT_UP),
    "played_during_appeal": lambda by: facts.BoardLost(by, BoardLoss.PLAYED_DURING_APPEAL),
    "arrangement_wrecked": lambda by: facts.BoardLost(by, BoardLoss.WRECKED),
}


def _violation(state: State, step: Step, by: Side) -> Fact:
    what = next((v for v in Violation if v.words == step.get("detail")), Violation.OTHER)
    phase = named(needed(step, "phase"), (p.value for p in Phase), "phase")
    return facts.Broken(by, Phase(phase), what)


def _match_lost(state: State, step: Step, by: Side) -> Fact:
    why = next((m for m in MatchLoss if step.get("detail") in (m.code, m.words)), MatchLoss.INDISCIPLINE)
    return facts.MatchLost(by, why)


def _striker_lifted(state: State, step: Step, by: Side) -> Fact:
    fell = step.get("fell")
    return facts.StrikerLifted(by, None if fell is None else _piece(fell))


def _slipped(state: State, step: Step, by: Side) -> Fact:
    return facts.Slip(by, flag(step, "left_base_line", True), flag(step, "moved_cm"))


_IN_DETAIL: Mapping[str, Callable[[State, Step, Side], Fact]] = {
    "violation": _violation,
    "played_out_of_turn": lambda s, e, by: facts.OutOfTurn(by, flag(e, "noticed_before_next_stroke", True)),
    "match_lost": _match_lost,
    "noted": lambda s, e, by: facts.Noted(str(e.get("detail", ""))),
    "cm_fell_at_mouth": lambda s, e, by: facts.PieceFell(_piece(e.get("colour", s.of(by).colour))),
    "striker_removed_from_cm_at_mouth": _striker_lifted,
    "cm_removed_from_striker_at_mouth": lambda s, e, by: facts.PieceLifted(by, flag(e, "striker_fell")),
    "striker_slipped": _slipped,
}


def _query(first: Side, step: Step) -> Values:
    if step.get("query") != "breaker":
        raise CaseError(f"expected the query 'breaker', got {step.get('query')!r}")
    return {"breaker": breaker(first, whole(step, "game", 1), whole(step, "board", 1))}


def _actual(before: State, after: State, ruling: Ruling, by: Side) -> Values:
    return {
        "clause": ruling.clause,
        "next_turn": ruling.next_turn,
        "board_over": ruling.board_over,
        "board_winner": ruling.board_winner,
        "points": ruling.points,
        "extra_points_if_demanded": ruling.extra,
        "scores": {"A": ruling.scores[0], "B": ruling.scores[1]},
        "game_over": ruling.game_over,
        "game_winner": ruling.game_winner,
        "extra_board": ruling.extra_board,
        "A_on_board": ruling.on_board[0],
        "B_on_board": ruling.on_board[1],
        "A_colour": after.men[0].colour,
        "B_colour": after.men[1].colour,
        "returned": _returned(ruling.returned),
        "outstanding_due": _outstanding(before, ruling, by),
        "due": ruling.due,
        "penalty": ruling.penalty,
        "queen": ruling.queen.value,
        "foul": ruling.foul,
        "foul_against": ruling.foul_against,
        "placing_order": [p.piece for p in ruling.placings],
        "positions": [p.where for p in ruling.placings],
        "repositioned": ruling.repositioned,
        "rearranged": False,  # 45(b): nothing is ever arranged anew within a board
        "break_made": ruling.break_made,
        "attempts": ruling.attempts,
        "break_right_lost": ruling.break_right_lost,
        "stroke_made": ruling.stroke_made,
        "board_cancelled": ruling.cancelled,
        "replay": ruling.replay,
        "allowed": ruling.allowed,
        "accepted": ruling.accepted,
        "match_lost_by": None if ruling.match_winner is None else other(ruling.match_winner),
        "call": list(ruling.words),
    }


def _returned(returned: Returned) -> dict[str, Any]:
    return {
        "own_pocketed_this_stroke": returned.own,
        "due": returned.due,
        "penalty": returned.penalty,
        "queen": returned.queen,
    }


def _outstanding(before: State, ruling: Ruling, by: Side) -> int:
    """The C/m outstanding against the player who acted, or against his opponent if only that changed."""
    mine, theirs = index(by), index(other(by))
    changed = before.men[theirs].outstanding != ruling.outstanding[theirs]
    unmoved = before.men[mine].outstanding == ruling.outstanding[mine]
    return ruling.outstanding[theirs if changed and unmoved else mine]


def _fallen(event: Any) -> Fall:
    """`C/m hit light and fell back`, or `C/m fell back` (66)."""
    if not isinstance(event, str) or "fell back" not in event:
        raise CaseError(f"events of a stroke are pieces that jumped and fell back, got {event!r}")
    return Fall.HIT_LIGHT if "light" in event else Fall.FELL_BACK


def _piece(name: Any) -> Piece:
    if name not in ("white", "black", "queen"):
        raise CaseError(f"carrom has white and black C/m and the Queen, got {name!r}")
    return cast(Piece, name)


def _side(name: Any) -> Side:
    if name not in SIDES:
        raise CaseError(f"the players are A and B, got {name!r}")
    return cast(Side, name)
