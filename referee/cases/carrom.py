"""Plays carrom cases: `case` -> the actual values of each step; see `referee.cases.runner`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

from calibration.table.board import MEN_EACH
from referee.cases.model import CaseError
from referee.cases.values import flag, listed, named, needed, only, table, whole
from referee.rules.carrom import acts
from referee.rules.carrom import engine as game
from referee.rules.carrom.match import breaker
from referee.rules.carrom.reasons import MatchLoss, Reason, Violation
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

_EXTRA = "demand_extra"  # an option for whole matches: every additional point of 87(b) is demanded


def play(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The actual values of each step."""
    start, options = case.get("start", {}), case.get("options", {})
    if set(options) - {_EXTRA}:
        raise CaseError(f"expected the option {_EXTRA!r}, got {sorted(set(options) - {_EXTRA})!r}")
    state = _state(start)
    out: list[dict[str, Any]] = []
    for step in case["steps"]:
        try:
            if step["type"] == "query":
                out.append(_query(start, step))
                continue
            before = state
            state, ruling = _step(state, step, first=not out)
            if options.get(_EXTRA) and state.winner is not None and state.extra_demandable:
                state, ruling = _with_extra(state, ruling)
        except ValueError as error:
            raise CaseError(str(error)) from error
        out.append(_actual(before, state, ruling, _side(step.get("by", before.turn))))
    return out


