"""The routes of practice, below a match: positions, putting them back, the session that is on, results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from calibration.table.games import PIECES
from calibration.texts import unusable_input
from referee.console.change_bodies import ObjectBall, Who
from referee.console.door import Door
from referee.console.guard import visit_of
from referee.console.match_view import MatchView
from referee.console.practice.book import PracticeBook, Session
from referee.console.practice.counting import Try, tries_of
from referee.console.practice.positions import Position, layout_of, standard_positions
from referee.console.restore import layout_at, restore_layout
from referee.journal import now_utc
from referee.outputs.document import MATCH_FILE, Match, read_match, table_of

MatchOf = Callable[[str], MatchView]
_PRACTICE = "/matches/{ident}/practice"


class PositionBody(BaseModel):
    """A position to store: the balls at a moment of the video (`at`), before a stroke, or now (neither)."""

    model_config = ConfigDict(extra="forbid")
    name: Who
    kind: Literal["tries", "run"] = "tries"
    target: ObjectBall | None = None
    stroke: Annotated[int, Field(ge=1)] | None = None
    at: Annotated[float, Field(ge=0, le=1e6)] | None = None


class SessionBody(BaseModel):
    """A player who begins so many tries from a position. `since_s`: when strokes of a recording count."""

    model_config = ConfigDict(extra="forbid")
    player: Who
    position: Annotated[str, Field(max_length=40)]
    of: Annotated[int, Field(ge=1, le=100)] = 10
    since_s: Annotated[float, Field(ge=0, le=1e6)] = 0.0


class TryBody(BaseModel):
    """A try as a person saw it: a further one (`at_s` None), or another word on one that was counted."""

    model_config = ConfigDict(extra="forbid")
    who: Who
    at_s: Annotated[float, Field(ge=0, le=1e7)] | None = None
    made: Annotated[int, Field(ge=0, le=36)]
    counts: bool = True


class Books:
    """The practice files of the folders that are open, each once."""

    def __init__(self) -> None:
        self._books: dict[Path, PracticeBook] = {}

    def of(self, match: MatchView) -> PracticeBook:
        """Beside the matches of a live table; in the folder of a recording."""
        folder = match.folder.parent if match.live else match.folder
        return self._books.setdefault(folder.resolve(), PracticeBook(folder))


def add_practice(router: APIRouter, match_of: MatchOf, pictures: Door) -> None:
    """Add the routes of practice. `pictures`: for what reads the balls of a video."""
    books = Books()
    _add_positions(router, match_of, books, pictures)
    _add_sessions(router, match_of, books)


def _add_positions(router: APIRouter, match_of: MatchOf, books: Books, pictures: Door) -> None:
    @router.get(_PRACTICE, summary="Positions to practise from, the session that is on, who has practised")
    def practice(ident: str) -> dict[str, Any]:
        match = match_of(ident)
        book = books.of(match)
        sessions = book.sessions()
        on = _session_on(match, book)
        return {
            "positions": [_shown(p) for p in _positions(match, book)],
            "session": None if on is None else _session(on),
            "players": sorted({s.player for s in sessions}),
        }

    @router.post(f"{_PRACTICE}/positions", summary="Store the balls as they lie, or lay, as a position")
    async def keep(ident: str, body: PositionBody) -> dict[str, Any]:
        return await pictures.through(_kept, ident, body)

    def _kept(ident: str, body: PositionBody) -> dict[str, Any]:
        match = match_of(ident)
        if body.stroke is not None:
            stroke = match.stroke(body.stroke)
            if stroke is None:
                raise unusable_input("web.no_stroke", n=body.stroke)
            balls = stroke["before"]
        else:
            balls = layout_at(match, body.at or 0.0)
        layout = layout_of(balls, table_of(match.document))
        return _shown(books.of(match).keep(body.name, body.kind, layout, body.target))

    @router.post(f"{_PRACTICE}/positions/{{position}}/drop", summary="Forget a stored position")
    def drop(ident: str, position: str) -> dict[str, int]:
        books.of(match_of(ident)).drop(position)
        return {"dropped": 1}

    @router.get(f"{_PRACTICE}/positions/{{position}}/restore", summary="The balls now against a position")
    async def restore(
        ident: str, position: str, at: Annotated[float, Query(ge=0, le=1e6)] = 0.0
    ) -> dict[str, Any]:
        match = match_of(ident)
        wanted = _position(match, books.of(match), position)
        return await pictures.through(restore_layout, match, wanted.by_colour(), at)


def _add_sessions(router: APIRouter, match_of: MatchOf, books: Books) -> None:
    @router.get(f"{_PRACTICE}/session", summary="The session that is on, with its tries as counted by now")
    def session(ident: str) -> dict[str, Any] | None:
        match = match_of(ident)
        on = _session_on(match, books.of(match))
        return None if on is None else _session(on)

    @router.get(f"{_PRACTICE}/results", summary="The sessions of a player, oldest first")
    def results(ident: str, player: Annotated[str, Query(max_length=80)]) -> list[dict[str, Any]]:
        match = match_of(ident)
        sessions = books.of(match).sessions()
        return [_session(_counted(match, s)) for s in sessions if s.player == player]

    @router.post(f"{_PRACTICE}/sessions", summary="Begin tries from a position")
    def begin(ident: str, body: SessionBody) -> dict[str, Any]:
        match = match_of(ident)
        book = books.of(match)
        wanted = _position(match, book, body.position)
        before = _session_on(match, book)
        if before is not None:
            _ended(match, book, before.id)
        since_s = match.now_s() if match.live else body.since_s
        return _session(_counted(match, book.begin(body.player, wanted, body.of, ident, since_s)))

    @router.post(f"{_PRACTICE}/sessions/{{session}}/tries", summary="Say what became of a try, or count one")
    async def told(ident: str, session: str, body: TryBody, request: Request) -> dict[str, Any]:
        match = match_of(ident)
        author = visit_of(request.scope).person.signature(body.who)
        book = books.of(match)
        changed = await asyncio.to_thread(
            book.change, session, lambda s: with_try(_counted(match, s), body, author)
        )
        return _session(changed)

    @router.post(f"{_PRACTICE}/sessions/{{session}}/end", summary="End a session; what was counted stays")
    def end(ident: str, session: str) -> dict[str, Any]:
        match = match_of(ident)
        return _session(_ended(match, books.of(match), session))


def with_try(session: Session, body: TryBody, author: str) -> Session:
    """The session with a person's word on a try, or with one more. Raises UnusableInput for no such try."""
    if body.at_s is None:
        last = max((t.at_s for t in session.tries), default=session.since_s)
        more = Try(last + 1e-3, body.made, author, body.counts)
        return replace(session, tries=(*session.tries, more))
    if not any(t.at_s == body.at_s for t in session.tries):
        raise unusable_input("practice.error_no_try", t_s=body.at_s)
    told = (
        replace(t, made=body.made, by=author, counts=body.counts) if t.at_s == body.at_s else t
        for t in session.tries
    )
    return replace(session, tries=tuple(told))


