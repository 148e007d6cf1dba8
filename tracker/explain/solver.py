"""A span's images in, its explanations out, best first, with weights that sum to one.

The joinings of the pieces are ranked, each is named, each naming's events are given causes; what is left in
the beam is weighed together. `docs/explain.md` has the model.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.specs import PocketName, PointMm, TableSpec
from tracker.explain.arena import Arena
from tracker.explain.causes import MOST_SETS, UNTURNED, Causes, Known, explain
from tracker.explain.detections import OVERLAP, arrays
from tracker.explain.ghosts import left_sooner, without_ghosts
from tracker.explain.grazes import Grazes
from tracker.explain.interactions import Interaction
from tracker.explain.joining import Chain, Ending, Joiner, Joining
from tracker.explain.likelihood import Likelihood
from tracker.explain.looks import LooksAtRest
from tracker.explain.lost_time import Lost, lost_time
from tracker.explain.naming import Naming, namings
from tracker.explain.orders import orders
from tracker.explain.priors import CUT_OFF, GHOST, TEMPERATURE, TIME_LOST, UNJOINED, log_prior
from tracker.explain.reach import Reach, reach
from tracker.explain.tracklets import Tracklet, tracklets
from tracker.explain.trajectory import Way, fallen_unseen, way
from tracker.explain.undisturbed import undisturbed
from tracker.params import COLOUR_FLOOR
from vision.observation import ImageObservations

F64 = NDArray[np.float64]
MOST_LAYOUTS = 8
"""Different sets of ways whose meetings are explained; the best joinings come first."""
MOST_EXPLANATIONS = 64
"""Explanations that are kept; the rest weigh nothing."""


NAMELESS = "nameless"
"""A ball for which no colour of the set is left: there is one, and nothing tells which."""


@dataclass(frozen=True, slots=True)
class Story:
    """What became of one ball. `name`: its colour, `NAMELESS` where none is left for it; reds are told apart
    by `key`, which is this ball's alone. `looks`: log-likelihood of each kind by a look at it since it was
    seen away from its first place; empty where there is none.
    """

    key: int
    name: str
    placed: bool
    way: Way
    end: Ending
    looks: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of every ball. `logs`: the terms of the log-weight, for whoever asks why. `cue`: the name
    of the ball that is struck; `led_into`: the key of the one that its way leads into for certain; `over`:
    the keys of balls that stay, over which its way leads for certain before it meets its first.
    """

    weight: float
    stories: tuple[Story, ...]
    interactions: tuple[Interaction, ...]
    logs: tuple[tuple[str, float], ...]
    cue: str = SNOOKER.cue
    led_into: int | None = None
    lost: Lost | None = None
    over: tuple[int, ...] = ()


FAST_MM_S = 300.0
"""A ball rolls on from this for half a metre."""


_Layout = tuple[tuple[tuple[int, ...], str], ...]


