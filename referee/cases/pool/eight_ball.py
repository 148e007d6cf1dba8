"""Case adapter of WPA eight ball: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.pool.fields import (
    advance_shot,
    group_of_a,
    known,
    positions,
    side,
)
from referee.cases.pool.fields import pair as pair_of
from referee.cases.pool.wpa_fields import (
    START,
    WPA_SHOT,
    frozen,
    in_hand,
    marks,
    mentioned,
    ruling_fields,
    wpa_shot,
)
from referee.cases.values import flag
from referee.rules.common.match import Match
from referee.rules.wpa.eight_ball import ALL_BALLS, GROUPS, SOLIDS, STRIPES, Group, Ruling, State
from referee.rules.wpa.eight_ball import GAME as GAME
from referee.rules.wpa.general import WPA_MARKS, WpaShot


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new rack in the vocabulary."""
    known(settings, (), "settings")
    return {
        "shooter": match.breaker,
        "groups": {"A": None, "B": None},
        "table_open": True,
        "break_shot": True,
        "cue_in_hand": "behind_head_string",
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Position[State, None]:
    """The state before the first step. What is not stated is a full table."""
    known(start, START | {"groups", "table_open", "remaining", "consecutive_fouls"}, "start")
    known(options, (), "options")
    pair_of(start, "consecutive_fouls")  # read and of no effect: eight ball has no three-foul rule (6.14)
    shooter = side(start.get("shooter", "A"), "shooter")
    group_a = group_of_a(start, "groups", "table_open", GROUPS)
    break_shot = flag(start, "break_shot")
    state = State(
        shooter=shooter,
        breaker=side(start.get("breaker", shooter), "breaker"),
        group_a=group_a,
        on_table=_on_table(start, group_a, steps),
        break_shot=break_shot,
        in_hand=in_hand(start),
        frozen_declared=frozen(start),
        lying=positions(start.get("balls")),
        marks=marks(start, WPA_MARKS),
    )
    return Position(state, None)


def _on_table(start: Step, group_a: Group | None, steps: Sequence[Step]) -> frozenset[int]:
    """Counts of `remaining` as numbers: those that the steps name come first."""
    remaining = start.get("remaining") or {}
    known(remaining, ("A", "B"), "remaining")
    if remaining and group_a is None:
        raise CaseError("remaining needs groups")
    left = ALL_BALLS
    for player, count in remaining.items():
        mine = SOLIDS if (group_a == "solids") == (player == "A") else STRIPES
        if not isinstance(count, int) or not 0 <= count <= 7:
            raise CaseError(f"remaining must be 0 to 7 balls, got {count!r}")
        first = sorted(mine, key=lambda ball: (ball not in mentioned(steps), ball))
        left -= mine - frozenset(first[:count])
    return left


def _shot(step: Step) -> WpaShot:
    known(step, WPA_SHOT, "shot")
    return WpaShot(**wpa_shot(step))


def advance(position: Position[State, None], step: Step) -> Ruled[State, None]:
    """One step: the fact, the ruling, and what came by the vocabulary's names."""
    return advance_shot(GAME, position, step, _shot, _fields)


def _fields(state: State, ruling: Ruling) -> Values:
    return {
        **ruling_fields(ruling, choice_as_shooter=False),
        "illegal_break": ruling.illegal_break,
        "table_open": state.table_open,
        "groups": {"A": state.group("A"), "B": state.group("B")},
        "rerack": ruling.rerack,
    }
