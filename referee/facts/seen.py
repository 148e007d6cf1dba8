"""The camera's record of a match, in the rules' vocabulary and independent of score and rules.

Standard library only; frozen values with tuples. These are the journal's entries of what was seen. Unknown is
None. Balls: `white yellow ... black`, `red_1` to `red_15`. Times: `t_s` of the images' clock, in seconds.
Positions: table frame, in mm.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

HandType = Literal["respot", "in_hand", "replaced", "moved"]
CueBallState = Literal["on_table", "pocketed", "off_table"]


@dataclass(frozen=True, slots=True)
class SeenBall:
    """A ball at rest; `colour` is its class (`red` for every red), `sigma_mm` one sigma per axis."""

    ball: str
    colour: str
    x_mm: float
    y_mm: float
    sigma_mm: float
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenPossibleBall:
    """What lies on the table and was taken for no ball. `probability`: that it is one after all."""

    x_mm: float
    y_mm: float
    probability: float


@dataclass(frozen=True, slots=True)
class SeenFirstContact:
    """A hypothesis for the first contact; `ball` None: no ball was hit."""

    ball: str | None
    t_s: float | None
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenContact:
    balls: tuple[str, str]
    t_s: float | None
    confidence: float


@dataclass(frozen=True, slots=True)
class SeenTurn:
    """Where a ball's centre turned at a cushion, in the calibration's frame: `off_mm` short of touching the
    face as calibrated (negative: beyond it), one sigma `sigma_mm`, the slant's share included.

    `into_mm_s`: how fast it came across the face. `table_mm`: one sigma of that place by calibration, as
    stated.
    """

    x_mm: float
    y_mm: float
    off_mm: float
    sigma_mm: float
    into_mm_s: float
    table_mm: float


@dataclass(frozen=True, slots=True)
class SeenCushion:
    """A ball met a cushion. `y_mm`: how far up the table, `y_sigma_mm` its sigma; None where not known,
    and in records of older code. `confidence`: that it met this one about then. `turn`: None where too few
    looks tell, and in records of older code.
    """

    ball: str
    cushion: str
    t_s: float | None
    y_mm: float | None = None
    y_sigma_mm: float | None = None
    confidence: float = 1.0
    turn: SeenTurn | None = None


@dataclass(frozen=True, slots=True)
class SeenReached:
    """Between which places along the table a ball's centre was seen in a stroke, mm."""

    ball: str
    low_y_mm: float
    high_y_mm: float


@dataclass(frozen=True, slots=True)
class SeenPot:
    """A ball that fell; `pocket` and `t_s` None when only its absence is known. `confidence`: that it fell;
    `pocket_confidence`: that it was this pocket if it did and the table's ends are as calibrated.
    `lies_later`: its ball lies on the table in a later layout, and no hand was seen to put it there: only a
    person answers what follows contradicts.
    """

    ball: str
    pocket: str | None
    t_s: float | None
    confidence: float
    pocket_confidence: float = 1.0
    lies_later: bool = False

    @property
    def order(self) -> tuple[bool, float]:
        """Sorts pots by time, those of unknown time last."""
        return (self.t_s is None, self.t_s or 0.0)


@dataclass(frozen=True, slots=True)
class SeenTouching:
    """The cue-ball and `ball` at rest: `gap_mm` between their surfaces."""

    ball: str
    gap_mm: float
    sigma_mm: float


@dataclass(frozen=True, slots=True)
class LineOfSight:
    """What geometry says when `ball_on` is on (`red`, a colour or `any_colour`); weights are of yes.

    `snookered`, `effective`: of the position after the stroke, dropped colours spotted (snooker 2.17);
    None where there is no such ball. `clear_path`, `full_ball`: before the stroke (snooker 3.14).
    """

    ball_on: str
    snookered: float | None
    effective: tuple[str, ...]
    clear_path: float | None
    full_ball: float | None


@dataclass(frozen=True, slots=True)
class DuePlace:
    """Where a colour is due (snooker 3.7). `spot`: the spot's colour, None beside a spot."""

    ball: str
    spot: str | None
    x_mm: float
    y_mm: float
    clause: str
    certainty: float


