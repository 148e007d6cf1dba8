"""The state of a declared match in the terms of its game, as JSON values.

It is what a scorer of that game keeps: groups and balls of a pool rack, points and balls of 14.1, C/m and
Queen of carrom, runs of English billiards. Unknown is null, never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from referee.match.declared import RuledFact

Json = dict[str, Any]
Values = Mapping[str, Any]


def states_of(game: str, rack: Sequence[RuledFact]) -> list[Json]:
    """The state before the first fact of a rack and after each of its facts (one more than facts)."""
    if not rack:
        return []
    start = rack[0].start
    if game in _FROM_POSITION:
        of_position = _FROM_POSITION[game]
        return [of_position(rack[0].before.state, {}), *(of_position(r.after.state, r.values) for r in rack)]
    of_values = _FROM_VALUES[game]
    states = [of_values(start, None, start)]
    for ruled in rack:
        states.append(of_values(ruled.values, states[-1], start))
    return states


def _eight_ball(state: Any, values: Values) -> Json:
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


def _rotation(state: Any, values: Values) -> Json:
    balls = sorted(state.on_table)
    return {
        "on_table": balls,
        "ball_on": balls[0] if balls else None,
        "consecutive_fouls": dict(zip("AB", state.fouls, strict=True)),
        "break_shot": state.break_shot,
        "push_out_available": state.second_shot,
        "cue_ball_in_hand": state.in_hand,
    }


def _fourteen_one(state: Any, values: Values) -> Json:
    return {
        "scores": dict(zip("AB", state.scores, strict=True)),
        "target": state.target,
        "balls_on_table": state.balls_on_table,
        "consecutive_fouls": dict(zip("AB", state.fouls, strict=True)),
        "opening_break": state.opening_break,
        "rerack": values.get("rerack"),
        "cue_ball_in_hand": state.in_hand,
    }


def _blackball(state: Any, values: Values) -> Json:
    return {
        "table_open": state.table_open,
        "groups": {s: state.colour(s) for s in "AB"},
        "on_table": {"red": state.reds, "yellow": state.yellows},
        "break_shot": state.break_shot,
        "free_shot": state.free_shot,
        "cue_ball_in_hand": state.in_hand,
    }


def _wepf(state: Any, values: Values) -> Json:
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


def _english_billiards(values: Values, before: Json | None, start: Values) -> Json:
    placed = values.get("red_placed")
    red = placed["spot"] if isinstance(placed, Mapping) else "in play" if before else _red_at(start)
    return {
        "scores": values.get("scores") or (before or {}).get("scores"),
        "break": values.get("break", 0),
        "red": red,
        "object_white": values.get("object_white", "on_table"),
        "consecutive_red_pots": values.get("consecutive_red_pots_same_spot", 0),
        "consecutive_hazards": values.get("consecutive_hazard_strokes", 0),
        "consecutive_cannons": values.get("consecutive_cannons", 0),
        "cue_ball_in_hand": bool(values.get("cue_ball_in_hand", start.get("opening", False))),
        "target": start.get("target"),
    }


def _red_at(start: Values) -> str:
    """Where the red lies before the first stroke."""
    names = {"spot": "Spot", "centre": "Centre Spot", "pyramid": "Pyramid Spot"}
    return names.get(str(start.get("red_at", "spot")), "in play")


def _carrom(values: Values, before: Json | None, start: Values) -> Json:
    known = before or {side: _men(start.get(side), side) for side in "AB"}

    def men(side: str) -> Json:
        on = values.get(f"{side}_on_board")
        return {
            "colour": values.get(f"{side}_colour") or known[side]["colour"],
            "on_board": known[side]["on_board"] if on is None else on,
        }

    scores = values.get("scores") or start.get("game_scores")
    return {
        "board_no": start.get("board_no", 1),
        "scores": {s: scores.get(s, 0) for s in "AB"} if isinstance(scores, Mapping) else {"A": 0, "B": 0},
        "A": men("A"),
        "B": men("B"),
        "queen": values.get("queen") or known.get("queen") or "on_board",
        "points": values.get("points"),
        "game_over": bool(values.get("game_over")),
    }


def _men(given: Any, side: str) -> Json:
    """The C/m of a side as its start says, else all nine of the usual colour."""
    said = given if isinstance(given, Mapping) else {}
    usual = "white" if side == "A" else "black"
    return {"colour": said.get("colour", usual), "on_board": said.get("on_board", 9)}


def _snooker(values: Values, before: Json | None, start: Values) -> Json:
    known = before or {}
    on = values.get("next_ball_on") or values.get("ball_on") or known.get("ball_on")
    reds = values.get("reds_remaining", values.get("reds_on_table"))
    return {
        "scores": values.get("scores") or known.get("scores"),
        "ball_on": on.replace(" ", "_") if isinstance(on, str) else None,
        "reds": known.get("reds") if reds is None else reds,
        "break": values.get("break_") or 0,
        "free_ball": bool(values.get("free_ball")),
        "consecutive_misses": values.get("consecutive_miss_calls", 0),
        "cue_ball_in_hand": bool(values.get("cue_ball_in_hand", values.get("cue_in_hand", False))),
    }


_FROM_POSITION: dict[str, Callable[[Any, Values], Json]] = {
    "wpa_8ball": _eight_ball,
    "wpa_9ball": _rotation,
    "wpa_10ball": _rotation,
    "wpa_14_1": _fourteen_one,
    "blackball": _blackball,
    "wepf": _wepf,
}
"""Games whose state says everything: (the game's state, the ruling's values) to JSON."""

_FROM_VALUES: dict[str, Callable[[Values, Json | None, Values], Json]] = {
    "snooker": _snooker,
    "six_red": _snooker,
    "english_billiards": _english_billiards,
    "carrom": _carrom,
}
"""Games whose start may leave values open: (the ruling's values, the JSON before, the start) to JSON."""
