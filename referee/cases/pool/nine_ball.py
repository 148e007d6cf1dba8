"""Case adapter of WPA nine ball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import Position, Ruled, Step, Values
from referee.cases.pool.fields import (
    advance_shot,
    either,
    flag,
    known,
    number,
    pair,
    positions,
    side,
)
from referee.cases.pool.wpa_fields import (
    START,
    WPA_SHOT,
    frozen,
    in_hand,
    marks,
    numbered,
    ruling_fields,
    wpa_shot,
)
from referee.rules.common.match import Match
from referee.rules.wpa.general import WPA_MARKS, WpaShot
from referee.rules.wpa.nine_ball import ALL_BALLS, Ruling, State
from referee.rules.wpa.nine_ball import GAME as GAME

OWN_START = frozenset(
    ("on_table", "second_shot", "consecutive_fouls", "warned", "shot_no", "three_point_break")
)


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new rack in the vocabulary."""
    known(settings, ("three_point_break",), "settings")
    return {
        "shooter": match.breaker,
        "on_table": sorted(ALL_BALLS),
        "break_shot": True,
        "second_shot": False,
        "cue_in_hand": "behind_head_string",
        **settings,
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, None]:
    """The state before the first step. What is not stated is a full table and no fouls."""
    known(start, START | OWN_START, "start")
    known(options, ("three_point_break",), "options")
    shooter = side(start.get("shooter", "A"), "shooter")
    shot_no = number(start, "shot_no")
    state = State(
        shooter=shooter,
        breaker=side(start.get("breaker", shooter), "breaker"),
        on_table=numbered(start, "on_table", ALL_BALLS),
        break_shot=flag(start, "break_shot", shot_no == 1),
        second_shot=flag(start, "second_shot", shot_no == 2),
        in_hand=in_hand(start),
        fouls=pair(start, "consecutive_fouls"),
        warned=flag(start, "warned"),
        frozen_declared=frozen(start),
        lying=positions(start.get("balls")),
        three_point_break=flag(start, "three_point_break") or flag(options, "three_point_break"),
        marks=marks(start, WPA_MARKS),
    )
    return Position(state, None)


def _shot(step: Step) -> WpaShot:
    known(step, WPA_SHOT, "shot")
    return WpaShot(**wpa_shot(step))


def advance(position: Position[State, None], step: Step) -> Ruled[State, None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    return advance_shot(GAME, position, step, _shot, _fields)


def _fields(state: State, ruling: Ruling) -> Values:
    return {
        **ruling_fields(ruling, choice_as_shooter=True),
        "push_out_available": ruling.push_out_available,
        "dry_break": ruling.dry_break,
        "consecutive_fouls": either(state.fouls),
        "rerack": ruling.rerack,
    }
