"""The folder of a live match: begun, resumed after a kill, ended.

DIR/live.json                    which match is on
DIR/events.jsonl                 the stream of events
DIR/20261121T205612Z/            journal.sqlite, tracks, clips; match.json and report.html once it has ended
"""

from __future__ import annotations

import json
import sqlite3
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.texts import unusable_input
from referee.facts.calls import Call, Players, Start, start_of
from referee.facts.judged import JudgedStroke
from referee.facts.seen import SeenBall
from referee.journal import JOURNAL_FILE, RUN
from referee.live.engine.deferred_writes import DeferredJournal, DeferredTracks
from referee.live.engine.scoreboard import balls_now
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.feeds.stream import utc_text
from referee.live.recording.disk import write_whole
from referee.match.position import Position
from referee.moments import Moment, moment
from referee.outputs.document import Match, VideoJson
from referee.review.watching import Declarations, Watch
from vision.detect.detector import Detector
from vision.io.picture import Picture

LIVE_FILE = "live.json"
CLOCK = "clock"
TERMS = "terms"
TOUCHED = "touched"
"""Under this name the journal keeps the moment of the last change, by clocks that nobody sets."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms on which a match was begun, with the number of frames as changed since.

    `start`: the state in which it was begun, as `--start` says it; None: the beginning of a frame.
    """

    match_id: str
    started_utc: str
    players: tuple[str, str]
    best_of: int | None
    breaks: str
    game: str
    start: str | None = None


class LiveMatch:
    """One match under way in its folder. For the engine's thread alone."""

    def __init__(
        self,
        folder: Path,
        terms: Terms,
        journal: DeferredJournal,
        calibration: Calibration,
        detector: Detector,
    ) -> None:
        self.folder, self.terms, self.journal = folder, terms, journal
        self.calibration, self._detector = calibration, detector
        self.picture: Picture | None = None  # the last one, for people to look at
        self.doubtful_pause_s: float | None = None  # the time of day says that it was over; nothing else does
        self.watch = self._watch()

    def _watch(self) -> Watch:
        calls: tuple[Call, ...] = () if self.terms.players == ("A", "B") else (Players(self.terms.players),)
        start = start_of(self.terms.start, self.terms.game) if self.terms.start else None
        if start is None and self.terms.breaks != "A":
            start = Start(self.terms.breaks)
        declared = Declarations(self.terms.game, calls, start)
        return Watch(self.folder, declared, self.calibration, self._detector, self.journal, DeferredTracks)

    def again(self) -> None:
        """Go back to the last closed stroke, as after a kill; later images are lost."""
        self.watch.stop()
        self.watch = self._watch()

    @property
    def moving(self) -> bool:
        """Whether a stroke is under way."""
        return self.watch.tracker.span is not None

    @property
    def now(self) -> tuple[Position, tuple[SeenBall, ...]]:
        """Where the match stands if what is still open is as it looks, and the balls at rest."""
        return (self.watch.outlook() or self.watch.referee.standing)[0], balls_now(self.watch)[1]

    @property
    def names(self) -> tuple[str, str]:
        return self.watch.referee.players

    @property
    def zero_unix_s(self) -> float | None:
        """Unix time of the match clock's zero; None while it is not known."""
        stored = self.journal.progress(CLOCK)
        return float(json.loads(stored)["zero_unix_s"]) if stored else None

    def set_clock(self, zero_unix_s: float, passed_s: float) -> None:
        """Note the Unix time of match time 0, and that `passed_s` have passed since it."""
        clock = {"zero_unix_s": zero_unix_s, "passed_s": passed_s, "then": asdict(moment())}
        self.journal.set_progress(CLOCK, json.dumps(clock).encode())

    @property
    def passed_s(self) -> float | None:
        """Seconds since match time 0, None while it is not known. The time of day counts only over a restart
        of the machine, and in a journal from before this was kept."""
        stored = self.journal.progress(CLOCK)
        if not stored:
            return None
        clock, now = json.loads(stored), moment()
        if "then" not in clock:
            return now.unix_s - float(clock["zero_unix_s"])
        then = Moment(**clock["then"])
        sure_s = then.sure_age_s(now)
        return float(clock["passed_s"]) + (now.unix_s - then.unix_s if sure_s is None else sure_s)

    @property
    def reached_s(self) -> float:
        """The latest moment of the record, on the match clock."""
        moments = [e.t_s for e in self.journal.entries() if e.t_s is not None]
        at = [self.watch.at[1]] if self.watch.at is not None else []
        return max([0.0, *moments, *at])

    def touch(self) -> None:
        """Note that something happened now."""
        self.journal.set_progress(TOUCHED, json.dumps(asdict(moment())).encode())

    def set_best_of(self, frames: int | None) -> None:
        self.terms = replace(self.terms, best_of=frames)
        self.journal.set_progress(TERMS, json.dumps(asdict(self.terms)).encode())

    def end(self, video: VideoJson) -> Match | None:
        """Judge open strokes and write match.json and report.html; None on a full disk.

        `cueref export` and the console then read the match from its journal.
        """
        self.watch.close()
        try:
            return self.watch.write(video)
        except OSError:
            return None
        finally:
            self.close()

    def close(self) -> None:
        """Close the files; the match can be resumed."""
        self.watch.stop()
        self.journal.close()


