"""A facts file as told: lines in the form of the rule cases, each optionally with its time in a video."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace
from pathlib import Path

from calibration.errors import UnusableInput
from referee.match import judging
from referee.match.judging import Line

TimesS = tuple[float, float]
"""start_s and end_s of a fact on the video's clock."""

_TIMES = ("t_s", "start_s", "end_s")


@dataclass(frozen=True, slots=True)
class ToldFacts:
    """A facts file as read: `lines` without their times, `times` by line number, `sha256` of its bytes."""

    path: Path
    lines: list[Line]
    times: dict[int, TimesS]
    sha256: str


def read_facts(path: Path) -> ToldFacts:
    """The lines of a facts file and their times. UnusableInput names the line of what is neither."""
    lines, times = [], {}
    last_s = 0.0
    for line in judging.read_lines(path):
        own = {k: v for k, v in line.data.items() if k not in _TIMES}
        found = _times(path, line)
        if found is not None:
            if found[0] < last_s:
                raise UnusableInput(
                    f"{path} line {line.number}: expected times in order, found {found[0]:g} s after"
                    f" {last_s:g} s"
                )
            last_s, times[line.number] = found[0], found
        lines.append(replace(line, data=own))
    return ToldFacts(
        path, lines, times, hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()
    )


def _times(path: Path, line: Line) -> TimesS | None:
    """(start_s, end_s) of a line; `t_s` alone is both."""
    said = {k: line.data[k] for k in _TIMES if k in line.data}
    for key, value in said.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value < 0
        ):
            raise UnusableInput(
                f"{path} line {line.number}: expected {key} in seconds from 0, found {value!r}"
            )
    if not said:
        return None
    if set(said) == {"t_s"}:
        return float(said["t_s"]), float(said["t_s"])
    if set(said) != {"start_s", "end_s"} or said["end_s"] < said["start_s"]:
        raise UnusableInput(
            f"{path} line {line.number}: expected t_s, or start_s and a later end_s, found"
            f" {', '.join(sorted(said))}"
        )
    return float(said["start_s"]), float(said["end_s"])
