"""The page of players over time and its data, for every application that has a library."""

from __future__ import annotations

from typing import Any, Protocol

from fastapi import FastAPI, HTTPException

from calibration.texts import sentence


class Players(Protocol):
    """What the page needs of a library; methods may be called from several threads."""

    def roster(self) -> list[dict[str, Any]]:
        """Every player with matches, the latest to play first."""

    def career(self, name: str) -> dict[str, Any] | None:
        """A player's figures over time; None for somebody without matches."""


PAGES = {"/players": "players.html"}
FILES = (
    *("players.html", "players.js", "charts.js", "heat.js", "lib.js", "texts.js", "style.css", "beyond.css"),
    *("uplot/uPlot.esm.js", "uplot/uPlot.min.css"),
)
"""The page and what it loads, of `static`."""


def add_players(app: FastAPI, players: Players) -> None:
    """Add the page's data; the page itself is one of the application's pages."""

    @app.get("/api/players", summary="Every player with matches in the library")
    def roster() -> list[dict[str, Any]]:
        return players.roster()

    @app.get("/api/players/{name:path}", summary="A player over time")
    def career(name: str) -> dict[str, Any]:
        found = players.career(name)
        if found is None:
            raise HTTPException(404, sentence("players.error_nobody", name=repr(name)))
        return found
