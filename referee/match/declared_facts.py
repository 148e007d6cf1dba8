"""A facts file: one JSON object a line in the vocabulary of the rule cases, with its time if known.

A line `{"type": "start", ...}` sets the state before a rack (frame, board, game). `t_s`, or `start_s` and
`end_s`, give the time of a fact on the video's clock in seconds.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calibration import json_text
from calibration.texts import unusable_input

STEP_TYPES = ("stroke", "shot", "event", "choice", "referee", "query", "break")
STROKE_TYPES = ("stroke", "shot", "break")
_MAX_BYTES = 64 * 1024 * 1024
"""A match has a few thousand facts of some hundred bytes; a larger file is not one of ours."""
_TIMES = ("t_s", "start_s", "end_s")

TimesS = tuple[float, float]
"""`start_s` and `end_s` of a fact on the video's clock."""


@dataclass(frozen=True, slots=True)
class DeclaredFact:
    """One line of a facts file: its number and the decoded object (not to be written to)."""

    number: int
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FactsFile:
    """A facts file as read: `facts` without their times, `times` by line number, `sha256` of its bytes."""

    path: Path
    facts: tuple[DeclaredFact, ...]
    times: Mapping[int, TimesS]
    sha256: str


def read_facts(path: Path) -> FactsFile:
    """The facts of a file and their times.

    Raises UnusableInput with the number of the line that is no JSON object, has no known type, or whose times
    are no seconds in order.
    """
    data = _bytes(path)
    known = data if path.is_file() else b""  # a pipe cannot be read twice to compare
    return facts_file(path, data, hashlib.sha256(known).hexdigest())


def facts_file(path: Path, data: bytes, sha256: str) -> FactsFile:
    """The same of bytes that were read already; `path` is named in errors."""
    facts: list[DeclaredFact] = []
    times: dict[int, TimesS] = {}
    last_s = 0.0
    for fact in parse_facts(path, data):
        found = _times(path, fact)
        if found is not None:
            if found[0] < last_s:
                raise unusable_input(
                    "errors.times_in_order",
                    path=path,
                    number=fact.number,
                    found=f"{found[0]:g}",
                    last_s=f"{last_s:g}",
                )
            last_s, times[fact.number] = found[0], found
        facts.append(DeclaredFact(fact.number, {k: v for k, v in fact.data.items() if k not in _TIMES}))
    return FactsFile(path, tuple(facts), times, sha256)


def parse_facts(path: Path, data: bytes) -> list[DeclaredFact]:
    """The lines of a facts file with their times still in them; `path` is named in errors."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        raise unusable_input("errors.utf_8_text", path=path, start=error.start) from error
    lines = [
        DeclaredFact(number, _decode(path, number, line))
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip()
    ]
    if not lines:
        raise unusable_input("errors.one_json_object_a_line", path=path)
    return lines


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:  # a device or a pipe tells no size beforehand
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise unusable_input("errors.readable_facts_file", path=path, reason=error.strerror) from error
    if len(data) > _MAX_BYTES:
        raise unusable_input("errors.most_64_mib_of_facts", path=path)
    return data


def _decode(path: Path, number: int, line: str) -> Mapping[str, Any]:
    where = f"{path} line {number}"
    try:
        data = json_text.loads(line, object_pairs_hook=json_text.once)
    except json.JSONDecodeError as error:
        raise unusable_input(
            "errors.one_json_object_at_column", where=where, msg=error.msg, colno=error.colno
        ) from error
    except ValueError as error:
        raise unusable_input("errors.fact_not", where=where, error=error) from error
    if not isinstance(data, dict):
        raise unusable_input("errors.json_object", where=where, kind=type(data).__name__)
    if data.get("type") not in ("start", *STEP_TYPES):
        kinds = ", ".join(("start", *STEP_TYPES))
        raise unusable_input("errors.type", where=where, kinds=kinds, type=repr(data.get("type")))
    return data


def _times(path: Path, fact: DeclaredFact) -> TimesS | None:
    """(start_s, end_s) of a fact; `t_s` alone is both."""
    given = {k: fact.data[k] for k in _TIMES if k in fact.data}
    for key, value in given.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value) or value < 0:
            raise unusable_input(
                "errors.in_seconds_from_0", path=path, number=fact.number, which=key, value=repr(value)
            )
    if not given:
        return None
    if set(given) == {"t_s"}:
        return float(given["t_s"]), float(given["t_s"])
    if set(given) != {"start_s", "end_s"} or given["end_s"] < given["start_s"]:
        raise unusable_input(
            "errors.t_s_or_start_s_and_a_later_end_s",
            path=path,
            number=fact.number,
            known=", ".join(sorted(given)),
        )
    return float(given["start_s"]), float(given["end_s"])
