"""One road from uncertain facts to one ruling or one question, for every game.

Each account of a stroke (`referee.match.accounts`) is combined with everything else that is uncertain (a
nomination, a line of sight) into readings, whose weights sum to 1. A game's rules are run on each reading;
one that the rules refuse cannot be true. The weights of rulings that mean the same add up, and the likeliest
ruling counts. Where the others together weigh too much, a question is asked: the one whose answer leaves the
least disagreement.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from referee.facts.judged import Candidate
from referee.match.priors import FOULED, FOULED_OF, PLACED_RIGHT

CERTAIN = 0.999
"""From this weight on nothing is asked; less than 1 - CERTAIN is not pursued."""
OPEN = 0.001
"""What weighs less than this is not pursued, and leaves a ruling certain."""
EVEN = 0.5
"""Weight of what the images leave open."""
MOST_CANDIDATES = 8
LEAST_OFFERED = 1e-4
"""An answer that weighs less is not offered: explanations tell nothing lighter either."""
LEAST_TOLD = 0.9
"""Answers to several things together that weigh less leave too much unsaid: one thing is asked then."""
WHAT_HAPPENED = "what_happened"
"""What is asked of a stroke of which all is open."""
NOT_SAID = "-"
"""Value of a thing that a reading says nothing of."""

Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Part:
    """One uncertain thing with one value: its name in questions, its weight, the facts it changes."""

    name: str
    value: str
    weight: float
    changes: Mapping[str, Any]


class Weighed(Protocol):
    """A reading, or one with its ruling: what it takes the uncertain things to be, and how likely."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def labels(self) -> Labels: ...

    @property
    def weight(self) -> float: ...


W = TypeVar("W", bound=Weighed)
X = TypeVar("X")
K = TypeVar("K", bound=Hashable)
Meaning = Callable[[W], Hashable]


def yes_no(
    name: str, weight: float, yes: Mapping[str, Any], no: Mapping[str, Any], told: str | None
) -> list[Part]:
    """The parts yes and no of a thing, or only the one that a person said."""
    if told in ("yes", "no"):
        return [Part(name, told, 1.0, yes if told == "yes" else no)]
    both = [Part(name, "yes", weight, yes), Part(name, "no", 1.0 - weight, no)]
    return [p for p in both if p.weight >= OPEN] or both[:1]


def combinations(
    things: Iterable[Sequence[Part | tuple[Part, ...]]],
) -> Iterator[tuple[tuple[Part, ...], float]]:
    """All combinations of one value of each thing, with their weights. A thing without values is left out.

    Things that depend on each other are given as one thing, whose values are several parts.
    """
    for several in product(*(t for t in things if t)):
        parts = tuple(chain.from_iterable((p,) if isinstance(p, Part) else p for p in several))
        yield parts, math.prod(p.weight for p in parts)


def worth_pursuing(found: Iterable[W], most: int, least: float) -> list[W]:
    """The `most` heaviest readings, of which each but the first weighs `least`; heaviest first, sum 1."""
    kept = sorted(found, key=lambda r: -r.weight)[:most]
    return to_one([r for r in kept if r.weight >= least] or kept[:1])


def to_one(found: Sequence[W]) -> list[W]:
    """The readings with weights that sum to 1."""
    whole = total(found)
    return [replace(r, weight=r.weight / whole) for r in found]


