"""English billiards: matches of several games (2.2, 3.1, 4.3) and the recorder's sheet (5.3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from referee.rules.common.replace import replace
from referee.rules.english_billiards.types import SIDES, Reason, Ruling, Side, State, index, other, side_of
from referee.rules.game import FactsError


@dataclass(frozen=True, slots=True)
class Match:
    """Games won and points of the finished games; `aggregate`: the greatest total wins (3.1).

    `games` is the number stipulated (2.2); `forfeited_to`: 4.3(b).
    """

    games: int
    aggregate: bool = False
    played: int = 0
    won: tuple[int, int] = (0, 0)
    points: tuple[int, int] = (0, 0)
    forfeited_to: Side | None = None

    def __post_init__(self) -> None:
        if self.games < 1:
            raise FactsError(f"a match has at least one game, got {self.games!r}")

    @property
    def winner(self) -> Side | None:
        """The side that has won the match; None while open, or level at the end."""
        if self.forfeited_to is not None:
            return self.forfeited_to
        tally = self.points if self.aggregate else self.won
        left = self.games - self.played
        if self.aggregate and left:
            return None
        if tally[0] > tally[1] + left:
            return "A"
        if tally[1] > tally[0] + left:
            return "B"
        return None


def add_game(match: Match, game: State, forfeited: bool = False) -> Match:
    """The match after a finished game. FactsError when the game is not over or the match is."""
    if not game.over:
        raise FactsError(f"expected a game that is over, got scores {game.scores!r} still in play")
    if match.played >= match.games or match.winner is not None:
        raise FactsError(f"the match of {match.games} games is over, got another game")
    won = match.won
    if game.winner is not None:
        won = (won[0] + (game.winner == "A"), won[1] + (game.winner == "B"))
    points = (match.points[0] + game.scores[0], match.points[1] + game.scores[1])
    after = replace(match, played=match.played + 1, won=won, points=points)
    if forfeited and game.winner is not None:
        return replace(after, forfeited_to=game.winner)  # 4.3(b)
    return after


@dataclass(frozen=True, slots=True)
class Sheet:
    """The recorder's line for one side (5.3): strokes, hazards, cannons, fouls, misses, breaks, average."""

    strokes: int = 0
    hazards: int = 0
    cannons: int = 0
    fouls: int = 0
    misses: int = 0
    points: int = 0
    turns: int = 0
    breaks: tuple[int, ...] = ()

    @property
    def average(self) -> float:
        """Points scored a turn at the table; 0 before the first."""
        return self.points / self.turns if self.turns else 0.0


def record(rulings: Iterable[tuple[str, Ruling]]) -> tuple[Sheet, Sheet]:
    """The sheets of A and B from (player, ruling) of each stroke in order; both sides' breaks in order."""
    sheets = {side: Sheet() for side in SIDES}
    for player, ruling in rulings:
        side = side_of(player)
        sheets[side] = _with_stroke(sheets[side], player, ruling)
    return sheets["A"], sheets["B"]


def _with_stroke(sheet: Sheet, player: str, ruling: Ruling) -> Sheet:
    if ruling.reason in (Reason.VOID_OPENING, Reason.REPLAY):
        return sheet
    ended = ruling.next_striker != player
    total = ruling.break_points
    return replace(
        sheet,
        strokes=sheet.strokes + 1,
        hazards=sheet.hazards + sum(p.kind != "cannon" for p in ruling.parts),
        cannons=sheet.cannons + sum(p.kind == "cannon" for p in ruling.parts),
        fouls=sheet.fouls + ruling.foul,
        misses=sheet.misses + ruling.miss,
        points=sheet.points + ruling.points,
        turns=sheet.turns + ended,
        breaks=(*sheet.breaks, total) if ended and total else sheet.breaks,
    )


def lead(state: State) -> tuple[Side | None, int]:
    """Who leads and by how much; the referee himself does not tell (5.1(b)(iv))."""
    a, b = state.scores
    if a == b:
        return None, 0
    ahead: Side = "A" if a > b else "B"
    return ahead, state.scores[index(ahead)] - state.scores[index(other(ahead))]
