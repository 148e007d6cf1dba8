"""Runs the pure rules on every reading of a stroke: one ruling, or the referee's call with one question.

Where all readings of any weight rule the same, nothing is asked. Where they differ, the most likely
ruling counts for the running score, and the question is the one whose answer settles most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from calibration.table.pieces import colour_of
from referee.facts.judged import Asked, Candidate, FoulRuled, Verdict, asks
from referee.facts.seen import DuePlace, LineOfSight, SeenStroke
from referee.match.priors import FOULED
from referee.match.snooker.readings import Reading
from referee.match.touching import touching_balls
from referee.match.weighing import (
    CERTAIN,
    MOST_CANDIDATES,
    NOT_SAID,
    Labels,
    decide,
    grouped,
    heaviest,
    likelihood,
    open_things,
    total,
)
from referee.rules.snooker import Miss, Reason, Ruling, State, apply
from referee.rules.snooker.facts import After, FactsError, Placement, StrokeFacts

THINGS = (
    "striker",
    "nominated",
    "first_contact",
    "potted",
    "cue_ball",
    "touching",
    "pushed",
    "jumped",
    "snookered",
    "in_d",
    "clear_path",
    "attempt",
)
_SAID = {True: "yes", False: "no", None: "unknown"}
_Places = Callable[[SeenStroke, tuple[str, ...]], tuple[DuePlace, ...]]


@dataclass(frozen=True, slots=True)
class Ruled:
    """One reading with what the rules make of it."""

    facts: StrokeFacts
    labels: Labels
    weight: float
    state: State
    ruling: Ruling


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another ruling that a question leaves open, with its weight, 0 to 1; `before`: the state that it was
    ruled from; `happened`: what all its readings take to have happened, None where they differ. `judged`: the
    stroke in that state, where the state makes its question another one.
    """

    before: State
    ruled: Ruled
    weight: float
    happened: StrokeFacts | None = None
    judged: Judged | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The outcome for a stroke: the likeliest ruling, and what is open.

    `state`, `ruling`, `facts`: of the likeliest reading. `candidates` is empty when `verdict` is certain.
    `question`: its sentences. `asked`: the uncertain thing that the question is about, by its label.
    `others`: the rulings but the likeliest. `likelihood`: how well what was seen goes with the state before.
    `happened`: what all readings of the likeliest ruling take to have happened; None where they differ, or
    where it and the others are not all that may be.
    """

    facts: StrokeFacts
    state: State
    ruling: Ruling
    verdict: Verdict
    question: tuple[Asked, ...]
    candidates: tuple[Candidate, ...]
    asked: str | None = None
    others: tuple[Alternative, ...] = ()
    likelihood: float = 1.0
    happened: StrokeFacts | None = None


def adjudicate(
    state: State,
    seen: SeenStroke,
    readings: Sequence[Reading],
    snookered: bool | None = None,
    places: _Places | None = None,
    fouled: float = FOULED,
) -> Judged | None:
    """Judge a stroke from its readings (weights sum to 1, heaviest first): `rule_each`, then one outcome.
    `fouled`: the share of strokes that are fouls.

    None when no reading can be true of the state.
    """
    ruled = rule_each(state, seen, readings, snookered, places)
    whole = total(ruled)

    def answer(facts: Labels, best: Ruled, same: Sequence[Ruled], weight: float) -> Candidate:
        (name, _), made = facts[0], candidate(best, facts, weight)
        return replace(made, also=_also(name, best, same), otherwise=_otherwise(name, best, same, whole))

    found = decide(ruled, meaning, THINGS, answer)
    if found is None:
        return None
    best, asked = found.best, found.asked
    likely = likelihood(((r.weight, r.ruling.foul) for r in ruled), fouled)
    if asked is None and best.ruling.miss is Miss.REFEREE:
        return replace(_ask_about_attempt(state, best), likelihood=likely)
    question = () if asked is None else (_question(asked, best, state),)
    verdict: Verdict = "call" if question else "certain"
    others = tuple(Alternative(state, r, w, _happened(r, ruled)) for r, w in found.others)
    return Judged(
        best.facts,
        best.state,
        best.ruling,
        verdict,
        question,
        found.candidates,
        asked,
        others,
        likely,
        _happened(best, ruled),
    )


def _happened(best: Ruled, ruled: Sequence[Ruled]) -> StrokeFacts | None:
    """What all readings of a ruling take to have happened; None where they differ."""
    same = [r.facts for r in ruled if meaning(r) == meaning(best)]
    alike = {(f.first_contact, f.potted, f.cue_ball) for f in same}
    return best.facts if len(alike) == 1 else None


def rule_each(
    state: State,
    seen: SeenStroke,
    found: Sequence[Reading],
    snookered: bool | None = None,
    places: _Places | None = None,
) -> list[Ruled]:
    """What the rules make of each reading; one that cannot be true of the state is left out.

    `snookered`: a person's word, in place of geometry's. `places`: due places of some of the colours
    that dropped, where not all are due.
    """
    ruled: list[Ruled] = []
    for reading in found:
        try:
            ruled += _rule(state, seen, reading, snookered, places)
        except FactsError:
            continue  # cannot be: another reading must be true
    return ruled


def _rule(
    state: State, seen: SeenStroke, reading: Reading, snookered: bool | None, places: _Places | None
) -> list[Ruled]:
    """Rule on one reading; the position after the stroke may split it in two (snookered or not)."""
    touching = tuple(dict.fromkeys(colour_of(b) for b in touching_balls(seen)))
    state = state if reading.touching is None else replace(state, touching=reading.touching)
    facts = replace(reading.facts, after=After(touching=touching)) if touching else reading.facts
    after, ruling = apply(state, facts)
    respot = tuple(p.ball for p in ruling.respot)
    due = _placements(seen, respot, places) if respot else ()
    if ruling.frame_over or not _sight_matters(state, ruling):
        if any(p.spot != p.ball for p in due):
            after, ruling = apply(state, replace(facts, placements=due))
        return [Ruled(facts, reading.labels, reading.weight, after, ruling)]
    sight = next((s for s in seen.sights if s.ball_on == ruling.next_ball_on), None)

    def ruled(value: bool | None, weight: float) -> Ruled:
        by = sight.effective if sight and value else ()
        known = After(snookered=value, snookering=by, touching=touching)
        full = replace(facts, after=known, placements=due)
        labels = (*reading.labels, ("snookered", _SAID[value]))
        return Ruled(full, labels, reading.weight * weight, *apply(state, full))

    return [ruled(value, weight) for value, weight in _snookered_or_not(snookered, sight)]


def _sight_matters(state: State, ruling: Ruling) -> bool:
    """Whether a ruling can depend on the next player being snookered (snooker 3.10, 3.14)."""
    return ruling.foul or state.free_ball or state.options.never_behind_nominated


def _snookered_or_not(said: bool | None, sight: LineOfSight | None) -> list[tuple[bool | None, float]]:
    """What may be true of the next player's sight, with weights: by a person's word, else by geometry."""
    weight = float(said) if said is not None else sight.snookered if sight else None
    if weight is None:
        return [(None, 1.0)]
    return [(value, w) for value, w in ((True, weight), (False, 1 - weight)) if w > 1 - CERTAIN]


def _placements(seen: SeenStroke, balls: tuple[str, ...], places: _Places | None) -> tuple[Placement, ...]:
    known = seen.places
    if places is not None and {p.ball for p in known} != set(balls):
        known = places(seen, balls)
    return tuple(Placement(p.ball, p.spot, (p.x_mm, p.y_mm), p.clause) for p in known if p.ball in balls)


def meaning(r: Ruled) -> object:
    """What a ruling changes: readings that agree in this need no question."""
    ruling, state = r.ruling, r.state
    return (
        ruling.foul,
        ruling.penalty,
        ruling.penalty_to,
        ruling.points,
        ruling.scores,
        ruling.next_striker,
        ruling.next_ball_on,
        ruling.free_ball,
        ruling.miss,
        ruling.respot,
        state.reds,
        state.colours,
        state.in_hand,
        ruling.frame_over,
        ruling.winner,
    )


def _question(name: str, best: Ruled, state: State) -> Asked:
    """The text of `[questions]` that has the uncertain thing's name."""
    if name == "nominated":
        return asks(name, name=best.facts.by)
    if name == "snookered":
        return asks(name, next=best.ruling.next_striker or "", next_on=best.ruling.next_ball_on or "")
    return asks(name, on=state.ball_on or "") if name in ("clear_path", "attempt") else Asked(name)


