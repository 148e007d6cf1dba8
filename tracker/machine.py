"""The tracker's phases and every transition between them, in one table, as h11 has them."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    EMPTY = "no layout is known yet"
    STILL = "every ball lies still, or is hidden where it lay"
    ACTIVE = "a ball has left its place: a stroke, or a hand, decided when all is still again"


class Signal(Enum):
    LAYOUT_SEEN = "the first picture's balls have been named"
    BALL_LEFT = "a ball is not where it lay"
    CANCELLED = "every ball is back where it lay: noise, or a cue that brushed past"
    ALL_STILL = "nothing moves and nothing is awaited any more"
    CUT = "another picture: a cut, or the balls set anew"


TRANSITIONS: dict[tuple[Phase, Signal], Phase] = {
    (Phase.EMPTY, Signal.LAYOUT_SEEN): Phase.STILL,
    (Phase.STILL, Signal.BALL_LEFT): Phase.ACTIVE,
    (Phase.STILL, Signal.CUT): Phase.EMPTY,
    (Phase.ACTIVE, Signal.BALL_LEFT): Phase.ACTIVE,
    (Phase.ACTIVE, Signal.CANCELLED): Phase.STILL,
    (Phase.ACTIVE, Signal.ALL_STILL): Phase.STILL,
    (Phase.ACTIVE, Signal.CUT): Phase.EMPTY,
}


def next_phase(phase: Phase, signal: Signal) -> Phase:
    """The phase after a signal; ValueError for a transition that the table does not have."""
    try:
        return TRANSITIONS[phase, signal]
    except KeyError:
        raise ValueError(f"no transition from {phase.name} on {signal.name}") from None