def merged(session: Session, seen: list[Try]) -> Session:
    """The session with the tries that the camera saw; what a person said stays as it was said."""
    told = {t.at_s: t for t in session.tries if t.by is not None}
    tries = {t.at_s: t for t in seen} | told
    return replace(session, tries=tuple(tries[at] for at in sorted(tries)))


def _ended(match: MatchView, book: PracticeBook, session: str) -> Session:
    """End a session; the strokes counted by now are kept with it."""
    return book.change(session, lambda s: replace(_counted(match, s), ended_at=s.ended_at or now_utc()))


def _session_on(match: MatchView, book: PracticeBook) -> Session | None:
    """The session that is on, with the strokes of its match counted by now; nothing is written."""
    on = next(
        (s for s in reversed(book.sessions()) if s.match_id == match.ident and s.ended_at is None), None
    )
    return None if on is None else _counted(match, on)


def _counted(match: MatchView, session: Session) -> Session:
    """The session with the strokes of its match counted by now; one that has ended as it was written."""
    if session.ended_at is not None:
        return session
    document = _document_of(match, session.match_id)
    if document is None:
        return session
    seen = tries_of(document["strokes"], session.position, table_of(document), session.since_s)
    return merged(session, seen)


def _document_of(match: MatchView, ident: str) -> Match | None:
    """The match of a session: the one that is shown, or an earlier one of the same live table."""
    if ident == match.ident:
        return match.document
    folder = match.folder.parent / Path(ident).name
    return read_match(folder) if match.live and (folder / MATCH_FILE).is_file() else None


def _positions(match: MatchView, book: PracticeBook) -> tuple[Position, ...]:
    """Those that people stored, and those that can be laid with this game's balls."""
    pieces = PIECES.get(match.document["game"])
    balls = {kind.name for kind in pieces.kinds} if pieces else set()
    known = standard_positions(table_of(match.document))
    return (*book.positions(), *(p for p in known if balls.issuperset(p.by_colour())))


def _position(match: MatchView, book: PracticeBook, ident: str) -> Position:
    found = next((p for p in _positions(match, book) if p.id == ident), None)
    if found is None:
        raise unusable_input("practice.error_no_position", name=repr(ident))
    return found


def _shown(position: Position) -> dict[str, Any]:
    return {**asdict(position), "layout": position.by_colour()}


def _session(session: Session) -> dict[str, Any]:
    counted = session.counted
    return {
        **asdict(session),
        "position": _shown(session.position),
        "counted": len(counted),
        "made": sum(t.made for t in counted),
        "best": max((t.made for t in counted), default=0),
    }
