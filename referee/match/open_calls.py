"""Which calls of a player are open before a stroke, and which were made for it.

What a camera cannot know is said by a person: a ball (with its pocket where shots are called, WPA 1.6), a
safety, a push out (2.4, 9.4), a ball frozen to a rail (8.4). What may be said when, the game's rules know
(`Game.may_call`). The pages offer what is open here, and what is not is refused.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from calibration.table.specs import CUSHIONS, CushionName, PocketName, TableSpec
from calibration.texts import Sentence, listed, load_texts, recorded, sentence, unusable_input
from referee.cases import play
from referee.cases.model import CaseError
from referee.cases.model import Position as CasePosition
from referee.facts.calls import Call, ChoiceCall, Frozen, Nomination, ShotCall, Touching
from referee.facts.corrections import Correction
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenBall, SeenTouching
from referee.match.games.fold import EYES, GamePosition, JudgedGameStroke
from referee.match.games.frozen import touches
from referee.match.position import Position
from referee.match.referee import Referee
from referee.match.touching import touch
from referee.rules.game import NOTHING_TO_CALL, MayCall, Side
from referee.rules.registry import GAMES
from referee.rules.snooker.on import may_name

CallKind = Literal["nominate", "safety", "push_out", "frozen", "touching"]
"""Kinds of calls, named as in a file of calls."""


@dataclass(frozen=True, slots=True)
class AtRail:
    """A ball of that kind lies so near to a rail that it may touch it, as measured."""

    ball: str
    rail: CushionName


@dataclass(frozen=True, slots=True)
class OpenCalls:
    """What may be called before a stroke. `by`: who is at the table, None where nobody may call.

    `balls`: that he may name, those first that he may hit first; `pockets`: a ball is called with its pocket.
    `frozen`: the balls that may be declared frozen to a rail, `touching`: that the cue-ball may be declared
    to touch, by anybody.
    """

    by: Side | None = None
    balls: tuple[str, ...] = ()
    pockets: bool = False
    safety: bool = False
    push_out: bool = False
    frozen: tuple[AtRail, ...] = ()
    touching: tuple[str, ...] = ()

    @property
    def kinds(self) -> tuple[CallKind, ...]:
        """The kinds of calls that are open."""
        said: dict[CallKind, bool] = {
            "nominate": bool(self.balls),
            "safety": self.safety,
            "push_out": self.push_out,
            "frozen": bool(self.frozen),
            "touching": bool(self.touching),
        }
        return tuple(kind for kind, is_open in said.items() if is_open)

    def without(self, kinds: Collection[CallKind]) -> OpenCalls:
        """The same less some kinds of calls."""
        return replace(
            self,
            balls=() if "nominate" in kinds else self.balls,
            safety=self.safety and "safety" not in kinds,
            push_out=self.push_out and "push_out" not in kinds,
            touching=() if "touching" in kinds else self.touching,
        )


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


def open_calls(
    may: MayCall, layout: Sequence[SeenBall], table: TableSpec, beside: Sequence[SeenTouching] = ()
) -> OpenCalls:
    """What may be called: `may` as the rules have it, of the balls that lie there; `beside`: the cue-ball."""
    if may.by is None:
        return NO_CALLS
    kinds = {b.colour for b in layout}
    return OpenCalls(
        by=may.by,
        balls=tuple(b for b in may.balls if b in kinds),
        pockets=may.pockets,
        safety=may.safety,
        push_out=may.push_out,
        frozen=tuple(dict.fromkeys(_at_rails(layout, table))) if may.frozen else (),
        touching=_touched(beside, layout) if may.touching else (),
    )


def _touched(beside: Sequence[SeenTouching], layout: Sequence[SeenBall]) -> tuple[str, ...]:
    kinds = {b.ball: b.colour for b in layout}
    return tuple(dict.fromkeys(kinds[t.ball] for t in beside if t.ball in kinds and touch(t)))


def check_open(offered: OpenCalls, said: Call) -> None:
    """Raises UnusableInput for a call that is not open, with one sentence that says why."""
    if isinstance(said, Frozen):
        _check_frozen(offered, said)
    elif isinstance(said, Touching):
        _check_touching(offered, said)
    elif isinstance(said, ShotCall | Nomination):
        _check_shot(offered, said)


def _check_frozen(offered: OpenCalls, said: Frozen) -> None:
    if not any(p.ball == said.ball and said.rail in (None, p.rail) for p in offered.frozen):
        known = said_each(_at(p.ball, p.rail) for p in offered.frozen)
        found = ball_said(said.ball) if said.rail is None else _at(said.ball, said.rail)
        raise unusable_input("errors.frozen_as_measured", known=known, found=found)


def _check_touching(offered: OpenCalls, said: Touching) -> None:
    if said.ball not in offered.touching:
        known = said_each(map(ball_said, offered.touching))
        raise unusable_input("errors.touching_as_measured", known=known, found=ball_said(said.ball))


def _check_shot(offered: OpenCalls, said: ShotCall | Nomination) -> None:
    kind = _made(None, said).kind
    if kind not in offered.kinds:
        known = kinds_said(offered.kinds)
        raise unusable_input("errors.call_open_now", known=known, kind=sentence(f"calls.kind_{kind}"))
    if said.by[0] != offered.by:
        raise unusable_input("errors.call_of_who_is_at_the_table", known=offered.by, found=said.by[0])
    if kind == "nominate" and said.ball not in offered.balls:
        raise unusable_input(
            "errors.ball_that_may_be_called",
            known=said_each(map(ball_said, offered.balls)),
            ball=ball_said(str(said.ball)),
        )


def kinds_said(kinds: Iterable[str]) -> Sentence:
    """Kinds of calls in words, one after the other."""
    return said_each(sentence(f"calls.kind_{kind}") for kind in kinds)


def _at(ball: str, rail: CushionName) -> Sentence:
    return sentence("calls.at_rail", ball=ball_said(ball), rail=sentence(f"console.side_{rail}"))


def ball_said(ball: str) -> Sentence:
    """A kind of ball in words; a number is its own name."""
    return sentence(f"balls.{ball}")


def choices_said(options: Iterable[str]) -> Sentence:
    """The choices of a player in words, as a list."""
    snooker = load_texts().sections["choices"]
    return said_each(
        sentence(f"choices.{o}") if o in snooker else recorded(o.replace("_", " ")) for o in options
    )


def said_each(parts: Iterable[object]) -> Sentence:
    """Words as a list; "nothing" for an empty one."""
    return listed(list(parts) or [sentence("history.nothing")])


def _at_rails(layout: Sequence[SeenBall], table: TableSpec) -> Iterator[AtRail]:
    for ball in layout:
        for rail in CUSHIONS:
            if touches(ball, rail, table):
                yield AtRail(ball.colour, rail)


def calls_now(
    referee: Referee, position: Position, layout: Sequence[SeenBall]
) -> tuple[OpenCalls, tuple[MadeCall, ...]]:
    """What may be called for the stroke to come, and what was. `position`: where the match stands; `layout`:
    the balls that lie there now.
    """
    said = referee.called(position.since_s, math.inf)
    if isinstance(position, GamePosition):
        state = _chosen(referee.game, position, (c for _, c in said))
        may = NOTHING_TO_CALL if state is None else _may_call(referee, state, layout)
    else:
        state = position.state if position.under_way else None
        may = NOTHING_TO_CALL if state is None else GAMES[referee.game].may_call(state)
    beside = position.beside if isinstance(position, GamePosition) else ()
    return open_calls(may, layout, referee.table, beside), made_calls(said)


def _may_call(referee: Referee, state: Any, layout: Sequence[SeenBall]) -> MayCall:
    return EYES[referee.game].may_call(state, layout, referee.table)


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
    """What might be called before stroke `n`, and what was; nothing in practice, and of an unknown stroke.
    What a person has answered about the stroke is not called any more.
    """
    strokes = {o.n: o for o in referee.outputs if isinstance(o, JudgedStroke)}
    stroke = strokes.get(n)
    if stroke is None or stroke.striker is None:
        return NO_CALLS, ()
    before = strokes.get(n - 1)
    since_s = -math.inf if before is None else before.seen.end_s
    layout = stroke.seen.before
    side: Side = "B" if stroke.striker[0] == "B" else "A"
    if not isinstance(stroke, JudgedGameStroke):
        may = may_name(side, stroke.ball_on, stroke.free_ball)
    elif stroke.state_before is None:
        may = NOTHING_TO_CALL
    else:
        at = EYES[referee.game].at_table(CasePosition(stroke.state_before, None), side)
        may = _may_call(referee, at.state, layout)
    made = made_calls(referee.called(since_s, stroke.seen.start_s))
    settled = answered(referee.correction(stroke.entry))
    beside = () if before is None else before.seen.touching
    return open_calls(may, layout, referee.table, beside).without(settled), made


def answered(fix: Correction | None) -> frozenset[CallKind]:
    """The kinds of calls that a person's answers about the stroke have settled: the answer counts."""
    if fix is None:
        return frozenset()
    told, found = dict(fix.answers), set[CallKind]()
    if fix.nominated is not None or "foul_snooker" in told:
        found.add("nominate")
    if "called" in told or told.get("push_out") == "yes":
        found |= {"nominate", "safety"}
    if "push_out" in told:
        found.add("push_out")
    if fix.touching is not None:
        found.add("touching")
    return frozenset(found)


def made_calls(said: Iterable[tuple[int | None, Call]]) -> tuple[MadeCall, ...]:
    """The calls for one stroke that count: of a player's shots or nominations the last, and every ball that
    was declared frozen or touching.
    """
    found: dict[object, MadeCall] = {}
    for entry, call in said:
        if isinstance(call, Frozen):
            found[call.ball, call.rail] = MadeCall(entry, "frozen", None, call.ball, None, call.rail)
        elif isinstance(call, Touching):
            found["touching", call.ball] = MadeCall(entry, "touching", None, call.ball)
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
