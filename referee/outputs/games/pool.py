"""Pool of every kind as its scorer keeps it: groups, balls on the table, fouls in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from referee.cases.pool.numbered import in_own_words
from referee.outputs.games.scorer import Json, Labelled, StateScorer, Values


class Groups(StateScorer):
    """A game in which each player has a group of balls."""

    def ball_on(self, state: Json, side: str | None) -> str:
        if state["break_shot"]:
            return "break"
        return str((state["groups"].get(side) if side else None) or "open table")


class EightBall(Groups):
    """WPA eight-ball."""

    def state_json(self, state: Any, values: Values) -> Json:
        return {
            "table_open": state.table_open,
            "groups": {s: state.group(s) for s in "AB"},
            "on_table": sorted(state.on_table),
            "remaining": {s: _left(state, state.group(s)) for s in "AB"},
            "break_shot": state.break_shot,
            "cue_ball_in_hand": state.in_hand,
        }


def _left(state: Any, group: str | None) -> int | None:
    """Balls of a group that are still on the table."""
    if group is None:
        return None
    return len([b for b in state.on_table if b != 8 and (b < 8) == (group == "solids")])


class Rotation(StateScorer):
    """WPA nine- and ten-ball: the lowest ball is on."""

    def state_json(self, state: Any, values: Values) -> Json:
        balls = sorted(state.on_table)
        return {
            "on_table": balls,
            "ball_on": balls[0] if balls else None,
            "consecutive_fouls": dict(zip("AB", state.fouls, strict=True)),
            "break_shot": state.break_shot,
            "push_out_available": state.second_shot,
            "cue_ball_in_hand": state.in_hand,
        }

    def ball_on(self, state: Json, side: str | None) -> str:
        return f"ball {state['ball_on']}{', push out allowed' if state['push_out_available'] else ''}"


class StraightPool(StateScorer):
    """WPA 14.1."""

    figures: ClassVar[tuple[str, ...]] = (
        *("points_potted", "points_lost", "strokes_visits"),
        *("highest_break", "points_per_visit", "breaks_of_50_100"),
        *("pot_success", "long_pot_success", "safety_success"),
        *("fouls", "average_shot_time", "table_time"),
    )
    pots_alone_score: ClassVar[bool] = True

    def state_json(self, state: Any, values: Values) -> Json:
        return {
            "scores": dict(zip("AB", state.scores, strict=True)),
            "target": state.target,
            "balls_on_table": state.balls_on_table,
            "consecutive_fouls": dict(zip("AB", state.fouls, strict=True)),
            "opening_break": state.opening_break,
            "rerack": values.get("rerack"),
            "cue_ball_in_hand": state.in_hand,
        }

    def ball_on(self, state: Json, side: str | None) -> str:
        return "opening break" if state["opening_break"] else "any ball, called"

    def state_words(self, state: Json, players: Sequence[str]) -> Labelled:
        return [("Balls on the table", str(state["balls_on_table"])), ("To", f"{state['target']} points")]


class Blackball(Groups):
    """Blackball."""

    def state_json(self, state: Any, values: Values) -> Json:
        return {
            "table_open": state.table_open,
            "groups": {s: state.colour(s) for s in "AB"},
            "on_table": {"red": state.reds, "yellow": state.yellows},
            "break_shot": state.break_shot,
            "free_shot": state.free_shot,
            "cue_ball_in_hand": state.in_hand,
        }


class Wepf(Groups):
    """WEPF eightball pool."""

    def state_json(self, state: Any, values: Values) -> Json:
        return {
            "table_open": state.open,
            "groups": {s: state.colour(s) for s in "AB"},
            "on_table": {"red": state.reds, "yellow": state.yellows},
            "break_shot": state.break_shot,
            "visits": state.visits,
            "must_nominate": state.must_nominate,
            "foul_snooker": state.foul_snooker,
            "cue_ball_in_hand": "baulk" if state.from_baulk else None,
        }


class Numbered(Groups):
    """A game of reds and yellows with solids and stripes."""

    def __init__(self, colours: Groups) -> None:
        self._colours = colours

    def state_json(self, state: Any, values: Values) -> Json:
        found: Json = in_own_words(self._colours.state_json(state, values))
        return found
