"""The club's page: every table at one glance, from the states that the tables keep on the MQTT broker.

Reads only. Messages of a broker are not trusted: size, number of tables and shape are checked, and the page
shows them as text. A table whose process has died is shown as offline (the broker's last will).
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from fastapi import FastAPI, HTTPException, WebSocket

from calibration import json_text
from calibration.texts import sentence
from referee.console import player_pages
from referee.console.app import add_pages, running, say_what_is_wrong, unheard, until_gone
from referee.console.guard import Guard, Policy
from referee.console.player_pages import Players, add_players
from referee.console.qr_code import qr_rows
from referee.console.serving import LOOPBACK
from referee.live.engine.state import LIVE_VERSION
from referee.live.feeds.mqtt import ROOT, Broker, client_of

MAX_TABLES = 64  # a limit against a flood of topics
MAX_BYTES = 512 * 1024  # of a message
_PAGE = Path(__file__).parent / "club_page"
_FILES = ("qr.js",)  # of the console
_PUSH_S = 0.25  # between two documents to the pages


class Club:
    """The last state of each table. `take` is called from the broker's thread, `document` from any."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: dict[str, dict[str, Any]] = {}
        self.version = 0
        self.connected = False
        self.refused = ""

    def take(self, topic: str, payload: bytes) -> None:
        """Take one message of `cueref/TABLE/state`, `/online` or `/pages`; others, and what is malformed, are
        ignored.
        """
        parts = topic.split("/")
        if (
            len(parts) != 3
            or parts[0] != ROOT
            or parts[2] not in ("state", "online", "pages")
            or len(payload) > MAX_BYTES
        ):
            return
        with self._lock:
            known = parts[1] in self._tables
            if not known and len(self._tables) >= MAX_TABLES:
                return
            if not payload:  # a retained message that was cleared: the table is gone from the club
                self._tables.pop(parts[1], None)
                self.version += 1
                return
            entry = self._tables.get(
                parts[1], {"topic": parts[1], "online": False, "state": None, "pages": None}
            )
            value = _READ[parts[2]](payload)
            if value is None:
                return
            self._tables[parts[1]] = {**entry, parts[2]: value}
            self.version += 1

    def heard(self, connected: bool, refused: str = "") -> None:
        """Note whether the broker is connected; `refused`: its reason where it refuses the connection."""
        with self._lock:
            self.connected, self.refused = connected, refused
            self.version += 1

    def pages_of(self, topic: str) -> str | None:
        """The address of a table's pages; None where it has said none."""
        with self._lock:
            pages = self._tables.get(topic, {}).get("pages")
            return pages if isinstance(pages, str) else None

    def document(self) -> dict[str, Any]:
        """The document that the page shows, tables in order of name."""
        with self._lock:
            return {
                "connected": self.connected,
                "refused": self.refused,
                "tables": sorted(self._tables.values(), key=lambda t: str(t["topic"])),
            }


def _pages(payload: bytes) -> str | None:
    """The address of a table's pages; None for anything but a plain web address."""
    text = payload[:200].decode("ascii", "replace")
    return text if re.fullmatch(r"https?://[A-Za-z0-9.\-\[\]:_]+", text) else None


def _state(payload: bytes) -> dict[str, Any] | None:
    """The LiveState of a state event, or None for anything else or another version."""
    try:
        event = json_text.loads(payload)  # what pages could not be sent would end them all
    except ValueError:
        return None
    if not isinstance(event, dict) or event.get("type") != "state" or event.get("version") != LIVE_VERSION:
        return None
    body = event.get("body")
    return body if isinstance(body, dict) else None


_READ: dict[str, Callable[[bytes], Any]] = {
    "state": _state,
    "online": lambda payload: payload == b"true",
    "pages": _pages,
}


def follow(club: Club, broker: Broker) -> Callable[[], None]:
    """Subscribe in a thread of its own, reconnecting for ever; returns the function that ends it."""
    client = client_of(broker, "")

    def connected(client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if not reason.is_failure:
            client.subscribe([(f"{ROOT}/+/state", 1), (f"{ROOT}/+/online", 1), (f"{ROOT}/+/pages", 1)])
        club.heard(not reason.is_failure, str(reason) if reason.is_failure else "")

    client.on_connect = connected
    client.on_disconnect = lambda *_: club.heard(False, club.refused)
    client.on_message = lambda _client, _data, message: club.take(message.topic, message.payload)
    client.connect_async(broker.host, broker.port, keepalive=15)
    client.loop_start()

    def end() -> None:
        client.disconnect()
        client.loop_stop()

    return end


def create_club_app(club: Club, policy: Policy, players: Players | None = None) -> Guard:
    """The page, its data and its socket, behind the console's guard. `players`: of the club's library."""
    push = _Pusher(club)
    app = FastAPI(
        title="cueref club",
        version="1",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=lambda _: running(push.run()),
    )
    if players is not None:
        add_players(app, players)
        add_pages(app, policy, {"/": "club.html"}, player_pages.PAGES, _PAGE, (*player_pages.FILES, *_FILES))
    else:
        add_pages(app, policy, {"/": "club.html"}, {}, _PAGE, _FILES)

    @app.get("/api/tables")
    def tables() -> dict[str, Any]:
        return {**club.document(), "players_page": players is not None}

    @app.get("/api/tables/{topic}/qr")
    def code(topic: str) -> dict[str, Any]:
        pages = club.pages_of(topic)
        if pages is None:
            raise HTTPException(404, sentence("web.no_pages_of_that_table"))
        if (urlsplit(pages).hostname or "") in LOOPBACK:  # to a phone that is the phone itself
            return {"rows": [], "only_here": True}
        return {"rows": qr_rows(f"{pages}/phone"), "only_here": False}

    @app.websocket("/ws")
    async def watch(socket: WebSocket) -> None:
        await socket.accept()
        push.sockets.add(socket)
        try:
            await until_gone(socket, club.document())
        finally:
            push.sockets.discard(socket)

    say_what_is_wrong(app)
    return Guard(app, policy)


class _Pusher:
    """Sends the document to every open page when something has changed, at most four times a second."""

    def __init__(self, club: Club) -> None:
        self._club = club
        self.sockets: set[WebSocket] = set()

    async def run(self) -> None:
        seen = -1
        while True:
            await asyncio.sleep(_PUSH_S)
            version = self._club.version
            if version == seen or not self.sockets:
                continue
            seen, document = version, self._club.document()
            for socket in await unheard(list(self.sockets), document):
                self.sockets.discard(socket)
