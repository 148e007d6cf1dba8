"""Where the fold over the record stands, and what holds for the whole of it."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from typing import Self

from calibration.table.specs import TableSpec
from referee.facts.calls import AgreedRules, Call, FramesBefore, OfWholeMatch, Players, Start
from referee.facts.corrections import Correction, in_force
from referee.facts.judged import FrameEnded, FrameRecord, JudgedStroke, Output, StartRecord
from referee.facts.seen import SeenHand
from referee.match.spotting import Stood
from referee.match.weighing import foul_share
from referee.rules.snooker import Miss, Options, State
from referee.rules.snooker.facts import Placement, StrokeFacts


def said_at(call: Call) -> float:
    """When a call was made; names, earlier frames and agreed rules hold from before the beginning."""
    return -math.inf if isinstance(call, OfWholeMatch) else call.t_s


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for the whole record; `corrections` in the order in which they were made.

    `game`: whose fold it is (six-red is snooker with other options).
    """

    table: TableSpec
    start: Start = field(default_factory=Start)
    options: Options = field(default_factory=Options)
    calls: tuple[Call, ...] = ()
    corrections: tuple[Correction, ...] = ()
    game: str = "snooker"

    def __post_init__(self) -> None:
        object.__setattr__(self, "calls", tuple(sorted(self.calls, key=said_at)))

    def called(self, since_s: float, until_s: float) -> tuple[Call, ...]:
        """Calls after `since_s`, up to and including `until_s`."""
        first = bisect_right(self.calls, since_s, key=said_at)
        return self.calls[first : bisect_right(self.calls, until_s, key=said_at)]

    def correction(self, entry: int) -> Correction | None:
        """The correction in force for an entry."""
        return in_force(self.corrections, entry)

    @property
    def players(self) -> tuple[str, str]:
        """The players' names; A and B where nobody named them."""
        named = [c.names for c in self.calls if isinstance(c, Players)]
        return named[-1] if named else ("A", "B")

    @property
    def agreed(self) -> dict[str, bool]:
        """Rules that the players agreed on, as the options of the rule cases."""
        return {name: True for c in self.calls if isinstance(c, AgreedRules) for name in c.agreed}

    @property
    def frames_before(self) -> tuple[int, int]:
        """Frames that A and B had won before the record began."""
        said = [c.won for c in self.calls if isinstance(c, FramesBefore)]
        return said[-1] if said else self.start.frames


@dataclass(frozen=True, slots=True)
class Last:
    """The stroke before, for choices that show later what it was: its entry's output and facts."""

    output: JudgedStroke
    before: State
    facts: StrokeFacts
    miss: Miss


@dataclass(frozen=True, slots=True)
class Position:
    """Where the fold stands. `state` None: no frame (nothing seen yet, or practice).

    `since_s`: end of the last stroke; `hands`: what hands did since; `due`: colours to be spotted.
    `start`: the state at the beginning, once the first layout is known. `blind`: the last span without
    usable images; `doubt`: the same while balls lie otherwise since and nobody has been asked.
    `frame_call_s`: time of the last call about a frame that has been applied; `state_call_s`: the same of
    the calls that say the state. `stood`: where colours stood on their spots in this frame. `guessed`: the
    recording began inside the frame, nobody said in what state, and no stroke has borne out what was assumed.
    `courses`: others that the frame may have taken since a question that nobody has answered; `own_course`:
    the strokes since then as they are ruled here, `own_seen`: `Course.seen` of it (`referee.match.courses`).
    `fouls`: certain fouls of the match, of so many certain strokes.
    """

    state: State | None = None
    practice: bool = False
    strokes: int = 0
    frames: tuple[FrameRecord, ...] = ()
    since_s: float = -1.0
    frame_call_s: float = -1.0
    state_call_s: float = -1.0
    hands: tuple[SeenHand, ...] = ()
    due: tuple[Placement, ...] = ()
    start: StartRecord | None = None
    last: Last | None = None
    blind: tuple[float, float] | None = None
    doubt: tuple[float, float] | None = None
    stood: tuple[Stood, ...] = ()
    guessed: bool = False
    courses: tuple[Course, ...] = ()
    own_course: tuple[Told, ...] = ()
    own_seen: float = 1.0
    fouls: tuple[int, int] = (0, 0)

    @property
    def fouled(self) -> float:
        """The share of strokes that are fouls in this match."""
        return foul_share(*self.fouls)

    @property
    def score(self) -> tuple[int, int]:
        """The running score of the frame."""
        return self.frames[-1].score if self.frames else (0, 0)

    def after_stroke(
        self, stroke: JudgedStroke, score: tuple[int, int], winner: str | None, over: bool
    ) -> Self:
        """The position behind a stroke of the last frame, with that frame's score and end."""
        frame = self.frames[-1]
        ended: FrameEnded | None = "won" if over else None
        first = frame.first_stroke or stroke.n
        frame = replace(frame, first_stroke=first, score=score, winner=winner, ended=ended)
        frames = (*self.frames[:-1], frame)
        fouls, strokes = self.fouls
        if stroke.verdict == "certain":
            fouls, strokes = fouls + (stroke.foul is not None), strokes + 1
        return replace(
            self,
            strokes=stroke.n,
            frames=frames,
            since_s=stroke.seen.end_s,
            hands=(),
            fouls=(fouls, strokes),
        )

    @property
    def under_way(self) -> bool:
        """Whether a frame is being played."""
        return self.state is not None and not self.state.over and not self.practice


Folded = tuple[Position, tuple[Output, ...]]
"""The position after a step of the fold, and what the step says."""


@dataclass(frozen=True, slots=True)
class Told:
    """A stroke since an open question, as a course rules it.

    `stroke`: as it is said while the question is open; `sure`: as it is said once nothing else can be, None
    where no answer covers all that may be. `otherwise`: share of the course's weight, 0 to 1, that rules it
    otherwise and stands as this course does.
    """

    stroke: JudgedStroke
    sure: JudgedStroke | None = None
    otherwise: float = 0.0


@dataclass(frozen=True, slots=True)
class Course:
    """What may have happened since a question that nobody has answered.

    `position`: where the fold stands then; `strokes`: since the question, as they are ruled then; `weight`: 0
    to 1. `seen`: the least weight that one of its answers had by what was seen, 0 to 1.
    """

    position: Position
    strokes: tuple[Told, ...]
    weight: float
    seen: float = 1.0


@dataclass(frozen=True, slots=True)
class StrokeRuling:
    """What a game makes of a stroke, from one position: the likeliest ruling, and the others if it asks.

    `told`: the stroke; `said`: what else is to be said; `others`: its other rulings, each with its share of
    the weight; `likelihood`: how well what was seen goes with the position, to be compared with other
    positions.
    """

    position: Position
    told: Told
    said: tuple[Output, ...]
    others: tuple[Course, ...] = ()
    likelihood: float = 1.0
