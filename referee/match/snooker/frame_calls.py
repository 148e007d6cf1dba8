"""What people say befell a frame: conceded, abandoned, set up again, practice. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.facts.calls import FrameCall
from referee.facts.judged import FrameEnded
from referee.rules.snooker import Pending, State, apply
from referee.rules.snooker.facts import Choice, ChoiceFacts, RefereeAct, RefereeFacts


@dataclass(frozen=True, slots=True)
class Befallen:
    """The frame after a call. `state` as the rules have it; `ended` None: it goes on (or begins anew)."""

    state: State
    ended: FrameEnded | None
    text: str


def befallen(state: State, call: FrameCall) -> Befallen | None:
    """What a call makes of a frame under way; None where it is not open (over, or lots to be drawn first)."""
    if state.over or (call.act == "concede" and state.pending is Pending.LOTS):
        return None
    if call.act == "concede":
        return _conceded(state, call)
    if call.act == "rerack":
        after, _ = apply(state, RefereeFacts(RefereeAct.STALEMATE))
        return Befallen(after, None, "the balls are set again, all points are void")
    if call.act in ("abandon", "practice"):
        a, b = state.scores
        over = replace(
            state, pending=Pending.OVER, ball_on=None, free_ball=False, break_points=0, offence=None
        )
        return Befallen(over, "abandoned", f"the frame is abandoned at {a}-{b}")
    return None


def _conceded(state: State, call: FrameCall) -> Befallen:
    """4.5(a): the rules let a striker concede. At the table both may say so; it counts as his turn then."""
    loser = next(p for p in state.order if p[0] == call.by)
    winner = "B" if call.by == "A" else "A"
    open_now = Pending.NOTHING if state.pending is Pending.CONCESSION else state.pending
    asked, _ = apply(replace(state, striker=loser, pending=open_now), ChoiceFacts(loser, Choice.CONCEDE))
    after, _ = apply(asked, ChoiceFacts(winner, Choice.ACCEPT_CONCESSION))
    a, b = after.scores
    return Befallen(after, "conceded", f"{call.by} concedes the frame at {a}-{b}")
