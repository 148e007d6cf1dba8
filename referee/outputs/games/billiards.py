"""English billiards as its scorer keeps it: points, the red's place, runs of strokes of one kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from referee.outputs.games.scorer import Json, Labelled, Values, ValuesScorer, potted_balls


class EnglishBilliards(ValuesScorer):
    """English billiards."""

    figures: ClassVar[tuple[str, ...]] = (
        *("points_potted", "points_from_fouls", "strokes_visits"),
        *("highest_break", "points_per_visit", "breaks_of_50_100"),
        *("fouls", "average_shot_time", "table_time"),
    )
    touched = "contacts"

    def state_json(self, values: Values, before: Json | None, start: Values) -> Json:
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

    def state_words(self, state: Json, players: Sequence[str]) -> Labelled:
        runs = (
            ("consecutive_red_pots", "Pots of the red from its spot"),
            ("consecutive_hazards", "Hazards in a row"),
            ("consecutive_cannons", "Cannons in a row"),
        )
        out = [("Red", str(state["red"])), ("Object white", state["object_white"].replace("_", " "))]
        return out + [(label, str(state[key])) for key, label in runs if state[key]]

    def names_in_off(self, balls: Sequence[str]) -> bool:
        """A losing hazard."""
        return bool(balls)

    def contact_words(self, fact: Values, balls: Sequence[str]) -> list[str]:
        contact = f"hit {balls[0]}" if balls else "no ball hit"
        parts = ["cannon" if {"red", "white"} <= set(balls) else contact]
        parts += [
            f"{'winning hazard, ' if ball != 'cue' else ''}{ball} pocketed" for ball, _ in potted_balls(fact)
        ]
        return parts + (["losing hazard"] if fact.get("cue_ball") == "pocketed" and balls else [])


def _red_at(start: Values) -> str:
    """Where the red lies before the first stroke."""
    names = {"spot": "Spot", "centre": "Centre Spot", "pyramid": "Pyramid Spot"}
    return names.get(str(start.get("red_at", "spot")), "in play")
