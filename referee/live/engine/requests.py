"""What people ask of a running table: frozen values, put into the engine's queue by `LiveEngine.submit`.

Each is journalled and applied by the engine's thread between two images. Corrections of strokes, undo and
added strokes go the console's way (`referee.console.referee_thread`), on the same thread by
`LiveEngine.on_thread`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calibration.errors import UnusableInput
from referee.facts.calls import FrameAct
from referee.rules.snooker.facts import COLOURS, Choice

Side = Literal["A", "B"]
MOST_FRAMES = 99
NAME_LENGTH = 80


@dataclass(frozen=True, slots=True)
class SetPlayers:
    """Names of A and B, from the beginning of the match."""

    names: tuple[str, str]

    def __post_init__(self) -> None:
        for name in self.names:
            if not (0 < len(name.strip()) <= NAME_LENGTH and name.isprintable()):
                raise UnusableInput(
                    f"players: expected names of 1 to {NAME_LENGTH} printable characters, found {name!r}"
                )


@dataclass(frozen=True, slots=True)
class SetBestOf:
    """How many frames the match has at most; None: open-ended."""

    frames: int | None

    def __post_init__(self) -> None:
        if self.frames is not None and not 1 <= self.frames <= MOST_FRAMES:
            raise UnusableInput(f"best of: expected 1 to {MOST_FRAMES} frames, found {self.frames!r}")


@dataclass(frozen=True, slots=True)
class Nominate:
    """The striker (`by` None: whoever is at the table) declares a ball, now."""

    ball: str
    by: Side | None = None

    def __post_init__(self) -> None:
        if self.ball not in ("red", *COLOURS):
            raise UnusableInput(f"nominate: expected red or a colour, found {self.ball!r}")


@dataclass(frozen=True, slots=True)
class Choose:
    """A player's choice after a foul, or at a re-spotted black; `by` None: whose choice it is."""

    choice: str
    by: Side | None = None

    def __post_init__(self) -> None:
        if self.choice not in [c.value for c in Choice]:
            raise UnusableInput(
                f"choice: expected one of {', '.join(c.value for c in Choice)}, found {self.choice!r}"
            )


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer with this index to an open question, by the question's id."""

    question: str
    index: int


@dataclass(frozen=True, slots=True)
class AskFrame:
    """Something that befalls the frame now: conceded (`by` concedes), abandoned, re-racked, practice."""

    act: FrameAct
    by: Side | None = None

    def __post_init__(self) -> None:
        if self.act == "concede" and self.by is None:
            raise UnusableInput("concede: expected who concedes, A or B, found nobody")


@dataclass(frozen=True, slots=True)
class Undo:
    """Take back the latest change that a person made and that still counts, or the one of that entry."""

    entry: int | None = None


@dataclass(frozen=True, slots=True)
class NewMatch:
    """End this match as it stands and begin another; its record is a folder of its own."""

    players: tuple[str, str] = ("A", "B")
    best_of: int | None = None
    breaks: Side = "A"

    def __post_init__(self) -> None:
        SetPlayers(self.players)
        SetBestOf(self.best_of)


Request = SetPlayers | SetBestOf | Nominate | Choose | Answer | AskFrame | Undo | NewMatch
