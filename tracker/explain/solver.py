"""A span's images in, its explanations out, best first, with weights that sum to one.

The joinings of the pieces are ranked, each is named, each naming's events are given causes; what is left in
the beam is weighed together. `docs/explain.md` has the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import PocketName, TableSpec
from tracker.explain.detections import arrays
from tracker.explain.interactions import MOST_SETS, Arena, Causes, Interaction, explain
from tracker.explain.joining import MOST_PIECES, Chain, Ending, Joiner, Joining
from tracker.explain.likelihood import Likelihood
from tracker.explain.naming import Naming, namings
from tracker.explain.orders import orders
from tracker.explain.priors import CUT_OFF, TEMPERATURE, log_prior
from tracker.explain.tracklets import tracklets
from tracker.explain.trajectory import Way, fallen_unseen, way
from vision.observation import ImageObservations

F64 = NDArray[np.float64]
MOST_LAYOUTS = 8
"""Different sets of ways whose meetings are explained; the best joinings come first."""
MOST_EXPLANATIONS = 64
"""Explanations that are kept; the rest weigh nothing."""


@dataclass(frozen=True, slots=True)
class Story:
    """What became of one ball. `name`: its colour; reds are told apart by `key`, which is this ball's
    alone.
    """

    key: int
    name: str
    placed: bool
    way: Way
    end: Ending


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of every ball. `logs`: the terms of the log-weight, for whoever asks why. `cue`: the name
    of the ball that is struck.
    """

    weight: float
    stories: tuple[Story, ...]
    interactions: tuple[Interaction, ...]
    logs: tuple[tuple[str, float], ...]
    cue: str = SNOOKER.cue


class _Span:
    """One span while it is solved: pieces, and ways and causes found once for all that share them."""

    def __init__(self, images: Sequence[ImageObservations], table: TableSpec, kinds: PieceSet) -> None:
        self.table, self.kinds = table, kinds
        self.found, views = arrays(images)
        self.pieces = tracklets(self.found, views)
        joined = self.pieces if len(self.pieces) <= MOST_PIECES else []
        self.joiner = Joiner(joined, Likelihood(self.found, views, table), table, kinds)
        self._ways: dict[tuple[tuple[int, ...], PocketName | None], Way] = {}
        self._causes: dict[tuple[object, ...], list[Causes]] = {}
        self._sets = 0

    def way(self, chain: Chain) -> Way:
        """The way of a chain, fitted once: through its pieces, and into a pocket that it fell in unseen."""
        unseen = chain.end.unseen
        key = (chain.pieces, chain.end.pocket if unseen is not None else None)
        if key not in self._ways:
            found = way([self.pieces[i] for i in chain.pieces], self.found)
            if unseen is not None:
                pocket = next(p for p in self.table.pockets if p.name == chain.end.pocket)
                found = fallen_unseen(found, (pocket.x_mm, pocket.y_mm), *unseen)
            self._ways[key] = found
        return self._ways[key]

    def causes(self, joining: Joining, cue: int | None) -> list[Causes]:
        """Causes of all events; ways are keyed by the number of their first piece. None beyond the bound."""
        counting = [c for c in joining.chains if self._counts(c)]
        unseen = (c.end.pocket if c.end.unseen is not None else None for c in counting)
        key = (tuple(sorted(zip((c.pieces for c in counting), map(str, unseen), strict=True))), cue)
        if key not in self._causes:
            if len(self._causes) >= MOST_LAYOUTS or self._sets > MOST_SETS:
                return []
            ways = {c.pieces[0]: self.way(c) for c in counting}
            arena = Arena(self.table, self.kinds, cue)
            self._causes[key], used = explain(ways, cue, arena, MOST_SETS - self._sets)
            self._sets += used
        return self._causes[key]

    def _counts(self, chain: Chain) -> bool:
        """Whether a ball is seen well enough to have met another: in the first image, or more than once."""
        first = self.pieces[chain.pieces[0]]
        return len(chain.pieces) > 1 or first.n > 1 or first.first == 0


def solve(
    images: Sequence[ImageObservations], table: TableSpec, kinds: PieceSet = SNOOKER
) -> tuple[Explanation, ...]:
    """The explanations of a span; empty where nothing was detected, or more pieces of track than any stroke
    has. Their weights sum to one, or to less where the search was cut off: the rest is what it did not look
    at. `kinds`: the game's pieces, in the order of the observations' log-probabilities.
    """
    span = _Span(images, table, kinds)
    if not len(span.found.t_s) or len(span.pieces) > MOST_PIECES:
        return ()
    found: list[_Found] = []
    for joining in span.joiner.best():
        colours = [_colour(span, c) for c in joining.chains]
        heads = [span.pieces[c.pieces[0]].head for c in joining.chains]
        places = [(h.x, h.y) for h in heads]
        for naming in namings(joining.chains, colours, places, table, kinds):
            cue = _key_of(kinds.cue, joining, naming)
            for causes in span.causes(joining, cue):
                for share, meetings in orders(causes.interactions, cue):
                    logw = joining.logw + naming.logp + causes.logp + log_prior(share)
                    found.append((logw, joining, naming, replace(causes, interactions=meetings)))
    if not found:
        return ()
    found.sort(key=lambda f: -f[0])
    found = found[:MOST_EXPLANATIONS]
    w = np.exp((np.array([f[0] for f in found]) - found[0][0]) / TEMPERATURE)
    w /= w.sum()
    if found[0][3].cut:
        w *= 1.0 - CUT_OFF
    return tuple(_explanation(span, float(p), f) for p, f in zip(w, found, strict=True))


_Found = tuple[float, Joining, Naming, Causes]


def _key_of(kind: str, joining: Joining, naming: Naming) -> int | None:
    """The key of the way that has a name; None without one."""
    named = zip(joining.chains, naming.names, strict=True)
    return next((c.pieces[0] for c, n in named if n == kind), None)


def _colour(span: _Span, chain: Chain) -> F64:
    """(kinds,) log-likelihood of a chain's looks: the first piece's, and one for all that follow, which are
    alike.
    """
    looks = [span.joiner.colours[i] for i in chain.pieces]
    total: F64 = looks[0] + np.mean(looks[1:], axis=0) if len(looks) > 1 else looks[0]
    return total


def _explanation(span: _Span, weight: float, found: _Found) -> Explanation:
    _, joining, naming, causes = found
    stories = tuple(
        Story(c.pieces[0], n or "nameless", c.begin == "placed", span.way(c), c.end)
        for c, n in zip(joining.chains, naming.names, strict=True)
    )
    logs = (("detections", joining.logw), ("names", naming.logp), ("causes", causes.logp))
    return Explanation(weight, stories, causes.interactions, logs, span.kinds.cue)
