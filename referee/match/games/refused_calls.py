"""Calls before a stroke that do not count, each with the sentence that says why: by a player who is not at
the table, at a moment at which the rules have no such call, of a ball that does not lie there, of a ball
frozen to a rail that is measured away from it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from referee.facts.calls import Call, Frozen, ShotCall, Touching
from referee.facts.judged import Warned
from referee.match.games import frozen
from referee.match.games.eyes import Eyes, Shot
from referee.match.games.seen_facts import kind_of
from referee.match.touching import touch
from referee.rules.game import MayCall, Side

_Called = Frozen | Touching | ShotCall


def checked(shot: Shot, eyes: Eyes) -> tuple[Shot, tuple[Warned, ...]]:
    """The shot with the calls that count, and a warning for each other."""
    kept: list[Call] = []
    said: list[Warned] = []
    for call in shot.calls:
        if not isinstance(call, _Called):
            kept.append(call)
            continue
        why = _why_not(shot, eyes, call)
        if why is None:
            kept.append(call)
        else:
            said.append(Warned("call_refused", call.t_s, why))
    return replace(shot, calls=tuple(kept)), tuple(said)


def during(calls: Iterable[Call]) -> tuple[Warned, ...]:
    """Warnings of what was called while the balls moved: it comes too late for the stroke, and the next one
    is not called before it is over.
    """
    late = [c for c in calls if isinstance(c, _Called)]
    return tuple(
        Warned("call_refused", c.t_s, f"{_words(c)} while the balls were moving: it counts for no stroke")
        for c in late
    )


def _why_not(shot: Shot, eyes: Eyes, call: _Called) -> str | None:
    if isinstance(call, Frozen):
        return _no_frozen(shot, call)
    return _no_touching(shot, eyes, call) if isinstance(call, Touching) else _no_call(shot, eyes, call)


def _no_touching(shot: Shot, eyes: Eyes, call: Touching) -> str | None:
    """Why the declaration of a touching ball does not count: what is measured rules it out (WPA 6.7)."""
    if call.ball not in _lying(shot):
        return f"{_words(call)} and does not lie on the table"
    if not eyes.may_call(shot.position.state, shot.seen.before, shot.table).touching:
        return f"{_words(call)}, which cannot be called before this stroke"
    beside = [t for t in shot.beside if kind_of(t.ball, shot.pieces) == call.ball]
    if any(touch(t) for t in beside):
        return None
    if not beside:
        return f"{_words(call)} and does not lie beside the cue-ball"
    near = min(beside, key=lambda t: t.gap_mm)
    return f"{_words(call)} and lies {near.gap_mm:.1f} mm (± {2 * near.sigma_mm:.1f} mm) from the cue-ball"


def _no_call(shot: Shot, eyes: Eyes, call: ShotCall) -> str | None:
    """Why a call does not count; None for one that does."""
    by: Side = "B" if call.by == "B" else "A"
    if by not in eyes.players(shot):
        return f"{_words(call)} and is not at the table"
    may = eyes.may_call(eyes.at_table(shot.position, by).state, shot.seen.before, shot.table)
    if call.ball is not None and call.ball not in _lying(shot):
        return f"{_words(call)}, which does not lie on the table"
    if not shot.groups_unknown and not _is_open(call, may):
        return f"{_words(call)}, which cannot be called before this stroke"
    return None


def _is_open(call: ShotCall, may: MayCall) -> bool:
    if call.safety:
        return may.safety
    return may.push_out if call.push_out else call.ball in may.balls


def _no_frozen(shot: Shot, call: Frozen) -> str | None:
    """Why the declaration of a frozen ball does not count: what is measured rules it out (WPA 8.4)."""
    if call.ball not in _lying(shot):
        return f"{_words(call)} and does not lie on the table"
    lay = {b.ball: b for b in shot.seen.before}
    places = frozen.places_of(call.ball, call.rail, shot.seen.before, shot.table)
    if not places or any(frozen.touches(lay[b], rail, shot.table) for b, rail in places):
        return None
    ball, rail = places[0]
    gap_mm, sigma_mm = frozen.gap_mm(lay[ball], rail, shot.table), lay[ball].sigma_mm
    return f"{_words(call)} and lies {gap_mm:.1f} mm (± {2 * sigma_mm:.1f} mm) from the {rail} rail"


def _lying(shot: Shot) -> set[str]:
    """The kinds that lie on the table, by whatever name a ball may have."""
    return {b.colour for b in shot.seen.before} | {new for n in shot.seen.namings for _, new in n.names}


def _words(call: _Called) -> str:
    if isinstance(call, Touching):
        return f"the {call.ball} was declared touching"
    if isinstance(call, Frozen):
        return f"the {call.ball} was declared frozen"
    if call.ball is None:
        return f"{call.by} called a {'safety' if call.safety else 'push out'}"
    return f"{call.by} called the {call.ball}"
