"""Case adapter of six-red: snooker's, with the variant's options and its number of reds."""

from __future__ import annotations

from collections.abc import Sequence

from referee.cases.model import Step, Values
from referee.cases.snooker.adapter import Table, advance, begin_with, fresh_frame, options_of
from referee.rules.common.match import Match
from referee.rules.six_red import GAME
from referee.rules.six_red import game as six_red

__all__ = ["GAME", "advance", "begin", "fresh_start"]


def fresh_start(match: Match, settings: Step, before: Step) -> Values:
    """The `start` of a new frame in the vocabulary."""
    return fresh_frame(match.breaker, GAME.new_frame(match.breaker).reds, settings)


def begin(start: Step, options: Step, steps: Sequence[Step]) -> Table:
    """The position before the first step."""
    reds = start.get("reds_on_table", 6)
    most = reds if isinstance(reds, int) and 6 <= reds <= 15 else 6
    return begin_with(start, options_of(options, six_red.options(most)))
