"""The games as people name them, what a match of each is made of, and what its score counts."""

from __future__ import annotations

from referee.rules.registry import GAMES

POINT_GAMES = ("snooker", "six_red", "english_billiards", "wpa_14_1", "carrom")
"""Games whose score is points; of the others it is racks or frames won."""


def unit_of(game: str) -> str:
    """What the game calls one of the things a match is made of: rack, frame, game or board."""
    return GAMES[game].unit if game in GAMES else "rack"
