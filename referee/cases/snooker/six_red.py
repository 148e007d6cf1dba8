"""Plays six-red's rule cases: snooker's, with the variant's options and its number of reds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.cases.snooker.adapter import options_of, play_with
from referee.rules.six_red import game as six_red


def play(case: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every step's actual values. Raises `CaseError`."""
    reds = case["start"].get("reds_on_table", 6)
    most = reds if isinstance(reds, int) and 6 <= reds <= 15 else 6
    return play_with(case, options_of(case, six_red.options(most)))
