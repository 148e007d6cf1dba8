"""The rules' record of a match: judged strokes, spotting checks, warnings and frames.

Standard library only; frozen values with tuples. Together with what was seen they hold everything that
`match.json` needs (`docs/architecture.md`). Unknown is None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from referee.facts.seen import SeenHand, SeenStroke

Verdict = Literal["certain", "call"]
FrameEnded = Literal["won", "conceded", "abandoned", "unfinished"]


@dataclass(frozen=True, slots=True)
class FoulRuled:
    """The foul with the highest penalty (points); `reason` is the rule enum's stable code."""

    clause: str | None
    penalty: int | None
    penalty_to: str | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of the facts, its weight, and what it would mean.

    `also`: what else this reading takes to be so. `otherwise`: the other rulings that the same facts allow
    while something else is open too; their facts are those that are then otherwise. `values`: of the
    ruling, as canonical JSON, of a game that has them.
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
    values: str | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence of a question: a text of `[questions]` by its key, and what fills it in, by field.

    `name` and `next` are sides, `ball`, `balls`, `on` and `next_on` balls; other values stand as they are.
    """

    text: str
    values: tuple[tuple[str, str], ...] = ()


def asks(text: str, **values: str) -> Asked:
    """A sentence of a question with its values."""
    return Asked(text, tuple(values.items()))


@dataclass(frozen=True, slots=True)
class JudgedStroke:
    """One element of `strokes` in `match.json`: what was seen (`seen`) and what the rules make of it.

    Without further values nothing is ruled, as in practice (a layout that no frame can have). `free_ball`:
    the stroke was played with one. `next_free_ball`: the next player has one. `question`: what a person is
    asked, in English; `asked`: the same as texts, for other languages. `words`: what a referee says.
    `due`: colours to spot as (ball, spot or None, x_mm, y_mm, clause).
    `remaining`: the points that the balls left can bring, None where no frame goes on. `answered`: the weight
    with which what followed answered a question about the stroke; None where it had none, or a person did.
    `state_hangs_on`: the stroke on whose question it hangs what stands after this one (score, pieces), though
    its ruling does not; None where nothing of it does.
    """

    n: int
    frame: int
    entry: int
    seen: SeenStroke
    striker: str | None = None
    ball_on: str | None = None
    nominated: str | None = None
    free_ball: bool = False
    foul: FoulRuled | None = None
    miss: bool | None = None
    points: int = 0
    score: tuple[int, int] = (0, 0)
    break_points: int = 0
    options: tuple[str, ...] = ()
    touching: tuple[str, ...] = ()
    next_free_ball: bool = False
    next_striker: str | None = None
    next_ball_on: str | None = None
    words: tuple[str, ...] = ()
    due: tuple[tuple[str, str | None, float, float, str], ...] = ()
    verdict: Verdict = "certain"
    question: str | None = None
    candidates: tuple[Candidate, ...] = ()
    remaining: int | None = None
    asked: tuple[Asked, ...] = ()
    answered: float | None = None
    state_hangs_on: int | None = None

    @property
    def stands(self) -> object:
        """What stands after the stroke, as it is shown."""
        return self.score

    @property
    def of_ruling(self) -> str | None:
        """The ruling's values as canonical JSON, of a game that has them."""
        return None


@dataclass(frozen=True, slots=True)
class SpottingCheck:
    """A colour put back: where it lies against where it was due. `ok` None: too uncertain to say.

    `due_mm`: the due place, `occupied_by`: the balls that keep the colour from its own spot. `reference`:
    what it was compared with: where the ball stood before, the spot's visible mark, or the place computed
    from the table's dimensions.
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
    reference: Literal["before", "mark", "computed"] = "computed"


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


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person last said of the stroke of a journal entry. `at`: UTC, as the journal has it.

    `unknown`: the person was asked and does not know; the question stays open.
    """

    entry: int
    who: str
    at: str
    unknown: bool = False


Output = JudgedStroke | SeenHand | SpottingCheck | Warned
"""What `Referee.feed` returns, in order."""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """Everything judged so far, in order: what `match.json` says beside game, video and calibration."""

    players: tuple[str, str] = ("A", "B")
    start: StartRecord = StartRecord(None, None, (0, 0), True)
    frames: tuple[FrameRecord, ...] = ()
    strokes: tuple[JudgedStroke, ...] = ()
    hands: tuple[SeenHand, ...] = ()
    spotting: tuple[SpottingCheck, ...] = ()
    warnings: tuple[Warned, ...] = ()
    score: tuple[int, int] = (0, 0)
    decisions: tuple[Decision, ...] = ()
