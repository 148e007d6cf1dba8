"""A served live table for the tests: a reviewed folder behind it, a feed that the test feeds, requests
noted.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
from console_fixture import TOKEN, make_review
from live_script import STATE

from calibration.errors import UnusableInput
from calibration.texts import load_texts
from referee.console.guard import Policy
from referee.console.reviews import open_review
from referee.console.web_server import WebServer
from referee.live.engine.requests import Nominate, Request
from referee.live.engine.state import document, event
from referee.live.feeds.metrics import Metrics
from referee.live.pages.app import create_live_app
from referee.live.pages.page_feed import PageFeed

__all__ = ["TOKEN", "NotedTable", "Site", "serving_live"]


@dataclass
class NotedTable:
    """Stands for the engine: notes what is asked; refuses to nominate brown."""

    clips: dict[int, Path] = field(default_factory=dict)
    asked: list[tuple[Request, str]] = field(default_factory=list)

    def ask(self, request: Request, who: str) -> str:
        if isinstance(request, Nominate) and request.ball == "brown":
            raise UnusableInput("nominate: expected a ball that is on, found brown")
        self.asked.append((request, who))
        return "done"

    def clip_file(self, stroke: int) -> Path | None:
        return self.clips.get(stroke)

    def delete_clips(self, stroke: int | None) -> int:
        gone = list(self.clips) if stroke is None else [n for n in self.clips if n == stroke]
        for n in gone:
            self.clips.pop(n).unlink()
        return len(gone)

    def matches(self) -> list[dict[str, Any]]:
        return []

    def delete_match(self, ident: str) -> None:
        raise UnusableInput(f"match {ident!r}: expected one that is kept, found none")


@dataclass
class Site:
    """The served table. `publish` sends a body as the engine's fan-out does."""

    url: str
    table: NotedTable
    feed: PageFeed
    server: WebServer
    metrics: Metrics
    seq: int = 0

    def publish(self, body: Any = STATE) -> None:
        self.seq += 1
        made = event(self.seq, 470.0, datetime.now(UTC).isoformat(), "Table 3", body)
        self.metrics.observe(made)
        found = document(made)
        self.feed.send(found["type"], json.dumps(found).encode())


def listening(port: int = 0) -> socket.socket:
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    made.bind(("127.0.0.1", port))
    return made


@contextlib.contextmanager
def serving_live(
    folder: Path,
    open_reading: bool = True,
    port: int = 0,
    review: bool = True,
    live: bool = False,
    make: Callable[[Path], object] | None = None,
) -> Iterator[Site]:
    """`live`: the match counts as the one that is being played; `make` writes its folder; None:
    of snooker.
    """
    if review and make is not None:
        make(folder)
    elif review:
        make_review(folder, video=False)
    match = open_review("match", folder)
    match._source.live = live  # type: ignore[misc]
    table, feed = NotedTable(), PageFeed(load_texts())
    metrics, policy = Metrics(), Policy(TOKEN, open_reading)
    app = create_live_app({"match": match}, table, feed, load_texts(), policy, metrics=metrics)
    server = WebServer(app, [listening(port)])
    server.start()
    try:
        yield Site(f"http://127.0.0.1:{server.port}", table, feed, server, metrics)
    finally:
        server.close()
        match.close()
