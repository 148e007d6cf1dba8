"""Case adapter of WPA 14.1 continuous: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import Position, Ruled, Step, Values
from referee.cases.pool.fields import (
    advance_shot,
    either,
    known,
    number,
    pair,
    positions,
    side,
)
from referee.cases.pool.wpa_fields import START, WPA_SHOT, frozen, in_hand, marks, ruling_fields, wpa_shot
from referee.cases.values import flag
from referee.rules.common.match import Match
from referee.rules.wpa.fourteen_one import GAME as GAME
from referee.rules.wpa.fourteen_one import Ruling, Shot, State
from referee.rules.wpa.fourteen_one_rack import Interference
from referee.rules.wpa.general import WPA_MARKS

OWN_START = frozenset(("scores", "balls_on_table", "opening_break", "consecutive_standard_fouls", "warned"))
OWN_SHOT = frozenset(("interference", "head_spot_blocked_by_cue"))


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new game in the vocabulary."""
    known(settings, ("target",), "settings")
    return {
        "shooter": match.breaker,
        "scores": {"A": 0, "B": 0},
        "balls_on_table": 15,
        "opening_break": True,
        "target": settings.get("target", 150),
        "cue_in_hand": "behind_head_string",
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, None]:
    """The state before the first step."""
    known(start, START | OWN_START, "start")
    known(options, (), "options")
    balls = number(start, "balls_on_table")
    target = number(start, "target")
    state = State(
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
    return Position(state, None)


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


def advance(position: Position[State, None], step: Step) -> Ruled[State, None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    return advance_shot(GAME, position, step, _shot, _fields)


def _fields(state: State, ruling: Ruling) -> Values:
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
