"""Rule cases of the pool games: the given ones and our own for every field and value of the vocabulary."""

from __future__ import annotations

import json
import pathlib
import random
from typing import Any

import pytest

from referee.cases.model import CaseError
from referee.cases.pool import wepf
from referee.cases.runner import run_files

CASES = pathlib.Path(__file__).resolve().parents[2] / "cases"
GAMES = ("wpa_8ball", "wpa_9ball", "wpa_10ball", "wpa_14_1", "blackball", "wepf")


def _mutations(rng: random.Random, case: dict[str, Any]) -> dict[str, Any]:
    """A copy of a case with one value anywhere replaced by something else, or left out."""
    changed: dict[str, Any] = json.loads(json.dumps(case))
    holders: list[Any] = [changed]
    for holder in holders:  # grows: every object and list of the case
        inner = holder.values() if isinstance(holder, dict) else holder
        holders += [v for v in inner if isinstance(v, dict | list) and v]
    holder = rng.choice(holders)
    key = rng.choice(sorted(holder) if isinstance(holder, dict) else range(len(holder)))
    value: Any = rng.choice(
        (None, True, -1, 99, 1e400, "", "x", "8", "A", [], {}, [[]], [None], ["red"], {"a": 1}, "gone")
    )
    if value == "gone":
        del holder[key]
    else:
        holder[key] = value
    return changed


def test_a_damaged_case_is_one_clear_sentence(tmp_path: pathlib.Path) -> None:
    """Every case with one value changed, removed or of another kind: played, or an error with file and
    line.
    """
    rng = random.Random(7)
    path = tmp_path / "damaged.jsonl"
    lines = [
        json.loads(line)
        for g in GAMES
        for line in (CASES / f"{g}_more.jsonl").read_text("utf-8").splitlines()
    ]
    path.write_text("".join(json.dumps(_mutations(rng, case)) + "\n" for case in lines for _ in range(3)))
    for result in run_files([path]):
        if result.error is not None:
            assert result.error.startswith(f"{path} line {result.line}: ")
            assert "\n" not in result.error and "object has no attribute" not in result.error


def test_a_number_of_thousands_of_digits_is_no_crash(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "digits.jsonl"
    path.write_text('{"id": "x", "game": "wepf", "start": {"visit": %s}, "steps": []}\n' % ("9" * 5000))
    (result,) = run_files([path])
    assert result.error is not None and result.error.endswith(
        "line 1: expected one JSON object, found a number of too many digits"
    )


@pytest.mark.parametrize("colours", [{"A": "red", "B": "red"}, {"A": "red", "B": "green"}])
def test_a_wepf_position_has_a_colour_for_each_player(colours: dict[str, str]) -> None:
    with pytest.raises(CaseError):
        wepf.begin({"colours": colours}, {}, ())
