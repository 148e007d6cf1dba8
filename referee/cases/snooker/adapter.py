"""Case adapter of snooker: the vocabulary's fields to facts, rulings to `expect` names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee.cases.model import CaseError, Position, Ruled, Step, Values
from referee.cases.snooker import facts as read
from referee.cases.snooker import geometry
from referee.cases.snooker.start import Start, start_of
from referee.rules.common.match import Match
from referee.rules.snooker import GAME as GAME
from referee.rules.snooker import Miss, Options, Pending, Ruling, State, match
from referee.rules.snooker.facts import COLOURS, Choice, ChoiceFacts, Facts
from referee.rules.snooker.state import (
    ANY_COLOUR,
    lowest_on,
    opponent,
    points_on_table,
    side,
    snookers_required,
)


@dataclass(frozen=True, slots=True)
class Notes:
    """The parts of a case beside the state: its start, where the cue-ball is, and where the balls lie.

    `cue_before_xy`: where the cue-ball lay before the last stroke.
    """

    start: Start
    cue_xy: list[float] | None
    balls: Mapping[str, Any]
    cue_before_xy: list[float] | None = None


Table = Position[State, Notes]
RuledStep = Ruled[State, Notes]


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new frame in the vocabulary."""
    return fresh_frame(match.breaker, GAME.new_frame(match.breaker).reds, settings)


def fresh_frame(breaker: str, reds: int, settings: Step) -> Values:
    """The `start` of a frame with that many reds."""
    return {
        "ball_on": "red",
        "colours_on_table": list(COLOURS),
        "scores": {"A": 0, "B": 0},
        "striker": breaker,
        "frame_starter": breaker,
        "cue_in_hand": True,
        "reds_on_table": reds,
        **settings,
    }


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Table:
    """The position before the first step."""
    return begin_with(start, options_of(options, Options()))


def options_of(switched: Step, base: Options) -> Options:
    """The rule options that the case switches on."""
    unknown = sorted(set(switched) - set(Options.__dataclass_fields__))
    if unknown:
        raise CaseError(f"unknown option {unknown[0]!r}")
    for name, value in switched.items():
        if type(value) is not type(getattr(Options(), name)):
            raise CaseError(f"option {name} cannot be {value!r}")
    return replace(base, **switched)


def begin_with(start: Step, options: Options) -> Table:
    """The position before the first step of snooker or a variant."""
    said = start_of(start, options)
    return Position(said.state, Notes(said, said.cue_xy, said.balls))


def advance(table: Table, step: Step) -> RuledStep:
    """One step: its facts, their rulings, and what came by the vocabulary's names."""
    kind = step["type"]
    if kind not in _STEPS:
        raise CaseError(f"snooker has no step of type {kind!r}")
    return _STEPS[kind](table, step)


def _stroke(table: Table, step: Step) -> RuledStep:
    before = read.before_stroke(table.state, step)
    facts = read.stroke_facts(before, step, table.notes.start)
    layout = read.layout_of(step.get("end_positions", {}), before)
    facts = geometry.with_geometry(before, facts, layout)
    ends = dict(step.get("end_positions", {}))
    cue_xy = list(ends.get("cue", ())) or None
    notes = replace(table.notes, balls=ends, cue_xy=cue_xy, cue_before_xy=table.notes.cue_xy)
    ruled = _ruled(replace(table, state=before), facts, notes)
    actual = ruled.values
    raw = tuple(f["ball"] for f in step.get("fell_untouched", ()))
    if raw and actual["replaced"] != "all":
        actual["replaced"] = list(raw)
    if layout:
        actual["alternative_respot"] = geometry.alternative_respot(before, facts, layout)
    actual["cue_ball_xy"] = cue_xy
    return ruled


def _event(table: Table, step: Step) -> RuledStep:
    facts = read.act_facts(table.state, step, table.notes.start)
    layout = read.layout_of(table.notes.balls, table.state)
    ruled = _ruled(table, geometry.act_with_geometry(table.state, facts, layout))
    actual = ruled.values
    if "ball" in step and actual["replaced"]:
        actual["replaced"] = [step["ball"]]
    actual["cue_ball_xy"] = None if ruled.position.state.in_hand else table.notes.cue_xy
    return ruled


def _choice(table: Table, step: Step) -> RuledStep:
    facts, notes = read.choice_facts(step), table.notes
    back = facts.choice in (Choice.AGAIN_ORIGINAL, Choice.AGAIN_ALL_REPLACED)
    if back:
        notes = replace(notes, cue_xy=notes.cue_before_xy)
    ruled = _ruled(table, facts, notes)
    if not ruled.values["accepted"]:
        return replace(ruled, position=replace(ruled.position, notes=table.notes))
    if back and notes.cue_xy is not None and not ruled.position.state.in_hand:
        ruled.values["cue_ball_xy"] = notes.cue_xy
    if "referee_replaces" in step:
        ruled.values["replaced"] = list(step["referee_replaces"])
    return ruled


def _referee(table: Table, step: Step) -> RuledStep:
    return _ruled(table, read.referee_facts(step))


def _break(table: Table, step: Step) -> RuledStep:
    ruled = Ruled(table, (), (), Values())
    for facts in read.break_strokes(table.state, step):
        one = _ruled(ruled.position, facts)
        if one.values["foul"]:
            raise CaseError(f"the break's {facts.potted[0]} cannot be potted there")
        ruled = replace(one, facts=(*ruled.facts, facts), rulings=(*ruled.rulings, *one.rulings))
    return ruled


