"""From detections to places in millimetres, stage by stage.

1. The centre network moves each detection to sub-pixel accuracy (`centres`); a ball that moves while the
   shutter is open is placed by its streak (`streaks`).
2. Balls of the cloth's colour are corrected by the light: its lean (`lit_side`) and its highlights
   (`highlights`).
3. Gaps in a ring of balls look like balls; a wide outline and the cloth's colour betray them (`hollow`).
4. Balls in packs are placed together, so that no two overlap (`packs`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from calibration.find.strips import median_of_known
from calibration.result import Calibration
from calibration.table.pieces import SNOOKER, PieceSet
from calibration.table.pockets import on_bed
from vision.detect.colour import RedReference
from vision.detect.detector import Detection
from vision.detect.looks import kind_logp
from vision.detect.print_net import PrintMemory
from vision.io.picture import Picture
from vision.locate.board_prints import Print
from vision.locate.centres import CentreNet
from vision.locate.highlights import Lamps, learn_lamps, refine_by_highlights
from vision.locate.hollow import gaps_in_rings
from vision.locate.lit_side import correct_for_light
from vision.locate.outline import Body, fit_outlines
from vision.locate.packs import place_packs
from vision.locate.pairs import PairNet, near_pairs
from vision.locate.streaks import place_streaks
from vision.observation import GapSeen, Observation
from vision.plane import BallPlane, Cells

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

SURE_CONFIDENCE = 0.5  # probability from which a detection counts as a ball that needs room of its own

_NETWORK_SIGMA_DIAMETERS = 0.04  # one sigma of the detector's own places
_FAINT_DOUBT = 0.95  # doubt (see `CentreNet`) from which a ball is also placed by its highlights
_CLEAR_DOUBT = 1.0  # doubt up to which a ball may show where lamps are mirrored
_CLEAR_SIGMA_RADII = 0.05  # one sigma up to which it may
_GATE_AVERAGE = 2.0  # noise of a picture's sample over the gate's, which averages about four samples
_MAYBE_CUE_BALL = float(np.log(0.1))  # log-probability from which a ball may be the cue-ball

_SMALLER_CUE = (1 + 47.6 / 50.8) / 2  # size over the others' that parts smaller cue-balls from equal ones
_KEPT_RATIOS = 31  # whole looks whose median tells the size of the cue-ball
_LEAST_SIZES = 3  # sure balls without which no sizes are compared
_OVER_HOLE = 0.86  # radii of a board's hole from its middle within which no disc can lie

_STREAK_LOOKS = 3  # looks in which what leaves a streak now was somewhere else
_LAY_THERE = 0.5  # a thing at rest lies so near to its "streak", over the length of that
_STREAK_COSINE = 0.97  # of the angle between a streak and the way from where its ball was
_STREAK_WENT = 0.85
"""Least way from image to image, over the streak's length: no shutter is open longer than an image takes, and
what blurs the picture lengthens a streak (measured in the longest: 0.88).
"""

_ONE_BALL_DIAMETERS = 0.6  # centres nearer than this are one ball, also in a pack


@dataclass(frozen=True, slots=True)
class Look:
    """One examination of a picture: where, and how exact the picture is.

    `cells` (rows, columns): the cells examined. `index`: the image's number. `noise_grey`: one sigma of a
    sample in grey levels of the gate's luma. `sigma_factor`: by how much a picture that was resized is less
    exact.
    """

    picture: Picture
    calibration: Calibration
    plane: BallPlane
    cells: Cells
    index: int
    noise_grey: float
    sigma_factor: float

    @property
    def whole(self) -> bool:
        """Whether every cell is examined: nothing moves then."""
        return bool(self.cells.all())

    @property
    def sample_noise_grey(self) -> float:
        """One sigma of a full-size sample, grey levels."""
        return _GATE_AVERAGE * self.noise_grey


@dataclass
class RestingBalls:
    """Cell (row, column) and place (x, y) mm of each ball as last seen; unchanged cells keep theirs."""

    balls: list[tuple[int, int, float, float]] = field(default_factory=list)

    def drop_examined(self, cells: Cells, places_mm: F64, diameter_mm: float) -> F64:
        """Forget balls in examined cells and those seen again at `places_mm` (B, 2); places of the rest."""
        there = np.array([b[2:] for b in self.balls]).reshape(-1, 2)
        again = (np.linalg.norm(there[:, None] - places_mm, axis=2) < _ONE_BALL_DIAMETERS * diameter_mm).any(
            axis=1
        )
        kept = [
            not seen and not cells[b[0], b[1]] for b, seen in zip(self.balls, again.tolist(), strict=True)
        ]
        self.balls = [b for b, keep in zip(self.balls, kept, strict=True) if keep]
        return there[kept]

    def add(self, plane: BallPlane, places_mm: F64) -> None:
        """Remember balls seen at places (B, 2) mm."""
        self.balls += [
            (*cell, x, y) for cell, (x, y) in zip(plane.cells_of(places_mm), places_mm.tolist(), strict=True)
        ]


@dataclass
class BallMemory:
    """What placing and naming balls carries from image to image.

    `red`: what this table's light makes of red. `lamps`: the highlights of well-seen balls.
    `numbered`: what a set of numbered balls looks like. `cue_ratios`: sizes of the cue-ball over the other
    balls' in whole looks, where the game has cue-balls of two sizes. `prints`: marks of a board that look
    like pieces. `before_mm`: where things, or their streaks, were seen in the last looks, (B, 2) each.
    """

    red: RedReference | None = None
    lamps: Lamps = field(default_factory=Lamps)
    resting: RestingBalls = field(default_factory=RestingBalls)
    numbered: PrintMemory = PrintMemory()  # noqa: RUF009  (frozen)
    cue_ratios: tuple[float, ...] = ()
    prints: tuple[Print, ...] = ()
    before_mm: deque[F64] = field(default_factory=lambda: deque(maxlen=_STREAK_LOOKS))


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBalls:
    """Places (B, 2) mm, one sigma per axis (B,) mm, radii (B,) mm, and the detections they come from."""

    xy_mm: F64
    sigma_mm: F64
    radius_mm: F64
    detections: tuple[Detection, ...]

    def take(self, keep: Mask) -> PlacedBalls:
        """The balls for which `keep` (B,) is set."""
        detections = tuple(d for d, k in zip(self.detections, keep, strict=True) if k)
        return PlacedBalls(self.xy_mm[keep], self.sigma_mm[keep], self.radius_mm[keep], detections)

    @property
    def sure(self) -> Mask:
        """Which detections count as balls that need room of their own, (B,)."""
        return np.array([d.confidence >= SURE_CONFIDENCE for d in self.detections], np.bool_)


class BallLocator:
    """Runs the stages. Raises UnusableInput when a model file is absent or not the one in the manifest."""

    def __init__(self, pieces: PieceSet = SNOOKER, looks: Sequence[str] = SNOOKER.names) -> None:
        """`looks`: what the detector's looks are called, in order."""
        self._centres, self._pairs, self._pieces, self._looks = CentreNet(), PairNet(), pieces, looks

    def place(
        self, look: Look, detections: list[Detection], memory: BallMemory, covered: Cells
    ) -> PlacedBalls:
        """The balls among the detections; updates the lamps and the resting balls of `memory`.

        `covered` (rows, columns): cells that something foreign hides; balls beside one show no clear light.
        """
        balls, doubt = self._found(look, detections, memory)
        if not balls.detections:
            memory.resting.drop_examined(look.cells, balls.xy_mm, look.calibration.table.ball_diameter_mm)
            return balls
        if self._pieces.discs:
            balls = balls.take(~_over_holes(look, balls.xy_mm))
            memory.resting.drop_examined(look.cells, balls.xy_mm, look.calibration.table.ball_diameter_mm)
            return balls
        if look.whole:
            memory.cue_ratios = (memory.cue_ratios + self._cue_ratios(look, balls))[-_KEPT_RATIOS:]
            if (self.radii_mm(look, balls.detections, memory) != balls.radius_mm).any():
                balls, doubt = self._found(look, balls.detections, memory)
        balls = self._by_light(look, balls, doubt, memory, covered)
        gaps = gaps_in_rings(look.picture, look.calibration, balls.xy_mm, look.sample_noise_grey)
        balls = balls.take(~gaps)
        return _in_packs(look, balls, memory.resting)

    def radii_mm(self, look: Look, detections: Sequence[Detection], memory: BallMemory) -> F64:
        """The radius (B,) of each piece by its likeliest kind; the most frequent kind has the table's."""
        sizes = np.array([k.diameter_mm for k in self._pieces.kinds]) / self._usual_mm
        if not self._pieces.discs and len(memory.cue_ratios) and np.median(memory.cue_ratios) > _SMALLER_CUE:
            sizes[:] = 1.0  # this table's cue-ball is as large as the others
        kinds = kind_logp(np.array([d.look_logp for d in detections]), self._looks, self._pieces).argmax(
            axis=1
        )
        return np.asarray(look.calibration.table.ball_radius_mm * sizes[kinds], np.float64)

    @property
    def _usual_mm(self) -> float:
        return max(self._pieces.kinds, key=lambda k: k.count).diameter_mm

    def _cue_ratios(self, look: Look, balls: PlacedBalls) -> tuple[float, ...]:
        """Sizes of what may be the cue-ball over those of the other balls, in games that have both sizes."""
        sizes = {k.diameter_mm for k in self._pieces.kinds}
        if len(sizes) == 1 or balls.sure.sum() < _LEAST_SIZES:
            return ()
        table = look.calibration.table
        kinds = kind_logp(
            np.array([d.look_logp for d in balls.detections]), self._looks, self._pieces
        ).argmax(axis=1)
        fits = fit_outlines(look.picture, look.calibration.camera, table.ball_radius_mm, balls.xy_mm)
        ratios = np.array([np.nan if f is None else f.radius_ratio for f in fits])
        cue = (kinds == self._pieces.index[self._pieces.cue]) & balls.sure
        others = median_of_known(np.where(cue | ~balls.sure, np.nan, ratios), axis=0)
        return tuple((ratios[cue] / others)[np.isfinite(ratios[cue])].tolist())

    def _found(
        self, look: Look, detections: Sequence[Detection], memory: BallMemory
    ) -> tuple[PlacedBalls, F64]:
        """Each ball on the bed once, placed by the centre network, and its doubt (B,). What lies on a rail is
        none.
        """
        table = look.calibration.table
        if not detections:
            return PlacedBalls(np.zeros((0, 2)), np.zeros(0), np.zeros(0), ()), np.zeros(0)
        balls, doubt = self._by_network(look, detections, memory)
        if not look.whole and not self._pieces.discs:
            balls, streaks = _by_streaks(look, balls, memory)
            doubt = np.where(streaks, 0.0, doubt)
        own = of_their_own(balls.xy_mm, table.ball_diameter_mm)
        own &= np.array([on_bed(x, y, table) for x, y in balls.xy_mm.tolist()])
        return balls.take(own), doubt[own]

    def _by_network(
        self, look: Look, detections: Sequence[Detection], memory: BallMemory
    ) -> tuple[PlacedBalls, F64]:
        """Places by the centre network, each size of piece by itself, and its doubt (B,)."""
        table, camera = look.calibration.table, look.calibration.camera
        seen = np.array([look.plane.mm_from_plane(d.u_px, d.v_px) for d in detections])
        radii = self.radii_mm(look, detections, memory)
        xy, sigma, doubt = seen.copy(), np.zeros(len(seen)), np.zeros(len(seen))
        for radius in np.unique(radii).tolist():
            own = radii == radius
            body = Body(radius, table.piece_height_mm)
            places = seen[own]
            if body.height_mm != table.piece_plane_mm:  # a smaller ball's centre lies below the others'
                px = camera.pixels_from_table(
                    np.column_stack((places, np.full(len(places), table.piece_plane_mm)))
                )
                places = camera.table_from_pixels(px, body.height_mm)
            thought = np.full(len(places), _NETWORK_SIGMA_DIAMETERS * table.ball_diameter_mm)
            xy[own], sigma[own], doubt[own] = self._centres.refined(
                look.picture, camera, radius, places, thought, look.whole, table.piece_height_mm
            )
        return PlacedBalls(xy, sigma, radii, tuple(detections)), doubt

    def _by_light(
        self, look: Look, balls: PlacedBalls, doubt: F64, memory: BallMemory, covered: Cells
    ) -> PlacedBalls:
        """Faint balls by the light too; whole looks, at balls at rest, teach where the lamps are."""
        camera, radius = look.calibration.camera, look.calibration.table.ball_radius_mm
        xy, sigma = balls.xy_mm, balls.sigma_mm
        usual = (
            balls.radius_mm == radius
        )  # the light's stages know one size; a smaller cue-ball is never faint
        doubt = np.where(usual, doubt, 0.0)
        if look.whole and look.sigma_factor == 1.0:
            known = (doubt <= _CLEAR_DOUBT) & (sigma < _CLEAR_SIGMA_RADII * radius) & balls.sure & usual
            known &= np.array([not look.plane.any_about(covered, x, y) for x, y in xy.tolist()])
            memory.lamps = learn_lamps(memory.lamps, look.picture, camera, radius, xy, known)
        faint = doubt > _FAINT_DOUBT
        xy = correct_for_light(
            memory.lamps, self._centres, look.picture, camera, radius, xy, sigma, faint, look.whole
        )
        memory.lamps, xy, sigma = refine_by_highlights(
            memory.lamps, look.picture, camera, radius, xy, sigma, faint, look.index, look.whole
        )
        return replace(balls, xy_mm=xy, sigma_mm=sigma)

    def gaps(self, look: Look, balls: tuple[Observation, ...]) -> tuple[GapSeen, ...]:
        """The gaps between what may be the cue-ball and the balls beside it, by the pair network."""
        if len({k.diameter_mm for k in self._pieces.kinds}) > 1 or self._pieces.discs:
            return ()  # the pair network knows pairs of balls of one size
        cue = self._pieces.index[self._pieces.cue]
        white = [i for i, o in enumerate(balls) if o.colour_logp[cue] > _MAYBE_CUE_BALL]
        if not white:
            return ()
        radius = look.calibration.table.ball_radius_mm
        places = np.array([(o.x_mm, o.y_mm) for o in balls])
        found = self._pairs.gaps(
            look.picture, look.calibration.camera, radius, places, near_pairs(places, radius, white)
        )
        return tuple(replace(g, sigma_mm=look.sigma_factor * g.sigma_mm) for g in found)


def _by_streaks(look: Look, balls: PlacedBalls, memory: BallMemory) -> tuple[PlacedBalls, Mask]:
    """The balls with those that leave a streak in its middle, and which they are (B,).

    A ball goes at least its streak's length from image to image, and along it: what was seen nearer before,
    or came from elsewhere, is drawn out by its own shadow.
    """
    table = look.calibration.table
    xy, along = place_streaks(
        look.picture, look.calibration.camera, table.ball_radius_mm, balls.xy_mm, table.piece_height_mm
    )
    length = np.linalg.norm(along, axis=1)
    streaks, came = length > 0.0, np.zeros(len(xy), np.bool_)
    lay = np.array([b[2:] for b in memory.resting.balls]).reshape(-1, 2)
    for share, places in ((_LAY_THERE, lay), *((_STREAK_WENT, at) for at in memory.before_mm)):
        way = xy[:, None] - places
        went = np.linalg.norm(way, axis=2)
        streaks &= went.min(axis=1, initial=np.inf) > share * length
        straight = np.abs(np.einsum("bpc,bc->bp", way, along)) > _STREAK_COSINE * went * length[:, None]
        came |= straight.any(axis=1)
    streaks &= came
    memory.before_mm.append(xy)
    return replace(balls, xy_mm=np.where(streaks[:, None], xy, balls.xy_mm)), streaks


