"""The console's application: pages, `/api`, sockets. Built by `create_app`; nothing happens at import."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from fastapi import FastAPI, HTTPException, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.exception_handlers import http_exception_handler
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException as StarletteHTTPException

from calibration.errors import UnusableInput
from calibration.texts import ENGLISH, Texts, accepted, again, language_names, languages, load_texts
from referee.console import player_pages
from referee.console.change_bodies import ImpossibleState
from referee.console.export_queue import ExportQueue
from referee.console.guard import Guard, Policy
from referee.console.login import add_login, remember_screen
from referee.console.match_view import MatchView
from referee.console.page_files import KINDS, file_response, json_response
from referee.console.player_pages import Players, add_players
from referee.console.routes import api_router
from referee.console.wrong_body import what_is_wrong

STATIC = Path(__file__).parent / "static"
PAGES = {"/": "index.html", "/api": "api.html"}
ACCESS_PAGES = {"/users": "users.html"}
ACCESS_FILES = ("login.html", "login.js", "users.html", "users.js", "access.css", "texts.js", "icon.svg")
"""The pages of logging in and what they load; every application has them."""


async def unheard(sockets: Sequence[WebSocket], message: dict[str, Any]) -> list[WebSocket]:
    """Send a message to all at once; those that are gone, or do not read within two seconds, which hold up
    nobody else.
    """

    async def reached(socket: WebSocket) -> bool:
        try:
            await asyncio.wait_for(socket.send_json(message), timeout=2.0)
        except (RuntimeError, TimeoutError, WebSocketDisconnect, OSError):
            return False
        return True

    heard = await asyncio.gather(*map(reached, sockets))
    return [socket for socket, came in zip(sockets, heard, strict=True) if not came]


async def until_gone(socket: WebSocket, message: dict[str, Any]) -> None:
    """Send a page a message and wait until it is gone; pages send nothing this way."""
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        await socket.send_json(message)
        while (await socket.receive())["type"] != "websocket.disconnect":
            pass


@contextlib.asynccontextmanager
async def running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """`work` runs while the context lasts, and is cancelled at its end."""
    task = asyncio.create_task(work)
    yield
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


class Hub:
    """The browsers that watch a match; each is told of every change."""

    def __init__(self) -> None:
        self._sockets: dict[WebSocket, str] = {}

    async def join(self, socket: WebSocket, ident: str) -> None:
        await socket.accept()
        self._sockets[socket] = ident

    def leave(self, socket: WebSocket) -> None:
        self._sockets.pop(socket, None)

    async def tell(self, ident: str, message: dict[str, Any]) -> None:
        """Send to every browser that watches the match; drop those that are gone."""
        for socket in await unheard([s for s, watched in self._sockets.items() if watched == ident], message):
            self.leave(socket)


def create_app(
    matches: Sequence[MatchView] | dict[str, MatchView],
    policy: Policy,
    pages: Mapping[str, str] = MappingProxyType({}),
    more: Callable[[FastAPI], None] | None = None,
    sync: Callable[[], None] | None = None,
    players: Players | None = None,
) -> Guard:
    """The whole application behind its guard.

    `pages`: further pages by path, files of `static`, which may be opened by `?token=` as the overlay. `more`
    adds routes before the matches' own. Where `matches` is a dict by ident it may change while it is served:
    `sync`, called every second, does so. `players`: of a library, for the page of players over time.
    """
    opened = matches if isinstance(matches, dict) else {m.ident: m for m in matches}
    hub, queue = Hub(), ExportQueue()

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with running(_watch(opened, hub, sync, queue)):
            yield
        await asyncio.to_thread(queue.close)

    app = FastAPI(
        title="cueref review console",
        version="1",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.exports = queue
    if more is not None:
        more(app)
    app.include_router(api_router(opened, hub.tell, queue, players is not None), prefix="/api")
    if players is not None:
        add_players(app, players)
    shown = PAGES if players is None else {**PAGES, **player_pages.PAGES}
    add_pages(app, policy, {"/overlay": "overlay.html", **pages}, shown)
    _add_socket(app, opened, hub)

    say_what_is_wrong(app)
    return Guard(app, policy)


def texts_of(request: Request) -> Texts:
    """The texts in the language that the page asks for, or its browser."""
    return accepted(request.query_params.get("lang") or request.headers.get("accept-language", ""))


def say_what_is_wrong(app: FastAPI) -> None:
    """Answer unusable input and a body of the wrong shape with status 422 and a sentence, a disk that fails
    with 507.
    """

    @app.exception_handler(UnusableInput)
    async def unusable(request: Request, error: UnusableInput) -> JSONResponse:
        status = 409 if isinstance(error, ImpossibleState) else 422
        return JSONResponse({"detail": str(again(error, texts_of(request)))}, status_code=status)

    @app.exception_handler(StarletteHTTPException)
    async def refused(request: Request, error: StarletteHTTPException) -> Response:
        detail = str(again(error.detail, texts_of(request)))
        return await http_exception_handler(request, HTTPException(error.status_code, detail, error.headers))

    @app.exception_handler(OSError)
    @app.exception_handler(sqlite3.Error)
    async def failed(request: Request, error: Exception) -> JSONResponse:
        # a full or failing disk: the page says so, and the next request may find it well again
        words = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        detail = texts_of(request).say("errors.disk_that_can_be_used", words=words)
        return JSONResponse({"detail": detail}, status_code=507)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        detail = str(again(what_is_wrong(error.errors()), texts_of(request)))
        return JSONResponse({"detail": detail}, status_code=422)


def add_pages(
    app: FastAPI,
    policy: Policy,
    screens: Mapping[str, str],
    pages: Mapping[str, str] = MappingProxyType(PAGES),
    folder: Path = STATIC,
    files: Sequence[str] = (),
) -> None:
    """The pages and the files of `folder` that they load. `screens` also open by `?token=`, for devices that
    cannot log in. `files`: further ones, of the console, that a page of another application loads.
    """

    def route(path: str, file: Path) -> None:
        @app.get(path, include_in_schema=False, name=file.name)
        def shown(request: Request, token: str = "") -> Response:
            answer = file_response(request, file)
            if path in screens and not policy.open_reading and policy.opens_screen([token]):
                remember_screen(request, answer, policy)  # OBS does not log in, and the page loads files
            return answer

    for path, name in {**pages, **screens}.items():
        route(path, folder / name if (folder / name).is_file() else STATIC / name)
    for path, name in ACCESS_PAGES.items():
        route(path, STATIC / name)
    _add_static(app, folder, files)

    @app.get("/api/texts", summary="All texts of the pages in a language, and the languages there are")
    def texts(request: Request, lang: Annotated[str, Query(max_length=12)] = ENGLISH) -> Response:
        known = lang if lang in languages() else ENGLISH
        return json_response(request, load_texts(known).document() | {"languages": language_names()})

    add_login(app, policy, screens, STATIC / "login.html")


def _add_static(app: FastAPI, folder: Path, files: Sequence[str]) -> None:
    known = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    known |= {name: STATIC / name for name in (*ACCESS_FILES, *files)}

    @app.get("/static/{name:path}", include_in_schema=False)
    def static(request: Request, name: str) -> Response:
        # a list of the files, not a path to be resolved: nothing else can be read
        file = known.get(name)
        if file is None or file.suffix not in KINDS:
            return Response("no such file", status_code=404)
        return file_response(request, file)


def _add_socket(app: FastAPI, opened: dict[str, MatchView], hub: Hub) -> None:
    @app.websocket("/ws/{ident}")
    async def watch(socket: WebSocket, ident: str) -> None:
        match = opened.get(ident)
        if match is None:
            await socket.close(code=1008)
            return
        await hub.join(socket, ident)
        try:
            await until_gone(socket, {"version": match.version})
        finally:
            hub.leave(socket)


async def _watch(
    opened: dict[str, MatchView], hub: Hub, sync: Callable[[], None] | None, queue: ExportQueue
) -> None:
    """Tell the browsers when another process or a live table has changed a match. Exports of a match that is
    shown no more are not kept: it may have been deleted.
    """
    shown = set(opened)
    while True:
        await asyncio.sleep(1.0)
        if sync is not None:
            await asyncio.to_thread(sync)
        if not shown <= set(opened):
            await asyncio.to_thread(queue.forget)
        shown = set(opened)
        for match in list(opened.values()):
            with contextlib.suppress(UnusableInput, TimeoutError, OSError, sqlite3.Error):  # next time
                await _look_again(match, opened, hub)


async def _look_again(match: MatchView, opened: dict[str, MatchView], hub: Hub) -> None:
    if match.gone:  # deleted by another program: its pages end too
        opened.pop(match.ident, None)
        await asyncio.to_thread(match.close)
    elif await asyncio.to_thread(match.refresh):
        await hub.tell(match.ident, {"version": match.version})
