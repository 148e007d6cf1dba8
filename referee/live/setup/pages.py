"""The pages of `cueref setup`: the camera's picture with advice, the table, the match; then refereeing
begins.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from calibration.table.games import GAMES
from calibration.table.parse import DEFAULT_TABLE, parse_table
from calibration.table.specs import TableSpec
from calibration.texts import Texts, again, game_title, language_names, phrase, unusable_input
from referee.console.app import add_pages, say_what_is_wrong, texts_of
from referee.console.guard import Guard, Policy
from referee.console.page_files import json_response
from referee.console.serving import Serving
from referee.live.setup.guide import SetupSession, settled_end
from referee.live.setup.settings_file import TABLE_FILE, SetupFile, write_settings

NO_STORE = {"cache-control": "no-store"}
Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TableBody(_Body):
    """The table to be found: its game, playing area, ball and nose height, mm. Without sizes the game's usual
    table; `measured` false: nominal size, to be estimated.
    """

    game: Words = "snooker"
    length_mm: Annotated[float, Field(ge=600, le=5000)] | None = None
    width_mm: Annotated[float, Field(ge=300, le=5000)] | None = None
    ball_mm: Annotated[float, Field(ge=20, le=80)] | None = None
    nose_mm: Annotated[float, Field(ge=10, le=60)] | None = None
    measured: bool

    @property
    def table(self) -> str:
        """As `parse_table` reads it."""
        if self.length_mm is None or self.width_mm is None:
            return DEFAULT_TABLE
        return f"{'' if self.measured else '~'}{self.length_mm:g}x{self.width_mm:g}"

    def spec(self) -> TableSpec:
        """The table to be found. Raises UnusableInput for what no table of the game can have."""
        return parse_table(self.table, self.ball_mm, self.nose_mm, self.game)


class SaveBody(TableBody):
    """The first match, the clips to keep, and whether to begin at once."""

    table_name: Words
    player_a: Words
    player_b: Words
    best_of: Annotated[int, Field(ge=0, le=99)]
    breaks: Literal["A", "B"]
    keep_days: Annotated[float, Field(ge=0, le=3650)]
    record: bool = True
    language: Words
    voice: bool = False
    start: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """The folder that set-up writes, and how the pages are served during and after it; `port` as it is."""

    folder: Path
    serving: Serving
    port: int


class Setup:
    """The actions of the set-up pages on a session. `started` is set when the live program is to begin."""

    def __init__(self, session: SetupSession, place: Place, known: SetupFile | None) -> None:
        self._session, self._place, self.known = session, place, known
        self.started = threading.Event()
        self.saved: Path | None = None

    def document(self) -> dict[str, Any]:
        """Everything that the page shows, as plain JSON values."""
        command = f"cueref live --settings {self.saved}" if self.saved is not None else None
        return {
            **self._session.document(),
            "saved": str(self.saved) if self.saved else None,
            "command": command,
            "starting": self.started.is_set(),
        }

    def defaults(self) -> dict[str, Any]:
        """What the form begins with: the settings of the last time, without the camera's address."""
        known = self.known or SetupFile(camera=self._session.address)
        length, _, width = known.table.removeprefix("~").partition("x")
        usual = known.table == DEFAULT_TABLE
        shown = (
            "table_name",
            "game",
            "player_a",
            "player_b",
            "best_of",
            "breaks",
            "keep_days",
            "record",
            "language",
            "voice",
            "nose_mm",
        )
        return {
            **{k: getattr(known, k) for k in shown},
            "games": games_offered(),
            "usual": usual,
            "length_mm": None if usual else float(length),
            "width_mm": None if usual else float(width),
            "ball_mm": known.ball_mm or None,
            "measured": not known.table.startswith("~"),
            "languages": language_names(),
        }

    def calibrate(self, body: TableBody) -> None:
        """Begin to find a table, and begin the form with it from now on."""
        self._session.calibrate(body.spec())
        known = self.known or SetupFile(camera=self._session.address)
        ball_mm, nose_mm = body.ball_mm or 0.0, body.nose_mm or 0.0
        self.known = replace(known, game=body.game, table=body.table, ball_mm=ball_mm, nose_mm=nose_mm)

    def save(self, body: SaveBody) -> dict[str, Any]:
        """Write calibration and settings. Raises UnusableInput where something is wrong or still missing."""
        found = self._session.found
        if found is None:
            raise unusable_input("errors.table_that_was")
        if body.spec().mark_set != found.calibration.table.mark_set:
            raise unusable_input("errors.table_found_of_another_game", game=game_title(body.game))
        told = body.model_dump(exclude={"start", "length_mm", "width_mm", "measured"}) | {
            "nose_mm": body.nose_mm or 0.0,
            "ball_mm": body.ball_mm or 0.0,
        }
        address = self._session.address
        camera = (
            str(Path(address).resolve()) if Path(address).is_file() else address
        )  # found again from any folder
        settings = SetupFile(
            camera=camera,
            table=body.table,
            keep_gb=(self.known or SetupFile(camera)).keep_gb,
            **_served(self._place),
            **told,
        )
        self.saved, self.known = write_settings(self._place.folder, settings), settings
        settled_end(found.calibration).save(self._place.folder / TABLE_FILE)
        if body.start:
            self.started.set()
        return self.document()