class _Span:
    """One span while it is solved: pieces, and ways and causes found once for all that share them."""

    def __init__(
        self,
        images: Sequence[ImageObservations],
        table: TableSpec,
        kinds: PieceSet,
        cue_mm: PointMm | None,
        down: Mapping[str, int],
        looks: LooksAtRest | None,
        lost: Lost | None = None,
    ) -> None:
        self.table, self.kinds, self.cue_mm, self.lost = table, kinds, cue_mm, lost
        self.at_rest = looks
        self.down, self.ghosts = down, 0
        self.found, self._views = arrays(images, kinds)
        pieces = undisturbed(tracklets(self.found, self._views), self.found, self._views)
        self._joined(without_ghosts(pieces, self.found))

    def _joined(self, pieces: Sequence[Tracklet]) -> None:
        """Begin with these pieces: nothing is known of them yet."""
        self.pieces = pieces
        likelihood = Likelihood(self.found, self._views, self.table, self.at_rest)
        self.joiner = Joiner(pieces, likelihood, self.table, self.kinds)
        self._ways: dict[tuple[tuple[int, ...], PocketName | None], Way] = {}
        self._counted: dict[int, tuple[Joining, dict[int, Way]]] = {}
        self._looks: dict[tuple[int, ...], tuple[float, ...]] = {}
        self._causes: dict[tuple[_Layout, int | None], list[Causes]] = {}
        self._grazes: dict[int | None, Grazes] = {}
        self._reaches: dict[object, Reach | None] = {}
        self._known: Known = {}
        self._sets = 0

    def struck_at(self, cue_mm: PointMm) -> _Span:
        """The same span, with the cue-ball the one that lay there."""
        other = copy(self)
        other.cue_mm, other._causes, other._sets = cue_mm, {}, 0
        return other

    def left_sooner(self) -> _Span | None:
        """The same span, if balls that were seen once on their way had left though their ghosts were seen
        where they lay; None where none can have.
        """
        pieces = left_sooner(self.pieces, self.found)
        ghosts = sum(a is not b for a, b in zip(self.pieces, pieces, strict=True))
        if not ghosts:
            return None
        other = copy(self)
        other.ghosts = ghosts
        other.__dict__.pop("overlapping", None)
        other._joined(pieces)
        return other

    def way(self, chain: Chain) -> Way:
        """The way of a chain, fitted once: through its pieces, and into a pocket that it fell in unseen."""
        unseen = chain.end.unseen
        key = (chain.pieces, chain.end.pocket if unseen is not None else None)
        if key not in self._ways:
            found = way([self.pieces[i] for i in chain.pieces], self.found)
            if unseen is not None:
                pocket = next(p for p in self.table.pockets if p.name == chain.end.pocket)
                found = fallen_unseen(found, (pocket.x_mm, pocket.y_mm), *unseen)
            if chain.begin == "placed":
                found = replace(found, since_s=self.pieces[chain.pieces[0]].head.t_s)
            self._ways[key] = found
        return self._ways[key]

    def later_look(self, chain: Chain) -> tuple[float, ...]:
        """What one look at a ball says since it was seen away from its first place; empty where none was."""
        if chain.pieces not in self._looks:
            seen_s = {p.t_s for p in self.way(chain).seen}
            rows = [
                r for i in chain.pieces for r in self.pieces[i].rows if float(self.found.t_s[r]) in seen_s
            ]
            looks = self.found.logp[rows]
            floored = np.maximum(looks - looks.max(axis=1, keepdims=True), -COLOUR_FLOOR)
            self._looks[chain.pieces] = tuple(floored.mean(axis=0).tolist()) if rows else ()
        return self._looks[chain.pieces]

    def stops_dead(self, chain: Chain) -> bool:
        """Whether a ball lies where it was seen once, and fast, and then no more: nothing is there that stops
        it.
        """
        once = len(chain.pieces) > 1 and self.pieces[chain.pieces[-1]].n == 1
        if not once or chain.end.kind != "rest" or not (found := self.way(chain)).segments:
            return False
        return math.hypot(*found.segments[-1].velocity(found.last_s)) > FAST_MM_S

    @cached_property
    def overlapping(self) -> list[tuple[int, int]]:
        """Pairs of pieces (numbers) that end so near to each other that no two balls have room there."""
        near_mm = OVERLAP * self.kinds.least_apart_mm
        return [
            (a.number, b.number)
            for a, b in combinations(self.pieces, 2)
            if math.hypot(a.tail.x - b.tail.x, a.tail.y - b.tail.y) < near_mm
        ]

    def in_one_place(self, joining: Joining) -> int:
        """How many pairs of balls lie in one place at the end."""
        last = {c.pieces[-1] for c in joining.chains if c.end.kind == "rest"}
        return sum(i in last and j in last for i, j in self.overlapping)

    def weighed(self, joining: Joining) -> Joining:
        """A joining with what no two of its pieces tell: balls that stop dead, and that lie in one place."""
        dead = UNTURNED * sum(map(self.stops_dead, joining.chains))
        return replace(joining, logw=joining.logw + dead + log_prior(ONE_PLACE) * self.in_one_place(joining))

    def causes(self, joining: Joining, cue: int | None) -> list[Causes]:
        """Causes of all events; ways are keyed by the number of their first piece. None beyond the bound."""
        key = self._laid_out(joining), cue
        if key not in self._causes:
            if self._full:
                return []
            ways, arena = self._counting(joining), Arena(self.table, self.kinds, cue)
            self._causes[key], used = explain(ways, cue, arena, MOST_SETS - self._sets, self._known)
            self._sets += used
        return self._causes[key]

    def may_tell(self, joining: Joining) -> bool:
        """Whether causes of its events are known, or are still sought."""
        if not self._full:
            return True
        layout = self._laid_out(joining)
        return any(known == layout for known, _ in self._causes)

    @property
    def _full(self) -> bool:
        return len(self._causes) >= MOST_LAYOUTS or self._sets > MOST_SETS

    def _laid_out(self, joining: Joining) -> _Layout:
        """The ways of a joining that hang together with causes: pieces, and the pocket of one that fell
        unseen.
        """
        counting = [c for c in joining.chains if self._counts(c)]
        unseen = (c.end.pocket if c.end.unseen is not None else None for c in counting)
        return tuple(sorted(zip((c.pieces for c in counting), map(str, unseen), strict=True)))

    def told_apart(
        self, joining: Joining, causes: Causes, cue: int | None
    ) -> list[tuple[float, tuple[Interaction, ...]]]:
        """(share, meetings) of all that no image tells apart: which of two contacts came first, and whether a
        ball that was passed was touched. Shares sum to one, or to less where the cue-ball's way leads through
        a ball before it meets its first. A ball into which it leads for certain, and that has left, was met.
        """
        ways, led_to = self._counting(joining), self.led_to(joining, cue)
        stay = self.staying(joining)
        found = _led_into(led_to, causes.interactions, cue, stay)
        if cue not in self._grazes:
            self._grazes[cue] = Grazes(Arena(self.table, self.kinds, cue))
        return [
            (share * touch * _passing_none(led_to, meetings, cue, stay), meetings)
            for share, ordered in orders(found, cue, led_to)
            for touch, meetings in self._grazes[cue].told_apart(ways, ordered, cue)
        ]

    def staying(self, joining: Joining) -> set[int]:
        """The balls of a joining that lie where they lay, and show nothing of having been met."""
        return {c.pieces[0] for c in joining.chains if c.end.kind == "rest" and not self.way(c).events}

    def led_to(self, joining: Joining, cue: int | None) -> Reach | None:
        """Where the cue-ball's way leads, worked out once for all explanations that share it."""
        ways = self._counting(joining)
        if cue is None or cue not in ways:
            return None
        key = tuple((k, id(w)) for k, w in ways.items()), cue
        if key not in self._reaches:
            self._reaches[key] = reach(ways, cue, Arena(self.table, self.kinds, cue))
        return self._reaches[key]

    def _counting(self, joining: Joining) -> dict[int, Way]:
        """The ways of a joining's balls that can have met others, by the numbers of their first pieces."""
        known = self._counted.get(id(joining))
        if known is None:  # the joining is kept beside them, so that its number stays its own
            ways = {c.pieces[0]: self.way(c) for c in joining.chains if self._counts(c)}
            known = self._counted[id(joining)] = joining, ways
        return known[1]

    def _counts(self, chain: Chain) -> bool:
        """Whether a ball is seen well enough to have met another: in the first image, or more than once."""
        first = self.pieces[chain.pieces[0]]
        return len(chain.pieces) > 1 or first.n > 1 or first.first == 0


