"""What a league decides about a fixture away from the table: a walkover, a match given up, one to play again.

The journal tells what was played and stays as it is; a decision stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

from calibration.texts import unusable_input
from referee.season.library.database import put, text

Why = Literal["walkover", "retired", "awarded", "abandoned"]
"""Nobody came; a player gave up the match; the league awards it; it ended without a winner."""
WHYS: tuple[Why, ...] = get_args(Why)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision about a fixture. `winner`: a name, None for an abandoned match; `on`: ISO date."""

    fixture: str
    why: Why
    winner: str | None
    on: str


def decide(db: Any, outcome: Outcome) -> None:
    """Write a decision, in place of one of before.

    Raises UnusableInput for a fixture that is not there, a winner who does not play it, a winner of an
    abandoned match, none of another, and a walkover of a fixture that was played.
    """
    home, away, match = _fixture(db, outcome.fixture)
    fixture = repr(outcome.fixture)
    if outcome.why == "abandoned":
        if outcome.winner is not None:
            raise unusable_input("errors.no_winner_of_an_abandoned", fixture=fixture)
    elif outcome.winner not in (home, away):
        found = "none" if outcome.winner is None else repr(outcome.winner)
        raise unusable_input("errors.winner_of_a_fixture", fixture=fixture, home=home, away=away, found=found)
    if outcome.why == "walkover" and match is not None:
        raise unusable_input("errors.walkover_of_a_played_fixture", fixture=fixture)
    row = {"fixture": outcome.fixture, "why": outcome.why, "winner": outcome.winner, "decided_on": outcome.on}
    put(db, "outcomes", "fixture", [row])


def reopen(db: Any, fixture: str) -> None:
    """Forget what was decided about a fixture and which match was entered for it: it is to be played.

    Its match stays, outside of a fixture. Raises UnusableInput for a fixture that is not there.
    """
    _fixture(db, fixture)
    db.execute(text("DELETE FROM outcomes WHERE fixture = :id"), {"id": fixture})
    db.execute(text("UPDATE matches SET fixture = NULL WHERE fixture = :id"), {"id": fixture})


def drop_of_others(db: Any) -> None:
    """Delete decisions for somebody who does not play the fixture any more."""
    db.execute(
        text(
            "DELETE FROM outcomes WHERE winner IS NOT NULL AND fixture IN"
            " (SELECT id FROM fixtures WHERE home <> outcomes.winner AND away <> outcomes.winner)"
        )
    )


def outcomes(db: Any) -> dict[str, Outcome]:
    """Every decision, by its fixture."""
    rows = db.execute(text("SELECT fixture, why, winner, decided_on FROM outcomes ORDER BY fixture"))
    return {str(row[0]): Outcome(*row) for row in rows}


def _fixture(db: Any, fixture: str) -> tuple[str, str, str | None]:
    """Home, away and the match that is entered for a fixture."""
    row = db.execute(
        text(
            "SELECT f.home, f.away, m.id FROM fixtures f LEFT JOIN matches m ON m.fixture = f.id"
            " WHERE f.id = :id"
        ),
        {"id": fixture},
    ).first()
    if row is None:
        raise unusable_input("errors.fixture_of_the_library", fixture=repr(fixture))
    return str(row[0]), str(row[1]), row[2]
