"""English billiards: the facts that `apply` takes, a class each: strokes, choices, and acts without a stroke.

`by` is who acts. A person enters all but the strokes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from referee.rules.english_billiards.types import Ball, Option, Reason, Side, Stroke


@dataclass(frozen=True)
class Choice:
    """The next player takes an option after a foul (3.15(c))."""

    by: Side
    option: Option


@dataclass(frozen=True)
class FoulWithoutStroke:
    """A ball was touched (3.14(l)), a player conferred (o), or used a non-standard cue (p)."""

    by: str
    reason: Reason


@dataclass(frozen=True)
class TipTouchedCueBall:
    """The tip touched a cue-ball while it was positioned (3.6(b)). `attempting_stroke`: in a stroke."""

    attempting_stroke: bool = False


@dataclass(frozen=True)
class LateClaim:
    """A foul is claimed after the next stroke (3.15(d))."""


@dataclass(frozen=True)
class Concession:
    """The striker concedes, and the opponent accepts or refuses (4.6)."""

    by: str
    accepted: bool


@dataclass(frozen=True)
class GameAwarded:
    """The referee awards the game to the other side (4.2, 4.3)."""

    against: Side


@dataclass(frozen=True)
class TimeCalled:
    """TIME between two strokes (3.5(a), (b))."""

    final_session: bool = True


@dataclass(frozen=True)
class TimeWastingWarned:
    """The referee warns the striker (4.1)."""


@dataclass(frozen=True)
class LimitAnnounced:
    """The referee announces ten hazards or seventy cannons late (3.9(a), 3.10(a))."""

    what: Literal["hazards", "cannons"]


@dataclass(frozen=True)
class CountAsked:
    """The striker asks for a count (3.8(d), 3.9(b), 3.10(b))."""

    what: Literal["red_pots", "hazards", "cannons"]


@dataclass(frozen=True)
class BallsRepositioned:
    """Balls moved by other than the striker, or by faulty equipment, go back (3.11(a), 3.12, 3.18)."""

    balls: tuple[Ball, ...] = ()


@dataclass(frozen=True)
class BallFell:
    """A ball fell from a pocket's edge while no stroke was in progress (3.11(a))."""

    ball: Ball


@dataclass(frozen=True)
class RedTouched:
    """Another ball touched the spotted red without a stroke that is on record (3.8(f))."""


@dataclass(frozen=True)
class BallsChanged:
    """The set of balls is changed (1.2(b))."""


@dataclass(frozen=True)
class Noted:
    """A rule that software cannot enforce was applied by the referee."""

    rule: str
    text: str = ""


Fact = (
    Stroke
    | Choice
    | FoulWithoutStroke
    | TipTouchedCueBall
    | LateClaim
    | Concession
    | GameAwarded
    | TimeCalled
    | TimeWastingWarned
    | LimitAnnounced
    | CountAsked
    | BallsRepositioned
    | BallFell
    | RedTouched
    | BallsChanged
    | Noted
)
