"""Calls that say the state of the frame: who is at the table, what is on, the score. Pure."""

from __future__ import annotations

from dataclasses import replace

from referee.facts.calls import StateCall
from referee.facts.judged import Output, Warned
from referee.match.snooker.frames import begin_frame
from referee.match.snooker.position import Folded, Position, Settings
from referee.rules.snooker import ANY_COLOUR, Misses, Pending, State
from referee.rules.snooker.facts import COLOURS

STATE_SET = "state_set"
"""Type of the note that says that a person has set the state."""


def apply_state_calls(position: Position, until_s: float, settings: Settings) -> Folded:
    """Apply the calls about the state that were not applied yet, up to and including `until_s`."""
    outputs: tuple[Output, ...] = ()
    for call in settings.called(position.state_call_s, until_s):
        if isinstance(call, StateCall):
            position, more = _apply(replace(position, state_call_s=call.t_s), call, settings)
            outputs += more
    return position, outputs


def _apply(position: Position, call: StateCall, settings: Settings) -> Folded:
    """A frame begins where none is known; one that was judged to be over goes on."""
    outputs: tuple[Output, ...] = ()
    if position.state is None or position.practice:
        position, outputs = begin_frame(position, (), call.t_s, settings)
    assert position.state is not None
    state = said_state(position.state, call)
    frame = replace(position.frames[-1], score=call.score, winner=None, ended=None)
    after = replace(
        position,
        state=state,
        practice=False,
        frames=(*position.frames[:-1], frame),
        due=(),
        last=None,
        doubt=None,
        guessed=False,
        blind=None,
    )
    a, b = call.score
    on = call.ball_on.replace("_", " ")
    return after, (*outputs, Warned(STATE_SET, call.t_s, f"state set: {call.striker}, {on} on, {a}-{b}"))


def said_state(state: State, call: StateCall) -> State:
    """The state with what the call says; what hung on the stroke before (a choice, a free ball, a break)
    is over.
    """
    reds, colours = state.reds, state.colours
    if call.ball_on == "red":
        reds = max(reds, 1)  # said to be on, so at least one is there
        colours = COLOURS
    elif call.ball_on == ANY_COLOUR:
        colours = COLOURS
    elif call.ball_on in COLOURS:
        reds, colours = 0, COLOURS[COLOURS.index(call.ball_on) :]
    return replace(
        state,
        striker=next(p for p in state.order if p[0] == call.striker),
        ball_on=call.ball_on,
        reds=reds,
        colours=colours,
        scores=call.score,
        break_points=0,
        free_ball=False,
        pending=Pending.NOTHING,
        offence=None,
        misses=Misses(),
        touching=(),
        spotting=None,
        in_hand=state.in_hand and not state.started,
        started=state.started or call.score != (0, 0),
        unclaimed=None,
        winner=None,
    )
