"""Case adapter of black ball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.pool.fields import (
    advance_shot,
    group_of_a,
    known,
    names,
    number,
    positions,
    side,
)
from referee.cases.pool.wpa_fields import START, WPA_SHOT, frozen, in_hand, marks, ruling_fields, wpa_shot
from referee.cases.values import flag
from referee.rules.blackball.engine import GAME as GAME
from referee.rules.blackball.engine import MARKS, Colour, Ruling, Shot, State
from referee.rules.common.match import Match
from referee.rules.common.red_yellow import COLOURS

OWN_START = frozenset(
    (
        "groups",
        "table_open",
        "free_shot",
        "snookered_declared",
        "snookered_in_fact",
        "remaining",
        "touching",
        "pending_spotting",
        "rack_breaker",
    )
)
OWN_SHOT = frozenset(("balls_crossing_centre_string", "intent", "first_contact_in_baulk"))


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new rack in the vocabulary."""
    known(settings, (), "settings")
    return {
        "shooter": match.breaker,
        "groups": {"A": None, "B": None},
        "table_open": True,
        "break_shot": True,
        "free_shot": False,
        "snookered_declared": False,
        "cue_in_hand": "baulk",
        "rack_breaker": match.breaker,
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, None]:
    """The state before the first step. What is not stated is a full table."""
    known(start, START | OWN_START, "start")
    known(options, (), "options")
    shooter = side(start.get("shooter", "A"), "shooter")
    mine = group_of_a(start, "groups", "table_open", COLOURS)
    reds, yellows = counts(start, mine)
    flag(start, "snookered_in_fact")  # without the referee's declaration it has no effect (5.1)
    pending = start.get("pending_spotting")
    state = State(
        shooter=shooter,
        breaker=side(start.get("rack_breaker") or start.get("breaker") or shooter, "rack_breaker"),
        colour_a=mine,
        reds=reds,
        yellows=yellows,
        break_shot=flag(start, "break_shot"),
        free_shot=flag(start, "free_shot"),
        snookered_declared=flag(start, "snookered_declared"),
        in_hand=in_hand(start),
        touching=names(start, "touching"),
        to_spot=() if pending is None else (str(pending),),
        frozen_declared=frozen(start),
        lying=positions(start.get("balls")),
        marks=marks(start, MARKS),
    )
    return Position(state, None)


def counts(start: Step, mine: Colour | None) -> tuple[int, int]:
    """(reds, yellows) on the table from `remaining` by player; 7 where nothing is said."""
    remaining = start.get("remaining") or {}
    known(remaining, ("A", "B"), "remaining")
    if remaining and mine is None:
        raise CaseError("remaining needs groups")
    of = {"A": number(remaining, "A"), "B": number(remaining, "B")}
    a, b = (7 if of["A"] is None else of["A"]), (7 if of["B"] is None else of["B"])
    return (a, b) if mine != "yellow" else (b, a)


def _shot(step: Step) -> Shot:
    known(step, WPA_SHOT | OWN_SHOT, "shot")
    flag(step, "first_contact_in_baulk")  # of no effect: the cue-ball need not leave baulk (5.8)
    intent = step.get("intent") or {}
    known(intent, ("attempt", "wrong_ball_first"), "intent")
    fields = wpa_shot(step)
    fields["string_crossings"] = number(step, "balls_crossing_centre_string")
    return Shot(
        **fields,
        wrong_ball_intended=intent.get("wrong_ball_first") == "intentional",
        attempted=intent.get("attempt") != "none",
    )


def advance(position: Position[State, None], step: Step) -> Ruled[State, None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    return advance_shot(GAME, position, step, _shot, _fields)


def _fields(state: State, ruling: Ruling) -> Values:
    return {
        **ruling_fields(ruling, choice_as_shooter=False),
        "table_open": state.table_open,
        "groups": {"A": state.colour("A"), "B": state.colour("B")},
        "free_shot": ruling.free_shot,
        "foul_ignored": ruling.foul_ignored,
        "rerack": ruling.rerack is not None,
    }
