"""The tracker's own record of one ball. Internal and mutable: nothing here crosses the package border."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from calibration.table.pieces import SNOOKER, PieceSet
from tracker.detections.tentative import Tentative
from tracker.events import PlacedBall
from tracker.identity.evidence import Evidence, Looks
from tracker.params import COLOUR_FLOOR, MOST_EVIDENCE
from tracker.place import Point, Rest
from vision.observation import Observation

SURE = 0.5
"""Below this confidence an outline is cut by something and does not say where a ball at rest lies."""
FORGOTTEN, FORGOTTEN_FIRST, ALIKE_LOOKS = 0.2, 0.005, 5
"""Looks at a ball at rest are all alike: many say no more than five. A hundred at a red that is a little
like brown do not outweigh five at the brown.
"""
AGREED_LOOKS, AGREED_MARGIN = 4, 6.0
"""After so many clear looks at one place, and with its own colour ahead by so much, a ball is what it is
called.
"""
AGREEING = 2.0
"""Log-likelihood by which another colour may lead in one look that still agrees."""
LABEL_NATS = 12.0
"""For the name that one of two pieces alike is given at first: it is a label, and as good as the other."""
OTHER_LIGHT = 0.02
"""What a look that contradicts such a ball counts: it has not moved, so an arm, its shadow or a lamp has
changed.
"""
CUT_SURE = 0.75
"""So much of its usual confidence an outline has that nothing cuts (a cue on the ball takes 40 % and more of
it).
"""
CREEP_S = 0.35
"""Images so long before a ball was seen to leave are looked at again: a grazed ball creeps inside the noise.
"""
NO_PIECE_AT, PIECE_NATS, MOST_CLUTTER_NATS = 0.755, 24.0, 4.1
"""Log-likelihood of a piece against clutter by how surely it is seen: 0 at 0.755, 24 a unit, -4.1 at least.
Of 423 rests in the open 1 was seen less surely than 0.6 on average, of 351 false runs at arms and pockets
267 (the tracks tier's error model).
"""
SURELY_A_PIECE = 0.8
"""Seen this surely once it is no clutter: of 351 false runs 2 were."""
SUREST = 0.9999
"""No name is surer."""


class BallState(Enum):
    REST = "rest"
    LEFT = "left"  # its place: where it is and was, its span's explanations say
    GONE = "gone"  # its track has ended; `fate` says how, "unknown" also where it may lie hidden


Fate = Literal["unknown", "potted", "off", "lifted"]


@dataclass(slots=True)
class Leg:
    """One motion from rest to rest, or to where the ball was last seen."""

    x0_mm: float
    y0_mm: float
    sigma0_mm: float
    t_rest_s: float
    points: list[Point] = field(default_factory=list)
    head: list[Point] = field(default_factory=list)
    """The last images at rest: a grazed ball creeps inside the noise before it is seen to have left."""
    end: tuple[float, float, float] | None = None  # x, y, sigma of the rest that follows
    t_end_s: float | None = None  # latest time at which it can have come to rest
    opened_s: float = -math.inf  # the image in which it was found to have begun
    exact_start: bool = True  # t_rest_s is an image in which the ball still lay at its place


def piece_nats(sure: float) -> float:
    """Log-likelihood of a piece against something else, of what is seen with this confidence at rest."""
    return max(PIECE_NATS * (sure - NO_PIECE_AT), -MOST_CLUTTER_NATS)


@dataclass(slots=True)
class Ball:
    """One physical ball (or disc) with its identity, whatever it does. `colour`: its kind in `pieces`."""

    name: str
    colour: str
    rest: Rest
    pieces: PieceSet = SNOOKER
    logp: list[float] = field(default_factory=list)  # of each kind of `pieces`; none: nothing is known yet
    by_place: list[float] = field(default_factory=list)
    """Nats for each kind by where it lay first, or a hand put it (`vision.detect.naming.place_nats`)."""
    looks: int = 0
    state: BallState = BallState.REST
    track: Tentative | None = None  # that told of its leaving; where it seems to be until it is known
    legs: list[Leg] = field(default_factory=list)
    seen_s: float = 0.0  # last time seen (or lying in cells that were not looked at)
    shifted: list[Point] = field(default_factory=list)  # last looks at it, all a little beside its place
    missed: int = 0  # looks in uncovered cells without it, in a row
    missed_since_s: float = 0.0
    sure: float = 0.8  # running mean of its observations' confidence
    covered: bool = False
    covered_s: float = -1e9  # last time a cover hid it
    fate: Fate = "unknown"  # how it went, while GONE
    may_lie: float = 0.0  # probability that one that was lifted lies where it lay, and is hidden
    before: Rest | None = None  # the place at the beginning of the span
    taken_from: tuple[float, float] | None = None  # where it lay when a hand seemed to move it, mm
    row_since_s: float = 0.0  # time of the row still owed for the beginning of this rest
    row_owed: bool = True
    evidence: Evidence | None = None  # of its kind, from all looks
    told: str = ""  # its name when a stroke was last told

    def __post_init__(self) -> None:
        if not self.logp:
            self.logp = [0.0] * len(self.pieces.kinds)
        if not self.by_place:
            self.by_place = [0.0] * len(self.pieces.kinds)

    @property
    def known_logp(self) -> list[float]:
        """Log-likelihood of each kind by looks and place."""
        return [look + place for look, place in zip(self.logp, self.by_place, strict=True)]

    @property
    def independent_logp(self) -> list[float]:
        """The same, the looks of one rest or one way being worth little more than one of them."""
        looks = self.logp if self.evidence is None else self.evidence.logp()
        return [look + place for look, place in zip(looks, self.by_place, strict=True)]

    @property
    def is_cue(self) -> bool:
        """Whether a cue (or finger) strikes it."""
        return self.colour in self.pieces.struck

    @property
    def is_alike(self) -> bool:
        """Whether the set has others of its kind, which only their places tell apart."""
        return self.colour in self.pieces.alike

    @property
    def stays_down(self) -> bool:
        """Whether nobody puts it back once it has fallen."""
        return self.colour in self.pieces.stay_down

    @property
    def own(self) -> int:
        """Where its kind stands among the kinds."""
        return self.pieces.index[self.colour]

    @property
    def place(self) -> tuple[float, float]:
        """Where it lies, or seems to have come since it left its place, mm."""
        if self.state is not BallState.REST and self.track is not None:
            return self.track.points[-1].x_mm, self.track.points[-1].y_mm
        return self.rest.x_mm, self.rest.y_mm

    def way_mm(self, until_s: float = math.inf) -> list[tuple[float, float]]:
        """Where it lay before its first leg, and where it was seen on its legs up to a time."""
        first = self.legs[0]
        seen = [(p.x_mm, p.y_mm) for leg in self.legs for p in leg.points if p.t_s <= until_s]
        return [(first.x0_mm, first.y0_mm), *seen]

    def set_off(self, t_s: float) -> None:
        """The ball is found, in the image of a time, to have left its place: remember that and open a leg."""
        if self.before is None:
            self.before = self.rest
        leg = Leg(self.rest.x_mm, self.rest.y_mm, self.rest.sigma_mm, self.seen_s, opened_s=t_s)
        leg.exact_start = self.missed == 0 and not self.covered
        recent = [r for r in self.rest.recent if r[0] > self.seen_s - CREEP_S]
        if leg.exact_start and len(recent) >= 3:
            leg.head = [Point(-1, t, x, y, s) for t, x, y, s in recent]
        self.legs.append(leg)
        self.state, self.track, self.shifted = BallState.LEFT, None, []

    def leave_on(self, track: Tentative, t_s: float) -> None:
        """The ball is found, in the image of a time, to have left its place on a track."""
        track.comes_from(self.seen_s, self.rest)
        self.set_off(t_s)
        self.track = track

    def stays(self) -> None:
        """It has not left its place after all: its last leg was of something else."""
        self.legs.pop()
        self.state, self.track, self.missed = BallState.REST, None, 0
        if not self.legs:
            self.before = None

    def learn(self, obs: Observation, weight: float = 1.0) -> None:
        """Add one observation's colour evidence, bounded, with slow forgetting."""
        top = max(obs.colour_logp)
        agrees = top - obs.colour_logp[self.own] < AGREEING
        still = self.state is BallState.REST
        if still and not agrees and self._known_here():
            weight *= OTHER_LIGHT
        look = [max(lp - top, -COLOUR_FLOOR) for lp in obs.colour_logp]
        if self.evidence is None:
            self.evidence = Evidence.none(len(look))
            if self.colour in self.pieces.twins:
                self.evidence.before[self.own] += LABEL_NATS
        if still:
            self.evidence.lying(look, weight, self.rest.since_s)
        else:
            self.evidence.moving(look, weight)
        if self.pieces.alike:
            self._learn_colour(look, weight, still and self.rest.looks >= ALIKE_LOOKS)
        self.read_evidence()
        self.looks += 1
        self.rest.looks += still
        self.rest.agreed += agrees and still and not self.doubts(obs)

    def learn_on_its_way(self, look: Sequence[float], weight: float) -> None:
        """Add what was seen of it where it was not followed."""
        if self.evidence is not None:
            self.evidence.moving(look, weight)
            self.read_evidence()

    def learn_where_it_lies(self, look: Sequence[float], weight: float) -> None:
        """Add what was seen of it where it came to rest before it was known to be this ball."""
        if self.evidence is not None:
            self.evidence.lying(look, weight, self.rest.since_s)
            self.read_evidence()

    def read_evidence(self) -> None:
        """What it looks like is what its evidence says; of a set with alike pieces, what was seen of late."""
        if self.evidence is not None and not self.pieces.alike:
            self.logp = self.evidence.logp()

    def _learn_colour(self, look: list[float], weight: float, many: bool) -> None:
        """Add a look to what was seen of late; it can always outweigh what was seen before."""
        keep = 1.0 - (FORGOTTEN * weight if many else FORGOTTEN_FIRST)
        self.logp = [v * keep + weight * lp for v, lp in zip(self.logp, look, strict=True)]
        best = max(self.logp)
        if best - min(self.logp) > MOST_EVIDENCE:
            self.logp = [max(v - best, -MOST_EVIDENCE) for v in self.logp]

    def take_identity(self, logp: Sequence[float], looks: int, prior_nats: float = 0.0) -> None:
        """What is known of its kind is what was seen of a thing in so many looks; `prior_nats`: by how much
        more it is this piece than another, for all that is known beside its looks.
        """
        seen = Looks(list(logp), float(max(looks, 1)))
        self.evidence = Evidence.none(len(seen.total))
        self.evidence.rest, self.evidence.since_s = seen, self.rest.since_s
        self.logp = list(logp)
        self.read_evidence()
        self.expect(prior_nats)

    def expect(self, nats: float) -> None:
        """Take something beside its looks for its name: what it does, or how it came here. It speaks for one
        of two pieces alike as much as for the other: which is which, the one that still lies there knows.
        """
        if self.evidence is None:
            return
        alike = self.pieces.twins if self.colour in self.pieces.twins else (self.colour,)
        for kind in alike:
            self.evidence.before[self.pieces.index[kind]] += nats
        if self.pieces.alike:
            self.logp[self.own] += nats
        self.read_evidence()

    def _known_here(self) -> bool:
        """Whether clear looks at this place have settled what the ball is."""
        if self.rest.agreed < AGREED_LOOKS:
            return False
        own = self.own
        return self.logp[own] - max(v for i, v in enumerate(self.logp) if i != own) >= AGREED_MARGIN

    def doubts(self, obs: Observation) -> bool:
        """Something cuts this outline: it is far less sure than the ball's outline was so far."""
        return obs.confidence < max(SURE, CUT_SURE * self.sure)

    def trust(self, obs: Observation) -> None:
        """Learn how sure this ball's outline is; slowly from one that a cue cuts while the ball lies
        still.
        """
        cut = self.state is BallState.REST and self.doubts(obs)
        self.sure += (0.02 if cut else 0.4) * (obs.confidence - self.sure)

    def placed(self, named: float) -> PlacedBall:
        """The ball at rest; `named`: probability of its name."""
        r, p = self.rest, named
        if self.missed >= 2 or self.covered:
            p *= 0.9
        return PlacedBall(self.name, self.colour, r.x_mm, r.y_mm, r.place_sigma_mm, min(p, SUREST), r.there)
