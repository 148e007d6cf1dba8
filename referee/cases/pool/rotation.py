"""Shared by the case adapters of nine ball and ten ball."""

from __future__ import annotations

from typing import Any

from referee.cases.model import Step, Values
from referee.cases.pool.fields import either, known, number, pair, positions, side
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
from referee.cases.values import flag
from referee.rules.wpa.general import WPA_MARKS, WpaShot
from referee.rules.wpa.rotation import RotationRuling, RotationState

OWN_START = START | {"on_table", "second_shot", "consecutive_fouls", "warned", "shot_no"}


def fresh_rack(breaker: str, last: int) -> Values:
    """The `start` of a new rack of balls 1 to `last`."""
    return {
        "shooter": breaker,
        "on_table": list(range(1, last + 1)),
        "break_shot": True,
        "second_shot": False,
        "cue_in_hand": "behind_head_string",
    }


def start_fields(start: Step, all_balls: frozenset[int]) -> dict[str, Any]:
    """Keyword arguments of the state. What is not stated is a full table and no fouls."""
    shooter = side(start.get("shooter", "A"), "shooter")
    shot_no = number(start, "shot_no")
    return {
        "shooter": shooter,
        "breaker": side(start.get("breaker", shooter), "breaker"),
        "on_table": numbered(start, "on_table", all_balls),
        "break_shot": flag(start, "break_shot", shot_no == 1),
        "second_shot": flag(start, "second_shot", shot_no == 2),
        "in_hand": in_hand(start),
        "fouls": pair(start, "consecutive_fouls"),
        "warned": flag(start, "warned"),
        "frozen_declared": frozen(start),
        "lying": positions(start.get("balls")),
        "marks": marks(start, WPA_MARKS),
    }


def shot_of(step: Step) -> WpaShot:
    """The shot of a step."""
    known(step, WPA_SHOT, "shot")
    return WpaShot(**wpa_shot(step))


def values_of(state: RotationState, ruling: RotationRuling) -> Values:
    """The ruling by the vocabulary's names."""
    return {
        **ruling_fields(ruling, choice_as_shooter=True),
        "push_out_available": ruling.push_out_available,
        "consecutive_fouls": either(state.fouls),
        "rerack": ruling.rerack,
    }