def begin_match(
    settings: LiveSettings, asked: NewMatch, calibration: Calibration, detector: Detector, video: VideoJson
) -> LiveMatch:
    """A new match in a folder of its own. Raises UnusableInput where the disk refuses it."""
    now = time.time()
    folder = _new_folder(settings.out, now)
    terms = Terms(
        folder.name, utc_text(now), asked.players, asked.best_of, asked.breaks, settings.game, asked.start
    )
    journal = DeferredJournal(folder / JOURNAL_FILE)
    run = {
        "identity": f"live {folder.name}",
        "calibration": calibration.to_text(),
        "video": video,
        "game": settings.game,
    }
    journal.set_progress(RUN, json.dumps(run).encode())
    journal.set_progress(TERMS, json.dumps(asdict(terms)).encode())
    try:
        match = LiveMatch(folder, terms, journal, calibration, detector)
        match.touch()
        journal.progress(CLOCK)  # what was not taken back on a dead disk makes the journal unreadable
    except (UnusableInput, sqlite3.Error) as error:  # a write that failed and could not be taken back
        with suppress(sqlite3.Error):
            journal.close()
        if isinstance(error, UnusableInput):
            raise
        raise unusable_input("errors.disk_refuses_the_new_match", folder=folder, error=error) from None
    point_to(settings.out, folder.name)
    return match


def _new_folder(out: Path, now: float) -> Path:
    for second in range(60):
        folder = out / datetime.fromtimestamp(now + second, UTC).strftime("%Y%m%dT%H%M%SZ")
        try:
            folder.mkdir(parents=True, mode=0o700)
        except FileExistsError:
            continue
        except OSError as error:
            raise unusable_input(
                "errors.folder_that_can_be_written_2", out=out, reason=error.strerror
            ) from None
        return folder
    raise unusable_input("errors.most_one_new_match_a_second", out=out)


def point_to(out: Path, match_id: str | None) -> None:
    """Note in live.json which match is on. On a full disk the note stays as it was, and the next start
    resumes the older match.
    """
    try:
        write_whole(out / LIVE_FILE, json.dumps({"version": 1, "match": match_id}).encode())
    except OSError:
        return


def keep_pointing(out: Path, match_id: str) -> None:
    """Name the match again where the table's folder was moved or deleted while it is on."""
    if not (out / LIVE_FILE).exists():
        with suppress(OSError):
            out.mkdir(parents=True, exist_ok=True, mode=0o700)
            point_to(out, match_id)


