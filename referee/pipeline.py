"""The one place where the parts are put together: a video in, a refereed match out.

A run can be killed at any moment: after each closed stroke the journal and then the state of observer,
tracker and intake are on disk; the same command goes on from there and ends with the same `match.json`,
because everything after a checkpoint depends on it and on the images alone, and entries that the journal
holds already (killed between the two writes) are passed over.
"""

from __future__ import annotations

import hashlib
import json
import queue
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.table import TableSpec
from referee.calls import Call, Start
from referee.checkpoint import Checkpoint, pack, unpack
from referee.journal import Journal
from referee.outputs.convert import calibration_json, match_document, video_json
from referee.outputs.match_json import MATCH_FILE, Match, write_match
from referee.outputs.report import write_report
from referee.outputs.tracks_csv import TracksWriter, read_tracks
from referee.referee import Referee, open_referee
from referee.variants import first_layout, game_options
from tracker import Tracker
from tracker.events import Gap, HandMove, Layout, StrokeRecord, TrackerEvent, TrackRow
from vision.detect import Detector
from vision.images import VideoImage, VideoInfo, probe, read_video
from vision.observe import Observer

JOURNAL_FILE = "journal.sqlite"
_CHECKPOINT = "checkpoint"
_RUN = "run"
_COUNTED = ("six_red",)  # games whose options depend on the first layout
_QUEUE = 6  # images decoded ahead; each keeps about 3 MB at 1080p


@dataclass(frozen=True, slots=True)
class ReviewOptions:
    """What a person told the review. `start` None: assumed. `table` is nominal, before calibration."""

    table: TableSpec
    game: str = "snooker"
    calibration: Path | None = None
    calls: tuple[Call, ...] = ()
    start: Start | None = None


Progress = Callable[[str, int, int], None]
"""Called with (stage, done, of)."""


def review(video: Path, out: Path, options: ReviewOptions, progress: Progress | None = None) -> Match:
    """Review a video into the folder `out`; returns the match as written.

    Raises UnusableInput for a video, calibration or folder that cannot be used; nothing is written
    before the table has been found.
    """
    tell = progress or (lambda stage, done, of: None)
    info = probe(video)
    identity = _identity(video, info, options)
    resumed = _resumable(out, identity)
    detector = Detector()
    calibration = resumed or _calibration(video, options, detector, tell)
    _check_size(video, info, calibration)
    out.mkdir(parents=True, exist_ok=True)
    with Journal(out / JOURNAL_FILE) as journal:
        if resumed is None:
            _begin(journal, identity, calibration, info, options.game)
        run = _Run(video, info, out, options, calibration, detector, journal)
        run.watch(tell)
        return run.write(tell)


def _identity(video: Path, info: VideoInfo, options: ReviewOptions) -> str:
    """What makes two runs the same one: the video's bytes (by size and ends) and every option."""
    size = video.stat().st_size
    digest = hashlib.sha256(f"{size} {info.images} {info.width_px}x{info.height_px}\n".encode())
    with video.open("rb") as file:
        digest.update(file.read(1 << 20))
        file.seek(max(0, size - (1 << 20)))
        digest.update(file.read(1 << 20))
    told = {
        "table": asdict(options.table),
        "game": options.game,
        "calibration": options.calibration.read_text() if options.calibration and options.calibration.is_file() else None,
        "calls": [repr(c) for c in options.calls],
        "start": repr(options.start),
    }
    digest.update(json.dumps(told, sort_keys=True).encode())
    return digest.hexdigest()


