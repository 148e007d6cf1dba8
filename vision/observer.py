"""From pictures to observations: gate, network on the changed places, outline fit, covered cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import cv2
import numpy as np
import numpy.typing as npt

from calibration.result import Calibration
from vision.change.altered import StillView
from vision.change.gate import Cells, Gate, GateResult
from vision.change.lying import Lying, cell_of, cells_of, looked_cell
from vision.detect.boxes import Box, boxes, with_context
from vision.detect.colour import RedReference, ball_chroma, red_reference, related
from vision.detect.detector import Detection, Detector, by_cell, decode
from vision.io.images import VideoImage
from vision.io.picture import F32, U8, Picture
from vision.locate.centres import CentreNet
from vision.locate.highlights import Lamps, learnt
from vision.locate.highlights import refined as by_highlights
from vision.locate.lit_side import put_back
from vision.locate.outline import fit_outlines
from vision.locate.packs import together
from vision.locate.pairs import PairNet, near_pairs
from vision.locate.spot_marks import SpotMark, with_look
from vision.observation import (
    BALL_CLASSES,
    CellMask,
    GapSeen,
    ImageObservations,
    Observation,
    Unusable,
    UnusableReason,
)
from vision.plane import PX_PER_DIAMETER, BallPlane
from vision.view.knock import KnockWatch
from vision.view.same_view import ViewCheck
from vision.view.usable import Sight, colourless, fitted

F64 = npt.NDArray[np.float64]

_LINGER_S = 0.12  # a cell is examined this long after its last change, so that a rest is seen as one
_SETTLE_S = (0.2, 0.6, 1.2)  # whole looks after the last change, then one every _WHOLE_LOOK_S
_WHOLE_LOOK_S = 5.0
_MARKS_EVERY_S = 0.5
_COVERED_SHARE = 0.3  # of a cell's area
_NETWORK_SIGMA_MM_PER_DIAMETER = 0.04  # one sigma of the network's own centres, in diameters
_LEAST_CONFIDENCE = 0.35
_EMPTY_LOGIT = -3.0  # where the network gives a ball less than 5 % and nothing stirs the cloth stays bare
_EMPTY_S = 4.9  # for as long; the next whole look asks again
_FAINT_DOUBT = 0.95  # from here on a ball is also placed by what it mirrors
_KNOWN_SIGMA_RADII = 0.02  # a ball that tells where lamps are mirrored is known this well
_HOLLOW_RATIO = 1.04  # of the radius; balls come out at 0.93 to 1.00, limb shading and blur included
_WHOLE_BALL = 0.5  # confidence from which on what is found takes a ball's room
_NEIGHBOUR_DIAMETERS = 1.2
_WHITE, _MAYBE_WHITE = BALL_CLASSES.index("white"), math.log(0.1)
_CROWDED_DIAMETERS = 0.93  # balls cannot be nearer; fits and calibration err by less


@dataclass
class ObserverState:
    """What an observer carries from image to image: enough to go on after a stop."""

    knock: KnockWatch
    gate: Gate
    hot_until: npt.NDArray[np.float64]
    covered: Cells
    empty_until: npt.NDArray[np.float64]  # of each cell: bare cloth till then, while nothing stirs there
    next_whole: list[float]
    red: RedReference | None = None
    marks: tuple[SpotMark, ...] = ()
    next_marks: float = 0.0
    sight: Sight = field(default_factory=Sight)
    lamps: Lamps = field(default_factory=Lamps)
    still: StillView = field(default_factory=StillView)
    lying: Lying = field(default_factory=Lying)
    index: int = -1
    size_px: tuple[int, int] | None = None  # of the last usable image, before it was fitted


class Observer:
    """Turns the images of one video, in order, into `ImageObservations`.

    Only what changed since the last accepted image is examined. State: the gate's reference, which
    cells are covered, and the camera in force; no clock of its own.
    """

    def __init__(self, calibration: Calibration, detector: Detector) -> None:
        self.plane = BallPlane(calibration.camera, calibration.table)
        self._view = ViewCheck(calibration)
        self._softer = 1.0  # factor on the sigmas of the image being examined
        self._detector = detector
        self._centres, self._pairs = CentreNet(), PairNet()
        shape = (self.plane.rows, self.plane.columns)
        self._state = ObserverState(
            KnockWatch(calibration),
            Gate(),
            np.full(shape, -np.inf),
            np.zeros(shape, np.bool_),
            np.full(shape, -np.inf),
            [],
        )
        self._nothing = self.plane.mask(np.zeros(shape, np.bool_))

    @property
    def state(self) -> ObserverState:
        """All that is carried from image to image; may be replaced by one of an earlier run."""
        return self._state

    @state.setter
    def state(self, state: ObserverState) -> None:
        self._state = state
        self.plane = BallPlane(self.calibration.camera, self.calibration.table)
        self._view = ViewCheck(self.calibration)

    @property
    def calibration(self) -> Calibration:
        """The calibration in force: another camera than at the beginning once a knock was healed."""
        return self._state.knock.calibration

    def feed(self, item: VideoImage | Unusable) -> ImageObservations:
        """Examine one image, or take note of a span without any."""
        if isinstance(item, Unusable):
            self.state.gate.forget()
            return self._useless(self.state.index, item.end_s, item.reason)
        self.state.index = item.index
        size = (item.picture.width_px, item.picture.height_px)
        picture, self._softer = fitted(item.picture, self.calibration.camera)
        if picture is None:
            self.state.gate.forget()
            return self._useless(item.index, item.t_s, "size_changed")
        if colourless(picture):
            self.state.gate.forget()
            return self._useless(item.index, item.t_s, "no_colour")
        if not self._in_sight(picture, item.t_s):
            return self._useless(item.index, item.t_s, "other_view")
        if size != self.state.size_px:
            self.state.gate.forget()
        seen = self._examine(VideoImage(item.index, item.t_s, picture))
        if self.state.sight.known is None and seen.looked is None:
            seen = self._unless_alien(seen, picture)
        if seen.unusable is None and size != self.state.size_px:
            was, self.state.size_px = self.state.size_px, size
            seen = replace(seen, size_px=size) if was is not None or self._softer > 1.0 else seen
        return seen

    def _in_sight(self, picture: Picture, t_s: float) -> bool:
        """Whether the table is in sight as calibrated, as far as that can be said before looking for
        balls.
        """
        sight = self.state.sight
        if sight.away_s is None:
            return True
        if not sight.returned(self._view, picture.y, t_s):
            return False
        sight.away_s = None
        self.state.gate.forget()
        return True

    def _unless_alien(self, seen: ImageObservations, picture: Picture) -> ImageObservations:
        """What a whole look showed while the view is not known yet, if that can have been the table."""
        sight = self.state.sight
        sight.known = self._view.known(picture.y)
        if sight.plausible(sum(o.confidence >= 0.5 for o in seen.observations)):
            return seen
        return self._gone(seen.index, seen.t_s)

    def _gone(self, index: int, t_s: float) -> ImageObservations:
        self.state.sight.away_s = t_s
        self.state.gate.withdraw()
        if self.state.sight.known is None:
            self.state.knock.check = None  # it took this picture for the view to compare with
            self.state.lamps = Lamps()  # what looked like balls in it mirrors nothing
        return self._useless(index, t_s, "other_view")

    def _useless(self, index: int, t_s: float, reason: UnusableReason) -> ImageObservations:
        return ImageObservations(index, t_s, (), self._nothing, self._covered_mask(), unusable=reason)

    def _examine(self, image: VideoImage) -> ImageObservations:
        luma = self.plane.gate_luma(image.picture)
        gate = self.state.gate.compare(luma)
        now, changed = image.t_s, float(gate.changed.mean())
        if self.state.sight.lost(self._view, image.picture.y, now, changed):
            return self._gone(image.index, now)
        knocked = None if self._softer > 1.0 else self.state.knock.feed(image.picture.y, now, changed)
        if knocked is not None and knocked.healed:
            luma, gate = self._seen_anew(image.picture)
        elif self.state.knock.holding(now):
            # a camera that is just being knocked would make every ball roll
            return ImageObservations(image.index, now, (), self._nothing, self._covered_mask(), True, knocked)
        if gate.changed.any():
            self.state.hot_until[_grown(gate.changed)] = now + _LINGER_S
            self.state.next_whole = [now + s for s in _SETTLE_S]
        hot = self.state.hot_until >= now
        self._look_at_marks(image.picture, now, hot)
        whole = image.index == 0 or bool(gate.changed.all()) or self._whole_look_due(now)
        if whole:
            looked = np.ones_like(hot)
        elif hot.any() and not gate.identical:
            looked = hot
        else:
            return ImageObservations(
                image.index, now, (), self._nothing, self._covered_mask(), gate.identical, knocked
            )
        bare = looked & (self.state.empty_until > now) & ~gate.stirred
        observations = self.look(image.picture, looked, bare, now)
        self.state.gate.accept(luma, looked & ~bare)
        altered = self.state.still.altered(luma, gate.changed, self.state.gate.step, now, whole)
        mask = None if whole else self.plane.mask(looked)
        return ImageObservations(
            image.index,
            now,
            observations,
            mask,
            self._covered_mask(),
            camera_moved=knocked,
            altered=self.plane.mask(altered) if altered.any() else None,
            gaps=self._gaps(image.picture, observations) if whole else (),
        )

    def _look_at_marks(self, picture: Picture, now: float, hot: Cells) -> None:
        """Measure the spots' marks where nothing moves: a respotted colour is compared with them."""
        if now < self.state.next_marks or not self.calibration.table.spots:
            return
        self.state.next_marks = now + _MARKS_EVERY_S
        busy = hot | self.state.covered
        still = [s for s, at in self.calibration.table.spots.items() if not self._busy_about(busy, at)]
        camera, table = self.calibration.camera, self.calibration.table
        self.state.marks = with_look(self.state.marks, picture, camera, table, still)

    def _busy_about(self, cells: Cells, at_mm: tuple[float, float]) -> bool:
        u, v = self.plane.plane_from_mm(*at_mm)
        i, j = int(v // PX_PER_DIAMETER), int(u // PX_PER_DIAMETER)
        return bool(cells[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2].any())

    def _seen_anew(self, picture: Picture) -> tuple[U8, GateResult]:
        """The plane under a camera that was solved anew, all of it to be examined."""
        self.plane = BallPlane(self.calibration.camera, self.calibration.table)
        self._view = ViewCheck(self.calibration)
        self.state.sight.known = self._view.known(picture.y)
        self.state.gate, self.state.lamps, self.state.still = Gate(), Lamps(), StillView()
        luma = self.plane.gate_luma(picture)
        return luma, self.state.gate.compare(luma)

    def look(
        self, picture: Picture, cells: Cells | None = None, bare: Cells | None = None, now_s: float = 0.0
    ) -> tuple[Observation, ...]:
        """Examine the given cells (all: None) of a picture; updates what is covered there and what is bare
        cloth.

        `bare`: those of the cells that are known to be as they were when nothing lay there.
        """
        if cells is None:
            cells = np.ones_like(self.state.covered)
        due = cells if bare is None else cells & ~bare
        detections: list[Detection] = []
        for box in boxes(due) if due.any() else ():
            detections += self._look_in_box(picture, cells, box, now_s)
        return self._refined(picture, detections, cells)

    def _look_in_box(self, picture: Picture, cells: Cells, box: Box, now_s: float) -> list[Detection]:
        j0, i0, j1, i1 = box
        a0, b0, a1, b1 = with_context(box, self.plane.columns, self.plane.rows)
        p = PX_PER_DIAMETER
        maps = self._detector.maps(self.plane.rgb(picture, a0 * p, b0 * p, a1 * p, b1 * p))
        self._note_cells(maps, cells, box, (a0, b0), now_s)
        found = []
        for d in decode(maps, _LEAST_CONFIDENCE):
            u, v = d.u_px + a0 * p, d.v_px + b0 * p
            cell = looked_cell(u, v, cells)
            if cell is not None and i0 <= cell[0] < i1 and j0 <= cell[1] < j1:
                found.append(Detection(u, v, d.confidence, d.colour_logp))
        return found

    def _note_cells(self, maps: F32, cells: Cells, box: Box, origin: tuple[int, int], now_s: float) -> None:
        """Which of the examined cells are covered, and which are bare cloth."""
        (a0, b0), (j0, i0, j1, i1) = origin, box
        share, heat = by_cell(maps)
        part = (slice(b0, b0 + share.shape[0]), slice(a0, a0 + share.shape[1]))
        self.state.covered[part] = np.where(cells[part], share > _COVERED_SHARE, self.state.covered[part])
        inner, own = (slice(i0, i1), slice(j0, j1)), (slice(i0 - b0, i1 - b0), slice(j0 - a0, j1 - a0))
        empty = (heat[own] < _EMPTY_LOGIT) & (share[own] == 0.0) & cells[inner]
        self.state.empty_until[inner] = np.where(empty, now_s + _EMPTY_S, -np.inf)

    def _refined(
        self, picture: Picture, detections: list[Detection], cells: Cells
    ) -> tuple[Observation, ...]:
        whole = bool(cells.all())
        if not detections:
            self.state.lying.besides(cells, np.zeros((0, 2)), self.calibration.table.ball_diameter_mm)
            return ()
        table, camera = self.calibration.table, self.calibration.camera
        places = np.array([self.plane.mm_from_plane(d.u_px, d.v_px) for d in detections])
        own_sigma = np.full(len(places), _NETWORK_SIGMA_MM_PER_DIAMETER * table.ball_diameter_mm)
        xy, sigmas, doubt = self._centres.refined(
            picture, camera, table.ball_radius_mm, places, own_sigma, whole
        )
        xy, sigmas = self._by_lamps(picture, xy, sigmas, doubt, detections, whole)
        ball = ~self._holes(picture, xy)
        xy, sigmas, detections = (
            xy[ball],
            sigmas[ball],
            [d for d, b in zip(detections, ball, strict=True) if b],
        )
        xy = self._in_packs(
            picture, xy, sigmas, np.array([d.confidence >= _WHOLE_BALL for d in detections], np.bool_), cells
        )
        at = list(cells_of(self.plane, xy))
        for cell in at:
            self.state.empty_until[cell] = -np.inf  # however little of the ball lies in it
        here = np.array(
            [cells[c] or cells[cell_of(d.u_px, d.v_px)] for c, d in zip(at, detections, strict=True)],
            np.bool_,
        )
        xy, sigmas, detections = (
            xy[here],
            sigmas[here],
            [d for d, h in zip(detections, here, strict=True) if h],
        )
        px = camera.pixels_from_table(np.column_stack((xy, np.full(len(xy), table.ball_radius_mm))))
        logps = self._colours(picture, px, xy, detections, whole)
        return tuple(
            Observation(
                float(x), float(y), self._softer * float(s), float(p[0]), float(p[1]), tuple(c), d.confidence
            )
            for (x, y), s, p, c, d in zip(xy, sigmas, px, logps.tolist(), detections, strict=True)
        )

    def _in_packs(
        self, picture: Picture, xy: F64, sigmas: F64, sure: npt.NDArray[np.bool_], cells: Cells
    ) -> F64:
        """Places of balls that lie close together, also with those in cells that were not looked at: no two
        in one place.

        `sure`: what takes a ball's room.
        """
        table, lying = self.calibration.table, self.state.lying
        others = lying.besides(cells, xy[sure], table.ball_diameter_mm)
        looked = np.arange(sure.sum() + len(others)) < sure.sum()
        places, own = (
            np.concatenate((xy[sure], others)),
            np.concatenate((sigmas[sure], np.zeros(len(others)))),
        )
        noise = 2.0 * self.state.gate.noise
        out = xy.copy()
        out[sure] = together(
            picture, self.calibration.camera, table.ball_radius_mm, places, own, looked, noise
        )[looked]
        lying.add(self.plane, out[sure])
        return out

    def _gaps(self, picture: Picture, observations: tuple[Observation, ...]) -> tuple[GapSeen, ...]:
        """How far balls beside what may be the cue-ball lie from it."""
        white = [i for i, o in enumerate(observations) if o.colour_logp[_WHITE] > _MAYBE_WHITE]
        if not white:
            return ()
        places, radius = (
            np.array([(o.x_mm, o.y_mm) for o in observations]),
            self.calibration.table.ball_radius_mm,
        )
        found = self._pairs.gaps(
            picture, self.calibration.camera, radius, places, near_pairs(places, radius, white)
        )
        return tuple(replace(g, sigma_mm=self._softer * g.sigma_mm) for g in found)

    def _by_lamps(
        self, picture: Picture, xy: F64, sigmas: F64, doubt: F64, detections: list[Detection], whole: bool
    ) -> tuple[F64, F64]:
        """Places and sigmas, faint balls' by their light too; whole looks, at balls at rest, tell of the
        lamps.
        """
        camera, radius = self.calibration.camera, self.calibration.table.ball_radius_mm
        if whole and self._softer == 1.0:
            sure = (doubt <= 1.0) & (sigmas < _KNOWN_SIGMA_RADII * radius)
            known = sure & np.array([d.confidence >= 0.5 for d in detections])
            known &= np.array([not self._busy_about(self.state.covered, (x, y)) for x, y in xy.tolist()])
            self.state.lamps = learnt(self.state.lamps, picture, camera, radius, xy, known)
        faint = doubt > _FAINT_DOUBT
        xy = put_back(self.state.lamps, self._centres, picture, camera, radius, xy, sigmas, faint, whole)
        self.state.lamps, xy, sigmas = by_highlights(
            self.state.lamps, picture, camera, radius, xy, sigmas, faint, self.state.index, whole
        )
        return xy, sigmas

    def _holes(self, picture: Picture, xy: F64) -> npt.NDArray[np.bool_]:
        """Gaps between balls that lie in a ring look round and dark, but their outline is hollow: too
        wide.
        """
        table = self.calibration.table
        hole = may_be_gaps(xy / table.ball_diameter_mm)
        if hole.any():
            noise = 2.0 * self.state.gate.noise  # the gate's plane averages about four samples
            fits = fit_outlines(picture, self.calibration.camera, table.ball_radius_mm, xy[hole], noise=noise)
            hole[hole] = [f is not None and f.radius_ratio > _HOLLOW_RATIO for f in fits]
        return hole

    def _colours(self, picture: Picture, px: F64, xy: F64, detections: list[Detection], whole: bool) -> F64:
        radius = self.calibration.table.ball_radius_mm
        radii = radius / self.calibration.pixel_sizes_mm(xy)
        chroma = ball_chroma(picture, px, radii)
        logps = np.array([d.colour_logp for d in detections])
        if whole:
            self.state.red = red_reference(logps, chroma) or self.state.red
        return related(logps, chroma, self.state.red)

    def _whole_look_due(self, now: float) -> bool:
        if not self.state.next_whole or now < self.state.next_whole[0]:
            return False
        while self.state.next_whole and self.state.next_whole[0] <= now:
            self.state.next_whole.pop(0)
        if not self.state.next_whole:
            self.state.next_whole = [now + _WHOLE_LOOK_S]
        return True

    def _covered_mask(self) -> CellMask | None:
        return self.plane.mask(self.state.covered) if self.state.covered.any() else None


def may_be_gaps(places: F64) -> npt.NDArray[np.bool_]:
    """Which of the places (N, 2), in ball diameters, could be the gap in a ring of balls rather than a ball.

    Three to five balls in a ring leave a gap nearer to them than a ball could be, six one as large as a ball.
    """
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + 9.0 * np.eye(len(places))
    near = (apart < _NEIGHBOUR_DIAMETERS).sum(axis=1)
    return np.asarray((near >= 5) | ((near >= 3) & (apart.min(axis=1) < _CROWDED_DIAMETERS)))


def _grown(cells: Cells) -> Cells:
    return cv2.dilate(cells.astype(np.uint8), np.ones((3, 3), np.uint8)).astype(np.bool_)
