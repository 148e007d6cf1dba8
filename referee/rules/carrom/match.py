"""Carrom: games of 25 points or eight boards, matches of three games, breakers, sides, doubles (39, 49, 56,
60).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from referee.rules.carrom.engine import game_state, opening
from referee.rules.carrom.types import Ruling, Side, State, other
from referee.rules.common.replace import replace
from referee.rules.game import FactsError

GAMES = 3  # 49(a)
CHANGE_AFTER_BOARD, CHANGE_AT_POINTS = 4, 13  # 60(b)


def breaker(first: Side, game: int, board: int) -> Side:
    """49(a): who breaks: alternately within a game; game 2 begins with the other player, game 3 as game 1."""
    if game < 1 or board < 1:
        raise FactsError(f"games and boards are numbered from 1, got game {game!r}, board {board!r}")
    return first if (game + board) % 2 == 0 else other(first)


def toss(winner: Side, choice: Literal["break", "side"]) -> tuple[Side, Side]:
    """39: (who breaks first, who chooses the side); the chooser of the break sits first, else the loser."""
    return (winner, other(winner)) if choice == "break" else (other(winner), winner)


def doubles_next(seating: tuple[str, str, str, str], player: str) -> str:
    """49(b): the turn passes to the player on the right; `seating` goes round to the right."""
    if player not in seating:
        raise FactsError(f"expected one of {seating!r}, got {player!r}")
    return seating[(seating.index(player) + 1) % len(seating)]


def doubles_placer(seating: tuple[str, str, str, str], striker: str, pocketed_opponent: bool) -> str:
    """78(b): the right-hand neighbour of the player in turn places due C/m; the striker himself, if the C/m
    became available because he pocketed the opponent's."""
    return striker if pocketed_opponent else doubles_next(seating, striker)


@dataclass(frozen=True, slots=True)
class Match:
    """A match between boards. `scores`: the game in play; `boards`: played in it; `side_changed`: in it."""

    first_breaker: Side = "A"
    games: int = GAMES
    won: tuple[int, int] = (0, 0)
    scores: tuple[int, int] = (0, 0)
    boards: int = 0
    sides_changed: bool = False
    extra_breaker: Side | None = None
    forfeited_to: Side | None = None
    finished: tuple[tuple[int, int], ...] = ()

    @property
    def game_no(self) -> int:
        return len(self.finished) + 1

    @property
    def winner(self) -> Side | None:
        """Who has won more than half of the games; None while the match is open."""
        if self.forfeited_to is not None:
            return self.forfeited_to
        need = self.games // 2 + 1
        return "A" if self.won[0] >= need else "B" if self.won[1] >= need else None

    @property
    def needs_toss(self) -> bool:
        """56(b): the extra board's breaker is tossed for."""
        return game_state(self.scores, self.boards)[2] and self.extra_breaker is None


def next_board(match: Match) -> State:
    """The board to play now. FactsError when the match is over or the extra board's toss is missing."""
    if match.winner is not None:
        raise FactsError(f"the match is over, won by {match.winner!r}")
    if match.needs_toss:
        raise FactsError("the extra board needs a toss for the break (56(b)) first")
    who = match.extra_breaker or breaker(match.first_breaker, match.game_no, match.boards + 1)
    return opening(who, match.scores, match.boards + 1)


def toss_extra(match: Match, breaks: Side) -> Match:
    """56(b): the toss before the extra board, for the break only."""
    if not match.needs_toss:
        raise FactsError("no extra board is due: expected equal scores after the eighth board")
    return replace(match, extra_breaker=breaks)


def add_board(match: Match, board: State, ruling: Ruling | None = None) -> Match:
    """The match after a board that is over; one cancelled (137, 140, 142) counts for nothing.

    A conceded game, or a match lost (143), is read from the ruling.
    """
    if not board.over:
        raise FactsError("expected a board that is over")
    if ruling is not None and ruling.match_winner is not None:
        return replace(match, forfeited_to=ruling.match_winner)
    if ruling is not None and ruling.cancelled:
        return match
    boards = match.boards + 1
    after = replace(match, scores=board.scores, boards=boards, extra_breaker=None)
    over, winner, _ = game_state(board.scores, boards)
    if ruling is not None and ruling.game_over:
        over, winner = True, ruling.game_winner
    if not over or winner is None:
        return after
    won = (match.won[0] + (winner == "A"), match.won[1] + (winner == "B"))
    return replace(
        after,
        won=won,
        scores=(0, 0),
        boards=0,
        sides_changed=False,
        finished=(*match.finished, board.scores),
    )


def change_of_sides_due(match: Match) -> bool:
    """60(b), (c): after the fourth board or 13 points, whichever is earlier; late, after the board in
    play.
    """
    reached = match.boards >= CHANGE_AFTER_BOARD or max(match.scores) >= CHANGE_AT_POINTS
    return reached and not match.sides_changed


def change_sides(match: Match) -> Match:
    """60: the players have changed sides."""
    return replace(match, sides_changed=True)
