"""The engine of a live table: images from a camera in, rulings out, without an operator.

One thread does everything that touches the match: images, what people ask (`submit`), the console's changes
(`on_thread`). It publishes on `stream`; pages and feeds read only that.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, TypeVar

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.texts import sentence, unusable_input
from referee.live.engine.live_match import LiveMatch, interrupted_match, keep_pointing
from referee.live.engine.log import LiveLog
from referee.live.engine.match_runner import MatchRunner
from referee.live.engine.publisher import Publisher
from referee.live.engine.requests import Request
from referee.live.engine.settings import LiveSettings
from referee.live.engine.state import LiveState
from referee.live.engine.table_search import find_table
from referee.live.feeds.stream import EventStream
from referee.live.recording.retention import Retention
from referee.live.recording.ring import Recording
from tracker.events import Gap
from vision import process
from vision.capture.source import Camera, CameraEvent, CameraImage, CaptureOptions, open_camera, shown
from vision.detect.detector import Detector

T = TypeVar("T")
LIVE = "live"
"""Who asked, where nobody gave a name."""

_WAIT_S = 0.1  # for one image, between two looks at requests
_HOLE_S = 0.1  # the tracker is told of a gap that is longer than two or three images of a slow camera
_SLOW_S = 5.0  # this long after the last skipped image the machine counts as keeping up
_LEAST_FREE_MB = 1000.0  # below this a warning is published, where no clips are kept
_CHECK_S = 2.0  # between two looks at disk, journal and machine
_TIDY_S = 10.0  # freed memory is scattered in pieces of some 20 MB; giving it back takes 1 to 2 ms
_LEAVE_S = 1.0  # for the end of a search for the table


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
            raise unusable_input(
                "errors.folder_that_can_be_written_2", out=settings.out, reason=error.strerror
            ) from None
        self.stream = EventStream(settings.out, settings.table_name)
        self._pub = Publisher(settings.table_name, self.stream, self.log)
        self._detector = detector
        self._mail = Mailbox()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None
        self._runner: MatchRunner | None = None
        self._recording: Recording | None = None
        self._checked_s = self._skipped_s = self._tidied_s = float("-inf")

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
        """End; the match can be resumed. Raises the error that ended the engine before, if there was one."""
        self._stop.set()
        if self._thread is not None:  # while the table is searched for there is nothing to write
            self._thread.join(timeout_s if self._match is not None else min(timeout_s, _LEAVE_S))
        if self._failure is not None:
            raise self._failure

    @property
    def running(self) -> bool:
        """Whether the engine's own thread works."""
        return self._thread is not None and self._thread.is_alive()

    def submit(self, request: Request, who: str = LIVE) -> Future[None]:
        """Queue a request. Its future is done when the request is journalled and published, and holds
        UnusableInput where it is refused.
        """
        return self._mail.put(lambda: self._watching().ask(request, who))

    def on_thread(self, work: Callable[[LiveMatch], T], timeout_s: float = 30.0) -> T:
        """Change the match between two images and publish the consequences. Raises TimeoutError."""
        return self._waited(lambda: self._watching().change(work), timeout_s)

    def look(self, work: Callable[[LiveMatch], T], timeout_s: float = 30.0) -> T:
        """Read the match between two images. Raises TimeoutError."""
        return self._waited(lambda: work(self._watching().watched()), timeout_s)

    @property
    def recording(self) -> Recording | None:
        """The recording of clips; None where no clips are kept."""
        return self._recording

    def _waited(self, work: Callable[[], T], timeout_s: float) -> T:
        return work() if threading.current_thread() is self._thread else self._mail.wait(work, timeout_s)

    @property
    def _match(self) -> LiveMatch | None:
        return self._runner.match if self._runner is not None else None

    def _watching(self) -> MatchRunner:
        if self._runner is None:
            raise unusable_input("errors.table_that_is_watched")
        return self._runner

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
        process.few_arenas()
        process.prepare(keep_memory=False)
        self.log("starting", camera=shown(settings.camera))
        self._pub.begin("starting", sentence("conditions.looking_for_camera"), None)
        detector = self._detector or Detector(pieces=PIECES[settings.game])
        match = interrupted_match(settings, detector)
        retention = Retention(settings.out, settings.keep_days, settings.keep_bytes)
        retention.on = match.terms.match_id if match is not None else None
        retention.start()
        if settings.record and not (settings.speed == 0 and self._is_file):
            self._recording = Recording(settings.keep_days, settings.keep_bytes)
        known = None if match is not None else self._known_table(detector)
        camera = open_camera(settings.camera, self._options(match), self._recording)
        self._runner = runner = MatchRunner(
            settings, self._pub, self.log, camera, detector, self._recording, retention
        )
        ended = False
        try:
            if match is not None:
                runner.resume(match)
            else:
                known = known or self._found(camera, detector, self._camera_event)
                if known is not None:
                    runner.open(settings.match, known)
            while not self._stop.is_set() and not ended:
                ended = self._turn(runner, camera)
        finally:
            camera.close()
            retention.close()
            runner.close(ended)
            if self._recording is not None:
                self._recording.close(over=ended)
            self._runner = None
            self._mail.serve()  # requests that still wait are refused

    def _options(self, match: LiveMatch | None) -> CaptureOptions:
        """How to read the camera; a resumed match keeps its clock."""
        s = self.settings
        options = CaptureOptions(rate_hz=s.rate_hz, speed=s.speed, loop=s.loop)
        passed_s = match.passed_s if match is not None else None
        if match is None or passed_s is None:
            return options
        zero_mono_s = time.monotonic() - passed_s
        options = replace(options, zero_unix_s=match.zero_unix_s, zero_mono_s=zero_mono_s)
        if s.speed == 0:
            return replace(options, after=match.watch.at)
        at = match.watch.at or (0, 0.0)
        return replace(options, after=(at[0], max(at[1], match.reached_s)))

    @property
    def _is_file(self) -> bool:
        return Path(self.settings.camera).is_file()

    def _known_table(self, detector: Detector) -> Calibration | None:
        """The calibration given, or that of a file, found before the file is played: a camera's picture is
        live, but a file's first strokes would pass meanwhile. None for a camera.
        """
        if self.settings.calibration is not None:
            return Calibration.load(self.settings.calibration)
        if not self._is_file:
            return None
        camera = open_camera(self.settings.camera, CaptureOptions(speed=0))
        try:
            return self._found(camera, detector, lambda _: None)
        finally:
            camera.close()

    def _found(
        self, camera: Camera, detector: Detector, heard: Callable[[CameraEvent], object]
    ) -> Calibration | None:
        """The calibration found in a camera's images; None where it is asked to stop before."""
        self._pub.begin("starting", sentence("conditions.looking_for_table"), None)
        while not self._stop.is_set():
            try:
                told = self.settings
                return find_table(camera, told.table, detector, self._stop, heard, told.bottom_at)
            except UnusableInput as error:
                if self._stop.is_set():
                    return None
                self._pub.begin(
                    "view_wrong", sentence("conditions.not_found", why=shown(str(error))), self._pub.t_s
                )
                if camera.ended:
                    raise
        return None

    def _turn(self, runner: MatchRunner, camera: Camera) -> bool:
        """Handle one item of the camera, if there is one; whether the images are over."""
        self._mail.serve()
        item = camera.next(_WAIT_S)
        if isinstance(item, CameraImage):
            runner.image(item)
        elif isinstance(item, CameraEvent):
            self._camera_event(item)
            if item.kind == "ended" and not self._is_file:
                raise RuntimeError(item.sentence)  # a fault of the capture: a restart resumes the match
            if item.kind == "ended":
                return True
        self._idle(runner)
        return False

    # -- what happens to the camera --------------------------------------------------------------------

    def _camera_event(self, event: CameraEvent) -> None:
        if event.kind != "skipped":
            self.log(f"camera_{event.kind}", text=event.sentence, t_s=round(event.t_s, 3))
        self._pub.t_s = max(self._pub.t_s, event.t_s)
        handle = self._CAMERA_EVENTS.get(event.kind)
        if handle is not None:
            handle(self, event)

    def _camera_lost(self, event: CameraEvent) -> None:
        self._pub.begin("camera_lost", event.sentence, event.since_s)

    def _camera_there(self, event: CameraEvent) -> None:
        self._pub.size_px = (event.width_px, event.height_px)
        if self._pub.end("camera_lost", sentence("conditions.images_again")):
            self._pub.load.reconnects += 1
        if event.since_s is not None and event.kind == "connected":
            self._watching().gap(Gap(event.since_s, event.t_s, "images_lost"))

    def _images_skipped(self, event: CameraEvent) -> None:
        runner = self._watching()
        if not runner.begun:  # before the first image no play is missed
            return
        self._pub.load.skipped += event.count
        self._skipped_s = time.monotonic()
        self._pub.begin("slow", sentence("conditions.skipped"), event.since_s)
        if self._pub.moving and event.since_s is not None and event.t_s - event.since_s > _HOLE_S:
            # balls may have done anything in the gap; at rest nothing is lost
            runner.gap(Gap(event.since_s, event.t_s, "images_lost"))

    def _images_unusable(self, event: CameraEvent) -> None:
        if event.reason is not None:
            self._watching().unusable(Gap(event.since_s or 0.0, event.t_s, event.reason))

    def _picture_dark(self, event: CameraEvent) -> None:
        self._pub.begin("picture_covered", event.sentence, event.since_s)

    def _picture_light(self, event: CameraEvent) -> None:
        self._pub.end("picture_covered", event.sentence)
        if event.since_s is not None:
            self._watching().gap(Gap(event.since_s, event.t_s, "other_view"))

    _CAMERA_EVENTS: ClassVar[Mapping[str, Callable[[LiveEngine, CameraEvent], None]]] = MappingProxyType(
        {
            "lost": _camera_lost,
            "stalled": _camera_lost,
            "connected": _camera_there,
            "size_changed": _camera_there,
            "skipped": _images_skipped,
            "unusable": _images_unusable,
            "dark": _picture_dark,
            "light": _picture_light,
        }
    )

    # -- what is due by time ---------------------------------------------------------------------------

    def _idle(self, runner: MatchRunner) -> None:
        now = time.monotonic()
        if now - self._checked_s >= _CHECK_S:
            self._checked_s = now
            self._check_machine(now)
            self._check_disk(runner.match)
        self._pub.due()

    def _check_machine(self, now: float) -> None:
        if now - self._tidied_s > _TIDY_S and not self._pub.moving:
            self._tidied_s = now
            process.give_back()
        if now - self._skipped_s > _SLOW_S and self._pub.end("slow", sentence("conditions.keeps_up")):
            self.log("skipped", count=self._pub.load.skipped, t_s=round(self._pub.t_s, 3))

    def _check_disk(self, match: LiveMatch | None) -> None:
        if match is not None:
            keep_pointing(self.settings.out, match.terms.match_id)
        if match is not None and not match.journal.flush():
            failing = sentence("conditions.not_written", why=match.journal.failing)
            self._pub.begin("journal_in_memory", failing, self._pub.t_s)
        else:
            self._pub.end("journal_in_memory", sentence("conditions.on_disk"))
        if self._recording is not None:
            if self._pub.published.questions:
                self._pub.published.clips_known(self._recording.clip_over)
            stopped, nearly, text = self._recording.trouble()
            self._pub.hold("recording_stopped", stopped, text or sentence("conditions.clips_again"))
            self._pub.hold("disk_nearly_full", nearly, text or sentence("conditions.room_again"))
        elif match is not None:
            free = self._pub.load.machine(match.folder).disk_free_mb
            nearly = free is not None and free < _LEAST_FREE_MB
            self._pub.hold("disk_nearly_full", nearly, sentence("conditions.disk_full"))


class Mailbox:
    """`put` is called from any thread; `serve` from the one that does the work."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def put(self, work: Callable[[], T]) -> Future[T]:
        """Queue work; the future holds its result or its error."""
        future: Future[T] = Future()

        def do() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(work())
            except BaseException as error:
                future.set_exception(error)

        self._work.put(do)
        return future

    def wait(self, work: Callable[[], T], timeout_s: float) -> T:
        """Queue work and wait for its result. After `timeout_s` TimeoutError is raised and the work is
        dropped.
        """
        future = self.put(work)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise

    def serve(self) -> None:
        """Do all queued work."""
        while True:
            try:
                work = self._work.get_nowait()
            except queue.Empty:
                return
            work()
