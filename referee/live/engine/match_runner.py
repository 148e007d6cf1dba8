"""The matches of a table, one after another: opened, resumed, fed with images, changed by people, closed.

For the engine's thread alone. It publishes the record's new outputs and keeps the clips of ruled strokes.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeVar

from calibration.errors import UnusableInput
from calibration.result import Calibration
from calibration.texts import sentence, unusable_input
from referee.facts.calls import FrameCall
from referee.facts.judged import JudgedStroke, Output
from referee.journal import WRITER
from referee.live.engine.live_match import LiveMatch, begin_match
from referee.live.engine.log import LiveLog
from referee.live.engine.publisher import Publisher
from referee.live.engine.requests import Request, apply_request
from referee.live.engine.rulings import Change
from referee.live.engine.scoreboard import frames_won, match_winner, side_of
from referee.live.engine.settings import LiveSettings, NewMatch
from referee.live.engine.state import LiveRuling, StatusCode
from referee.live.recording.retention import Retention
from referee.live.recording.ring import Recording
from referee.match.referee import Referee
from referee.outputs.clips import CLIPS_FOLDER
from referee.outputs.convert import video_json
from referee.outputs.document import VideoJson
from referee.review.watching import Watch
from tracker.events import Gap
from vision.capture.source import Camera, CameraImage
from vision.detect.detector import Detector
from vision.io.images import VideoImage, VideoInfo, probe
from vision.io.temporal_filter import Unfiltering
from vision.view.usable import SAME_SHAPE

T = TypeVar("T")


def said_so_far(referee: Referee) -> tuple[Output, ...]:
    """All outputs, and what was said since the last one; a stroke that is not closed is none of it."""
    last = (o for o in referee.standing[1] if not isinstance(o, JudgedStroke))
    return (*referee.outputs, *last)


_RESTART_S = 0.5  # a shorter restart lost nothing
_FAILURES = 3
_FAILURES_S = 60.0
"""This many failed steps within this time end the engine."""

_HIDDEN_SHARE = 0.6  # share of the table's cells; two players who lean over it hide about a quarter
_HIDDEN_S = 3.0  # players who lean over the table hide it for a shorter time
_KNOCK_S = 0.3  # a single look may show a knock by mistake
_AWAY_S = 0.5  # of another picture, before it is published

ENDED: Final[dict[StatusCode, str]] = {
    "picture_covered": "conditions.seen_again",
    "view_wrong": "conditions.view_again",
    "camera_moved": "conditions.steady_again",
}
"""The text that says that a condition is over, by its key."""


class MatchRunner:
    """The match that is on (`match`, None before the first) and what happens to it."""

    def __init__(
        self,
        settings: LiveSettings,
        publisher: Publisher,
        log: LiveLog,
        camera: Camera,
        detector: Detector,
        recording: Recording | None,
        retention: Retention,
    ) -> None:
        self.match: LiveMatch | None = None
        self._settings, self._pub, self._log = settings, publisher, log
        self._camera, self._detector = camera, detector
        self._recording, self._retention = recording, retention
        self._view = ViewConditions()
        self._begun = False
        self._unfiltering = Unfiltering()
        self._clocked: LiveMatch | None = None
        self._failed: list[float] = []

    @property
    def begun(self) -> bool:
        """Whether an image of this match has been judged."""
        return self._begun

    def watched(self) -> LiveMatch:
        """The match that is on. Raises UnusableInput before the first."""
        if self.match is None:
            raise unusable_input("errors.table_that_is_watched")
        return self.match

    # -- beginning and ending --------------------------------------------------------------------------

    def open(
        self,
        asked: NewMatch,
        calibration: Calibration,
        leave: Callable[[LiveMatch], object] = lambda match: None,
    ) -> None:
        """Begin a match. The match before ends as it stands; `leave` may still change it.

        Raises UnusableInput where no folder can be made; nothing has changed then.
        """
        before = self.match
        match = begin_match(self._settings, asked, calibration, self._detector, self._video())
        if before is not None:
            leave(before)
            if before.end(self._video()) is None:
                self._log("match_not_written", match=before.terms.match_id)
        self.match, self._begun = match, False
        self._retention.on = match.terms.match_id
        self._pub.open(match)
        self._pub.end("match_may_be_over", sentence("conditions.another_match"))
        self._note_clock(match)
        self._record_into(match)
        self._log("match_begun", match=match.terms.match_id)
        self._pub.publish()

    def open_next(self, asked: NewMatch, leave: Callable[[LiveMatch], object] = lambda match: None) -> None:
        """Begin a match after the one that is on. Its calibration file may have been made anew since. Raises
        UnusableInput for a state in which no match of the game begins.
        """
        asked.check_start(self._settings.game)
        calibration = self.watched().calibration
        if self._settings.calibration is not None:
            try:
                calibration = Calibration.load(self._settings.calibration)
            except UnusableInput as error:
                self._log("calibration_not_read", text=str(error))
        self.open(asked, calibration, leave)

    def resume(self, match: LiveMatch) -> None:
        """Continue a match that was interrupted."""
        self.match = match
        self._record_into(match)
        pub, referee = self._pub, match.watch.referee
        pub.open(match)
        pub.zero_unix_s = match.zero_unix_s
        pub.t_s = match.reached_s
        pub.published.rebuilt(said_so_far(referee), match.names, pub.t_s, referee.set_aside)
        pub.published.settle(referee.standing[0], match.names)
        of = f", best of {match.terms.best_of}" if match.terms.best_of is not None else ""
        text = f"continues the match of {' and '.join(match.names)}{of}; --new-match begins another"
        if self._settings.match.start is not None:
            text += "; --start is for a new match and was not used: set the state in the console"
        if match.watch.lost_checkpoint:
            lost = "the state of the camera's view could not be read; the balls are looked for anew"
            self._log("checkpoint_not_read", match=match.terms.match_id, text=lost)
        self._log("match_resumed", match=match.terms.match_id, strokes=referee.position.strokes, text=text)
        if match.doubtful_pause_s is not None:
            hours = match.doubtful_pause_s / 3600
            names = " – ".join(match.names)
            pub.begin(
                "match_may_be_over",
                sentence("conditions.may_be_over", names=names, hours=f"{hours:.0f}"),
                pub.t_s,
            )
        match.touch()
        pub.publish()

    def close(self, ended: bool) -> None:
        """Close the match. `ended`: its images are over, so its record is completed and written."""
        match = self.match
        if match is None:
            return
        if ended:
            self._take(match, match.watch.close())
        if not match.journal.flush():
            lost = (
                f"{match.journal.waiting} entries of the record could not be written: {match.journal.failing}"
            )
            self._log("journal_not_written", match=match.terms.match_id, text=lost)
        if ended:
            match.end(self._video())
        else:
            match.close()
        text = sentence("conditions.ended") if ended else sentence("conditions.stopped")
        self._pub.begin("stopped", text, self._pub.t_s)
        self._log("stopped", ended=ended, match_id=match.terms.match_id)

    def _record_into(self, match: LiveMatch) -> None:
        if self._recording is not None:
            try:
                self._recording.into(match.folder / CLIPS_FOLDER)
            except OSError as error:
                self._pub.begin(
                    "recording_stopped", sentence("conditions.no_clips", why=error.strerror), self._pub.t_s
                )

    def _note_clock(self, match: LiveMatch) -> None:
        """Store where the match clock stands as soon as the camera knows it, in each run anew: a run after a
        restart of the machine counts by another clock."""
        zero = self._camera.zero_unix_s
        if zero is None:
            return
        self._pub.zero_unix_s = zero
        if self._clocked is not match:
            self._clocked = match
            match.set_clock(zero, self._camera.now_s())

    def _video(self) -> VideoJson:
        """The source as `match.json` names it: a file as a review does, a camera without its address."""
        path = Path(self._settings.camera)
        if path.is_file() and not self._settings.loop:
            return video_json(probe(path))
        width, height = self._pub.size_px
        info = VideoInfo(path, width, height, self._pub.load.images, self._pub.t_s, 0.0)
        return video_json(info) | {"file": None}

    # -- images ----------------------------------------------------------------------------------------

    def image(self, item: CameraImage) -> None:
        """Judge one image, and publish the outputs."""
        match = self.match
        if match is None:
            return
        image = item.image
        self._pub.t_s = image.t_s
        match.picture = image.picture
        image = replace(image, picture=self._unfiltering.take(image.t_s, image.picture))
        if not self._begun:
            self._first(match, image)
        outputs = self._step(match, lambda: match.watch.feed(image))
        self._pub.load.image(item.captured_at_s)
        self._pub.end("camera_lost", sentence("conditions.images_again"))
        self._check_view(match, image)
        self._take(match, outputs)

    def gap(self, gap: Gap) -> None:
        """Tell the tracker of a span without images; before the first image no play is missed."""
        if self._begun:
            self.unusable(gap)

    def unusable(self, gap: Gap) -> None:
        """Tell the tracker of a span without usable images, and publish the outputs."""
        match = self.match
        if match is not None:
            self._take(match, self._step(match, lambda: match.watch.note(gap)))

    def _first(self, match: LiveMatch, image: VideoImage) -> None:
        self._begun = True
        self._pub.end("starting", sentence("conditions.watched"))
        self._note_clock(match)
        at = match.watch.at
        if at is not None and image.t_s - at[1] > _RESTART_S:
            self.gap(Gap(at[1], image.t_s, "images_lost"))

    def _step(self, match: LiveMatch, work: Callable[[], tuple[Output, ...]]) -> tuple[Output, ...]:
        """Run one step. After a step that fails (a fault of ours) go back to the last closed stroke."""
        try:
            return work()
        except (UnusableInput, sqlite3.ProgrammingError):
            raise
        except Exception as error:
            now = time.monotonic()
            self._failed = [t for t in self._failed if t > now - _FAILURES_S] + [now]
            self._log("fault", text=f"{type(error).__name__}: {error}", t_s=self._pub.t_s)
            if len(self._failed) >= _FAILURES:
                raise
            match.again()
            self._begun = False
            return ()

    def _check_view(self, match: LiveMatch, image: VideoImage) -> None:
        for code, text in self._view.look(match.watch, image).items():
            if text:
                self._pub.begin(code, text, image.t_s)
            else:
                self._pub.end(code, sentence(ENDED[code]))

    def _take(self, match: LiveMatch, outputs: tuple[Output, ...]) -> None:
        """Publish new outputs of the record."""
        pub, referee = self._pub, match.watch.referee
        changes = pub.published.take(outputs, match.names, pub.t_s)
        ahead = match.watch.outlook()
        changes += pub.published.look_ahead(ahead[1] if ahead is not None else (), match.names, pub.t_s)
        moving = match.watch.tracker.span is not None
        if outputs:
            changes += pub.published.settle(referee.standing[0], match.names)
        if outputs:
            match.touch()
            pub.end("match_may_be_over", sentence("conditions.goes_on"))
        if outputs or changes:
            self._say(changes)
            self._begin_next(match)
        elif moving != pub.moving:
            pub.moving = moving
            pub.publish(keep=False)
        pub.moving = moving

    def _begin_next(self, match: LiveMatch) -> None:
        """A triangle set after the match is over begins another one between the same players."""
        position = match.watch.referee.standing[0]
        won, last = frames_won(position), position.frames[-1] if position.frames else None
        unplayed = last is not None and last.first_stroke is None and last.ended is None
        if match_winner(won, match.terms.best_of) is None or not unplayed or position.state is None:
            return
        practice = FrameCall(
            self._pub.t_s + 1e-3, "practice"
        )  # removes the unplayed frame from the old match
        asked = NewMatch(match.names, match.terms.best_of, side_of(position.state.starter))
        try:
            self.open_next(asked, lambda before: before.watch.referee.call(practice, WRITER))
        except UnusableInput as error:  # a full disk: the frame is played in the old match
            self._log("no_new_match", text=str(error))

    # -- people ----------------------------------------------------------------------------------------

    def ask(self, request: Request, who: str) -> None:
        """Carry out what a person asks. Raises UnusableInput where it is refused."""
        if isinstance(request, NewMatch):
            self.open_next(request)
            return
        pub = self._pub
        self.change(lambda match: apply_request(match, pub.published, request, pub.t_s, who))
        self._log("asked", request=type(request).__name__)

    def change(self, work: Callable[[LiveMatch], T]) -> T:
        """Have `work` change the match, and publish the consequences."""
        match = self.watched()
        found = work(match)
        match.touch()
        referee, pub = match.watch.referee, self._pub
        changes = pub.published.rebuilt(said_so_far(referee), match.names, pub.t_s, referee.set_aside)
        changes += pub.published.settle(referee.standing[0], match.names)
        self._say(changes)
        return found

    def _say(self, changes: list[Change]) -> None:
        """Publish changes, and keep the clips of ruled strokes."""
        self._pub.say(changes)
        for change in changes:
            if self._recording is not None and isinstance(change, LiveRuling):
                self._recording.keep(change.stroke, change.start_s, change.end_s)


class ViewConditions:
    """Checks each image; remembers since when the table has been hidden."""

    def __init__(self) -> None:
        self._hidden_s: float | None = None

    def look(self, watch: Watch, image: VideoImage) -> dict[StatusCode, str]:
        """For each condition of `ENDED` a sentence if it holds after this image was watched, else ""."""
        return {
            "picture_covered": self._covered(watch, image.t_s),
            "view_wrong": _other_view(watch, image),
            "camera_moved": _knocked(watch, image.t_s),
        }

    def _covered(self, watch: Watch, t_s: float) -> str:
        if float(watch.observer.state.covered.mean()) < _HIDDEN_SHARE:
            self._hidden_s = None
            return ""
        self._hidden_s = t_s if self._hidden_s is None else self._hidden_s
        return sentence("conditions.hidden") if t_s - self._hidden_s > _HIDDEN_S else ""


def _other_view(watch: Watch, image: VideoImage) -> str:
    camera, picture = watch.calibration.camera, image.picture
    shape = abs(picture.width_px * camera.height_px / (picture.height_px * camera.width_px) - 1)
    if shape > SAME_SHAPE:
        return sentence("conditions.other_images", width=picture.width_px, height=picture.height_px)
    away_s = watch.observer.state.sight.away_s
    return sentence("conditions.no_table") if away_s is not None and image.t_s - away_s > _AWAY_S else ""


def _knocked(watch: Watch, t_s: float) -> str:
    knock = watch.observer.state.knock
    if knock.since_s is None or t_s - knock.since_s < _KNOCK_S:
        return ""
    return sentence("conditions.moved_lost") if knock.flagged else sentence("conditions.moved")
