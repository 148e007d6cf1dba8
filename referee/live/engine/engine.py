"""The engine of a live table: images from a camera, rulings out, with nobody at the controls.

One thread does everything that touches the match: images, what people ask (`submit`), the console's changes
(`on_thread`). It publishes on `stream`; whoever shows or feeds reads only that.
Over 400 lines: one thread's work on one match; halves of it would share every field.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import asdict, replace
from pathlib import Path
from typing import TypeVar

from calibration.errors import UnusableInput
from calibration.result import Calibration
from referee.facts.calls import FrameCall
from referee.facts.judged import Output
from referee.journal import WRITER
from referee.live.engine.asked import applied
from referee.live.engine.board import Change
from referee.live.engine.log import LiveLog
from referee.live.engine.mailbox import Mailbox
from referee.live.engine.memory import few_arenas, give_back
from referee.live.engine.picture import ENDED, PictureWatch
from referee.live.engine.publisher import Publisher
from referee.live.engine.requests import NewMatch, Request
from referee.live.engine.session import LiveMatch, begin_match, interrupted_match
from referee.live.engine.settings import LiveSettings
from referee.live.engine.standing import frames_won, match_winner
from referee.live.engine.state import LiveRuling, LiveState
from referee.live.engine.table_search import find_table
from referee.live.feeds.stream import EventStream
from referee.live.recording.recorder import Recording
from referee.live.recording.retention import Retention
from referee.outputs.clips import CLIPS_FOLDER
from referee.outputs.convert import video_json
from referee.outputs.document import VideoJson
from tracker.events import Gap
from vision import process
from vision.capture.source import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown
from vision.detect.detector import Detector
from vision.io.images import VideoImage, VideoInfo, probe

T = TypeVar("T")
LIVE = "live"
"""Who asked, where nobody said his name."""

_WAIT_S = 0.1
_HOLE_S = 0.1  # a longer hole than two or three images of a slow camera is told to the tracker
_SLOW_S = 5.0  # this long after the last skipped image the machine counts as keeping up
_LEAST_FREE_MB = 1000.0
_RESTART_S = 0.5  # a restart that took no longer lost nothing
_TIDY_S = 10.0  # freed memory lies about in pieces of some 20 MB; giving it back takes a millisecond or two
_LEAVE_S = 1.0
_FAILURES = 3  # in a minute: then the engine gives up


class LiveEngine:
    """Referees one table until `stop`. `run` in this thread, or `start` for one of its own."""

    def __init__(
        self, settings: LiveSettings, log: LiveLog | None = None, detector: Detector | None = None
    ) -> None:
        """Raises UnusableInput for a folder that cannot be used."""
        self.settings, self.log = settings, log or LiveLog(settings.table_name)
        try:
            settings.out.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise UnusableInput(
                f"{settings.out}: expected a folder that can be written, found {error.strerror}"
            ) from None
        self.stream = EventStream(settings.out, settings.table_name)
        self._pub = Publisher(settings.table_name, self.stream, self.log)
        self._detector = detector
        self._mail = Mailbox()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._match: LiveMatch | None = None
        self._recording: Recording | None = None
        self._retention = Retention(settings.out, settings.keep_days)
        self._picture = PictureWatch()
        self._camera: Camera | None = None
        self._first_index: int | None = None
        self._checked_s = float("-inf")
        self._skipped_s = self._tidied_s = float("-inf")
        self._failed: list[float] = []

    # -- for every thread ------------------------------------------------------------------------------

    @property
    def state(self) -> LiveState | None:
        """The newest published state; None before the first."""
        return self.stream.latest

    def start(self) -> None:
        """Run in a thread of its own."""
        self._thread = threading.Thread(target=self._guarded, name="engine", daemon=True)
        self._thread.start()

    def stop(self, timeout_s: float = 15.0) -> None:
        """End; the match can be gone on with. Raises what ended the engine before, if anything did."""
        self._stop.set()
        if self._thread is not None:  # a table that is still looked for has nothing to be written
            self._thread.join(timeout_s if self._match is not None else min(timeout_s, _LEAVE_S))
        if self._failure is not None:
            raise self._failure

    @property
    def running(self) -> bool:
        """Whether the engine's own thread works."""
        return self._thread is not None and self._thread.is_alive()

    def submit(self, request: Request, who: str = LIVE) -> Future[None]:
        """Ask for something; done when it is journalled and published. The future holds UnusableInput if
        refused.
        """
        return self._mail.put(lambda: self._asked(request, who))

    def on_thread(self, work: Callable[[LiveMatch], T], timeout_s: float = 30.0) -> T:
        """Change the match between two images; what that changes is published. TimeoutError after a while."""
        return self._waited(lambda: self._changed(work), timeout_s)

    def look(self, work: Callable[[LiveMatch], T], timeout_s: float = 30.0) -> T:
        """Read something of the match between two images."""
        return self._waited(lambda: work(self._watched()), timeout_s)

    @property
    def recording(self) -> Recording | None:
        """The recording of clips; None where none are kept."""
        return self._recording

    def _waited(self, work: Callable[[], T], timeout_s: float) -> T:
        return work() if threading.current_thread() is self._thread else self._mail.wait(work, timeout_s)

    # -- the engine's thread ---------------------------------------------------------------------------

    def _guarded(self) -> None:
        try:
            self.run()
        except BaseException as error:
            self._failure = error
            self.log("failed", text=f"{type(error).__name__}: {error}")

    def run(self) -> None:
        """Referee until `stop`, or until a file has ended (then the match is ended and written)."""
        settings = self.settings
        few_arenas()
        process.prepare(keep_memory=False)
        self.log("starting", camera=shown(settings.camera))
        self._pub.begin("starting", "looking for the camera", None)
        detector = self._detector = self._detector or Detector()
        self._match = interrupted_match(settings, detector)
        self._retention.on = self._match.terms.match_id if self._match is not None else None
        self._retention.start()
        self._camera = open_camera(settings.camera, self._options(), self._sink())
        ended = False
        try:
            if self._match is None:
                self._open_match(settings.match)
            else:
                self._resume(self._match)
            while not self._stop.is_set() and not ended:
                ended = self._turn(self._camera)
        finally:
            self._camera.close()
            self._retention.close()
            if self._match is not None:
                self._close(self._match, ended)
            if self._recording is not None:
                self._recording.close(over=ended)
            self._refuse_rest()

    def _options(self) -> CaptureOptions:
        s, match = self.settings, self._match
        options = CaptureOptions(rate_hz=s.rate_hz, speed=s.speed, loop=s.loop)
        zero = match.zero_unix_s if match is not None else None
        if match is None or zero is None:
            return options
        if s.speed == 0:
            return replace(options, after=match.watch.at, zero_unix_s=zero)
        at = match.watch.at or (0, 0.0)
        return replace(options, after=(at[0], max(at[1], match.reached_s)), zero_unix_s=zero)

    def _sink(self) -> Recording | None:
        if self.settings.record and not (self.settings.speed == 0 and self._is_file):
            self._recording = Recording(self.settings.keep_days)
        return self._recording

    @property
    def _is_file(self) -> bool:
        return Path(self.settings.camera).is_file()

    def _open_match(self, asked: NewMatch, leave: Callable[[LiveMatch], object] = lambda match: None) -> None:
        """A new match, with the calibration of the one before, of the file, or found in the picture.

        `leave`: what is still to be said in the one before. UnusableInput where no folder can be made;
        then all stays as it is.
        """
        assert self._detector is not None and self._camera is not None
        calibration = self._calibration_of_next(self._camera)
        if calibration is None:
            return
        before = self._match
        match = begin_match(self.settings, asked, calibration, self._detector, self._video())
        if before is not None:
            leave(before)
            if before.end(self._video()) is None:
                self.log("match_not_written", match=before.terms.match_id)
        self._match, self._first_index = match, None
        self._retention.on = match.terms.match_id
        self._pub.open(match)
        self._clocked(match, self._camera)
        self._record_into(match)
        self.log("match_begun", match=match.terms.match_id)
        self._pub.publish()

    def _clocked(self, match: LiveMatch, camera: Camera) -> None:
        """Keep when the match clock's zero was, as soon as that is known."""
        if camera.zero_unix_s is not None and camera.zero_unix_s != self._pub.zero_unix_s:
            self._pub.zero_unix_s = camera.zero_unix_s
        if camera.zero_unix_s is not None and match.zero_unix_s is None:
            match.set_clock(camera.zero_unix_s)

    def _resume(self, match: LiveMatch) -> None:
        self._record_into(match)
        self._pub.open(match)
        self._pub.zero_unix_s = match.zero_unix_s
        self._pub.t_s = match.reached_s
        self._pub.board.rebuilt(match.watch.referee.outputs, match.names, self._pub.t_s)
        self._pub.board.settle(match.watch.referee.standing[0], match.names)
        of = f", best of {match.terms.best_of}" if match.terms.best_of is not None else ""
        text = f"goes on with the match of {' and '.join(match.names)}{of}; --new-match begins another"
        strokes = match.watch.referee.position.strokes
        self.log("match_resumed", match=match.terms.match_id, strokes=strokes, text=text)
        self._pub.publish()

    def _record_into(self, match: LiveMatch) -> None:
        if self._recording is not None:
            try:
                self._recording.into(match.folder / CLIPS_FOLDER)
            except OSError as error:
                self._pub.begin("recording_stopped", f"no clips are kept: {error.strerror}", self._pub.t_s)

    def _calibration_of_next(self, camera: Camera) -> Calibration | None:
        """For a match that begins: the file may have been made anew since the last one; else as that
        one's.
        """
        if self._match is None:
            return self._calibration(camera)
        try:
            return (
                Calibration.load(self.settings.calibration)
                if self.settings.calibration
                else self._match.calibration
            )
        except UnusableInput as error:
            self.log("calibration_not_read", text=str(error))
            return self._match.calibration

    def _calibration(self, camera: Camera) -> Calibration | None:
        """From the file given, else from the live picture; None when stopped before one was found."""
        if self.settings.calibration is not None:
            return Calibration.load(self.settings.calibration)
        self._pub.begin("starting", "looking for the table in the picture", None)
        assert self._detector is not None
        while not self._stop.is_set():
            try:
                return find_table(camera, self.settings.table, self._detector, self._stop, self._camera_event)
            except UnusableInput as error:
                if self._stop.is_set():
                    return None
                self._pub.begin("view_wrong", f"the table is not found: {shown(str(error))}", self._pub.t_s)
                if camera.ended:
                    raise
        return None

    def _turn(self, camera: Camera) -> bool:
        """One item of the camera, or a moment without; whether the images are over."""
        self._mail.serve()
        item = camera.next(_WAIT_S)
        if isinstance(item, CameraImage):
            self._image(item)
        elif isinstance(item, CameraEvent):
            self._camera_event(item)
            if item.kind == "ended" and not self._is_file:
                raise RuntimeError(item.sentence)  # the capture's own fault: a restart goes on with the match
            if item.kind == "ended":
                return True
        self._idle()
        return False

    def _image(self, item: CameraImage) -> None:
        match = self._match
        if match is None:
            return
        image = item.image
        self._pub.t_s = image.t_s
        if self._first_index is None:
            self._first(match, image)
        outputs = self._fed(match, lambda: match.watch.feed(image))
        self._pub.health.image(item.captured_at_s)
        self._pub.end("camera_lost", "images come again")
        self._look(match, image)
        self._take(match, outputs)

    def _first(self, match: LiveMatch, image: VideoImage) -> None:
        self._first_index = image.index
        self._pub.end("starting", "the table is watched")
        if self._camera is not None:
            self._clocked(match, self._camera)
        at = match.watch.at
        if at is not None and image.t_s - at[1] > _RESTART_S:
            self._gap(Gap(at[1], image.t_s, "images_lost"))

    def _fed(self, match: LiveMatch, work: Callable[[], tuple[Output, ...]]) -> tuple[Output, ...]:
        """Run a step of the watch. One that fails is a fault of ours: back to the last closed stroke, and
        on.
        """
        try:
            return work()
        except (UnusableInput, sqlite3.ProgrammingError):
            raise
        except Exception as error:
            now = time.monotonic()
            self._failed = [t for t in self._failed if t > now - 60.0] + [now]
            self.log("fault", text=f"{type(error).__name__}: {error}", t_s=self._pub.t_s)
            if len(self._failed) >= _FAILURES:
                raise
            match.again()
            self._first_index = None
            return ()

    def _look(self, match: LiveMatch, image: VideoImage) -> None:
        """What the picture says beside the balls: hidden, another view, a knocked camera."""
        for code, text in self._picture.look(match.watch, image).items():
            if text:
                self._pub.begin(code, text, image.t_s)
            else:
                self._pub.end(code, ENDED[code])

    def _take(self, match: LiveMatch, outputs: tuple[Output, ...]) -> None:
        """Publish what an image brought."""
        referee, board = match.watch.referee, self._pub.board
        changes = board.take(outputs, match.names, self._pub.t_s)
        ahead = match.watch.outlook()
        changes += board.look_ahead(ahead[1] if ahead is not None else (), match.names, self._pub.t_s)
        moving = match.watch.tracker.span is not None
        if outputs:
            changes += board.settle(referee.standing[0], match.names)
        if outputs or changes:
            self._say(changes)
            self._next_match(match)
        elif moving != self._pub.moving:
            self._pub.moving = moving
            self._pub.publish(keep=False)
        self._pub.moving = moving

    def _next_match(self, match: LiveMatch) -> None:
        """A triangle set after the match is over begins another one, between the same players until told
        otherwise.
        """
        position = match.watch.referee.standing[0]
        won = frames_won(position)
        unplayed = (
            bool(position.frames)
            and position.frames[-1].first_stroke is None
            and position.frames[-1].ended is None
        )
        if match_winner(won, match.terms.best_of) is None or not unplayed or position.state is None:
            return
        breaks = "A" if position.state.starter[0] == "A" else "B"
        not_of_this = FrameCall(
            self._pub.t_s + 1e-3, "practice"
        )  # takes the unplayed frame out of the old match
        asked = NewMatch(match.names, match.terms.best_of, breaks)  # type: ignore[arg-type]  # A or B
        try:
            self._open_match(asked, lambda before: before.watch.referee.call(not_of_this, WRITER))
        except UnusableInput as error:  # a full disk: the frame is played in the old match
            self.log("no_new_match", text=str(error))

    def _camera_event(self, event: CameraEvent) -> None:
        if event.kind != "skipped":
            self.log(f"camera_{event.kind}", text=event.sentence, t_s=round(event.t_s, 3))
        self._pub.t_s = max(self._pub.t_s, event.t_s)
        if event.kind in ("lost", "stalled"):
            self._pub.begin("camera_lost", event.sentence, event.since_s)
        elif event.kind in ("connected", "size_changed"):
            self._pub.size_px = (event.width_px, event.height_px)
            if self._pub.end("camera_lost", "images come again"):
                self._pub.health.reconnects += 1
            if event.since_s is not None and event.kind == "connected":
                self._gap(Gap(event.since_s, event.t_s, "images_lost"))
        elif event.kind == "skipped" and self._first_index is not None:  # before it nobody was there to watch
            self._pub.health.skipped += event.count
            self._skipped_s = time.monotonic()
            self._pub.begin("slow", "images are skipped: this machine does not keep up", event.since_s)
            if self._pub.moving and event.since_s is not None and event.t_s - event.since_s > _HOLE_S:
                # what balls did in a hole is not known; at rest nothing is lost
                self._gap(Gap(event.since_s, event.t_s, "images_lost"))
        elif event.kind == "unusable" and self._match is not None and event.reason is not None:
            match, gap = self._match, Gap(event.since_s or 0.0, event.t_s, event.reason)
            self._take(match, self._fed(match, lambda: match.watch.note(gap)))
        elif event.kind == "dark":
            self._pub.begin("picture_covered", event.sentence, event.since_s)
        elif event.kind == "light":
            self._pub.end("picture_covered", event.sentence)
            if event.since_s is not None:
                self._gap(Gap(event.since_s, event.t_s, "other_view"))

    def _gap(self, gap: Gap) -> None:
        if self._match is not None and self._first_index is not None:
            match = self._match
            self._take(match, self._fed(match, lambda: match.watch.note(gap)))

    def _idle(self) -> None:
        """What is due by time: a state, the disk, the machine."""
        now = time.monotonic()
        if now - self._checked_s >= 2.0:
            self._checked_s = now
            self._check(now)
        self._pub.due()

    def _check(self, now: float) -> None:
        if now - self._tidied_s > _TIDY_S and not self._pub.moving:
            self._tidied_s = now
            give_back()
        if now - self._skipped_s > _SLOW_S and self._pub.end("slow", "this machine keeps up again"):
            self.log("skipped", count=self._pub.health.skipped, t_s=round(self._pub.t_s, 3))
        match = self._match
        if match is not None and not match.journal.flush():
            text = f"the journal cannot be written ({match.journal.failing}); it is kept in memory"
            self._pub.begin("journal_in_memory", text, self._pub.t_s)
        else:
            self._pub.end("journal_in_memory", "the journal is on disk")
        if self._recording is not None:
            if self._pub.board.questions:
                self._pub.board.clips_known(self._recording.clip_over)
            stopped, nearly, text = self._recording.trouble()
            self._pub.hold("recording_stopped", stopped, text or "clips are kept again")
            self._pub.hold("disk_nearly_full", nearly, text or "there is room on the disk again")
        elif match is not None:
            free = self._pub.health.machine(match.folder).disk_free_mb
            self._pub.hold(
                "disk_nearly_full", free is not None and free < _LEAST_FREE_MB, "the disk is nearly full"
            )

    # -- people ----------------------------------------------------------------------------------------

    def _asked(self, request: Request, who: str) -> None:
        if isinstance(request, NewMatch):
            self._watched()
            self._open_match(request)
            return
        self._changed(lambda match: applied(match, self._pub.board, request, self._pub.t_s, who))
        self.log("asked", request=type(request).__name__)

    def _watched(self) -> LiveMatch:
        if self._match is None:
            raise UnusableInput("expected a table that is watched, found one that is still looked for")
        return self._match

    def _changed(self, work: Callable[[LiveMatch], T]) -> T:
        match = self._watched()
        found = work(match)
        referee = match.watch.referee
        changes = self._pub.board.rebuilt(referee.outputs, match.names, self._pub.t_s)
        changes += self._pub.board.settle(referee.standing[0], match.names)
        self._say(changes)
        return found

    def _say(self, changes: list[Change]) -> None:
        """Publish what has changed, and keep the clips of strokes that were ruled."""
        self._pub.say(changes)
        for change in changes:
            if self._recording is not None and isinstance(change, LiveRuling):
                self._recording.keep(change.stroke, change.start_s, change.end_s)

    # -- ending ----------------------------------------------------------------------------------------

    def _video(self) -> VideoJson:
        """The source as `match.json` names it: a file as a review does, a camera without its address."""
        path = Path(self.settings.camera)
        if self._is_file and not self.settings.loop:
            return video_json(probe(path))
        width, height = self._pub.size_px
        return video_json(VideoInfo(path, width, height, self._pub.health.images, self._pub.t_s, 0.0)) | {
            "file": None
        }

    def _close(self, match: LiveMatch, ended: bool) -> None:
        if not ended:
            match.close()
        else:
            outputs = match.watch.close()
            self._take(match, outputs)
            match.end(self._video())
        self._pub.begin(
            "stopped", "the match has ended" if ended else "stopped; the same command goes on", self._pub.t_s
        )
        self.log("stopped", ended=ended, **{k: v for k, v in asdict(match.terms).items() if k == "match_id"})

    def _refuse_rest(self) -> None:
        """Nobody waits for an answer that cannot come."""
        self._match = None
        self._mail.serve()