def _query(table: Table, step: Step) -> RuledStep:
    start = table.notes.start
    if step["query"] == "starter_of_next_frame":
        starter = match.next_starter(start.frames)
        return Ruled(table, (), (), {"starter": starter, "next_frame_starter": starter})
    if step["query"] == "match_result":
        result = _match_result(start)
        won = {"A": result.frames[0], "B": result.frames[1]}
        return Ruled(table, (), (), {"over": result.over, "winner": result.winner, "frames": won})
    raise CaseError(f"unknown query {step['query']!r}")


def _match_result(start: Start) -> match.MatchResult:
    if start.best_of is None:
        raise CaseError("match_result needs start.match.best_of")
    if start.forfeited_by is not None:
        return match.forfeit_game(start.frames, start.forfeited_by, start.best_of, start.aggregate)
    if start.aggregate:
        return match.aggregate_result(start.frames, start.best_of)
    return match.match_result(start.frames, start.best_of)


_STEPS: Mapping[str, Callable[[Table, Step], RuledStep]] = {
    "stroke": _stroke,
    "event": _event,
    "choice": _choice,
    "referee": _referee,
    "break": _break,
    "query": _query,
}


def _ruled(table: Table, facts: Facts, notes: Notes | None = None) -> RuledStep:
    """One fact ruled; `notes`: what is known of the table after it, where that changes."""
    state, ruling = GAME.apply(table.state, facts)
    values = actual_of(table.state, state, ruling, facts, table.notes.start)
    return Ruled(Position(state, notes or table.notes), (facts,), (ruling,), values)


def actual_of(before: State, state: State, ruling: Ruling, facts: Facts, start: Start) -> Values:
    """A ruling and the new state under the names of case files."""
    return {
        **_money(ruling),
        **_position(state, ruling),
        **_sequence(state, ruling),
        **_frame(before, state, ruling, start),
        "accepted": ruling.accepted,
        "condoned": ruling.condoned,
        "request_withdrawable": not _asked_again(ruling, facts),
        "pending": f"{opponent(state.striker)}_accepts_or_refuses"
        if state.pending is Pending.CONCESSION
        else None,
        "call": list(ruling.words),
    }


def _asked_again(ruling: Ruling, facts: Facts) -> bool:
    return isinstance(facts, ChoiceFacts) and ruling.accepted and "ask_offender" in facts.choice.value


def _money(ruling: Ruling) -> Values:
    return {
        "foul": ruling.foul,
        "clause": ruling.clause if ruling.foul else None,
        "penalty": ruling.penalty,
        "penalty_to": ruling.penalty_to,
        "points_to_striker": ruling.points,
        "scores": {"A": ruling.scores[0], "B": ruling.scores[1]},
        "break_": ruling.break_points,
        "credit": max(0, *ruling.adjustment),
    }


def _position(state: State, ruling: Ruling) -> Values:
    on = ruling.next_ball_on
    return {
        "next_striker": "lots" if state.pending is Pending.LOTS else ruling.next_striker,
        "next_ball_on": "any colour" if on == ANY_COLOUR else on,
        "reds_remaining": state.reds,
        "respot": [geometry.placement_json(p) for p in ruling.respot],
        "alternative_respot": [geometry.placement_json(p) for p in ruling.respot],
        "stay_off": list(ruling.stay_off),
        "removed": list(ruling.removed),
        "moved": list(ruling.moved),
        "replaced": "all" if ruling.replaced == ("all",) else list(ruling.replaced),
        "cue_ball_in_hand": ruling.cue_ball_in_hand,
        "free_ball": ruling.free_ball,
    }


def _sequence(state: State, ruling: Ruling) -> Values:
    return {
        "miss": ruling.miss.value if ruling.miss is not Miss.REFEREE else "referee",
        "options": [o.value for o in ruling.options],
        "miss_count": state.misses.calls,
        "consecutive_miss_calls": state.misses.calls,
        "consecutive_full_ball_failures": state.misses.full_ball_failures,
        "warning_in_force": state.misses.warned,
        "warning_given": bool(ruling.warnings),
        "replay": ruling.replay,
    }


def _frame(before: State, state: State, ruling: Ruling, start: Start) -> Values:
    due = start.due_starter or state.due_starter
    return {
        "frame_over": ruling.frame_over,
        "winner": ruling.winner,
        "restart": ruling.restart,
        "starter": side(state.striker) if ruling.restart else due,
        "next_frame_starter": opponent(due),
        "snookers_required": _snookers(before, state, start.snookers_as_number),
        "aggregate_level": _aggregate_level(state),
    }


def _snookers(before: State, state: State, as_number: bool) -> int | bool:
    """Fouls that the trailing side needs, also where needing them has just ended the frame."""
    live = state
    if state.over:
        if state.reds == 0 and (not state.colours or before.only_black):
            return 0 if as_number else False
        live = replace(state, ball_on=lowest_on(state.reds, state.colours), pending=Pending.NOTHING)
    if as_number:
        return max(snookers_required(live, "A"), snookers_required(live, "B"))
    return abs(live.scores[0] - live.scores[1]) > points_on_table(live)


def _aggregate_level(state: State) -> bool:
    totals = [s + t for s, t in zip(state.scores, state.aggregate_before, strict=True)]
    return state.aggregate and totals[0] == totals[1]
