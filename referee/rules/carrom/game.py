"""Carrom as a `Game`: which act answers which fact."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from referee.rules.carrom import acts, facts
from referee.rules.carrom.engine import judge_stroke, lose_board, opening
from referee.rules.carrom.facts import BoardLoss, Fact, Replay
from referee.rules.carrom.reasons import INFRINGEMENTS, Reason
from referee.rules.carrom.types import Ruling, State, Stroke
from referee.rules.game import AtTable, Game, GameRules
from referee.rules.records import replace

Ruled = tuple[State, Ruling]

_LOSS = {
    BoardLoss.GOT_UP: Reason.GOT_UP,
    BoardLoss.PLAYED_DURING_APPEAL: Reason.PLAYED_ON_APPEAL,
    BoardLoss.WRECKED: Reason.WRECKED,
}
_REPLAY = {
    Replay.THREE_PASSES: Reason.THREE_PASSES,
    Replay.UNFORESEEN: Reason.UNFORESEEN,
    Replay.NO_SPACE_FOR_STRIKER: Reason.NO_SPACE_FOR_STRIKER,
}


def apply(state: State, fact: Fact) -> Ruled:
    """Rule on one fact. Raises `FactsError` for a fact that cannot be true in this state."""
    return _RULES[type(fact)](state, fact)


def _slip(state: State, fact: facts.Slip) -> Ruled:
    return acts.striker_slipped(state, fact.by, fact.left_base_line, fact.moved_piece)


def _forgone(state: State, fact: facts.Forgone) -> Ruled:
    if fact.count is not None:
        return acts.forgo(state, fact.by, fact.count, fact.of)
    due = state.to_place[1] if state.to_place is not None and state.to_place[0] == fact.by else 0
    return acts.forgo(state, fact.by, due, due)


def _noticed_later(state: State, fact: facts.NoticedLater) -> Ruled:
    unnoticed = state.unnoticed_opponent_man or fact.before_this_record
    return acts.noticed_later(replace(state, unnoticed_opponent_man=unnoticed))


_RULES: dict[type, Callable[[State, Any], Ruled]] = {
    Stroke: judge_stroke,
    facts.Slip: _slip,
    facts.Broken: lambda s, f: acts.violation(s, f.by, f.phase, f.violation),
    facts.PlayCalled: lambda s, f: acts.call_play(s),
    facts.Appealed: lambda s, f: acts.appeal(s),
    facts.OutOfTurn: lambda s, f: acts.played_out_of_turn(s, f.by, f.noticed),
    facts.BoardLost: lambda s, f: lose_board(s, f.by, _LOSS[f.why]),
    facts.BoardCancelled: lambda s, f: acts.replay_board(s, _REPLAY[f.why]),
    facts.SetOffAsked: lambda s, f: acts.request_set_off(s),
    facts.Forgone: _forgone,
    facts.PlacingDeclined: lambda s, f: acts.decline_placing(s, f.by),
    facts.NoSpaceToPlace: lambda s, f: acts.no_space_to_place(s, f.by),
    facts.DuesPlaced: lambda s, f: acts.placing_done(s),
    facts.PlacingExpired: lambda s, f: acts.placing_time_expired(s, f.by),
    facts.NotReturned: lambda s, f: acts.next_stroke_without_return(s),
    facts.NoticedLater: _noticed_later,
    facts.PieceFell: lambda s, f: acts.fell_at_mouth(s, f.piece),
    facts.StrikerLifted: lambda s, f: acts.striker_removed_from_piece(s, f.by, f.fell),
    facts.PieceLifted: lambda s, f: acts.piece_removed_from_striker(s, f.by, f.striker_fell),
    facts.LeftInPlace: lambda s, f: acts.left_as_it_is(s, f.overlapping),
    facts.TurnPassed: lambda s, f: acts.pass_turn(s, f.by),
    facts.ExtraDemanded: lambda s, f: acts.demand_extra(s, f.by, f.points),
    facts.Conceded: lambda s, f: acts.concede(s, f.by),
    facts.MatchLost: lambda s, f: acts.lose_match(s, f.by, f.why),
    facts.PiecesRestored: lambda s, f: acts.restored(s),
    facts.ProtestDecided: lambda s, f: acts.protest(s, f.upheld),
    facts.Noted: lambda s, f: acts.note(s, f.law, f.text),
}

GAME: Game[State, Fact, Ruling] = GameRules(
    "carrom",
    "board",
    State,
    get_args(Fact),
    opening,
    apply,
    tuple(INFRINGEMENTS),
    tuple(facts.CHOICES),
    uncalled_lapses=False,
    first_contact="nothing",  # the break by whether a C/m was touched (44, 45)
    table=lambda state: AtTable(state.turn, state.of(state.turn).colour, opens=state.break_open),
)
