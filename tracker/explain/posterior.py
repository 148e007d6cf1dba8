"""Merges the explanations of a span that state the same facts, and weighs first contacts by them."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from calibration.table.pieces import SNOOKER, PieceSet, colour_of
from calibration.table.specs import TableSpec
from tracker.events import Contact, CushionHit, FirstContact, Layout, SpanExplanation, StrokeRecord
from tracker.explain.facts import ABOUT_S, UNKNOWN, facts, sets_off_again_s
from tracker.explain.solver import NAMELESS, Explanation, Story
from tracker.explain.trajectory import Way
from tracker.explain.turns import turn_at

SAME_MM = 40.0
"""A ball of the layout is the one that a way begins with if it lies this near: less than two balls apart."""
LEAST = 1e-4
"""What weighs less is not told: all of it together is below the 1 in 1,000 that a certain verdict leaves."""


Met = TypeVar("Met", Contact, CushionHit)
Named = tuple[Explanation, dict[int, str]]
"""An explanation and the tracker's names of its balls, by their keys."""


def named(
    explanations: Sequence[Explanation], before: Layout, pieces: PieceSet = SNOOKER
) -> tuple[Named, ...]:
    """The explanations with the tracker's names, in the same order."""
    return tuple((e, _names(_with_names(e), before, pieces)) for e in explanations)


def span_explanations(
    explanations: Sequence[Named], pieces: PieceSet = SNOOKER
) -> tuple[SpanExplanation, ...]:
    """One for each set of facts, heaviest first; of those that say the same the heaviest gives the times."""
    found: dict[object, SpanExplanation] = {}
    best = dict(explanations[0][0].logs) if explanations else {}
    for e, names in explanations:
        one = _span_explanation(e, names, best, pieces)
        key = (
            one.first_contact,
            one.first_known,
            one.may_have_met,
            _pots(one),
            one.cue_ball,
            one.gone,
            one.over,
        )
        known = found.get(key)
        found[key] = one if known is None else replace(known, weight=known.weight + one.weight)
    return tuple(sorted((f for f in found.values() if f.weight >= LEAST), key=lambda f: -f.weight))


def meetings(
    explanations: Sequence[Named], table: TableSpec, pieces: PieceSet = SNOOKER
) -> tuple[tuple[Contact, ...], tuple[CushionHit, ...]]:
    """Contacts of all explanations that weigh enough, and cushion hits of the heaviest one, in order of time.
    Each has the weight of all explanations in which these two balls, or the ball and the cushion, meet about
    then.
    """
    if not explanations:
        return (), ()
    met = [_contacts(e, names) for e, names in explanations]
    once: list[Contact] = []
    for contact in itertools.chain.from_iterable(met):
        if not any(_same(contact, known) for known in once):
            once.append(contact)
    contacts = [c for c in _weighed(once, met, _same) if c.confidence > LEAST_MET]
    hit = [_cushions(e, names) for e, names in explanations]
    hits = _weighed(hit[0], hit, _same_hit)
    turned = _turned(explanations[0], hits, table, pieces)
    return tuple(sorted(contacts, key=lambda c: c.t_s)), tuple(sorted(turned, key=lambda h: h.t_s))


LEAST_MET = 1e-3
"""Contacts that weigh less are not told."""


def _weighed(
    found: Sequence[Met], met: Sequence[Sequence[Met]], same: Callable[[Met, Met], bool]
) -> list[Met]:
    """These meetings, each with the weight of all explanations that say the same. `met`: those of each
    explanation, with its weight.
    """
    return [
        replace(own, confidence=sum(each[0].confidence for each in met if any(same(m, own) for m in each)))
        for own in found
    ]


def _turned(
    best: Named, hits: Sequence[CushionHit], table: TableSpec, pieces: PieceSet
) -> Iterator[CushionHit]:
    """The cushion hits of an explanation with where their balls turned."""
    e, names = best
    ways = {names[s.key]: s.way for s in e.stories if s.key in names}
    for hit in hits:
        way, radius_mm = ways[hit.ball], pieces.size_share(hit.ball) * table.ball_radius_mm
        bends = (b for b in way.events if b.kind == "bend" and abs(b.t_s - hit.t_s) < ABOUT_S)
        event = min(bends, key=lambda b: abs(b.t_s - hit.t_s), default=None)
        turn = None if event is None else turn_at(way, event, hit.cushion, radius_mm, table)
        yield replace(hit, turn=turn)


def struck_s(explanations: Sequence[Named]) -> float | None:
    """When the cue-ball was struck, by the heaviest explanation; None where it was not, or nobody knows to an
    image or two.
    """
    strikes = (i for e, _ in explanations[:1] for i in e.interactions if i.kind == "strike")
    return next((i.t_s for i in strikes if i.sigma_s < STRUCK_SIGMA_S), None)


