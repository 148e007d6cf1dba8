"""The routes of what is made on request: start and wait, how far it is, the file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Annotated, Any, BinaryIO, Literal

from fastapi import APIRouter, Depends, HTTPException, Query, Request, Response
from fastapi.responses import StreamingResponse

from calibration.texts import ENGLISH, languages, sentence
from referee.console.export_queue import ExportQueue, Make, QueueFull, Ticket, Unwanted
from referee.console.making import KINDS, Made, Wanted, make
from referee.console.match_view import MatchView
from referee.outputs.sheet import SheetHead

POLL_S = 0.1  # between two looks whether an export is made
_PIECE_BYTES = 1 << 16
_GONE = 499  # the browser has left; nobody reads the answer

Line = Annotated[str, Query(max_length=120)]


def wanted_of(
    form: Made,
    strokes: Annotated[str, Query(max_length=400)] = "",
    stroke: Annotated[int | None, Query(ge=0)] = None,
    least: Annotated[int, Query(ge=1, le=999)] = 50,
    drawn: bool = True,
    blur: bool = False,
    lang: Annotated[str, Query(max_length=20)] = ENGLISH,
    date: Line = "",
    venue: Line = "",
    competition: Line = "",
    referee: Line = "",
    scale: Literal["1", "2"] = "1",
) -> Wanted:
    """What a request asks for, from its path and query."""
    head = SheetHead(*(" ".join(x.split()) for x in (date, venue, competition, referee)))
    known = lang if lang in languages() else ENGLISH
    return Wanted(form, strokes, stroke, least, drawn, blur, known, head, 2 if scale == "2" else 1)


def add_made(router: APIRouter, match_of: Callable[[str], MatchView], queue: ExportQueue) -> None:
    """Add the routes below a match's `/made`."""

    def place(match: MatchView, wanted: Wanted) -> tuple[object, ...]:
        return match.ident, match.version, wanted

    def asked(ident: str, wanted: Wanted) -> Ticket:
        match = match_of(ident)
        return ask(queue, place(match, wanted), lambda to, share: make(match, wanted, to, share))

    @router.get(
        "/matches/{ident}/made/{form}",
        summary="A sheet, a film or a picture made on request; waits for its turn",
        response_class=Response,
    )
    async def made(ident: str, request: Request, wanted: Annotated[Wanted, Depends(wanted_of)]) -> Response:
        file = await opened(asked(ident, wanted), request)
        if file is None:
            return Response(status_code=_GONE)
        headers = {"content-disposition": f'attachment; filename="{wanted.form.value}"'}
        return StreamingResponse(pieces(file), media_type=KINDS[wanted.form], headers=headers)

    @router.get("/matches/{ident}/made/{form}/ready", summary="Has it made, and answers once it is")
    async def ready(
        ident: str, request: Request, wanted: Annotated[Wanted, Depends(wanted_of)]
    ) -> dict[str, Any]:
        file = await opened(asked(ident, wanted), request)
        if file is None:
            return {"bytes": None}
        with file:
            return {"bytes": file.seek(0, 2)}

    @router.get("/matches/{ident}/made/{form}/progress", summary="How far it is; null before it is asked for")
    def progress(ident: str, wanted: Annotated[Wanted, Depends(wanted_of)]) -> dict[str, Any] | None:
        found = queue.progress(place(match_of(ident), wanted))
        return None if found is None else asdict(found)


def ask(queue: ExportQueue, key: tuple[object, ...], work: Make) -> Ticket:
    """A place in the queue; status 503 where too many wait."""
    try:
        return queue.ask(key, work)
    except QueueFull:
        raise HTTPException(503, sentence("web.exports_wait"), {"retry-after": "60"}) from None


async def opened(ticket: Ticket, request: Request) -> BinaryIO | None:
    """The finished file, open; None where the one who asked has left, or what it shows was deleted meanwhile.
    Raises what making it raised.
    """
    try:
        while not ticket.done:
            if await request.is_disconnected():
                return None
            await asyncio.sleep(POLL_S)
        return ticket.open()
    except Unwanted:
        return None
    finally:
        ticket.close()


def pieces(file: BinaryIO) -> Iterator[bytes]:
    """The file in pieces, closed at the end."""
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece
