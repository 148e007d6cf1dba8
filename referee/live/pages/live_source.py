"""The match that an engine referees, for the console: read and changed on the engine's own thread.

The engine has the match's referee, so there is no second fold of its journal. Paths are read from the part of
`tracks.csv` around one stroke, and each stroke has a clip instead of one video.
"""

from __future__ import annotations

import csv
import io
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Protocol, TypeVar

from calibration.errors import UnusableInput
from calibration.texts import unusable_input
from referee.facts.judged import JudgedStroke, MatchRecord
from referee.live.engine.live_match import LiveMatch
from referee.live.engine.requests import Request
from referee.live.engine.state import LiveEvent, LiveQuestion, LiveRuling, LiveState
from referee.live.feeds.stream import EventStream
from referee.live.recording.ring import Recording
from referee.match.referee import Collected, Referee
from referee.outputs.clips import Clip
from referee.outputs.convert import calibration_json, match_document, stroke_json, with_record
from referee.outputs.document import LayoutByColour, Match, Stroke
from referee.outputs.tracks import PART_FILE, STATES, PathRow, Tracks, paths_of
from vision.io.picture import Picture

T = TypeVar("T")
ASK_S = 20.0
"""A page waits this long for the engine, which answers between two images."""
LET_GO_S = 60.0
"""A document that no page has asked for in this time is dropped; the next request reads it anew."""
_AFTER_S = 2e-3
"""What is said between strokes counts from this long after the one before, or before the next."""
_KEPT_PATHS = 8  # strokes
_MARGIN_S = 5.0
"""Rows of tracks.csv are in order of time but for those that the tracker decides late (a ball found gone)."""
_READ_BYTES = 8 * 2**20
"""Most that is read for one stroke; a minute of 22 moving balls at 50 images a second is 3 MB."""
_LINE_BYTES = 200  # more than any row of tracks.csv has


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
        """The recording of clips; None where no clips are kept."""

    def submit(self, request: Request, who: str = ...) -> Future[None]:
        """Have a request carried out."""

    def look(self, work: Callable[[LiveMatch], T], timeout_s: float = ...) -> T:
        """Read the match between two images. Raises TimeoutError."""

    def on_thread(self, work: Callable[[LiveMatch], T], timeout_s: float = ...) -> T:
        """Change the match between two images and publish the consequences."""


class LiveSource:
    """The match that is on (a `referee.console.match_view.MatchSource`)."""

    live, journalled, running, sound, gone = True, True, False, True, False
    video: Path | None = None

    def __init__(self, engine: Engine, match_id: str) -> None:
        """Raises UnusableInput when that match is not on (any more)."""
        self._engine, self._match_id = engine, match_id
        self._lock = threading.RLock()
        match = engine.look(self._same, ASK_S)
        self.folder, self._base = match.folder, empty_document(match)
        self._document: Match | None = None
        self._asked_s = 0.0
        self._news = self._told = self._read_news = 0
        self._paths: OrderedDict[int, Tracks] = OrderedDict()
        self._forget()

    def heard(self, event: LiveEvent) -> None:
        """Take note of an event of the stream; called on the engine's thread, so nothing is read here."""
        if not isinstance(event.body, LiveState):
            self._news += 1

    def document(self) -> Match:
        """The match as it stands, read from the engine when a page asks and something has changed."""
        with self._lock:
            self._asked_s = time.monotonic()
            news = self._news
            if self._document is None or news != self._read_news:
                try:
                    self._document, self._read_news = self.read(self._judged), news
                except (UnusableInput, TimeoutError):
                    if self._document is None:
                        raise unusable_input("errors.match_that_is_on", match_id=self._match_id) from None
            return self._document

    def refresh(self) -> bool:
        """Whether something was judged or changed since the last call; drops what no page has asked for."""
        with self._lock:
            if time.monotonic() - self._asked_s > LET_GO_S:
                self._document = None
                self._forget()
            if self._news == self._told:
                return False
            self._told = self._news
            self._paths.clear()
            return True

    def read(self, work: Callable[[Referee], T]) -> T:
        check_working(self._engine)
        return self._engine.look(lambda match: work(self._same(match).watch.referee), ASK_S)

    def change(self, work: Callable[[Referee], object]) -> Match:
        check_working(self._engine)
        with self._lock:
            self._engine.on_thread(lambda match: work(self._same(match).watch.referee), ASK_S)
            self._document = self.read(self._judged)
            return self._document

    @property
    def tracks(self) -> Tracks:
        """Empty: the paths of a long match are read stroke by stroke (`tracks_of`)."""
        return {}

    def tracks_of(self, stroke: Stroke) -> Tracks:
        with self._lock:
            known = self._paths.get(stroke["n"])
            if known is None:
                known = tracks_of_span(self.folder / PART_FILE, stroke["start_s"], stroke["end_s"])
                self._paths[stroke["n"]] = known
                while len(self._paths) > _KEPT_PATHS:
                    self._paths.popitem(last=False)
            return known

    def balls_now(self) -> LayoutByColour | None:
        """The balls of the state that was published last."""
        state = self._engine.stream.latest
        found: LayoutByColour = {}
        for ball in state.balls if state is not None else ():
            found.setdefault(ball.colour, []).append([ball.x_mm, ball.y_mm, ball.sigma_mm])
        return found

    def picture_now(self) -> Picture | None:
        """The camera's last picture."""
        check_working(self._engine)
        return self._engine.look(lambda match: self._same(match).picture, ASK_S)

    def now_s(self) -> float:
        """Just before the stroke that is under way, so that what is said does not undo it; else now."""

        def moment(match: LiveMatch) -> float:
            span = match.watch.tracker.span
            strokes = [o for o in match.watch.referee.outputs if isinstance(o, JudgedStroke)]
            ended_s = strokes[-1].seen.end_s if strokes else 0.0
            reached_s = match.watch.at[1] if match.watch.at is not None else ended_s
            return max(ended_s + _AFTER_S, reached_s if span is None else span.start_s - _AFTER_S)

        check_working(self._engine)
        return self._engine.look(moment, ASK_S)

    def clip_of(self, stroke: Stroke) -> tuple[Path, float] | None:
        found = clip(self._engine, (stroke["start_s"], stroke["end_s"]))
        return (found.path, found.offset_s) if found is not None else None

    def close(self) -> None:
        """Nothing to write: the journal is the engine's, which writes match.json at the end of the match."""

    def _same(self, match: LiveMatch) -> LiveMatch:
        if match.terms.match_id != self._match_id:
            raise unusable_input("errors.match_that_is_on", match_id=self._match_id)
        return match

    def _forget(self) -> None:
        """Drop what is kept to make the next document quickly."""
        self._collected = Collected(stroke_json)
        self._entries = self._rewritten = 0
        self._of: Referee | None = None

    def _judged(self, referee: Referee) -> Match:
        """The document; strokes that stand as they were are not read again, however long the match is."""
        if self._of is not referee or self._rewritten != referee.rewritten:
            self._forget()
            self._of, self._rewritten = referee, referee.rewritten
        self._entries, new = referee.outputs_from(self._entries)
        self._collected.add(new)
        position, last = referee.standing
        now = self._collected.with_more(last)
        return with_record(self._base, referee.match_of(position, now), now.strokes)