STRUCK_SIGMA_S = 0.05
"""A strike that is known no better lies somewhere in a pause."""

CUSHION_MM = 3.0
"""What a ball's place at a cushion is off beside the error of its time: it turns over a few mm. Assumed."""


def _along(way: Way, t_s: float, sigma_s: float) -> tuple[float, float]:
    """How far up the table a ball met a cushion, and one sigma of it, mm."""
    early, late = way.at(t_s - sigma_s)[1], way.at(t_s + sigma_s)[1]
    return way.at(t_s)[1], math.hypot(0.5 * (late - early), CUSHION_MM)


def _cushions(e: Explanation, names: dict[int, str]) -> list[CushionHit]:
    """The cushion hits of one explanation, with its weight."""
    ways = {s.key: s.way for s in e.stories}
    return [
        CushionHit(names[i.balls[0]], i.cushion, i.t_s, *_along(ways[i.balls[0]], i.t_s, i.sigma_s), e.weight)
        for i in e.interactions
        if i.cushion is not None and i.balls[0] in names and i.balls[0] in ways
    ]


def _contacts(e: Explanation, names: dict[int, str]) -> list[Contact]:
    """The contacts of one explanation, with its weight."""
    found = []
    for i in e.interactions:
        if i.kind == "contact" and all(k in names for k in i.balls):
            a, b = sorted(names[k] for k in i.balls)
            found.append(Contact((a, b), i.t_s, i.sigma_s, e.weight))
    return found


def _same_hit(a: CushionHit, b: CushionHit) -> bool:
    return (a.ball, a.cushion) == (b.ball, b.cushion) and abs(a.t_s - b.t_s) < ABOUT_S


def _same(a: Contact, b: Contact) -> bool:
    return a.balls == b.balls and abs(a.t_s - b.t_s) < ABOUT_S


SET_OFF = 0.5
"""Weight of the ball that sets off first, nobody saw why, or is nearest to where the cue-ball turns: assumed,
so that it is asked.
"""


def with_posterior(record: StrokeRecord) -> StrokeRecord:
    """The record with first contacts as its explanations weigh them, and nothing else. Without explanations
    it stays as it is.
    """
    if not record.explanations:
        return record
    return replace(record, first_contact=_first_contacts(record))


def fall_denied(record: StrokeRecord) -> bool:
    """Whether a ball may have fallen that the tracker has not lost: one that a hand put back where it had
    lain, or that another is taken for.
    """
    lost = Counter(map(colour_of, (*(p.ball for p in record.pots), *record.vanished, *record.off_table)))
    more = (e for e in record.explanations if Counter(colour_of(p[0]) for p in e.pots) - lost)
    return sum(e.weight for e in more) > DENIED


def rest_denied(record: StrokeRecord, found: Sequence[Named]) -> bool:
    """Whether a ball that is seen no more came to rest somewhere, as the explanations have it: what lies
    there is another ball, and none of them says where this one is.
    """
    rests = (
        (e.weight, {names.get(s.key) for s in e.stories if s.end.kind == "rest" and s.way.moved})
        for e, names in found
    )
    return sum(weight for weight, names in rests if names & set(record.vanished)) > DENIED


def gone_unexplained(record: StrokeRecord) -> bool:
    """Whether balls are gone in one stroke, and the pictures do not show what happened: several, which no
    hand lifts while others roll, or one that nobody knew, which came from nowhere and went nowhere.
    """
    known = {b.ball for b in record.before}
    return sum(e.weight for e in record.explanations if _unexplained(e.gone, known)) > DENIED


def _unexplained(gone: Sequence[str], known: Collection[str]) -> bool:
    return len(gone) >= SEVERAL or any(ball not in known for ball in gone)


SEVERAL = 2
"""Of balls that are gone in one stroke, nobody saw how, one may have been lifted or hidden."""


def struck_again_s(found: Sequence[Named]) -> float | None:
    """When the cue-ball set off once more after it had come to rest, and nothing that is known met it: the
    next stroke, played before anybody saw that all lay still. None where that hardly weighs anything.
    """
    again = [(e.weight, t_s) for e, _ in found if (t_s := sets_off_again_s(e)) is not None]
    return again[0][1] if sum(weight for weight, _ in again) > DENIED else None


def lost_at_s(found: Sequence[Named]) -> float | None:
    """Where time is missing that no clock tells, if that weighs anything: what was ruled over it hangs on a
    guess.
    """
    lost = [(e.weight, e.lost) for e, _ in found if e.lost is not None]
    return lost[0][1].at_s if sum(weight for weight, _ in lost) > DENIED else None


DENIED = 0.02
"""Least weight of lost time that is told, and of a fall or a rest that the tracker denies: balls that lie in
a pocket's mouth, and are seen there after the stroke too, have 0.001 to 0.005 (tracks tier).
"""


