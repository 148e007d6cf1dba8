"""The requests of a page to a running table, validated before they reach it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from calibration.table.specs import CushionName, PocketName
from referee.console.change_bodies import Who
from referee.facts.calls import FrameAct
from referee.live.engine.requests import (
    Answer,
    AskFrame,
    Choose,
    DeclareFrozen,
    DeclareTouching,
    Nominate,
    Request,
    SetBestOf,
    SetPlayers,
    Undo,
)
from referee.live.engine.settings import NewMatch
from referee.live.engine.state import Side

Name = Who
Words = Annotated[str, StringConstraints(max_length=120)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")
    who: Who


class AnswerBody(_Asked):
    """An answer to an open question."""

    type: Literal["answer"]
    question: Words
    index: Annotated[int, Field(ge=0, le=1000)]

    def request(self) -> Request:
        return Answer(self.question, self.index)


class NominateBody(_Asked):
    """The striker, or `by`, declares a ball; in pool with its pocket, or a safety or a push out without."""

    type: Literal["nominate"]
    ball: Words | None = None
    by: Side | None = None
    pocket: PocketName | None = None
    safety: bool = False
    push_out: bool = False

    def request(self) -> Request:
        return Nominate(self.ball, self.by, self.pocket, self.safety, self.push_out)


class FrozenBody(_Asked):
    """A ball is declared frozen to a rail for the next shot; without `rail` to the one at which it lies."""

    type: Literal["frozen"]
    ball: Words
    rail: CushionName | None = None

    def request(self) -> Request:
        return DeclareFrozen(self.ball, self.rail)


class TouchingBody(_Asked):
    """The cue-ball is declared touching a ball before the next shot."""

    type: Literal["touching"]
    ball: Words

    def request(self) -> Request:
        return DeclareTouching(self.ball)


class ChooseBody(_Asked):
    """A player's choice after a foul."""

    type: Literal["choose"]
    choice: Words
    by: Side | None = None

    def request(self) -> Request:
        return Choose(self.choice, self.by)


class FrameBody(_Asked):
    """The frame is conceded, abandoned or re-racked, or play is practice or a frame from now on."""

    type: Literal["frame"]
    act: FrameAct
    by: Side | None = None

    def request(self) -> Request:
        return AskFrame(self.act, self.by)


class UndoBody(_Asked):
    """Take back the latest change of a person, or the change of `entry`."""

    type: Literal["undo"]
    entry: Annotated[int, Field(ge=1)] | None = None

    def request(self) -> Request:
        return Undo(self.entry)


class PlayersBody(_Asked):
    """The players' names, A's first."""

    type: Literal["players"]
    names: tuple[Name, Name]

    def request(self) -> Request:
        return SetPlayers(self.names)


class BestOfBody(_Asked):
    """The frames of the match at most; null: open-ended."""

    type: Literal["best_of"]
    frames: Annotated[int, Field(ge=1, le=99)] | None

    def request(self) -> Request:
        return SetBestOf(self.frames)


class NewMatchBody(_Asked):
    """End this match as it stands and begin another."""

    type: Literal["new_match"]
    players: tuple[Name, Name]
    best_of: Annotated[int, Field(ge=1, le=99)] | None = None
    breaks: Side = "A"
    start: Words | None = None

    def request(self) -> Request:
        return NewMatch(self.players, self.best_of, self.breaks, self.start)


RequestBody = Annotated[
    AnswerBody
    | NominateBody
    | FrozenBody
    | TouchingBody
    | ChooseBody
    | FrameBody
    | UndoBody
    | PlayersBody
    | BestOfBody
    | NewMatchBody,
    Field(discriminator="type"),
]