def grouped(items: Iterable[X], key: Callable[[X], K]) -> dict[K, list[X]]:
    """The items of each key, keys in order of their first item."""
    groups: dict[K, list[X]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def summed(weights: Iterable[tuple[K, float]]) -> dict[K, float]:
    """The weights of each key added up."""
    out: dict[K, float] = {}
    for key, weight in weights:
        out[key] = out.get(key, 0.0) + weight
    return out


def total(ruled: Iterable[Weighed]) -> float:
    """The weights added up."""
    return sum(r.weight for r in ruled)


def placed_right(seen: float) -> float:
    """Weight that a cue-ball in hand lay where it must, of which the camera alone says `seen`."""
    right, wrong = seen * PLACED_RIGHT, (1.0 - seen) * (1.0 - PLACED_RIGHT)
    return right / (right + wrong)


def foul_share(fouls: int, strokes: int) -> float:
    """Share of strokes that are fouls in a match of whose certain strokes so many were."""
    return (FOULED * FOULED_OF + fouls) / (FOULED_OF + strokes)


def likelihood(strokes: Iterable[tuple[float, bool]], fouled: float) -> float:
    """How likely it is that a player in that state played what was seen: of every reading its weight, and
    whether it is a foul there. What cannot be true of the state is not among them. `fouled`: the share of
    strokes that are fouls.
    """
    return sum(weight * (fouled if foul else 1.0 - fouled) for weight, foul in strokes)


def heaviest(ruled: Iterable[W]) -> W:
    """The reading of the largest weight."""
    return max(ruled, key=lambda r: r.weight)


def likeliest(ruled: Sequence[W], meaning: Meaning[W]) -> tuple[W, float]:
    """The heaviest reading of the likeliest ruling, and that ruling's share of all weight, 0 to 1."""
    groups, whole = grouped(ruled, meaning), total(ruled)
    shares = {key: total(rs) / whole for key, rs in groups.items()}
    key = max(shares, key=lambda k: shares[k])
    return heaviest(groups[key]), shares[key]


def open_things(ruled: Sequence[Weighed], order: Iterable[str]) -> list[str]:
    """Of these things, those that the readings take to be different."""
    return [n for n in order if len({dict(r.labels).get(n) for r in ruled} - {None, NOT_SAID}) > 1]


def thing_to_ask(ruled: Sequence[W], meaning: Meaning[W], order: Sequence[str]) -> str:
    """The thing whose answer leaves the least disagreement. `order`: first those easier to answer."""

    def left_open(name: str) -> float:
        found = 0.0
        for rs in grouped(ruled, lambda r: dict(r.labels).get(name)).values():
            rulings = [total(same) for same in grouped(rs, meaning).values()]
            found += sum(rulings) - max(rulings)
        return round(found, 6)

    names = open_things(ruled, order)
    return min(names, key=lambda n: (left_open(n), order.index(n)), default=order[0])


@dataclass(frozen=True, slots=True)
class Decided(Generic[W]):
    """The heaviest reading of the likeliest ruling; `asked`: the thing in question, None where it is certain;
    `candidates`: one for each answer, heaviest first; `others`: the heaviest reading of every other ruling
    with that ruling's share of all weight.
    """

    best: W
    asked: str | None = None
    candidates: tuple[Candidate, ...] = ()
    others: tuple[tuple[W, float], ...] = ()


def decide(
    ruled: Sequence[W],
    meaning: Meaning[W],
    order: Sequence[str],
    made: Callable[[Labels, W, Sequence[W], float], Candidate],
    doubt: str | None = None,
) -> Decided[W] | None:
    """One ruling or one question from all readings; None without readings.

    `order`: names of things, those first that people find easier to answer. `made`: the candidate of an
    answer, the heaviest reading that speaks for it, all that do, and their share. `doubt`: a thing to ask
    about in any case.
    """
    if not ruled:
        return None
    best, share = likeliest(ruled, meaning)
    name = thing_to_ask(ruled, meaning, order) if share < CERTAIN else doubt
    if name is None:
        return Decided(best)
    whole = total(ruled)
    answers = grouped(ruled, lambda r: dict(r.labels).get(name, NOT_SAID))
    found = (made(((name, answer),), heaviest(rs), rs, total(rs) / whole) for answer, rs in answers.items())
    return Decided(best, name, offered(found), rulings_but(best, ruled, meaning))


def offered(found: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """The answers to offer, heaviest first."""
    kept = sorted(found, key=lambda c: -c.weight)[:MOST_CANDIDATES]
    return tuple(c for k, c in enumerate(kept) if k < 2 or c.weight >= LEAST_OFFERED)


def facts_asked_first(
    found: Decided[W],
    ruled: Sequence[W],
    made: Callable[[Labels, W, Sequence[W], float], Candidate],
    not_whole: bool,
    facts: Sequence[str] = ("first_contact", "potted"),
    read: Callable[[W], Labels] = lambda r: r.labels,
) -> Decided[W]:
    """The same; where something is asked and it is open what was hit first or what fell, a question about
    that, or about what happened where both are: what is not asked about is stated. `not_whole`: the stroke is
    not whole in the pictures, so that both are open whatever they show. `facts`: those of the two that the
    rules read, `read`: what a reading says as far as they do.
    """
    whole = total(ruled)

    def is_open(thing: str) -> bool:
        values = grouped(ruled, lambda r: dict(read(r)).get(thing, NOT_SAID))
        return max(total(rs) for rs in values.values()) < CERTAIN * whole

    several = [t for t in facts if not_whole or is_open(t)]
    if found.asked is None or not several or several == [found.asked]:
        return found
    answers = grouped(ruled, lambda r: tuple((t, dict(r.labels).get(t, NOT_SAID)) for t in several))
    told = (made(said, heaviest(rs), rs, total(rs) / whole) for said, rs in answers.items())
    candidates = offered(told)
    if sum(c.weight for c in candidates) < LEAST_TOLD:
        return found
    return replace(found, asked=several[0] if len(several) == 1 else WHAT_HAPPENED, candidates=candidates)


def rulings_but(best: W, ruled: Sequence[W], meaning: Meaning[W]) -> tuple[tuple[W, float], ...]:
    """Every ruling but that of `best`: its heaviest reading and its share of all weight, 0 to 1."""
    own, whole = meaning(best), total(ruled)
    groups = grouped(ruled, meaning)
    return tuple((heaviest(rs), total(rs) / whole) for key, rs in groups.items() if key != own)


def percent(share: float) -> str:
    """A share with the digits that mean something: `99.98 %`, `60 %`, `0.02 %`."""
    rest = min(share, 1.0 - share)
    digits = 0 if rest >= 0.01 or rest < 5e-5 else 1 if rest >= 0.001 else 2
    return f"{100 * share:.{digits}f} %"
