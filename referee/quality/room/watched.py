"""What a whole recording says of its table, before anything is learned from it.

The recording is watched as a review watches it, by the networks in use. What follows knows more than any
single image: where a ball lay before and after, which stroke moved it, and what was never a ball.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from calibration.result import Calibration
from calibration.table.games import PIECES
from calibration.table.specs import TableSpec
from referee.review.perception import Perception
from tracker import Tracker
from tracker.events import Layout, TrackerEvent
from vision.detect.detector import Detector
from vision.io.images import VideoImage, probe, read_video, sample_images, temporal_filter, watch_video
from vision.io.sound import clicks
from vision.observation import ImageObservations
from vision.wrong_game import calibration_for_game, check_pictures

_CHECKED = 2  # images beside the first one in which it is looked whether the pieces are another game's


@dataclass(frozen=True, slots=True)
class Recording:
    """A video of one's own table. `table` is nominal, before calibration."""

    video: Path
    game: str
    table: TableSpec
    calibration: Path | None = None


@dataclass(frozen=True, slots=True)
class Watched:
    """A recording as the tracker understands it.

    `images`: what was seen in each image that was examined, in order; `events`: of the tracker, in order;
    `layout`: what lay there at the end. `fixed`: whether one calibration held from beginning to end.
    """

    recording: Recording
    calibration: Calibration
    duration_s: float
    images: tuple[ImageObservations, ...]
    events: tuple[TrackerEvent, ...]
    layout: Layout
    fixed: bool


def watch(recording: Recording, detector: Detector) -> Watched:
    """Watch a recording to its end. Raises UnusableInput as a review does."""
    pieces, info = PIECES[recording.game], probe(recording.video)
    calibration = _calibrated(recording, detector)
    tracker = Tracker(calibration.table, pieces)
    tracker.listen(clicks(recording.video), info.duration_s)
    perception = Perception(calibration, detector, tracker)
    images, events = list[ImageObservations](), list[TrackerEvent]()
    for item in watch_video(recording.video, found=temporal_filter(recording.video)):
        seen = perception.feed(item)
        if seen.observations is None:
            tracker.pass_over(seen.t_s)
            continue
        images.append(seen.observations)
        events += tracker.feed(seen.observations)
    layout = tracker.settled_layout() or ()
    events += tracker.close()
    fixed = perception.observer.calibration is calibration
    return Watched(recording, calibration, info.duration_s, tuple(images), tuple(events), layout, fixed)


def _calibrated(recording: Recording, detector: Detector) -> Calibration:
    """The table, once it is sure that the pieces on it are the game's."""
    first = next((i for i in read_video(recording.video) if isinstance(i, VideoImage)), None)
    sampled = sample_images(recording.video, _CHECKED)
    pictures = [i.picture for i in ((first, *sampled) if first is not None else sampled)]
    found = calibration_for_game(
        recording.video, recording.calibration, recording.table, detector, recording.game, pictures
    )
    check_pictures(pictures, found, PIECES[recording.game], recording.game, str(recording.video))
    return found