@dataclass(frozen=True, slots=True)
class SeenExplanation:
    """One explanation of a stroke as a whole, with its weight. `pots`: (ball, pocket, t_s), the cue-ball too;
    None where only what followed says that it fell.

    `first_contact` None: no ball was hit. Where `first_known` is False it is the ball that sets off first
    though nothing in the explanation strikes it. `gone`: balls that left in another way. `nats`: by how much
    each part of its log-weight is better than that of the heaviest explanation. `over`: balls that stay, over
    which the cue-ball's way leads before it meets its first; empty in records of older code.
    `may_have_met`: where it does not know what the cue-ball met first, which balls that may have been (None
    for none), with shares that sum to one; empty where it knows, and in records of older code.
    """

    weight: float
    first_contact: str | None
    first_known: bool
    first_t_s: float | None
    pots: tuple[tuple[str, str | None, float | None], ...]
    cue_ball: Literal["on_table", "pocketed", "off_table", "unknown"]
    gone: tuple[str, ...]
    nats: tuple[tuple[str, float], ...]
    over: tuple[str, ...] = ()
    may_have_met: tuple[tuple[str | None, float], ...] = ()

    @property
    def met_first(self) -> tuple[tuple[str | None, float], ...]:
        """What the cue-ball met first in it, None for none, with shares that sum to one."""
        if self.first_known or self.first_contact is None or self.may_have_met:
            return self.may_have_met or ((self.first_contact, 1.0),)
        return (self.first_contact, 0.5), (None, 0.5)


