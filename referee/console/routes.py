"""`/api`: reading a match, deciding and correcting it, exports. Documented by OpenAPI."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import quote

from fastapi import APIRouter, HTTPException, Query, Request, Response
from fastapi.responses import FileResponse, StreamingResponse

from calibration.texts import ENGLISH, Texts, accepted, again, languages, load_texts, sentence
from referee.access.roles import Role
from referee.console import page_data
from referee.console.change_bodies import (
    AddressBody,
    CallBody,
    CorrectionBody,
    HandBody,
    MissedBody,
    StateBody,
    UndoBody,
    UnknownBody,
)
from referee.console.door import Door
from referee.console.export_queue import ExportQueue, Share
from referee.console.guard import visit_of
from referee.console.made_routes import Line, add_made, ask, opened, pieces
from referee.console.match_view import MatchView
from referee.console.practice.routes import add_practice
from referee.console.qr_code import qr_rows
from referee.console.restore import jpeg_at, restore_at, restore_picture, spots_at
from referee.match.questions import texts_of
from referee.match.spotting import TOLERANCE_MM
from referee.outputs.document import Match, frames_won
from referee.outputs.evidence import write_evidence
from referee.outputs.formats import FORMATS, Source, TextForm
from referee.outputs.replay import replay_json
from referee.outputs.sheet import SheetHead
from referee.outputs.tracks import TRACKS_FILE
from referee.outputs.words import Say, say_of

B = TypeVar("B", CallBody, CorrectionBody, HandBody, MissedBody, StateBody, UndoBody, UnknownBody)
Tell = Callable[[str, dict[str, Any]], Awaitable[None]]
SAFE_DOWNLOAD = {
    "content-security-policy": (
        "default-src 'none'; style-src 'unsafe-inline'; media-src data:; img-src data:; sandbox"
    )
}


def api_router(
    views: dict[str, MatchView], tell: Tell, queue: ExportQueue, players: bool = False
) -> APIRouter:
    """All routes below `/api`; `tell` reaches the browsers that watch a match, `queue` makes what takes
    long. `players`: there is a page of players over time, which the console leads to.
    """
    router = APIRouter()

    def match_of(ident: str) -> MatchView:
        match = views.get(ident)
        if match is None:
            raise HTTPException(404, sentence("web.no_match", ident=repr(ident)))
        return match

    _add_matches(router, views, match_of, players)
    _add_strokes(router, match_of)
    _add_findings(router, match_of)
    _add_exports(router, match_of)
    _add_evidence(router, match_of, queue)
    add_made(router, match_of, queue)
    _add_changing(router, match_of, tell)
    pictures = Door("pictures", 503, "web.pictures_wait", _MOST_PICTURES, _NICE)
    _add_placing(router, match_of, pictures)
    add_practice(router, match_of, pictures)
    return router


_NICE = 10
_MOST_PICTURES, _MOST_UPLOADS = 32, 4
"""Pictures of videos that are read or wait for it; pictures that are sent, each of 24 MiB at most."""
Language = Annotated[str, Query(max_length=20)]
Turn = Annotated[int | None, Query(ge=0, le=3)]


def _texts_of(request: Request) -> Texts:
    """The texts in the language of the page that asks."""
    return accepted(request.headers.get("accept-language", ""))


def _texts_about(match: MatchView, request: Request) -> Texts:
    """The same, with the balls' names of the match's game."""
    return texts_of(match.document["game"], _texts_of(request))


def _say(document: Match, language: str, turn: int | None) -> Say:
    """How a page wants things said: English where there is no file of the language."""
    known = language if language in languages() else ENGLISH
    return say_of(document, load_texts(known), turn)


def _head(match: MatchView, language: str = ENGLISH) -> dict[str, Any]:
    head = page_data.header(
        match.document,
        match.ident,
        match.version,
        match.video is not None,
        match.editable,
        match.running,
        _say(match.document, language, None),
    )
    return {**head, "live": match.live, "begun_on": match.begun_on(), "forms": list(TextForm)}


def _add_matches(
    router: APIRouter,
    views: dict[str, MatchView],
    match_of: Callable[[str], MatchView],
    players: bool,
) -> None:
    @router.get("/matches", summary="The opened matches")
    def matches() -> list[dict[str, Any]]:
        return [
            {
                "id": m.ident,
                "players": m.document["players"],
                "score": m.document["score"],
                "won": frames_won(m.document["frames"]),
                "strokes": len(m.document["strokes"]),
                "version": m.version,
                "live": m.live,
            }
            for m in list(views.values())
        ]

    @router.post("/qr", summary="An address as a QR code: rows of 0 and 1, dark is 1")
    def code(body: AddressBody) -> dict[str, Any]:
        return {"rows": qr_rows(body.text)}

    @router.get("/matches/{ident}", summary="A match without its strokes")
    def match(ident: str, request: Request) -> dict[str, Any]:
        language = _texts_of(request).language
        return {**_head(match_of(ident), language), "players_page": players}


def _add_strokes(router: APIRouter, match_of: Callable[[str], MatchView]) -> None:
    @router.get("/matches/{ident}/strokes", summary="All strokes, one line each")
    def strokes(
        ident: str, request: Request, lang: Language = ENGLISH, turn: Turn = None
    ) -> list[dict[str, Any]]:
        document = match_of(ident).document
        say = _say(document, lang, turn)
        return [shown_to(request, r) for r in page_data.rows(document, say)]

    @router.get("/matches/{ident}/strokes/{n}", summary="One stroke with all facts and the balls' paths")
    def stroke(
        ident: str, n: int, request: Request, lang: Language = ENGLISH, turn: Turn = None
    ) -> dict[str, Any]:
        match = match_of(ident)
        found = match.stroke(n)
        if found is None:
            raise HTTPException(404, sentence("web.no_stroke", n=n))
        say = _say(match.document, lang, turn)
        shown = page_data.stroke_detail(match.document, found, match.tracks_of(found), say)
        offered, called = match.calls_before(n)
        calls = {"open_calls": asdict(offered), "called": [asdict(c) for c in called]}
        return {**shown_to(request, shown), **calls, "clip": _clip_json(match, n)}

    @router.get(
        "/matches/{ident}/strokes/{n}/replay",
        summary="Where each ball was when, speeds, angles, spin that shows",
    )
    def replay(ident: str, n: int, lang: Language = ENGLISH, turn: Turn = None) -> dict[str, Any]:
        match = match_of(ident)
        found = match.stroke(n)
        if found is None or found["start_s"] is None:
            raise HTTPException(404, sentence("web.no_stroke", n=n))
        shown = replay_json(found, match.tracks_of(found), _say(match.document, lang, turn))
        return {**shown, "clip": _clip_json(match, n)}


def _clip_json(match: MatchView, n: int) -> dict[str, float] | None:
    clip = match.clip_of(n)
    return None if clip is None else {"offset_s": clip[1]}


def _add_findings(router: APIRouter, match_of: Callable[[str], MatchView]) -> None:
    @router.get("/matches/{ident}/questions", summary="The referee's calls that are open")
    def questions(
        ident: str, request: Request, lang: Language = ENGLISH, turn: Turn = None
    ) -> list[dict[str, Any]]:
        match = match_of(ident)
        document = match.document
        found = page_data.questions(document, _say(document, lang, turn), newest_first=match.live)
        return [shown_to(request, q) for q in found]

    @router.get("/matches/{ident}/spots", summary="Every respot against its due spot")
    def spots(
        ident: str,
        tolerance: Annotated[float, Query(ge=0, le=100)] = TOLERANCE_MM,
        lang: Language = ENGLISH,
    ) -> list[dict[str, Any]]:
        document = match_of(ident).document
        return page_data.spots(document, tolerance, _say(document, lang, None))

    @router.get("/matches/{ident}/statistics", summary="Statistics of both players")
    def statistics(ident: str, lang: Language = ENGLISH) -> dict[str, Any]:
        match = match_of(ident)
        return page_data.statistics(match.document, match.tracks, _say(match.document, lang, None))

    @router.get("/matches/{ident}/overlay", summary="What a scoreboard shows")
    def overlay(ident: str, until: int | None = None, lang: Language = ENGLISH) -> dict[str, Any]:
        document = match_of(ident).document
        return page_data.overlay(document, until, _say(document, lang, None))

    @router.get("/matches/{ident}/hands", summary="What hands did between the strokes")
    def hands(ident: str) -> list[dict[str, Any]]:
        return match_of(ident).hands()

    @router.get("/matches/{ident}/history", summary="Who changed what and when")
    def history(ident: str, request: Request) -> list[dict[str, Any]]:
        match = match_of(ident)
        said: list[dict[str, Any]] = again(match.history(), _texts_about(match, request))
        return said


def _download(file_name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{file_name}"', **SAFE_DOWNLOAD}


def _add_exports(router: APIRouter, match_of: Callable[[str], MatchView]) -> None:
    @router.get(
        "/matches/{ident}/video", summary="The video; byte ranges are served", response_class=FileResponse
    )
    def video(ident: str) -> FileResponse:
        match = match_of(ident)
        if match.video is None:
            raise HTTPException(404, sentence("web.no_video"))
        return _film(match.video)

    @router.get("/matches/{ident}/export/tracks", summary="Every ball's path", response_class=FileResponse)
    def tracks(ident: str) -> FileResponse:
        file = match_of(ident).folder / TRACKS_FILE
        if not file.is_file() or file.is_symlink():
            raise HTTPException(404, sentence("web.no_tracks"))
        return FileResponse(file, media_type="text/csv; charset=utf-8", headers=_download(TRACKS_FILE))

    @router.get(
        "/matches/{ident}/export/{form}", summary="The match in another form", response_class=Response
    )
    def export(
        ident: str,
        form: TextForm,
        timecode: Annotated[str, Query(max_length=20)] = "00:00:00:00",
        url: Annotated[str, Query(max_length=500)] = "",
        lang: Language = ENGLISH,
        date: Line = "",
        venue: Line = "",
        competition: Line = "",
        referee: Line = "",
    ) -> Response:
        match, written = match_of(ident), FORMATS[form]
        document = match.document
        address = f"/api/matches/{quote(match.ident)}/evidence"
        source = Source(
            document,
            _say(document, lang, None),
            lambda: match.tracks,
            SheetHead(date, venue, competition, referee),
            timecode,
            url,
            None if document["video"]["file"] is None else lambda n: f"{address}/{n}?lang={lang}",
        )
        text = written.write(source)
        return Response(text, media_type=written.media_type, headers=_download(written.file_name))

    @router.get(
        "/matches/{ident}/clips/{n}",
        summary="The video of one stroke of a live match",
        response_class=FileResponse,
    )
    def clip(ident: str, n: int) -> FileResponse:
        found = match_of(ident).clip_of(n)
        if found is None or not found[0].is_file():
            raise HTTPException(404, sentence("web.no_clip"))
        return _film(found[0])


def _film(file: Path) -> FileResponse:
    kinds = {".webm": "video/webm", ".mkv": "video/x-matroska"}
    return FileResponse(file, media_type=kinds.get(file.suffix.lower(), "video/mp4"))


def _add_evidence(router: APIRouter, match_of: Callable[[str], MatchView], queue: ExportQueue) -> None:
    def key(match: MatchView, n: int, blur: bool, lang: str) -> tuple[object, ...]:
        return match.ident, match.version, n, blur, lang

    @router.get(
        "/matches/{ident}/evidence/{n}",
        summary="One ruling with its clip, as one file; waits for its turn",
        response_class=Response,
    )
    async def evidence(
        ident: str, n: int, request: Request, blur: bool = False, lang: Language = ENGLISH
    ) -> Response:
        match = match_of(ident)
        headers = {"content-disposition": f'inline; filename="stroke-{n}.html"', **SAFE_DOWNLOAD}
        ticket = ask(
            queue,
            key(match, n, blur, lang),
            lambda to, share: _write_evidence(match, n, blur, lang, to, share),
        )
        file = await opened(ticket, request)
        if file is None:
            return Response(status_code=499)  # nobody reads it
        return StreamingResponse(pieces(file), media_type="text/html; charset=utf-8", headers=headers)

    @router.get(
        "/matches/{ident}/evidence/{n}/progress", summary="How far that file is; null before it is asked for"
    )
    def progress(ident: str, n: int, blur: bool = False, lang: Language = ENGLISH) -> dict[str, Any] | None:
        found = queue.progress(key(match_of(ident), n, blur, lang))
        return None if found is None else asdict(found)


def _write_evidence(match: MatchView, n: int, blur: bool, lang: str, target: Path, share: Share) -> None:
    clip, stroke = match.clip_of(n), match.stroke(n)
    tracks = match.tracks if stroke is None else match.tracks_of(stroke)
    video, begins_s = (match.video, 0.0) if clip is None else clip
    write_evidence(
        target,
        match.document,
        n,
        tracks,
        video,
        match.journal_of(n),
        blur=blur,
        begins_s=begins_s,
        share=share,
        weighed=match.explained(n),
        say=_say(match.document, lang, None),
    )


def _add_changing(router: APIRouter, match_of: Callable[[str], MatchView], tell: Tell) -> None:
    async def changed(
        ident: str, request: Request, change: Callable[[MatchView], dict[str, Any]]
    ) -> dict[str, Any]:
        match = match_of(ident)
        made = await asyncio.to_thread(change, match)
        await tell(ident, {"version": match.version})
        said: dict[str, Any] = again(made, _texts_about(match, request))
        return said

    @router.post("/matches/{ident}/corrections", summary="Change a fact; all that follows is judged again")
    async def correct(ident: str, body: CorrectionBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.correct(signed(body, request)))

    @router.post("/matches/{ident}/state", summary="Set striker, ball on, score and frames at any moment")
    async def state(ident: str, body: StateBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.set_state(signed(body, request)))

    @router.post("/matches/{ident}/calls", summary="Say what a player called before a stroke")
    async def call(ident: str, body: CallBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.call(signed(body, request)))

    @router.post("/matches/{ident}/unknown", summary="Say that one does not know what happened in a stroke")
    async def unknown(ident: str, body: UnknownBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.set_aside(signed(body, request)))

    @router.post("/matches/{ident}/strokes", summary="Add a stroke that was missed")
    async def add(ident: str, body: MissedBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.add(signed(body, request)))

    @router.post("/matches/{ident}/hands", summary="Say that a hand did not do what was seen")
    async def deny(ident: str, body: HandBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.deny_hand(signed(body, request)))

    @router.post("/matches/{ident}/undo", summary="Take back a correction, by a further entry")
    async def undo(ident: str, body: UndoBody, request: Request) -> dict[str, Any]:
        return await changed(ident, request, lambda match: match.undo(signed(body, request)))


def shown_to(request: Request, stroke: dict[str, Any]) -> dict[str, Any]:
    """A stroke as the one who asks may see it: the public is not told the names of referees."""
    decided = stroke.get("decided")
    if decided is None or visit_of(request.scope).person.role > Role.PUBLIC:
        return stroke
    return {**stroke, "decided": {**decided, "by": None}}


def signed(body: B, request: Request) -> B:
    """A change signed by the account that makes it; the name that a body claims counts without one only."""
    author = visit_of(request.scope).person.signature(body.who)
    return body.model_copy(update={"who": author})


def _add_placing(router: APIRouter, match_of: Callable[[str], MatchView], pictures: Door) -> None:
    uploads = Door("uploads", 503, "web.pictures_wait", _MOST_UPLOADS, _NICE)

    @router.get(
        "/matches/{ident}/restore",
        summary="The balls at a moment of the video against the position before a stroke",
    )
    async def at_moment(ident: str, stroke: int, at: Annotated[float, Query(ge=0, le=1e6)]) -> dict[str, Any]:
        return await pictures.through(restore_at, match_of(ident), stroke, at)

    @router.get(
        "/matches/{ident}/spots/now", summary="Whether the colours lie on their spots, at a moment or now"
    )
    async def spots_now(
        ident: str,
        at: Annotated[float, Query(ge=0, le=1e6)] = 0.0,
        tolerance: Annotated[float, Query(ge=0, le=100)] = TOLERANCE_MM,
    ) -> dict[str, Any]:
        return await pictures.through(spots_at, match_of(ident), at, tolerance)

    @router.get("/matches/{ident}/image", summary="One image of the video as JPEG", response_class=Response)
    async def image(ident: str, at: Annotated[float, Query(ge=0, le=1e6)]) -> Response:
        return Response(await pictures.through(jpeg_at, match_of(ident), at), media_type="image/jpeg")

    @router.post(
        "/matches/{ident}/restore",
        summary="The balls of a picture (the body) against the position before a stroke",
    )
    async def of_picture(ident: str, stroke: int, request: Request) -> dict[str, Any]:
        with uploads.place():
            data = await request.body()
            return await uploads.work(restore_picture, match_of(ident), stroke, data)
