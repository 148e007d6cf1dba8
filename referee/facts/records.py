"""What judging hands to the outputs: strokes as seen and as ruled, spotting checks, warnings, frames.

Standard library only; frozen values with tuples. They hold everything that `match.json` needs (see
DESIGN.md, "What a review writes"); unknown is None. Balls: `white yellow ... black`, `red_1` to
`red_15`. Times: `t_s` of the images' clock. Positions: table frame, mm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["certain", "call"]
HandType = Literal["respot", "in_hand", "replaced", "moved"]
FrameEnded = Literal["won", "conceded", "abandoned", "unfinished"]
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
class SeenCushion:
    ball: str
    cushion: str
    t_s: float | None


@dataclass(frozen=True, slots=True)
class SeenPot:
    """A ball that fell; `pocket` and `t_s` None when only its absence is known."""

    ball: str
    pocket: str | None
    t_s: float | None
    confidence: float


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
class SeenStroke:
    """A stroke as seen, independent of score and rules: what intake journals.

    `first_contact`: hypotheses, best first. `pots` holds object balls only. `sights`: geometry by ball
    on. `places`: due places of all colours that dropped. `in_d`: weight that a cue-ball played from in-hand
    lay in the D, None when it was not in-hand.
    `unseen`: a part of it fell into a span without usable images; `after` is what lay there behind it.
    `unmet`: weight, from the cue-ball's way alone, that it met no ball that was known to lie there.
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


Seen = SeenStroke | SeenHand | SeenGap | SeenLayout
"""What intake journals."""


@dataclass(frozen=True, slots=True)
class FoulRuled:
    """The foul with the highest penalty; `reason` is the rule enum's stable code."""

    clause: str | None
    penalty: int
    penalty_to: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of the facts, its weight, and what it would mean.

    `also`: what else this reading takes to be so. `otherwise`: the other rulings that the same facts allow
    while something else is open too; their facts are those that are then otherwise.
    """

    facts: tuple[tuple[str, str], ...]
    weight: float
    foul: FoulRuled | None
    miss: bool | None
    free_ball: bool
    points: int
    score: tuple[int, int]
    next_striker: str | None
    next_ball_on: str | None
    also: tuple[tuple[str, str], ...] = ()
    otherwise: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedStroke:
    """One element of `strokes` in `match.json`: what was seen (`seen`) and what the rules make of it.

    In practice (a layout that no frame can have) `striker`, `ball_on` and `miss` are None and nothing is
    ruled. `free_ball`: the stroke was played with one. `next_free_ball`: the next player has one.
    `words`: what a referee says. `due`: colours to spot as (ball, spot or None, x_mm, y_mm, clause).
    `remaining`: the points that the balls left can bring, None where no frame goes on.
    """

    n: int
    frame: int
    entry: int
    seen: SeenStroke
    striker: str | None
    ball_on: str | None
    nominated: str | None
    free_ball: bool
    foul: FoulRuled | None
    miss: bool | None
    points: int
    score: tuple[int, int]
    break_points: int
    options: tuple[str, ...]
    touching: tuple[str, ...]
    next_free_ball: bool
    next_striker: str | None
    next_ball_on: str | None
    words: tuple[str, ...]
    due: tuple[tuple[str, str | None, float, float, str], ...]
    verdict: Verdict
    question: str | None
    candidates: tuple[Candidate, ...]
    remaining: int | None = None


@dataclass(frozen=True, slots=True)
class SpottingCheck:
    """A colour put back: where it lies against where it was due. `ok` None: too uncertain to say.

    `due_mm`: the due place, `occupied_by`: the balls that keep the colour from its own spot. `reference`:
    whether it was compared with the spot's visible mark or with the place computed from the table's
    dimensions.
    """

    ball: str
    spot: str
    t_s: float
    dx_mm: float
    dy_mm: float
    offset_mm: float
    sigma_mm: float
    ok: bool | None
    due_mm: tuple[float, float] | None = None
    occupied_by: tuple[str, ...] = ()
    reference: Literal["mark", "computed"] = "computed"


@dataclass(frozen=True, slots=True)
class Warned:
    """Something that a reader of the review should know; `type` is a stable code.

    `end_s`: of a span in which no image could be used, which begins at `t_s`; None for anything else.
    """

    type: str
    t_s: float | None
    text: str
    end_s: float | None = None


@dataclass(frozen=True, slots=True)
class FrameRecord:
    """One frame; `first_stroke` None while none was played, `winner` None while it goes on.

    `ended`: how it ended, None while it goes on; unfinished: a new triangle was set.
    """

    n: int
    first_stroke: int | None
    score: tuple[int, int]
    winner: str | None
    ended: FrameEnded | None = None


@dataclass(frozen=True, slots=True)
class StartRecord:
    """The state at the beginning; `assumed`: nobody said so."""

    striker: str | None
    ball_on: str | None
    score: tuple[int, int]
    assumed: bool


Output = JudgedStroke | SeenHand | SpottingCheck | Warned
"""What `Referee.feed` returns, in order."""