def _with_extra(state: State, ruling: Ruling) -> tuple[State, Ruling]:
    """The winner of the board takes all additional points at once (87(b))."""
    assert state.winner is not None
    after, more = acts.demand_extra(state, state.winner, state.extra_demandable)
    return after, replace(
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


def _step(state: State, step: Mapping[str, Any], first: bool) -> tuple[State, Ruling]:
    kind = step["type"]
    if kind == "stroke":
        return _stroke(state, step)
    if kind == "event":
        return _event(state, step, first)
    if kind == "choice":
        return _choice(state, step)
    raise CaseError(f"expected a stroke, event, choice or query, got {kind!r}")


def _choice(state: State, step: Mapping[str, Any]) -> tuple[State, Ruling]:
    by, name = _side(needed(step, "by")), needed(step, "choice")
    count = state.to_place[1] if state.to_place is not None and state.to_place[0] == by else 0
    match name:
        case "forgo_one_of_two":
            return acts.forgo(state, by, 1, 2)
        case "forgo_all":
            return acts.forgo(state, by, count, count)
        case "decline_placing":
            return acts.decline_placing(state, by)
        case "concede":
            return acts.concede(state, by)
        case _:
            raise CaseError(f"expected forgo_one_of_two, forgo_all, decline_placing or concede, got {name!r}")


def _stroke(state: State, step: Mapping[str, Any]) -> tuple[State, Ruling]:
    pocketed = only(table(step, "pocketed"), ("own", "opponent", "queen", "striker"), "pocketed")
    by = _side(step.get("by", state.turn))
    falls = tuple(_fallen(e) for e in listed(step, "events"))
    touched = step.get("touched")
    stroke = Stroke(
        by=by,
        proper=flag(step, "proper", True),
        own=whole(pocketed, "own"),
        opponent=whole(pocketed, "opponent"),
        queen=flag(pocketed, "queen"),
        striker=flag(pocketed, "striker"),
        touched=None if touched is None else whole(step, "touched"),
        overboard=tuple(_piece(p) for p in listed(step, "overboard")),
        falls=falls,
        striker_overboard=flag(step, "striker_overboard"),
        left_base_line=flag(step, "left_base_line", True),
        noticed=flag(step, "noticed", True),
    )
    if not stroke.left_base_line and not pocketed:
        return acts.striker_slipped(state, by, False, bool(touched))
    return game.judge_stroke(state, stroke)


def _event(state: State, step: Mapping[str, Any], first: bool) -> tuple[State, Ruling]:
    name = needed(step, "event")
    by = _side(step.get("by", state.turn))
    match name:
        case "violation":
            what = next((v for v in Violation if v.words == step.get("detail")), Violation.OTHER)
            return acts.violation(state, by, _phase(needed(step, "phase")), what)
        case "played_out_of_turn":
            return acts.played_out_of_turn(state, by, flag(step, "noticed_before_next_stroke", True))
        case "got_up":
            return game.lose_board(state, by, Reason.GOT_UP)
        case "request_set_off":
            return acts.request_set_off(state)
        case "placing_time_expired":
            return acts.placing_time_expired(state, by)
        case "three_consecutive_passes_each":
            return acts.replay_board(state, Reason.THREE_PASSES)
        case "no_space_for_striker":
            return acts.replay_board(state, Reason.NO_SPACE_FOR_STRIKER)
        case "next_stroke_made_without_return":
            return acts.next_stroke_without_return(state)
        case "noticed_later":
            return acts.noticed_later(
                replace(state, unnoticed_opponent_man=state.unnoticed_opponent_man or first)
            )
        case "passed":
            return acts.pass_turn(state, by)
        case "play_called":
            return acts.call_play(state)
        case "appeal":
            return acts.appeal(state)
        case "played_during_appeal":
            return game.lose_board(state, by, Reason.PLAYED_ON_APPEAL)
        case "arrangement_wrecked":
            return game.lose_board(state, by, Reason.WRECKED)
        case "match_lost":
            why = next(
                (m for m in MatchLoss if step.get("detail") in (m.code, m.words)), MatchLoss.INDISCIPLINE
            )
            return acts.lose_match(state, by, why)
        case _:
            return _placing(state, step, by)


def _placing(state: State, step: Mapping[str, Any], by: Side) -> tuple[State, Ruling]:
    """Due C/m, replays and notes; what is none of these may be a piece that falls."""
    match step["event"]:
        case "placed":
            return acts.placing_done(state)
        case "no_space_to_place":
            return acts.no_space_to_place(state, by)
        case "unforeseen":
            return acts.replay_board(state, Reason.UNFORESEEN)
        case "protest_upheld":
            return acts.protest(state, True)
        case "protest_overruled":
            return acts.protest(state, False)
        case "pieces_restored":
            return acts.restored(state)
        case "noted":
            return acts.note(state, str(step.get("detail", "")))
        case _:
            return _fall(state, step, by)


def _fall(state: State, step: Mapping[str, Any], by: Side) -> tuple[State, Ruling]:
    """Pieces and strikers that fall, or slip, without a stroke being judged."""
    match step["event"]:
        case "cm_fell_at_mouth":
            return acts.fell_at_mouth(state, _piece(step.get("colour", state.of(by).colour)))
        case "queen_fell_at_mouth":
            return acts.fell_at_mouth(state, "queen")
        case "striker_removed_from_cm_at_mouth":
            fell = step.get("fell")
            return acts.striker_removed_from_piece(state, by, None if fell is None else _piece(fell))
        case "cm_removed_from_striker_at_mouth":
            return acts.piece_removed_from_striker(state, by, flag(step, "striker_fell"))
        case "striker_slipped":
            left = flag(step, "left_base_line", True)
            return acts.striker_slipped(state, by, left, flag(step, "moved_cm"))
        case name:
            raise CaseError(f"expected an event of carrom, got {name!r}")


def _query(start: Mapping[str, Any], step: Mapping[str, Any]) -> dict[str, Any]:
    if step.get("query") != "breaker":
        raise CaseError(f"expected the query 'breaker', got {step.get('query')!r}")
    first = _side(table(start, "match").get("first_breaker", "A"))
    return {"breaker": breaker(first, whole(step, "game", 1), whole(step, "board", 1))}


def _actual(before: State, after: State, ruling: Ruling, by: Side) -> dict[str, Any]:
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
    """What is outstanding against who acted, or against his opponent when only that has changed."""
    mine, theirs = index(by), index(other(by))
    changed = before.men[theirs].outstanding != ruling.outstanding[theirs]
    unmoved = before.men[mine].outstanding == ruling.outstanding[mine]
    return ruling.outstanding[theirs if changed and unmoved else mine]


def _phase(name: Any) -> acts.Phase:
    return acts.Phase(named(name, (p.value for p in acts.Phase), "phase"))


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
