"""Plays snooker's rule cases on the engine, and names what came as an `expect` does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.cases.model import CaseError
from referee.cases.snooker import facts as read
from referee.cases.snooker import geometry
from referee.cases.snooker.start import Start, start_of
from referee.rules.snooker import Miss, Options, Pending, Ruling, State, apply, match
from referee.rules.snooker.facts import ChoiceFacts, Facts, FactsError
from referee.rules.snooker.state import (
    ANY_COLOUR,
    lowest_on,
    opponent,
    points_on_table,
    side,
    snookers_required,
)

Actual = dict[str, Any]


def play(case: Mapping[str, Any]) -> list[Actual]:
    """Every step's actual values. Raises `CaseError`."""
    return play_with(case, options_of(case, Options()))


def options_of(case: Mapping[str, Any], base: Options) -> Options:
    """The rule options that the case switches on."""
    from dataclasses import replace

    switched = dict(case.get("options", {}))
    unknown = sorted(set(switched) - set(Options.__dataclass_fields__))
    if unknown:
        raise CaseError(f"unknown option {unknown[0]!r}")
    for name, value in switched.items():
        if type(value) is not type(getattr(Options(), name)):
            raise CaseError(f"option {name} cannot be {value!r}")
    return replace(base, **switched)


def play_with(case: Mapping[str, Any], options: Options) -> list[Actual]:
    """Play a case of snooker or a variant."""
    try:
        table = Table(start_of(case["start"], options))
        return [table.step(step) for step in case["steps"]]
    except FactsError as error:
        raise CaseError(str(error)) from error


class Table:
    """One case being played: the state, and where the cue-ball is."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.state = start.state
        self.cue_xy = start.cue_xy
        self.balls = start.balls

    def step(self, step: Mapping[str, Any]) -> Actual:
        """Play one step."""
        kind = step["type"]
        if kind == "query":
            return self._query(step)
        if kind == "break":
            return self._break(step)
        readers = {
            "stroke": self._stroke,
            "event": self._event,
            "choice": self._choice,
            "referee": self._referee,
        }
        if kind not in readers:
            raise CaseError(f"snooker has no step of type {kind!r}")
        return readers[kind](step)

    def _stroke(self, step: Mapping[str, Any]) -> Actual:
        self.state = read.before_stroke(self.state, step)
        facts = read.stroke_facts(self.state, step, self.start)
        layout = read.layout_of(step.get("end_positions", {}), self.state)
        facts = geometry.with_geometry(self.state, facts, layout)
        before = self.state
        actual = self._apply(facts)
        raw = tuple(f["ball"] for f in step.get("fell_untouched", ()))
        if raw and actual["replaced"] != "all":
            actual["replaced"] = list(raw)
        if layout:
            actual["alternative_respot"] = geometry.alternative_respot(before, facts, layout)
        self.balls = dict(step.get("end_positions", {}))
        self.cue_xy = list(step.get("end_positions", {}).get("cue", ())) or None
        actual["cue_ball_xy"] = self.cue_xy
        return actual

    def _event(self, step: Mapping[str, Any]) -> Actual:
        facts = read.act_facts(self.state, step, self.start)
        facts = geometry.act_with_geometry(self.state, facts, read.layout_of(self.balls, self.state))
        actual = self._apply(facts)
        if "ball" in step and actual["replaced"]:
            actual["replaced"] = [step["ball"]]
        actual["cue_ball_xy"] = None if self.state.in_hand else self.cue_xy
        return actual

    def _choice(self, step: Mapping[str, Any]) -> Actual:
        actual = self._apply(read.choice_facts(step))
        if "referee_replaces" in step:
            actual["replaced"] = list(step["referee_replaces"])
        return actual

    def _referee(self, step: Mapping[str, Any]) -> Actual:
        return self._apply(read.referee_facts(step))

    def _break(self, step: Mapping[str, Any]) -> Actual:
        actual: Actual = {}
        for facts in read.break_strokes(self.state, step):
            actual = self._apply(facts)
            if actual["foul"]:
                raise CaseError(f"the break's {facts.potted[0]} cannot be potted there")
        return actual

    def _query(self, step: Mapping[str, Any]) -> Actual:
        if step["query"] == "starter_of_next_frame":
            starter = match.next_starter(self.start.frames)
            return {"starter": starter, "next_frame_starter": starter}
        if step["query"] == "match_result":
            if self.start.best_of is None:
                raise CaseError("match_result needs start.match.best_of")
            result = match.match_result(self.start.frames, self.start.best_of)
            won = {"A": result.frames[0], "B": result.frames[1]}
            return {"over": result.over, "winner": result.winner, "frames": won}
        raise CaseError(f"unknown query {step['query']!r}")

    def _apply(self, facts: Facts) -> Actual:
        before = self.state
        self.state, ruling = apply(before, facts)
        return actual_of(before, self.state, ruling, facts, self.start)


def actual_of(before: State, state: State, ruling: Ruling, facts: Facts, start: Start) -> Actual:
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


def _money(ruling: Ruling) -> Actual:
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


def _position(state: State, ruling: Ruling) -> Actual:
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


def _sequence(state: State, ruling: Ruling) -> Actual:
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


def _frame(before: State, state: State, ruling: Ruling, start: Start) -> Actual:
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
    from dataclasses import replace

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
