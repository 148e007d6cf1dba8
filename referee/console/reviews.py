"""The folders of reviews, opened for the console or read for an export.

Without a journal a match can be watched, not corrected. A review that has not written its match.json yet can
be watched from its journal.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from calibration.files import only_writer
from calibration.result import Calibration
from calibration.texts import unusable_input
from referee.console.match_view import MatchView
from referee.console.referee_thread import RefereeThread
from referee.journal import JOURNAL_FILE, RUN, Journal, fault_in
from referee.match.referee import Referee
from referee.outputs.clips import CLIPS_FOLDER, clip_over, clips_in
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import (
    MATCH_FILE,
    LayoutByColour,
    Match,
    Stroke,
    folder_of,
    is_declared,
    read_match,
    record_fault,
    with_changed_record,
    write_match,
)
from referee.outputs.media import video_of
from referee.outputs.tracks import TRACKS_FILE, Tracks, read_tracks
from vision.io.picture import Picture

T = TypeVar("T")
_AFTER_S = 2e-3
"""What is said after a stroke counts from this long after its end."""
WRITE_AFTER_S = 0.5
"""match.json follows a change this much later: it is a copy of what the journal says."""


def open_review(ident: str, path: Path, video: Path | None = None) -> MatchView:
    """The review in a folder (or of a match.json). Raises UnusableInput when there is none."""
    return MatchView(ident, ReviewSource(path, video))


def current_match(path: Path) -> Match:
    """The match as its journal says it now.

    That is match.json, or the fold where the journal is ahead of it. A journal stands alone where a review or
    a live match was stopped before its end.
    """
    folder = folder_of(path)
    if not _still_judged(path):
        match = read_match(path)
        if is_declared(match) or not _behind(folder):
            return with_changed_record(match, fault_in(folder / JOURNAL_FILE))
    source = ReviewSource(path)
    try:
        return source.document()
    finally:
        source.close()


class ReviewSource:
    """The folder of a review (a `MatchSource`)."""

    live = False

    def __init__(self, path: Path, video: Path | None = None) -> None:
        """Open the folder (or its match.json). Raises UnusableInput when it is no review."""
        self.folder = folder_of(path)
        self._lock = threading.RLock()
        journal = self.folder / JOURNAL_FILE
        self._running = _still_judged(path)
        self._found = running_match(journal) if self._running else read_match(path)
        self.video = video_of(self._found, self.folder, video)
        declared = is_declared(self._found)
        if declared:
            self._found = with_changed_record(self._found, fault_in(journal))
        self._referee = RefereeThread(journal, self._found) if journal.is_file() and not declared else None
        self._tracks: Tracks | None = None
        self._tracks_stamp = 0.0
        self._writer: threading.Timer | None = None
        if self._referee is not None and not self._running and self.sound and _behind(self.folder):
            self._write_soon()  # a server was killed between a change and its copy

    @property
    def journalled(self) -> bool:
        return self._referee is not None

    @property
    def running(self) -> bool:
        return self._running

    @property
    def gone(self) -> bool:
        return self._referee is not None and not (self.folder / JOURNAL_FILE).is_file()

    @property
    def sound(self) -> bool:
        return record_fault(self.document()) is None

    def document(self) -> Match:
        return self._found if self._referee is None else self._referee.document

    def refresh(self) -> bool:
        with self._lock:
            if self._referee is None:
                return False
            ended = self._running and (self.folder / MATCH_FILE).is_file()
            replaced = self._referee.replaced
            if not self._referee.refresh() and not ended:
                return False
            if replaced and not self._running:
                self._write_soon()  # what was written meanwhile may have come from the journal of before
            self._running = self._running and not ended
            return True

    def read(self, work: Callable[[Referee], T]) -> T:
        assert self._referee is not None  # asked only where `journalled`
        return self._referee.read(work)

    def change(self, work: Callable[[Referee], object]) -> Match:
        assert self._referee is not None
        if self._referee.replaced:  # neither lost in a file without a name nor decided on another record
            key = "errors.match_that_is_there" if self.gone else "errors.match_not_written_anew"
            raise unusable_input(key, folder=self.folder)
        with self._lock, only_writer(self.folder, "cueref serve"):  # a live table counts its entries itself
            after = self._referee.change(work)
            self._write_soon()
            return after

    @property
    def tracks(self) -> Tracks:
        """The paths, read when first needed and again when the file has changed."""
        file = self.folder / TRACKS_FILE
        with self._lock:
            stamp = file.stat().st_mtime if file.is_file() else 0.0
            if self._tracks is None or stamp != self._tracks_stamp:
                self._tracks, self._tracks_stamp = read_tracks(self.folder), stamp
            return self._tracks

    def tracks_of(self, stroke: Stroke) -> Tracks:
        return self.tracks

    def balls_now(self) -> LayoutByColour | None:
        return None

    def picture_now(self) -> Picture | None:
        return None

    def now_s(self) -> float:
        """After the last stroke."""
        strokes = self.document()["strokes"]
        return strokes[-1]["end_s"] + _AFTER_S if strokes else 0.0

    def clip_of(self, stroke: Stroke) -> tuple[Path, float] | None:
        """The clip that a live match left, if this was one."""
        found = clip_over(clips_in(self.folder / CLIPS_FOLDER), stroke["start_s"], stroke["end_s"])
        return (found.path, found.offset_s) if found is not None else None

    def close(self) -> None:
        writer = self._writer
        if writer is not None:
            writer.cancel()
            self._write()
        if self._referee is not None:
            self._referee.close()

    def _write_soon(self) -> None:
        if self._writer is None:
            self._writer = threading.Timer(WRITE_AFTER_S, self._write)
            self._writer.daemon = True
            self._writer.start()

    def _write(self) -> None:
        """Bring match.json up to date; the next change does not wait for it."""
        with self._lock:
            self._writer, document = None, self.document()
        if self._replaced:  # deleted or written anew: nothing of before may come back
            return
        with contextlib.suppress(OSError):  # a folder that cannot be written: the journal has it all
            write_match(self.folder, document, check=False)
        if self._replaced:  # in this very moment
            self._take_back()

    @property
    def _replaced(self) -> bool:
        return self._referee is not None and self._referee.replaced

    def _take_back(self) -> None:
        """Replace or delete a copy that was written while another program changed or deleted the journal."""
        if not self.gone:
            self.refresh()
            return
        with contextlib.suppress(OSError):
            (self.folder / MATCH_FILE).unlink(missing_ok=True)
            self.folder.rmdir()


def running_match(journal_file: Path) -> Match:
    """The match of a review under way, without strokes: game, video and camera from the journal.

    Raises UnusableInput for a file that is no journal of a review of a video.
    """
    journal = Journal(journal_file)
    try:
        run = journal.progress(RUN)
    finally:
        journal.close()
    try:
        found = json.loads(run or b"{}")
        video, game = found["video"], str(found["game"])
        calibration = Calibration.from_text(found["calibration"], str(journal_file))
    except (ValueError, KeyError, TypeError):
        raise unusable_input("errors.journal_of_a_review_under_way", journal_file=journal_file) from None
    return match_document(game, video, calibration_json(calibration))


def _still_judged(path: Path) -> bool:
    """Whether a folder has a journal and no match.json yet."""
    return path.is_dir() and (path / JOURNAL_FILE).is_file() and not (path / MATCH_FILE).exists()


def _behind(folder: Path) -> bool:
    """Whether the journal was written to after match.json, which follows every change."""
    journal, file = folder / JOURNAL_FILE, folder / MATCH_FILE
    return journal.is_file() and file.is_file() and journal.stat().st_mtime_ns > file.stat().st_mtime_ns