def _also(name: str, best: Ruled, same: Sequence[Ruled]) -> Labels:
    """What else the heaviest reading takes to be so, where it matters: deciding for the answer decides it
    too.
    """
    if len({meaning(r) for r in same}) == 1:
        return ()
    different = open_things(same, [n for n, _ in best.labels if n != name])
    return tuple((n, v) for n, v in best.labels if n in different and v not in (NOT_SAID, "unknown"))


def _otherwise(name: str, best: Ruled, same: Sequence[Ruled], whole: float) -> tuple[Candidate, ...]:
    """What the same answer means when something else is otherwise too: the heaviest reading of each
    ruling.
    """
    said = dict(best.labels)
    found = []
    for key, rs in grouped(same, meaning).items():
        weight = total(rs) / whole
        if key != meaning(best) and weight >= 1 - CERTAIN:
            other = tuple((n, v) for n, v in heaviest(rs).labels if n != name and said.get(n) != v)
            found.append(candidate(heaviest(rs), other, weight))
    return tuple(sorted(found, key=lambda c: -c.weight)[:MOST_CANDIDATES])


def candidate(r: Ruled, facts: Labels, weight: float) -> Candidate:
    """A reading as the outputs show it."""
    ruling = r.ruling
    return Candidate(
        facts,
        weight,
        foul_of(ruling),
        miss_of(ruling),
        ruling.free_ball,
        ruling.points,
        ruling.scores,
        ruling.next_striker,
        ruling.next_ball_on,
    )


def foul_of(ruling: Ruling) -> FoulRuled | None:
    """The foul, None when there is none."""
    if not ruling.foul:
        return None
    return FoulRuled(f"snooker {ruling.clause}", ruling.penalty, ruling.penalty_to, ruling.reason.code)


def miss_of(ruling: Ruling) -> bool | None:
    """Whether a miss is called; None when it is for the referee to say."""
    return None if ruling.miss is Miss.REFEREE else ruling.miss is Miss.CALLED


def _ask_about_attempt(state: State, best: Ruled) -> Judged:
    """3.14(e): the facts do not decide the miss. Penalty and score stand whatever the answer."""
    options = []
    for good in (True, False):
        said = replace(best.facts, judgement=replace(best.facts.judgement, good_enough_attempt=good))
        options.append(
            Ruled(said, (("attempt", "good enough" if good else "a miss"),), 0.5, *apply(state, said))
        )
    found = tuple(candidate(r, r.labels, r.weight) for r in options)
    return Judged(
        best.facts, best.state, best.ruling, "call", (_question("attempt", best, state),), found, "attempt"
    )


NOT_RULED = Ruling(Reason.FAIR)
"""A stroke whose facts contradict the state in every reading: nothing changes but the layout."""
