"""Carrom as its scorer keeps it: C/m on the board, the Queen, points of boards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from referee.outputs.games.scorer import Json, Labelled, Values, ValuesScorer


class Carrom(ValuesScorer):
    """Carrom."""

    figures: ClassVar[tuple[str, ...]] = (
        *("balls_pocketed", "strokes_visits"),
        *("fouls", "average_shot_time", "table_time"),
    )

    def state_json(self, values: Values, before: Json | None, start: Values) -> Json:
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
            "scores": {s: scores.get(s, 0) for s in "AB"}
            if isinstance(scores, Mapping)
            else {"A": 0, "B": 0},
            "A": men("A"),
            "B": men("B"),
            "queen": values.get("queen") or known.get("queen") or "on_board",
            "points": values.get("points"),
            "game_over": bool(values.get("game_over")),
        }

    def ball_on(self, state: Json, side: str | None) -> str:
        return f"{state[side]['colour']} C/m" if side else "–"

    def state_words(self, state: Json, players: Sequence[str]) -> Labelled:
        men = [
            (name, f"{state[s]['colour']}, {state[s]['on_board']} C/m on the board")
            for s, name in zip("AB", players, strict=True)
        ]
        queen = str(state["queen"]).replace("_", " ")
        for side, name in zip("AB", players, strict=True):
            queen = queen.replace(f"covered by {side}", f"covered by {name}")
        return [("Board", str(state["board_no"])), *men, ("Queen", queen)]

    def stroke_words(self, fact: Values) -> str:
        pocketed = fact.get("pocketed") or {}
        counted = (("own", "own C/m"), ("opponent", "opponent's C/m"))
        parts = [f"{pocketed[k]} {word}" for k, word in counted if pocketed.get(k)]
        parts += [word for k, word in (("queen", "Queen"), ("striker", "striker")) if pocketed.get(k)]
        out = ["pocketed " + ", ".join(parts)] if parts else ["nothing pocketed"]
        out += [f"{man} overboard" for man in fact.get("overboard") or []]
        out += ["striker overboard"] if fact.get("striker_overboard") else []
        return "; ".join(out + (["improper stroke"] if fact.get("proper") is False else []))


def _men(given: Any, side: str) -> Json:
    """The C/m of a side as its start says, else all nine of the usual colour."""
    said = given if isinstance(given, Mapping) else {}
    usual = "white" if side == "A" else "black"
    return {"colour": said.get("colour", usual), "on_board": said.get("on_board", 9)}