def _first_contacts(record: StrokeRecord) -> tuple[FirstContact, ...]:
    """First contacts with their weights, best first.

    The time is that of the record's contact, which hangs on whole ways; else the explanation's.
    """
    weights: dict[str | None, float] = {}
    met = {e.first_contact: e.first_t_s for e in reversed(record.explanations) if e.first_t_s is not None}
    times = {ball: _dated(record, ball, t_s) for ball, t_s in met.items()}
    for e in record.explanations:
        for ball, share in e.met_first:
            weights[ball] = weights.get(ball, 0.0) + share * e.weight
    found = [FirstContact(b, times.get(b), w) for b, w in weights.items() if w >= LEAST]
    return tuple(sorted(found, key=lambda f: -f.weight))


def may_have_met(first: str, met: str | None, fell: Sequence[str]) -> tuple[tuple[str | None, float], ...]:
    """What the cue-ball may have met first in an explanation that does not know what set the ball `first`
    off, or what turned the cue-ball near it, with shares, that ball's in front: it has half (`SET_OFF`). The
    other half has the ball that it `met`; where it meets none the balls that fell, and none, have it alike.
    """
    others = [b for b in dict.fromkeys((None, *fell) if met is None else (met,)) if b != first]
    own = SET_OFF if others else 1.0
    return (first, own), *((b, (1.0 - own) / len(others)) for b in others)


def _dated(record: StrokeRecord, ball: str | None, t_s: float) -> float:
    """The time of the contact of a ball that an explanation has first at `t_s`."""
    likely = (c for c in record.contacts if c.confidence > 0.5 and ball in c.balls)
    near = (c.t_s for c in likely if abs(c.t_s - t_s) < ABOUT_S)
    return min(near, key=lambda s: abs(s - t_s), default=t_s)


def without_times(record: StrokeRecord) -> StrokeRecord:
    """The record of a stroke that lost images: what was met first can be told, but not when."""
    untimed = tuple(replace(f, t_s=None) for f in record.first_contact)
    return replace(record, first_contact=untimed, contacts=(), cushions=())


def bounded(weight: float) -> float:
    """A weight that leaves room for what no explanation has."""
    return min(weight, 1.0 - LEAST)


def _pots(e: SpanExplanation) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((ball, pocket) for ball, pocket, _ in e.pots))


def _with_names(e: Explanation) -> list[Story]:
    return [s for s in e.stories if s.name != NAMELESS]


def _span_explanation(
    e: Explanation, names: dict[int, str], best: dict[str, float], pieces: PieceSet
) -> SpanExplanation:
    said, stories = facts(e), _with_names(e)
    known = said.first is None or said.first[0] != UNKNOWN
    fallen = [s for s in stories if s.end.kind == "potted" and s.end.pocket is not None]
    fallen.sort(key=lambda s: s.end.t_s)
    first = names.get(said.first[1]) if said.first is not None else None
    fell = [names[s.key] for s in fallen if colour_of(names[s.key]) not in pieces.struck]
    met = None if known or said.met is None else names.get(said.met)
    return SpanExplanation(
        weight=e.weight,
        first_contact=first,
        first_known=known,
        first_t_s=said.first_t_s,
        pots=tuple((names[s.key], s.end.pocket, s.end.t_s) for s in fallen if s.end.pocket is not None),
        cue_ball=said.cue_ball,
        gone=tuple(sorted(names[s.key] for s in stories if s.end.kind in ("vanished", "off", "lifted"))),
        nats=tuple((name, value - best[name]) for name, value in e.logs),
        may_have_met=() if known or first is None else may_have_met(first, met, fell),
        over=tuple(sorted(names[k] for k in said.over if k in names)),
    )


def _names(stories: Sequence[Story], before: Layout, pieces: PieceSet) -> dict[int, str]:
    """The tracker's names of balls, by their keys. Of those that are alike it is the ball that lay where the
    way begins; one that lay nowhere has a name that is left over. So it is of all in a set with each piece
    once, of whose names the tracker keeps the doubt itself.
    """
    placed = not pieces.alike
    names = {s.key: s.name for s in stories if s.name not in pieces.alike and (s.placed or not placed)}
    alike = [s for s in stories if s.key not in names]
    near = sorted(
        (math.dist((b.x_mm, b.y_mm), s.way.place[:2]), s.key, b.ball)
        for s in alike
        if not s.placed
        for b in before
        if placed or b.colour == s.name
    )
    taken = {b.ball for b in before}
    given = set[str]()
    for far_mm, key, ball in near:
        if far_mm < SAME_MM and key not in names and ball not in given:
            names[key] = ball
            given.add(ball)
    for s in alike:
        if s.key not in names:
            left = [p for p in pieces.pieces_of(s.name) if p not in given]
            names[s.key] = min(left, key=lambda p: p in taken, default=pieces.pieces_of(s.name)[-1])
            given.add(names[s.key])
    return names
