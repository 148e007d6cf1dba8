"""Acts of the referee alone: restart, nullify, award, warn, draw lots."""

from __future__ import annotations

from collections.abc import Callable

from referee.rules.records import replace
from referee.rules.snooker.acts import unchanged
from referee.rules.snooker.facts import FactsError, RefereeAct, RefereeFacts
from referee.rules.snooker.ruling import FrameEnd, Reason, Ruling, Warn
from referee.rules.snooker.state import Pending, State, index, new_frame, opponent, remaining_value, side
from referee.rules.snooker.turn import add, end_frame


def judge(state: State, facts: RefereeFacts) -> tuple[State, Ruling]:
    """Apply a referee's act."""
    return _HANDLERS[facts.act](state, facts)


def _restart(state: State, reason: Reason) -> tuple[State, Ruling]:
    """All balls set and all points void; the side due to start does so, in the same order (3.3(d), 3.16)."""
    fresh = replace(
        new_frame(state.due_starter, state.options, state.order),
        aggregate=state.aggregate,
        last_frame=state.last_frame,
        aggregate_before=state.aggregate_before,
        deciding_frame=state.deciding_frame,
        wheelchair=state.wheelchair,
        conduct_warned=state.conduct_warned,
    )
    lost = (-state.scores[0], -state.scores[1])
    return fresh, unchanged(fresh, reason, restart=True, adjustment=lost, replaced=("all",))


def _wrong_starter(state: State, facts: RefereeFacts) -> tuple[State, Ruling]:
    """3.3(d): restarted after one stroke; later it stands, and the next frame resumes the order."""
    wrong = side(state.starter) != side(state.due_starter)
    if wrong and state.strokes <= 1 and not state.foul_since_first:
        return _restart(state, Reason.RESTARTED)
    return state, unchanged(state, Reason.WRONG_STARTER_STANDS)


def _stalemate(state: State, facts: RefereeFacts) -> tuple[State, Ruling]:
    return _restart(state, Reason.STALEMATE)


def _award(state: State, facts: RefereeFacts) -> tuple[State, Ruling]:
    """4.2(a): the offender forfeits all points, the other side receives the value left, a red counting 8."""
    loser = _against(state, facts)
    winner = opponent(loser)
    credit = remaining_value(state)
    forfeited = state.scores[index(loser)]
    change = add(add((0, 0), winner, credit), loser, -forfeited)
    scores = (state.scores[0] + change[0], state.scores[1] + change[1])
    after = replace(state, scores=scores)
    reason = Reason.GAME_AWARDED if facts.act is RefereeAct.AWARD_GAME else Reason.FRAME_AWARDED
    ruling = unchanged(after, reason, adjustment=change)
    return end_frame(after, ruling, FrameEnd.AWARDED, winner)


def _against(state: State, facts: RefereeFacts) -> str:
    if facts.against is None or side(facts.against) not in ("A", "B"):
        raise FactsError(f"{facts.act.value} needs a player of the frame, got {facts.against!r}")
    return side(facts.against)


def _warn(state: State, facts: RefereeFacts) -> tuple[State, Ruling]:
    """4.1(a)(v); further conduct after a warning must cost the frame at least (4.1(b))."""
    player = _against(state, facts)
    if player in state.conduct_warned:
        return _award(state, facts)
    after = replace(state, conduct_warned=(*state.conduct_warned, player))
    return after, unchanged(after, Reason.WARNED, warnings=(Warn.CONDUCT,))


def _lots_drawn(state: State, facts: RefereeFacts) -> tuple[State, Ruling]:
    """3.4(b)(ii): who may choose."""
    if state.pending is not Pending.LOTS:
        raise FactsError("lots are drawn only for a re-spotted black")
    after = replace(state, lots_winner=_against(state, facts))
    return after, unchanged(after, Reason.LOTS)


_HANDLERS: dict[RefereeAct, Callable[[State, RefereeFacts], tuple[State, Ruling]]] = {
    RefereeAct.WRONG_STARTER: _wrong_starter,
    RefereeAct.STALEMATE: _stalemate,
    RefereeAct.AWARD_FRAME: _award,
    RefereeAct.AWARD_GAME: _award,
    RefereeAct.WARN: _warn,
    RefereeAct.LOTS_DRAWN: _lots_drawn,
}
