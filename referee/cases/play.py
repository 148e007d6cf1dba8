"""Plays a case one step at a time: JSON to facts, each fact through the game's `apply`, rulings to JSON.

`cueref cases`, `cueref judge` and reviews of declared facts all come through here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from referee.cases.model import CaseAdapter, CaseError, Position, Ruled, Step, Values
from referee.cases.registry import ADAPTERS
from referee.rules.common.match import Match, match_conceded, rack_won
from referee.rules.game import SIDES, Side
from referee.rules.registry import GAMES

_RACK_OVER = ("rack_over", "frame_over", "board_over", "game_over")
_WINNER = ("game_winner", "board_winner", "winner")


def adapter_of(game: str) -> CaseAdapter:
    """The game's adapter. Raises `CaseError` for a game without rules."""
    if game not in ADAPTERS:
        raise CaseError(f"no rules for the game {game!r} are built in")
    return ADAPTERS[game]


def begin(game: str, start: Step, options: Step, steps: Sequence[Step] = ()) -> Position[Any, Any]:
    """The position before the first step. Raises `CaseError` with one sentence."""
    adapter = adapter_of(game)
    with _case_errors():
        return adapter.begin(start, options, steps)


def advance(game: str, position: Position[Any, Any], step: Step) -> Ruled[Any, Any]:
    """One step ruled. Raises `CaseError` with one sentence."""
    adapter = adapter_of(game)
    with _case_errors():
        return adapter.advance(position, step)


def after_ruling(match: Match, game: str, values: Values) -> tuple[Match, bool, Side | None]:
    """(the match, whether the rack is over, its winner) after a ruling with these values."""
    over = any(values.get(key) for key in _RACK_OVER)
    won_by = next((values[key] for key in _WINNER if values.get(key) in SIDES), None) if over else None
    winner: Side | None = cast("Side | None", won_by)
    lost = values.get("match_lost_by")
    if lost in SIDES:
        return match_conceded(match, lost), over, winner
    counts = GAMES[game].unit != "board" or values.get("game_over")  # a board counts within its game only
    return (rack_won(match, winner) if winner is not None and counts else match), over, winner


def play(case: Step) -> list[Values]:
    """The values of every step of a case. Raises `CaseError` with one sentence."""
    return [ruled.values for ruled in ruled_steps(case)]


def ruled_steps(case: Step) -> Iterator[Ruled[Any, Any]]:
    """Every step of a case ruled, in order."""
    game, steps = str(case.get("game")), case["steps"]
    position = begin(game, case.get("start", {}), case.get("options", {}), steps)
    for step in steps:
        ruled = advance(game, position, step)
        yield ruled
        position = ruled.position


@contextmanager
def _case_errors() -> Iterator[None]:
    """Whatever a malformed case raises, as `CaseError`."""
    try:
        yield
    except CaseError:
        raise
    except KeyError as error:
        raise CaseError(f"field {error.args[0]!r} is missing or unknown") from error
    except ValueError as error:  # FactsError too
        raise CaseError(str(error)) from error
    except (TypeError, AttributeError, IndexError) as error:
        raise CaseError(f"a field has a value of the wrong kind ({error})") from error