def _resumable(out: Path, identity: str) -> Calibration | None:
    """The calibration of an earlier run of the same review in `out`, or None when there is none."""
    if not out.exists():
        return None
    if not out.is_dir():
        raise UnusableInput(f"{out}: expected a folder for the review, found a file")
    journal_file = out / JOURNAL_FILE
    if not journal_file.is_file():
        if (out / MATCH_FILE).exists():
            raise UnusableInput(f"{out}: expected an empty folder or an unfinished review, found a {MATCH_FILE} without journal")
        return None
    with Journal(journal_file) as journal:
        run = journal.progress(_RUN)
        if run is None:
            return None
        found = json.loads(run)
        if found["identity"] != identity:
            raise UnusableInput(
                f"{out}: expected an empty folder or a review of this video with these options,"
                " found the review of another; choose another --out"
            )
        return Calibration.from_text(found["calibration"], str(journal_file))


def _calibration(video: Path, options: ReviewOptions, detector: Detector, tell: Progress) -> Calibration:
    from referee.options import calibration_for

    tell("finding the table", 0, 1)
    calibration = calibration_for(video, options.calibration, options.table, detector)
    tell("finding the table", 1, 1)
    return calibration


def _check_size(video: Path, info: VideoInfo, calibration: Calibration) -> None:
    camera = calibration.camera
    if {camera.width_px, camera.height_px} != {info.width_px, info.height_px}:
        raise UnusableInput(
            f"{video}: expected images of {camera.width_px} x {camera.height_px} as calibrated,"
            f" found {info.width_px} x {info.height_px}"
        )


def _begin(journal: Journal, identity: str, calibration: Calibration, info: VideoInfo, game: str) -> None:
    """What the run is about: to go on from a kill, and for a console that opens it before it has ended."""
    record = {"identity": identity, "calibration": calibration.to_text(), "video": video_json(info), "game": game}
    journal.set_progress(_RUN, json.dumps(record).encode())