def solve(
    images: Sequence[ImageObservations],
    table: TableSpec,
    kinds: PieceSet = SNOOKER,
    cue_mm: PointMm | None = None,
    down: Mapping[str, int] = MappingProxyType({}),
    rivals_mm: Sequence[PointMm] = (),
    looks: LooksAtRest | None = None,
) -> tuple[Explanation, ...]:
    """The explanations of a span; empty where nothing was detected, or more pieces of track than any stroke
    has. Their weights sum to one, or to less where not all of its pieces were joined. `kinds`: the game's
    pieces, in the order of the observations' log-probabilities. `cue_mm`: where the cue-ball lay, if that is
    known better than by looks. `down`: how many pieces of each kind had left the table before. `rivals_mm`:
    where other balls lay that may have been struck in place of that one. `looks`: at balls at rest in this
    recording.
    """
    span = _Span(images, table, kinds, cue_mm, down, looks)
    sooner = span.left_sooner()
    spans = [span, *([] if sooner is None else [sooner])] if span.pieces else []
    spans += [one.struck_at(at) for at in rivals_mm for one in spans[:2]]
    found = [(logw, one, f) for one in spans for logw, f in _found(one)]
    if not found:
        return ()
    if (lost := lost_time(span.joiner)) is not None:
        later = _Span(lost.later(images), table, kinds, cue_mm, down, looks, lost)
        found += [(logw, later, f) for logw, f in _found(later) if lost.tells(later.joiner, f[0])]
    found.sort(key=lambda f: -f[0])
    found = found[:MOST_EXPLANATIONS]
    w = np.exp((np.array([f[0] for f in found]) - found[0][0]) / TEMPERATURE)
    w /= w.sum()
    best = found[0][1]
    others = [(share, best, f) for share, f in _not_looked_at(best, found[0][2])]
    w *= 1.0 - UNJOINED if best.joiner.cut else 1.0
    w *= 1.0 - sum(share for share, _, _ in others)
    weighed = [*((float(p), span, f) for p, (_, span, f) in zip(w, found, strict=True)), *others]
    return tuple(_explanation(span, p, f) for p, span, f in sorted(weighed, key=lambda f: -f[0]))


