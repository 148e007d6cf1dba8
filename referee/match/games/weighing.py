"""Uncertain facts multiplied out, the rules run on each reading, one ruling or one question.

A `Part` is one value that one uncertain thing may have, with its weight and what it says in the vocabulary of
the rule cases. A reading is one part of each thing. Readings that the rules refuse cannot be true. Readings
that agree in all that follows add up; where all others together weigh less than 1 in 1,000 the ruling is
certain, else the question is the one whose answer leaves the least disagreement.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from referee.cases import play
from referee.cases.model import CaseError, Position, Values
from referee.facts.judged import Candidate, FoulRuled, Verdict

OPEN = 0.001
"""What weighs less than this is not pursued, and leaves a ruling certain."""
CERTAIN = 1.0 - OPEN
MOST_READINGS = 96
MOST_CANDIDATES = 8

FIRST = "(first)"
"""Field of a reading's step: steps that come before it (a choice that the stroke shows was made)."""

AT = "(at)"
"""Field of a reading's step: the position that it takes the match to be in, where that is uncertain."""

Labels = tuple[tuple[str, str], ...]
Step = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """One uncertain thing with one value: its name in questions, the value in words, weight, changed fields
    of the step.
    """

    name: str
    value: str
    weight: float
    changes: Step


@dataclass(frozen=True, slots=True)
class Reading:
    """A step that may be true, how likely, and what it takes the uncertain things to be.

    `needed`: the same as far as the rules need it, where balls' names are in doubt; else None.
    """

    step: Step
    labels: Labels
    weight: float
    needed: Labels | None = None


@dataclass(frozen=True, slots=True)
class Ruled:
    """A reading with what the rules make of it."""

    reading: Reading
    after: Position[Any, Any]
    values: Values


@dataclass(frozen=True, slots=True)
class Judged:
    """The likeliest ruling of a stroke; `candidates` and `asked` (the thing in question) where it is open."""

    best: Ruled
    verdict: Verdict
    asked: str | None
    candidates: tuple[Candidate, ...]
    weight: float


def readings(base: Step, things: Sequence[Sequence[Part]]) -> list[Reading]:
    """Every combination worth pursuing, heaviest first; weights sum to 1. A thing of no parts is left out."""
    found: list[Reading] = []
    for parts in product(*(t for t in things if t)):
        step, weight = dict(base), 1.0
        for part in parts:
            weight *= part.weight
            step.update(part.changes)
        found.append(Reading(step, tuple((p.name, p.value) for p in parts), weight))
    kept = sorted(found, key=lambda r: -r.weight)[:MOST_READINGS]
    kept = [r for r in kept if r.weight >= OPEN**2] or kept[:1]
    total = sum(r.weight for r in kept)
    return [replace(r, weight=r.weight / total) for r in kept]


def rule_each(game: str, position: Position[Any, Any], found: Sequence[Reading]) -> list[Ruled]:
    """What the rules make of each reading; one that cannot be true of the state is left out."""
    ruled = []
    for reading in found:
        try:
            at = reading.step.get(AT, position)
            for earlier in reading.step.get(FIRST, ()):
                at = play.advance(game, at, earlier).position
            after = play.advance(game, at, {k: v for k, v in reading.step.items() if k not in (AT, FIRST)})
        except CaseError:
            continue
        ruled.append(Ruled(reading, after.position, after.values))
    return ruled


def decide(
    ruled: Sequence[Ruled],
    points: Callable[[Ruled], tuple[int, tuple[int, int]]],
    order: Sequence[str],
    doubt: str | None = None,
) -> Judged | None:
    """One outcome of all readings; None of none. `points`: of a ruling, (points, score); `order`: names of
    things, those first that people find easier to answer. `doubt`: a thing to ask about in any case.
    """
    if not ruled:
        return None
    total = sum(r.reading.weight for r in ruled)
    groups: dict[str, list[Ruled]] = {}
    for r in ruled:
        groups.setdefault(meaning(r), []).append(r)
    shares = {key: sum(r.reading.weight for r in rs) / total for key, rs in groups.items()}
    key = max(shares, key=lambda k: shares[k])
    best = max(groups[key], key=lambda r: r.reading.weight)
    if shares[key] >= CERTAIN and doubt is None:
        return Judged(best, "certain", None, (), shares[key])
    name = doubt if shares[key] >= CERTAIN and doubt is not None else _question(ruled, order)
    return Judged(best, "call", name, _candidates(ruled, name, total, points), shares[key])


_FACTS = ("first_contact", "potted", "striker")
"""Things that a review says of a stroke by themselves: readings that differ in them never agree."""


def meaning(r: Ruled) -> str:
    """What a reading says and what follows from it: readings that agree in this need no question."""
    follows = {k: v for k, v in r.values.items() if k != "call"}
    told = [v for v in r.reading.needed or r.reading.labels if v[0] in _FACTS]
    return json.dumps([follows, told], sort_keys=True, default=str)


def _question(ruled: Sequence[Ruled], order: Sequence[str]) -> str:
    """The thing whose answer leaves the least disagreement."""
    names = [n for n in order if len({dict(r.reading.labels).get(n) for r in ruled} - {None, "-"}) > 1]
    return min(names, key=lambda n: (round(_left_open(ruled, n), 6), order.index(n)), default=order[0])


def _left_open(ruled: Sequence[Ruled], name: str) -> float:
    by_value: dict[str | None, dict[str, float]] = {}
    for r in ruled:
        group = by_value.setdefault(dict(r.reading.labels).get(name), {})
        group[meaning(r)] = group.get(meaning(r), 0.0) + r.reading.weight
    return sum(sum(g.values()) - max(g.values()) for g in by_value.values())


def _candidates(
    ruled: Sequence[Ruled],
    name: str,
    total: float,
    points: Callable[[Ruled], tuple[int, tuple[int, int]]],
) -> tuple[Candidate, ...]:
    """One candidate for each answer, the heaviest reading speaking for it."""
    answers: dict[str, list[Ruled]] = {}
    for r in ruled:
        answers.setdefault(dict(r.reading.labels).get(name, "-"), []).append(r)
    found = []
    for answer, rs in answers.items():
        best = max(rs, key=lambda r: r.reading.weight)
        weight = sum(r.reading.weight for r in rs) / total
        made, score = points(best)
        found.append(
            Candidate(
                facts=((name, answer),),
                weight=weight,
                foul=foul_of(best.values),
                miss=None,
                free_ball=False,
                points=made,
                score=score,
                next_striker=next_of(best.values),
                next_ball_on=None,
            )
        )
    return tuple(sorted(found, key=lambda c: -c.weight)[:MOST_CANDIDATES])


_NEXT = ("next_striker", "next_shooter", "next_player", "next_turn")


def next_of(values: Step) -> str | None:
    """Who plays next, by the values of a ruling."""
    said = next((str(values[k]) for k in _NEXT if values.get(k)), "").rpartition(":")[2]
    return said if said in ("A", "B") else None


def foul_of(values: Step) -> FoulRuled | None:
    """The foul, None when there is none."""
    if not values.get("foul"):
        return None
    penalty, to = values.get("penalty"), values.get("penalty_to")
    return FoulRuled(
        values.get("clause"),
        penalty if isinstance(penalty, int) and not isinstance(penalty, bool) else 0,
        to if to in ("A", "B") else None,
    )
