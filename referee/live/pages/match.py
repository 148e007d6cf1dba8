"""The match that an engine referees, open in the console: read and changed on the engine's own thread.

The console's pages know `OpenedMatch`; this one has its referee in the engine instead of a second fold of the
journal, its paths read from the part of `tracks.csv` that is asked for, and a clip for each stroke instead of
one video.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol, TypeVar

from calibration.errors import UnusableInput
from referee.console.changes import undo
from referee.console.opened import OpenedMatch
from referee.console.referee_thread import Bench
from referee.facts.calls import ChoiceCall
from referee.facts.corrections import Correction
from referee.facts.records import JudgedStroke, SeenStroke, StartRecord
from referee.live.engine.requests import Request
from referee.live.engine.session import LiveMatch
from referee.live.engine.state import LiveEvent, LiveQuestion, LiveRuling, LiveState
from referee.live.feeds.stream import EventStream
from referee.live.pages.tracks import tracks_of_span
from referee.live.recording.clips import Clip
from referee.live.recording.recorder import Recording
from referee.match.referee import Collected, Referee
from referee.outputs.convert import calibration_json, match_document, stroke_json
from referee.outputs.document import LayoutByColour, Match, Stroke
from referee.outputs.tracks import PART_FILE, Tracks

T = TypeVar("T")
ASK_S = 20.0
"""A page waits this long for the engine, which answers between two images."""
KEPT_PATHS = 8
LET_GO_S = 60.0
"""A match that no page has asked for so long is read anew for the next one."""


class Engine(Protocol):
    """What the pages need of `referee.live.engine.engine.LiveEngine`; methods may be called from any
    thread.
    """

    stream: EventStream

    @property
    def running(self) -> bool:
        """Whether the engine's thread works: otherwise nothing would answer."""

    @property
    def recording(self) -> Recording | None:
        """The recording of clips; None where none are kept."""

    def submit(self, request: Request, who: str = ...) -> Future[None]:
        """Have a request carried out."""

    def look(self, work: Callable[[LiveMatch], T], timeout_s: float = ...) -> T:
        """Read something of the match between two images."""

    def on_thread(self, work: Callable[[LiveMatch], T], timeout_s: float = ...) -> T:
        """Change the match between two images; what that changes is published."""


class LiveBench(Bench):
    """The referee of one match, on the engine's thread."""

    def __init__(self, engine: Engine, match_id: str) -> None:
        self._engine, self._match_id = engine, match_id
        self._base = engine.look(lambda match: _base(self._same(match)))
        self.forget()

    def close(self) -> None:
        """Nothing: the journal is the engine's."""

    def forget(self) -> None:
        """Let go of what was kept to make the next document quickly."""
        self._collected = Collected(stroke_json)
        self._entries = self._rewritten = 0
        self._of: Referee | None = None

    def _document(self) -> Match:
        """Work for a document does not grow with the match: strokes that stand as they were are not read
        again.
        """
        referee = self._referee
        if self._of is not referee or self._rewritten != referee.rewritten:
            self.forget()
            self._of, self._rewritten = referee, referee.rewritten
        self._entries, new = referee.outputs_from(self._entries)
        self._collected.add(new)
        position, last = referee.standing
        now = self._collected.with_more(last)
        return self._written(referee.match_of(position, now), now.strokes)

    def grown(self) -> bool:
        """Told by the stream, not asked for."""
        return False

    def correct(self, correction: Correction, who: str) -> Match:
        self._change(lambda m: m.watch.referee.correct(correction, who))
        return self.document()

    def choose(self, choice: ChoiceCall, who: str) -> Match:
        self._change(lambda m: m.watch.referee.call(choice, who))
        return self.document()

    def add(self, stroke: SeenStroke, who: str) -> Match:
        self._change(lambda m: m.watch.referee.add_stroke(stroke, who))
        return self.document()

    def undo(self, entry: int, who: str) -> Match:
        self._change(lambda m: undo(m.watch.referee, entry, who))
        return self.document()

    def _change(self, work: Callable[[LiveMatch], object]) -> None:
        working(self._engine)
        self._engine.on_thread(lambda match: work(self._same(match)), ASK_S)

    def _run(self, work: Callable[[], T]) -> T:
        def on_engine(match: LiveMatch) -> T:
            self._referee = self._same(match).watch.referee
            return work()

        working(self._engine)
        return self._engine.look(on_engine, ASK_S)

    def _same(self, match: LiveMatch) -> LiveMatch:
        if match.terms.match_id != self._match_id:
            raise UnusableInput(
                f"match {self._match_id}: expected the match that is on, found that it has ended"
            )
        return match


def working(engine: Engine) -> None:
    """Raises UnusableInput for an engine that has stopped: a page must not wait for it."""
    if not engine.running:
        raise UnusableInput(
            "expected a table that is refereed, found one that has stopped; start cueref live again"
        )


