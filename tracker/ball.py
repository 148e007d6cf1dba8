"""The tracker's own record of one ball. Internal and mutable: nothing here crosses the package border."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Literal

from calibration.table.pieces import SNOOKER, PieceSet
from tracker.association.motion import Motion
from tracker.events import PlacedBall
from tracker.identity.evidence import Evidence, Looks
from tracker.params import BIASED_PART, COLOUR_FLOOR, MOST_EVIDENCE, OTHER_LIGHT_PART
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
CLUTTER_ONCE_IN = 50.0
"""Of so many balls that did what nothing predicted one is a thing taken for it. Assumed."""
NO_PIECE_AT, PIECE_NATS, MOST_CLUTTER_NATS = 0.755, 24.0, 4.1
"""Log-likelihood of a piece against clutter by how surely it is seen: 0 at 0.755, 24 a unit, -4.1 at least.
Of 423 rests in the open 1 was seen less surely than 0.6 on average, of 351 false runs at arms and pockets
267 (the tracks tier's error model).
"""
SURELY_A_PIECE = 0.8
"""Seen this surely once it is no clutter: of 351 false runs 2 were."""
SUREST = 0.9999
"""No name is surer."""
MOST_LOOKS = 400
"""So many looks at a place at rest are remembered."""
SHADED_LOOKS = 8
"""So many looks in shade, one after the other, say together that a ball was nudged."""


class BallState(Enum):
    REST = "rest"
    MOVING = "moving"
    LOST = "lost"  # moved or was struck and is not seen: pocket, cover or drop-out, decided at the close
    GONE = "gone"  # its track has ended; `fate` says how, "unknown" also where it may lie hidden


Fate = Literal["unknown", "potted", "off", "lifted"]


@dataclass(slots=True)
class Point:
    """One place of a ball in one image (or an anchor: known to lie at rest at that time)."""

    index: int
    t_s: float
    x_mm: float
    y_mm: float
    sigma_mm: float
    near_cover: bool = False
    anchor: bool = False


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


@dataclass(slots=True)
class Rest:
    """Average of a place at rest; sigmas shrink only in their independent part."""

    x_mm: float = 0.0
    y_mm: float = 0.0
    weight: float = 0.0
    n: int = 0
    best_sigma_mm: float = 10.0
    since_s: float = 0.0
    recent: deque[tuple[float, float, float, float]] = field(default_factory=lambda: deque(maxlen=8))
    sigma_mm: float = 10.0
    """By how much a later look here may differ, one sigma per axis, kept up to date by `add`."""
    looks: int = 0  # at its colour here
    agreed: int = 0  # clear ones in which the ball looked like its name
    unshaded: int = 0  # looks at the whole still table in which nobody stood at it
    in_shade: deque[tuple[float, float, float, float]] = field(
        default_factory=lambda: deque(maxlen=SHADED_LOOKS)
    )
    """The looks since the last unshaded one, t, x, y, sigma: of no worth for the place itself."""

    def add(self, t_s: float, x_mm: float, y_mm: float, sigma_mm: float) -> None:
        s = max(sigma_mm, 0.02)
        w = 1.0 / (s * s)
        keep = min(self.weight, MOST_LOOKS * w)  # a bounded memory: the camera may creep
        self.x_mm = (self.x_mm * keep + x_mm * w) / (keep + w)
        self.y_mm = (self.y_mm * keep + y_mm * w) / (keep + w)
        self.weight = keep + w
        self.n += 1
        self.best_sigma_mm = min(self.best_sigma_mm, s)
        self.recent.append((t_s, x_mm, y_mm, s))
        self.in_shade.clear()
        independent = (1 - OTHER_LIGHT_PART**2) / self.weight
        self.sigma_mm = math.sqrt(independent + (OTHER_LIGHT_PART * self.best_sigma_mm) ** 2)

    @property
    def place_sigma_mm(self) -> float:
        """One sigma of where the ball lies, per axis: what all looks share does not average out."""
        shared = BIASED_PART**2 * min(self.n, MOST_LOOKS)
        return math.sqrt((1 - BIASED_PART**2 + shared) / self.weight) if self.weight else self.sigma_mm

    def left(self, n: int) -> bool:
        """Whether the last `n` observations lie together, further off than noise explains: 5 sigma and 1
        mm.
        """
        if len(self.recent) < n or self.n < n + 2:
            return False
        last = list(self.recent)[-n:]
        x = sum(p[1] for p in last) / n
        y = sum(p[2] for p in last) / n
        sigma = math.sqrt(sum(p[3] ** 2 for p in last)) / n
        d = math.hypot(x - self.x_mm, y - self.y_mm)
        spread = max(math.hypot(p[1] - x, p[2] - y) for p in last)
        return d >= max(1.0, 5 * math.hypot(sigma, self.sigma_mm)) and spread <= max(8 * sigma, 0.8 * d)

    def left_in_shade(self, least_mm: float) -> bool:
        """Whether the last looks, all in shade, together lie further off than that."""
        if len(self.in_shade) < SHADED_LOOKS:
            return False
        x, y = (sum(p[k] for p in self.in_shade) / SHADED_LOOKS for k in (1, 2))
        return math.hypot(x - self.x_mm, y - self.y_mm) > least_mm


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
    motion: Motion | None = None
    legs: list[Leg] = field(default_factory=list)
    trail: deque[Point] = field(default_factory=lambda: deque(maxlen=64))
    seen_s: float = 0.0  # last time seen (or lying in cells that were not looked at)
    missed: int = 0  # looks in uncovered cells without it, in a row
    missed_since_s: float = 0.0
    sure: float = 0.8  # running mean of its observations' confidence
    hopped_s: float | None = None  # since when found by chance elsewhere, never surely: it may be no piece
    before_hop: Motion | None = None  # its motion until then
    peak_mm_s: float = 0.0  # greatest speed of late, and when
    peak_s: float = -1e9
    covered: bool = False
    covered_s: float = -1e9  # last time a cover hid it
    fate: Fate = "unknown"  # how it went, while GONE
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
        """Last known place, mm."""
        if self.state is not BallState.REST and self.motion is not None:
            return self.motion.x_mm, self.motion.y_mm
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
        self.state = BallState.MOVING

    def stays(self) -> None:
        """It has not left its place after all: its last leg was of something else."""
        self.legs.pop()
        self.state, self.motion, self.missed = BallState.REST, None, 0
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
        if still:
            self.evidence.lying(look, weight, self.rest.since_s)
        else:
            self.evidence.moving(look, weight)
        if self.pieces.alike:
            self._learn_colour(look, weight, still and self.rest.looks >= ALIKE_LOOKS)
        else:
            self.logp = self.evidence.logp()
        self.looks += 1
        self.rest.looks += still
        self.rest.agreed += agrees and still and not self.doubts(obs)

    def learn_on_its_way(self, look: Sequence[float], weight: float) -> None:
        """Add what was seen of it where it was not followed."""
        if self.evidence is not None:
            self.evidence.moving(look, weight)
            self.logp = self.logp if self.pieces.alike else self.evidence.logp()

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
        self.logp = list(logp) if self.pieces.alike else self.evidence.logp()
        self.expect(prior_nats)

    def expect(self, nats: float) -> None:
        """Take something beside its looks for its name: what it does, or how it came here."""
        if self.evidence is None:
            return
        self.evidence.before[self.own] += nats
        if self.pieces.alike:
            self.logp[self.own] += nats
        else:
            self.logp = self.evidence.logp()

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
        if obs.confidence >= SURELY_A_PIECE:
            self.hopped_s = None

    @property
    def piece_probability(self) -> float:
        """That there is a piece at all where the ball lies: doubted after a hop that nothing predicted."""
        if self.hopped_s is None:
            return 1.0
        return 1.0 / (1.0 + math.exp(-piece_nats(self.sure)) / CLUTTER_ONCE_IN)

    def placed(self, named: float) -> PlacedBall:
        """The ball at rest; `named`: probability of its name."""
        r, p = self.rest, named * self.piece_probability
        if self.missed >= 2 or self.covered:
            p *= 0.9
        return PlacedBall(self.name, self.colour, r.x_mm, r.y_mm, r.place_sigma_mm, min(p, SUREST))
