"""The library as the players' page asks for it; results are read anew when they may have changed."""

from __future__ import annotations

import threading
import time
from typing import Any

from referee.season.library.careers import Played, career_json, roster_json
from referee.season.library.store import Library, Result

KEPT_S = 5.0
"""Results that were read count this long: a page asks several times as it is opened."""


class LibraryPlayers:
    """Players of a library (`referee.console.player_pages.Players`); from any thread."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._read: tuple[Result, ...] = ()
        self._read_s = -KEPT_S

    def roster(self) -> list[dict[str, Any]]:
        """Every player with matches."""
        return roster_json(self._results(), self._library.pots())

    def career(self, name: str) -> dict[str, Any] | None:
        """A player's figures over time; None for somebody without matches."""
        own = [r for r in reversed(self._results()) if name in r.players]
        if not own:
            return None
        strokes, breaks = self._library.strokes_of(name), self._library.breaks_of(name)
        return career_json(
            name,
            [Played(r, r.players.index(name), strokes.get(r.id, ()), breaks.get(r.id, ())) for r in own],
        )

    def _results(self) -> tuple[Result, ...]:
        with self._lock:
            if time.monotonic() - self._read_s >= KEPT_S:
                played = tuple(r for r in self._library.results() if r.is_played)
                self._read, self._read_s = played, time.monotonic()
            return self._read
