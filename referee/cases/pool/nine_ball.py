"""Case adapter of WPA nine ball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import Position, Ruled, Step, Values
from referee.cases.pool.fields import advance_shot, known
from referee.cases.pool.rotation import OWN_START, fresh_rack, shot_of, start_fields, values_of
from referee.cases.values import flag
from referee.rules.common.match import Match
from referee.rules.wpa.nine_ball import ALL_BALLS, Ruling, State
from referee.rules.wpa.nine_ball import GAME as GAME


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new rack in the vocabulary."""
    known(settings, ("three_point_break",), "settings")
    return {**fresh_rack(match.breaker, State.LAST), **settings}


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, None]:
    """The position before the first step."""
    known(start, OWN_START | {"three_point_break"}, "start")
    known(options, ("three_point_break",), "options")
    three_points = flag(start, "three_point_break") or flag(options, "three_point_break")
    return Position(State(**start_fields(start, ALL_BALLS), three_point_break=three_points), None)


def advance(position: Position[State, None], step: Step) -> Ruled[State, None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    return advance_shot(GAME, position, step, shot_of, _values)


def _values(state: State, ruling: Ruling) -> Values:
    return {**values_of(state, ruling), "dry_break": ruling.dry_break}