def of_their_own(xy_mm: F64, diameter_mm: float) -> Mask:
    """Which places (B, 2) mm, the surest first, are not one that a surer detection came to already: seen
    from the side a ball may be detected twice, above and below its middle.
    """
    near = np.linalg.norm(xy_mm[:, None] - xy_mm, axis=2) <= _ONE_BALL_DIAMETERS * diameter_mm
    own = np.ones(len(xy_mm), np.bool_)
    for k in range(len(xy_mm)):
        own[k] = not (near[k, :k] & own[:k]).any()
    return own


def _in_packs(look: Look, balls: PlacedBalls, resting: RestingBalls) -> PlacedBalls:
    """Places of balls that lie close together, those in cells that were not examined included."""
    table = look.calibration.table
    sure = balls.sure & (balls.radius_mm == table.ball_radius_mm)  # packs are of balls of one size
    others = resting.drop_examined(look.cells, balls.xy_mm[sure], table.ball_diameter_mm)
    examined = np.arange(sure.sum() + len(others)) < sure.sum()
    places = np.concatenate((balls.xy_mm[sure], others))
    own = np.concatenate((balls.sigma_mm[sure], np.zeros(len(others))))
    out = balls.xy_mm.copy()
    out[sure] = place_packs(
        look.picture,
        look.calibration.camera,
        table.ball_radius_mm,
        places,
        own,
        examined,
        look.sample_noise_grey,
    )[examined]
    resting.add(look.plane, out[sure])
    return replace(balls, xy_mm=out)


def _over_holes(look: Look, xy_mm: F64) -> Mask:
    """Which places (B, 2) mm lie over a board's holes: dark and round like a large disc."""
    pockets = look.calibration.table.pockets
    at = np.array([(p.x_mm, p.y_mm) for p in pockets])
    reach = _OVER_HOLE * np.array([p.drop_radius_mm for p in pockets])
    return np.asarray((np.linalg.norm(xy_mm[:, None] - at, axis=2) < reach).any(axis=1))
