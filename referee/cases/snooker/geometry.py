"""Completes a case's stroke with what geometry computes from its end positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from calibration.table.specs import SNOOKER_TABLE
from referee.cases.model import CaseError
from referee.geometry import BallAt, Snookered, snookered, snookered_in_hand, spot_colours
from referee.rules.snooker import ANY_COLOUR, Ruling, State, apply
from referee.rules.snooker.facts import ActFacts, After, Placement, StrokeFacts

TOUCHING_MM = 0.01
"""Cases state touching balls exactly."""


def with_geometry(state: State, facts: StrokeFacts, layout: Sequence[BallAt]) -> StrokeFacts:
    """The stroke with due places, and with snookered and touching where the case does not say them."""
    if not layout:
        return facts
    _, ruling = apply(state, facts)
    placements = _places(state, ruling, layout, state.options.strict_spotting_order)
    facts = replace(facts, placements=placements)
    return replace(facts, after=_completed(facts.after, ruling, placements, layout))


def _completed(
    said: After, ruling: Ruling, placements: Sequence[Placement], layout: Sequence[BallAt]
) -> After:
    """The position as the case states it, completed from the positions of the balls."""
    if said.snookered is None:
        return _after(ruling, placements, layout)
    if said.snookered and said.snookering is None:
        return replace(said, snookering=_after(ruling, placements, layout).snookering)
    return said


def act_with_geometry(state: State, facts: ActFacts, layout: Sequence[BallAt]) -> ActFacts:
    """The act with due places of the colours that it brings back; with every ball's place, snookered too."""
    if not layout:
        return facts
    _, ruling = apply(state, facts)
    placements = _places(state, ruling, layout, state.options.strict_spotting_order)
    facts = replace(facts, placements=placements)
    if not ruling.foul or not _complete(state, layout):
        return facts
    return replace(facts, after=_completed(facts.after, ruling, placements, layout))


def _complete(state: State, layout: Sequence[BallAt]) -> bool:
    """Whether every object ball on the table has a place."""
    colours = [b.colour for b in layout]
    return colours.count("red") == state.reds and set(state.colours) <= set(colours)


def _places(state: State, ruling: Ruling, layout: Sequence[BallAt], strict: bool) -> tuple[Placement, ...]:
    colours = [p.ball for p in ruling.respot]
    others = [b for b in layout if b.ball not in colours]
    try:
        spotted = spot_colours(colours, others, SNOOKER_TABLE, strict)
    except ValueError as error:
        raise CaseError(str(error)) from error
    return tuple(Placement(s.ball, s.spot, (s.x_mm, s.y_mm), s.clause) for s in spotted)


def _after(ruling: Ruling, placements: Sequence[Placement], layout: Sequence[BallAt]) -> After:
    """Snookered and touching for the next ball on, with the colours back on the table."""
    on = ruling.next_ball_on
    cue = next((b for b in layout if b.colour == "white"), None)
    placed = {p.ball for p in placements}
    table = [b for b in layout if b.ball not in placed and b.colour != "white"]
    table += [BallAt(p.ball, p.ball, *p.xy_mm) for p in placements]
    touched = _touched(cue, table)
    names = [b.ball for b in table if b.colour == on]
    if on is None or on == ANY_COLOUR or not names:
        return After(None, None, touched)
    seen = _seen(ruling, cue, table, names)
    return After(seen.answer.likely, tuple(seen.effective), touched) if seen else After(None, None, touched)


def _seen(
    ruling: Ruling, cue: BallAt | None, table: Sequence[BallAt], names: Sequence[str]
) -> Snookered | None:
    if ruling.cue_ball_in_hand:
        return snookered_in_hand(table, names, SNOOKER_TABLE)
    return None if cue is None else snookered(cue, table, names, SNOOKER_TABLE)


def _touched(cue: BallAt | None, table: Sequence[BallAt]) -> tuple[str, ...]:
    if cue is None:
        return ()
    near = [
        b.colour
        for b in table
        if ((b.x_mm - cue.x_mm) ** 2 + (b.y_mm - cue.y_mm) ** 2) ** 0.5 - SNOOKER_TABLE.ball_diameter_mm
        <= TOUCHING_MM
    ]
    return tuple(dict.fromkeys(near))


def alternative_respot(state: State, facts: StrokeFacts, layout: Sequence[BallAt]) -> list[dict[str, Any]]:
    """Due places under the other reading of 3.7(e): strictly by value."""
    _, ruling = apply(state, facts)
    strict = not state.options.strict_spotting_order
    return [placement_json(p) for p in _places(state, ruling, layout, strict)]


def placement_json(placement: Placement) -> dict[str, Any]:
    """A due place as case files write it."""
    return {
        "ball": placement.ball,
        "spot": placement.spot,
        "xy": [placement.xy_mm[0], placement.xy_mm[1]],
        "clause": placement.clause,
    }