@dataclass(frozen=True, slots=True)
class SeenNaming:
    """One way in which balls may have other names than they were told by, with its weight.

    `names`: pairs of a name as told and the name under this naming.
    """

    weight: float
    names: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SeenStroke:
    """A stroke as seen, independent of score and rules: what intake journals.

    `first_contact`: hypotheses, best first. `pots` holds object balls only. `sights`: geometry by ball
    on. `places`: due places of all colours that dropped. `in_d`: weight that a cue-ball played from in-hand
    lay in the D, None when it was not in-hand.
    `unseen`: a part of it fell into a span without usable images; `after` is what lay there behind it.
    `cue_ball_confidence`: weight of its fate; else it lies on the table, or fell if it is said to lie there.
    `unmet`: weight, from the cue-ball's way alone, that it met no ball that was known to lie there.
    `cue_doubtful`: its cue-ball looks like another ball and has its name for its motion only, or it passed
    what may be a ball and has no name, or nothing explains the stroke.
    `explanations`: of the stroke as a whole, heaviest first; what they lack to one was not looked at.
    `namings`: what the balls may be called, heaviest first, weights summing to 1; empty without a doubt.
    `renamed`: names told up to the stroke before, and what these balls are called from here on.
    `possible`: what lay there besides `after` and may be a ball. `reached`: of each ball that moved how
    far it went along the table; empty in records of older code. `struck_again_s`: when the next stroke was
    played before all lay still, which is part of this one. `under_way`: probability that
    it had begun before the recording's first image. `other_end`: probability that the table's ends are the
    other way round, so that every pocket is the one opposite by half a turn.
    """

    start_s: float
    end_s: float
    before: tuple[SeenBall, ...]
    after: tuple[SeenBall, ...]
    first_contact: tuple[SeenFirstContact, ...]
    contacts: tuple[SeenContact, ...]
    cushions: tuple[SeenCushion, ...]
    pots: tuple[SeenPot, ...]
    cue_ball: CueBallState
    cue_ball_pocket: str | None
    off_table: tuple[str, ...]
    vanished: tuple[str, ...]
    touching: tuple[SeenTouching, ...]
    sights: tuple[LineOfSight, ...]
    places: tuple[DuePlace, ...]
    in_d: float | None
    gap_before: bool
    unseen: bool = False
    unmet: float = 0.0
    cue_doubtful: bool = False
    explanations: tuple[SeenExplanation, ...] = ()
    namings: tuple[SeenNaming, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    cue_ball_confidence: float = 1.0
    possible: tuple[SeenPossibleBall, ...] = ()
    reached: tuple[SeenReached, ...] = ()
    struck_again_s: float | None = None
    under_way: float = 0.0
    other_end: float = 0.0

    @property
    def met(self) -> tuple[SeenContact, ...]:
        """The contacts that are likelier than not."""
        return tuple(c for c in self.contacts if c.confidence > 0.5)

    @property
    def cue_ball_fates(self) -> tuple[tuple[CueBallState, float], ...]:
        """What may have become of the cue-ball, with weights that sum to one."""
        other: CueBallState = "pocketed" if self.cue_ball == "on_table" else "on_table"
        return (self.cue_ball, self.cue_ball_confidence), (other, 1.0 - self.cue_ball_confidence)

    @property
    def gone_unseen(self) -> tuple[str, ...]:
        """Balls that do not lie there afterwards, and that were not seen to fall."""
        fell = {p.ball for p in self.pots}
        return tuple(b for b in self.vanished if b not in fell)

    def pocket_share(self, pot: SeenPot) -> float:
        """Probability that a ball, if it fell, fell into its pocket: no surer than the table's ends."""
        return pot.pocket_confidence if pot.pocket is None else pot.pocket_confidence * (1.0 - self.other_end)

    def with_pocket(self, pot: SeenPot) -> float:
        """Probability that a ball fell, and into its pocket."""
        return pot.confidence * self.pocket_share(pot)

    def explained_fall(self, ball: str) -> SeenPot | None:
        """A ball's fall with the weight of all explanations in which it falls, and the time (s) of the
        heaviest, as its pocket is; None where it falls in none.
        """
        falls = [(e.weight, p) for e in self.explanations for p in e.pots if p[0] == ball]
        if not falls:
            return None
        _, pocket, t_s = falls[0][1]
        fell = sum(w for w, _ in falls)
        there = sum(w for w, (_, into, _) in falls if into == pocket)
        return SeenPot(ball, pocket, t_s, fell, there / fell)


def told_stroke(
    span_s: tuple[float, float],
    first_contact: str | None,
    pots: Iterable[tuple[str, str | None]],
    cue_ball: CueBallState,
    off_table: Iterable[str],
    before: tuple[SeenBall, ...] = (),
    after: tuple[SeenBall, ...] = (),
    gap_before: bool = False,
) -> SeenStroke:
    """A stroke that a person tells, with its certain facts and nothing else. `pots`: balls and pockets."""
    return SeenStroke(
        *span_s,
        before,
        after,
        first_contact=(SeenFirstContact(first_contact, None, 1.0),),
        contacts=(),
        cushions=(),
        pots=tuple(SeenPot(ball, pocket, None, 1.0) for ball, pocket in pots),
        cue_ball=cue_ball,
        cue_ball_pocket=None,
        off_table=tuple(off_table),
        vanished=(),
        touching=(),
        sights=(),
        places=(),
        in_d=None,
        gap_before=gap_before,
    )


@dataclass(frozen=True, slots=True)
class SeenHand:
    """A hand placed, moved or removed a ball between strokes.

    `own_sigma_mm`: of `to_mm`, without calibration's share; `mark_mm` (x, y, sigma): the spot's visible mark
    there.
    """

    type: HandType
    ball: str
    from_mm: tuple[float, float] | None
    to_mm: tuple[float, float, float] | None
    t_s: float
    own_sigma_mm: float | None = None
    mark_mm: tuple[float, float, float] | None = None

    @property
    def far_mm(self) -> float | None:
        """How far it moved the ball; None where one of its places is unknown."""
        return None if self.from_mm is None or self.to_mm is None else math.dist(self.from_mm, self.to_mm[:2])


@dataclass(frozen=True, slots=True)
class SeenGap:
    """A span in which the balls could not be followed; `reason` is the tracker's code."""

    start_s: float
    end_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class SeenLayout:
    """The balls were set anew: a rack, or a position that no stroke or hand explains."""

    t_s: float
    layout: tuple[SeenBall, ...]
    rack: bool


@dataclass(frozen=True, slots=True)
class SeenCushionOff:
    """Balls turn at a cushion `off_mm` short of where the calibration has it (negative: beyond it), one sigma
    `sigma_mm`, further than it states. `bounces`: so many tell it.
    """

    t_s: float
    cushion: str
    off_mm: float
    sigma_mm: float
    bounces: int


Seen = SeenStroke | SeenHand | SeenGap | SeenLayout | SeenCushionOff
"""What intake journals."""
