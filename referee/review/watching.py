"""One match being watched: images in, a journal, tracks and a refereed match out.

A review feeds it from a file, the live mode from a camera: the same images give the same record. It can
be killed at any moment: after each closed stroke the journal and then the state of observer, tracker and
intake are on disk, and what follows depends on them and on the images alone; entries that the journal
holds already (killed between the two writes) are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast, get_args

from calibration.result import Calibration
from calibration.table.games import PIECES
from referee.facts.calls import Call, Start
from referee.facts.judged import Output
from referee.journal import Journal
from referee.match.games.board_frame import in_board_frame
from referee.match.games.fold import EYES
from referee.match.referee import Outlook, Referee, open_referee
from referee.match.snooker.six_red import first_layout, game_options
from referee.match.weighing import CERTAIN
from referee.outputs.convert import calibration_json, match_document
from referee.outputs.document import Match, VideoJson, write_match
from referee.outputs.report import write_report
from referee.outputs.tracks import TracksWriter, read_tracks, whole_lines
from referee.review.checkpoint import OVER, Checkpoint, pack, unpack
from referee.review.perception import Perception, PerceptionState, Seen
from tracker import Tracker
from tracker.events import (
    Gap,
    HandMove,
    Layout,
    LayoutChange,
    StrokeRecord,
    TrackerEvent,
    TrackRow,
    with_stated_sigma,
    with_stated_turns,
)
from tracker.stroke.span import Span
from vision.detect.detector import Detector
from vision.io.images import VideoImage
from vision.locate.slant import per_axis_mm
from vision.observation import Unusable, UnusableReason
from vision.observer import Observer

_CHECKPOINT = "checkpoint"
_OVER_MARK_MM = 60.0  # spots are further apart
_COUNTED = ("six_red",)  # games whose options depend on the first layout


@dataclass(frozen=True, slots=True)
class Declarations:
    """What people said about the match. `start` None: assumed."""

    game: str = "snooker"
    calls: tuple[Call, ...] = ()
    start: Start | None = None


def other_end(calibration: Calibration) -> float:
    """Probability that a table's ends are the other way round than calibrated; 0.0 where that is certain.

    The ends of a table without a baulk line (pool, carrom) are named by convention.
    """
    sure = calibration.baulk_certainty
    return 1.0 - sure if calibration.table.line_is_drawn and sure < CERTAIN else 0.0


def checkpoint_lost(journal: Journal) -> bool:
    """Whether an earlier run stopped in the middle whose state is damaged, or of a version that is not this
    one.
    """
    stored = journal.progress(_CHECKPOINT)
    return stored is not None and unpack(stored) is None


class Watch:
    """Observer, tracker and referee over the images of one camera view. Not for several threads.

    `at`: index and time of the image behind which a killed run goes on, None for a new one.
    `ended`: every image was seen by an earlier run. `lost_checkpoint`: an earlier run's state could not be
    read, so that observer and tracker begin anew; the record goes on.
    """

    def __init__(
        self,
        out: Path,
        declared: Declarations,
        calibration: Calibration,
        detector: Detector,
        journal: Journal,
        tracks: Callable[[Path, int | None], TracksWriter] = TracksWriter,
    ) -> None:
        """`out`: the folder (which exists) for tracks.csv and the outputs; `journal` lies in it."""
        self.out, self.declared = out, declared
        self.calibration, self.journal = calibration, journal
        self.tracker = Tracker(calibration.table, PIECES[declared.game])
        self.perception = Perception(calibration, detector, self.tracker)
        self._early: list[TrackerEvent] = []
        self._foreseen_span: Span | None = None
        self._foreseen: Outlook | None = None
        self._referee = None if declared.game in _COUNTED else self._begun(())
        stored = journal.progress(_CHECKPOINT)
        checkpoint = unpack(stored) if stored else None
        self.ended = checkpoint is not None and checkpoint.over
        self.lost_checkpoint = stored is not None and checkpoint is None
        self.at: tuple[int, float] | None = None
        tracks_at = None
        if checkpoint is not None and not self.ended:
            self.tracker = checkpoint.tracker
            self.perception.resume(checkpoint.observer, self.tracker)
            self.referee.intake = checkpoint.intake
            self.at, tracks_at = (checkpoint.image_index, checkpoint.t_s), checkpoint.tracks_at
        if self.lost_checkpoint:
            tracks_at = whole_lines(out)
        self._tracks = None if self.ended else tracks(out, tracks_at)
        self._in_force, self._marks = self.observer.calibration, self.observer.state.marks

    @property
    def observer(self) -> Observer:
        """What examines the images; another one after each seam of a long recording."""
        return self.perception.observer

    def feed(self, image: VideoImage | Unusable) -> tuple[Output, ...]:
        """Watch one image, or a span without any; what was judged because of it, in the journal already."""
        found = self.perception.feed(image)
        return self._take_seen(found, self.perception.state if isinstance(image, VideoImage) else None)

    def join(self, found: Seen) -> tuple[Output, ...]:
        """Take what was seen elsewhere in the next image. A run killed meanwhile is begun anew."""
        return self._take_seen(found, None)

    def _take_seen(self, found: Seen, state: PerceptionState | None) -> tuple[Output, ...]:
        """`state`: of the perception behind an image, to go on from after a stop; None where none is kept."""
        self._in_force, self._marks = found.calibration, found.marks
        seen = found.observations
        if seen is None:
            self.tracker.pass_over(found.t_s)
            return ()
        events = list(self.tracker.feed(seen))
        if seen.camera_moved is not None:
            reason: Literal["camera_healed", "camera_moved"] = (
                "camera_healed" if seen.camera_moved.healed else "camera_moved"
            )
            events.append(Gap(seen.camera_moved.since_s, seen.t_s, reason))
        if seen.size_px is not None:
            events.append(Gap(seen.t_s, seen.t_s, "rescaled"))
        kept = None if state is None else Checkpoint(found.index, found.t_s, 0, self.tracker, state, None)
        return self._take(events, kept)

    def outlook(self) -> Outlook | None:
        """Where the match stands if what is still open is as it looks; None where nothing is open.

        Open is a stroke in which a ball is waited for, or one of which the balls that fell are in doubt.
        """
        referee = self.referee
        if referee.intake.held:
            return referee.outlook
        span = self.tracker.span
        if span is None or self.tracker.follower.stirs:
            self._foreseen_span = self._foreseen = None
        elif self._foreseen_span is not span and self.tracker.waiting:
            self._foreseen_span, record = (
                span,
                self.tracker.foreseen(),
            )  # once: it costs a copy of the tracker
            closed = self._told(record) if record is not None else None
            self._foreseen = referee.foresee(closed) if isinstance(closed, StrokeRecord) else None
        return self._foreseen

    def note(self, gap: Gap) -> tuple[Output, ...]:
        """Take note of a span in which no images could be used; it is told with the first image behind it."""
        if gap.reason in get_args(UnusableReason):
            return self.feed(Unusable(gap.start_s, gap.end_s, cast("UnusableReason", gap.reason)))
        return self._take([gap], None)

    def close(self) -> tuple[Output, ...]:
        """The images are over: judge what is still open."""
        if self.ended:
            return ()
        layout = self._end_layout()
        outputs = list(self._take(self.tracker.close(), None))
        early, self._early = self._early, []
        for event in early:  # no layout ever came
            outputs += self.referee.feed(event)
        outputs += self.referee.close(layout)
        assert self._tracks is not None
        self._tracks.commit()
        self.journal.set_progress(_CHECKPOINT, pack(OVER))
        self.ended = True
        return tuple(outputs)

    def stop(self) -> None:
        """Let the files go; a watch that was not closed is gone on with from its last closed stroke."""
        if self._tracks is not None:
            self._tracks.close()
            self._tracks = None

    def _end_layout(self) -> Layout | None:
        """What lies on the table at the end, where all has been still for long enough to know."""
        layout = self.tracker.settled_layout()
        if layout is None:
            return None
        shown = self._told(LayoutChange(0.0, layout, rack=False))
        assert isinstance(shown, LayoutChange)
        return shown.layout

    def _take(self, events: Sequence[TrackerEvent], kept: Checkpoint | None) -> tuple[Output, ...]:
        """Write rows, judge events, and keep where that image leaves the run, if it completes one."""
        if not events:
            return ()
        assert self._tracks is not None
        self._tracks.write_all(self._row(r) for r in events if isinstance(r, TrackRow))
        outputs: list[Output] = []
        for event in events:
            if not isinstance(event, TrackRow):
                outputs += self._judge(self._told(event))
        if kept is not None and any(isinstance(e, StrokeRecord | HandMove | LayoutChange) for e in events):
            kept = replace(kept, tracks_at=self._tracks.mark(), intake=self.referee.intake)
            self.journal.set_progress(_CHECKPOINT, pack(kept))
        return tuple(outputs)

    @property
    def referee(self) -> Referee:
        """The referee; begun here at the latest, without a layout, when nothing was ever seen."""
        if self._referee is None:
            self._referee = self._begun(())
        return self._referee

    def _begun(self, layout: Layout) -> Referee:
        """The referee of the journal's session, or a new one with the game's options."""
        if self.declared.game in _COUNTED and next(iter(self.journal.entries()), None) is not None:
            return open_referee(self.journal)  # begun before a kill: the options stand in the session
        options = game_options(self.declared.game, layout)
        game = self.declared.game if self.declared.game in EYES else "snooker"
        return Referee(
            self.calibration.table, self.declared.start, self.declared.calls, options, self.journal, game
        )

    def _judge(self, event: TrackerEvent) -> list[Output]:
        """Feed the referee; one who waits for the reds to be counted gets what came before, in order."""
        if self._referee is None:
            layout = first_layout(event)
            if layout is None:
                self._early.append(event)
                return []
            self._referee = self._begun(layout)
        early, self._early = self._early, []
        return [output for one in (*early, event) for output in self._referee.feed(one)]

    def _told(self, event: TrackerEvent) -> TrackerEvent:
        """The event as the referee is told it: with calibration's share, in the frame of the game."""
        event = with_stated_turns(with_stated_sigma(event, self.sigma_mm), self._calibrated_sigma_mm)
        if isinstance(event, StrokeRecord):
            event = replace(event, other_end=other_end(self.calibration))
        if isinstance(event, HandMove) and event.to_mm is not None:
            event = replace(event, mark_mm=self._mark(*event.to_mm[:2]))
        return in_board_frame(event, self.calibration.table)

    def _mark(self, x_mm: float, y_mm: float) -> tuple[float, float, float] | None:
        """The visible mark that a ball at the place lies over, as seen while it was free."""
        marks = [m for m in self._marks if math.hypot(m.x_mm - x_mm, m.y_mm - y_mm) < _OVER_MARK_MM]
        return (marks[0].x_mm, marks[0].y_mm, marks[0].sigma_mm) if len(marks) == 1 else None

    def _row(self, row: TrackRow) -> TrackRow:
        row = replace(row, sigma_mm=self.sigma_mm(row.x_mm, row.y_mm, row.sigma_mm))
        shown = in_board_frame(row, self.calibration.table)
        assert isinstance(shown, TrackRow)
        return shown

    def sigma_mm(self, x_mm: float, y_mm: float, own_mm: float) -> float:
        """Sigma of a place an axis, with the slant's and the calibration's share, mm, and with the doubt that
        bounces cast on the table so far.

        `own_mm`: the observation's own, across the view. The tracker compares looks at one place, which share
        all that, so that it works with `own_mm` alone.
        """
        doubt_mm = 0.0 if self._referee is None else self._referee.intake.table_doubt_mm(x_mm, y_mm)
        return math.hypot(self._calibrated_sigma_mm(x_mm, y_mm, own_mm), doubt_mm)

    def _calibrated_sigma_mm(self, x_mm: float, y_mm: float, own_mm: float) -> float:
        """The same as the calibration alone states it."""
        own_mm = per_axis_mm(self._in_force.camera, x_mm, y_mm, own_mm)
        return math.hypot(own_mm, self._in_force.sigma_mm(x_mm, y_mm))

    def write(self, video: VideoJson) -> Match:
        """Write match.json and report.html, each whole or not at all."""
        match = self.document(video)
        write_report(self.out, match, read_tracks(self.out))
        write_match(self.out, match)
        return match

    def document(self, video: VideoJson) -> Match:
        """`match.json` as it follows from the journal; `video` says where the images came from."""
        calibration = calibration_json(self.calibration)
        return match_document(self.declared.game, video, calibration, self.referee.match)
