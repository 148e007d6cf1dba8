"""Why a stroke is ruled as it is: every explanation that was weighed, with what speaks for and against it.

Worked out again from the record, by the functions that judged the stroke: nothing is stored for it. A game's
fold gives the readings with their rulings (`snooker/explained.py`, `games/explained.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from calibration.table.pieces import colour_of
from referee.facts.judged import Candidate, JudgedStroke
from referee.facts.seen import SeenExplanation, SeenStroke
from referee.match.weighing import NOT_SAID, Labels, Weighed, grouped, percent, summed

W = TypeVar("W", bound=Weighed)

_NOTHING_SAID = (NOT_SAID, "unknown")


@dataclass(frozen=True, slots=True)
class Ground:
    """The value of one thing in an explanation, and what was seen of it.

    `share`: weight of all explanations that have it so, 0 to 1. `seen`: what was seen of it, in words;
    empty where nothing was (pockets by their names, `TR`).
    """

    name: str
    value: str
    share: float
    seen: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """One explanation with its weight (all of a stroke's sum to 1) and ruling.

    `supported`, `opposed`: things in which explanations differ, where this one is on the heavier side, and
    where it is not. `agrees`: whether its ruling is the one that stands.
    """

    weight: float
    outcome: Candidate
    agrees: bool
    supported: tuple[Ground, ...]
    opposed: tuple[Ground, ...]


@dataclass(frozen=True, slots=True)
class Explained:
    """A stroke's explanations, heaviest first; none where nothing is ruled (practice, a contradiction).

    `common`: things that are the same in all explanations. `agreeing`: weight of those with the ruling that
    stands. `spans`: the stroke's images explained as a whole, heaviest first; empty where none were made.
    `states`: who may have been at the table before it and what on ("" in games without a ball on), with
    weights; empty where that is certain.
    """

    stroke: JudgedStroke
    explanations: tuple[Explanation, ...]
    common: tuple[Ground, ...]
    agreeing: float
    spans: tuple[SeenExplanation, ...] = ()
    states: tuple[tuple[str, str, float], ...] = ()


def span_words(e: SeenExplanation) -> str:
    """What an explanation of the images says, in words; pockets by their names (`TR`)."""
    first = colour_of(e.first_contact) if e.first_contact else "no ball"
    met = f"{first} hit first" if e.first_known else f"{first} set off first, struck by nothing that is known"
    fell = [
        f"{colour_of(ball)} in {pocket} at {t_s:.2f} s"
        if t_s is not None
        else f"{colour_of(ball)} fell, nobody saw where"
        for ball, pocket, t_s in e.pots
    ]
    gone = [f"{colour_of(ball)} gone otherwise" for ball in e.gone]
    over = [f"over the {colour_of(ball)}" for ball in e.over]
    return ", ".join([met, *over, *(fell or ["nothing potted"]), *gone])


def said_alike(spans: Sequence[SeenExplanation]) -> list[tuple[SeenExplanation, float]]:
    """Of the explanations that say the same in words the first, with the weight of all of them."""
    return [(same[0], sum(e.weight for e in same)) for same in grouped(spans, span_words).values()]


Words = Callable[[str, SeenStroke], Iterable[str]]
"""What was seen of a thing that has that value, in words."""


@dataclass(frozen=True, slots=True)
class Account(Generic[W]):
    """How a game tells of the readings of a stroke.

    `ruling`: what a reading's ruling says; readings that agree in it are ruled alike. `outcome`: the reading
    as the outputs show it, with its share. `words`: of each thing what was seen of it in a reading.
    """

    ruling: Callable[[W], Hashable]
    outcome: Callable[[W, float], Candidate]
    words: Callable[[W], Mapping[str, Words]]


def explained(stroke: JudgedStroke, seen: SeenStroke, ruled: Sequence[W], account: Account[W]) -> Explained:
    """A stroke's readings as its explanations."""
    total = sum(r.weight for r in ruled)
    by_ruling = summed((account.ruling(r), r.weight / total) for r in ruled)
    stands = max(by_ruling, key=lambda m: by_ruling[m], default=None)
    shares = summed((label, r.weight / total) for r in ruled for label in r.labels)
    said = (label for label in shares if label[1] not in _NOTHING_SAID)
    answers = grouped(said, lambda label: label[0])
    most = {name: max(shares[a] for a in each) for name, each in answers.items() if len(each) > 1}

    def ground(label: tuple[str, str], r: W) -> Ground:
        words = account.words(r).get(label[0])
        return Ground(*label, shares[label], "; ".join(words(label[1], seen)) if words else "")

    def explanation(r: W) -> Explanation:
        own = [ground(said, r) for said in _differing(r.labels, most)]
        supported = tuple(g for g in own if g.share >= most[g.name])
        opposed = tuple(g for g in own if g.share < most[g.name])
        share = r.weight / total
        agrees = account.ruling(r) == stands
        return Explanation(share, account.outcome(r, share), agrees, supported, opposed)

    alike = (each[0] for each in answers.values() if len(each) == 1)
    return Explained(
        stroke,
        tuple(map(explanation, sorted(ruled, key=lambda r: -r.weight))),
        tuple(ground(label, next(r for r in ruled if label in r.labels)) for label in alike),
        max(by_ruling.values(), default=0.0),
        seen.explanations,
    )


def _differing(labels: Labels, names: Mapping[str, float]) -> Labels:
    """Of what a reading says that in which readings differ."""
    return tuple((n, v) for n, v in labels if n in names and v not in _NOTHING_SAID)


def _of_contact(value: str, seen: SeenStroke) -> Iterable[str]:
    for first in seen.first_contact:
        if (colour_of(first.ball) if first.ball else "none") in value.split(" and "):
            ball = colour_of(first.ball) if first.ball else "no contact"
            yield f"{ball}{at_words(first.t_s)} {percent(first.confidence)}"
    if value == "none" and seen.unmet:
        yield f"the cue-ball's way alone says that it met no ball: {percent(seen.unmet)}"


def _of_pots(value: str, seen: SeenStroke) -> Iterable[str]:
    said = value.split(", ")
    for pot in seen.pots:
        where = f" in {pot.pocket}" if pot.pocket else ", no pocket seen"
        fell = pot.ball in said or (colour_of(pot.ball) in said)
        not_so = "" if fell else " (here it did not fall)"
        yield f"{colour_of(pot.ball)}{where}{at_words(pot.t_s)} {percent(seen.with_pocket(pot))}{not_so}"
    if seen.gone_unseen:
        yield f"not seen afterwards: {', '.join(map(colour_of, seen.gone_unseen))}"


def _of_cue_ball(value: str, seen: SeenStroke) -> Iterable[str]:
    yield f"its fall: {percent(dict(seen.cue_ball_fates).get('pocketed', 0.0))}"


def _of_call(value: str, seen: SeenStroke) -> Iterable[str]:
    yield "from a call, or from the ball that was hit"


WORDS: dict[str, Words] = {
    "first_contact": _of_contact,
    "potted": _of_pots,
    "cue_ball": _of_cue_ball,
    "nominated": _of_call,
}
"""Of things that every game has."""


def at_words(t_s: float | None) -> str:
    """When something was seen, behind what it is; nothing where that is not known."""
    return f" at {t_s:.2f} s" if t_s is not None else ""