def check_working(engine: Engine) -> None:
    """Raises UnusableInput for an engine that has stopped: a page must not wait for it."""
    if not engine.running:
        raise unusable_input("errors.table_that_is_refereed")


def empty_document(match: LiveMatch) -> Match:
    """A match without strokes: its game and camera. There is no video but the strokes' clips."""
    camera = match.calibration.camera
    video: Any = {
        "file": None,
        "width": camera.width_px,
        "height": camera.height_px,
        "images": 0,
        "duration_s": 0.0,
    }
    return match_document(
        match.terms.game, video, calibration_json(match.calibration), MatchRecord(players=match.names)
    )


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

    check_working(engine)
    return engine.look(recorded)


def tracks_of_span(file: Path, start_s: float, end_s: float) -> Tracks:
    """The rows of a span of time, by ball; {} without a file. Lines that are cut short are ignored."""
    try:
        with file.open("rb") as handle:
            size = handle.seek(0, io.SEEK_END)
            low = _first_at(handle, size, start_s - _MARGIN_S)
            handle.seek(low)
            data = handle.read(min(_READ_BYTES, size - low))
    except OSError:
        return {}
    rows: dict[str, list[PathRow]] = defaultdict(list)
    for cells in csv.reader(data.decode("utf-8", "replace").splitlines()):
        row = _row(cells)
        if row is None:
            continue
        if row[0] > end_s + _MARGIN_S:
            break
        if start_s - 0.1 <= row[0] <= end_s + 0.1:
            rows[cells[1]].append(row)
    return paths_of(rows)


def _first_at(handle: io.BufferedReader, size: int, t_s: float) -> int:
    """The byte at which to begin reading for rows from a time on, by bisection: the beginning of a line or a
    little before.
    """
    low, high = 0, size
    while high - low > 64 * 1024:
        middle = (low + high) // 2
        handle.seek(middle)
        handle.readline()  # the rest of a line
        found = _time(handle.readline(_LINE_BYTES))
        if found is not None and found < t_s:
            low = middle
        else:
            high = middle
    return low


def _time(line: bytes) -> float | None:
    try:
        return float(line.split(b",", 1)[0])
    except ValueError:
        return None


def _row(cells: list[str]) -> PathRow | None:
    try:
        t_s, _, x_mm, y_mm, _, state = cells
        return (float(t_s), float(x_mm), float(y_mm), state) if state in STATES else None
    except ValueError:
        return None
