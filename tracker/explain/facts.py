"""What one explanation says in the vocabulary of facts: first contact, pots, the cue-ball's fate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from calibration.table.specs import PocketName
from tracker.explain.interactions import Interaction
from tracker.explain.solver import NAMELESS, Explanation, Story
from tracker.explain.trajectory import Event

UNKNOWN = "unknown"
"""Said for the first contact where a ball sets off before it, or the cue-ball that meets none turns, and
nothing in the explanation is the cause. Not where the cue-ball's way leads into the ball that it met: what
sets off before that is dated too early.
"""
ABOUT_S = 0.05
"""A contact this near to a ball's start is what set it off."""


@dataclass(frozen=True, slots=True)
class SpanFacts:
    """What one explanation says. `first`: the ball that the cue-ball met first, None for none; `UNKNOWN` and
    the key of a ball that sets off for no known cause, of one nearest to where a cue-ball turns for none,
    or of a ball without a name that was met. `met`: the key of the ball that it met by the explanation
    itself.

    `pots`: (colour, pocket, t_s), the cue-ball too. `put_back`: colours that hands put on the table.
    `struck`: the cue-ball was. `unfinished`: something still rolled in the last image. `over`: keys of balls
    over which the cue-ball's way leads before it meets its first.
    """

    first: tuple[str, int] | None
    first_t_s: float | None
    met: int | None
    contacts: tuple[Interaction, ...]
    pots: tuple[tuple[str, PocketName, float], ...]
    cue_ball: Literal["on_table", "pocketed", "off_table", "unknown"]
    put_back: tuple[tuple[str, float, float], ...]
    gone: tuple[str, ...]
    struck: bool
    unfinished: bool
    over: tuple[int, ...]


def facts(explanation: Explanation) -> SpanFacts:
    """The facts of one explanation."""
    by_key = {s.key: s for s in explanation.stories}
    contacts = tuple(i for i in explanation.interactions if i.kind == "contact")
    first, first_t = _first_contact(contacts, by_key, explanation.cue)
    met = None if first is None else first[1]
    causing = contacts if first is not None else ()  # without the cue-ball nothing has set anything off
    alone = _set_off_alone(explanation.stories, causing, explanation.cue)
    led_into = first is not None and first[1] == explanation.led_into
    if alone is not None and not led_into and (first_t is None or alone.way.start_s < first_t):
        first, first_t = (UNKNOWN, alone.key), None
    turned = _turns_alone(explanation)
    if first is None and turned is not None:
        first = (UNKNOWN, turned)
    pots = tuple(
        (s.name, s.end.pocket, s.end.t_s)
        for s in explanation.stories
        if s.end.kind == "potted" and s.end.pocket is not None
    )
    return SpanFacts(
        first=first,
        first_t_s=first_t,
        met=met,
        contacts=contacts,
        pots=pots,
        cue_ball=_cue_ball(explanation),
        put_back=tuple((s.name, *s.way.end[:2]) for s in explanation.stories if s.placed),
        gone=tuple(
            s.name for s in explanation.stories if s.end.kind in ("vanished", "off", "lifted", "hidden")
        ),
        struck=any(i.kind == "strike" for i in explanation.interactions),
        unfinished=any(s.end.kind == "unfinished" for s in explanation.stories),
        over=explanation.over,
    )


def _first_contact(
    contacts: Sequence[Interaction], by_key: dict[int, Story], cue: str
) -> tuple[tuple[str, int] | None, float | None]:
    for c in contacts:
        balls = [by_key[k] for k in c.balls]
        if any(b.name == cue for b in balls):
            other = next((b for b in balls if b.name != cue), None)
            if other is not None:
                return (UNKNOWN if other.name == NAMELESS else other.name, other.key), c.t_s
    return None, None


def _set_off_alone(stories: Sequence[Story], contacts: Sequence[Interaction], cue: str) -> Story | None:
    """The first ball that sets off though none of these contacts explains it: what the cue-ball met first is
    not known then.
    """
    alone = [
        s
        for s in stories
        if s.name != cue
        and not s.placed
        and s.way.events
        and s.way.events[0].kind == "start"
        and not s.way.events[0].nudge_mm
        and not any(s.key in c.balls and _about(s.way.events[0], c.t_s) for c in contacts)
    ]
    return min(alone, key=lambda s: s.way.start_s, default=None)


def _turns_alone(explanation: Explanation) -> int | None:
    """The key of the ball nearest to where the cue-ball turns though nothing in the explanation turns it; the
    cue-ball's own where there is no other.
    """
    turns = (
        (s, e.t_s)
        for s in explanation.stories
        if s.name == explanation.cue
        for e in s.way.events
        if e.kind == "bend"
        and not any(s.key in i.balls and _about(e, i.t_s) for i in explanation.interactions)
    )
    cue, t_s = next(turns, (None, 0.0))
    if cue is None:
        return None
    others = (s for s in explanation.stories if s is not cue and not s.placed)
    return min(others, key=lambda s: math.dist(s.way.at(t_s), cue.way.at(t_s)), default=cue).key


def sets_off_again_s(explanation: Explanation) -> float | None:
    """When the cue-ball sets off from rest a second time, and no contact is the cause; None where it does
    not.
    """
    contacts = [i for i in explanation.interactions if i.kind == "contact"]
    starts = (
        e.t_s
        for s in explanation.stories
        if s.name == explanation.cue and not s.placed
        for e in s.way.events
        if e.before is not None
        and e.t_s - s.way.start_s > STROKES_APART_S
        and math.hypot(*e.before.velocity(e.t_s)) < AT_REST_MM_S
        and e.size > STRUCK_MM_S
        and math.dist(s.way.at(e.t_s), s.way.end[:2]) > STRUCK_MM
        and not any(s.key in i.balls and _about(e, i.t_s) for i in contacts)
    )
    return min(starts, default=None)


AT_REST_MM_S, STRUCK_MM_S, STRUCK_MM = 20.0, 100.0, 150.0
"""What is slower lies still, as far as its curve tells; a stroke gives more than the noise of a velocity, and
the ball goes on. One that is lost where it stops and found again beside it does not. Assumed.
"""
STROKES_APART_S = 2.0
"""No player strikes again so soon. Assumed."""


def _about(e: Event, t_s: float) -> bool:
    return min(e.lo_s, e.t_s) - ABOUT_S < t_s < max(e.hi_s, e.t_s) + ABOUT_S


def _cue_ball(explanation: Explanation) -> Literal["on_table", "pocketed", "off_table", "unknown"]:
    whites = [s for s in explanation.stories if s.name == explanation.cue and not s.placed]
    if not whites:
        whites = [s for s in explanation.stories if s.name == explanation.cue]
    if not whites:
        return "unknown"
    kind = whites[0].end.kind
    if kind == "potted":
        return "pocketed"
    if kind == "off":
        return "off_table"
    return "on_table" if kind in ("rest", "unfinished") else "unknown"
