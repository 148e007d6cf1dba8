"""Case adapter of WPA ten ball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import Position, Ruled, Step, Values
from referee.cases.pool.fields import advance_shot, known
from referee.cases.pool.rotation import OWN_START, fresh_rack, shot_of, start_fields, values_of
from referee.rules.common.match import Match
from referee.rules.wpa.ten_ball import ALL_BALLS, State
from referee.rules.wpa.ten_ball import GAME as GAME


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new rack in the vocabulary."""
    known(settings, (), "settings")
    return fresh_rack(match.breaker, State.LAST)


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, None]:
    """The position before the first step."""
    known(start, OWN_START, "start")
    known(options, (), "options")
    return Position(State(**start_fields(start, ALL_BALLS)), None)


def advance(position: Position[State, None], step: Step) -> Ruled[State, None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    return advance_shot(GAME, position, step, shot_of, values_of)
