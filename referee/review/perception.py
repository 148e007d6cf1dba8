"""From a view's images to what is seen in them, in pieces that begin anew by definition.

A long recording can then be worked on in several places at once: what is seen in a piece depends on its own
images and the calibration alone. A piece ends at the first still second after each ten minutes. Names,
strokes and the score go on over the seam, because tracker and referee take what is seen in one go.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.result import Calibration
from tracker import Tracker
from vision.change import Gate
from vision.detect.detector import Detector
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.locate.spot_marks import SpotMark
from vision.observation import ImageObservations, Unusable
from vision.observer import Observer, ObserverState
from vision.plane import BallPlane
from vision.view.usable import colourless, fitted

PIECE_S = 600.0
"""Seconds after which a seam is looked for. A seam costs one look at the whole table and what was learned of
the lamps: every minute that would show in the places, and of an hour there is little to share out."""
QUIET_S = 1.0
"""Seconds without a change before a seam: a ball that rolls, or a person at the table, stirs every image."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What is seen in an image, or known of a span without any.

    `observations`: None where the image tells nothing new and is passed over. `index`: the video's number of
    the last image so far, whose time is `t_s`. `calibration` and `marks` are in force there.
    """

    t_s: float
    index: int
    observations: ImageObservations | None
    calibration: Calibration
    marks: tuple[SpotMark, ...]


@dataclass
class Quiet:
    """Looks for a second in which nothing stirs, from the first image it is given on."""

    gate: Gate = field(default_factory=Gate)
    since_s: float = 0.0

    def found(self, plane: BallPlane, picture: Picture, t_s: float) -> bool:
        """Whether that second ends with this image."""
        usable, _ = fitted(picture, plane.camera)
        if usable is None or colourless(usable):
            self.gate, self.since_s = Gate(), t_s
            return False
        planes = plane.gate_planes(usable)
        changed = self.gate.compare(planes).changed
        if changed.any():
            self.gate.accept(planes, np.ones_like(changed))
            self.since_s = t_s
        return t_s - self.since_s >= QUIET_S


@dataclass
class PerceptionState:
    """All that is carried from image to image; enough to go on after a stop.

    `guide`: a tracker of this piece alone, which says what images tell nothing new; None in the first piece,
    where the review's own does. `first`: number of the piece's first image. `due_s`: from when on a seam is
    looked for, by `quiet`.
    """

    observer: ObserverState
    guide: Tracker | None = None
    first: int = 0
    due_s: float = math.inf
    quiet: Quiet | None = None


class Perception:
    """The images of one view, in order, to what is seen. It has no clock of its own.

    `begun_anew`: whether the last image began a piece.
    """

    def __init__(
        self,
        calibration: Calibration,
        detector: Detector,
        tracker: Tracker,
        in_force: Calibration | None = None,
    ) -> None:
        """`tracker`: the review's own, which takes what `feed` returns before the next image comes.

        `in_force`: the calibration from the first image on, where a knock was healed before it.
        """
        self._detector, self._tracker = detector, tracker
        self._plane = BallPlane(
            calibration.camera, calibration.table
        )  # seams do not depend on what is healed
        self.observer = self._new_observer(in_force or calibration)
        self._state = PerceptionState(self.observer.state, due_s=PIECE_S)
        self.begun_anew = False

    @property
    def state(self) -> PerceptionState:
        """Everything carried from image to image."""
        return self._state

    def resume(self, state: PerceptionState, tracker: Tracker) -> None:
        """Go on with the state and the review's tracker of an earlier run."""
        self._state, self._tracker = state, tracker
        self.observer.state = state.observer

    def feed(self, item: VideoImage | Unusable) -> Seen:
        """Examine one image, or take note of a span without any."""
        seam = self.seam(item)
        self.begun_anew = seam is not None
        if seam is not None:
            return seam
        if isinstance(item, VideoImage) and self._tells_nothing(item.t_s):
            self._state.observer.index = item.index - self._state.first
            return self._seen(item.t_s, None)
        return self._seen(item.end_s if isinstance(item, Unusable) else item.t_s, self._examined(item))

    def seam(self, item: VideoImage | Unusable) -> Seen | None:
        """What is seen in an image with which a new piece begins; None where none does."""
        s = self._state
        if isinstance(item, Unusable):
            s.quiet = None
            return None
        if item.t_s < s.due_s:
            return None
        s.quiet = s.quiet or Quiet()
        if not s.quiet.found(self._plane, item.picture, item.t_s):
            return None
        found = self.begin(item)
        if found is None:
            s.quiet = None
        return found

    def begin(self, image: VideoImage) -> Seen | None:
        """Begin a piece with an image; None, and nothing changes, where it does not show the table."""
        observer = self._new_observer(self.observer.calibration)
        found = observer.feed(VideoImage(0, image.t_s, image.picture))
        if found.unusable is not None:  # another view, or darkness: quiet, and no table
            return None
        guide = Tracker(self._tracker.table, self._tracker.pieces, explaining=False)
        found = replace(found, index=image.index)
        guide.feed(found)
        due_s = (math.floor(image.t_s / PIECE_S) + 1) * PIECE_S
        self._state, self.observer = PerceptionState(observer.state, guide, image.index, due_s), observer
        return self._seen(image.t_s, found)

    def _new_observer(self, in_force: Calibration) -> Observer:
        return Observer(in_force, self._detector, self._tracker.pieces)

    def _tells_nothing(self, t_s: float) -> bool:
        guide = self._state.guide
        nothing = (guide or self._tracker).tells_nothing(t_s)
        if nothing and guide is not None:
            guide.pass_over(t_s)
        return nothing

    def _examined(self, item: VideoImage | Unusable) -> ImageObservations:
        s = self._state
        if isinstance(item, VideoImage):
            item = VideoImage(item.index - s.first, item.t_s, item.picture)
        found = self.observer.feed(item)
        found = replace(found, index=found.index + s.first)
        if s.guide is not None:
            s.guide.feed(found)
        return found

    def _seen(self, t_s: float, observations: ImageObservations | None) -> Seen:
        s = self._state
        return Seen(
            t_s, s.observer.index + s.first, observations, self.observer.calibration, s.observer.marks
        )
