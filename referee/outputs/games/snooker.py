"""Snooker and six-red judged from declared facts, as their scorer keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from referee.outputs.games.scorer import Json, Labelled, Values, ValuesScorer


class Snooker(ValuesScorer):
    """Snooker and its kinds."""

    figures: ClassVar[tuple[str, ...]] = (
        *("points_potted", "points_from_fouls", "strokes_visits"),
        *("highest_break", "points_per_visit", "breaks_of_50_100"),
        *("pot_success", "long_pot_success", "safety_success"),
        *("fouls", "average_shot_time", "table_time"),
    )
    pots_alone_score: ClassVar[bool] = True

    def state_json(self, values: Values, before: Json | None, start: Values) -> Json:
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

    def ball_on(self, state: Json, side: str | None) -> str:
        return str(state["ball_on"] or "–").replace("_", " ")

    def state_words(self, state: Json, players: Sequence[str]) -> Labelled:
        return [("Reds", str(state["reds"]))]
