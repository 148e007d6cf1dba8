"""From images to observations.

The stages of one image, in this order (`Observer.feed` and `Observer._examine`):

1. Usable? Size, colours and the calibrated view (`view.usable`).
2. What has changed since the last accepted image (`change.Gate`)?
3. Has the camera been knocked (`view.knock`)?
4. Which cells are examined: those that changed, or from time to time all of them (`LookSchedule`).
5. Detections there, covered cells and bare cloth (`detect.search`).
6. Places in millimetres (`locate.balls`).
7. Kinds (`detect.looks`), snooker's reds compared with one another (`detect.colour`), numbered balls by
   what is printed on them (`detect.print_net`); whole looks compare the others with their kin (`detect.kin`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import compress

import cv2
import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from calibration.table.pieces import SNOOKER, PieceSet
from vision.change import Gate, GateResult, RepeatWatch, StillView
from vision.detect.colour import ball_chroma, red_reference, related
from vision.detect.detector import Detector
from vision.detect.kin import confidence_by_kin
from vision.detect.looks import kind_logp
from vision.detect.print_net import PrintNet, print_windows
from vision.detect.search import CellMemory, search
from vision.io.images import VideoImage
from vision.io.picture import Picture
from vision.locate.balls import SURE_CONFIDENCE, BallLocator, BallMemory, Look, PlacedBalls
from vision.locate.board_prints import found_prints, on_prints
from vision.locate.centres import frames
from vision.locate.cloth_colour import cloth_colours, colours_at
from vision.locate.disc_size import with_sizes
from vision.locate.far_rim import placed_by_far_rims
from vision.locate.highlights import Lamps
from vision.locate.spot_marks import SpotMark, with_look
from vision.observation import CameraMoved, CellMask, ImageObservations, Observation, Unusable, UnusableReason
from vision.plane import BallPlane, Cells, GatePlanes, cell_of
from vision.view.knock import KnockWatch
from vision.view.usable import Sight, ViewCheck, colourless, fitted

F64 = npt.NDArray[np.float64]

_LINGER_S = 0.12  # seconds for which a cell is examined after its last change, so that a ball is seen at rest
_SETTLE_S = (0.2, 0.6, 1.2)  # seconds after the last change at which all cells are examined
_WHOLE_LOOK_S = 5.0  # seconds between whole looks after those
_MARKS_EVERY_S = 0.5  # seconds between measurements of the spots' marks


@dataclass
class LookSchedule:
    """When which cells are examined.

    `hot_until_s` (rows, columns): a cell is examined until then. `whole_s`: times of the next whole looks.
    `marks_s`: of the next measurement of the spots' marks.
    """

    hot_until_s: npt.NDArray[np.float64]
    whole_s: list[float] = field(default_factory=list)
    marks_s: float = 0.0

    def changed(self, cells: Cells, now_s: float) -> None:
        """Note changed cells: they and their neighbours are examined, and all cells once they are calm."""
        if cells.any():
            grown = cv2.dilate(cells.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)
            self.hot_until_s[grown] = now_s + _LINGER_S
            self.whole_s = [now_s + s for s in _SETTLE_S]

    def hot(self, now_s: float) -> Cells:
        """Cells (rows, columns) that changed a moment ago."""
        return np.asarray(self.hot_until_s >= now_s)

    def whole_due(self, now_s: float) -> bool:
        """Whether a whole look is due; takes it off the schedule."""
        if not self.whole_s or now_s < self.whole_s[0]:
            return False
        while self.whole_s and self.whole_s[0] <= now_s:
            self.whole_s.pop(0)
        if not self.whole_s:
            self.whole_s = [now_s + _WHOLE_LOOK_S]
        return True


@dataclass
class ObserverState:
    """Everything that an observer carries from image to image; enough to resume after a stop."""

    knock: KnockWatch
    schedule: LookSchedule
    cells: CellMemory
    gate: Gate = field(default_factory=Gate)
    repeats: RepeatWatch = field(default_factory=RepeatWatch)
    still: StillView = field(default_factory=StillView)
    sight: Sight = field(default_factory=Sight)
    balls: BallMemory = field(default_factory=BallMemory)
    marks: tuple[SpotMark, ...] = ()
    index: int = -1
    size_px: tuple[int, int] | None = None
    """Size of the last usable image before it was resized."""

    @property
    def covered(self) -> Cells:
        """Cells (rows, columns) that something other than cloth and balls hides."""
        return self.cells.covered


class Observer:
    """Turns the images of one video, in order, into `ImageObservations`. Time comes with the images."""

    def __init__(self, calibration: Calibration, detector: Detector, pieces: PieceSet = SNOOKER) -> None:
        """`pieces`: the game's set, which `detector` must know.

        Raises UnusableInput when a model file is absent or not the one in the manifest.
        """
        self.pieces = pieces
        self.plane = BallPlane(calibration.camera, calibration.table)
        self._view = ViewCheck(calibration)
        self._sigma_factor = 1.0  # of the image being examined
        self._detector, self._locator = detector, BallLocator(pieces, detector.looks)
        self._print_net = PrintNet() if pieces.numbered else None
        shape = (self.plane.rows, self.plane.columns)
        schedule = LookSchedule(np.full(shape, -np.inf))
        self._state = ObserverState(KnockWatch(calibration), schedule, CellMemory.unknown(shape))
        self._nowhere = self.plane.mask(np.zeros(shape, np.bool_))

    @property
    def state(self) -> ObserverState:
        """Everything carried from image to image; may be replaced by the state of an earlier run."""
        return self._state

    @state.setter
    def state(self, state: ObserverState) -> None:
        self._state = state
        self.plane = BallPlane(self.calibration.camera, self.calibration.table)
        self._view = ViewCheck(self.calibration)

    @property
    def calibration(self) -> Calibration:
        """The calibration in force; it has another camera than at the start once a knock was healed."""
        return self._state.knock.calibration

    def feed(self, item: VideoImage | Unusable) -> ImageObservations:
        """Examine one image, or take note of a span without any."""
        if isinstance(item, Unusable):
            self.state.gate.forget()
            return self._unusable(self.state.index, item.end_s, item.reason)
        self.state.index = item.index
        size = (item.picture.width_px, item.picture.height_px)
        picture, self._sigma_factor = fitted(item.picture, self.calibration.camera)
        if picture is None or colourless(picture):
            self.state.gate.forget()
            return self._unusable(item.index, item.t_s, "size_changed" if picture is None else "no_colour")
        if not self._in_sight(picture, item.t_s):
            return self._unusable(item.index, item.t_s, "other_view")
        if size != self.state.size_px:
            self.state.gate.forget()
        seen = self._examine(VideoImage(item.index, item.t_s, picture))
        if self.state.sight.known is None and seen.looked is None:
            seen = self._unless_alien(seen, picture)
        return seen if seen.unusable is not None else self._with_size(seen, size)

    def look(
        self, picture: Picture, cells: Cells | None = None, bare: Cells | None = None, now_s: float = 0.0
    ) -> tuple[Observation, ...]:
        """Examine the given cells (None: all) of a picture; updates which cells are covered or bare.

        `bare`: those of the cells that are bare cloth and unchanged; the network does not run there.
        """
        if cells is None:
            cells = np.ones_like(self.state.covered)
        due = cells if bare is None else cells & ~bare
        detections = search(self._detector, self.plane, picture, cells, due, self.state.cells, now_s)
        look = self._look_at(picture, cells)
        balls = self._locator.place(look, detections, self.state.balls, self.state.covered)
        return self._named(look, self._within(cells, balls))

    def _look_at(self, picture: Picture, cells: Cells) -> Look:
        state = self.state
        return Look(
            picture, self.calibration, self.plane, cells, state.index, state.gate.noise, self._sigma_factor
        )

    def _within(self, cells: Cells, balls: PlacedBalls) -> PlacedBalls:
        """The balls in examined cells; no cell with a ball in it stays bare cloth."""
        at = list(self.plane.cells_of(balls.xy_mm))
        for cell in at:
            self.state.cells.empty_until_s[cell] = -np.inf
        examined = [
            cells[c] or cells[cell_of(d.u_px, d.v_px)] for c, d in zip(at, balls.detections, strict=True)
        ]
        return balls.take(np.array(examined, np.bool_))

    def _named(self, look: Look, balls: PlacedBalls) -> tuple[Observation, ...]:
        """Observations of the balls with their kinds."""
        if not balls.detections:
            return ()
        logps, sure = self._kinds(look, balls)
        real = self._not_printed(look, balls, logps)
        if self.calibration.table.piece_height_mm is not None:
            if look.whole:
                logps = with_sizes(look.picture, self.calibration, balls.xy_mm, logps, self.pieces)
            balls = placed_by_far_rims(look.picture, self.calibration, balls)
        sigma_mm = (look.sigma_factor * float(s) for s in balls.sigma_mm)
        rows = zip(
            balls.xy_mm.tolist(),
            sigma_mm,
            self._centres_px(balls).tolist(),
            map(tuple, logps.tolist()),
            sure.tolist(),
            strict=True,
        )
        seen = (Observation(x, y, sigma, u, v, logp, p) for (x, y), sigma, (u, v), logp, p in rows)
        return self._by_kin(look, tuple(compress(seen, real)))

    def _by_kin(self, look: Look, seen: tuple[Observation, ...]) -> tuple[Observation, ...]:
        """A whole look's observations, each as sure as the balls of its kind leave it. Of numbered balls each
        is alone of its kind, and their print network compares them. Beside a person it stays as sure as it
        was: a shirt's logo may have a ball's colour.
        """
        if not look.whole or self._print_net is not None or not seen:
            return seen
        at = np.array([(o.x_mm, o.y_mm) for o in seen])
        colours = colours_at(look.picture, self.calibration, at)
        cloths = cloth_colours(look.picture, self.calibration, at)
        sure = confidence_by_kin(seen, colours, cloths, self.calibration.table, self.pieces)
        covered = self.state.covered
        return tuple(
            o if self.plane.any_about(covered, o.x_mm, o.y_mm) else replace(o, confidence=p)
            for o, p in zip(seen, sure.tolist(), strict=True)
        )

    def _kinds(self, look: Look, balls: PlacedBalls) -> tuple[F64, F64]:
        """Log-probabilities (B, kinds) of the balls, and the confidence (B,) that each is one.

        Numbered balls are read; snooker's reds are compared with one another.
        """
        sure = np.array([d.confidence for d in balls.detections])
        if self._print_net is not None:
            return self._read_prints(self._print_net, look, balls.xy_mm, sure)
        logps = kind_logp(
            np.array([d.look_logp for d in balls.detections]), self._detector.looks, self.pieces
        )
        if self.pieces is not SNOOKER:
            return logps, sure
        radius_px = self.calibration.table.ball_radius_mm / self.calibration.pixel_sizes_mm(balls.xy_mm)
        chroma = ball_chroma(look.picture, self._centres_px(balls), radius_px)
        if look.whole:
            self.state.balls.red = red_reference(logps, chroma) or self.state.balls.red
        return related(logps, chroma, self.state.balls.red), sure

    def _centres_px(self, balls: PlacedBalls) -> F64:
        """Pixels (B, 2) of the balls' centres, or of the middles of discs' faces."""
        flat = self.calibration.table.piece_height_mm
        z = balls.radius_mm if flat is None else np.full(len(balls.xy_mm), flat)
        return self.calibration.camera.pixels_from_table(np.column_stack((balls.xy_mm, z)))

    def _read_prints(self, net: PrintNet, look: Look, xy_mm: F64, sure: F64) -> tuple[F64, F64]:
        """Log-probabilities (B, kinds) of numbered balls and the confidence (B,) that each is one; what whole
        looks show is remembered.
        """
        memory, radius = self.state.balls, self.calibration.table.ball_radius_mm
        middle, px_from_unit, _ = frames(self.calibration.camera, radius, xy_mm)
        windows = print_windows(look.picture, middle, px_from_unit)
        prints = net.read(windows, memory.numbered, look.whole)
        if look.whole:
            sure = prints.confidence(sure)
            memory.numbered = memory.numbered.after(prints, sure, self.pieces)
        return prints.kind_logp(self.pieces), sure

    def _not_printed(self, look: Look, balls: PlacedBalls, logps: F64) -> npt.NDArray[np.bool_]:
        """Which of the balls (B,) are not marks printed on a board; whole looks learn where the marks are."""
        table, memory = self.calibration.table, self.state.balls
        if not table.is_board:
            return np.ones(len(logps), np.bool_)
        if look.whole:
            kinds = [self.pieces.names[int(k)] for k in logps.argmax(axis=1)]
            eye_mm = self.calibration.camera.centre_mm
            memory.prints = found_prints(memory.prints, balls.xy_mm, balls.sigma_mm, kinds, table, eye_mm)
        return ~on_prints(memory.prints, balls.xy_mm, balls.sigma_mm)

    def _examine(self, image: VideoImage) -> ImageObservations:
        """Stages 2 to 7 of a usable image."""
        state, now = self.state, image.t_s
        planes = self.plane.gate_planes(image.picture)
        gate = state.gate.compare(planes)
        repeated = state.repeats.shown_again(image.picture) or gate.identical
        changed = float(gate.changed.mean())
        if state.sight.lost(self._view, image.picture.y, now, changed):
            return self._gone(image.index, now)
        knocked = None if self._sigma_factor > 1.0 else state.knock.feed(image.picture.y, now, changed)
        if state.knock.drifted or (knocked is not None and knocked.healed):
            planes, gate = self._seen_anew(image.picture)
        elif state.knock.holding(now):
            # every ball would seem to roll while the camera itself moves
            return self._unexamined(image, repeated=True, knocked=knocked)
        state.schedule.changed(gate.changed, now)
        hot = state.schedule.hot(now)
        self._measure_marks(image.picture, now, hot)
        whole = image.index == 0 or bool(gate.changed.all()) or state.schedule.whole_due(now)
        if not whole and (repeated or not hot.any()):
            return self._unexamined(image, repeated, knocked)
        return replace(self._examined(image, planes, gate, None if whole else hot), camera_moved=knocked)

    def _examined(
        self, image: VideoImage, planes: GatePlanes, gate: GateResult, hot: Cells | None
    ) -> ImageObservations:
        """The observations in the `hot` cells of an image (None: a whole look, at every cell)."""
        state, now, whole = self.state, image.t_s, hot is None
        looked = np.ones_like(gate.changed) if hot is None else hot
        bare = looked & (state.cells.empty_until_s > now) & ~gate.stirred
        observations = self.look(image.picture, looked, bare, now)
        state.gate.accept(planes, looked & ~bare)
        altered = state.still.changed_cells(planes[0], gate.changed, state.gate.step, now, whole)
        return ImageObservations(
            image.index,
            now,
            observations,
            None if whole else self.plane.mask(looked),
            self._covered_mask(),
            altered=self.plane.mask(altered) if altered.any() else None,
            gaps=self._locator.gaps(self._look_at(image.picture, looked), observations) if whole else (),
        )

    def _unexamined(
        self, image: VideoImage, repeated: bool, knocked: CameraMoved | None
    ) -> ImageObservations:
        """An image in which no cell is examined."""
        covered = self._covered_mask()
        return ImageObservations(image.index, image.t_s, (), self._nowhere, covered, repeated, knocked)

    def _measure_marks(self, picture: Picture, now: float, hot: Cells) -> None:
        """Measure the spots' marks where nothing moves: a respotted colour is compared with them."""
        camera, table = self.calibration.camera, self.calibration.table
        if now < self.state.schedule.marks_s or not table.spots:
            return
        self.state.schedule.marks_s = now + _MARKS_EVERY_S
        busy = hot | self.state.covered
        still = [s for s, at in table.spots.items() if not self.plane.any_about(busy, *at)]
        self.state.marks = with_look(self.state.marks, picture, camera, table, still)

    def _seen_anew(self, picture: Picture) -> tuple[GatePlanes, GateResult]:
        """The plane under a camera that was solved anew; all of it must be examined."""
        state = self.state
        self.plane = BallPlane(self.calibration.camera, self.calibration.table)
        self._view = ViewCheck(self.calibration)
        state.sight.known = self._view.known(picture.y)
        state.gate, state.balls.lamps, state.still = Gate(), Lamps(), StillView()
        planes = self.plane.gate_planes(picture)
        return planes, state.gate.compare(planes)

    def _in_sight(self, picture: Picture, t_s: float) -> bool:
        """Whether the calibrated view is in sight, as far as the cushions' edges can tell."""
        sight = self.state.sight
        if sight.away_s is None:
            return True
        if not sight.returned(self._view, picture.y, t_s):
            return False
        sight.away_s = None
        self.state.gate.forget()
        return True

    def _unless_alien(self, seen: ImageObservations, picture: Picture) -> ImageObservations:
        """A whole look while the view is not known yet; unusable if it cannot have been the table."""
        sight = self.state.sight
        sight.known = self._view.known(picture.y)
        if sight.plausible(sum(o.confidence >= SURE_CONFIDENCE for o in seen.observations)):
            return seen
        return self._gone(seen.index, seen.t_s)

    def _gone(self, index: int, t_s: float) -> ImageObservations:
        """The view is out of sight from this image on."""
        self.state.sight.away_s = t_s
        self.state.gate.withdraw()
        if self.state.sight.known is None:
            self.state.knock.check = None  # its reference picture was this one
            self.state.balls.lamps = Lamps()  # learned from things that are no balls
        return self._unusable(index, t_s, "other_view")

    def _with_size(self, seen: ImageObservations, size: tuple[int, int]) -> ImageObservations:
        """The observations, with the image's size when it is a new one that must be resized, or no longer."""
        if size == self.state.size_px:
            return seen
        first, self.state.size_px = self.state.size_px is None, size
        return seen if first and self._sigma_factor == 1.0 else replace(seen, size_px=size)

    def _unusable(self, index: int, t_s: float, reason: UnusableReason) -> ImageObservations:
        return ImageObservations(index, t_s, (), self._nowhere, self._covered_mask(), unusable=reason)

    def _covered_mask(self) -> CellMask | None:
        return self.plane.mask(self.state.covered) if self.state.covered.any() else None