def games_offered() -> list[dict[str, Any]]:
    """Every game that a table can be set up for, with its usual table (mm) and the marks on it."""
    found = []
    for game in GAMES:
        usual = GAMES[game].table()
        size = {"length_mm": usual.length_mm, "width_mm": usual.width_mm, "ball_mm": usual.ball_diameter_mm}
        found.append({"game": game, "marks": usual.mark_set, **size})
    return found


def _served(place: Place) -> dict[str, Any]:
    """How the pages are served, as the settings file has it; files are found again from any folder."""
    serving = place.serving
    files = {"tls_cert": serving.tls_cert, "tls_key": serving.tls_key}
    return {
        "host": serving.host,
        "port": place.port,
        "names": ",".join(serving.names),
        "proxies": ",".join(serving.proxies),
        "public": serving.public,
        "address": serving.address,
        **{name: str(file.resolve()) if file is not None else "" for name, file in files.items()},
    }


def create_setup_app(setup: Setup, session: SetupSession, texts: Texts, policy: Policy) -> Guard:
    """The application of setting up, behind the console's guard."""
    app = FastAPI(
        title="cueref setup", version="1", openapi_url="/api/openapi.json", docs_url=None, redoc_url=None
    )
    app.include_router(_router(setup, session, texts), prefix="/api")
    add_pages(app, policy, {}, {"/": "setup.html"})
    say_what_is_wrong(app)
    return Guard(app, policy)


def _router(setup: Setup, session: SetupSession, texts: Texts) -> APIRouter:
    router = APIRouter()

    @router.get("/live/texts", summary="All texts of the pages")
    def all_texts(request: Request) -> Response:
        return json_response(request, texts.document())

    @router.get("/setup", summary="The camera, its lights, the table")
    def state(request: Request) -> dict[str, Any]:
        texts = texts_of(request)
        shown: dict[str, Any] = again(setup.document(), texts)
        if shown["found"] is not None:
            shown["found"]["notes"] = [phrase(note, texts) for note in shown["found"]["notes"]]
        return shown

    @router.get("/setup/defaults", summary="What the form begins with")
    def defaults() -> dict[str, Any]:
        return setup.defaults()

    @router.get("/setup/picture", summary="The camera's picture now (JPEG)", response_class=Response)
    def picture(draw: bool = False) -> Response:
        data = session.picture_jpeg(draw)
        return Response(
            data or b"", status_code=200 if data else 204, media_type="image/jpeg", headers=NO_STORE
        )

    @router.get(
        "/setup/found", summary="The still with the table drawn over it (JPEG)", response_class=Response
    )
    def found() -> Response:
        known = session.found
        return Response(
            known.drawn if known else b"",
            status_code=200 if known else 204,
            media_type="image/jpeg",
            headers=NO_STORE,
        )

    _add_changes(router, setup, session)
    return router


def _add_changes(router: APIRouter, setup: Setup, session: SetupSession) -> None:
    def done(work: Callable[[], object]) -> dict[str, Any]:
        work()
        return setup.document()

    @router.post("/setup/calibrate", summary="Find the table in the picture")
    def calibrate(body: TableBody) -> dict[str, Any]:
        return done(lambda: setup.calibrate(body))

    @router.post("/setup/turn", summary="Call the other end baulk")
    def turn() -> dict[str, Any]:
        return done(session.turn)

    @router.post("/setup/save", summary="Write calibration and settings; begin to referee where asked")
    async def save(body: SaveBody) -> dict[str, Any]:
        return await asyncio.to_thread(setup.save, body)
