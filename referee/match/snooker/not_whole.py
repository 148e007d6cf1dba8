"""Strokes that are asked about as a whole: what was hit first and what fell, whatever else is open of them.

Images do not show such a stroke whole, or more in them than can be told apart, a ball does not look like its
name, or the cue-ball is played from where nobody can have placed it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from calibration.table.pieces import SNOOKER, colour_of
from referee.facts.judged import Asked, Candidate, asks
from referee.facts.seen import SeenStroke
from referee.match.accounts import accounts
from referee.match.pockets import open_pocket, pocket_asked, with_pockets
from referee.match.position import Position
from referee.match.priors import APART
from referee.match.snooker.adjudication import Alternative, Judged, Ruled, candidate, meaning
from referee.match.snooker.frames import out_of_hand
from referee.match.snooker.intake import MOVED_MM
from referee.match.snooker.readings import gone_unseen
from referee.match.weighing import CERTAIN, MOST_CANDIDATES, WHAT_HAPPENED, Labels, grouped, heaviest, total
from referee.rules.snooker import State
from referee.rules.snooker.facts import StrokeFacts

MOST_TOLD = 0.9
"""Explanations that weigh less together leave too much to what none of them says."""
MISNAMED = 0.5
"""Below this confidence a ball at rest looks more like another that lies nowhere: tracks were exchanged
where balls lay close, or the brown is hidden and a red has its name.
"""
SURELY_RED = 0.9
"""From this confidence on a red lies there whatever the other balls are. Assumed."""
_WHAT_HAPPENED = Asked(WHAT_HAPPENED)
_UNSEEN = (_WHAT_HAPPENED, Asked("not_all_seen"))


def whole_question(position: Position, seen: SeenStroke) -> tuple[Asked, ...] | None:
    """Why all of a stroke is asked about, whatever else is open of it: images do not show it whole, or a ball
    was another than it is called. None as a rule.
    """
    if seen.unseen:
        return _UNSEEN
    if seen.explanations and sum(e.weight for e in seen.explanations) < MOST_TOLD:
        return _WHAT_HAPPENED, Asked("not_all_told_apart")
    if (misnamed := _misnamed(seen)) is not None:
        return misnamed
    if position.state is not None and out_of_hand(position.state, seen) and not seen.gap_before:
        return _WHAT_HAPPENED, Asked("not_in_the_d")
    return None


def _misnamed(seen: SeenStroke) -> tuple[Asked, ...] | None:
    """The question about a ball that is rather another than it is called; one just put down may be known
    better after the stroke.

    While a red lies there for certain, which ball is on does not hang on what a ball is called that lay
    still, and that no explanation has hit first.
    """
    last = {b.ball: b.confidence for b in (*seen.before, *seen.after)}
    if any(b.colour == "red" and b.confidence >= SURELY_RED for b in seen.before):
        bystanders = _bystanders(seen)
        last = {ball: confidence for ball, confidence in last.items() if ball not in bystanders}
    ball = next((ball for ball, confidence in last.items() if confidence < MISNAMED), None)
    return None if ball is None else (_WHAT_HAPPENED, _of_ball("misnamed", ball))


def _bystanders(seen: SeenStroke) -> set[str]:
    """The balls that lay still in a stroke, and were hit first in no explanation of it."""
    lay = {b.ball: (b.x_mm, b.y_mm) for b in seen.before}
    still = {
        b.ball for b in seen.after if b.ball in lay and math.dist(lay[b.ball], (b.x_mm, b.y_mm)) < MOVED_MM
    }
    hit = {f.ball for f in seen.first_contact} | {b for e in seen.explanations for b, _ in e.met_first}
    return still - hit


def _of_ball(text: str, ball: str) -> Asked:
    """The text about that ball. Players do not number the reds: theirs ends in `_red` and names none."""
    colour = colour_of(ball)
    return Asked(f"{text}_red") if colour == "red" else Asked(text, (("ball", colour),))


def asked_whole(
    judged: Judged, state: State, question: tuple[Asked, ...], answers: Sequence[Ruled], told: float = 1.0
) -> Judged:
    """A call about what was hit first and what fell together. `state`: before the stroke. `answers`: what may
    be so, with weights that sum to one; `told`: the weight of all of them, the rest is something else.
    """
    as_seen = Ruled(judged.facts, (), 1.0, judged.state, judged.ruling)
    same = grouped(answers, _happened)
    best = {key: heaviest(rs) for key, rs in same.items()} | {_happened(as_seen): as_seen}
    weights = {key: told * total(same.get(key, ())) for key in best}
    order = sorted(weights, key=lambda key: -weights[key])[:MOST_CANDIDATES]
    found = tuple(candidate(best[key], _facts_of(best[key].facts), weights[key]) for key in order)
    others = (Alternative(state, best[k], weights[k]) for k in order)
    return replace(
        judged,
        verdict="call",
        question=question,
        candidates=found,
        asked=WHAT_HAPPENED,
        others=tuple(o for o in others if meaning(o.ruled) != meaning(as_seen)),
        happened=None,
    )


def _happened(r: Ruled) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return r.facts.first_contact, r.facts.potted


def open_in_practice(
    seen: SeenStroke, score: tuple[int, int]
) -> tuple[tuple[Asked, ...], tuple[Candidate, ...]]:
    """What must be asked of a stroke on which nothing is ruled, with its answers; nothing where its facts are
    certain. No frame's count of balls speaks here, so a ball that is gone may have fallen or been lifted.
    """
    question = _UNSEEN if seen.unseen else _misnamed(seen)
    apart = 0.0 if question is None else APART
    told = accounts(seen, SNOOKER, gone=gone_unseen(seen), apart=apart)
    same = grouped(told, lambda account: _said(account[1]))
    found = {said: sum(weight for weight, _ in alike) for said, alike in same.items()}
    if question is None:
        if max(found.values()) >= CERTAIN:
            return _pocket_in_practice(seen, score)
        gone = tuple(b for b in seen.gone_unseen if b != "white")
        question = (Asked("first_and_potted"), *_of_balls("gone", gone))
    order = sorted(found, key=lambda said: -found[said])
    answers = tuple(Candidate(said, found[said], None, None, False, 0, score, None, None) for said in order)
    return question, answers[:MOST_CANDIDATES]


def _pocket_in_practice(
    seen: SeenStroke, score: tuple[int, int]
) -> tuple[tuple[Asked, ...], tuple[Candidate, ...]]:
    """The question about a pocket, with its answers; nothing where all pockets are certain."""
    if (pot := open_pocket(seen)) is None:
        return (), ()
    told = with_pockets(seen, pot)
    answers = (Candidate(said, weight, None, None, False, 0, score, None, None) for said, _, weight in told)
    return pocket_asked(seen, pot), tuple(answers)


def _said(told: SeenStroke) -> Labels:
    """What an account says was hit first and fell."""
    ball = told.first_contact[0].ball
    fell = ", ".join(p.ball for p in told.pots)
    return ("first_contact", colour_of(ball) if ball else "none"), ("potted", fell or "none")


def _facts_of(facts: StrokeFacts) -> Labels:
    return (
        ("first_contact", " and ".join(facts.first_contact) or "none"),
        ("potted", ", ".join(facts.potted) or "none"),
    )


def _of_balls(text: str, balls: tuple[str, ...]) -> tuple[Asked, ...]:
    """The text about that ball, or the one about several that ends in `_some`; none about none."""
    if len(balls) < 2:
        return tuple(_of_ball(text, b) for b in balls)
    return (asks(f"{text}_some", balls=", ".join(colour_of(b) for b in balls)),)


def missing_asked(missing: tuple[str, ...]) -> Asked:
    """What a question says of balls that should be there and are not seen; at least one."""
    return _of_balls("missing", missing)[0]
