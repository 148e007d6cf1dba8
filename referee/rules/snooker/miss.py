"""The miss rule (3.14): called, not called, or for the referee to say."""

from __future__ import annotations

from referee.rules.records import replace
from referee.rules.snooker.facts import StrokeFacts
from referee.rules.snooker.ruling import Miss
from referee.rules.snooker.state import Misses, State, points_on_table


def judge(before: State, after: State, facts: StrokeFacts) -> tuple[Miss, Misses]:
    """The miss of a foul stroke that failed to hit a ball on first, and the sequence it belongs to.

    `before`: the state before the stroke; `after`: with the penalty given and the next ball on set.
    """
    sequence = before.misses if before.misses.replaced else Misses()
    call = _call(before, after, facts, sequence)
    if call is not Miss.CALLED:
        return call, Misses()
    view = facts.judgement
    full = bool(view.clear_path and view.full_ball_available) or sequence.full_ball_failures > 0
    hidden = view.clear_path is False
    return call, replace(
        sequence,
        calls=sequence.calls + 1,
        full_ball_failures=sequence.full_ball_failures + full,
        snookered_calls=sequence.snookered_calls + 1 if hidden else 0,
        replaced=False,
    )


def _call(before: State, after: State, facts: StrokeFacts, sequence: Misses) -> Miss:
    view = facts.judgement
    rule = before.options.miss_rule
    if rule == "off" or before.only_black:
        return Miss.NONE
    if view.possible_to_hit is False:  # 3.14: assumed to try if the stroke would have reached the ball on
        return _opinion(view.direction_and_strength_sufficient)
    if view.clear_path:
        if sequence.full_ball_failures:  # 3.14(c)(i): regardless of the scores
            return Miss.CALLED
        excepted = _snookers_needed(before, after, facts) or (
            rule == "wpbsa" and _level_on(before, after, facts)
        )
        return Miss.NONE if excepted and not view.intentional else Miss.CALLED
    if view.intentional:
        return Miss.CALLED
    if rule == "wpbsa" and _level_on(before, after, facts):  # 3.14(e)
        return Miss.NONE
    return _opinion(view.good_enough_attempt)


def _opinion(good: bool | None) -> Miss:
    if good is None:
        return Miss.REFEREE
    return Miss.NONE if good else Miss.CALLED


def _margins(before: State, after: State, facts: StrokeFacts) -> tuple[int, int]:
    """Points difference minus points available, before and after the stroke."""
    available = points_on_table(before) if facts.points_available is None else facts.points_available
    left = points_on_table(after)
    return abs(before.scores[0] - before.scores[1]) - available, abs(after.scores[0] - after.scores[1]) - left


def _snookers_needed(before: State, after: State, facts: StrokeFacts) -> bool:
    """3.14(b)(i): any player needed penalty points before, or as a result of, the stroke."""
    return max(_margins(before, after, facts)) > 0


def _level_on(before: State, after: State, facts: StrokeFacts) -> bool:
    """3.14(b)(ii), (e): points available equal the difference before or after the stroke."""
    return 0 in _margins(before, after, facts)
