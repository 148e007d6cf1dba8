"""Carrom: who breaks each board of a match (49(a))."""

from __future__ import annotations

from referee.rules.carrom.types import FactsError, Side, other


def breaker(first: Side, game: int, board: int) -> Side:
    """49(a): players break alternately within a game; game 2 begins with the other, game 3 as game 1."""
    if game < 1 or board < 1:
        raise FactsError(f"games and boards are numbered from 1, got game {game!r}, board {board!r}")
    return first if (game + board) % 2 == 0 else other(first)
