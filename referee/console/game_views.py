"""What the console shows of a match judged from told facts, in the game's own terms. Pure."""

from __future__ import annotations

from typing import Any

from referee.match.game_terms import POINT_GAMES, unit_of
from referee.outputs import words
from referee.outputs.diagram import FILLS, LETTERS
from referee.outputs.document import Match, break_of
from referee.outputs.game_report import figures


def game_statistics(match: Match) -> dict[str, Any]:
    """The figures that told strokes allow, in the shape of a video match's statistics."""
    return {
        "rows": [list(r) for r in figures(match)],
        "breaks": [],
        "timeline": [[s["n"], s["frame"], *s["score"]] for s in match["strokes"]],
        "bars": [[], []],
        "pots": ["–", "–"],
        "visits": [],
        "points": [[], []],
    }


def game_overlay(match: Match, until: int | None = None) -> dict[str, Any]:
    """What a scoreboard shows after stroke `until` (default: the last one)."""
    strokes = [s for s in match["strokes"] if until is None or s["n"] <= until]
    last = strokes[-1] if strokes else None
    frame = last["frame"] if last else 1
    unit = unit_of(match["game"])
    won = [sum(f["winner"] == x and f["n"] < frame for f in match["frames"]) for x in "AB"]
    if last is None or last is match["strokes"][-1]:
        won = [sum(f["winner"] == x for f in match["frames"]) for x in "AB"]
    run = break_of(last) if last and match["game"] in POINT_GAMES else 0
    return {
        "players": match["players"],
        "frames": won,
        "frame": frame,
        "unit": unit,
        "score": list(last["score"]) if last else list(match["start"]["score"]),
        "side": (last.get("next_striker") or last["striker"]) if last else match["start"]["striker"],
        "break": run,
        "balls": [],
        "remaining": None,
        "snookers": 0,
        "ruling": words.ruling_words(match, last) if last and last["foul"] else "",
        "clause": words.clause_of(last) if last else "",
        "call": False,
        "stroke": last["n"] if last else 0,
        "fills": FILLS,
        "letters": LETTERS,
    }
