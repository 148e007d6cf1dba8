"""Which piece has which name, as a probability.

A set has each numbered ball once, so that a doubt about one is a doubt about all that may have its name.
Looks say of each piece how likely it is each kind (`Ball.logp`). A naming gives every piece a kind of its
own; its weight is the product of what the looks say. The names of the heaviest naming are told; how sure
each of them is follows from all namings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.table.pieces import PieceSet
from tracker.ball import SUREST, Ball, BallState
from tracker.events import Layout, NamesRead, Naming, StrokeRecord
from tracker.explain.assignment import FORBIDDEN, k_best
from vision.detect.naming import name_probabilities

MOST_NAMINGS, WITHIN_NATS = 32, 9.0
"""So many namings are kept, none this much less likely than the best: 1 in 8,000, where 1 in 1,000 makes a
ruling uncertain.
"""
CUE_BALL_NATS = 3.0
"""A table has a cue-ball: what a naming with one on it gains (as in `tracker.identity.relabel`)."""
CERTAIN = 0.9995
"""A heaviest naming that weighs this much leaves no doubt to be told."""


def one_of_each(pieces: PieceSet) -> bool:
    """Whether the set has every kind once, so that a name is a kind."""
    return not pieces.alike


def namings(balls: Sequence[Ball]) -> tuple[Naming, ...]:
    """Every naming of the pieces worth keeping, heaviest first; weights sum to 1.

    `balls`: all that are followed, those that fell too. A naming holds pairs of a piece's present name and
    the name that it has in that naming, for all pieces. Empty for a set with several pieces of a kind.
    """
    if not balls or not one_of_each(balls[0].pieces):
        return ()
    pieces = balls[0].pieces
    cost = np.full((len(balls), len(pieces.names)), FORBIDDEN)
    for row, b in enumerate(balls):
        top = max(b.logp)
        cost[row] = [top - v for v in b.logp]
        if b.state is not BallState.GONE and not pieces.discs:
            cost[row, [pieces.index[k] for k in pieces.struck]] -= CUE_BALL_NATS
    found = k_best(cost, MOST_NAMINGS, WITHIN_NATS)
    if not found:
        return ()
    weights = [math.exp(found[0].cost - f.cost) for f in found]
    total = sum(weights)
    return tuple(
        Naming(w / total, tuple((b.name, pieces.names[c]) for b, c in zip(balls, f.columns, strict=True)))
        for w, f in zip(weights, found, strict=True)
    )


def rename(balls: Sequence[Ball]) -> dict[str, str]:
    """Give the pieces the names of the heaviest naming; returns what changed, old name to new name."""
    if not balls or all(max(b.logp) == b.logp[b.own] for b in balls):
        return {}
    found = namings(balls)
    changed = {old: new for old, new in found[0].names if old != new} if found else {}
    for b in balls:
        if b.name in changed:
            b.name = b.colour = changed[b.name]
            b.rest.agreed = 0
    return changed


def doubts(found: Sequence[Naming]) -> tuple[Naming, ...]:
    """The namings as they are told: pairs that differ from the present names; empty without a doubt."""
    if not found or found[0].weight >= CERTAIN:
        return ()
    return tuple(Naming(n.weight, tuple((a, b) for a, b in n.names if a != b)) for n in found)


def probability(found: Sequence[Naming], name: str) -> float:
    """That a piece has the name that it is called by."""
    return sum(n.weight for n in found if all(new == name for old, new in n.names if old == name))


def with_names(record: StrokeRecord, changed: Mapping[str, str]) -> StrokeRecord:
    """The stroke with names as they have `changed`, old name to new name."""
    if not changed:
        return record

    def name(ball: str) -> str:
        return changed.get(ball, ball)

    def renamed(layout: Layout) -> Layout:
        return tuple(replace(p, ball=name(p.ball), colour=name(p.ball)) for p in layout)

    return replace(
        record,
        before=renamed(record.before),
        after=renamed(record.after),
        first_contact=tuple(
            replace(f, ball=None if f.ball is None else name(f.ball)) for f in record.first_contact
        ),
        contacts=tuple(replace(c, balls=(name(c.balls[0]), name(c.balls[1]))) for c in record.contacts),
        cushions=tuple(replace(c, ball=name(c.ball)) for c in record.cushions),
        reached=tuple(replace(r, ball=name(r.ball)) for r in record.reached),
        pots=tuple(replace(p, ball=name(p.ball)) for p in record.pots),
        off_table=tuple(sorted(map(name, record.off_table))),
        vanished=tuple(sorted(map(name, record.vanished))),
        explanations=tuple(
            replace(
                e,
                first_contact=None if e.first_contact is None else name(e.first_contact),
                may_have_met=tuple((None if b is None else name(b), w) for b, w in e.may_have_met),
                pots=tuple((name(ball), pocket, t_s) for ball, pocket, t_s in e.pots),
                gone=tuple(sorted(map(name, e.gone))),
                over=tuple(map(name, e.over)),
            )
            for e in record.explanations
        ),
        touching=tuple(replace(t, balls=(name(t.balls[0]), name(t.balls[1]))) for t in record.touching),
    )


def placed(balls: Sequence[Ball], among: Sequence[Ball] | None = None) -> Layout:
    """The pieces where they lie at rest, each as sure of its name as the namings of `among` leave it.

    `among`: all that are followed; None: `balls`.
    """
    if not balls:
        return ()
    known = balls if among is None else among
    found = namings(known)
    if found:
        return tuple(b.placed(probability(found, b.name)) for b in balls)
    sure = _probabilities(known)
    return tuple(b.placed(sure[b.name]) for b in balls)


def known_by_now(layout: Layout, balls: Sequence[Ball]) -> Layout:
    """A layout, each ball in it as sure of its name as all looks since leave it; as it is where each piece is
    there once, whose doubts are told apart.
    """
    if not balls or one_of_each(balls[0].pieces):
        return layout
    sure = _probabilities(balls)
    return tuple(replace(p, confidence=min(sure.get(p.ball, p.confidence), SUREST)) for p in layout)


def _probabilities(balls: Sequence[Ball]) -> dict[str, float]:
    """That each ball which has not left the table has its name, of a set with several pieces of a kind."""
    there = [b for b in balls if b.state is not BallState.GONE]
    off = [b.independent_logp for b in balls if b.state is BallState.GONE]
    logps, names = [b.independent_logp for b in there], [b.colour for b in there]
    sure = name_probabilities(logps, names, off, balls[0].pieces)
    return dict(zip((b.name for b in there), sure, strict=True))


def lying(balls: Sequence[Ball]) -> Layout:
    """The pieces that lie at rest among all that are followed."""
    return placed([b for b in balls if b.state is BallState.REST], balls)


def read(balls: Sequence[Ball], open_before: bool, t_s: float, final: bool) -> NamesRead | None:
    """What looks since the last telling say of the names that were told; None where that is nothing new.

    Renames the balls. `open_before`: names were told with a doubt. `final`: nothing more will be read before
    the next stroke.
    """
    rename(balls)
    renamed = tuple((b.told, b.name) for b in balls if b.told and b.told != b.name)
    if not renamed and not (final and open_before):
        return None
    for b in balls:
        b.told = b.name if b.told else ""
    return NamesRead(t_s, renamed, doubts(namings(balls)), final)
