"""Why a stroke is ruled as it is: every explanation that was weighed, with what speaks for and against it.

Worked out again from the record, by the functions that judged the stroke: nothing is stored for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from calibration.table.pieces import colour_of
from referee.facts.judged import Candidate, JudgedStroke
from referee.facts.seen import SeenExplanation, SeenStroke
from referee.match.courses import ruled_from, states_of
from referee.match.position import Position, Settings
from referee.match.snooker.adjudication import Ruled, candidate, meaning, rule_each
from referee.match.snooker.fold import before_stroke, ruled_on
from referee.match.snooker.frames import resynced
from referee.match.snooker.intake import due_in
from referee.match.snooker.judging import states_before
from referee.match.snooker.missing import missing_balls
from referee.match.snooker.open_state import States, in_state_of
from referee.match.snooker.readings import possible_readings
from referee.match.snooker.strokes import with_missing
from referee.match.weighing import grouped, percent

K = TypeVar("K")

_NOTHING_SAID = ("-", "unknown")


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
    `states`: who may have been at the table before it and what on, with weights; empty where that is certain.
    """

    stroke: JudgedStroke
    explanations: tuple[Explanation, ...]
    common: tuple[Ground, ...]
    agreeing: float
    spans: tuple[SeenExplanation, ...] = ()
    states: tuple[tuple[str, str, float], ...] = ()


def explain(position: Position, seen: SeenStroke, stroke: JudgedStroke, settings: Settings) -> Explained:
    """The explanations of a judged stroke. `position`: where the fold stood before its entry."""
    states = states_of(position)
    position, _ = before_stroke(ruled_from(position, stroke), seen, settings)
    if position.state is None or not ruled_on(position):
        return Explained(stroke, (), (), 0.0, seen.explanations)
    fix = settings.correction(stroke.entry)
    missing = missing_balls(position.state, seen)
    as_assumed, _ = resynced(position.state, seen)
    if not states:
        states = states_before(States(position, seen, as_assumed, settings, missing, fix))
    state = in_state_of(stroke, as_assumed)
    found = possible_readings(position, seen, state, settings, fix, missing)
    ruled = rule_each(state, seen, found, fix.snookered if fix else None, due_in(settings))
    return replace(_explained(stroke, with_missing(seen, missing), ruled), states=states)


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


def _explained(stroke: JudgedStroke, seen: SeenStroke, ruled: Sequence[Ruled]) -> Explained:
    total = sum(r.weight for r in ruled)
    by_ruling = _summed((meaning(r), r.weight / total) for r in ruled)
    stands = max(by_ruling, key=lambda m: by_ruling[m], default=None)
    shares = _summed((label, r.weight / total) for r in ruled for label in r.labels)
    said = (label for label in shares if label[1] not in _NOTHING_SAID)
    answers = grouped(said, lambda label: label[0])
    most = {name: max(shares[a] for a in each) for name, each in answers.items() if len(each) > 1}

    def ground(label: tuple[str, str], r: Ruled) -> Ground:
        return Ground(*label, shares[label], _seen(*label, seen, _on(label[0], stroke, r)))

    def explanation(r: Ruled) -> Explanation:
        own = [
            ground((name, value), r)
            for name, value in r.labels
            if name in most and value not in _NOTHING_SAID
        ]
        supported = tuple(g for g in own if g.share >= most[g.name])
        opposed = tuple(g for g in own if g.share < most[g.name])
        share = r.weight / total
        return Explanation(share, candidate(r, r.labels, share), meaning(r) == stands, supported, opposed)

    alike = (each[0] for each in answers.values() if len(each) == 1)
    return Explained(
        stroke,
        tuple(map(explanation, sorted(ruled, key=lambda r: -r.weight))),
        tuple(ground(label, next(r for r in ruled if label in r.labels)) for label in alike),
        max(by_ruling.values(), default=0.0),
        seen.explanations,
    )


def _summed(weights: Iterable[tuple[K, float]]) -> dict[K, float]:
    """The weights of each key added up."""
    out: dict[K, float] = {}
    for key, weight in weights:
        out[key] = out.get(key, 0.0) + weight
    return out


def _on(name: str, stroke: JudgedStroke, r: Ruled) -> str | None:
    """The ball on that geometry was asked about: before the stroke, or after it for a snooker."""
    if name == "snookered":
        return r.ruling.next_ball_on
    return "any_ball" if stroke.free_ball else stroke.ball_on


def _seen(name: str, value: str, seen: SeenStroke, ball_on: str | None) -> str:
    """What was seen of one thing, in words."""
    words = _WORDS.get(name)
    return "; ".join(words(value, seen, ball_on)) if words is not None else ""


def _of_contact(value: str, seen: SeenStroke, _: str | None) -> Iterable[str]:
    for first in seen.first_contact:
        if (colour_of(first.ball) if first.ball else "none") in value.split(" and "):
            ball = colour_of(first.ball) if first.ball else "no contact"
            yield f"{ball}{_at(first.t_s)} {percent(first.confidence)}"
    if value == "none" and seen.unmet:
        yield f"the cue-ball's way alone says that it met no ball: {percent(seen.unmet)}"


def _of_pots(value: str, seen: SeenStroke, _: str | None) -> Iterable[str]:
    said = value.split(", ")
    for pot in seen.pots:
        where = f" in {pot.pocket}" if pot.pocket else ", no pocket seen"
        fell = pot.ball in said or (colour_of(pot.ball) in said)
        not_so = "" if fell else " (here it did not fall)"
        yield f"{colour_of(pot.ball)}{where}{_at(pot.t_s)} {percent(pot.with_pocket)}{not_so}"
    if seen.gone_unseen:
        yield f"not seen afterwards: {', '.join(map(colour_of, seen.gone_unseen))}"


def _of_sight(value: str, seen: SeenStroke, ball_on: str | None) -> Iterable[str]:
    sight = next((s for s in seen.sights if s.ball_on == ball_on), None)
    if sight is not None and sight.snookered is not None:
        by = f", by {', '.join(map(colour_of, sight.effective))}" if sight.effective else ""
        yield f"lines of sight to {ball_on}: snookered {percent(sight.snookered)}{by}"


def _of_path(value: str, seen: SeenStroke, ball_on: str | None) -> Iterable[str]:
    sight = next((s for s in seen.sights if s.ball_on == ball_on), None)
    if sight is not None and sight.clear_path is not None:
        yield f"path to {ball_on} before the stroke: clear {percent(sight.clear_path)}"


def _of_cue_ball(value: str, seen: SeenStroke, _: str | None) -> Iterable[str]:
    yield f"its fall: {percent(dict(seen.cue_ball_fates).get('pocketed', 0.0))}"


def _of_d(value: str, seen: SeenStroke, _: str | None) -> Iterable[str]:
    if seen.in_d is not None:
        yield f"cue-ball measured within the D: {percent(seen.in_d)}"


def _of_nomination(value: str, seen: SeenStroke, _: str | None) -> Iterable[str]:
    yield "from a call, or from the ball that was hit"


_WORDS: dict[str, Callable[[str, SeenStroke, str | None], Iterable[str]]] = {
    "first_contact": _of_contact,
    "potted": _of_pots,
    "snookered": _of_sight,
    "clear_path": _of_path,
    "cue_ball": _of_cue_ball,
    "in_d": _of_d,
    "nominated": _of_nomination,
}


def _at(t_s: float | None) -> str:
    return f" at {t_s:.2f} s" if t_s is not None else ""
