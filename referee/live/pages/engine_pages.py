"""The pages of an engine: connects its matches, requests, clips and events with `referee.live.pages.app`."""

from __future__ import annotations

import re
import shutil
from concurrent.futures import TimeoutError as FutureTimeout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calibration.errors import UnusableInput
from calibration.texts import Texts, unusable_input
from referee.console.guard import Policy
from referee.console.match_view import MatchView
from referee.console.serving import Serving
from referee.console.web_server import WebServer
from referee.live.engine.requests import Request
from referee.live.engine.state import LiveEvent, LiveState
from referee.live.feeds.fanout import Fanout, Outlet
from referee.live.feeds.metrics import Metrics
from referee.live.pages.app import create_live_app
from referee.live.pages.live_source import ASK_S, Engine, LiveSource, check_working, clip, span_of
from referee.live.pages.page_feed import PageFeed
from referee.live.pages.voice import Voice
from referee.outputs.clips import Clip

if TYPE_CHECKING:
    import socket

_MATCH = re.compile(r"\d{8}T\d{6}Z")
"""Name of a match's folder (`referee.live.engine.live_match`)."""


class EngineTable:
    """`referee.live.pages.app.Table` of an engine whose matches lie in `out`."""

    def __init__(self, engine: Engine, out: Path) -> None:
        self._engine, self._out = engine, out

    def ask(self, request: Request, who: str) -> str:
        """Queue the request in the engine and wait for it."""
        check_working(self._engine)
        future = self._engine.submit(request, who)
        try:
            future.result(ASK_S)
        except FutureTimeout:
            future.cancel()
            raise unusable_input("errors.table_to_answer_within_s", ask_s=f"{ASK_S:.0f}") from None
        return "done"

    def clip_file(self, stroke: int) -> Path | None:
        found = self._clip(stroke)
        return found.path if found is not None else None

    def _clip(self, stroke: int) -> Clip | None:
        span_s = span_of(self._engine, stroke)
        return clip(self._engine, span_s) if span_s is not None else None

    def delete_clips(self, stroke: int | None) -> int:
        recording = self._engine.recording
        ring = recording.ring if recording is not None else None
        if ring is None:
            return 0
        if stroke is None:
            return ring.delete_all()
        found = self._clip(stroke)
        return int(ring.delete(found.stroke)) if found is not None else 0

    def matches(self) -> list[dict[str, Any]]:
        """Newest first."""
        on = self._on()
        found = sorted(
            (p for p in self._out.iterdir() if _MATCH.fullmatch(p.name) and p.is_dir()), reverse=True
        )
        return [{"id": p.name, "on": p.name == on, "bytes": _size(p)} for p in found]

    def delete_match(self, ident: str) -> None:
        folder = self._out / ident
        if not _MATCH.fullmatch(ident) or folder.is_symlink() or not folder.is_dir():
            raise unusable_input("errors.one_that_is_kept", ident=repr(ident[:40]))
        if ident == self._on():
            raise unusable_input("errors.match_that_is_over", ident=ident)
        self._engine.stream.forget(ident)
        shutil.rmtree(folder)

    def _on(self) -> str | None:
        state = self._engine.stream.latest
        return state.match_id if state is not None else None


def _size(folder: Path) -> int:
    found = 0
    for path in folder.rglob("*"):
        try:
            found += path.stat().st_size
        except OSError:
            continue  # deleted by the ring meanwhile
    return found


class Pages:
    """Console, scoreboards and phone of a running engine, and its voice. Make it before the engine starts."""

    def __init__(
        self,
        engine: Engine,
        out: Path,
        policy: Policy,
        texts: Texts,
        listening: socket.socket,
        voice: bool = False,
        metrics: Metrics | None = None,
        serving: Serving | None = None,
    ) -> None:
        """`out`: where the matches lie. Raises UnusableInput where `voice` is asked for and none is
        installed.
        """
        self._engine = engine
        self._matches: dict[str, MatchView] = {}
        self._source: LiveSource | None = None
        feed = PageFeed(texts)
        outlets: list[Outlet] = [feed, *([Voice(texts)] if voice else [])]
        self._fanout = Fanout(outlets)
        self._table = EngineTable(engine, out)
        app = create_live_app(self._matches, self._table, feed, texts, policy, self._sync, metrics)
        self._server = WebServer(app, [listening], serving=serving)
        self._end = engine.stream.listen(self._hear)

    def start(self) -> None:
        """Serve. Raises UnusableInput when the server does not start."""
        self._server.start()

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._server.port

    def close(self) -> None:
        """Stop serving and speaking; open pages show that they have lost the table."""
        self._end()
        self._fanout.close()
        self._server.close()

    def _hear(self, event: LiveEvent) -> None:
        # on the engine's thread: nothing here may wait for it
        self._fanout.publish(event)
        source = self._source
        if source is not None:
            source.heard(event)

    def _sync(self) -> None:
        """Show the match that is on, and no other, in the console."""
        state: LiveState | None = self._engine.stream.latest
        if state is None or state.match_id in self._matches or not self._engine.running:
            return
        try:
            source = LiveSource(self._engine, state.match_id)
        except (UnusableInput, FutureTimeout):
            return  # the match or the engine has ended meanwhile; the next call finds out
        self._source = source
        self._matches[state.match_id] = MatchView(state.match_id, source)
        for ident in [i for i in self._matches if i != state.match_id]:
            self._matches.pop(ident).close()