def _found(span: _Span) -> list[tuple[float, _Found]]:
    """What the beam has left of one span, with the log-weight of each."""
    found: list[tuple[float, _Found]] = []
    for joining, naming in _named(span):
        if not span.may_tell(joining):
            continue
        cue, _ = _struck(span, joining, naming)
        for causes in span.causes(joining, cue):
            for share, meetings in span.told_apart(joining, causes, cue):
                logw = joining.logw + naming.logp + causes.logp + log_prior(share)
                told = joining, naming, replace(causes, interactions=meetings)
                logw += 0.0 if span.lost is None else log_prior(TIME_LOST)
                found.append((logw + span.ghosts * log_prior(GHOST), told))
    return found


def _named(span: _Span) -> list[tuple[Joining, Naming]]:
    """The joinings with their names, likeliest first: of those the first ones' causes are sought."""
    named: list[tuple[Joining, Naming]] = []
    for joining in map(span.weighed, span.joiner.best):
        colours = [_colour(span, c) for c in joining.chains]
        heads = [span.pieces[c.pieces[0]].head for c in joining.chains]
        places = [(h.x, h.y) for h in heads]
        times = [h.t_s for h in heads]
        found = namings(joining.chains, colours, places, times, span.table, span.kinds, span.down)
        named += [(joining, naming) for naming in found]
    return sorted(named, key=lambda jn: -(jn[0].logw + jn[1].logp))


def _led_into(
    led_to: Reach | None, meetings: Sequence[Interaction], cue: int | None, stay: Set[int]
) -> tuple[Interaction, ...]:
    """These meetings, with the cue-ball's contact with the ball that its way leads into, if that is in none
    of them: the blows in a pack are not all found. What turned it at a ball that is in `stay`, and shows
    nothing of it, was something else.
    """
    into = None if led_to is None else led_to.first
    if led_to is None or cue is None or into is None or into in stay:
        return tuple(meetings)
    t_s, sigma_s = led_to.when(into)
    if into in _met_by(cue, meetings, t_s + RIVAL_S):
        return tuple(meetings)
    first_s = _first_met_s(meetings, cue)
    contact = Interaction("contact", (cue, into), min(t_s, first_s - 1e-3), sigma_s, None)
    return tuple(sorted((*meetings, contact), key=lambda m: m.t_s))


def _first_met_s(meetings: Sequence[Interaction], cue: int | None) -> float:
    """When the cue-ball meets its first ball; never, where it meets none."""
    return min((m.t_s for m in meetings if m.met_by(cue) is not None), default=math.inf)


def _met_by(cue: int | None, meetings: Sequence[Interaction], until_s: float = math.inf) -> list[int]:
    """The balls that the cue-ball meets up to a time, in order of time."""
    return [ball for m in meetings if m.t_s <= until_s and (ball := m.met_by(cue)) is not None]


def _passing_none(
    led_to: Reach | None, meetings: Sequence[Interaction], cue: int | None, stay: Set[int]
) -> float:
    """Probability that the cue-ball's way meets the first ball of these meetings before any that it meets in
    none of them, or that is in `stay`: no way leads through a ball, also where it meets none.
    """
    met = _met_by(cue, meetings)
    if led_to is None:
        return 1.0
    if led_to.first in stay or (not met and not stay.isdisjoint(led_to.past)):
        return THROUGH
    if not met:
        return 1.0
    return max(led_to.meets_none_before(met[0], frozenset(met)), THROUGH)


THROUGH = 1e-4
"""Probability that a way leads through what is no ball after all, or over it. Assumed."""
ONE_PLACE = 1e-6
"""Probability that what is seen where another ball lies is a ball too. Assumed."""


