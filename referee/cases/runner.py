"""Runs rule case files: load, check, play, compare.

Each game's adapter (`referee.cases.model.CaseAdapter`) turns steps into facts and rulings into values. An
expected name that the values lack is a failure.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from calibration import json_text
from calibration.texts import unusable_input
from referee.cases import compare, vocabulary
from referee.cases.model import Case, CaseError, CaseResult, Difference
from referee.cases.play import play

__all__ = ["Case", "CaseError", "CaseResult", "Difference", "load_file", "run_case", "run_files"]

_MAX_FILE_BYTES = 64 * 1024 * 1024


def load_file(path: Path) -> Iterator[Case | CaseResult]:
    """The cases of a file in order; a broken line becomes a `CaseResult` with its error.

    Raises `UnusableInput` when the file cannot be read at all.
    """
    try:
        with path.open("rb") as file:  # a device or a pipe tells no size beforehand
            data = file.read(_MAX_FILE_BYTES + 1)
        if len(data) > _MAX_FILE_BYTES:
            raise unusable_input("errors.case_file_of_at_most_64_mib", path=path)
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except OSError as error:
        raise unusable_input("errors.readable_case_file", path=path, reason=error.strerror) from error
    except UnicodeDecodeError as error:
        raise unusable_input("errors.utf_8_text", path=path, start=error.start) from error
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield _load_line(path, number, line)


def _load_line(path: Path, number: int, line: str) -> Case | CaseResult:
    case_id, game = "?", "?"
    try:
        data = json_text.loads(line, object_pairs_hook=_once)
        if not isinstance(data, dict):
            raise CaseError(f"expected a JSON object, got {type(data).__name__}")
        case_id, game = str(data.get("id", "?")), str(data.get("game", "?"))
        vocabulary.check(data)
    except json.JSONDecodeError as error:
        message = f"expected one JSON object, {error.msg} at column {error.colno}"
        return _broken(path, number, case_id, game, message)
    except CaseError as error:
        return _broken(path, number, case_id, game, str(error))
    except ValueError as error:
        return _broken(path, number, case_id, game, f"expected one JSON object, found {error}")
    return Case(str(path), number, data)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are given once each: two `cue` entries are two cue-balls."""
    try:
        return json_text.once(pairs)
    except ValueError as error:
        twice = str(error)
        raise CaseError("two cue-balls are given" if twice.startswith("'cue' ") else twice) from None


def _broken(path: Path | str, number: int, case_id: str, game: str, message: str) -> CaseResult:
    return CaseResult(str(path), number, case_id, game, True, (), f"{path} line {number}: {message}")


def run_case(case: Case) -> CaseResult:
    """Play one case and compare what came with what it expects."""
    try:
        differences = _differences(case)
    except CaseError as error:
        return _broken(case.file, case.line, case.id, case.game, str(error))
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        return _broken(case.file, case.line, case.id, case.game, f"a value has the wrong form: {error}")
    return CaseResult(case.file, case.line, case.id, case.game, case.firm, differences)


def _differences(case: Case) -> tuple[Difference, ...]:
    found: list[Difference] = []
    for i, (step, got) in enumerate(zip(case.data["steps"], play(case.data), strict=True)):
        expect: Mapping[str, Any] = step.get("expect", {})
        found += compare.differences(f"steps[{i}]", expect, got)
    return tuple(found)


def run_files(paths: Iterable[Path]) -> list[CaseResult]:
    """Every case of every file, in order."""
    results = []
    for path in paths:
        for loaded in load_file(path):
            results.append(run_case(loaded) if isinstance(loaded, Case) else loaded)
    return results
