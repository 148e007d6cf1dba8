"""Calls about a frame: conceded, abandoned, set up again, practice; and its state as declared. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.facts.calls import FrameCall, StateCall
from referee.facts.judged import FrameEnded, Output, Warned
from referee.match.position import Folded, Position, Settings
from referee.match.snooker.frames import begin_frame
from referee.rules.snooker import ANY_COLOUR, Misses, Pending, State, apply
from referee.rules.snooker.facts import COLOURS, Choice, ChoiceFacts, RefereeAct, RefereeFacts


@dataclass(frozen=True, slots=True)
class FrameOutcome:
    """The frame after a call. `state` as the rules have it; `ended` None: it goes on (or begins anew)."""

    state: State
    ended: FrameEnded | None
    text: str


def apply_frame_calls(position: Position, until_s: float, settings: Settings) -> Folded:
    """Apply the calls about frames that were not applied yet, up to and including `until_s`."""
    outputs: tuple[Output, ...] = ()
    for call in settings.called(position.frame_call_s, until_s):
        if isinstance(call, FrameCall):
            position, more = _apply_frame_call(replace(position, frame_call_s=call.t_s), call, settings)
            outputs += more
    return position, outputs


def _apply_frame_call(position: Position, call: FrameCall, settings: Settings) -> Folded:
    state, frames = position.state, position.frames
    if call.act == "frame" and not position.under_way:
        after, outputs = begin_frame(position, (), call.t_s, settings)
        return after, (*outputs, Warned("frame", call.t_s, f"frame {after.frames[-1].n} begins"))
    if call.act == "practice" and not (position.under_way and frames and frames[-1].first_stroke is not None):
        return _practice(position), (Warned("practice", call.t_s, "practice from now on"),)
    found = _outcome(state, call) if state is not None and position.under_way else None
    if found is None:
        return position, (Warned("call_refused", call.t_s, f"{call.act} is not open now"),)
    frame = replace(frames[-1], score=found.state.scores, winner=found.state.winner, ended=found.ended)
    after = replace(
        position,
        state=found.state,
        frames=(*frames[:-1], frame),
        practice=call.act == "practice",
        hands=(),
        due=(),
        last=None,
    )
    return after, (Warned(call.act, call.t_s, found.text),)


def _practice(position: Position) -> Position:
    """Practice instead of a frame in which nothing was played yet: there was no such frame."""
    state, frames = position.state, position.frames
    if position.under_way:
        state, frames = None, frames[:-1]
    return replace(position, state=state, frames=frames, practice=True, due=(), last=None)


def _outcome(state: State, call: FrameCall) -> FrameOutcome | None:
    """What a call makes of a frame under way; None where it is not open (lots are to be drawn first)."""
    if call.act == "concede" and state.pending is Pending.LOTS:
        return None
    if call.act == "concede":
        return _conceded(state, call)
    if call.act == "rerack":
        after, _ = apply(state, RefereeFacts(RefereeAct.STALEMATE))
        return FrameOutcome(after, None, "the balls are set again, all points are void")
    if call.act in ("abandon", "practice"):
        a, b = state.scores
        over = replace(
            state, pending=Pending.OVER, ball_on=None, free_ball=False, break_points=0, offence=None
        )
        return FrameOutcome(over, "abandoned", f"the frame is abandoned at {a}-{b}")
    return None


def _conceded(state: State, call: FrameCall) -> FrameOutcome:
    """4.5(a): the rules let a striker concede. At the table both may say so; it counts as his turn then."""
    loser = next(p for p in state.order if p[0] == call.by)
    winner = "B" if call.by == "A" else "A"
    open_now = Pending.NOTHING if state.pending is Pending.CONCESSION else state.pending
    asked, _ = apply(replace(state, striker=loser, pending=open_now), ChoiceFacts(loser, Choice.CONCEDE))
    after, _ = apply(asked, ChoiceFacts(winner, Choice.ACCEPT_CONCESSION))
    a, b = after.scores
    return FrameOutcome(after, "conceded", f"{call.by} concedes the frame at {a}-{b}")


STATE_SET = "state_set"
"""Type of the note that says that a person has set the state."""


def apply_state_calls(position: Position, until_s: float, settings: Settings) -> Folded:
    """Apply the calls about the state that were not applied yet, up to and including `until_s`."""
    outputs: tuple[Output, ...] = ()
    for call in settings.called(position.state_call_s, until_s):
        if isinstance(call, StateCall):
            position, more = _set_state(replace(position, state_call_s=call.t_s), call, settings)
            outputs += more
    return position, outputs


def _set_state(position: Position, call: StateCall, settings: Settings) -> Folded:
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