_Found = tuple[Joining, Naming, Causes]


def _not_looked_at(span: _Span, best: _Found) -> list[tuple[float, _Found]]:
    """What a search for meetings that its bounds cut off may have missed, with weights: the cue-ball met
    another ball first, one of those that it can have met about then. As far as its way tells, it weighs no
    more than its way leads to that ball first. Pots do not hang on it.
    """
    joining, naming, causes = best
    cue, _ = _struck(span, joining, naming)
    met = [m for m in causes.interactions if m.met_by(cue) is not None]
    until_s = min((m.t_s + RIVAL_S for m in met), default=math.inf)
    known = {b for m in met[:1] for b in m.balls} | {cue}
    rivals = {b: m for m in causes.rivals if m.t_s < until_s for b in m.balls if b not in known}
    led_to, out = span.led_to(joining, cue), []
    for ball, rival in rivals.items():
        first = replace(rival, t_s=min([rival.t_s, *(m.t_s - 1e-3 for m in met)]))
        meetings = tuple(sorted((first, *causes.interactions), key=lambda m: m.t_s))
        hit = met[0].met_by(cue) if met else None
        before = None if led_to is None or hit is None else led_to.leads_to(ball, hit)
        share = CUT_OFF / len(rivals) * (1.0 if before is None else before)
        out.append((share, (joining, naming, replace(causes, interactions=meetings))))
    return out


RIVAL_S = 0.05
"""What the cue-ball may have met so much later than its first contact may be what it met first: they fall
between the same two images, or the next."""


def _struck(span: _Span, joining: Joining, naming: Naming) -> tuple[int | None, str]:
    """The key and the name of the cue-ball's way: the one that begins where it lay, else of the balls that
    may be struck the one that set off first; no key where none of them is there.
    """
    named, lay = list(zip(joining.chains, naming.names, strict=True)), span.cue_mm
    for c, n in named:
        if lay is not None and n is not None and math.dist(span.way(c).place[:2], lay) < THERE_MM:
            return c.pieces[0], n
    ways = [(span.way(c).start_s, c.pieces[0], n) for c, n in named if n in span.kinds.struck]
    _, key, name = min(ways, key=lambda w: w[0], default=(0.0, None, None))
    return key, name or span.kinds.cue


THERE_MM = 15.0
"""A way begins with the ball that lay this near: less than a radius."""


def _colour(span: _Span, chain: Chain) -> F64:
    """(kinds,) log-likelihood of a chain's looks: the first piece's, and one for all that follow, which are
    alike.
    """
    looks = [span.joiner.colours[i] for i in chain.pieces]
    total: F64 = looks[0] + np.mean(looks[1:], axis=0) if len(looks) > 1 else looks[0]
    return total


def _explanation(span: _Span, weight: float, found: _Found) -> Explanation:
    """Times of endings and meetings are the recording's; ways have the clock that lost time has moved."""
    joining, naming, causes = found

    def shown_s(t_s: float) -> float:
        return t_s if span.lost is None else span.lost.shown_s(t_s)

    stories = tuple(
        Story(
            c.pieces[0],
            n or NAMELESS,
            c.begin == "placed",
            span.way(c),
            replace(c.end, t_s=shown_s(c.end.t_s)),
            span.later_look(c),
        )
        for c, n in zip(joining.chains, naming.names, strict=True)
    )
    meetings = tuple(replace(i, t_s=shown_s(i.t_s)) for i in causes.interactions)
    logs = (("detections", joining.logw), ("names", naming.logp), ("causes", causes.logp))
    cue, name = _struck(span, joining, naming)
    led_to = span.led_to(joining, cue)
    into = None if led_to is None else led_to.first
    over = _jumped(led_to, causes.interactions, cue, span.staying(joining))
    return Explanation(weight, stories, meetings, logs, name, into, span.lost, over)


def _jumped(
    led_to: Reach | None, meetings: Sequence[Interaction], cue: int | None, stay: Set[int]
) -> tuple[int, ...]:
    """The balls that stay, over which the cue-ball's way leads for certain before it meets its first."""
    if led_to is None:
        return ()
    first_s = _first_met_s(meetings, cue)
    return tuple(k for k in led_to.past if k in stay and led_to.when(k)[0] < first_s)
