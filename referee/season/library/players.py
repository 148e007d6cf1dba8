"""The library as the players' page asks for it; read anew when it has changed."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from referee.season.library.careers import Played, career_json, roster_json
from referee.season.library.store import Library

KEPT_S = 5.0
"""What was read of the library counts this long: a page asks several times as it is opened."""


class LibraryPlayers:
    """Players of a library (`referee.console.player_pages.Players`); from any thread."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._lock = threading.Lock()
        self._read: dict[str, tuple[Played, ...]] = {}
        self._read_s = -KEPT_S

    def roster(self) -> list[dict[str, Any]]:
        """Every player with matches."""
        return roster_json(self._played())

    def career(self, name: str) -> dict[str, Any] | None:
        """A player's figures over time; None for somebody without matches."""
        played = self._played().get(name)
        return career_json(name, played) if played else None

    def _played(self) -> Mapping[str, tuple[Played, ...]]:
        with self._lock:
            if time.monotonic() - self._read_s >= KEPT_S:
                self._read, self._read_s = _played(self._library), time.monotonic()
            return self._read


def _played(library: Library) -> dict[str, tuple[Played, ...]]:
    """The matches of every player in order of time."""
    strokes, breaks = library.strokes_of(), library.breaks_of()
    found: dict[str, list[Played]] = defaultdict(list)
    for result in reversed(library.results()):
        for k, name in enumerate(result.players):
            side = "AB"[k]
            own = tuple(s for s in strokes.get(result.id, ()) if s.side == side)
            scored = tuple(points for by, points in breaks.get(result.id, ()) if by == side)
            found[name].append(Played(result, k, own, scored))
    return {name: tuple(played) for name, played in found.items()}
