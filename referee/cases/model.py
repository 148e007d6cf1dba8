"""The types that case adapters and the case runner exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from referee.rules.common.match import Match
from referee.rules.game import Game

Step = Mapping[str, Any]
"""A JSON object of a case: its start, its options, or one of its steps. Not to be written to."""
Values = dict[str, Any]
"""Plain JSON values under the names that an `expect` may use."""


class CaseError(ValueError):
    """A case that cannot be played: one clear sentence (the runner adds file and line)."""


State = TypeVar("State")
Notes = TypeVar("Notes")


@dataclass(frozen=True, slots=True)
class Position(Generic[State, Notes]):
    """A case between two steps: the game's state, and what else the adapter knows of the table."""

    state: State
    notes: Notes


@dataclass(frozen=True, slots=True)
class Ruled(Generic[State, Notes]):
    """One step after it was ruled.

    `facts`: what the step says in the game's own words, in order; none for a question about a match.
    `rulings`: the ruling of each of them. `values`: the last ruling and the new state for comparison.
    """

    position: Position[State, Notes]
    facts: tuple[Any, ...]
    rulings: tuple[Any, ...]
    values: Values


class CaseAdapter(Protocol):
    """Case lines of one game: JSON to facts, rulings to JSON. A module of this package implements it.

    Names, units and defaults are those of `tests/cases/README.md`. Every function raises `CaseError` or
    `FactsError` for values that the game cannot have.
    """

    @property
    def GAME(self) -> Game[Any, Any, Any]:
        """The rules that judge the facts."""

    def fresh_start(self, match: Match, settings: Step, before: Step) -> Values:
        """The `start` of the next frame of a match; `before`: the last values of the frame before it."""

    def begin(self, start: Step, options: Step, steps: Sequence[Step]) -> Position[Any, Any]:
        """The position before the first step. `steps`: those that follow, as far as they are known."""

    def advance(self, position: Any, step: Step) -> Ruled[Any, Any]:
        """The position after one step. Every fact of the step goes through `GAME.apply`."""


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a case file; `data` is the decoded object, not to be written to."""

    file: str
    line: int
    data: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.data["id"])

    @property
    def game(self) -> str:
        return str(self.data["game"])

    @property
    def firm(self) -> bool:
        return bool(self.data.get("status", "firm") != "ambiguous")


@dataclass(frozen=True, slots=True)
class Difference:
    """One expected value that did not come: `field` as `steps[2].scores.A`."""

    field: str
    expected: Any
    got: Any


@dataclass(frozen=True, slots=True)
class CaseResult:
    """The result of one case. `error` (one sentence with file and line) when it could not be played."""

    file: str
    line: int
    id: str
    game: str
    firm: bool
    differences: tuple[Difference, ...]
    error: str | None = None

    @property
    def outcome(self) -> Literal["passed", "failed", "ambiguous", "error"]:
        if self.error is not None:
            return "error"
        if not self.differences:
            return "passed"
        return "failed" if self.firm else "ambiguous"