def interrupted_match(settings: LiveSettings, detector: Detector) -> LiveMatch | None:
    """The match that was on when the program ended; None where another one is to begin.

    A match is not resumed when nothing has happened in it for `resume_hours`, when it is of another game, or
    when a new match was asked for. It then ends as it stands: its match.json is written, so that it can be
    corrected and exported. A time of day that was set proves nothing: where it alone says that the match is
    over, the match goes on and people are asked (`doubtful_pause_s`). Raises UnusableInput for a match that
    is to be resumed and has a damaged journal or one that was changed; where it is not, such a journal stays
    as it is.
    """
    folder = _pointed(settings.out)
    if folder is None:
        return None
    try:
        found, goes_on = _opened(folder, settings, detector)
    except UnusableInput as error:
        if settings.new_match:
            return None
        raise unusable_input(
            "errors.remove_to_begin_another_match", error=error, out=settings.out / LIVE_FILE
        ) from None
    if found is None or found.watch.ended:
        if found is not None:
            found.close()
        return None
    if goes_on:
        return found
    with suppress(ValueError):  # today's schema may refuse an older version's record: it stays a journal
        found.end(_filmed(found, _read(found.journal, RUN)["video"]))
    return None


def _opened(folder: Path, settings: LiveSettings, detector: Detector) -> tuple[LiveMatch | None, bool]:
    """The match in a folder, None for one that cannot be read and need not be, and whether it goes on."""
    journal, goes_on = DeferredJournal(folder / JOURNAL_FILE), not settings.new_match
    try:
        run, terms = _read(journal, RUN), _read(journal, TERMS)
        longest_s = settings.resume_hours * 3600
        pause_s, sure = _pause(journal, terms["started_utc"])
        over = sure and pause_s > longest_s
        goes_on = goes_on and not over and terms["game"] == settings.game
        journal.check_chain()
        calibration = Calibration.from_text(run["calibration"], str(folder / JOURNAL_FILE))
        known = Terms(**{**terms, "players": tuple(terms["players"])})
        match = LiveMatch(folder, known, journal, calibration, detector)
        match.doubtful_pause_s = pause_s if goes_on and pause_s > longest_s else None
        return match, goes_on
    except (UnusableInput, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        journal.close()
        if not goes_on:
            return None, False
        if isinstance(error, UnusableInput):
            raise
        raise unusable_input("errors.match_that_names", folder=folder, live_file=LIVE_FILE) from None


def _pause(journal: DeferredJournal, begun_utc: str) -> tuple[float, bool]:
    """Seconds since something happened in a match, and whether they are sure: no clock that was set made
    them.
    """
    now = moment()
    touched = journal.progress(TOUCHED)
    if touched is not None:
        then = Moment(**json.loads(touched))
        sure_s = then.sure_age_s(now)
        return (now.unix_s - then.unix_s, False) if sure_s is None else (sure_s, True)
    last = max((e.at for e in journal.entries()), default=begun_utc)
    return now.unix_s - datetime.fromisoformat(last).timestamp(), False


def _filmed(match: LiveMatch, begun: VideoJson) -> VideoJson:
    """The source of a match as far as its record goes. `begun`: the source as it was known at the
    beginning.
    """
    camera, images = match.calibration.camera, match.watch.at[0] + 1 if match.watch.at is not None else 0
    ends = [o.seen.end_s for o in match.watch.referee.outputs if isinstance(o, JudgedStroke)]
    return {
        "file": begun["file"],
        "width": begun["width"] or camera.width_px,
        "height": begun["height"] or camera.height_px,
        "images": max(begun["images"], images),
        "duration_s": max(begun["duration_s"], match.reached_s, *ends),
    }


def _read(journal: DeferredJournal, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(journal.progress(name) or b"")
    return found


def _pointed(out: Path) -> Path | None:
    try:
        named = json.loads((out / LIVE_FILE).read_text("utf-8"))["match"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not isinstance(named, str) or "/" in named or not (out / named / JOURNAL_FILE).is_file():
        return None
    return out / named