def _base(match: LiveMatch) -> Match:
    """What the journal does not hold: game and camera. The video is the strokes' clips."""
    camera = match.calibration.camera
    video: Any = {
        "file": None,
        "width": camera.width_px,
        "height": camera.height_px,
        "images": 0,
        "duration_s": 0.0,
    }
    return match_document(
        game=match.terms.game,
        players=match.names,
        start=StartRecord(None, None, (0, 0), True),
        video=video,
        calibration=calibration_json(match.calibration),
        frames=(),
        strokes=(),
        hands=(),
        spotting=(),
        warnings=(),
        score=(0, 0),
    )


class LiveOpened(OpenedMatch):
    """The match that is on, for the console. Methods may be called from several threads."""

    def __init__(self, engine: Engine, match_id: str) -> None:
        """Raises UnusableInput when that match is not on (any more)."""
        self.ident = match_id
        self._engine = engine
        self._lock = threading.RLock()
        self.version = 1
        self._running = False
        self.video = None
        self.folder = engine.look(lambda match: match.folder, ASK_S)
        self._bench: Bench | None = LiveBench(engine, match_id)
        self._live_bench = self._bench
        self._document: Match | None = None
        self._news = self._told = self._read = 0
        self._asked_s = 0.0
        self._paths: OrderedDict[int, Tracks] = OrderedDict()
        self._writer = None

    def heard(self, event: LiveEvent) -> None:
        """Take note of an event of the stream; called on the engine's thread, so nothing is read here."""
        if not isinstance(event.body, LiveState):
            self._news += 1

    @property
    def document(self) -> Match:
        """The match as it stands. Read when a page asks for it: all of a long match at once costs time and
        room.
        """
        with self._lock:
            self._asked_s = time.monotonic()
            news, bench = self._news, self._bench
            if bench is not None and (self._document is None or news != self._read):
                try:
                    self._document, self._read = bench.document(), news
                except (UnusableInput, TimeoutError):
                    if self._document is None:
                        raise UnusableInput(
                            f"match {self.ident}: expected the match that is on, found that it has ended"
                        ) from None
            return super().document

    def refresh(self) -> bool:
        """Whether something was judged or changed since the last look; what no page has asked for of late is
        let go.
        """
        with self._lock:
            if time.monotonic() - self._asked_s > LET_GO_S:
                self._document = None
                self._live_bench.forget()
            if self._news == self._told:
                return False
            self._told = self._news
            self.version += 1
            self._paths.clear()
            return True

    @property
    def live(self) -> bool:
        return True

    @property
    def tracks(self) -> Tracks:
        """None at all: a long match's paths are read stroke by stroke (`tracks_of`)."""
        return {}

    def tracks_of(self, stroke: Stroke) -> Tracks:
        """The paths around one stroke."""
        with self._lock:
            known = self._paths.get(stroke["n"])
            if known is None:
                known = tracks_of_span(self.folder / PART_FILE, stroke["start_s"], stroke["end_s"])
                self._paths[stroke["n"]] = known
                while len(self._paths) > KEPT_PATHS:
                    self._paths.popitem(last=False)
            return known

    def lying_now(self) -> LayoutByColour | None:
        """The balls as they were published last, `[x_mm, y_mm, sigma_mm]` by colour."""
        state = self._engine.stream.latest
        found: LayoutByColour = {}
        for ball in state.balls if state is not None else ():
            found.setdefault(ball.colour, []).append([ball.x_mm, ball.y_mm, ball.sigma_mm])
        return found

    def clip_of(self, n: int) -> tuple[Path, float] | None:
        """The kept clip of a stroke and the match time of its beginning."""
        stroke = self.stroke(n)
        found = clip(self._engine, (stroke["start_s"], stroke["end_s"])) if stroke is not None else None
        return (found.path, found.offset_s) if found is not None else None

    def close(self) -> None:
        """Nothing to write: the engine writes match.json when the match has ended."""

    def _write_soon(self) -> None:
        """As `close`."""


def clip(engine: Engine, span_s: tuple[float, float]) -> Clip | None:
    """The first part of the clip of a stroke with these times, as long as it is kept."""
    recording = engine.recording
    return recording.clip_over(*span_s) if recording is not None else None


def span_of(engine: Engine, n: int) -> tuple[float, float] | None:
    """The times of stroke `n`: from the published state where it is a recent one, else from the record."""
    state = engine.stream.latest
    recent: tuple[LiveRuling | LiveQuestion, ...] = (
        (*state.rulings, *state.questions) if state is not None else ()
    )
    for said in recent:
        if said.stroke == n:
            return said.start_s, said.end_s

    def recorded(match: LiveMatch) -> tuple[float, float] | None:
        strokes = (o for o in match.watch.referee.outputs if isinstance(o, JudgedStroke))
        return next(((o.seen.start_s, o.seen.end_s) for o in strokes if o.n == n), None)

    working(engine)
    return engine.look(recorded)
