"""Case adapter of WPA 14.1 continuous: the vocabulary's fields to facts, rulings to `expect` names."""

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
from referee.cases.pool.wpa_fields import START, WPA_SHOT, frozen, in_hand, marks, ruling_fields, wpa_shot
from referee.rules.wpa.fourteen_one import Ruling, Shot, State
from referee.rules.wpa.fourteen_one import play as rule
from referee.rules.wpa.fourteen_one_rack import Interference
from referee.rules.wpa.general import WPA_MARKS

OWN_START = frozenset(("scores", "balls_on_table", "opening_break", "consecutive_standard_fouls", "warned"))
OWN_SHOT = frozenset(("interference", "head_spot_blocked_by_cue"))


def play(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The runner's protocol."""
    return play_case(case, begin, advance)


def fresh_start(breaker: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The `start` of a new game in the vocabulary."""
    known(settings, ("target",), "settings")
    return {
        "shooter": breaker,
        "scores": {"A": 0, "B": 0},
        "balls_on_table": 15,
        "opening_break": True,
        "target": settings.get("target", 150),
        "cue_in_hand": "behind_head_string",
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> State:
    """The state before the first step."""
    known(start, START | OWN_START, "start")
    known(options, (), "options")
    balls = number(start, "balls_on_table")
    target = number(start, "target")
    return State(
        shooter=side(start.get("shooter", "A"), "shooter"),
        scores=pair(start, "scores"),
        target=150 if target is None else target,
        balls_on_table=15 if balls is None else balls,
        opening_break=flag(start, "opening_break"),
        in_hand=in_hand(start),
        fouls=pair(start, "consecutive_standard_fouls"),
        warned=flag(start, "warned"),
        frozen_declared=frozen(start),
        lying=positions(start.get("balls")),
        marks=marks(start, WPA_MARKS),
    )


def _shot(step: Step) -> Shot:
    known(step, WPA_SHOT | OWN_SHOT, "shot")
    said = step.get("interference") or {}
    known(said, ("cue", "object"), "interference")
    return Shot(
        **wpa_shot(step),
        interference=Interference(
            cue=said.get("cue"),
            object_ball=said.get("object"),
            head_spot_blocked_by_cue=step.get("head_spot_blocked_by_cue"),
        ),
    )


def advance(state: State, step: Step) -> tuple[State, Ruling, dict[str, Any]]:
    """One step: the new state, the ruling, the actual values."""
    kind = step.get("type")
    if kind == "shot":
        new, ruling = rule(state, _shot(step))
    elif kind == "event":
        new, ruling = rule(state, event(step))
    elif kind == "choice":
        new, ruling = rule(state, choice(step))
    elif kind == "referee":
        new, ruling = rule(state, referee_act(step))
    else:
        raise CaseError(f"14.1 has no step of type {kind!r}")
    return new, ruling, _fields(new, ruling)


def _fields(state: State, ruling: Ruling) -> dict[str, Any]:
    racked = ruling.racked
    fields = {
        **ruling_fields(ruling, choice_as_shooter=True),
        "scores": either(state.scores),
        "points": ruling.points,
        "balls_on_table": state.balls_on_table,
        "consecutive_standard_fouls": either(state.fouls),
        "opening_break": state.opening_break,
        "rerack": ruling.rerack,
    }
    if racked is not None:
        fields["apex_empty"] = racked.apex_empty
        fields["cue_ball"] = "stays" if racked.cue_stays else "in_hand" if racked.cue_in_hand else "placed"
        fields["object_ball"] = (
            "stays" if racked.object_stays else "racked" if racked.balls == 15 else "placed"
        )
        fields["cue_ball_xy"] = None if racked.cue_mm is None else list(racked.cue_mm)
        fields["object_ball_xy"] = None if racked.object_mm is None else list(racked.object_mm)
    return fields
