"""Which fold judges a record: snooker's, or the one of the other games. The same functions for both."""

from __future__ import annotations

from referee.facts.seen import Seen
from referee.match.games import fold as games
from referee.match.snooker import fold as snooker
from referee.match.snooker.position import Folded, Position, Settings

GAMES_FROM_VIDEO: tuple[str, ...] = ("snooker", "six_red", *games.EYES)
"""Games that are refereed from images."""


def beginning(settings: Settings) -> Position:
    """Before anything was seen."""
    return games.beginning(settings) if settings.game in games.EYES else Position()


def step(position: Position, seen: Seen, entry: int, settings: Settings) -> Folded:
    """Fold one entry of the record."""
    return (games.step if settings.game in games.EYES else snooker.step)(position, seen, entry, settings)


def finish(position: Position, settings: Settings) -> Folded:
    """The position at the end of the recording: what was called after the last stroke counts too."""
    return (games.finish if settings.game in games.EYES else snooker.finish)(position, settings)