class _Run:
    """One review in progress: observer, tracker and referee over the images of a video."""

    def __init__(
        self,
        video: Path,
        info: VideoInfo,
        out: Path,
        options: ReviewOptions,
        calibration: Calibration,
        detector: Detector,
        journal: Journal,
    ) -> None:
        self.video, self.info, self.out, self.options = video, info, out, options
        self.calibration, self.journal = calibration, journal
        self.observer = Observer(calibration, detector)
        self.tracker = Tracker(calibration.table)
        self._early: list[TrackerEvent] = []
        self._referee = None if options.game in _COUNTED else self._begun(())
        stored = journal.progress(_CHECKPOINT)
        self.checkpoint = unpack(stored) if stored else None
        if self.checkpoint is not None:
            self.tracker = self.checkpoint.tracker
            self.observer.state = self.checkpoint.observer
            self.referee.intake = self.checkpoint.intake

    def watch(self, tell: Progress) -> None:
        """Feed every image that is not yet behind the checkpoint."""
        start = self.checkpoint
        if start is not None and start.image_index < 0:
            return  # reviewed to its end before
        tracks = TracksWriter(self.out, start.tracks_at if start else None)
        try:
            for image in _ahead(self.video, start):
                seen = self.observer.feed(image)
                events = self.tracker.feed(seen)
                if seen.camera_moved is not None:
                    events = [*events, Gap(seen.camera_moved.since_s, image.t_s, "camera_moved")]
                self._feed(events, tracks, image)
                if image.index % 10 == 0:
                    tell("watching", image.index + 1, self.info.images)
            self._feed(self.tracker.close(), tracks, None)
            early, self._early = self._early, []
            for event in early:  # no layout ever came
                self.referee.feed(event)
            self.referee.close()
            tracks.commit()
            self.journal.set_progress(_CHECKPOINT, pack(Checkpoint(-1, 0.0, 0, None, None, None)))
        finally:
            tracks.close()
        tell("watching", self.info.images, self.info.images)

    def _feed(self, events: list[TrackerEvent], tracks: TracksWriter, image: VideoImage | None) -> None:
        if not events:
            return
        rows = [e for e in events if isinstance(e, TrackRow)]
        tracks.write_all(self._row(r) for r in rows)
        for event in events:
            if not isinstance(event, TrackRow):
                self._judge(self._told(event))
        if image is not None and any(isinstance(e, StrokeRecord) for e in events):
            state = Checkpoint(
                image.index, image.t_s, tracks.mark(), self.tracker, self.observer.state, self.referee.intake
            )
            self.journal.set_progress(_CHECKPOINT, pack(state))

    @property
    def referee(self) -> Referee:
        """The referee; begun here at the latest, without a layout, when nothing was ever seen."""
        if self._referee is None:
            self._referee = self._begun(())
        return self._referee

    def _begun(self, layout: Layout) -> Referee:
        """The referee of the journal's session, or a new one with the game's options."""
        if self.options.game in _COUNTED and next(iter(self.journal.entries()), None) is not None:
            return open_referee(self.journal)  # begun before a kill: the options stand in the session
        told = game_options(self.options.game, layout)
        return Referee(self.calibration.table, self.options.start, self.options.calls, told, self.journal)

    def _judge(self, event: TrackerEvent) -> None:
        """Feed the referee; one who waits for the reds to be counted gets what came before, in order."""
        if self._referee is None:
            layout = first_layout(event)
            if layout is None:
                self._early.append(event)
                return
            self._referee = self._begun(layout)
        early, self._early = self._early, []
        for one in (*early, event):
            self._referee.feed(one)

    def _told(self, event: TrackerEvent) -> TrackerEvent:
        """The event with calibration's share in the sigma of every ball at rest."""
        if isinstance(event, StrokeRecord):
            return replace(event, before=self._layout(event.before), after=self._layout(event.after))
        if isinstance(event, HandMove) and event.to_mm is not None:
            x, y, own = event.to_mm
            return replace(event, to_mm=(x, y, self._sigma(x, y, own)))
        return event

    def _layout(self, layout: Layout) -> Layout:
        return tuple(replace(b, sigma_mm=self._sigma(b.x_mm, b.y_mm, b.sigma_mm)) for b in layout)

    def _row(self, row: TrackRow) -> TrackRow:
        return replace(row, sigma_mm=self._sigma(row.x_mm, row.y_mm, row.sigma_mm))

    def _sigma(self, x_mm: float, y_mm: float, own_mm: float) -> float:
        return float((own_mm**2 + self.calibration.sigma_mm(x_mm, y_mm) ** 2) ** 0.5)

    def write(self, tell: Progress) -> Match:
        """The files of the finished review, each whole or not at all."""
        tell("writing", 0, 1)
        match = self.document()
        tracks = read_tracks(self.out)
        write_report(self.out, match, tracks)
        write_match(self.out, match)
        tell("writing", 1, 1)
        return match

    def document(self) -> Match:
        """`match.json` as it follows from the journal."""
        result = self.referee.match
        return match_document(
            game=self.options.game,
            players=result.players,
            start=result.start,
            video=video_json(self.info),
            calibration=calibration_json(self.calibration),
            frames=result.frames,
            strokes=result.strokes,
            hands=result.hands,
            spotting=result.spotting,
            warnings=result.warnings,
            score=result.score,
        )


def _ahead(video: Path, start: Checkpoint | None) -> Iterator[VideoImage]:
    """The images after the checkpoint, decoded ahead in a thread of its own."""
    images: queue.Queue[VideoImage | BaseException | None] = queue.Queue(_QUEUE)
    stop = threading.Event()

    def put(item: VideoImage | BaseException | None) -> bool:
        while not stop.is_set():
            try:
                images.put(item, timeout=0.2)
                return True
            except queue.Full:
                continue
        return False

    def decode() -> None:
        try:
            for image in read_video(video, after=(start.image_index, start.t_s) if start else None):
                if not put(image):
                    return
            put(None)
        except BaseException as error:
            put(error)

    thread = threading.Thread(target=decode, name="decode", daemon=True)
    thread.start()
    try:
        while (item := images.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        stop.set()
        thread.join(timeout=5.0)
