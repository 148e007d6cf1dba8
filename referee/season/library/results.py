"""Results of a library in other forms: JSON with a schema, CSV, a page for everybody."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from typing import Any

from calibration.table.games import GAMES
from referee.match.questions import texts_of
from referee.match.weighing import grouped
from referee.outputs.cells import csv_text
from referee.outputs.pages import environment
from referee.season.library.exchange import json_ld
from referee.season.library.records import FixtureRecord
from referee.season.library.store import Result

SCHEMA_VERSION = 1
COLUMNS = (
    *(
        "played_on",
        "competition",
        "fixture",
        "game",
        "player_a",
        "player_b",
        "best_of",
        "frames_a",
        "frames_b",
    ),
    *("winner", "frame_scores", "highest_break_a", "highest_break_b", "open_questions"),
    "decided",
)
"""Columns of the CSV. `winner`: a name. `frame_scores`: "71-20 5-66", A's points first."""
SHOWN_BREAKS = 10


@dataclass(frozen=True, slots=True)
class Standing:
    """A player's line in the table of a competition; matches without winner do not count."""

    player: str
    played: int
    won: int
    frames_for: int
    frames_against: int
    highest: int

    @property
    def rank(self) -> tuple[int, int, str]:
        """Sorts the better first: matches won, difference of frames, name."""
        return -self.won, self.frames_against - self.frames_for, self.player


def standings(results: Sequence[Result]) -> tuple[Standing, ...]:
    """The table over some results, the best first."""
    matches = grouped(((r, i) for r in results for i in (0, 1)), lambda m: m[0].players[m[1]])
    return tuple(sorted((_standing(name, own) for name, own in matches.items()), key=lambda s: s.rank))


def _standing(player: str, matches: Sequence[tuple[Result, int]]) -> Standing:
    """A player's line, from the results and the side of each that was his."""
    decided = [(r, i) for r, i in matches if r.winner is not None]
    return Standing(
        player,
        played=len(decided),
        won=sum(r.winner == "AB"[i] for r, i in decided),
        frames_for=sum(r.frames_won[i] for r, i in decided),
        frames_against=sum(r.frames_won[1 - i] for r, i in decided),
        highest=max(r.highest[i] for r, i in matches),
    )


def results_json(results: Sequence[Result]) -> str:
    """All results as JSON of `schema_text`; folders of the club's machine are left out."""
    rows = []
    for result in results:
        row: dict[str, Any] = {k: v for k, v in asdict(result).items() if k not in ("folder", "questions")}
        rows.append({**row, "open_questions": result.questions})
    return json.dumps({"schema": SCHEMA_VERSION, "matches": rows}, indent=1, ensure_ascii=False) + "\n"


def schema_text() -> str:
    """The published JSON Schema of `results_json`."""
    return (resources.files("referee.outputs") / "schema" / "results.schema.json").read_text("utf-8")


def results_csv(results: Sequence[Result]) -> str:
    """All results as CSV with COLUMNS; no cell begins like a formula."""
    return csv_text(COLUMNS, (_cells(r) for r in results))


def _cells(result: Result) -> list[object]:
    return [
        result.played_on,
        result.competition,
        result.fixture,
        result.game,
        *result.players,
        result.best_of,
        *result.frames_won,
        winner_name(result),
        " ".join(f"{f.score_a}-{f.score_b}" for f in result.frames),
        *result.highest,
        result.questions,
        result.decided,
    ]


def _highest(results: Sequence[Result]) -> list[tuple[str, str, list[tuple[int, str, str]]]]:
    """Of each game with breaks: its title, the figure's name in it, and the highest with player and date."""
    found = []
    for name, game in GAMES.items():
        breaks = sorted(
            (
                (r.highest[i], r.players[i], r.played_on)
                for r in results
                for i in (0, 1)
                if r.game == name and r.highest[i]
            ),
            key=lambda b: (-b[0], b[2], b[1]),
        )
        if breaks and game.runs:
            own = texts_of(name)
            found.append(
                (own.say(f"games.{name}"), own.say("stats.row_highest_break"), breaks[:SHOWN_BREAKS])
            )
    return found


def winner_name(result: Result) -> str | None:
    """The winner's name; None while nobody has won."""
    return None if result.winner is None else result.players["AB".index(result.winner)]


def results_page(results: Sequence[Result], fixtures: Sequence[FixtureRecord], title: str) -> str:
    """One self-contained HTML page: tables, results, fixtures, highest breaks. Nothing in it is private."""
    competitions = grouped(results, lambda r: r.competition or "")
    return (
        environment()
        .get_template("results.html.j2")
        .render(
            title=title,
            competitions=[(name, standings(found), found) for name, found in sorted(competitions.items())],
            fixtures=fixtures,
            breaks=_highest(results),
            winner_name=winner_name,
            linked_data=json_ld(results, fixtures),
        )
    )
