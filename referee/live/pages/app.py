"""The web application of a running table: console, scoreboards, phone.

Built on the review console's application and guard: Host and Origin are checked, changes need the session's
token, nothing comes from another host. The pages read the published state only; what a person enters goes to
the engine as a request.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from fastapi import APIRouter, FastAPI, HTTPException, WebSocket
from fastapi import Request as HttpRequest
from fastapi.responses import FileResponse, PlainTextResponse, Response

from calibration.texts import Texts, sentence
from referee.console import page_data
from referee.console.app import create_app
from referee.console.guard import Guard, Policy, visit_of
from referee.console.match_view import MatchView
from referee.console.page_files import json_response
from referee.live.engine.requests import Request
from referee.live.feeds.metrics import Metrics
from referee.live.pages.page_feed import PageFeed
from referee.live.pages.request_bodies import RequestBody

PAGES = {"/tv": "tv.html", "/phone": "phone.html"}
CLIP_KINDS = {".mp4": "video/mp4", ".mkv": "video/x-matroska"}


class Table(Protocol):
    """What the pages need of a running table; methods are called from the pages' threads."""

    def ask(self, request: Request, who: str) -> str:
        """Have a request carried out; one sentence about what it did. Raises UnusableInput when it is
        refused.
        """

    def clip_file(self, stroke: int) -> Path | None:
        """The kept clip of a stroke."""

    def delete_clips(self, stroke: int | None) -> int:
        """Delete the clips of a stroke, or all of this match; how many there were."""

    def matches(self) -> list[dict[str, Any]]:
        """The matches kept: `id`, `on` (it is being played), `bytes`."""

    def delete_match(self, ident: str) -> None:
        """Delete a match that is over, with its clips. Raises UnusableInput when there is none of that
        name.
        """


def create_live_app(
    matches: dict[str, MatchView],
    table: Table,
    feed: PageFeed,
    texts: Texts,
    policy: Policy,
    sync: Callable[[], None] | None = None,
    metrics: Metrics | None = None,
) -> Guard:
    """The whole application of one running table.

    `matches`: the match that is on, by its id; empty while the table is searched for. `sync` keeps it up to
    date. `metrics`: None where the package for them is not installed.
    """

    def add(app: FastAPI) -> None:
        app.include_router(_reading(matches, table, feed, texts), prefix="/api/live")
        app.include_router(_changing(table), prefix="/api/live")

        @app.get("/metrics", include_in_schema=False)
        def scrape() -> Response:
            if metrics is None:
                return PlainTextResponse(
                    "metrics need the extra 'live': pip install 'cueref[live]'\n", status_code=503
                )
            body, kind = metrics.text()
            return Response(body, media_type=kind)

        @app.websocket("/ws/live")
        async def follow(socket: WebSocket) -> None:
            await feed.follow(socket)

    return create_app(matches, policy, PAGES, add, sync)


def _reading(matches: dict[str, MatchView], table: Table, feed: PageFeed, texts: Texts) -> APIRouter:
    router = APIRouter()

    @router.get("", summary="The table's shape and its newest state")
    def live() -> dict[str, Any]:
        _, state = feed.state()
        head = None
        for match in list(matches.values())[-1:]:
            head = page_data.table_shape(match.document)
        return {
            "head": head,
            "waiting": feed.waiting,
            "state": json.loads(state) if state else None,
            "age_s": round(feed.age_s, 1),
        }

    @router.get("/texts", summary="All texts of the pages, in the table's language")
    def all_texts(request: HttpRequest) -> Response:
        return json_response(request, texts.document())

    @router.get("/clips/{stroke}", summary="The kept clip of a stroke", response_class=FileResponse)
    def clip(stroke: int) -> FileResponse:
        file = table.clip_file(stroke)
        if file is None or not file.is_file():
            raise HTTPException(404, sentence("web.no_clip"))
        return FileResponse(file, media_type=CLIP_KINDS.get(file.suffix, "application/octet-stream"))

    @router.get("/matches", summary="The matches that are kept, with their size")
    def kept() -> list[dict[str, Any]]:
        return table.matches()

    return router


def _changing(table: Table) -> APIRouter:
    router = APIRouter()

    @router.post("/requests", summary="Answer, nominate, choose, end a frame, take back, name players")
    async def ask(body: RequestBody, request: HttpRequest) -> dict[str, str]:
        author = visit_of(request.scope).person.signature(body.who)
        words = await asyncio.to_thread(table.ask, body.request(), author)
        return {"words": words}

    @router.delete("/clips/{stroke}", summary="Delete a stroke's clip")
    def delete(stroke: int, request: HttpRequest) -> dict[str, int]:
        deleted = table.delete_clips(stroke)
        request.app.state.exports.forget()  # evidence and films show the clip
        return {"deleted": deleted}

    @router.delete("/clips", summary="Delete all clips of this match")
    def delete_all(request: HttpRequest) -> dict[str, int]:
        deleted = table.delete_clips(None)
        request.app.state.exports.forget()
        return {"deleted": deleted}

    @router.delete("/matches/{ident}", summary="Delete a match that is over, with its clips")
    def delete_match(ident: str, request: HttpRequest) -> dict[str, int]:
        table.delete_match(ident)
        request.app.state.exports.forget()
        return {"deleted": 1}

    return router
