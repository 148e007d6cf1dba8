"""What the case runner passes around: an error of one case, and what came out of a comparison."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal


class CaseError(ValueError):
    """A case that cannot be played: one clear sentence (the runner adds file and line)."""


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
    """What came of one case. `error` (one sentence with file and line) when it could not be played."""

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
