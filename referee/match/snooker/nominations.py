"""Nominations of a stroke (snooker 2.12, 3.10): which one counts, and why another counts for nothing."""

from __future__ import annotations

from collections.abc import Iterator

from referee.facts.calls import Nomination
from referee.facts.judged import Warned
from referee.facts.seen import SeenStroke
from referee.match.position import Position, Settings
from referee.rules.snooker import State
from referee.rules.snooker.on import may_call


def own_nomination(since_s: float, seen: SeenStroke, state: State, settings: Settings) -> str | None:
    """What the striker nominated last between the stroke before and this stroke's end, if he may have."""
    said = _said(since_s, seen, settings)
    return next((c.ball for c in said if c.by == state.striker[0] and _why_not(c, state) is None), None)


def nominated_by_other(
    since_s: float, seen: SeenStroke, state: State, settings: Settings
) -> Nomination | None:
    """The last nomination before this stroke, if it is by a player who is not taken to be at the table."""
    last = next(_said(since_s, seen, settings), None)
    return None if last is None or last.by == state.striker[0] else last


def refused_nominations(
    position: Position, seen: SeenStroke, state: State | None, settings: Settings
) -> tuple[Warned, ...]:
    """A warning for each nomination that does not count. `state`: before the stroke, None without ruling.

    There is none for the last one by the other player, about which a question is asked, nor in a state that
    was guessed: there the nomination may be right, and shows what was on.
    """
    if state is not None and (position.guessed or position.doubt is not None):
        return ()
    asked = None if state is None else nominated_by_other(position.since_s, seen, state, settings)
    found = []
    for call in reversed(list(_said(position.since_s, seen, settings))):
        why = _not_open(call) if state is None else _why_not(call, state)
        if why is not None and call is not asked:
            found.append(Warned("call_refused", call.t_s, why))
    return tuple(found)


def _why_not(call: Nomination, state: State) -> str | None:
    """Why a nomination does not count; None for one that does."""
    if call.by != state.striker[0]:
        return f"{call.by} called the {call.ball} and is not at the table"
    if call.ball not in may_call(state).balls:
        return _not_open(call)
    there = call.ball in state.colours or (call.ball == "red" and state.reds > 0)
    return None if there else f"{call.by} called the {call.ball}, which does not lie on the table"


def _not_open(call: Nomination) -> str:
    return f"{call.by} called the {call.ball}, which cannot be called before this stroke"


def _said(since_s: float, seen: SeenStroke, settings: Settings) -> Iterator[Nomination]:
    """Those between the stroke before and this stroke's end, the last one first."""
    said = settings.called(since_s, seen.end_s)
    return (c for c in reversed(said) if isinstance(c, Nomination))
