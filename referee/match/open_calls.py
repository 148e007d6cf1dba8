"""Which calls of a player are open before a stroke, and which were made for it.

What a camera cannot know is said by a person: a ball (with its pocket where shots are called, WPA 1.6), a
safety, a push out (2.4, 9.4), a ball frozen to a rail (8.4). The pages offer what is open here.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from calibration.table.games import GAMES, GameSpec
from calibration.table.specs import CushionName, PocketName
from referee.cases import play
from referee.cases.model import CaseError
from referee.facts.calls import Call, ChoiceCall, Frozen, Nomination, ShotCall
from referee.facts.judged import JudgedStroke
from referee.match.games.fold import GamePosition, JudgedGameStroke
from referee.match.position import Position
from referee.match.referee import Referee
from referee.rules.game import Side
from referee.rules.snooker import ANY_COLOUR, Pending

CallKind = Literal["nominate", "safety", "push_out", "frozen"]
"""Kinds of calls, named as in a file of calls."""


@dataclass(frozen=True, slots=True)
class OpenCalls:
    """What may be called before a stroke. `by`: who is at the table, None where nobody may call.

    `balls`: that he may name, those first that he may hit first; `pockets`: a ball is called with its pocket.
    `frozen`: a ball may be declared frozen to a rail, by anybody.
    """

    by: Side | None = None
    balls: tuple[str, ...] = ()
    pockets: bool = False
    safety: bool = False
    push_out: bool = False
    frozen: bool = False

    @property
    def kinds(self) -> tuple[CallKind, ...]:
        """The kinds of calls that are open."""
        said: dict[CallKind, bool] = {
            "nominate": bool(self.balls),
            "safety": self.safety,
            "push_out": self.push_out,
            "frozen": self.frozen,
        }
        return tuple(kind for kind, is_open in said.items() if is_open)


NO_CALLS = OpenCalls()


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call for a stroke. `entry`: the journal's, by which it is taken back; None: it was told with the
    recording (`--calls`).
    """

    entry: int | None
    kind: CallKind
    by: Side | None = None
    ball: str | None = None
    pocket: PocketName | None = None
    rail: CushionName | None = None


def open_calls(game: str, state: Any, by: str | None, kinds: Collection[str]) -> OpenCalls:
    """What may be called in a game's state. `by`: who is at the table; `kinds`: of the balls that lie there.

    `state`: of the game's rules; of snooker a judged stroke says the same.
    """
    spec = GAMES[game]
    if state is None or by is None:
        return NO_CALLS
    side: Side = "B" if by[0] == "B" else "A"
    called = spec.called and not getattr(state, "break_shot", False)  # on a break nothing counts as called
    return OpenCalls(
        by=side,
        balls=_callable(spec, state, side, kinds) if called else _nominable(spec, state, kinds),
        pockets=called,
        safety=called,
        push_out=spec.push_out and state.second_shot,
        frozen=spec.frozen,
    )


def _callable(spec: GameSpec, state: Any, side: Side, kinds: Collection[str]) -> tuple[str, ...]:
    """The object balls on the table, those first that may be hit first."""
    balls = [b for b in spec.pieces.object_balls if b in kinds]
    first: Collection[str] = balls
    if hasattr(state, "legal_first"):
        first = state.legal_first(side) or balls
    elif hasattr(state, "lowest"):
        first = (str(state.lowest),)
    return tuple(sorted(balls, key=lambda b: b not in first))


def _nominable(spec: GameSpec, state: Any, kinds: Collection[str]) -> tuple[str, ...]:
    """The balls of which one has to be named (WEPF H), or may be (snooker 2.12, 3.10)."""
    if not spec.nominated:
        return ()
    if hasattr(state, "must_nominate"):
        return spec.groups if state.must_nominate else ()
    if not (state.free_ball or state.ball_on == ANY_COLOUR):
        return ()
    return tuple(b for b in spec.pieces.object_balls if b in kinds and (state.free_ball or b != "red"))


def calls_now(
    referee: Referee, position: Position, kinds: Collection[str]
) -> tuple[OpenCalls, tuple[MadeCall, ...]]:
    """What may be called for the stroke to come, and what was. `position`: where the match stands; `kinds`:
    of the balls that lie there now.
    """
    said = referee.called(position.since_s, math.inf)
    if isinstance(position, GamePosition):
        state = _chosen(referee.game, position, (c for _, c in said))
        by = None if state is None else getattr(state, "player", None) or getattr(state, "shooter", None)
    else:
        state = position.state if position.under_way else None
        by = None if state is None or state.pending is Pending.LOTS else state.striker
    return open_calls(referee.game, state, by, kinds), made_calls(said)


def _chosen(game: str, position: GamePosition, calls: Iterable[Call]) -> Any:
    """The rules' state with the choices that were said since the last stroke, which the next one applies."""
    if position.rack is None:
        return None
    rack = position.rack
    for call in calls:
        if not isinstance(call, ChoiceCall):
            continue
        try:
            rack = play.advance(game, rack, {"type": "choice", "by": call.by, "choice": call.choice}).position
        except CaseError:
            continue  # the next stroke warns of it
    return rack.state


def calls_before(referee: Referee, n: int) -> tuple[OpenCalls, tuple[MadeCall, ...]]:
    """What might be called before stroke `n`, and what was; nothing in practice, and of an unknown stroke."""
    strokes = {o.n: o for o in referee.outputs if isinstance(o, JudgedStroke)}
    stroke = strokes.get(n)
    if stroke is None or stroke.striker is None:
        return NO_CALLS, ()
    before = strokes.get(n - 1)
    since_s = -math.inf if before is None else before.seen.end_s
    state = stroke.state_before if isinstance(stroke, JudgedGameStroke) else stroke
    kinds = {b.colour for b in stroke.seen.before}
    made = made_calls(referee.called(since_s, stroke.seen.start_s))
    return open_calls(referee.game, state, stroke.striker, kinds), made


def made_calls(said: Iterable[tuple[int | None, Call]]) -> tuple[MadeCall, ...]:
    """The calls for one stroke that count: of a player's shots or nominations the last, and every ball that
    was declared frozen.
    """
    found: dict[object, MadeCall] = {}
    for entry, call in said:
        if isinstance(call, Frozen):
            found[call.ball, call.rail] = MadeCall(entry, "frozen", None, call.ball, None, call.rail)
        elif isinstance(call, Nomination | ShotCall):
            found.pop(call.by, None)
            found[call.by] = _made(entry, call)
    return tuple(found.values())


def _made(entry: int | None, call: Nomination | ShotCall) -> MadeCall:
    by: Side = "B" if call.by[0] == "B" else "A"
    if isinstance(call, Nomination):
        return MadeCall(entry, "nominate", by, call.ball)
    kind: CallKind = "safety" if call.safety else "push_out" if call.push_out else "nominate"
    pocket: Any = call.pocket  # one of the six: checked where it was read
    return MadeCall(entry, kind, by, call.ball, pocket)
