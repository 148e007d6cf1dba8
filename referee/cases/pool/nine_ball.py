"""Case adapter of WPA nine ball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee.cases.model import CaseError
from referee.cases.pool.fields import (
    Step,
    choice,
    either,
    event,
    flag,
    known,
    number,
    pair,
    play_case,
    positions,
    referee_act,
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
from referee.rules.wpa.general import WPA_MARKS, WpaShot
from referee.rules.wpa.nine_ball import ALL_BALLS, Ruling, State
from referee.rules.wpa.nine_ball import play as rule

OWN_START = frozenset(
    ("on_table", "second_shot", "consecutive_fouls", "warned", "shot_no", "three_point_break")
)


def play(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The runner's protocol."""
    return play_case(case, begin, advance)


def fresh_start(breaker: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The `start` of a new rack in the vocabulary."""
    known(settings, ("three_point_break",), "settings")
    return {
        "shooter": breaker,
        "on_table": sorted(ALL_BALLS),
        "break_shot": True,
        "second_shot": False,
        "cue_in_hand": "behind_head_string",
        **settings,
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> State:
    """The state before the first step. What is not stated is a full table and no fouls."""
    known(start, START | OWN_START, "start")
    known(options, ("three_point_break",), "options")
    shooter = side(start.get("shooter", "A"), "shooter")
    shot_no = number(start, "shot_no")
    return State(
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


def advance(state: State, step: Step) -> tuple[State, Ruling, dict[str, Any]]:
    """One step: the new state, the ruling, the actual values."""
    kind = step.get("type")
    if kind == "shot":
        known(step, WPA_SHOT, "shot")
        new, ruling = rule(state, WpaShot(**wpa_shot(step)))
    elif kind == "event":
        new, ruling = rule(state, event(step))
    elif kind == "choice":
        new, ruling = rule(state, choice(step))
    elif kind == "referee":
        new, ruling = rule(state, referee_act(step))
    else:
        raise CaseError(f"nine ball has no step of type {kind!r}")
    return new, ruling, _fields(new, ruling)


def _fields(state: State, ruling: Ruling) -> dict[str, Any]:
    return {
        **ruling_fields(ruling, choice_as_shooter=True),
        "push_out_available": ruling.push_out_available,
        "dry_break": ruling.dry_break,
        "consecutive_fouls": either(state.fouls),
        "rerack": ruling.rerack,
    }
