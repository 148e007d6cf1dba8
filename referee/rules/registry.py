"""The rules of every game by the name that case files, journals and documents use."""

from __future__ import annotations

from typing import Any

from calibration.table.games import GAMES as PLAYED
from referee.rules import blackball, carrom, english_billiards, six_red, snooker, wepf
from referee.rules.game import Game
from referee.rules.wpa import eight_ball, fourteen_one, nine_ball, ten_ball

GAMES: dict[str, Game[Any, Any, Any]] = {
    game.name: game
    for game in (
        snooker.GAME,
        six_red.GAME,
        english_billiards.GAME,
        eight_ball.GAME,
        nine_ball.GAME,
        ten_ball.GAME,
        fourteen_one.GAME,
        blackball.GAME,
        wepf.GAME,
        carrom.GAME,
    )
}
GAMES |= {game.name: GAMES[game.rules] for game in PLAYED.values() if game.rules}

INFRINGEMENTS: tuple[str, ...] = tuple(
    dict.fromkeys(word for game in GAMES.values() for word in game.infringements)
)
"""What a person may say that was done wrong in a stroke: the words of every game."""

JUDGEMENTS: tuple[str, ...] = tuple(
    dict.fromkeys(name for game in GAMES.values() for name in game.judgements)
)
"""What a person may say of a stroke that some game's rules alone read."""


def unit_of(game: str) -> str:
    """What the game calls one of the things a match is made of: rack, frame, game or board."""
    return GAMES[game].unit if game in GAMES else "rack"
